package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"sekisho/backend/permission"
)

// approvedByPerson is the condition of the partial index calls_approved, to the letter.
const approvedByPerson = `substr(decision, 1, 30) = '{"by":"person","approved":true'`

// lastApproved reads at most one row of that index: the newest.
var lastApproved = "SELECT " + callColumns + " FROM calls WHERE " + approvedByPerson +
	" AND agent_id = ? AND tool_name = ? AND server_id IS ? AND decided_at <= ? AND id <> ? ORDER BY decided_at DESC, seq DESC LIMIT 1"

// LastApproved gives the call of the same agent, server and tool that a person
// approved last: before c was decided, where it is.
func (s *CallStore) LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error) {
	until := int64(math.MaxInt64)
	if c.Decision != nil {
		until = int64(c.Decision.DecidedAt)
	}
	last, err = scanCall(s.reader.QueryRowContext(ctx, lastApproved, c.AgentID, c.ToolName, optional(c.ServerID), until, c.ID))
	if errors.Is(err, sql.ErrNoRows) || s.damaged(err) {
		return permission.Call{}, false, nil
	}
	if err != nil {
		return permission.Call{}, false, fmt.Errorf("find the last approved call: %w", err)
	}
	return last, true, nil
}
