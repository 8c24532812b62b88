package learn

import (
	"cmp"
	"slices"
	"strings"

	"sekisho/backend/advice"
	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

const (
	mostExamples = 3
	mostPast     = 20_000 // calls that rules are proposed from
	mostEqual    = 10     // of those that are equal
)

// propose finds rules that would have answered what would have asked.
func (l *learner) propose(asking []*kind) {
	past, of := l.past(asking)
	answered := map[*kind]bool{}
	for _, p := range advice.Propose(l.set, past, l.Now) {
		form := p.Rule.Form()
		form.Effect = &p.Rule.Effect
		out := ProposedRule{Rule: form, Covers: p.Covers, Examples: []string{}}
		seen := map[*kind]bool{}
		for _, at := range p.Calls {
			k := of[at]
			if seen[k] {
				continue
			}
			seen[k], answered[k] = true, true
			out.Calls += k.count
			if len(out.Examples) < mostExamples && !slices.Contains(out.Examples, k.line) {
				out.Examples = append(out.Examples, k.line)
			}
		}
		l.result.Rules = append(l.result.Rules, out)
	}
	slices.SortStableFunc(l.result.Rules, func(a, b ProposedRule) int { return b.Calls - a.Calls })
	l.result.Left = l.result.Asked
	for k := range answered {
		l.result.Left -= k.count
	}
}

// past are the calls as a desk remembers them, the newest kinds first, and the kind of each.
func (l *learner) past(asking []*kind) (past []permission.PastCall, of []*kind) {
	newest := slices.SortedStableFunc(slices.Values(asking), func(a, b *kind) int { return cmp.Compare(b.last, a.last) })
	for _, k := range newest {
		if !k.held {
			continue
		}
		c := permission.PastCall{ServerID: k.call.ServerID, ToolName: k.call.ToolName, Input: k.call.Input, Cwd: k.call.Cwd, At: k.last,
			Risk: k.call.Risk, Answer: permission.AnswerOther}
		answers := []permission.PastAnswer{}
		if k.declined > 0 {
			answers = append(answers, permission.AnswerDeclined)
		}
		for range min(k.ran, mostEqual) {
			answers = append(answers, permission.AnswerApproved)
		}
		if len(answers) == 0 {
			answers = append(answers, permission.AnswerOther)
		}
		if len(past)+len(answers) > mostPast {
			l.result.Full = true
			return past, of
		}
		for _, c.Answer = range answers {
			past, of = append(past, c), append(of, k)
		}
	}
	return past, of
}

// reach counts the calls that a rule, beside those in force, would have decided as it
// says. Only kinds that may be among them are judged: those of the rule's tool and server
// whose lines run program, where that is not "".
func (l *learner) reach(rule permission.Rule, program string) (calls int) {
	with := policy.Compile(append(slices.Clone(l.Rules), rule), 0)
	for _, k := range l.order {
		if !k.held || rule.ToolName != nil && *rule.ToolName != k.call.ToolName || program != "" && !slices.Contains(k.programs, program) ||
			rule.ServerID != nil && (k.call.ServerID == nil || *rule.ServerID != *k.call.ServerID) {
			continue
		}
		if d := with.Decide(k.call, l.Now); d.Effect == rule.Effect && d.Rule != nil && d.Rule.ID == rule.ID {
			calls += k.count
		}
	}
	return calls
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
