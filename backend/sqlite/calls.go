package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sekisho/backend/permission"
)

const callColumns = `id, rev, run_id, tool_call_id, session_id, agent_id, agent_name, server_id, tool_name, input, input_hash,
	description, cwd, status, why, decision, risk, risk_reasons, held, caller_gone, created_at, expires_at, patience_until,
	claim_id, claim_key, lease_expires_at, result, original_input, original_hash, input_wiped, resume_schema, resume_data, asking, timeout,
	method, round, envelope_hash, envelope, asked_hash, shown_rev, sight, session_rev, decided_at, row_check, large_check`

// briefColumns are callColumns without those that can be large.
var briefColumns = strings.NewReplacer(" input,", " NULL,", " result,", " NULL,", " original_input,", " NULL,",
	" resume_data,", " NULL,", " envelope,", " NULL,").Replace(callColumns)

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

// blob writes no bytes as NULL.
func blob(raw []byte) any {
	if raw == nil {
		return nil
	}
	return raw
}

// text writes no string as NULL.
func text(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

type scanner interface{ Scan(...any) error }

// callRow is what of a row is not yet in the call's own form.
type callRow struct {
	input, result, original, schema, data []byte
	envelope                              []byte
	why, reasons                          string
	decision, key, originalHash, asking   sql.NullString
	method, round, asked, sight           sql.NullString
	expires, patience, lease, decided     sql.NullInt64
	timeout, sessionRev                   int64
	check, large                          sql.NullInt64
}

func scanCall(row scanner, before ...any) (c permission.Call, err error) {
	var r callRow
	dest := append(before, &c.ID, &c.Rev, &c.RunID, &c.ToolCallID, &c.SessionID, &c.AgentID, &c.AgentName, &c.ServerID, &c.ToolName,
		&r.input, &c.InputHash, &c.Description, &c.Cwd, &c.Status, &r.why, &r.decision, &c.Risk, &r.reasons, &c.Held, &c.CallerGone,
		&c.CreatedAt, &r.expires, &r.patience, &c.ClaimID, &r.key, &r.lease, &r.result, &r.original, &r.originalHash, &c.InputWiped,
		&r.schema, &r.data, &r.asking, &r.timeout, &r.method, &r.round, &c.EnvelopeHash, &r.envelope, &r.asked, &c.ShownRev, &r.sight,
		&r.sessionRev, &r.decided, &r.check, &r.large)
	if err := row.Scan(dest...); err != nil {
		return c, err
	}
	return c, r.fill(&c)
}

func (r *callRow) fill(c *permission.Call) error {
	c.Input, c.Result, c.ResumeSchema, c.ResumeData = r.input, r.result, r.schema, r.data
	c.Method, c.Round, c.Asked, c.Envelope = methodOf(r.method), permission.RoundIssue(r.round.String), r.asked.String, r.envelope
	c.Sight = permission.Sight(r.sight.String)
	c.ClaimKey, c.Timeout = r.key.String, time.Duration(r.timeout)*time.Millisecond
	c.ExpiresAt, c.PatienceUntil, c.LeaseExpiresAt = permission.Time(r.expires.Int64), permission.Time(r.patience.Int64),
		permission.Time(r.lease.Int64)
	if r.originalHash.Valid {
		c.Original = &permission.Edit{Input: r.original, InputHash: r.originalHash.String}
	}
	err := errors.Join(json.Unmarshal([]byte(r.why), &c.Why), json.Unmarshal([]byte(r.reasons), &c.RiskReasons))
	if r.decision.Valid {
		c.Decision = new(permission.Decision)
		err = errors.Join(err, json.Unmarshal([]byte(r.decision.String), c.Decision))
	}
	if r.asking.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(r.asking.String), &c.Asking))
	}
	spell(c)
	if err == nil {
		err = words(c)
	}
	if err == nil {
		err = r.holds(c)
	}
	if err != nil {
		return &rowError{"call " + string(c.ID), err}
	}
	return nil
}

// words refuses a call of which a word is none that a desk writes: a turned bit makes such.
func words(c *permission.Call) error {
	if !slices.Contains(permission.Statuses[:], c.Status) {
		return fmt.Errorf("its status is %q", c.Status)
	}
	switch c.Risk {
	case permission.RiskLow, permission.RiskMedium, permission.RiskHigh:
	default:
		return fmt.Errorf("its risk is %q", c.Risk)
	}
	if d := c.Decision; d != nil {
		switch d.By {
		case permission.ByRule, permission.ByGrant, permission.ByPerson, permission.ByClock, permission.ByCaller, permission.ByGuard:
		default:
			return fmt.Errorf("it was decided by %q", d.By)
		}
	}
	return nil
}

// methodOf is a call's method: that of tool calls stands for itself as NULL.
func methodOf(column sql.NullString) string {
	if !column.Valid {
		return permission.CallTool
	}
	return column.String
}

// methodColumn is the other way round.
func methodColumn(method string) any {
	if method == permission.CallTool {
		return nil
	}
	return some(method)
}

// some writes an empty string as NULL.
func some(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Call gives one call; ErrNoRows of database/sql never leaves this room: an
// unknown id is a NotFound error.
func (s *Store) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := scanCall(s.reader.QueryRowContext(ctx, "SELECT "+callColumns+" FROM calls WHERE id = ?", id))
	s.damaged(err)
	return c, callErr(err, id)
}

func callErr(err error, id permission.CallID) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return permission.NotFound("call")
	}
	return fmt.Errorf("read call %s: %w", id, refused(err))
}

// newColumns are those of a new row. Its checks come after them.
var newColumns = []string{"id", "identity", "rev", "status", "risk", "held", "caller_gone", "created_at", "decided_at", "expires_at",
	"patience_until", "timeout",
	"agent_id", "session_id", "run_id", "tool_call_id", "agent_name", "server_id", "tool_name", "input_hash", "why", "decision",
	"risk_reasons", "asking", "cwd", "description",
	"input", "resume_schema", "claim_id", "claim_key", "lease_expires_at", "method", "round", "envelope_hash", "asked_hash", "envelope",
	"sight"}

var insertCall = "INSERT INTO calls (" + strings.Join(newColumns, ", ") + ", row_check, large_check) VALUES (?" +
	strings.Repeat(",?", len(newColumns)+1) + ")"

// callArgs are the values of a new row, whose identity is name.
func callArgs(c *permission.Call, name int64) ([]driver.NamedValue, error) {
	why, err1 := json.Marshal(c.Why)
	reasons, err2 := json.Marshal(c.RiskReasons)
	decision, decided, err3 := decisionColumns(c.Decision)
	asking, err4 := askingColumn(&c.Asking)
	var claim, key any
	if c.ClaimID != nil {
		claim, key = string(*c.ClaimID), c.ClaimKey
	}
	args := numbered(
		string(c.ID), name, c.Rev, string(c.Status), string(c.Risk), c.Held, c.CallerGone,
		int64(c.CreatedAt), decided, null(c.ExpiresAt), null(c.PatienceUntil), c.Timeout.Milliseconds(),
		string(c.AgentID), string(c.SessionID), string(c.RunID), c.ToolCallID, c.AgentName, text(c.ServerID), c.ToolName, c.InputHash,
		string(why), decision, string(reasons), asking, text(c.Cwd), c.Description, []byte(c.Input), blob(c.ResumeSchema), claim, key,
		null(c.LeaseExpiresAt),
		methodColumn(c.Method), some(string(c.Round)), text(c.EnvelopeHash), some(c.Asked), blob(c.Envelope), some(string(c.Sight)),
		nil, largeCheck(c.Input, nil, c.Envelope, nil, nil),
	)
	args[len(newColumns)].Value = newRowCheck(c.Rev, args)
	return args, errors.Join(err1, err2, err3, err4)
}

func decisionColumns(d *permission.Decision) (text, at any, err error) {
	if d == nil {
		return nil, nil, nil
	}
	raw, err := json.Marshal(d)
	return string(raw), int64(d.DecidedAt), err
}

// askingColumn is NULL for a call that never waited.
func askingColumn(a *permission.Asking) (any, error) {
	if len(a.Questions) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(a)
	return string(raw), err
}

// spell adds what a waiting call says in words of how far an answer can reach.
func spell(c *permission.Call) {
	if c.Questions == nil {
		c.Questions = []string{}
	}
	if c.Covers = nil; c.Status == permission.Pending {
		c.Covers = c.Spread()
	}
}

// Transit makes one guarded change. When the guards do not hold it answers
// permission.ErrGuard with the call as it stands.
func (s *Store) Transit(ctx context.Context, tr permission.Transition) (call permission.Call, err error) {
	if !tr.Soon {
		err = s.write(ctx, func(t *tx) (err error) {
			call, err = transit(t, tr)
			return err
		})
		return call, err
	}
	last, err := s.writeSoon(ctx, true, func(t *tx) (err error) {
		var ok bool
		if call, ok, err = transitSoon(t, tr); ok || err != nil {
			return err
		}
		call, err = transit(t, tr)
		return err
	})
	call.Written = last
	return call, err
}

// together is how many transitions of a list one transaction takes, so that
// others get their turn.
const together = 256

// TransitAll makes the changes of a list whose guards hold, and answers the calls
// that changed.
func (s *Store) TransitAll(ctx context.Context, list []permission.Transition) (changed []permission.Call, err error) {
	for len(list) > 0 {
		part := list[:min(together, len(list))]
		list = list[len(part):]
		var done []permission.Call
		err = s.write(ctx, func(t *tx) error {
			done, err = transitEach(t, part)
			return err
		})
		if err != nil {
			return changed, err
		}
		changed = append(changed, done...)
	}
	return changed, nil
}

// transitEach is TransitAll inside a transaction, a part of the list at a time.
func transitEach(t *tx, list []permission.Transition) (changed []permission.Call, err error) {
	for len(list) > 0 {
		part := list[:min(together, len(list))]
		list = list[len(part):]
		done, err := transitPart(t, part)
		if err != nil {
			return nil, err
		}
		changed = append(changed, done...)
	}
	return changed, nil
}

// transitPart makes the changes of a short list. A damaged call shows when it was changed:
// all is taken back then, and done again without it.
func transitPart(t *tx, list []permission.Transition) ([]permission.Call, error) {
	if _, err := t.Exec("SAVEPOINT list"); err != nil {
		return nil, err
	}
	before := *t
	for {
		changed, bad, err := attemptEach(t, list)
		if err == nil {
			_, err = t.Exec("RELEASE list")
			return changed, err
		}
		if !t.w.damaged(err) {
			return nil, err
		}
		if _, err := t.Exec("ROLLBACK TO list"); err != nil {
			return nil, err
		}
		t.head, t.events, t.hits = before.head, before.events, before.hits
		list = slices.Delete(slices.Clone(list), bad, bad+1)
	}
}

// attemptEach stops at the first that fails, and says which that is.
func attemptEach(t *tx, list []permission.Transition) (changed []permission.Call, bad int, err error) {
	for i, tr := range list {
		c, ok, err := attempt(t, tr, briefColumns) // a list of large calls is not kept in memory
		if err != nil {
			return nil, i, err
		}
		if ok {
			changed = append(changed, c)
		}
	}
	return changed, 0, nil
}

// transit makes a change whose guards hold; else it answers ErrGuard with the call
// as it stands.
func transit(t *tx, tr permission.Transition) (permission.Call, error) {
	c, ok, err := attempt(t, tr, callColumns)
	if err != nil || ok {
		return c, err
	}
	c, err = scanCall(t.QueryRow("SELECT "+callColumns+" FROM calls WHERE id = ?", tr.ID))
	if err := callErr(err, tr.ID); err != nil {
		return c, err
	}
	if tr.Agent != "" && c.AgentID != tr.Agent {
		return permission.Call{}, permission.NotFound("call")
	}
	return c, permission.ErrGuard
}

// attempt makes a change and its entry if the guards hold; ok says whether they
// did. The call has the given columns.
func attempt(t *tx, tr permission.Transition, columns string) (c permission.Call, ok bool, err error) {
	if err := current(t, tr.Policy); err != nil {
		return c, false, err
	}
	query, args, err := transitionSQL(tr, columns)
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	c, err = scanCall(t.QueryRow(query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, unchecked(tr.ID, err))
	}
	e := tr.Entry
	e.At = tr.At
	t.count(tr)
	return c, true, t.append(e, &c)
}

// namingColumns are what an event tells of a call, and how it stands.
const namingColumns = "id, agent_id, run_id, session_id, rev, status"

// transitSoon is attempt for a change whose call nobody wants to see.
func transitSoon(t *tx, tr permission.Transition) (c permission.Call, ok bool, err error) {
	if err := current(t, tr.Policy); err != nil {
		return c, false, err
	}
	query, values, err := transitionSQL(tr, namingColumns)
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, err)
	}
	t.save()
	row, err := t.w.changing(query, values)
	if errors.Is(err, io.EOF) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("change call %s: %w", tr.ID, unchecked(tr.ID, err))
	}
	text := func(i int) string { s, _ := row[i].(string); return s } // each is one by its column
	rev, _ := row[4].(int64)
	c = permission.Call{ID: permission.CallID(text(0)), AgentID: permission.AgentID(text(1)), RunID: permission.RunID(text(2)),
		SessionID: permission.SessionID(text(3)), Rev: rev, Status: permission.Status(text(5))}
	e := tr.Entry
	e.At = tr.At
	return c, true, t.append(e, &c)
}

// current refuses a judgement that an edit of the rules overtook; 0 is none.
func current(t *tx, policy int64) error {
	if policy == 0 {
		return nil
	}
	var version int64
	if err := t.QueryRow("SELECT version FROM policy").Scan(&version); err != nil {
		return fmt.Errorf("read policy: %w", err)
	}
	if version != policy {
		return permission.ErrOutdated
	}
	return nil
}
