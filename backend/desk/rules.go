package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// MaxRules bounds the rule set.
const MaxRules = 100_000

// Rules gives all rules in the order of judgement, with their hits.
func (d *Desk) Rules(ctx context.Context) (rules []permission.Rule, policyVersion int64, err error) {
	stored, version, _, err := d.store.Rules(ctx)
	if err != nil {
		return nil, 0, err
	}
	return policy.Compile(stored, version).Rules(), version, nil
}

// Rule gives one.
func (d *Desk) Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error) {
	rules, _, err := d.Rules(ctx)
	if err != nil {
		return permission.Rule{}, err
	}
	for _, r := range rules {
		if r.ID == id {
			return r, nil
		}
	}
	return permission.Rule{}, permission.NotFound("rule")
}

// CreateRule keeps a new rule; form.ID may name it. pendingMatches counts the
// waiting calls that it would decide now.
func (d *Desk) CreateRule(ctx context.Context, form permission.RuleForm) (rule permission.Rule, pendingMatches int, err error) {
	d.edit.Lock()
	defer d.edit.Unlock()
	at := now()
	base := permission.Rule{CreatedAt: at, UpdatedAt: at}
	if base.ID, err = ruleID(form.ID); err != nil {
		return rule, 0, err
	}
	if rule, err = form.Apply(base); err != nil {
		return rule, 0, err
	}
	if _, err := d.Rule(ctx, rule.ID); !errors.Is(err, permission.NotFound("rule")) {
		return rule, 0, errors.Join(err, &permission.Error{Code: permission.CodeExists, Message: "a rule of this id exists", Field: "id"})
	}
	if d.rules.Load().Len() >= MaxRules {
		return rule, 0, permission.Invalid("rules", fmt.Sprintf("more than %d rules", MaxRules))
	}
	return d.put(ctx, rule, "created")
}

func ruleID(given *permission.RuleID) (permission.RuleID, error) {
	if given != nil {
		return *given, nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("name rule: %w", err)
	}
	return permission.RuleID(id.String()), nil
}

// put stores one rule and makes it decide.
func (d *Desk) put(ctx context.Context, rule permission.Rule, what string) (permission.Rule, int, error) {
	err := d.change(ctx, permission.RuleChange{Put: []permission.Rule{rule}, Entry: ruleEntry(what, rule)})
	if err != nil {
		return rule, 0, err
	}
	n, err := d.PendingMatches(context.WithoutCancel(ctx), rule.ID)
	if err != nil {
		d.opts.Logger.Warn("count the waiting calls of a rule", "rule", rule.ID, "error", err) // the rule stands all the same
	}
	return rule, n, nil
}

func ruleEntry(what string, r permission.Rule) permission.Entry {
	return permission.Entry{At: now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson, Data: data(map[string]any{
		"what": what, "rule": r,
	})}
}

// change commits an edit of the rules and makes it decide before it answers.
func (d *Desk) change(ctx context.Context, c permission.RuleChange) error {
	if _, err := d.store.ChangeRules(ctx, c); err != nil {
		return err
	}
	return d.compile(context.WithoutCancel(ctx))
}

// PendingMatches counts the waiting calls that a rule decides now.
func (d *Desk) PendingMatches(ctx context.Context, id permission.RuleID) (int, error) {
	waiting, err := d.store.Waiting(ctx)
	if err != nil {
		return 0, err
	}
	rules, at, n := d.rules.Load(), now(), 0
	for _, c := range waiting {
		got := rules.Decide(policy.Call{ServerID: c.ServerID, ToolName: c.ToolName}, at)
		if got.Rule != nil && got.Rule.ID == id {
			n++
		}
	}
	return n, nil
}

// UpdateRule lets change lay its fields over the rule as it stands. ifMatch, when
// not zero, is the updatedAt that the caller saw; CodeLostUpdate when it is
// another.
func (d *Desk) UpdateRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time, change func(*permission.RuleForm) error) (rule permission.Rule, pendingMatches int, err error) {
	d.edit.Lock()
	defer d.edit.Unlock()
	old, err := d.current(ctx, id, ifMatch)
	if err != nil {
		return old, 0, err
	}
	form := old.Form()
	if err := change(&form); err != nil {
		return old, 0, err
	}
	if form.ID != nil && *form.ID != id {
		return old, 0, permission.Invalid("id", "an id does not change")
	}
	if rule, err = form.Apply(old); err != nil {
		return rule, 0, err
	}
	rule.UpdatedAt = max(now(), old.UpdatedAt+1)
	return d.put(ctx, rule, "updated")
}

func (d *Desk) current(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (permission.Rule, error) {
	r, err := d.Rule(ctx, id)
	if err == nil && !ifMatch.IsZero() && r.UpdatedAt != ifMatch {
		err = &permission.Error{Code: permission.CodeLostUpdate, Message: "the rule was changed meanwhile"}
	}
	return r, err
}

// DeleteRule removes a rule, under the same guard. pendingMatches is 0: a rule
// that is gone decides nothing.
func (d *Desk) DeleteRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (rule permission.Rule, pendingMatches int, err error) {
	d.edit.Lock()
	defer d.edit.Unlock()
	if rule, err = d.current(ctx, id, ifMatch); err != nil {
		return rule, 0, err
	}
	return rule, 0, d.change(ctx, permission.RuleChange{Delete: []permission.RuleID{id}, Entry: ruleEntry("deleted", rule)})
}

// ReplaceRules puts rules in the place of all. ifVersion, when not zero, is the
// policy's version that the caller saw; CodeLostUpdate when it is another. Times that a rule brings are kept
// where they say when it was made; a rule that changes gets a later updatedAt.
func (d *Desk) ReplaceRules(ctx context.Context, ifVersion int64, rules []permission.Rule) (stored []permission.Rule, policyVersion int64, err error) {
	d.edit.Lock()
	defer d.edit.Unlock()
	if len(rules) > MaxRules {
		return nil, 0, permission.Invalid("rules", fmt.Sprintf("more than %d rules", MaxRules))
	}
	old, version, err := d.Rules(ctx)
	if err != nil {
		return nil, 0, err
	}
	if ifVersion != 0 && ifVersion != version {
		return nil, 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rules were changed meanwhile"}
	}
	put, err := stamp(rules, old)
	if err != nil {
		return nil, 0, err
	}
	entry := permission.Entry{At: now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson, Data: data(map[string]any{"what": "replaced", "rules": put})}
	if err := d.change(ctx, permission.RuleChange{Replace: true, Put: put, Entry: entry}); err != nil {
		return nil, 0, err
	}
	return d.Rules(context.WithoutCancel(ctx))
}

// stamp gives ids and times to rules that take the place of old ones.
func stamp(rules, old []permission.Rule) ([]permission.Rule, error) {
	before := map[permission.RuleID]permission.Rule{}
	for _, r := range old {
		before[r.ID] = r
	}
	at, seen, out := now(), map[permission.RuleID]bool{}, make([]permission.Rule, 0, len(rules))
	for i, r := range rules {
		if r.ID == "" {
			id, err := ruleID(nil)
			if err != nil {
				return nil, err
			}
			r.ID = id
		}
		if seen[r.ID] {
			return nil, permission.Invalid(fmt.Sprintf("rules[%d].id", i), "two rules have this id")
		}
		seen[r.ID] = true
		was := before[r.ID]
		if r.CreatedAt.IsZero() {
			r.CreatedAt = was.CreatedAt
		}
		if r.CreatedAt.IsZero() {
			r.CreatedAt = at
		}
		r.UpdatedAt = max(at, was.UpdatedAt+1)
		if err := r.Valid(); err != nil {
			return nil, inList(i, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// inList says at which place of a list of rules the bad one stands.
func inList(i int, err error) error {
	var e *permission.Error
	if errors.As(err, &e) {
		return permission.Invalid(fmt.Sprintf("rules[%d].%s", i, e.Field), e.Message)
	}
	return err
}
