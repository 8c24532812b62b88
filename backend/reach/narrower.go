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
	place                 map[content]int // where a guard stands among the rules now
	last                  []int           // of the guards before a place of the rules before: the last place that one has now
	gone                  []int           // places of guards before that have none now
	reads                 permission.Reads
	now                   permission.Time
	risk                  Risk
	looks                 int
	limited               bool // was met a rule that allowed only so many of the calls
}

// IsNarrower says whether each call that the rules allow after an edit was allowed before it, now
// and at any time to come. reads are the settings for what no rule is about. That a condition
// may fail for its cost is left out of account.
func IsNarrower(before, after []permission.Rule, reads permission.Reads, risk Risk, now permission.Time) permission.Narrower {
	e := &edit{before: policy.Compile(before, 0).Reading(reads), after: policy.Compile(after, 0).Reading(reads),
		place: map[content]int{}, reads: reads, now: now, risk: risk}
	e.rulesBefore, e.rulesNow = prepare(e.before, now), prepare(e.after, now)
	e.compare()
	out := permission.Narrower{Answer: permission.ReachYes}
	for _, method := range permission.JudgedMethods {
		rules := e.rulesNow
		if reads.Of(method) == permission.Allow && !permission.AboutTool(method) {
			rules = append(rules[:len(rules):len(rules)], &rule{Rule: permission.Rule{Method: &method, Effect: permission.Allow}})
		}
		for i, r := range rules {
			if r.Effect != permission.Allow || !r.For(method) || e.stays(r, i, method) {
				continue
			}
			s := e.search(r, i)
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

// content is what a rule is about, and for how long.
type content struct {
	server, method, name, glob, condition string
	expires                               permission.Time
	limit                                 permission.Limit
	effect                                permission.Effect
}

// contentOf is comparable: a rule has no empty texts.
func contentOf(r *rule, effect permission.Effect) content {
	or := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	limit := permission.Limit{}
	if r.Limit != nil {
		limit = *r.Limit
	}
	return content{or(r.ServerID), or(r.Method), or(r.ToolName), or(r.ToolPattern), or(r.Condition), r.ExpiresAt, limit, effect}
}

// compare finds the guards of before among the rules of now.
func (e *edit) compare() {
	for i, r := range e.rulesNow {
		if c := contentOf(r, r.Effect); !has(e.place, c) {
			e.place[c] = i
		}
	}
	last := -1
	for i, r := range e.rulesBefore {
		e.last = append(e.last, last)
		if r.Effect == permission.Allow {
			continue
		}
		if place, there := e.placeOf(r); there {
			last = max(last, place)
		} else {
			e.gone = append(e.gone, i)
		}
	}
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, is := m[key]
	return is
}

// placeOf gives the first place among the rules now of a guard that holds what one before held.
func (e *edit) placeOf(guard *rule) (place int, there bool) {
	for _, effect := range [...]permission.Effect{permission.Ask, permission.Deny} {
		if effect == permission.Ask && guard.Effect == permission.Deny && guard.Method == nil {
			continue // that asks about tool calls alone
		}
		if p, is := e.place[contentOf(guard, effect)]; is && (!there || p < place) {
			place, there = p, true
		}
	}
	return place, there
}

// kept reports whether a guard of before stands before a place of the rules now.
func (e *edit) kept(guard *rule, before int) bool {
	place, there := e.placeOf(guard)
	return there && place < before
}

// stays reports whether an allow rule was there before, with all guards before it still before
// it: the usual case, which needs no search.
func (e *edit) stays(r *rule, at int, method string) bool {
	end, found := len(e.rulesBefore), r.ID == "" // the settings stand after all rules
	for i, b := range e.rulesBefore {
		if b.Effect == permission.Allow && contentOf(b, b.Effect) == contentOf(r, r.Effect) && b.countsAs(r) {
			end, found = i, true
			break
		}
	}
	if !found {
		return false
	}
	for _, i := range e.gone {
		if b := e.rulesBefore[i]; (i < end || b.readsLine()) && b.For(method) && meets(b, r) {
			return false
		}
	}
	if end == len(e.last) || e.last[end] < at {
		return true
	}
	for _, b := range e.rulesBefore[:end] {
		if e.looks++; b.Effect != permission.Allow && b.For(method) && meets(b, r) && !e.kept(b, at) {
			return false
		}
	}
	return true
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

// search looks for a call that a rule allows after the edit, and that was not allowed before.
func (e *edit) search(r *rule, at int) *search {
	out := &search{looks: &e.looks}
	out.narrow = func(s *state) (none bool, branches []step) {
		o, branches := r.applies(s, true)
		if !o.may(isTrue) {
			return true, nil
		}
		for _, g := range e.rulesNow[:at] {
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
		allowed, more := e.was(s, r, at)
		out.left = out.left || !allowed && e.limited
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

// was reports whether all calls of a state, which r allows now at its place, were surely
// allowed before, or tells them apart.
func (e *edit) was(s *state, r *rule, at int) (allowed bool, branches []step) {
	sure := true
	e.limited = false
	for i, b := range e.rulesBefore {
		if !b.For(s.method) {
			continue
		}
		e.looks++
		if b.Effect != permission.Allow {
			if e.kept(b, at) {
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
		surely := o == isTrue || e.asTrue(s, b, r)
		if surely && !b.countsAs(r) {
			e.limited = true
		} else if surely {
			return sure && b.outlasts(r) && asFree(b, r) && e.neutral(s, i), branches
		}
		if branches == nil && o.may(isTrue) {
			branches = choice
		}
	}
	return sure && !permission.AboutTool(s.method) && e.reads.Of(s.method) == permission.Allow, branches
}

// neutral reports whether no guard that is gone, and stood after a place, held a line by a part
// that needs no rule.
func (e *edit) neutral(s *state, after int) bool {
	for _, i := range e.gone {
		if b := e.rulesBefore[i]; i > after && b.For(s.method) {
			if _, free := e.guarded(s, b); b.readsLine() && !free {
				return false
			}
		}
	}
	return true
}

// countsAs reports whether the limit of a rule, if it has one, is that of another to the last
// call: two rules count apart.
func (r *rule) countsAs(other *rule) bool {
	return r.Limit == nil || r.ID == other.ID && other.Limit != nil && *r.Limit == *other.Limit
}

// asTrue reports whether a rule of before surely applies, because it says what r says.
func (e *edit) asTrue(s *state, b, r *rule) bool {
	return b.about(&evaluator{state: s}) == isTrue && (b.Condition == nil || r.Condition != nil && *b.Condition == *r.Condition)
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
	return choice, o == isFalse && !(b.readsLine() && b.about(&evaluator{state: s}).may(isTrue))
}
