package advice

import (
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// widener finds the place of a new allow rule for a call among the rules that are there.
type widener struct {
	set    *policy.Set
	call   policy.Call
	now    permission.Time
	wish   int64 // the priority that a rule should have
	guards []guard
}

// guard is an acting deny or ask rule that does not apply to the call.
type guard struct {
	reach    extent
	effect   permission.Effect
	priority int64
}

// look finds out what decides the call now, and what must not be passed over. It is
// false where a deny rule applies, be it behind another.
func (w *widener) look() bool {
	d, steps := w.set.Trace(w.call, w.now)
	w.wish = 10
	if d.Effect == permission.Ask && d.Rule != nil {
		w.wish = d.Rule.Priority + 1
	}
	for i, r := range w.set.Rules() {
		switch {
		case r.Effect == permission.Allow || !acts(&r, w.now):
		case !steps[i].Applies:
			w.guards = append(w.guards, guard{extentOf(&r), r.Effect, r.Priority})
		case r.Effect == permission.Deny:
			return false
		}
	}
	return true
}

// place is the priority of a rule: behind the guards, be it that it does not decide there.
func (w *widener) place(r *permission.Rule) int64 {
	priority, reach := w.wish, extentOf(r)
	for _, g := range w.guards {
		if (g.effect == permission.Deny || r.ToolName == nil) && reach.meets(g.reach) {
			priority = min(priority, g.priority-1)
		}
	}
	return priority
}

// holds tries a rule out: it is a good one, it applies to the call, and with it among
// the others the call is allowed.
func (w *widener) holds(r permission.Rule) bool {
	for _, taken := w.set.Rule(r.ID); taken; _, taken = w.set.Rule(r.ID) {
		r.ID += "."
	}
	if r.Valid() != nil || policy.CheckRule(&r) != nil {
		return false
	}
	rules := []permission.Rule{r}
	return policy.Compile(rules, 0).Decide(w.call, w.now).Effect == permission.Allow &&
		w.set.Draft(rules, nil).Decide(w.call, w.now).Effect == permission.Allow
}

// odd reports whether lint has something to say of a rule among those that it meets.
func (w *widener) odd(r permission.Rule) bool {
	reach, rules := extentOf(&r), []permission.Rule{r}
	for _, other := range w.set.Rules() {
		if other.ID != r.ID && acts(&other, w.now) && reach.meets(extentOf(&other)) {
			rules = append(rules, other)
		}
	}
	return slices.ContainsFunc(Lint(rules, w.now), func(f permission.Finding) bool { return f.RuleID == r.ID })
}
