package advice

import (
	"cmp"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// habit is what is known of a tool, and what a person answered to its calls.
type habit struct {
	server *string
	tool   string
	risk   permission.Risk // the highest

	approved, declined int
	known              int               // of approved, those of known inputs
	looked             bool              // an input is known
	runs               bool              // an input says what is done
	blind              bool              // a call of an unknown input was declined
	commands           []answeredCommand // that were answered
}

// answeredCommand is an answered call of a tool that runs what its input says.
type answeredCommand struct {
	call               policy.Call
	same               string // as in sameCommand
	described          bool
	approved, declined int
}

// byServer gathers the answers of each server, by tool, all in the order of names.
func byServer(answers []permission.Answered) (lists [][]habit) {
	type key struct{ server, tool string }
	sum := map[key]*habit{}
	for i := range answers {
		a := &answers[i]
		if a.ServerID == nil {
			continue
		}
		k := key{*a.ServerID, a.ToolName}
		if sum[k] == nil {
			sum[k] = &habit{server: a.ServerID, tool: a.ToolName, risk: a.MaxRisk}
		}
		sum[k].add(a)
	}
	servers := map[string][]habit{}
	for k, h := range sum {
		servers[k.server] = append(servers[k.server], *h)
	}
	for _, tools := range servers {
		slices.SortFunc(tools, func(a, b habit) int { return cmp.Compare(a.tool, b.tool) })
		lists = append(lists, tools)
	}
	slices.SortFunc(lists, func(a, b []habit) int { return cmp.Compare(*a[0].server, *b[0].server) })
	return lists
}

func (h *habit) add(a *permission.Answered) {
	h.approved, h.declined = h.approved+a.Approved, h.declined+a.Declined
	if a.MaxRisk.Rank() > h.risk.Rank() {
		h.risk = a.MaxRisk
	}
	members, err := rawjson.Members(a.Input)
	if err != nil { // or there is none
		h.blind = h.blind || a.Declined > 0
		return
	}
	h.looked, h.known = true, h.known+a.Approved
	if !slices.ContainsFunc(members, saysWhatIsDone) {
		return
	}
	h.runs = true
	if a.Approved+a.Declined > 0 {
		same, described := sameCommand(members, a.Cwd)
		h.commands = append(h.commands, answeredCommand{policy.Call{ServerID: a.ServerID, ToolName: a.ToolName, Input: a.Input, Cwd: a.Cwd}, same,
			described, a.Approved, a.Declined})
	}
}

// harmless tools were never declined, are not of high risk, and do not run what their
// inputs say, so far as inputs are known.
func (h *habit) harmless() bool {
	return h.declined == 0 && h.risk.Rank() < permission.RiskHigh.Rank() && h.looked && !h.runs
}

// saysWhatIsDone reports whether a member of an input is what pins takes for a command, or
// what some programs read as one.
func saysWhatIsDone(m rawjson.Member) bool {
	like := func(key string) bool { return strings.EqualFold(key, m.Key) }
	return slices.ContainsFunc(doing, like) || slices.ContainsFunc(code, like) && holdsCode(m.Value)
}

// sameCommand is a text that calls have in common which are one command to a person: the
// members of their inputs in any order, but for the description, and their folder.
func sameCommand(members []rawjson.Member, cwd *string) (text string, hasDescription bool) {
	var parts []string
	for _, m := range members {
		if m.Key == described {
			hasDescription = true
			continue
		}
		part := rawjson.AppendString(nil, m.Key)
		part, _ = rawjson.Canonical(append(part, ':'), m.Value) // Members took it
		parts = append(parts, string(part))
	}
	slices.Sort(parts)
	if cwd != nil {
		parts = append(parts, string(rawjson.AppendString([]byte("in "), *cwd)))
	}
	return strings.Join(parts, ","), hasDescription
}
