package advice_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/advice"
	"sekisho/backend/cputime"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// answered reads past calls, one a line: "times answer server tool folder input"; the server
// or folder - is none, and the input ? is not known.
func answered(t *testing.T, lines string) (past []permission.PastCall) {
	t.Helper()
	for line := range strings.Lines(lines) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 6)
		if len(f) < 6 {
			continue
		}
		c := pastCall(strings.Trim(f[2], "-"), f[3], strings.Trim(f[4], "-"), f[5])
		if c.Answer = permission.PastAnswer(f[1]); f[5] == "?" {
			c.Input = nil
		}
		times := 0
		if _, err := fmt.Sscan(f[0], &times); err != nil {
			t.Fatal(line, err)
		}
		past = append(past, slices.Repeat([]permission.PastCall{c}, times)...)
	}
	return past
}

// suggested writes suggestions as "effect words (answers of calls)", one a line.
func suggested(list []permission.Suggestion) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s %s (%d of %d)\n", *s.Rule.Effect, s.Covers.Text, s.Answers, s.Past.Calls)
	}
	return b.String()
}

func TestSuggest(t *testing.T) {
	for _, tt := range []struct{ name, rules, past, want string }{
		{"nothing", `[]`, "", ""},
		{"reading in a folder", `[]`, `
			3 approved sh bash /w {"command":"git status"}
			2 approved sh bash /w {"command":"git log"}
			4 approved sh bash /w {"command":"git diff | head"}
			1 allowed sh bash /w {"command":"ls"}`,
			"allow commands that only read, by bash on sh, in /w, as long as it only reads (9 of 10)\n"},
		{"programs and verbs together", `[]`, `
			2 approved sh bash /w {"command":"git add ."}
			2 approved sh bash /w {"command":"git commit -m x"}
			1 approved sh bash /w {"command":"git add . && git commit -m y"}`,
			"allow git add, git commit by bash on sh, in /w, up to medium risk (5 of 5)\n"},
		{"each in its folder", `[]`, `
			3 approved sh bash /w {"command":"git add ."}
			4 approved sh bash /v {"command":"git add ."}`, "allow git add by bash on sh, in /v, up to medium risk (4 of 4)\n" +
			"allow git add by bash on sh, in /w, up to medium risk (3 of 3)\n"},
		{"too few", `[]`, `2 approved sh bash /w {"command":"ls"}`, ""},
		{"what was declined is left out", `[]`, `
			3 approved sh bash /w {"command":"git add ."}
			3 approved sh bash /w {"command":"npm test"}
			1 declined sh bash /w {"command":"npm test"}`, "allow git add by bash on sh, in /w, up to medium risk (3 of 3)\n"},
		{"high, opaque and code", `[]`, `
			9 approved sh bash /w {"command":"git push"}
			9 approved sh bash /w {"command":"$X"}
			9 approved sh bash /w {"command":"python3 -c 'print(1)'"}`, ""},
		{"an input that is not known", `[]`, "9 approved sh bash /w ?", ""},
		{"the agent's own tools", `[]`, `
			3 approved - Bash /w {"command":"ls"}
			2 approved - Edit /w {"file_path":"/w/a"}
			1 approved - Edit /w {"file_path":"/w/b/c"}`, "allow commands that only read, by Bash, in /w, as long as it only reads (3 of 3)\n" +
			"allow Edit, on files in /w, up to medium risk (3 of 3)\n"},
		{"a tool", `[]`, `
			2 approved jira get_issue - {"key":"A-1"}
			1 approved jira get_issue - {"key":"A-2"}`, "allow get_issue on jira, up to medium risk (3 of 3)\n"},
		{"a tool that was declined too", `[]`, `
			9 approved jira get_issue - {"key":"A-1"}
			1 declined jira get_issue - {"key":"A-2"}`, ""},
		{"decided already", `[{"id":"a","serverId":"sh","effect":"allow"}]`, `9 approved sh bash /w {"command":"ls"}`, ""},
		{"above the rule for all", `[{"id":"a","priority":5}]`, `3 approved sh bash /w {"command":"ls"}`,
			"allow commands that only read, by bash on sh, in /w, as long as it only reads (3 of 3)\n"},
		{"past a guard", `[{"id":"a","serverId":"sh","effect":"deny","condition":"input.nothing == 1"},{"id":"b"}]`,
			`9 approved sh bash /w {"command":"ls"}`, ""},
		{"a deny", `[]`, `
			3 declined fs drop - {}
			2 declined fs wipe - {}
			3 declined fs move - {}
			1 approved fs move - {}
			3 declined - drop - {}`, "deny drop on fs, of any risk (3 of 3)\n"},
		{"a deny where a condition decides", `[{"id":"a","toolName":"drop","condition":"input.x == 1"}]`, `3 declined fs drop - {}`, ""},
		{"a deny where it is denied", `[{"id":"a","toolName":"drop","effect":"deny"}]`, `3 declined fs drop - {}`, ""},
	} {
		past := answered(t, tt.past)
		list := advice.Suggest(rulestest.Set(t, tt.rules), past, rulestest.Now)
		if got := suggested(list); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
		for _, s := range list {
			rule, err := s.Rule.Apply(permission.Rule{ID: "new"})
			if err != nil || rule.Valid() != nil || policy.CheckRule(&rule) != nil {
				t.Errorf("%s: %+v cannot be saved: %v", tt.name, s.Rule, err)
			}
		}
	}
	held := rulestest.Set(t, `[]`).Doubting(permission.Said("hold"))
	if got := advice.Suggest(held, answered(t, "3 approved fs ls - {}\n3 declined fs drop - {}"), rulestest.Now); len(got) != 0 {
		t.Errorf("under doubt: %s", suggested(got))
	}
}

// TestSuggestionsAreQuick: 2,000 kept calls take a small part of a second, without the race detector.
func TestSuggestionsAreQuick(t *testing.T) {
	var past []permission.PastCall
	for i := range 2_000 {
		line := []string{"git status", "go test ./...", "git add a%d", "ls src/%d", "grep -n x%d a.go | head", "kubectl get pods -n n%d",
			"npm test -- f%d.js", "git commit -m 'm %d'", "sed -n 1,%dp a.go", "docker compose up -d s%d"}[i%10]
		if strings.Contains(line, "%d") {
			line = fmt.Sprintf(line, i)
		}
		input, _ := json.Marshal(map[string]string{"command": line})
		past = append(past, pastCall("sh", "bash", fmt.Sprintf("/w/app%d", i%7), string(input)))
	}
	set, call := policy.Compile(nil, 0), past[5]
	start := cputime.Now()
	if list := advice.Suggest(set, past, rulestest.Now); len(list) < 7 {
		t.Errorf("%d suggestions", len(list))
	}
	took := cputime.Since(start)
	start = cputime.Now()
	if list := advice.Choices(set, call, past, rulestest.Now); len(list) < 4 || list[0].Past.Calls < 20 {
		t.Errorf("%d choices", len(list))
	}
	choices := cputime.Since(start)
	t.Logf("suggestions %v, choices %v of processor time", took, choices)
	if limit := 5 * time.Second; took > limit || choices > limit {
		t.Errorf("suggestions took %v, choices %v", took, choices)
	}
}

// TestWhatIsKeptIsNotSuggestedAgain: calls that are allowed by now count for nothing, though
// others have a part like theirs and ask still.
func TestWhatIsKeptIsNotSuggestedAgain(t *testing.T) {
	var past []permission.PastCall
	for _, line := range []string{"go test ./a", "go test ./b -v", "go test ./c", "mkdir a", "mkdir b", "mkdir c",
		"git tag x && go test ./d", "git tag y && go test ./e", "git tag z && go test ./f", "git tag w"} {
		past = append(past, pastCall("sh", "bash", "/w/app", `{"command":"`+line+`"}`))
	}
	past[9].Answer = permission.AnswerDeclined
	var rules []permission.Rule
	for range 4 {
		for _, p := range advice.Propose(policy.Compile(rules, 0), past, rulestest.Now) {
			p.Rule.ID = permission.RuleID(fmt.Sprint("r", len(rules)))
			rules = append(rules, p.Rule)
		}
	}
	if len(rules) != 1 {
		t.Errorf("%d rules for the same calls", len(rules))
	}
}
