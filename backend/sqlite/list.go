package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// Calls lists calls; next is the cursor for CallFilter.Before, 0 at the end. A page ends
// before the limit when its calls carry much, see maxPage: no more than that is read.
func (s *CallStore) Calls(ctx context.Context, f permission.CallFilter) (calls []permission.Call, next int64, err error) {
	t, err := s.reader.BeginTx(ctx, nil) // one view of the calls
	if err != nil {
		return nil, 0, fmt.Errorf("list calls: %w", err)
	}
	defer t.Rollback()
	p := page{limit: f.Limit, calls: []permission.Call{}, damaged: s.damaged}
	next, err = listBrief(ctx, t, f, &p)
	if err == nil && f.Brief {
		err = p.fillSmall(ctx, t)
	} else if err == nil {
		err = p.fill(ctx, t)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list calls: %w", err)
	}
	return p.calls, next, nil
}

// Recover is the first thing a starting desk does: callers that waited on a
// connection of the process before are gone, what that process was executing is in
// doubt (and not what an executor runs: that has its lease), its grants end, and the journal
// says so. It answers with every call that still has a deadline or a lease.
func (s *CallStore) Recover(ctx context.Context, at permission.Time) ([]permission.Call, error) {
	err := s.write(ctx, func(t *tx) error { return abandon(t, at) })
	if err != nil {
		return nil, fmt.Errorf("recover: %w", err)
	}
	rows, err := s.reader.QueryContext(ctx,
		"SELECT "+briefColumns+" FROM calls WHERE "+callsql.Open+" AND expires_at IS NOT NULL UNION ALL SELECT "+
			briefColumns+" FROM calls WHERE status = 'claimed'")
	if err != nil {
		return nil, fmt.Errorf("recover: %w", err)
	}
	defer rows.Close()
	var open []permission.Call
	for rows.Next() {
		c, err := scanCall(rows)
		if s.damaged(err) {
			continue // it has no deadline that anybody could act on
		}
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
	_, err = transitEach(t,
		each(permission.Transition{At: at, From: []permission.Status{permission.Pending, permission.Approved}, SetGone: &gone,
			Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk,
				Data: json.RawMessage(`{"callerGone":true,"why":"the desk ended while the caller waited"}`)}}, ids))
	if err != nil {
		return err
	}
	if err := endGrants(t, at); err != nil {
		return err
	}
	if err := endMode(t, at); err != nil {
		return err
	}
	if ids, err = callIDs(t, "held = 1 AND status = 'claimed' AND NOT ("+callsql.ByExecutor+")"); err != nil {
		return err
	}
	_, err = transitEach(t,
		each(permission.Transition{At: at, From: []permission.Status{permission.Claimed}, To: permission.InDoubt, SetGone: &gone,
			Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk,
				Data: json.RawMessage(`{"status":"in_doubt","why":"the desk ended while the call was running"}`)}}, ids))
	return err
}

// endGrants ends all grants: none outlives the process of the desk that it was given to.
func endGrants(t *tx, at permission.Time) error {
	ended, err := deleteGrants(t, "true")
	if err != nil {
		return err
	}
	for i := range ended {
		raw, err := json.Marshal(map[string]any{"what": "ended", "grant": &ended[i], "why": "the desk's process ended"})
		if err != nil {
			return err
		}
		if err := t.Append(permission.Entry{Kind: permission.GrantsChanged, Actor: permission.ActorDesk, At: at, Data: raw}, nil); err != nil {
			return err
		}
	}
	return nil
}

// endMode revokes what was approved for the mode that asks nothing, and nobody has claimed:
// the plan whose answer the mode was, and calls after it, which nobody looked at. The mode
// ended with the desk's process.
func endMode(t *tx, at permission.Time) error {
	ids, err := callIDs(t, callsql.Open+" AND status = 'approved' AND json_extract("+decided+", '$.scope') = ?", permission.ScopeMode)
	if err != nil {
		return err
	}
	none, why := permission.Time(0), permission.Explanation{Code: permission.ReasonGrantEnded,
		Reason: "the mode that approved this call ended with the desk's process"}
	_, err = transitEach(t, each(permission.Transition{At: at, From: []permission.Status{permission.Approved}, To: permission.Revoked,
		ExpiresAt: &none,
		Decision:  &permission.Decision{By: permission.ByGuard, Explanation: why, Scope: permission.ScopeOnce, DecidedAt: at},
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorDesk,
			Data: permission.Data(map[string]any{"status": permission.Revoked, "reason": why.Reason})}}, ids))
	return err
}

// callIDs lists the calls of a condition, oldest first, before any of them is
// changed.
func callIDs(t database.Querier, where string, args ...any) ([]permission.CallID, error) {
	return database.List(database.Value[permission.CallID])(t.Query("SELECT id FROM calls WHERE "+where+" ORDER BY seq", args...))
}

// OpenIDs lists the pending and approved calls of a filter, oldest first.
func (s *SessionStore) OpenIDs(ctx context.Context, f permission.CallFilter) (ids []permission.CallID, err error) {
	f.Statuses = []permission.Status{permission.Pending, permission.Approved}
	where := callsql.Filter(f)
	if ids, err = callIDs(s.reader, strings.Join(where.Text, " AND "), where.Args...); err != nil {
		return nil, fmt.Errorf("list open calls: %w", err)
	}
	return ids, nil
}

// DeclinedSince lists the places of the calls from seq on that a person declined.
func (s *PastStore) DeclinedSince(ctx context.Context, seq int64) (seqs []int64, err error) {
	seqs, err = database.List(database.Value[int64])(
		s.reader.QueryContext(ctx, "SELECT seq FROM calls WHERE status = 'declined' AND seq >= ?", seq))
	if err != nil {
		return nil, fmt.Errorf("list declined calls: %w", err)
	}
	return seqs, nil
}

// Waiting tells visit of each pending call: what rules look at, and its rev. The
// input and the envelope, which can be large, are left out unless they are wanted.
func (s *CallStore) Waiting(ctx context.Context, input bool, visit func(permission.Call)) error {
	var r callRow
	columns := r.pick("id", "rev", "server_id", "tool_name", "session_id", "agent_id", "agent_name", "cwd", "input_hash", "method", "round",
		"asking", "subagent", "resume_required", "risk", "risk_reasons")
	if input {
		columns = append(columns, r.pick("input", "envelope")...)
	}
	rows, err := s.reader.QueryContext(ctx,
		"SELECT "+strings.Join(names(columns), ", ")+" FROM calls WHERE "+callsql.Open+" AND status = 'pending' ORDER BY seq")
	if err != nil {
		return fmt.Errorf("list waiting calls: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(places(columns)...); err != nil {
			return fmt.Errorf("list waiting calls: %w", err)
		}
		c := r.plain()
		_ = json.Unmarshal([]byte(r.asking.String), &c.Asking) // of a damaged one nothing is known, and no yes reaches it
		if json.Unmarshal([]byte(r.reasons), &c.RiskReasons) != nil {
			c.Risk = permission.RiskHigh // so that no rule lets pass what only less may
		}
		visit(c)
	}
	return rows.Err()
}

// Past tells visit of the calls that came in after seq, newest first, at most
// limit: their place, id, server, method, tool, what is wrong with their round, whether a
// yes has data, and when they came.
func (s *PastStore) Past(ctx context.Context, after int64, limit int, visit func(seq int64, c permission.Call)) error {
	var r callRow
	columns := r.pick("id", "server_id", "tool_name", "created_at", "method", "round", "resume_required")
	rows, err := s.reader.QueryContext(ctx,
		"SELECT seq, "+strings.Join(names(columns), ", ")+" FROM calls WHERE seq > ? ORDER BY seq DESC LIMIT ?", after, limit)
	if err != nil {
		return fmt.Errorf("list past calls: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(places(columns, &seq)...); err != nil {
			return fmt.Errorf("list past calls: %w", err)
		}
		visit(seq, r.plain())
	}
	return rows.Err()
}
