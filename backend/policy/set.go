package policy

import (
	"cmp"
	"slices"
	"strings"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// Set is a compiled set of rules in the order of judgement. It never changes, so any
// number of goroutines may ask it.
type Set struct {
	rules    []compiled
	rejected []permission.RuleID
	version  int64
	doubt    string
}

// compiled is a rule with everything that does not depend on the call.
type compiled struct {
	permission.Rule
	matcher pattern.Pattern // used when ToolName is nil and ToolPattern is not
	reason  string
}

// Compile prepares rules for judging. A rule that is not valid is left out, since a
// damaged one must never allow anything; Rejected names it. version is handed back by
// Version.
func Compile(rules []permission.Rule, version int64) *Set {
	s := &Set{version: version, rules: make([]compiled, 0, len(rules))}
	for i := range rules {
		if rules[i].Valid() != nil {
			s.rejected = append(s.rejected, rules[i].ID)
			continue
		}
		c := compiled{Rule: clone(rules[i]), reason: reason(&rules[i])}
		if c.ToolPattern != nil {
			c.matcher = pattern.Compile(*c.ToolPattern)
		}
		s.rules = append(s.rules, c)
	}
	slices.SortStableFunc(s.rules, func(a, b compiled) int { return order(&a.Rule, &b.Rule) })
	return s
}

// order is the order of judgement: priority from high to low; within one priority
// deny, ask, allow; then the older rule, then the lower id.
func order(a, b *permission.Rule) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(strength(a.Effect), strength(b.Effect)),
		cmp.Compare(a.CreatedAt, b.CreatedAt),
		cmp.Compare(a.ID, b.ID),
	)
}

func strength(e permission.Effect) int {
	switch e {
	case permission.Deny:
		return 0
	case permission.Ask:
		return 1
	}
	return 2
}

// Doubting gives the same set, but where an allow rule would decide it asks for this
// reason: a guard may be missing from the set.
func (s *Set) Doubting(reason string) *Set {
	out := *s
	out.doubt = reason
	return &out
}

// Rules gives the rules in the order of judgement, as copies.
func (s *Set) Rules() []permission.Rule {
	rules := make([]permission.Rule, len(s.rules))
	for i := range s.rules {
		rules[i] = clone(s.rules[i].Rule)
	}
	return rules
}

// Rejected names the rules that were not valid and therefore do not act.
func (s *Set) Rejected() []permission.RuleID { return slices.Clone(s.rejected) }

// Version is the number that Compile was given.
func (s *Set) Version() int64 { return s.version }

// Len is how many rules act.
func (s *Set) Len() int { return len(s.rules) }

// clone cuts the ties of a rule to its owner, who could otherwise change a Set.
func clone(r permission.Rule) permission.Rule {
	for _, p := range []**string{&r.ServerID, &r.ToolName, &r.ToolPattern, &r.Condition} {
		if *p != nil {
			text := **p
			*p = &text
		}
	}
	r.Examples = slices.Clone(r.Examples)
	return r
}

// reason is what a rule says of a call that it decides: the note of a deny rule, which
// a person wrote for this, or a sentence.
func reason(r *permission.Rule) string {
	if r.Effect == permission.Deny && strings.TrimSpace(r.Note) != "" {
		return r.Note
	}
	return sentence(r)
}
