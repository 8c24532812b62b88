package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// PolicyStore is what decides: rules, settings and grants.
type PolicyStore struct{ *base }

// Rules reads every rule and the policy's version. A damaged row is left out,
// so that it can never allow, and named in damaged.
func (s *PolicyStore) Rules(ctx context.Context) (rules []permission.Rule, version int64, damaged []permission.DamagedRule, err error) {
	read, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read rules: %w", err)
	}
	defer read.Rollback()
	err = read.QueryRow("SELECT version FROM policy").Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: the version of the rules is missing", database.ErrDamaged)
	}
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read rules: %w", err)
	}
	rows, err := read.Query(selectRules)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read rules: %w", err)
	}
	defer rows.Close()
	rules = []permission.Rule{}
	for rows.Next() {
		var row ruleRow
		if err := row.scan(rows); err != nil {
			return nil, 0, nil, fmt.Errorf("read rules: %w", err)
		}
		if r, err := row.rule(); err == nil {
			rules = append(rules, r)
		} else {
			damaged = append(damaged, row.damaged(err))
		}
	}
	return rules, version, damaged, rows.Err()
}

const selectRules = `SELECT id, server_id, tool_name, tool_pattern, auto_approve, priority, created_at, updated_at,
	effect, condition, enabled, note, expires_at, examples, hits, last_hit_at, method,
	limit_calls, limit_seconds FROM tool_permission_rules`

// Rule reads one; NotFound when there is none. A damaged row is none.
func (s *PolicyStore) Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error) {
	var row ruleRow
	err := row.scan(s.reader.QueryRowContext(ctx, selectRules+" WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return permission.Rule{}, permission.NotFound("rule")
	}
	if err != nil {
		return permission.Rule{}, fmt.Errorf("read rule: %w", err)
	}
	r, err := row.rule()
	if err != nil {
		return permission.Rule{}, permission.NotFound("rule")
	}
	return r, nil
}

// ruleRow holds a row's values as SQLite has them. The table's columns take any
// type, as the brief's own table does, and another program may have written them.
type ruleRow [19]any

func (r *ruleRow) scan(row database.Row) error {
	dest := make([]any, len(r))
	for i := range r {
		dest[i] = &r[i]
	}
	return row.Scan(dest...)
}

// allows reports whether the row says plainly that it is an allow rule.
func (r *ruleRow) allows() bool {
	return r[4] == int64(1) && (r[8] == nil || r[8] == string(permission.Allow))
}

// damaged describes a row that is no rule.
func (r *ruleRow) damaged(err error) permission.DamagedRule {
	id, named := r[0].(string)
	if !named {
		return permission.DamagedRule{Row: "one without an id: " + err.Error(), Guard: !r.allows()}
	}
	return permission.DamagedRule{ID: permission.RuleID(id), Row: id + ": " + err.Error(), Guard: !r.allows()}
}

// ruleFields are what the columns of a row are called.
var ruleFields = [...]string{"id", "serverId", "toolName", "toolPattern", "autoApprove", "priority", "createdAt", "updatedAt",
	"effect", "condition", "enabled", "note", "expiresAt", "examples", "hits", "lastHitAt", "method", "limit.calls", "limit.seconds"}

// rule reads the row strictly: a value of another type than expected damages it.
func (r *ruleRow) rule() (permission.Rule, error) {
	f := fields{row: r}
	rule := permission.Rule{
		ID: permission.RuleID(f.text(0)), ServerID: f.optional(1), ToolName: f.optional(2), ToolPattern: f.optional(3),
		AutoApprove: f.flag(4), Priority: f.number(5), CreatedAt: f.time(6), UpdatedAt: f.time(7),
		Condition: f.optional(9), Enabled: f.flag(10), Note: f.text(11), ExpiresAt: f.time(12),
		Examples: f.examples(13), Hits: f.number(14), LastHitAt: f.time(15), Method: f.optional(16),
		Limit: f.limit(17),
	}
	// A row of the brief's table has no effect: autoApprove says it.
	if e := f.optional(8); e != nil {
		rule.Effect = permission.Effect(*e)
	} else if rule.AutoApprove {
		rule.Effect = permission.Allow
	} else {
		rule.Effect = permission.Ask
	}
	if f.err != nil {
		return rule, f.err
	}
	return rule, rule.Valid()
}

type fields struct {
	row *ruleRow
	err error
}

// bad notes that a column does not hold what it should.
func (f *fields) bad(i int, should string) {
	if f.err == nil {
		f.err = fmt.Errorf("its %s is not %s", ruleFields[i], should)
	}
}

func (f *fields) text(i int) string {
	s, ok := f.row[i].(string)
	if !ok {
		f.bad(i, "a text")
	}
	return s
}

func (f *fields) optional(i int) *string {
	if f.row[i] == nil {
		return nil
	}
	s := f.text(i)
	return &s
}

func (f *fields) number(i int) int64 {
	n, ok := f.row[i].(int64)
	if !ok {
		f.bad(i, "a whole number")
	}
	return n
}

func (f *fields) flag(i int) bool {
	n := f.number(i)
	if n != 0 && n != 1 {
		f.bad(i, "0 or 1")
	}
	return n == 1
}

// limit reads one of two columns, which have a number each or are both NULL.
func (f *fields) limit(i int) *permission.Limit {
	if f.row[i] == nil && f.row[i+1] == nil {
		return nil
	}
	return &permission.Limit{Calls: f.number(i), Seconds: f.number(i + 1)}
}

func (f *fields) examples(i int) (examples []permission.Example) {
	if json.Unmarshal([]byte(f.text(i)), &examples) != nil {
		f.bad(i, "a list of examples")
	}
	if examples == nil {
		examples = []permission.Example{}
	}
	return examples
}

func (f *fields) time(i int) (t permission.Time) {
	if f.row[i] == nil {
		return 0
	}
	if t.UnmarshalText([]byte(f.text(i))) != nil {
		f.bad(i, "a time")
	}
	return t
}

// ChangeRules makes one edit of the rule set and answers its new version.
func (s *PolicyStore) ChangeRules(ctx context.Context, c permission.RuleChange) (version int64, err error) {
	err = s.write(ctx, func(t *tx) error {
		if err := changeRules(t, c); err != nil {
			return fmt.Errorf("change rules: %w", err)
		}
		if version, err = newPolicy(t); err != nil {
			return fmt.Errorf("change rules: %w", err)
		}
		return t.Append(c.Entry, nil)
	})
	return version, err
}

func touchRules(t *tx, c permission.RuleChange) error {
	for _, id := range c.Delete {
		t.Touch("rules", string(id))
	}
	for i := range c.Put {
		t.Touch("rules", string(c.Put[i].ID))
	}
	if c.Replace {
		return t.TouchAll("rules")
	}
	return nil
}

func changeRules(t *tx, c permission.RuleChange) error {
	if c.Replace {
		keep := make([]permission.RuleID, len(c.Put))
		for i, r := range c.Put {
			keep[i] = r.ID
		}
		ids, err := json.Marshal(keep)
		if err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM tool_permission_rules WHERE id IS NULL OR id NOT IN (SELECT value FROM json_each(?))",
			string(ids)); err != nil {
			return err
		}
	}
	for _, id := range c.Delete {
		if _, err := t.Exec("DELETE FROM tool_permission_rules WHERE id = ?", id); err != nil {
			return err
		}
	}
	for _, r := range c.Put {
		if err := putRule(t, r); err != nil {
			return err
		}
	}
	return touchRules(t, c)
}

func putRule(t *tx, r permission.Rule) error {
	examples, err := json.Marshal(r.Examples)
	if err != nil {
		return err
	}
	var calls, seconds any
	if r.Limit != nil {
		calls, seconds = r.Limit.Calls, r.Limit.Seconds
	}
	_, err = t.Exec(`INSERT INTO tool_permission_rules (id, server_id, tool_name, tool_pattern, auto_approve, priority, created_at, updated_at,
		effect, condition, enabled, note, expires_at, examples, method, limit_calls, limit_seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET server_id = excluded.server_id, tool_name = excluded.tool_name, tool_pattern = excluded.tool_pattern,
		auto_approve = excluded.auto_approve, priority = excluded.priority, created_at = excluded.created_at, updated_at = excluded.updated_at,
		effect = excluded.effect, condition = excluded.condition, enabled = excluded.enabled, note = excluded.note,
		expires_at = excluded.expires_at, examples = excluded.examples, method = excluded.method,
		limit_calls = excluded.limit_calls, limit_seconds = excluded.limit_seconds`,
		r.ID, r.ServerID, r.ToolName, r.ToolPattern, r.AutoApprove, r.Priority, r.CreatedAt.String(), r.UpdatedAt.String(),
		r.Effect, r.Condition, r.Enabled, r.Note, nullText(r.ExpiresAt), string(examples), r.Method, calls, seconds)
	return err
}

func nullText(t permission.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.String()
}
