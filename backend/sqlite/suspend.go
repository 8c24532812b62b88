package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// Suspend keeps a judged call, or answers with the row that it is already or
// that it joins. See permission.Suspension.
func (s *CallStore) Suspend(ctx context.Context, sus permission.Suspension) (call permission.Call, kept permission.Kept, err error) {
	n, err := newComer(sus)
	if err != nil {
		return sus.Call, "", err
	}
	keeping := func(t *tx) (err error) {
		call, kept, err = suspend(t, n)
		return err
	}
	if sus.Call.Status != permission.Claimed {
		err = s.write(ctx, keeping)
		return call, kept, err
	}
	last, err := s.writeSoon(ctx, false, keeping) // its claimant asks for it before it answers
	s.owed.note(call.ID, last)
	return call, kept, err
}

// comer is a call on its way in, with all made that can be made outside the writer.
type comer struct {
	permission.Suspension
	name    int64               // its identity
	look    []driver.NamedValue // the arguments of the statements
	row     []driver.NamedValue
	count   []driver.NamedValue
	entries []journal.Draft
}

func newComer(sus permission.Suspension) (*comer, error) {
	n := &comer{Suspension: sus, entries: make([]journal.Draft, len(sus.Entries))}
	c := &n.Call
	n.name = identity(c.AgentID, c.RunID, c.ToolCallID)
	r, err := newCallRow(c, n.name)
	if err != nil {
		return n, fmt.Errorf("suspend call: %w", err)
	}
	n.row = r.args()
	for i, e := range n.Entries {
		if n.entries[i], err = journal.NewDraft(e, c); err != nil {
			return n, err
		}
	}
	n.look = database.Numbered(string(c.AgentID), n.name, string(c.RunID), c.ToolCallID, c.AskedHash(), string(c.SessionID), int64(0))
	n.count = database.Numbered(string(c.AgentID), int64(len(c.Input)+len(c.Envelope)))
	return n, nil
}

// met is what a new call meets.
type met struct {
	version                           int64
	removed, same, left, denied, wide bool
	waiting, bytes                    int64
}

func (n *comer) meet(t *tx) (m met, err error) {
	n.look[6].Value = t.w.recent[n.name]
	var row [8]driver.Value
	if err := t.Bare(t.w.meeting.Row(n.look, row[:])); err != nil {
		return m, fmt.Errorf("suspend call: %w", err)
	}
	var v [len(row)]int64
	for i := range row {
		v[i], _ = row[i].(int64) // each is an integer by its expression
	}
	return met{v[0], v[1] != 0, v[2] != 0, v[3] != 0, v[4] != 0, v[5] != 0, v[6], v[7]}, nil
}

// refuse turns away a verdict that an edit of the rules overtook, and an agent
// that was removed meanwhile.
func (m *met) refuse(n *comer) error {
	switch {
	case m.removed:
		return &permission.Error{Code: permission.CodeForbidden, Message: "this agent was removed from the desk"}
	case m.version != n.PolicyVersion:
		return permission.ErrOutdated
	}
	return nil
}

func suspend(t *tx, n *comer) (permission.Call, permission.Kept, error) {
	n, err := n.named(t)
	if err != nil {
		return permission.Call{}, "", err
	}
	m, err := n.meet(t)
	if err == nil {
		err = m.refuse(n)
	}
	if err != nil {
		return n.Call, "", err
	}
	if m.same {
		return again(t, n)
	}
	if err := n.overtaken(t); err != nil {
		return n.Call, "", err
	}
	if n.Joins && n.Call.Status != permission.Denied && n.Call.Status != permission.Declined {
		asked, ok, err := joinDoor(t, n.Suspension)
		if err != nil || ok {
			return asked, permission.KeptJoined, err
		}
	}
	if n.Call.Status != permission.Pending {
		return keep(t, n)
	}
	if m.left {
		joined, ok, err := join(t, n.Suspension)
		if err != nil || ok {
			return joined, permission.KeptJoined, err
		}
	}
	if m.denied || m.wide {
		if n, err = answered(t, n); err != nil {
			return n.Call, "", err
		}
	}
	if err := m.room(n); err != nil {
		return n.Call, "", err
	}
	return keep(t, n)
}

// insertCall adds the row, so that it is found by its identity.
func (t *tx) insertCall(n *comer) error {
	seq, err := t.w.insertCall.Insert(n.row)
	if err != nil || t.w.recent.add(n.name, seq) {
		return err
	}
	return t.w.enterOne.Exec(database.Numbered(n.name, seq))
}

func keep(t *tx, n *comer) (permission.Call, permission.Kept, error) {
	if t.spent(n.Places, n.Call.CreatedAt) || t.braked(&n.Call) {
		return n.Call, "", permission.ErrSpent
	}
	if err := t.Bare(t.insertCall(n)); err != nil {
		return n.Call, "", fmt.Errorf("suspend call: %w", err)
	}
	if n.Call.Status == permission.Pending {
		if err := t.Bare(t.w.count.Exec(n.count)); err != nil {
			return n.Call, "", fmt.Errorf("count waiting calls: %w", err)
		}
	}
	if err := t.allowed(&n.Call, n.Call.Decision, n.Places, n.Call.CreatedAt); err != nil {
		return n.Call, "", err
	}
	for _, e := range n.entries {
		if err := t.Add(e); err != nil {
			return n.Call, "", err
		}
	}
	if rule := n.Call.Why.Rule; rule != nil {
		t.hits = append(t.hits, hit{rule.ID, n.Call.CreatedAt})
	}
	t.counts = append(t.counts, tally.Arrival(&n.Call))
	spell(&n.Call)
	return n.Call, permission.KeptNew, nil
}

// again answers with the row that has the call's identity.
func again(t *tx, n *comer) (permission.Call, permission.Kept, error) {
	c := n.Call
	same, err := scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE "+sameCall, c.AgentID, n.name, c.RunID, c.ToolCallID, nil, nil,
		t.w.recent[n.name]))
	if err != nil {
		return c, "", fmt.Errorf("suspend call: %w", err)
	}
	if same.AskedHash() != c.AskedHash() || elsewhere(&same, &c) {
		return same, "", &permission.Error{Code: permission.CodeCallConflict, Message: "this run and tool call id belong to a call with " +
			other(&same, &c), Call: &same}
	}
	same, err = welcome(t, same, c)
	return same, permission.KeptSame, err
}

// elsewhere reports whether two calls are of a tool of the agent's own in two folders, where it
// does two things.
func elsewhere(a, b *permission.Call) bool {
	return b.ServerID == nil && optional(a.Cwd) != optional(b.Cwd)
}

// other says what of two calls of one identity is not the same.
func other(a, b *permission.Call) string {
	sent := func(c *permission.Call) string {
		if c.Original != nil {
			return c.Original.InputHash
		}
		return c.InputHash
	}
	switch {
	case sent(a) != sent(b):
		return "another input"
	case elsewhere(a, b):
		return "another folder"
	}
	return "another method or envelope"
}

// welcome takes back a caller that left and asks under its old identity.
func welcome(t *tx, same, asked permission.Call) (permission.Call, error) {
	if !same.CallerGone {
		return same, nil
	}
	back, err := takeUp(t, same.ID, asked, nil)
	if errors.Is(err, permission.ErrGuard) {
		return same, nil // settled: there is nothing to wait for
	}
	return back, err
}

// takeUp hands a call that was left behind to the caller that asks for it now. Where it is
// to wait no longer than that caller says, expires is when.
func takeUp(t *tx, id permission.CallID, asked permission.Call, expires *permission.Time) (permission.Call, error) {
	data, err := json.Marshal(map[string]any{"joined": true, "runId": asked.RunID, "toolCallId": asked.ToolCallID})
	if err != nil {
		return asked, fmt.Errorf("join call: %w", err)
	}
	back := false
	c, err := transit(t, permission.Transition{
		ID: id, Agent: asked.AgentID, At: asked.CreatedAt,
		From: []permission.Status{permission.Pending, permission.Approved, permission.Declined}, Gone: true, SetGone: &back, ExpiresAt: expires,
		Rebind: &permission.Identity{RunID: asked.RunID, ToolCallID: asked.ToolCallID, SessionID: asked.SessionID, Held: asked.Held,
			Patience: asked.PatienceUntil},
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: "agent:" + string(asked.AgentID), Data: data},
	})
	if err == nil && c.Status == permission.Declined { // its session remembers it
		_, err = t.Exec("UPDATE OR REPLACE denials SET session_id = ? WHERE call_id = ?", c.SessionID, c.ID)
	}
	return c, err
}

// join finds the oldest call that the same agent left behind and hands it to the one who
// asks the same again, in the same folder and for the same data. Of approved ones only a
// person's yes is handed on, and that of a grant only inside its session: what a rule
// allowed is judged anew. A stop of the agent was no answer to the call, and whoever asks
// after it is judged anew, too.
func join(t *tx, sus permission.Suspension) (permission.Call, bool, error) {
	c := sus.Call
	var id permission.CallID
	var waits bool
	var expires permission.Time
	err := t.QueryRow(`SELECT id, status = 'pending', COALESCE(expires_at, 0) FROM calls WHERE agent_id = ? AND caller_gone = 1 AND `+
		askedHash+` = ?
		AND cwd IS ? AND resume_schema IS ?
		AND ((status IN ('pending','approved') AND (expires_at IS NULL OR expires_at > ?)
			AND (status = 'pending' OR json_extract(`+decided+`, '$.by') = 'person' OR json_extract(`+decided+`, '$.by') = 'grant' AND session_id = ?))
			OR (status = 'declined' AND decided_at > ? AND NOT `+byStop+`))
		ORDER BY seq LIMIT 1`, c.AgentID, c.AskedHash(), optional(c.Cwd), []byte(c.ResumeSchema), c.CreatedAt, c.SessionID,
		sus.DeclinedSince).Scan(&id, &waits, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("join call: %w", err)
	}
	var sooner *permission.Time
	if waits && !c.ExpiresAt.IsZero() && (expires.IsZero() || c.ExpiresAt < expires) {
		sooner = &c.ExpiresAt
	}
	joined, err := takeUp(t, id, c, sooner)
	return joined, err == nil, err
}

// maxWaitingBytes bounds the inputs of one agent's waiting calls.
const maxWaitingBytes = 256 << 20

// room refuses a call that would wait beyond its agent's limits.
func (m *met) room(n *comer) error {
	if n.Call.Status != permission.Pending {
		return nil
	}
	why := ""
	switch {
	case n.MaxPending > 0 && m.waiting >= int64(n.MaxPending):
		why = fmt.Sprintf("this agent has %d calls waiting for a person: no more until some are answered", m.waiting)
	case m.bytes+int64(len(n.Call.Input)+len(n.Call.Envelope)) > maxWaitingBytes:
		why = fmt.Sprintf(
			"the inputs of this agent's calls that wait for a person would be more than %d MiB with this one: no more until some are answered",
			maxWaitingBytes>>20)
	default:
		return nil
	}
	return &permission.Error{Code: permission.CodeTooMany, Message: why}
}
