package reach

import (
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// edit is a change of the rules that is looked at.
type edit struct {
	before, after         *policy.Set
	rulesBefore, rulesNow []*rule
	reads                 permission.Reads
	now                   permission.Time
	risk                  Risk
	looks                 int
}

// IsNarrower says whether each call that the rules allow after an edit was allowed before it, and at
// any time from now on would have been. reads are the settings for what no rule is about. A
// condition that fails for its cost is not thought of.
func IsNarrower(before, after *policy.Set, reads permission.Reads, risk Risk, now permission.Time) permission.Narrower {
	e := &edit{before: before.Reading(reads), after: after.Reading(reads), rulesBefore: prepare(before, now), rulesNow: prepare(after, now),
		reads: reads, now: now, risk: risk}
	out := permission.Narrower{Answer: permission.ReachYes}
	for _, method := range permission.JudgedMethods {
		rules := e.rulesNow
		if reads.Of(method) == permission.Allow && !permission.AboutTool(method) {
			rules = append(rules[:len(rules):len(rules)], &rule{Rule: permission.Rule{Method: &method, Effect: permission.Allow}})
		}
		for i, r := range rules {
			if r.Effect != permission.Allow || !r.For(method) || e.stays(r, rules[:i], method) {
				continue
			}
			s := e.search(r, rules[:i], method)
			found := s.find(start(r, method))
			switch {
			case found != nil:
				return permission.Narrower{Answer: permission.ReachNo, RuleID: idOf(r), Example: exampleOf(*found)}
			case s.left && out.Answer == permission.ReachYes:
				out.Answer, out.RuleID = permission.ReachUndecided, idOf(r)
				if len(s.open) > 0 {
					out.Part = s.open[0].part
				}
			}
		}
	}
	return out
}

// idOf is the id of a rule; nil is that of the settings.
func idOf(r *rule) *permission.RuleID {
	if r.ID == "" {
		return nil
	}
	return &r.ID
}

// same reports whether two rules have the same calls and the same time.
func same(a, b *rule) bool {
	equal := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	return equal(a.ServerID, b.ServerID) && equal(a.Method, b.Method) && equal(a.ToolName, b.ToolName) && equal(a.ToolPattern, b.ToolPattern) &&
		equal(a.Condition, b.Condition) && a.ExpiresAt == b.ExpiresAt
}

// stays reports whether an allow rule was there before with every guard that stood before it
// still before it: the usual case, which needs no search.
func (e *edit) stays(r *rule, earlier []*rule, method string) bool {
	for _, b := range e.rulesBefore {
		switch {
		case b.Effect == permission.Allow && same(b, r):
			return true
		case b.Effect != permission.Allow && b.For(method) && meets(b, r) && !kept(b, earlier):
			return false
		}
	}
	return r.ID == "" // the settings stand after all rules
}

// meets reports whether two rules may have a server and a tool in common.
func meets(a, b *rule) bool {
	if a.ServerID != nil && b.ServerID != nil && *a.ServerID != *b.ServerID {
		return false
	}
	switch {
	case a.ToolName != nil && b.ToolName != nil:
		return *a.ToolName == *b.ToolName
	case a.ToolName != nil:
		return b.pattern == nil || b.pattern.Match(*a.ToolName)
	case b.ToolName != nil:
		return a.pattern == nil || a.pattern.Match(*b.ToolName)
	}
	return a.pattern == nil || b.pattern == nil || pattern.Meets(*a.pattern, *b.pattern)
}

// kept reports whether some rules have a guard for all that a guard held.
func kept(guard *rule, rules []*rule) bool {
	for _, g := range rules {
		if g.Effect != permission.Allow && same(g, guard) && (g.Method != nil || g.Effect == guard.Effect || g.Effect == permission.Deny) {
			return true
		}
	}
	return false
}

// search looks for a call that a rule allows after the edit, and that was not allowed before.
func (e *edit) search(r *rule, earlier []*rule, method string) *search {
	out := &search{looks: &e.looks}
	out.narrow = func(s *state) (none bool, branches []step) {
		o, branches := r.applies(s, true)
		if !o.may(isTrue) {
			return true, nil
		}
		for _, g := range earlier {
			if g.Effect == permission.Allow {
				continue // what it allows, it answers for itself
			}
			e.looks++
			o, choice := g.applies(s, false)
			if o == isTrue && g.outlasts(r) {
				return true, nil
			}
			if branches == nil {
				branches = choice
			}
		}
		allowed, more := e.was(s, r, earlier)
		if branches == nil {
			branches = more
		}
		return allowed, branches
	}
	out.try = func(s *state) *policy.Call {
		c := complete(s, append(e.rulesBefore[:len(e.rulesBefore):len(e.rulesBefore)], e.rulesNow...), e.risk)
		if e.after.Decide(c, e.now).Effect == permission.Allow && e.before.Decide(c, e.now).Effect != permission.Allow {
			return &c
		}
		return nil
	}
	return out
}

// was reports whether all calls of a state, which r allows now behind the earlier rules, were
// surely allowed before, or tells them apart.
func (e *edit) was(s *state, r *rule, earlier []*rule) (allowed bool, branches []step) {
	sure := true
	for _, b := range e.rulesBefore {
		if !b.For(s.method) {
			continue
		}
		e.looks++
		if b.Effect != permission.Allow {
			if kept(b, earlier) {
				continue // it is not true of a call that r allows
			}
			choice, free := e.guarded(s, b)
			if branches == nil {
				branches = choice
			}
			sure = sure && free
			continue
		}
		o, choice := b.applies(s, true)
		if o == isTrue || e.asTrue(s, b, r) {
			return sure && b.outlasts(r) && asFree(b, r), branches
		}
		if branches == nil && o.may(isTrue) {
			branches = choice
		}
	}
	return sure && !permission.AboutTool(s.method) && e.reads.Of(s.method) == permission.Allow, branches
}

// asTrue reports whether a rule of before surely applies, because it says what r says.
func (e *edit) asTrue(s *state, b, r *rule) bool {
	about := &evaluator{state: s, of: b}
	return about.about() == isTrue && (b.Condition == nil || r.Condition != nil && *b.Condition == *r.Condition)
}

// asFree reports whether a rule allows every part of a line that another may.
func asFree(b, r *rule) bool {
	free, ok := b.expression()
	other, good := r.expression()
	return ok && good && free.AsFree(other)
}

// guarded says whether a guard that is gone held no call of a state, or what tells apart those
// that it may have held. A guard that looks at lines may have held a whole one.
func (e *edit) guarded(s *state, b *rule) (branches []step, free bool) {
	if _, known := s.known(toolOf); !known {
		switch {
		case b.ToolName != nil:
			if name := quote(*b.ToolName); s.may(toolOf, name) {
				return []step{{v: toolOf, not: []string{name}}, {v: toolOf, is: &name}}, false
			}
			return nil, true
		case b.pattern != nil && !pattern.Covers(*b.pattern, s.tool):
			name, meets := pattern.Common(*b.pattern, s.tool)
			if value := quote(name); meets && s.may(toolOf, value) {
				return []step{{v: toolOf, not: []string{value}}, {v: toolOf, is: &value}}, false
			}
			return nil, !meets
		}
	}
	o, choice := b.applies(s, false)
	return choice, o == isFalse && !(b.readsLine() && (&evaluator{state: s, of: b}).about().may(isTrue))
}
