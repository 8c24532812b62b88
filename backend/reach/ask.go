package reach

import (
	"fmt"
	"slices"

	"sekisho/backend/command"
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// asking is one question, put to all rules.
type asking struct {
	query permission.ReachQuery
	set   *policy.Set
	rules []*rule
	now   permission.Time
	risk  Risk
	looks int
}

// Ask says which rules of a set may allow the calls of a query, as the rules act now. The
// calls are tool calls; what the desk keeps beside rules (hold, changed tools) counts for
// nothing.
func Ask(set *policy.Set, query permission.ReachQuery, risk Risk, now permission.Time) permission.Reach {
	a := &asking{query: query, set: set, rules: prepare(set, now), now: now, risk: risk}
	out := permission.Reach{Answer: permission.ReachNo, Rules: []permission.ReachRule{}, PolicyVersion: set.Version()}
	at := map[permission.RuleID]int{}
	for i, r := range a.rules {
		at[r.ID] = i
	}
	var rows [3][]permission.ReachRule
	var parts []map[string]bool // for each rule that is left: the names that it may allow
	for _, r := range set.Rules() {
		if r.Effect != permission.Allow {
			continue
		}
		out.Total++
		row, allows := a.rest(&r), map[string]bool(nil)
		if i, acts := at[r.ID]; acts && row.Code == "" {
			row, allows = a.about(a.rules[i], a.rules[:i])
		}
		parts = append(parts, allows)
		rows[rank(row.Answer)] = append(rows[rank(row.Answer)], row)
	}
	if name, lacks := a.lacking(parts); lacks {
		for _, some := range [...]int{0, 1} {
			for _, row := range rows[some] {
				rows[2] = append(rows[2], said(row.RuleID, permission.ReachNo, permission.ReachOtherPart, nil, permission.Param("name", name),
					"no rule allows the part "+permission.Show(name)+" of such a line"))
			}
			rows[some] = nil
		}
	}
	switch {
	case len(rows[0]) > 0:
		out.Answer = permission.ReachYes
	case len(rows[1]) > 0:
		out.Answer = permission.ReachUndecided
	}
	all := slices.Concat(rows[0], rows[1], rows[2])
	out.Rules = append(out.Rules, all[:min(len(all), permission.MaxReachRules)]...)
	return out
}

func rank(answer permission.ReachAnswer) int {
	return slices.Index([]permission.ReachAnswer{permission.ReachYes, permission.ReachUndecided, permission.ReachNo}, answer)
}

func said(id permission.RuleID, answer permission.ReachAnswer, code permission.ReachCode, by *permission.RuleID, params permission.Params,
	message string) permission.ReachRule {
	return permission.ReachRule{RuleID: id, Answer: answer, Code: code, By: by, Params: params, Message: message}
}

// rest says why a rule is none to look at, or nothing.
func (a *asking) rest(r *permission.Rule) permission.ReachRule {
	no := func(code permission.ReachCode, message string) permission.ReachRule {
		return said(r.ID, permission.ReachNo, code, nil, "", message)
	}
	switch {
	case !r.Enabled:
		return no(permission.ReachDisabled, "it is disabled")
	case over(r, a.now):
		return no(permission.ReachExpired, "it has expired")
	case !r.For(permission.CallTool):
		return no(permission.ReachOtherMethod, "it is not about tool calls")
	case r.ServerID != nil && a.query.ServerID != nil && *r.ServerID != *a.query.ServerID:
		return no(permission.ReachOtherServer, "it is about another server")
	case !a.tooled(r):
		return no(permission.ReachOtherTool, "it is about other tools")
	}
	if issue := a.badName(r); issue != nil {
		return no(permission.ReachBadName, issue.Reason+": no rule allows calls with such a name")
	}
	return permission.ReachRule{}
}

// tooled reports whether a rule is about the tool that is asked about.
func (a *asking) tooled(r *permission.Rule) bool {
	tool := a.query.ToolName
	switch {
	case tool == nil:
		return true
	case r.ToolName != nil:
		return *r.ToolName == *tool
	}
	return r.ToolPattern == nil || pattern.Compile(*r.ToolPattern).Match(*tool)
}

// badName says what is wrong with a name that the query or the rule has, or nil.
func (a *asking) badName(r *permission.Rule) *permission.Explanation {
	c := policy.Call{ServerID: r.ServerID, ToolName: made}
	if a.query.ServerID != nil {
		c.ServerID = a.query.ServerID
	}
	if r.ToolName != nil {
		c.ToolName = *r.ToolName
	}
	if a.query.ToolName != nil {
		c.ToolName = *a.query.ToolName
	}
	return policy.BadNames(c)
}

// about says whether a rule may allow such calls, and for which names of parts.
func (a *asking) about(r *rule, earlier []*rule) (row permission.ReachRule, allows map[string]bool) {
	allows = map[string]bool{}
	var found *policy.Call
	var open *search // the first that left cases open
	why := &reasons{of: r}
	for _, name := range a.needed() {
		s := a.search(r, earlier, why)
		var call *policy.Call
		for _, from := range a.starts(r, name) {
			if call == nil {
				call = s.find(from)
			}
		}
		allows[name] = call != nil || s.left
		if found == nil {
			found = call
		}
		if open == nil && s.left {
			open = s
		}
	}
	switch {
	case found != nil:
		row = said(r.ID, permission.ReachYes, permission.ReachAllows, nil, "", "it allows such a call")
		row.Example = exampleOf(*found)
	case open != nil:
		row = open.undecided(r)
	default:
		row = why.never()
	}
	return row, allows
}

// undecided says why cases were left open.
func (s *search) undecided(r *rule) permission.ReachRule {
	switch {
	case s.many:
		return said(r.ID, permission.ReachUndecided, permission.ReachTooManyChoice, nil, "", "there are too many cases to tell")
	case len(s.open) == 0 && s.covered != nil:
		return said(r.ID, permission.ReachUndecided, permission.ReachAllowedBefore, &s.covered.ID, "",
			fmt.Sprintf("rule %s allows such calls before it, unless its condition fails", s.covered.ID))
	case len(s.open) == 0:
		return said(r.ID, permission.ReachUndecided, permission.ReachNoExample, nil, "", "nothing is known against it, and no example was found")
	}
	first := s.open[0]
	return said(r.ID, permission.ReachUndecided, permission.ReachDoubtfulPart, &first.of, permission.Param("part", first.part),
		fmt.Sprintf("it cannot be told when this is true: %s (rule %s)", first.part, first.of))
}

// reasons gathers why a rule decides no call.
type reasons struct {
	of *rule
	by []*rule // earlier rules that decide calls that its condition is true of
}

func (w *reasons) earlier(r *rule) {
	if !slices.Contains(w.by, r) {
		w.by = append(w.by, r)
	}
}

// never says why a rule decides no such call.
func (w *reasons) never() permission.ReachRule {
	switch {
	case len(w.by) == 0:
		return said(w.of.ID, permission.ReachNo, permission.ReachNeverTrue, nil, "", "its condition is true of no such call")
	case len(w.by) == 1:
		by := w.by[0]
		return said(w.of.ID, permission.ReachNo, permission.ReachEarlierRule, &by.ID, permission.Param("effect", by.Effect),
			fmt.Sprintf("rule %s (priority %d) decides every such call before it", by.ID, by.Priority))
	}
	return said(w.of.ID, permission.ReachNo, permission.ReachNothingLeft, nil, "",
		"earlier rules decide every such call that its condition is true of")
}

// search looks for such a call that a rule allows.
func (a *asking) search(r *rule, earlier []*rule, why *reasons) *search {
	out := &search{looks: &a.looks}
	out.narrow = func(s *state) (none bool, branches []step) {
		o, branches := r.applies(s, true)
		if !o.may(isTrue) {
			return true, nil
		}
		by, more := stopped(s, earlier, &a.looks)
		switch {
		case by == nil:
		case by.Effect == permission.Allow && !by.lasting():
			out.left = true
			if out.covered == nil {
				out.covered = by
			}
			return true, nil
		default:
			why.earlier(by)
			return true, nil
		}
		if branches == nil {
			branches = more
		}
		return false, branches
	}
	out.try = func(s *state) *policy.Call {
		c := complete(s, a.rules, a.risk)
		if a.asks(c) && a.decides(a.set.Decide(c, a.now), r.ID) {
			return &c
		}
		return nil
	}
	return out
}

// stopped gives the first of some rules that surely decides the calls of a state, or what
// tells apart those that one may decide. A condition may fail for its cost, too, and a limit
// may be reached, and then an allow rule decides nothing.
func stopped(s *state, rules []*rule, looks *int) (by *rule, branches []step) {
	for _, g := range rules {
		*looks++
		o, choice := g.applies(s, false)
		if o == isTrue && (g.Effect != permission.Allow || g.lasting()) {
			return g, nil
		}
		if o == isTrue && by == nil {
			by = g
		}
		if branches == nil {
			branches = choice
		}
	}
	return by, branches
}

// lasting reports whether an allow rule decides each call that it applies to, whatever came before.
func (r *rule) lasting() bool { return r.Condition == nil && r.Limit == nil }

// decides reports whether a rule allows a call, or a part of its line that is asked about.
func (a *asking) decides(d policy.Decision, id permission.RuleID) bool {
	if d.Effect != permission.Allow || d.Parts == nil {
		return d.Effect == permission.Allow && d.Rule != nil && d.Rule.ID == id
	}
	needed := a.needed()
	return slices.ContainsFunc(d.Parts, func(p permission.PartVerdict) bool {
		return p.Rule != nil && p.Rule.ID == id && (needed[0] == "" || slices.Contains(needed, p.Name))
	})
}

// asks reports whether a call is one that the query describes.
func (a *asking) asks(c policy.Call) bool {
	if a.query.Risk != "" && c.Risk != a.query.Risk {
		return false
	}
	if len(a.query.Names) == 0 {
		return true
	}
	cwd := ""
	if c.Cwd != nil {
		cwd = *c.Cwd
	}
	members, err := rawjson.Members(c.Input)
	if err != nil {
		return false
	}
	line, found := command.Of(rawjson.Values(members), c.ToolName, cwd, false)
	return found && !line.Opaque && !slices.ContainsFunc(a.query.Names, func(name string) bool { return !slices.Contains(line.Names(), name) })
}

// needed are the names that a line must have a rule for: "" stands for any part.
func (a *asking) needed() (names []string) {
	for _, name := range a.query.Names {
		if !slices.Contains(names, name) && !mayBeNeutral(name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return []string{""}
	}
	return names
}

// mayBeNeutral reports whether a part of this name may need no rule beside another.
func mayBeNeutral(name string) bool {
	return slices.ContainsFunc(command.Read("true | "+name).Parts, func(p command.Part) bool { return p.Name == name && p.Neutral })
}

// lacking gives a name that no rule may allow.
func (a *asking) lacking(rules []map[string]bool) (string, bool) {
	for _, name := range a.needed() {
		if name != "" && !slices.ContainsFunc(rules, func(allows map[string]bool) bool { return allows[name] }) {
			return name, true
		}
	}
	return "", false
}

// starts are the states of the query in which a rule may decide, about a line that has a
// part of a name.
func (a *asking) starts(r *rule, name string) []*state {
	s := start(r, permission.CallTool)
	know := func(v, value string) { s.facts[v] = fact{is: &value} }
	if a.query.ServerID != nil {
		know(serverOf, quote(*a.query.ServerID))
	}
	if a.query.ToolName != nil {
		know(toolOf, quote(*a.query.ToolName))
	}
	if a.query.AgentID != "" {
		know(agentIDOf, quote(string(a.query.AgentID)))
	}
	if a.query.AgentName != "" {
		know(agentNameOf, quote(a.query.AgentName))
	}
	if a.query.Risk != "" {
		know(riskOf, quote(string(a.query.Risk)))
	}
	if len(a.query.Names) == 0 {
		return []*state{s}
	}
	s.text = joined(a.query.Names)
	all := make([]*state, 0, len(lineVariables))
	for i, v := range lineVariables {
		none := absent
		of := s.with(step{v: v, not: []string{absent}}).with(step{v: lineVariables[1-i], is: &none})
		if of.line = v; name != "" {
			of.names = []string{name}
		}
		all = append(all, of)
	}
	return all
}
