package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// briefColumns are callColumns without the two that can be large.
var briefColumns = strings.NewReplacer(" input,", " NULL,", "result", "NULL").Replace(callColumns)

// Calls lists calls; next is the cursor for CallFilter.Before, 0 at the end.
func (s *Store) Calls(ctx context.Context, f permission.CallFilter) (calls []permission.Call, next int64, err error) {
	where := filter(f)
	columns := callColumns
	if f.Brief {
		columns = briefColumns
	}
	order := " ORDER BY seq DESC LIMIT ?"
	if f.Oldest {
		order = " ORDER BY seq LIMIT ?"
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT seq, "+columns+" FROM calls WHERE "+strings.Join(where.text, " AND ")+order, append(where.args, f.Limit+1)...)
	if err != nil {
		return nil, 0, fmt.Errorf("list calls: %w", err)
	}
	defer rows.Close()
	calls = []permission.Call{}
	var last, seq int64
	for rows.Next() {
		c, err := scanCall(rows, &seq)
		if err != nil {
			return nil, 0, fmt.Errorf("list calls: %w", err)
		}
		if len(calls) == f.Limit {
			return calls, last, nil
		}
		calls, last = append(calls, c), seq
	}
	return calls, 0, rows.Err()
}

func filter(f permission.CallFilter) clauses {
	var where clauses
	where.add("1 = 1")
	if f.Agent != "" {
		where.add("agent_id = ?", f.Agent)
	}
	if n := len(f.Statuses); n > 0 {
		if !slices.ContainsFunc(f.Statuses, func(s permission.Status) bool { return s != permission.Pending && s != permission.Approved }) {
			where.add(open)
		}
		args := make([]any, n)
		for i, s := range f.Statuses {
			args[i] = s
		}
		where.add("status IN (?"+strings.Repeat(",?", n-1)+")", args...)
	}
	if f.RunID != "" {
		where.add("run_id = ?", f.RunID)
	}
	if f.SessionID != "" {
		where.add("session_id = ?", f.SessionID)
	}
	if f.Before > 0 && f.Oldest {
		where.add("seq > ?", f.Before)
	} else if f.Before > 0 {
		where.add("seq < ?", f.Before)
	}
	return where
}

// Recover is the first thing a starting desk does: callers that waited on a
// connection of the process before are gone, and the journal says so. It answers
// with every call that still has a deadline.
func (s *Store) Recover(ctx context.Context, at permission.Time) ([]permission.Call, error) {
	err := s.write(ctx, func(t *tx) error { return abandon(t, at) })
	if err != nil {
		return nil, fmt.Errorf("recover: %w", err)
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT "+briefColumns+" FROM calls WHERE "+open+" AND expires_at IS NOT NULL")
	if err != nil {
		return nil, fmt.Errorf("recover: %w", err)
	}
	defer rows.Close()
	var open []permission.Call
	for rows.Next() {
		c, err := scanCall(rows)
		if err != nil {
			return nil, fmt.Errorf("recover: %w", err)
		}
		open = append(open, c)
	}
	return open, rows.Err()
}

func abandon(t *tx, at permission.Time) error {
	ids, err := callIDs(t, "held = 1 AND caller_gone = 0 AND status IN ('pending','approved')")
	if err != nil {
		return err
	}
	gone := true
	for _, id := range ids {
		_, err := transit(t, permission.Transition{ID: id, At: at, From: []permission.Status{permission.Pending, permission.Approved}, SetGone: &gone,
			Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk, Data: json.RawMessage(`{"callerGone":true,"why":"the desk ended while the caller waited"}`)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// callIDs lists the calls of a condition, oldest first, before any of them is
// changed.
func callIDs(t *tx, where string, args ...any) (ids []permission.CallID, err error) {
	rows, err := t.Query("SELECT id FROM calls WHERE "+where+" ORDER BY seq", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id permission.CallID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Waiting lists the pending calls with their id, server and tool alone.
func (s *Store) Waiting(ctx context.Context) ([]permission.Call, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT id, server_id, tool_name FROM calls WHERE "+open+" AND status = 'pending'")
	if err != nil {
		return nil, fmt.Errorf("list waiting calls: %w", err)
	}
	defer rows.Close()
	var calls []permission.Call
	for rows.Next() {
		var c permission.Call
		if err := rows.Scan(&c.ID, &c.ServerID, &c.ToolName); err != nil {
			return nil, fmt.Errorf("list waiting calls: %w", err)
		}
		calls = append(calls, c)
	}
	return calls, rows.Err()
}
