package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// minAnswers is how many equal answers make a habit.
const minAnswers = 3

// Suggest proposes rules that would have given a person's repeated answers, those that
// save most first.
//
// An allow rule is proposed for what was approved three times or more, by the narrowest
// reach that covers it: a tool by its name, or, where two tools or more share words at
// their beginning, those words and a star (read_*), if no tool is known that begins so and
// was ever declined, is of high risk, or runs what its input says. Such tools themselves
// are never proposed so; an entry of no answers makes a tool known.
//
// Of a tool that runs what its input says, as a command line, a script or arguments, one
// and the same call that was approved three times or more and never declined is proposed,
// with the condition that it is this input in this folder (see pins).
//
// Approvals count where the input is known: one that is not may have been a command. A
// tool of which no input is known keeps patterns from it, and a decline of which the input
// is not known may be about any call of its tool.
//
// A deny rule is proposed for a tool that was declined three times or more and never
// approved, by its name alone.
//
// Never proposed is anything about
//   - tools without a server: a rule cannot say "no server", so it would reach all;
//   - tools to which an acting rule with a condition may apply: their answers were about
//     inputs, which a rule for the whole tool does not look at;
//   - what some rule allows or denies already, or, to allow, what an ask rule was
//     written for. Only the ask rule for everything is no such guard.
//
// The priority puts an allow rule above the ask rule for everything, and behind every
// deny rule and every guard that has calls in common with it; where there is no such
// place, nothing is proposed. A deny rule takes the place of the rule that asked. Each
// rule is tried out before it is proposed.
//
// Reading resources and getting prompts are no habits here: a deny rule for a tool names
// its method, so that it says nothing of them.
func Suggest(answers []permission.Answered, rules []permission.Rule, now permission.Time) []permission.Suggestion {
	set := policy.Compile(rules, 0)
	s := suggester{now: now, set: set, depends: newConditional(now, set), out: []permission.Suggestion{}}
	for _, r := range set.Rules() {
		if acts(&r, now) {
			s.acting = append(s.acting, r)
			s.extents = append(s.extents, extentOf(&r))
		}
	}
	for _, tools := range byServer(answers) {
		s.tools = tools
		s.server()
	}
	slices.SortStableFunc(s.out, func(a, b permission.Suggestion) int { return cmp.Compare(b.Answers, a.Answers) })
	return s.out
}

type suggester struct {
	now     permission.Time
	set     *policy.Set
	depends conditional
	acting  []permission.Rule
	extents []extent // of acting
	tools   []habit  // of the server at hand
	out     []permission.Suggestion
}

// server proposes rules for the tools at hand.
func (s *suggester) server() {
	var approved []*habit
	for i := range s.tools {
		h := &s.tools[i]
		if h.approved+h.declined == 0 {
			continue
		}
		if h.runs && h.approved > 0 {
			s.commands(h)
			continue
		}
		call := policy.Call{ServerID: h.server, ToolName: h.tool}
		d := s.set.Decide(call, s.now)
		switch {
		case d.Effect != permission.Ask || s.depends.on(call):
		case h.harmless() && h.known > 0 && d.NameIssue == "" && s.unguarded(d.Rule):
			approved = append(approved, h)
		case h.declined >= minAnswers && h.approved == 0:
			s.deny(h, d.Rule)
		}
	}
	for _, h := range s.group(approved, "") {
		if h.known >= minAnswers {
			s.allow([]*habit{h}, permission.Rule{ToolName: &h.tool})
		}
	}
}

// unguarded reports whether a call was asked about by no rule, or by the one for all.
func (s *suggester) unguarded(by *permission.RuleRef) bool {
	return by == nil || slices.ContainsFunc(s.acting, func(r permission.Rule) bool { return r.ID == by.ID && asksAll(&r) })
}

// asksAll reports whether a rule asks about everything.
func asksAll(r *permission.Rule) bool {
	return r.Effect == permission.Ask && r.For(permission.CallTool) && r.Condition == nil && r.ServerID == nil && r.ToolName == nil &&
		(r.ToolPattern == nil || pattern.Compile(*r.ToolPattern).Meaning() == "*")
}

const wordEnds = "_-./:"

// group proposes patterns for tools that begin with the same words, the longest such
// beginnings first, and gives back the tools that found no company.
func (s *suggester) group(tools []*habit, prefix string) (left []*habit) {
	for len(tools) > 0 {
		longer := nextWord(tools[0].tool, prefix)
		n := 1
		for n < len(tools) && longer != "" && strings.HasPrefix(tools[n].tool, longer) {
			n++
		}
		if n == 1 {
			left = append(left, tools[0])
		} else {
			left = append(left, s.group(tools[:n], longer)...)
		}
		tools = tools[n:]
	}
	if !worded(prefix) || strings.Contains(prefix, "*") || len(left) < 2 || total(left) < minAnswers {
		return left
	}
	glob := prefix + "*"
	if s.allow(left, permission.Rule{ToolPattern: &glob}) {
		return nil
	}
	return left
}

// nextWord is the beginning of a name one word longer than prefix, with what ends the
// word, or "" if the name ends there.
func nextWord(name, prefix string) string {
	end := strings.IndexAny(name[len(prefix):], wordEnds)
	if end < 0 {
		return ""
	}
	end += len(prefix)
	for end < len(name) && strings.IndexByte(wordEnds, name[end]) >= 0 {
		end++
	}
	return name[:end]
}

// worded reports whether there is anything but separators in the beginning of a name.
func worded(prefix string) bool {
	return strings.ContainsFunc(prefix, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func total(tools []*habit) (approvals int) {
	for _, h := range tools {
		approvals += h.known
	}
	return approvals
}

// allow proposes to allow tools by r, which says how far the rule reaches.
func (s *suggester) allow(tools []*habit, r permission.Rule) bool {
	r.ServerID, r.Effect, r.AutoApprove = tools[0].server, permission.Allow, true
	reach := extentOf(&r)
	for i := range s.tools {
		if h := &s.tools[i]; !h.harmless() && reach.meets(extent{server: h.server, methods: policy.ToolCalls, name: &h.tool}) {
			return false
		}
	}
	near := s.near(reach)
	place, free := placeFor(near)
	if !free {
		return false
	}
	r.Priority = place
	reason := fmt.Sprintf("approved %d times, never declined", total(tools))
	if len(tools) > 1 {
		reason = fmt.Sprintf("%d tools, approved %d times, never declined", len(tools), total(tools))
	}
	names, calls := make([]string, len(tools)), make([]policy.Call, len(tools))
	for i, h := range tools {
		names[i], calls[i] = h.tool, policy.Call{ServerID: h.server, ToolName: h.tool}
	}
	return s.propose(r, near, calls, permission.Suggestion{Answers: total(tools), Tools: names, Reason: reason})
}

// placeFor is a priority above the rules that ask about everything and behind all other
// guards. Within one priority guards come first.
func placeFor(near []permission.Rule) (priority int64, free bool) {
	low, high := int64(math.MinInt32), int64(math.MaxInt32)
	for i := range near {
		switch {
		case near[i].Effect == permission.Allow:
		case asksAll(&near[i]):
			low = max(low, near[i].Priority+1)
		default:
			high = min(high, near[i].Priority)
		}
	}
	priority = low
	if low == math.MinInt32 {
		priority = min(0, high)
	}
	return priority, low <= high
}

// deny proposes to deny a tool about which by asks.
func (s *suggester) deny(h *habit, by *permission.RuleRef) {
	method := permission.CallTool
	r := permission.Rule{ServerID: h.server, Method: &method, ToolName: &h.tool, Effect: permission.Deny}
	if by != nil {
		r.Priority = by.Priority // within one priority deny comes before ask
	}
	s.propose(r, s.near(extentOf(&r)), []policy.Call{{ServerID: h.server, ToolName: h.tool}}, permission.Suggestion{
		Answers: h.declined, Tools: []string{h.tool}, Reason: fmt.Sprintf("declined %d times, never approved", h.declined)})
}

// near are the acting rules with calls in common with a reach. No other rule has a say
// in these calls.
func (s *suggester) near(reach extent) (rules []permission.Rule) {
	for i := range s.acting {
		if reach.meets(s.extents[i]) {
			rules = append(rules, s.acting[i])
		}
	}
	return rules
}

// propose tries a rule out among those near it, and notes it if it gives these calls the
// answers that it is for.
func (s *suggester) propose(r permission.Rule, near []permission.Rule, calls []policy.Call, as permission.Suggestion) bool {
	r.ID, r.Enabled = "suggested", true
	for slices.ContainsFunc(near, func(other permission.Rule) bool { return other.ID == r.ID }) {
		r.ID += "."
	}
	set := policy.Compile(append(slices.Clone(near), r), 0)
	for _, call := range calls {
		d := set.Decide(call, s.now)
		if d.Effect != r.Effect || d.Rule == nil || d.Rule.ID != r.ID {
			return false
		}
	}
	as.Rule = r.Form()
	as.Rule.Effect = &r.Effect
	s.out = append(s.out, as)
	return true
}
