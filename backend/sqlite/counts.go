package sqlite

import (
	"context"
	"fmt"
	"time"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/quota"
)

// CountStore is what was allowed lately. The writer counts it in the transactions that allow
// something, and it is told from memory.
type CountStore struct {
	*base
	kept  *quota.Counts
	clock *journal.Clock
}

// Full reports whether a rule has allowed as many calls as its limit says, before a time. A
// call that is to take a place is held against it once more when it is kept.
func (c *CountStore) Full(rule permission.RuleID, limit permission.Limit, at permission.Time) bool {
	return c.kept.Full(string(rule), quota.Limit(limit), int64(at))
}

// Braked gives the brake where the same call was allowed as often as it says, before a
// time; nil is none. A call that is allowed is held against it once more when it is kept.
func (c *CountStore) Braked(call *permission.Call, at permission.Time) *permission.Limit {
	return (*permission.Limit)(c.kept.Braked(quotaCall(call), 0, int64(at)))
}

// quotaCall is what a call is to the brake: what its caller asked for, whatever a person made
// of it. A caller without a session names each request as its run, and that as its session.
func quotaCall(c *permission.Call) quota.Call {
	call := quota.Call{Agent: string(c.AgentID), Session: string(c.SessionID), InputHash: c.InputHash}
	if string(c.SessionID) == string(c.RunID) && string(c.RunID) == c.ToolCallID {
		call.Session = ""
	}
	if c.Original != nil {
		call.InputHash = c.Original.InputHash
	}
	return call
}

// forgetPlaces removes the oldest places, up to the first that is younger than a time.
const forgetPlaces = "DELETE FROM places WHERE seq < (SELECT seq FROM places WHERE at > ? ORDER BY seq LIMIT 1)"

// forgetEach is after how many places the oldest are looked at.
const forgetEach = 1024

// readPlaces counts what the limits of rules are to know at a start, and removes what is too
// old for any.
func (w *writer) readPlaces(at permission.Time) error {
	if _, err := w.conn.Exec(forgetPlaces, at.Add(-permission.MaxLimitSeconds*time.Second)); err != nil {
		return fmt.Errorf("forget places of limits: %w", err)
	}
	rows, err := w.conn.Query("SELECT rule_id, at FROM places ORDER BY seq")
	if err != nil {
		return fmt.Errorf("read the places of limits: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var rule permission.RuleID
		var at permission.Time
		if err := rows.Scan(&rule, &at); err != nil {
			return fmt.Errorf("read the places of limits: %w", err)
		}
		w.counts.Take(string(rule), int64(at))
	}
	return rows.Err()
}

// lately lists the calls that were let run since a time: those that were as they came in,
// and those that had waited.
const lately = `SELECT agent_id, session_id, run_id, tool_call_id, COALESCE(original_hash, input_hash), allowed_at, allowed_by FROM calls
	WHERE seq > COALESCE((SELECT seq FROM calls WHERE created_at <= ?1 - 60000 ORDER BY seq DESC LIMIT 1), 0)
		AND allowed_at > ?1 AND allowed_at <= created_at
	UNION ALL
	SELECT agent_id, session_id, run_id, tool_call_id, COALESCE(original_hash, input_hash), allowed_at, allowed_by FROM calls
	WHERE allowed_at > ?1 AND allowed_at > created_at
	ORDER BY allowed_at`

// SetBrake says how often the same call is allowed by rules and grants; nil is without end.
// What was allowed lately is counted of the calls.
func (c *CountStore) SetBrake(ctx context.Context, limit *permission.Limit) error {
	err := c.write(ctx, func(t *tx) error {
		t.w.counts.SetBrake((*quota.Limit)(limit))
		if limit == nil {
			return nil
		}
		rows, err := t.Query(lately, c.clock.Now()-permission.Time(limit.Seconds)*1000)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var call permission.Call
			var at permission.Time
			var by permission.By
			if err := rows.Scan(&call.AgentID, &call.SessionID, &call.RunID, &call.ToolCallID, &call.InputHash, &at, &by); err != nil {
				return err
			}
			if by == permission.ByPerson {
				t.w.counts.Anew(quotaCall(&call))
			} else {
				t.w.counts.Allowed(quotaCall(&call), int64(at))
			}
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("set brake: %w", err)
	}
	return nil
}

// spent reports whether one of some places is gone.
func (t *tx) spent(places []permission.Place, at permission.Time) bool {
	for _, p := range places {
		if t.w.counts.Full(string(p.Rule), quota.Limit(p.Limit), int64(at)) {
			return true
		}
	}
	return false
}

// braked reports whether a call is allowed that the brake holds.
func (t *tx) braked(c *permission.Call) bool {
	return counted(c.Decision) && t.w.counts.Braked(quotaCall(c), 0, int64(c.CreatedAt)) != nil
}

// allowed counts a call that was let run, where it was, and takes its places.
func (t *tx) allowed(c *permission.Call, d *permission.Decision, places []permission.Place, at permission.Time) error {
	for _, p := range places {
		seq, err := t.w.insertPlace.Insert(database.Numbered(string(p.Rule), int64(at)))
		if err := t.Bare(err); err != nil {
			return fmt.Errorf("take the place of a limit: %w", err)
		}
		if seq%forgetEach == 0 {
			if _, err := t.Exec(forgetPlaces, at.Add(-permission.MaxLimitSeconds*time.Second)); err != nil {
				return fmt.Errorf("forget places of limits: %w", err)
			}
		}
		t.w.counts.Take(string(p.Rule), int64(at))
		t.counted = append(t.counted, func() { t.w.counts.GiveBack(string(p.Rule), int64(at)) })
	}
	if counted(d) {
		call := quotaCall(c)
		t.w.counts.Allowed(call, int64(at))
		t.counted = append(t.counted, func() { t.w.counts.Disallowed(call, int64(at)) })
	}
	return nil
}
