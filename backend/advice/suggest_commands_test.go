package advice_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// commanded are answers to sh run, one a line: "approved declined folder input"; the
// folder - is none, and the input ? is not known.
func commanded(t *testing.T, lines string) (all []permission.Answered) {
	t.Helper()
	for line := range strings.Lines(lines) {
		a := permission.Answered{ServerID: new("sh"), ToolName: "run", MaxRisk: permission.RiskMedium}
		var folder string
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(fields) < 4 {
			continue
		}
		if _, err := fmt.Sscan(line, &a.Approved, &a.Declined, &folder); err != nil {
			t.Fatal(line, err)
		}
		if folder != "-" {
			a.Cwd = &folder
		}
		if fields[3] != "?" {
			a.Input = json.RawMessage(fields[3])
		}
		all = append(all, a)
	}
	return all
}

const (
	gitStatus = `input.command == "git status" && input.all(k, k in ["command"]) && cwd == "/w"`
	allowsGit = "allow sh run 0 if " + gitStatus + ": run (%d)\n"
)

func TestSuggestedCommands(t *testing.T) {
	for _, tt := range []struct{ name, rules, answers, want string }{
		{"the same command", `[]`, `4 0 /w {"command":"git status"}`, fmt.Sprintf(allowsGit, 4)},
		{"with arguments", `[]`, `3 0 - {"command":"git","args":["status","-s"]}`,
			`allow sh run 0 if input.command == "git" && input.args == ["status", "-s"] && input.all(k, k in ["command", "args"]) && cwd == null: run (3)` + "\n"},
		{"each another command", `[]`, "2 0 /w {\"command\":\"git status\"}\n2 0 /w {\"command\":\"git push\"}\n2 0 /w {\"command\":\"git\"}",
			""},
		{"each in another folder", `[]`,
			"2 0 /w {\"command\":\"git status\"}\n2 0 /v {\"command\":\"git status\"}\n2 0 - {\"command\":\"git status\"}", ""},
		{"beside other commands", `[]`, "3 0 /w {\"command\":\"git status\"}\n1 0 /w {\"command\":\"git push\"}\n0 2 /w {\"command\":\"rm x\"}",
			fmt.Sprintf(allowsGit, 3)},
		{"most answers first", `[]`, "3 0 /w {\"command\":\"git status\"}\n5 0 - {\"cmd\":\"ls\"}",
			`allow sh run 0 if input.cmd == "ls" && input.all(k, k in ["cmd"]) && cwd == null: run (5)` + "\n" + fmt.Sprintf(allowsGit, 3)},
		{"declined once", `[]`, "9 0 /w {\"command\":\"git status\"}\n0 1 /w {\"command\" : \"git status\"}", ""},
		{"declined in one row", `[]`, `9 1 /w {"command":"git status"}`, ""},
		{"declined in another folder", `[]`, "3 0 /w {\"command\":\"git status\"}\n0 1 /v {\"command\":\"git status\"}",
			fmt.Sprintf(allowsGit, 3)},
		{"declined in words of another number", `[]`, "3 0 - {\"command\":\"sleep\",\"n\":5}\n0 1 - {\"command\":\"sleep\",\"n\":5.0}", ""},
		{"declined under another description", `[]`,
			"3 0 - {\"command\":\"ls\",\"description\":\"look\"}\n0 1 - {\"description\":\"see\",\"command\":\"ls\"}", ""},
		{"declined, and who knows what", `[]`, "9 0 /w {\"command\":\"git status\"}\n0 1 /w ?", ""},
		{"approved, and who knows what", `[]`, "2 0 /w {\"command\":\"git status\"}\n9 0 /w ?", ""},
		{"one command with several descriptions", `[]`,
			"1 0 - {\"command\":\"ls\"}\n1 0 - {\"command\":\"ls\",\"description\":\"a\"}\n1 0 - {\"description\":\"b\",\"command\":\"ls\"}",
			`allow sh run 0 if input.command == "ls" && input.all(k, k in ["command", "description"]) && cwd == null: run (3)` + "\n"},
		{"of one folder more than of another", `[]`, "2 0 /v {\"command\":\"git status\"}\n3 0 /w {\"command\":\"git status\"}",
			fmt.Sprintf(allowsGit, 3)},
		{"members in any order", `[]`, "2 0 - {\"command\":\"ls\",\"n\":1}\n1 0 - {\"n\":1,\"command\":\"ls\"}",
			`allow sh run 0 if input.command == "ls" && input.n == 1 && input.all(k, k in ["command", "n"]) && cwd == null: run (3)` + "\n"},
		{"what cannot be said in short", `[]`, `9 0 - {"command":"` + strings.Repeat("x", 2000) + `"}`, ""},
		{"another letter case", `[]`, `9 0 - {"Command":"ls"}`, ""},
		{"one of the words", `[]`, `9 0 - {"path":"/w/a","argv":{"a":1}}`, ""},
		{"code where a path may be", `[]`, `9 0 - {"source":"print(1)"}`,
			`allow sh run 0 if input.source == "print(1)" && input.all(k, k in ["source"]) && cwd == null: run (9)` + "\n"},
		{"code, in another letter case", `[]`, `9 0 - {"Source":"print(1)"}`, ""},
		{"a path where code may be", `[]`, `9 0 - {"source":"/w/a"}`, "allow sh run 0: run (9)\n"},
		{"never approved", `[]`, "0 2 - {\"command\":\"ls\"}\n0 1 - {\"command\":\"rm\"}", "deny sh run 0: run (3)\n"},

		{"allowed already", `[{"id":"a","toolName":"run","effect":"allow","condition":"input.command == 'git status'"}]`,
			"3 0 /w {\"command\":\"git status\"}", ""},
		{"another is allowed", `[{"id":"a","toolName":"run","effect":"allow","condition":"input.command == 'ls'"}]`,
			"3 0 /w {\"command\":\"git status\"}", fmt.Sprintf(allowsGit, 3)},
		{"denied", `[{"id":"a","toolName":"run","effect":"deny","condition":"input.command.startsWith('git')"}]`,
			"3 0 /w {\"command\":\"git status\"}", ""},
		{"a guard for it", `[{"id":"a","toolName":"run"}]`, "3 0 /w {\"command\":\"git status\"}", ""},
		{"behind guards",
			`[{"id":"a","priority":-4,"toolName":"run","effect":"deny","condition":"input.command == 'rm'"},{"id":"b","priority":-9}]`,
			"3 0 /w {\"command\":\"git status\"}",
			"allow sh run -8 if " + gitStatus + ": run (3)\n"},
		{"no room behind guards",
			`[{"id":"a","priority":-9,"toolName":"run","effect":"deny","condition":"input.command == 'rm'"},{"id":"b","priority":-9}]`,
			"3 0 /w {\"command\":\"git status\"}", ""},
		{"a guard that fails", `[{"id":"a","toolName":"run","effect":"deny","condition":"input.nothing == 1"}]`,
			"3 0 /w {\"command\":\"git status\"}", ""},
	} {
		var raw []json.RawMessage
		if err := json.Unmarshal([]byte(tt.rules), &raw); err != nil {
			t.Fatal(tt.name, err)
		}
		if got := proposals(advice.Suggest(commanded(t, tt.answers), rulestest.Read(t, raw...), rulestest.Now)); got != tt.want {
			t.Errorf("%s:\n got %swant %s", tt.name, got, tt.want)
		}
	}
}

func TestNoCommandOfHighRiskIsSuggested(t *testing.T) {
	answers := commanded(t, `9 0 /w {"command":"git status"}`)
	if got := advice.Suggest(answers, nil, rulestest.Now); len(got) != 1 {
		t.Fatalf("the test is blind: %s", proposals(got))
	}
	answers = append(answers, permission.Answered{ServerID: new("sh"), ToolName: "run", MaxRisk: permission.RiskHigh})
	if got := advice.Suggest(answers, nil, rulestest.Now); len(got) != 0 {
		t.Errorf("known to be of high risk: %s", proposals(got))
	}
}

// TestSuggestedCommandsAreFew: and each can be saved, after which the next ones come.
func TestSuggestedCommandsAreFew(t *testing.T) {
	var answers []permission.Answered
	for i := range 25 {
		answers = append(answers, commanded(t, fmt.Sprintf(`3 0 /w {"command":"make %c"}`, 'a'+i))...)
	}
	var rules []permission.Rule
	for _, want := range []int{10, 10, 5, 0} {
		list := advice.Suggest(answers, rules, rulestest.Now)
		if len(list) != want {
			t.Fatalf("%d suggestions, want %d", len(list), want)
		}
		for i, s := range list {
			rule, err := s.Rule.Apply(permission.Rule{ID: permission.RuleID(fmt.Sprint(len(rules), "-", i))})
			if err != nil || rule.Valid() != nil || policy.CheckRule(&rule) != nil {
				t.Fatalf("%+v: %v", s.Rule, err)
			}
			rules = append(slices.Clone(rules), rule)
		}
	}
	rules = []permission.Rule{{ID: "guard", ToolName: new("run"), Effect: permission.Ask, Enabled: true,
		Condition: new(`input.command < "make w"`)}}
	if list := advice.Suggest(answers, rules, rulestest.Now); len(list) != 3 {
		t.Errorf("beside guarded commands: %s", proposals(list))
	}
}

// TestASuggestedCommandAllowsNoOther, not even with more behind it.
func TestASuggestedCommandAllowsNoOther(t *testing.T) {
	list := advice.Suggest(commanded(t, `3 0 /w {"command":"make a"}`), nil, rulestest.Now)
	if len(list) != 1 {
		t.Fatal(proposals(list))
	}
	rule, err := list[0].Rule.Apply(permission.Rule{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	rules := []permission.Rule{rule}
	other := policy.Call{ServerID: new("sh"), ToolName: "run", Input: json.RawMessage(`{"command":"make a; rm -r ."}`), Cwd: new("/w")}
	if d := policy.Compile(rules, 0).Decide(other, rulestest.Now); d.Effect != permission.Ask {
		t.Errorf("another command is %+v", d)
	}
}
