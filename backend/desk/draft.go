package desk

import (
	"errors"
	"fmt"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// outlook is what an edit that nobody made yet would make of the rules.
type outlook struct {
	before, after *policy.Set
	first         *permission.Rule // of those that it puts
}

func (d *Policy) outlook(draft permission.Draft) (e outlook, err error) {
	d.turn.Lock()
	plain, doubt := d.plain, d.doubt
	d.turn.Unlock()
	e.before = plain.Doubting(doubt).Withholding(d.catalogue.withhold)
	if draft.Rules != nil {
		if e.after, err = replaced(plain, draft.Rules, d.state.Now()); err == nil {
			e.after = e.after.Withholding(d.catalogue.withhold).Reading(d.settings.Load().Reads)
		}
		return e, err
	}
	put, err := laid(plain, draft.Put, d.state.Now())
	if err != nil {
		return e, err
	}
	if err := removable(plain, put, draft.Delete); err != nil {
		return e, err
	}
	if e.after = plain.Draft(put, draft.Delete).Doubting(doubt).Withholding(d.catalogue.withhold); e.after.Len() > MaxRules {
		return e, permission.Invalid("change.put", permission.FieldTooMany,
			fmt.Sprintf("more than %d rules", MaxRules)).With(permission.Param("most", MaxRules))
	}
	if len(put) > 0 {
		e.first = &put[0]
	}
	return e, nil
}

// replaced compiles rules that would stand in the place of all.
func replaced(plain *policy.Set, rules []permission.Rule, at permission.Time) (*policy.Set, error) {
	if len(rules) > MaxRules {
		return nil, permission.Invalid("rules", permission.FieldTooMany,
			fmt.Sprintf("more than %d rules", MaxRules)).With(permission.Param("most", MaxRules))
	}
	put, err := stamp(rules, plain.Rules(), at)
	if err != nil {
		return nil, err
	}
	for i := range put {
		if err := policy.CheckRule(&put[i]); err != nil {
			return nil, inList(i, err)
		}
	}
	return policy.Compile(put, 0), nil
}

// laid are the rules that an edit puts, each over the one that has its id.
func laid(plain *policy.Set, put []permission.DraftRule, at permission.Time) ([]permission.Rule, error) {
	seen, rules := map[permission.RuleID]bool{}, make([]permission.Rule, 0, len(put))
	for i, p := range put {
		if seen[p.ID] {
			return nil, permission.Invalid(fmt.Sprintf("change.put[%d].id", i), permission.FieldDuplicate, "two rules have this id")
		}
		seen[p.ID] = true
		base, form := permission.Rule{ID: p.ID, CreatedAt: at, UpdatedAt: at}, permission.NewRuleForm()
		if old, found := plain.Rule(p.ID); found {
			base, form = old, old.Form()
		}
		rule, err := lay(p, form, base)
		if err != nil {
			return nil, inPut(i, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func lay(p permission.DraftRule, form permission.RuleForm, base permission.Rule) (rule permission.Rule, err error) {
	if err := p.Lay(&form); err != nil {
		return rule, err
	}
	if rule, err = form.Apply(base); err != nil {
		return rule, err
	}
	return rule, policy.CheckRule(&rule)
}

// inPut says which rule of an edit is the bad one.
func inPut(i int, err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeInvalid {
		return e.At(strings.TrimSuffix(fmt.Sprintf("change.put[%d].%s", i, e.Field), "."))
	}
	return err
}

// removable says which id of those to delete is none of a rule, or of one that is put.
func removable(plain *policy.Set, put []permission.Rule, ids []permission.RuleID) error {
	stays := make(map[permission.RuleID]bool, len(put))
	for _, r := range put {
		stays[r.ID] = true
	}
	for i, id := range ids {
		field := fmt.Sprintf("change.delete[%d]", i)
		if stays[id] {
			return permission.Invalid(field, permission.FieldPutAndDeleted, "this rule is put, too")
		}
		if _, found := plain.Rule(id); !found {
			return &permission.Error{Code: permission.CodeNotFound, Message: "no such rule", Field: field}
		}
	}
	return nil
}
