package advice_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// answered reads "server tool approved declined risk input" lines; the server - is none,
// the input ? is not known, and none is {}. Blanks in an input are written as \u0020.
func answered(t *testing.T, lines string) (all []permission.Answered) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var a permission.Answered
		var server string
		if strings.TrimSpace(line) == "" {
			continue
		}
		input := "{}"
		if n, err := fmt.Sscan(line, &server, &a.ToolName, &a.Approved, &a.Declined, &a.MaxRisk, &input); n < 5 {
			t.Fatal(line, err)
		}
		if input != "?" {
			a.Input = json.RawMessage(input)
		}
		if server != "-" {
			a.ServerID = &server
		}
		all = append(all, a)
	}
	return all
}

// proposals writes suggestions as "effect server reach priority if condition: tools (answers)".
func proposals(list []permission.Suggestion) string {
	var b strings.Builder
	for _, s := range list {
		reach := s.Rule.ToolPattern
		if reach == nil {
			reach = s.Rule.ToolName
		}
		only := ""
		if s.Rule.Condition != nil {
			only = " if " + *s.Rule.Condition
		}
		fmt.Fprintf(&b, "%s %s %s %d%s: %s (%d)\n", *s.Rule.Effect, *s.Rule.ServerID, *reach, s.Rule.Priority, only, strings.Join(s.Tools, " "),
			s.Answers)
	}
	return b.String()
}

func TestSuggest(t *testing.T) {
	for _, tt := range []struct{ name, rules, answers, want string }{
		{"nothing", `[]`, ``, ``},
		{"a habit", `[]`, "fs read 3 0 medium", "allow fs read 0: read (3)\n"},
		{"no habit yet", `[]`, "fs read 2 0 medium", ""},
		{"once declined", `[]`, "fs read 9 1 low", ""},
		{"once of high risk", `[]`, "fs read 9 0 high", ""},
		{"once of high risk, and not answered", `[]`, "fs read 9 0 medium\nfs read 0 0 high ?", ""},
		{"inputs that are not known", `[]`, "fs read 9 0 low ?\nfs read 2 0 low", ""},
		{"inputs that are known beside them", `[]`, "fs read 9 0 low ?\nfs read 3 0 low", "allow fs read 0: read (3)\n"},
		{"an input that is no object", `[]`, `fs read 9 0 low "git\u0020push"`, ""},
		{"a risk that is not known", `[]`, "fs read 9 0 huge", ""},
		{"no server", `[]`, "- read 9 0 low", ""},
		{"a bad name", `[]`, "fs re\u200bad 9 0 low", ""},
		{"declined", `[]`, "fs rm 0 3 high", "deny fs rm 0: rm (3)\n"},
		{"two rows of one tool", `[]`, "fs read 3 0 low\nfs read 0 1 low\nfs ls 2 0 low\nfs ls 1 0 low\nfs cd 3 0 high\nfs cd 1 0 low",
			"allow fs ls 0: ls (3)\n"},
		{"above the rule for all", `[{"id":"a","priority":7}]`, "fs read 3 0 medium\nfs rm 0 4 medium",
			"deny fs rm 7: rm (4)\nallow fs read 8: read (3)\n"},
		{"the rule for all may have stars", `[{"id":"a","priority":7,"toolPattern":"**"}]`, "fs read 3 0 medium", "allow fs read 8: read (3)\n"},
		{"no room above", `[{"id":"a","priority":2147483647}]`, "fs read 3 0 medium", ""},
		{"a guard", `[{"id":"a","priority":7,"serverId":"fs"}]`, "fs read 3 0 medium\nfs rm 0 3 high", "deny fs rm 7: rm (3)\n"},
		{"denied, allowed", `[{"id":"a","toolName":"rm","effect":"deny"},{"id":"b","toolName":"read","effect":"allow"}]`,
			"fs read 3 0 low\nfs rm 3 0 low\nfs rm 0 3 low", ""},
		{"a condition", `[{"id":"a","toolPattern":"r*","effect":"deny","condition":"has(input.a) && input.a == 1"}]`,
			"fs read 3 0 low\nfs rm 0 3 low\nfs ls 3 0 low", "allow fs ls 0: ls (3)\n"},

		{"a shared beginning", `[]`, "fs read_a 2 0 low\nfs read_b 1 0 medium\nfs list 3 0 low",
			"allow fs read_* 0: read_a read_b (3)\nallow fs list 0: list (3)\n"},
		{"the longest beginning", `[]`, "h get_user_name 2 0 low\nh get_user_mail 2 0 low\nh get_issue 3 0 low",
			"allow h get_user_* 0: get_user_mail get_user_name (4)\nallow h get_issue 0: get_issue (3)\n"},
		{"a beginning is words", `[]`, "fs reada 2 0 low\nfs readb 2 0 low", ""},
		{"of one server", `[]`, "fs read_a 2 0 low\nfx read_b 2 0 low", ""},
		{"not over what was declined", `[]`, "fs read_a 3 0 low\nfs read_b 2 0 low\nfs READ_c 0 1 low", "allow fs read_a 0: read_a (3)\n"},
		{"not over high risk", `[]`, "fs read_a 3 0 low\nfs read_b 2 0 low\nfs read_c 9 0 high", "allow fs read_a 0: read_a (3)\n"},
		{"not over high risk that nobody answered", `[]`,
			"db read 3 0 medium\ndb db_read 3 0 medium\ndb db_list 3 0 medium\ndb DB_drop 0 0 high ?\nfs fs_a 2 0 low\nfs fs_b 2 0 low\nother db_drop 0 0 high ?",
			"allow fs fs_* 0: fs_a fs_b (4)\nallow db db_list 0: db_list (3)\nallow db db_read 0: db_read (3)\nallow db read 0: read (3)\n"},
		{"over what was asked and is harmless", `[]`, "fs read_a 3 0 low\nfs read_b 2 0 low\nfs read_c 0 0 medium",
			"allow fs read_* 0: read_a read_b (5)\n"},
		{"not over what nobody could look at", `[]`, "fs read_a 3 0 low\nfs read_b 2 0 low\nfs read_c 1 0 low ?",
			"allow fs read_a 0: read_a (3)\n"},
		{"not for what nobody could look at", `[]`, "fs read_a 3 0 low\nfs read_b 5 0 low ?\nfs read_b 0 0 low",
			"allow fs read_a 0: read_a (3)\n"},
		{"not over what runs its input", `[]`, "sh run_a 3 0 low\nsh run_b 2 0 low\n" + `sh run_c 0 0 low {"command":"ls"}`,
			"allow sh run_a 0: run_a (3)\n"},
		{"behind guards",
			`[{"id":"a","priority":-5,"toolPattern":"*_secret"},{"id":"b","priority":-9,"toolPattern":"read_keys","effect":"deny"}]`,
			"fs read_a 3 0 low\nfs read_b 2 0 low", "allow fs read_* -9: read_a read_b (5)\n"},
		{"between the rule for all and guards", `[{"id":"a","priority":5},{"id":"b","priority":6,"toolPattern":"read_k*","effect":"deny"}]`,
			"fs read_a 3 0 low\nfs read_b 2 0 low", "allow fs read_* 6: read_a read_b (5)\n"},
		{"no room for the pattern", `[{"id":"a","priority":5},{"id":"b","priority":5,"toolPattern":"read_k*","effect":"deny"}]`,
			"fs read_a 3 0 low\nfs read_b 2 0 low", "allow fs read_a 6: read_a (3)\n"},
		{"a star in a name is a star", `[]`, "fs a*_b 3 0 low\nfs a*_c 2 0 low", "allow fs a*_b 0: a*_b (3)\n"},
		{"a beginning without words", `[]`, "fs _a 3 0 low\nfs _b 2 0 low", "allow fs _a 0: _a (3)\n"},
		{"an expired guard is none", `[{"id":"a","serverId":"fs","expiresAt":"2020-01-01T00:00:00Z"},{"id":"b","serverId":"fs","enabled":false}]`,
			"fs read 3 0 low", "allow fs read 0: read (3)\n"},
		{"an id that is taken", `[{"id":"suggested"},{"id":"suggested.","effect":"allow","priority":-1}]`, "fs ls 3 0 low",
			"allow fs ls 1: ls (3)\n"},
	} {
		var raw []json.RawMessage
		if err := json.Unmarshal([]byte(tt.rules), &raw); err != nil {
			t.Fatal(tt.name, err)
		}
		if got := proposals(advice.Suggest(answered(t, tt.answers), rulestest.Read(t, raw...), rulestest.Now)); got != tt.want {
			t.Errorf("%s:\n got %swant %s", tt.name, got, tt.want)
		}
	}
}

// checkSuggest tries every proposal for random rules and answers out.
func checkSuggest(t *testing.T, seed uint64) (count int) {
	r := rand.New(rand.NewPCG(seed, 3))
	tools := []string{"a_x", "a_y", "A_z", "a_b_x", "a_b_y", "b_x", "b_y", "x", "a_", "_", "a\u200b"}
	servers := []string{"", "s", "t"}
	rules := make([]permission.Rule, r.IntN(6))
	for i := range rules {
		rules[i] = permission.Rule{ID: permission.RuleID(rune('a' + i)), Enabled: r.IntN(6) > 0,
			Effect: rulestest.Pick(r, rulestest.World.Effects), Priority: int64(r.IntN(5) - 2),
			ServerID: rulestest.Maybe(r, servers), ToolPattern: rulestest.Maybe(r, []string{"*", "a*", "*x", "b_y", "a_b*", "*_*"}),
			ExpiresAt: rulestest.Now - 1 + permission.Time(r.IntN(4))}
		rules[i].AutoApprove = rules[i].Effect == permission.Allow
	}
	var answers []permission.Answered
	for _, server := range servers {
		for _, tool := range tools {
			a := permission.Answered{ToolName: tool, Input: json.RawMessage("{}"),
				MaxRisk: rulestest.Pick(r, []permission.Risk{"low", "medium", "medium", "high"}), Approved: r.IntN(5)}
			if r.IntN(4) == 0 {
				a.Approved, a.Declined = r.IntN(2), r.IntN(5)
			}
			if server != "" {
				a.ServerID = &server
			}
			if r.IntN(3) > 0 {
				answers = append(answers, a)
			}
		}
	}
	list := advice.Suggest(answers, rules, rulestest.Now)
	for _, s := range list {
		checkSuggestion(t, seed, s, answers, rules)
	}
	return len(list)
}

func checkSuggestion(t *testing.T, seed uint64, s permission.Suggestion, answers []permission.Answered, rules []permission.Rule) {
	t.Helper()
	rule, err := s.Rule.Apply(permission.Rule{ID: "new"})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	before, after := policy.Compile(rules, 0), policy.Compile(append(slices.Clone(rules), rule), 0)
	saved := 0
	for _, a := range answers {
		call := policy.Call{ServerID: a.ServerID, ToolName: a.ToolName}
		was, is := before.Decide(call, rulestest.Now), after.Decide(call, rulestest.Now)
		meant := a.ServerID != nil && *a.ServerID == *rule.ServerID && slices.Contains(s.Tools, a.ToolName)
		switch {
		case meant && is.Effect != rule.Effect:
			t.Fatalf("seed %d: %+v is decided %+v", seed, a, is)
		case meant:
			saved += a.Approved + a.Declined
		case is.Effect != was.Effect && rule.Effect == permission.Deny:
			t.Fatalf("seed %d: %+v is denied too", seed, a)
		}
		if is.Effect == was.Effect {
			continue
		}
		if is.Effect == permission.Allow && (a.Declined > 0 || a.MaxRisk == permission.RiskHigh || a.ServerID == nil) {
			t.Fatalf("seed %d: %+v is allowed by %+v", seed, a, rule)
		}
		if was.Effect != permission.Ask {
			t.Fatalf("seed %d: %+v was %s", seed, a, was.Effect)
		}
		if by := was.Rule; by != nil && is.Effect == permission.Allow {
			guard := rules[slices.IndexFunc(rules, func(r permission.Rule) bool { return r.ID == by.ID })]
			if guard.ServerID != nil || guard.ToolPattern != nil && *guard.ToolPattern != "*" {
				t.Fatalf("seed %d: %+v passes the guard %+v", seed, rule, guard)
			}
		}
	}
	if saved != s.Answers || saved < 3 || s.Reason == "" || rule.ToolPattern != nil && (len(s.Tools) < 2 || *rule.ToolPattern == "*") {
		t.Fatalf("seed %d: %+v, saved %d", seed, s, saved)
	}
}

func TestSuggestionsGiveTheAnswers(t *testing.T) {
	count := 0
	for seed := range uint64(1500) {
		count += checkSuggest(t, seed)
	}
	if count < 1000 {
		t.Errorf("%d suggestions only, the test is blind", count)
	}
}

// TestSuggestMissesNothing: without rules, each clean habit is covered.
func TestSuggestMissesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var answers []permission.Answered
		for _, tool := range []string{"a_x", "a_y", "a_b_x", "a_b_y", "b_x", "x.y", "x.z"} {
			a := permission.Answered{ServerID: new("s"), ToolName: tool, Input: json.RawMessage("{}"), MaxRisk: "low", Approved: r.IntN(5)}
			if r.IntN(5) == 0 {
				a.Declined = 1
			}
			answers = append(answers, a)
		}
		covered := map[string]int{}
		for _, s := range advice.Suggest(answers, nil, rulestest.Now) {
			for _, tool := range s.Tools {
				covered[tool]++
			}
		}
		for _, a := range answers {
			if covered[a.ToolName] > 1 || a.Declined == 0 && a.Approved >= 3 && covered[a.ToolName] == 0 {
				t.Fatalf("%s is covered %d times: %+v", a.ToolName, covered[a.ToolName], answers)
			}
		}
	}
}
