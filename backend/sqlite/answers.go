package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sekisho/backend/permission"
)

// Bounds of the inputs that past calls are given with, in bytes: of one, and of all.
const (
	maxAnsweredInput  = 16 << 10
	maxAnsweredInputs = 16 << 20
)

// pastCalls lists the newest decided calls with what became of them. What denial memory
// said again is no person's answer of its own, and a stop of the agent is none to a call. The input is that which the caller asked for,
// where it is not too large to be looked at. A call to which a yes has data is left out: what a
// person answered to it is no rule's to say.
const pastCalls = `SELECT id, server_id, COALESCE(method, ''), tool_name, cwd, agent_id, created_at, risk,
	CASE WHEN status IN ('cancelled', 'expired') THEN 'other'
		WHEN answer ->> 'by' = 'person' AND answer ->> 'remembered' IS NULL AND answer ->> 'code' IS NOT 'agent_stopped' THEN IIF(answer ->> 'approved', 'approved', 'declined')
		WHEN answer ->> 'approved' THEN 'allowed' ELSE 'other' END,
	CASE WHEN input_wiped = 0 AND original_hash IS NULL AND octet_length(input) <= ?1 THEN input END
	FROM (SELECT *, ` + decided + ` AS answer FROM (SELECT * FROM calls WHERE decision IS NOT NULL AND resume_required IS NULL ORDER BY seq DESC LIMIT ?2)) ORDER BY seq DESC`

// PastStore is what became of calls.
type PastStore struct{ *base }

// Answers gives the newest decided calls, the oldest first. The input is left out where it
// was wiped, edited by the person or is large, and from where on they are large together,
// beginning with the newest.
func (s *PastStore) Answers(ctx context.Context, newest int) ([]permission.PastCall, error) {
	rows, err := s.reader.QueryContext(ctx, pastCalls, maxAnsweredInput, newest)
	if err != nil {
		return nil, fmt.Errorf("list answers: %w", err)
	}
	defer rows.Close()
	list, left := []permission.PastCall{}, maxAnsweredInputs
	for rows.Next() {
		var c permission.PastCall
		var input sql.RawBytes
		if err := rows.Scan(&c.ID, &c.ServerID, &c.Method, &c.ToolName, &c.Cwd, &c.AgentID, &c.At, &c.Risk, &c.Answer, &input); err != nil {
			return nil, fmt.Errorf("list answers: %w", err)
		}
		if input != nil && left >= maxAnsweredInput {
			c.Input = slices.Clone([]byte(input))
			left -= len(input)
		}
		list = append(list, c)
	}
	slices.Reverse(list)
	return list, rows.Err()
}
