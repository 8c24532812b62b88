package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/permission"
)

const callColumns = `id, rev, run_id, tool_call_id, session_id, agent_id, agent_name, server_id, tool_name, input, input_hash,
	description, cwd, status, why, decision, risk, risk_reasons, held, caller_gone, created_at, expires_at, patience_until,
	claim_id, claim_key, lease_expires_at, result`

// open is the condition of the partial index calls_open, to the letter: without it
// SQLite would walk all history for the few calls that are open.
const open = "status IN ('pending','approved')"

// null writes a Time of none as NULL.
func null(t permission.Time) any {
	if t.IsZero() {
		return nil
	}
	return int64(t)
}

type scanner interface{ Scan(...any) error }

func scanCall(row scanner, before ...any) (c permission.Call, err error) {
	var input, result []byte
	var why, reasons string
	var decision, key sql.NullString
	var expires, patience, lease sql.NullInt64
	dest := append(before, &c.ID, &c.Rev, &c.RunID, &c.ToolCallID, &c.SessionID, &c.AgentID, &c.AgentName, &c.ServerID, &c.ToolName,
		&input, &c.InputHash, &c.Description, &c.Cwd, &c.Status, &why, &decision, &c.Risk, &reasons, &c.Held, &c.CallerGone,
		&c.CreatedAt, &expires, &patience, &c.ClaimID, &key, &lease, &result)
	if err := row.Scan(dest...); err != nil {
		return c, err
	}
	c.Input, c.Result = input, result
	c.ClaimKey = key.String
	c.ExpiresAt, c.PatienceUntil, c.LeaseExpiresAt = permission.Time(expires.Int64), permission.Time(patience.Int64), permission.Time(lease.Int64)
	err = errors.Join(json.Unmarshal([]byte(why), &c.Why), json.Unmarshal([]byte(reasons), &c.RiskReasons))
	if decision.Valid {
		c.Decision = new(permission.Decision)
		err = errors.Join(err, json.Unmarshal([]byte(decision.String), c.Decision))
	}
	return c, err
}

// Call gives one call; ErrNoRows of database/sql never leaves this room: an
// unknown id is a NotFound error.
func (s *Store) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := scanCall(s.reader.QueryRowContext(ctx, "SELECT "+callColumns+" FROM calls WHERE id = ?", id))
	return c, callErr(err, id)
}

func callErr(err error, id permission.CallID) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return permission.NotFound("call")
	}
	return fmt.Errorf("read call %s: %w", id, err)
}

// Suspend keeps a judged call, or answers with the row that it is already or
// that it joins. See permission.Suspension.
func (s *Store) Suspend(ctx context.Context, sus permission.Suspension) (call permission.Call, kept permission.Kept, err error) {
	err = s.write(ctx, func(t *tx) error {
		var err error
		call, kept, err = suspend(t, sus)
		return err
	})
	return call, kept, err
}

func suspend(t *tx, sus permission.Suspension) (permission.Call, permission.Kept, error) {
	c := sus.Call
	if err := current(t, sus); err != nil {
		return c, "", err
	}
	same, err := scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE agent_id = ? AND run_id = ? AND tool_call_id = ?", c.AgentID, c.RunID, c.ToolCallID))
	switch {
	case err == nil && same.InputHash == c.InputHash:
		same, err = welcome(t, same, c)
		return same, permission.KeptSame, err
	case err == nil:
		return same, "", &permission.Error{Code: permission.CodeCallConflict, Message: "this run and tool call id belong to a call with another input", Call: &same}
	case !errors.Is(err, sql.ErrNoRows):
		return c, "", fmt.Errorf("suspend call: %w", err)
	}
	if c.Status == permission.Pending {
		joined, ok, err := join(t, sus)
		if err != nil || ok {
			return joined, permission.KeptJoined, err
		}
		if err := room(t, sus); err != nil {
			return c, "", err
		}
	}
	if err := insert(t, &c); err != nil {
		return c, "", fmt.Errorf("suspend call: %w", err)
	}
	for _, e := range sus.Entries {
		if err := t.append(e, &c); err != nil {
			return c, "", err
		}
	}
	return c, permission.KeptNew, hit(t, &c)
}

// current refuses a verdict that an edit of the rules overtook, and an agent that
// was removed meanwhile.
func current(t *tx, sus permission.Suspension) error {
	var version int64
	var removed bool
	err := t.QueryRow("SELECT version, EXISTS (SELECT 1 FROM removed_agents WHERE id = ?) FROM policy", sus.Call.AgentID).Scan(&version, &removed)
	switch {
	case err != nil:
		return fmt.Errorf("suspend call: %w", err)
	case removed:
		return &permission.Error{Code: permission.CodeForbidden, Message: "this agent was removed from the desk"}
	case version != sus.PolicyVersion:
		return permission.ErrOutdated
	}
	return nil
}

// welcome takes back a caller that left and asks under its old identity.
func welcome(t *tx, same, asked permission.Call) (permission.Call, error) {
	if !same.CallerGone {
		return same, nil
	}
	back, err := takeUp(t, same.ID, asked)
	if errors.Is(err, permission.ErrGuard) {
		return same, nil // settled: there is nothing to wait for
	}
	return back, err
}

// takeUp hands a call that was left behind to the caller that asks for it now.
func takeUp(t *tx, id permission.CallID, asked permission.Call) (permission.Call, error) {
	data, err := json.Marshal(map[string]any{"joined": true, "runId": asked.RunID, "toolCallId": asked.ToolCallID})
	if err != nil {
		return asked, fmt.Errorf("join call: %w", err)
	}
	back := false
	return transit(t, permission.Transition{
		ID: id, At: asked.CreatedAt, From: []permission.Status{permission.Pending, permission.Approved, permission.Declined}, Gone: true, SetGone: &back,
		Rebind: &permission.Identity{RunID: asked.RunID, ToolCallID: asked.ToolCallID, SessionID: asked.SessionID, Held: asked.Held, Patience: asked.PatienceUntil},
		Entry:  permission.Entry{Kind: permission.CallChanged, Actor: "agent:" + string(asked.AgentID), Data: data},
	})
}

// join finds the oldest call that the same agent left behind and hands it to
// the one who asks the same again. Of approved ones only a person's yes is handed
// on: what a rule allowed is judged anew.
func join(t *tx, sus permission.Suspension) (permission.Call, bool, error) {
	c := sus.Call
	var id permission.CallID
	err := t.QueryRow(`SELECT id FROM calls WHERE agent_id = ? AND input_hash = ? AND caller_gone = 1
		AND ((status IN ('pending','approved') AND (expires_at IS NULL OR expires_at > ?)
			AND (status = 'pending' OR json_extract(decision, '$.by') = 'person')) OR (status = 'declined' AND decided_at > ?))
		ORDER BY seq LIMIT 1`, c.AgentID, c.InputHash, c.CreatedAt, sus.DeclinedSince).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("join call: %w", err)
	}
	joined, err := takeUp(t, id, c)
	return joined, err == nil, err
}

// maxWaitingBytes bounds the inputs of one agent's waiting calls.
const maxWaitingBytes = 256 << 20

func room(t *tx, sus permission.Suspension) error {
	var waiting, bytes int
	err := t.QueryRow("SELECT COUNT(*), COALESCE(SUM(length(input)), 0) FROM calls WHERE "+open+" AND status = 'pending' AND agent_id = ?", sus.Call.AgentID).Scan(&waiting, &bytes)
	if err != nil {
		return fmt.Errorf("count waiting calls: %w", err)
	}
	if sus.MaxPending > 0 && waiting >= sus.MaxPending || bytes+len(sus.Call.Input) > maxWaitingBytes {
		return &permission.Error{Code: permission.CodeTooMany, Message: fmt.Sprintf("this agent has %d calls waiting for a person: no more until some are answered", waiting)}
	}
	return nil
}

func insert(t *tx, c *permission.Call) error {
	why, err1 := json.Marshal(c.Why)
	reasons, err2 := json.Marshal(c.RiskReasons)
	decision, decided, err3 := decisionColumns(c.Decision)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO calls ("+callColumns+", decided_at) VALUES (?"+strings.Repeat(",?", 27)+")",
		c.ID, c.Rev, c.RunID, c.ToolCallID, c.SessionID, c.AgentID, c.AgentName, c.ServerID, c.ToolName,
		[]byte(c.Input), c.InputHash, c.Description, c.Cwd, c.Status, string(why), decision, c.Risk, string(reasons), c.Held, c.CallerGone,
		c.CreatedAt, null(c.ExpiresAt), null(c.PatienceUntil), nil, nil, nil, nil, decided)
	return err
}

func decisionColumns(d *permission.Decision) (text, at any, err error) {
	if d == nil {
		return nil, nil, nil
	}
	raw, err := json.Marshal(d)
	return string(raw), int64(d.DecidedAt), err
}

// hit counts the rule that judged the call. It leaves updated_at alone.
func hit(t *tx, c *permission.Call) error {
	if c.Why.Rule == nil {
		return nil
	}
	if _, err := t.Exec("UPDATE tool_permission_rules SET hits = hits + 1, last_hit_at = ? WHERE id = ?", c.CreatedAt.String(), c.Why.Rule.ID); err != nil {
		return fmt.Errorf("count rule hit: %w", err)
	}
	return nil
}

// Transit makes one guarded change. When the guards do not hold it answers
// permission.ErrGuard with the call as it stands.
func (s *Store) Transit(ctx context.Context, tr permission.Transition) (call permission.Call, err error) {
	err = s.write(ctx, func(t *tx) error {
		var err error
		call, err = transit(t, tr)
		return err
	})
	return call, err
}

func transit(t *tx, tr permission.Transition) (permission.Call, error) {
	query, args, err := transitionSQL(tr)
	if err != nil {
		return permission.Call{}, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	c, err := scanCall(t.QueryRow(query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		current, err := scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE id = ?", tr.ID))
		if err := callErr(err, tr.ID); err != nil {
			return current, err
		}
		if tr.Agent != "" && current.AgentID != tr.Agent {
			return permission.Call{}, permission.NotFound("call")
		}
		return current, permission.ErrGuard
	}
	if err != nil {
		return c, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	e := tr.Entry
	e.At = tr.At
	return c, t.append(e, &c)
}
