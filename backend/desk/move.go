package desk

import (
	"context"
	"errors"
	"slices"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
)

// MoveRule puts a rule right before another in the order of judgement, nil being last of
// all, by as few other priorities as can be. All other rules keep their order. ifVersion
// is that of ReplaceRules. A rule that is moved to its own place is left alone.
func (d *Policy) MoveRule(ctx context.Context, id permission.RuleID, before *permission.RuleID,
	ifVersion int64) (stored []permission.Rule, policyVersion int64, err error) {
	if err := d.move(ctx, id, before, ifVersion); err != nil {
		return nil, 0, err
	}
	d.afterEdit(ctx, "")
	return d.Rules(context.WithoutCancel(ctx))
}

func (d *Policy) move(ctx context.Context, id permission.RuleID, before *permission.RuleID, ifVersion int64) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	rules, err := d.seen(ctx, ifVersion)
	if err != nil {
		return err
	}
	from, to := placeOf(rules, id), len(rules)
	if before != nil {
		to = placeOf(rules, *before)
	}
	if from < 0 || to < 0 {
		return permission.NotFound("rule")
	}
	moved := advice.Move(rules, from, to)
	if len(moved) == 0 {
		return nil
	}
	for i := range moved {
		moved[i].UpdatedAt = max(d.state.Now(), moved[i].UpdatedAt+1)
		if err := moved[i].Valid(); err != nil {
			return err
		}
	}
	entry := permission.Entry{At: d.state.Now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "moved", "ruleId": id, "before": before, "rules": moved})}
	return broken(d.change(ctx, permission.RuleChange{Put: moved, Entry: entry}))
}

func placeOf(rules []permission.Rule, id permission.RuleID) int {
	return slices.IndexFunc(rules, func(r permission.Rule) bool { return r.ID == id })
}

// broken says of an example that a move breaks that the place is the bad one: the caller
// knows nothing of a list of rules.
func broken(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeInvalid {
		return e.At("before")
	}
	return err
}
