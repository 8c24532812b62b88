package learn

import (
	"slices"
	"strings"

	"sekisho/backend/advice"
	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

const mostExamples = 3

// propose finds rules that would have answered what would have asked.
func (l *learner) propose(asking []*kind) {
	var answers []permission.Answered
	for _, k := range asking {
		answers = append(answers, permission.Answered{ServerID: k.call.ServerID, ToolName: k.call.ToolName, Cwd: k.call.Cwd, Input: k.call.Input,
			MaxRisk: k.call.Risk, Approved: k.ran, Declined: k.declined})
	}
	var all []permission.Rule
	l.result.Left = l.result.Asked
	for i, s := range advice.Suggest(answers, l.Rules, l.Now) {
		rule, ok := ruleOf(s.Rule, "proposed", i)
		if !ok || rule.Effect != permission.Allow {
			continue
		}
		calls, examples := l.reach(rule, asking, "")
		if calls == 0 {
			continue
		}
		l.result.Rules = append(l.result.Rules, ProposedRule{Rule: s.Rule, Calls: calls, Examples: examples})
		all = append(all, rule)
	}
	slices.SortStableFunc(l.result.Rules, func(a, b ProposedRule) int { return b.Calls - a.Calls })
	after := policy.Compile(append(slices.Clone(l.Rules), all...), 0)
	for _, k := range asking {
		if k.held && after.Decide(k.call, l.Now).Effect == permission.Allow {
			l.result.Left -= k.count
		}
	}
}

// reach counts the calls that a rule, beside those in force, would have decided as it
// says, and gives a few of them. Only kinds that may be among them are judged: those of the
// rule's tool and server whose lines run program, where that is not "".
func (l *learner) reach(rule permission.Rule, kinds []*kind, program string) (calls int, examples []string) {
	examples = []string{}
	with := policy.Compile(append(slices.Clone(l.Rules), rule), 0)
	for _, k := range kinds {
		if !k.held || rule.ToolName != nil && *rule.ToolName != k.call.ToolName || program != "" && !slices.Contains(k.programs, program) ||
			rule.ServerID != nil && (k.call.ServerID == nil || *rule.ServerID != *k.call.ServerID) {
			continue
		}
		if d := with.Decide(k.call, l.Now); d.Effect == rule.Effect && d.Rule != nil && d.Rule.ID == rule.ID {
			calls += k.count
			if len(examples) < mostExamples && !slices.Contains(examples, k.line) {
				examples = append(examples, k.line)
			}
		}
	}
	return calls, examples
}

// read is a call in one line, which is what it would run or its tool, and the programs
// that it would run.
func read(c *policy.Call) (line string, programs []string) {
	members, err := rawjson.Members(c.Input)
	if err != nil {
		return c.ToolName, nil
	}
	order, found := command.Find(rawjson.Values(members))
	if !found || order.Text == "" {
		return c.ToolName, nil
	}
	cwd := ""
	if c.Cwd != nil {
		cwd = *c.Cwd
	}
	for _, p := range order.ReadAs(c.ToolName, cwd, false).Parts {
		if !slices.Contains(programs, p.Program) {
			programs = append(programs, p.Program)
		}
	}
	line, _, _ = strings.Cut(strings.Join(append([]string{order.Text}, order.Args...), " "), "\n")
	return short(line), programs
}

// short cuts a line that is too long to be an example.
func short(line string) string {
	const most = 120
	if cut := []rune(line); len(cut) > most {
		return string(cut[:most-1]) + "…"
	}
	return line
}
