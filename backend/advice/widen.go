package advice

import (
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Widen proposes allow rules that match one call, from the narrowest to the widest:
//
//   - its tool with what its input is about, and with the folder of that (see pins);
//   - its tool;
//   - the tools of its server that begin with the same words;
//   - its whole server.
//
// A call of high risk is offered nothing beyond its tool. Neither is one without a
// server, whose rules have a condition besides that keeps them to such calls: a rule
// cannot say "no server" otherwise, and the same name of any server would be allowed.
//
// The priority is just enough to come before the rule that asks now, or 10 where none
// does. Nothing is proposed that would come before
//
//   - a deny rule with a call in common, whatever its condition is;
//   - an ask rule with a call in common that is not about this call, where the proposal
//     is about more than the tool: such a rule guards something else.
//
// Each is tried out before it is proposed. A set that doubts allows nothing, so that
// none is.
func Widen(set *policy.Set, call policy.Call, risk permission.Risk, now permission.Time) []permission.RuleForm {
	out := []permission.RuleForm{}
	w := widener{set: set, call: call, now: now}
	if !w.look() {
		return out
	}
	for _, r := range proposals(call, risk) {
		if r.Priority = w.place(&r); w.holds(r) {
			form := r.Form()
			form.Effect = &r.Effect
			out = append(out, form)
		}
	}
	return out
}

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
			priority = min(priority, g.priority) // within one priority guards come first
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

// maxWords bounds how many patterns are made from the words of one name.
const maxWords = 4

// proposals are the rules for a call without their priorities.
func proposals(call policy.Call, risk permission.Risk) (rules []permission.Rule) {
	var method *string // a rule that names none is about tools
	if !permission.AboutTool(call.Method) {
		method = &call.Method
	}
	add := func(name, glob, condition *string) {
		rules = append(rules, permission.Rule{ID: "widened", ServerID: call.ServerID, Method: method, ToolName: name, ToolPattern: glob,
			Condition: condition,
			Effect:    permission.Allow, AutoApprove: true, Enabled: true})
	}
	var conditions []string
	if call.ServerID == nil {
		conditions = append(conditions, "serverId == null")
	}
	for _, pin := range pins(call) {
		condition := strings.Join(append(conditions, pin), " && ")
		add(&call.ToolName, nil, &condition)
	}
	if call.ServerID == nil {
		add(&call.ToolName, nil, &conditions[0])
		return rules
	}
	add(&call.ToolName, nil, nil)
	if risk.Rank() < permission.RiskHigh.Rank() {
		for _, words := range beginnings(call.ToolName) {
			glob := words + "*"
			add(nil, &glob, nil)
		}
		add(nil, nil, nil)
	}
	return rules
}

// beginnings are those of a name that end with a word, the longest first.
func beginnings(name string) (list []string) {
	for prefix := nextWord(name, ""); prefix != "" && !strings.Contains(prefix, "*"); prefix = nextWord(name, prefix) {
		if worded(prefix) {
			list = append([]string{prefix}, list...)
		}
	}
	return list[:min(len(list), maxWords)]
}
