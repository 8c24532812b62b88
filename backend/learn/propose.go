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
		calls, examples := l.reach(rule, asking)
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
// says, and gives a few of them.
func (l *learner) reach(rule permission.Rule, kinds []*kind) (calls int, examples []string) {
	examples = []string{}
	with := policy.Compile(append(slices.Clone(l.Rules), rule), 0)
	for _, k := range kinds {
		if !k.held {
			continue
		}
		if d := with.Decide(k.call, l.Now); d.Effect == rule.Effect && d.Rule != nil && d.Rule.ID == rule.ID {
			calls += k.count
			if said := example(&k.call); len(examples) < mostExamples && !slices.Contains(examples, said) {
				examples = append(examples, said)
			}
		}
	}
	return calls, examples
}

// example is a call in one line: what it would run, or its tool.
func example(c *policy.Call) string {
	if members, err := rawjson.Members(c.Input); err == nil {
		if order, found := command.Find(rawjson.Values(members)); found && order.Text != "" {
			line, _, _ := strings.Cut(strings.Join(append([]string{order.Text}, order.Args...), " "), "\n")
			return short(line)
		}
	}
	return c.ToolName
}

// short cuts a line that is too long to be an example.
func short(line string) string {
	const most = 120
	if cut := []rune(line); len(cut) > most {
		return string(cut[:most-1]) + "…"
	}
	return line
}
