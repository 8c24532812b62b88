package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// MaxRules bounds the rule set.
const MaxRules = 100_000

// Rules gives all rules in the order of judgement, with their hits.
func (d *Policy) Rules(ctx context.Context) (rules []permission.Rule, policyVersion int64, err error) {
	stored, version, _, err := d.store.Rules(ctx)
	if err != nil {
		return nil, 0, err
	}
	return policy.Compile(stored, version).Rules(), version, nil
}

// Rule gives one.
func (d *Policy) Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error) {
	return d.store.Rule(ctx, id)
}

// CreateRule keeps a new rule; form.ID may name it, and form.CreatedAt say when it was
// made. pendingMatches counts the calls waiting that it decides, those among them that
// it denied included.
func (d *Policy) CreateRule(ctx context.Context, form permission.RuleForm) (rule permission.Rule, pendingMatches int, err error) {
	if rule, err = d.create(ctx, form); err != nil {
		return rule, 0, err
	}
	return rule, d.afterEdit(ctx, rule.ID), nil
}

func (d *Policy) create(ctx context.Context, form permission.RuleForm) (rule permission.Rule, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	at := d.state.Now()
	base := permission.Rule{CreatedAt: at, UpdatedAt: at}
	if base.ID, err = ruleID(form.ID); err != nil {
		return rule, err
	}
	if rule, err = form.Apply(base); err != nil {
		return rule, err
	}
	if _, err := d.Rule(ctx, rule.ID); !errors.Is(err, permission.NotFound("rule")) {
		return rule, errors.Join(err, &permission.Error{Code: permission.CodeExists, Message: "a rule of this id exists", Field: "id"})
	}
	if d.plain.Len() >= MaxRules {
		return rule, permission.Invalid("rules", permission.FieldTooMany,
			fmt.Sprintf("more than %d rules", MaxRules)).With(permission.Param("most", MaxRules))
	}
	return rule, d.put(ctx, rule, "created")
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

// put stores one rule and makes it decide. The turn is the caller's.
func (d *Policy) put(ctx context.Context, rule permission.Rule, what string) error {
	return alone(d.change(ctx, permission.RuleChange{Put: []permission.Rule{rule}, Entry: ruleEntry(what, rule, d.state.Now())}))
}

// afterEdit settles the waiting calls that the rules deny now, and counts the waiting
// calls that the rule id decides, those that it settled included. The edit stands and
// decides already, whatever becomes of this: what waits and is denied falls at its claim
// at the latest, and when the desk starts.
func (d *Policy) afterEdit(ctx context.Context, id permission.RuleID) (pendingMatches int) {
	pendingMatches, err := d.edited(context.WithoutCancel(ctx), id)
	if err != nil {
		d.opts.Logger.Error("settle what waits after an edit of the rules", "rule", id, "error", err)
	}
	return pendingMatches
}

func ruleEntry(what string, r permission.Rule, at permission.Time) permission.Entry {
	return permission.Entry{At: at, Kind: permission.RulesChanged, Actor: permission.ActorPerson, Data: permission.Data(map[string]any{
		"what": what, "rule": r,
	})}
}

// change checks an edit of the rules, commits it and makes it decide. The turn is the
// caller's; afterEdit is to be called when that is over.
func (d *Policy) change(ctx context.Context, c permission.RuleChange) error {
	next, err := d.edition(c)
	if err != nil {
		return err
	}
	err = d.turn.edit(ctx, func() error { return d.catalogue.pinNamed(ctx, c.Put) }) // before the rules allow it
	if err != nil {
		return err
	}
	version, err := d.store.ChangeRules(ctx, c)
	if err != nil {
		return err
	}
	// The damaged row may be gone, or another hand was at the store.
	if d.doubt.Reason != "" || d.absent.Reason != "" || next.Version() != version {
		return d.turn.reload(ctx, false)
	}
	d.plain = next
	d.publish()
	return nil
}

// edition is the rule set as an edit would leave it: every condition compiles, and
// no example is broken that held before or that the edit brings.
func (d *Policy) edition(c permission.RuleChange) (*policy.Set, error) {
	brought := make(map[permission.RuleID]int, len(c.Put))
	for i := range c.Put {
		if err := policy.CheckRule(&c.Put[i]); err != nil {
			return nil, inList(i, err)
		}
		brought[c.Put[i].ID] = i
	}
	version := d.plain.Version() + 1
	var next *policy.Set
	if c.Replace {
		next = policy.Compile(c.Put, version).Reading(d.settings.Load().Reads)
	} else {
		next = d.plain.Edit(c.Put, c.Delete, version)
	}
	return next, d.checkExamples(next, brought)
}

// checkExamples names the first example that the edit breaks.
func (d *Policy) checkExamples(next *policy.Set, brought map[permission.RuleID]int) error {
	type place struct {
		rule  permission.RuleID
		index int
	}
	at, before := d.state.Now(), map[place]bool{}
	broken := advice.BrokenExamples(next, at)
	if len(broken) == 0 {
		return nil
	}
	for _, b := range advice.BrokenExamples(d.plain, at) {
		before[place{b.RuleID, b.Index}] = true
	}
	for _, b := range broken {
		i, ours := brought[b.RuleID]
		if !ours && before[place{b.RuleID, b.Index}] {
			continue
		}
		message := fmt.Sprintf("rule %s: example %d must %s, but the rules would %s: %s", b.RuleID, b.Index+1, b.Want, b.Got, b.Reason)
		if !ours {
			return permission.Invalid("examples", permission.FieldExampleUnmet, message)
		}
		return inList(i, permission.Invalid(fmt.Sprintf("examples[%d]", b.Index), permission.FieldExampleUnmet, message))
	}
	return nil
}

// UpdateRule lets change lay its fields over the rule as it stands. ifMatch, when
// not zero, is the updatedAt that the caller saw; CodeLostUpdate when it is
// another.
func (d *Policy) UpdateRule(ctx context.Context, id permission.RuleID, ifMatch permission.Time,
	change func(*permission.RuleForm) error) (rule permission.Rule, pendingMatches int, err error) {
	if rule, err = d.update(ctx, id, ifMatch, change); err != nil {
		return rule, 0, err
	}
	return rule, d.afterEdit(ctx, id), nil
}

func (d *Policy) update(ctx context.Context, id permission.RuleID, ifMatch permission.Time,
	change func(*permission.RuleForm) error) (rule permission.Rule, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	old, err := d.asSeen(ctx, id, ifMatch)
	if err != nil {
		return old, err
	}
	form := old.Form()
	if err := change(&form); err != nil {
		return old, err
	}
	if form.ID != nil && *form.ID != id {
		return old, permission.Invalid("id", permission.FieldUnchangeable, "an id does not change")
	}
	if at := form.CreatedAt; !at.IsZero() && at != old.CreatedAt {
		return old, permission.Invalid("createdAt", permission.FieldUnchangeable, "when a rule was made does not change")
	}
	if rule, err = form.Apply(old); err != nil {
		return rule, err
	}
	rule.UpdatedAt = max(d.state.Now(), old.UpdatedAt+1)
	return rule, d.put(ctx, rule, "updated")
}

func (d *Policy) asSeen(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (permission.Rule, error) {
	r, err := d.Rule(ctx, id)
	if err == nil && !ifMatch.IsZero() && r.UpdatedAt != ifMatch {
		err = &permission.Error{Code: permission.CodeLostUpdate, Message: "the rule was changed meanwhile"}
	}
	return r, err
}

// DeleteRule removes a rule, under the same guard, or a damaged row of this id.
// pendingMatches is 0: a rule that is gone decides nothing.
func (d *Policy) DeleteRule(ctx context.Context, id permission.RuleID,
	ifMatch permission.Time) (rule permission.Rule, pendingMatches int, err error) {
	if rule, err = d.remove(ctx, id, ifMatch); err == nil {
		d.afterEdit(ctx, "")
	}
	return rule, 0, err
}

func (d *Policy) remove(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (rule permission.Rule, err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	rule, err = d.asSeen(ctx, id, ifMatch)
	if errors.Is(err, permission.NotFound("rule")) {
		rule, err = d.damaged(ctx, id, ifMatch)
	}
	if err != nil {
		return rule, err
	}
	return rule, d.change(ctx, permission.RuleChange{Delete: []permission.RuleID{id}, Entry: ruleEntry("deleted", rule, d.state.Now())})
}

// damaged stands for a stored row that is no rule any more, so that it can be removed: a
// rule that is off, with what is wrong as its note. Nobody can have seen another form.
func (d *Policy) damaged(ctx context.Context, id permission.RuleID, ifMatch permission.Time) (rule permission.Rule, err error) {
	_, _, rows, err := d.store.Rules(ctx)
	if err != nil {
		return rule, err
	}
	i := slices.IndexFunc(rows, func(r permission.DamagedRule) bool { return r.ID == id })
	switch {
	case i < 0:
		return rule, permission.NotFound("rule")
	case !ifMatch.IsZero():
		return rule, &permission.Error{Code: permission.CodeLostUpdate, Message: "the stored rule is damaged: it is not what was seen"}
	}
	return permission.Rule{ID: id, Effect: permission.Ask, Note: "damaged: " + rows[i].Row, Examples: []permission.Example{}}, nil
}

// ReplaceRules puts rules in the place of all. ifVersion, when not zero, is the
// policy's version that the caller saw; CodeLostUpdate when it is another. Times that a rule brings are kept
// where they say when it was made; a rule that changes gets a later updatedAt.
func (d *Policy) ReplaceRules(ctx context.Context, ifVersion int64,
	rules []permission.Rule) (stored []permission.Rule, policyVersion int64, err error) {
	if err := d.replace(ctx, ifVersion, rules); err != nil {
		return nil, 0, err
	}
	d.afterEdit(ctx, "")
	return d.Rules(context.WithoutCancel(ctx))
}

func (d *Policy) replace(ctx context.Context, ifVersion int64, rules []permission.Rule) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	if len(rules) > MaxRules {
		return permission.Invalid("rules", permission.FieldTooMany,
			fmt.Sprintf("more than %d rules", MaxRules)).With(permission.Param("most", MaxRules))
	}
	old, err := d.seen(ctx, ifVersion)
	if err != nil {
		return err
	}
	put, err := stamp(rules, old, d.state.Now())
	if err != nil {
		return err
	}
	entry := permission.Entry{At: d.state.Now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "replaced", "rules": put})}
	return d.change(ctx, permission.RuleChange{Replace: true, Put: put, Entry: entry})
}

// seen gives the rules if their version is still the one that the caller saw.
func (d *Policy) seen(ctx context.Context, ifVersion int64) ([]permission.Rule, error) {
	old, version, err := d.Rules(ctx)
	if err == nil && ifVersion != 0 && ifVersion != version {
		err = &permission.Error{Code: permission.CodeLostUpdate, Message: "the rules were changed meanwhile"}
	}
	return old, err
}

// stamp gives ids and times to rules that take the place of old ones.
func stamp(rules, old []permission.Rule, at permission.Time) ([]permission.Rule, error) {
	before := map[permission.RuleID]permission.Rule{}
	for _, r := range old {
		before[r.ID] = r
	}
	seen, out := map[permission.RuleID]bool{}, make([]permission.Rule, 0, len(rules))
	for i, r := range rules {
		if r.ID == "" {
			id, err := ruleID(nil)
			if err != nil {
				return nil, err
			}
			r.ID = id
		}
		if seen[r.ID] {
			return nil, permission.Invalid(fmt.Sprintf("rules[%d].id", i), permission.FieldDuplicate, "two rules have this id")
		}
		seen[r.ID] = true
		was := before[r.ID]
		r.Hits, r.LastHitAt = was.Hits, was.LastHitAt
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
		return e.At(fmt.Sprintf("rules[%d].%s", i, e.Field))
	}
	return err
}

// alone takes the place away again, for an edit of one rule.
func alone(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeInvalid {
		return e.At(strings.TrimPrefix(e.Field, "rules[0]."))
	}
	return err
}
