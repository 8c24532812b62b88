package sqlite

import (
	"context"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// declinedByPerson is the condition of the partial index calls_declined_by_person, to the
// letter.
const declinedByPerson = `status = 'declined' AND substr(decision, 1, 31) = '{"by":"person","approved":false' AND instr(decision, ',"remembered":"') = 0`

// declinedTools counts declines by agent, session and tool, after the last yes to a call
// of the same.
const declinedTools = `SELECT agent_id, session_id, server_id, COALESCE(method, 'tools/call'), tool_name, COUNT(*) AS count, MAX(decided_at) FROM calls AS no
	WHERE ` + declinedByPerson + ` AND NOT ` + byStop + ` AND decided_at > ?1 AND NOT EXISTS (SELECT 1 FROM calls AS yes WHERE substr(yes.decision, 1, 30) = '{"by":"person","approved":true'
		AND yes.agent_id = no.agent_id AND yes.tool_name = no.tool_name AND yes.server_id IS no.server_id AND yes.method IS no.method AND yes.decided_at >= no.decided_at AND yes.session_id = no.session_id)
	GROUP BY agent_id, session_id, server_id, method, tool_name HAVING count >= ?2 ORDER BY MAX(decided_at)`

// DeclinedTools names the tools that persons declined so often in a session since a time,
// without a yes in between.
func (s *SessionStore) DeclinedTools(ctx context.Context, since permission.Time, often int) ([]permission.DeclinedTool, error) {
	tools, err := database.List(func(row database.Row) (d permission.DeclinedTool, err error) {
		err = row.Scan(&d.AgentID, &d.SessionID, &d.ServerID, &d.Method, &d.ToolName, &d.Count, &d.At)
		return d, err
	})(s.reader.QueryContext(ctx, declinedTools, since, often))
	if err != nil {
		return nil, fmt.Errorf("list declined tools: %w", err)
	}
	return tools, nil
}
