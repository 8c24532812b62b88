package reach_test

import (
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/reach"
)

// ruled makes rules of lines: effect, priority, server, tool or pattern, and the condition.
func ruled(t *testing.T, text string) (rules []permission.Rule) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.SplitN(strings.TrimSpace(line), " ", 5)
		r := permission.Rule{ID: permission.RuleID(fmt.Sprint(i + 1)), Enabled: true, Effect: permission.Effect(f[0]), CreatedAt: permission.Time(i + 1)}
		r.AutoApprove = r.Effect == permission.Allow
		if _, err := fmt.Sscan(f[1], &r.Priority); err != nil {
			t.Fatal(err)
		}
		if f[2] != "any" {
			r.ServerID = &f[2]
		}
		switch {
		case f[3] == "any":
		case strings.Contains(f[3], "*"):
			r.ToolPattern = &f[3]
		default:
			r.ToolName = &f[3]
		}
		if len(f) > 4 {
			r.Condition = &f[4]
		}
		rules = append(rules, r)
	}
	return rules
}

// TestAsk holds the answers for single questions. What stands behind an answer of a rule is the
// rule that it is about, or the example's input.
func TestAsk(t *testing.T) {
	server, tool := "shell", "execute_command"
	for name, c := range map[string]struct {
		rules string
		query permission.ReachQuery
		want  string
	}{
		"a program that no rule allows": {
			`allow 10 shell execute_command shell(input.command).names.all(n, n in ["git status", "git log"])`,
			permission.ReachQuery{Names: []string{"git push"}}, `no: 1 no condition_false`},
		"one that a rule allows": {
			`allow 10 shell execute_command shell(input.command).names.all(n, n in ["git status", "git push"])`,
			permission.ReachQuery{Names: []string{"git push"}}, `yes: 1 yes allows {"command":"git push"}`},
		"a part that no rule allows": {
			`allow 10 shell execute_command shell(input.command).names.all(n, n in ["git status"])`,
			permission.ReachQuery{Names: []string{"git status", "git push"}}, `no: 1 no other_part`},
		"a deny rule before it": {
			"allow 10 shell any\ndeny 20 any any \"git push\" in shell(input.command).names",
			permission.ReachQuery{Names: []string{"git push"}}, `no: 1 no earlier_rule 2`},
		"a deny rule behind it": {
			"allow 20 shell any\ndeny 10 any any \"git push\" in shell(input.command).names",
			permission.ReachQuery{Names: []string{"git push"}}, `yes: 1 yes allows {"command":"git push"}`},
		"other servers and tools": {
			"allow 10 other any\nallow 10 shell read_*\nallow 5 any execute_*",
			permission.ReachQuery{ServerID: &server, ToolName: &tool}, `yes: 3 yes allows {} / 1 no other_server / 2 no other_tool`},
		"two conditions that exclude each other": {
			"ask 20 any any input.path.startsWith(\"/etc\")\nallow 10 any any input.path.startsWith(\"/etc\")",
			permission.ReachQuery{}, `no: 2 no earlier_rule 1`},
		"a path that is found": {
			"ask 20 any any input.path.startsWith(\"/etc\")\nallow 10 any any under(input.path, \"/home/me/app\")",
			permission.ReachQuery{}, `yes: 2 yes allows {"path":"/home/me/app/example"}`},
		"risk": {
			"ask 20 any any risk == \"high\"\nallow 10 any any",
			permission.ReachQuery{Risk: permission.RiskHigh}, `no: 2 no earlier_rule 1`},
		"high risk with an example": {
			"allow 10 any any",
			permission.ReachQuery{Risk: permission.RiskHigh}, `yes: 1 yes allows {"command":"rm -rf build"}`},
		"what cannot be told": {
			"allow 10 any any size(input) == 77",
			permission.ReachQuery{}, `undecided: 1 undecided condition 1`},
		"a program by a helper": {
			"allow 10 any any shell(input.command).parts.all(p, p.program == \"git\" && p.verb == \"log\")",
			permission.ReachQuery{}, `yes: 1 yes allows {"command":"git log"}`},
		"allowed before": {
			"allow 20 any any has(input.path)\nallow 10 any any input.path == \"x\"",
			permission.ReachQuery{}, `yes: 1 yes allows {"path":"example"} / 2 undecided allowed_before 1`},
		"bad name": {"allow 10 any any", permission.ReachQuery{ToolName: new("ре" + "ad")}, `no: 1 no bad_name`},
	} {
		got := reach.Ask(policy.Compile(ruled(t, c.rules), 1), c.query, judged, now)
		var rows []string
		for _, r := range got.Rules {
			row := fmt.Sprintf("%s %s %s", r.RuleID, r.Answer, r.Code)
			if r.By != nil {
				row += " " + string(*r.By)
			}
			if r.Example != nil {
				row += " " + string(r.Example.Input)
			}
			rows = append(rows, row)
		}
		if text := string(got.Answer) + ": " + strings.Join(rows, " / "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// TestIsNarrower holds what is said of single edits.
func TestIsNarrower(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"another condition beside":   {`allow 10 a x input.n == 1`, `allow 10 a x input.n == 1 && input.path == "/b"`, "yes"},
		"a shorter list":             {`allow 10 a x input.n in [1, 2]`, `allow 10 a x input.n in [2]`, "yes"},
		"a longer list":              {`allow 10 a x input.n in [1]`, `allow 10 a x input.n in [1, 2]`, `no 1 {"n":2}`},
		"a narrower pattern":         {`allow 10 a read_*`, `allow 10 a read_file*`, "yes"},
		"a wider pattern":            {`allow 10 a read_file*`, `allow 10 a read_*`, `no 1 {}`},
		"a new deny rule":            {`allow 10 a x`, "allow 10 a x\ndeny 20 a x input.n == 1", "yes"},
		"a deny rule that goes":      {"allow 10 a x\ndeny 20 a x input.n == 1", `allow 10 a x`, `no 1 {"n":1}`},
		"one that held nothing":      {"allow 10 a x\nask 20 b x input.n == 1", `allow 10 a x`, "yes"},
		"one that goes behind":       {"allow 10 a x\nask 20 a x input.n == 1", "allow 10 a x\nask 5 a x input.n == 1", `no 1 {"n":1}`},
		"an obscure condition":       {`allow 10 a x size(input) > 3`, `allow 10 a x size(input) > 4`, "undecided 1 size(input) > 4"},
		"the same obscure, and more": {`allow 10 a x size(input) > 3`, `allow 10 a x size(input) > 3 && input.n == 1`, "yes"},
		"a program less": {`allow 10 a x shell(input.command).names.all(n, n in ["ls", "git log"])`, `allow 10 a x shell(input.command).names.all(n, n in ["ls"])`,
			`undecided 1 shell(input.command).names.all(n, n in ["ls"])`},
		"ask becomes allow":            {`ask 10 a x`, `allow 10 a x`, `no 1 {}`},
		"a guard of readings that was": {`deny 10 a any`, `ask 10 a any`, "no settings"},
	} {
		reads := permission.Reads{Resources: permission.Allow, Prompts: permission.Allow}
		got := reach.IsNarrower(ruled(t, c.before), ruled(t, c.after), reads, judged, now)
		text := string(got.Answer)
		if got.RuleID != nil {
			text += " " + string(*got.RuleID)
		} else if got.Answer == permission.ReachNo {
			text += " settings"
		}
		if got.Example != nil && got.RuleID != nil {
			text += " " + string(got.Example.Input)
		}
		if got.Part != "" {
			text += " " + got.Part
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}
