package policy_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// A decision that asks names the ask rules that asked, and says whether it asks for a
// reason of its own.
func TestAsked(t *testing.T) {
	plain := rulestest.Set(t, `[{"id":"no","toolName":"never","effect":"deny"},{"id":"q","toolPattern":"ask*","effect":"ask"},
		{"id":"read","toolPattern":"read*","effect":"allow"},{"id":"if","toolName":"maybe","effect":"ask","condition":"input.x == 1"}]`)
	withheld := plain.Withholding(func(_, _ string) permission.Explanation { return permission.Said("it changed") })
	def := []string{"default"}
	for name, tt := range map[string]struct {
		set   *policy.Set
		call  policy.Call
		asked []string
		alone bool
	}{
		"an ask rule":          {plain, policy.Call{ToolName: "ask_it"}, []string{"q"}, false},
		"under its condition":  {plain, policy.Call{ToolName: "maybe", Input: []byte(`{"x":1}`)}, []string{"if"}, false},
		"no rule":              {plain, policy.Call{ToolName: "other"}, def, false},
		"allowed":              {plain, policy.Call{ToolName: "read"}, nil, false},
		"denied":               {plain, policy.Call{ToolName: "never"}, nil, false},
		"a bad name":           {plain, policy.Call{ToolName: "read "}, def, true},
		"withheld":             {withheld, policy.Call{ServerID: new("fs"), ToolName: "read"}, nil, true},
		"withheld, and asks":   {withheld, policy.Call{ServerID: new("fs"), ToolName: "ask"}, []string{"q"}, true},
		"a doubt":              {plain.Doubting(permission.Said("x")), policy.Call{ToolName: "read"}, nil, true},
		"a doubt, and no rule": {plain.Doubting(permission.Said("x")), policy.Call{ToolName: "other"}, def, true},
		"a round":              {plain, policy.Call{ToolName: "read", Round: permission.FirstRoundAnswers}, nil, true},
		"a round that asks":    {plain, policy.Call{ToolName: "ask", Round: permission.UnknownRoundState}, []string{"q"}, true},
		"a denied round":       {plain, policy.Call{ToolName: "never", Round: permission.FirstRoundAnswers}, nil, false},
		"data":                 {plain, policy.Call{ToolName: "read", Data: true}, def, true},
		"data, and asks":       {plain, policy.Call{ToolName: "ask", Data: true}, []string{"q"}, false},
		"data, and denied":     {plain, policy.Call{ToolName: "never", Data: true}, nil, false},
		"reading, by setting":  {plain, policy.Call{Method: permission.GetPrompt, ToolName: "p"}, def, false},
	} {
		for range 3 { // the third time it is remembered
			d := tt.set.Decide(tt.call, rulestest.Now)
			if !reflect.DeepEqual(d.Asked, tt.asked) || d.Alone != tt.alone {
				t.Errorf("%s: asked %q, alone %t: %+v", name, d.Asked, d.Alone, d)
			}
		}
	}
}

// TestAskedBeside: all ask rules of one priority that apply ask the question together, whichever
// is the oldest, with and without a line, remembered or not, and after an edit.
func TestAskedBeside(t *testing.T) {
	pick := func(list ...string) string { return list[rand.IntN(len(list))] }
	for range 1000 {
		var rules []permission.Rule
		for i := range 6 {
			r := permission.Rule{ID: permission.RuleID(fmt.Sprint("r", i)), Enabled: true, Priority: int64(rand.IntN(2)),
				Effect: permission.Effect(pick("ask", "ask", "ask", "allow", "deny")), CreatedAt: permission.Time(rand.IntN(3))}
			if rand.IntN(2) == 0 {
				r.ToolPattern = new(pick("sh*", "*", "s*l", "other"))
			}
			if c := pick("", "", "input.n == 1", "input.command.startsWith('git')", "input.command.contains('x')",
				"!shell(input.command).opaque"); c != "" {
				r.Condition = &c
			}
			if rand.IntN(6) == 0 {
				r.ExpiresAt = rulestest.Now - 1
			}
			rules = append(rules, r)
		}
		cut := rand.IntN(len(rules))
		set := policy.Compile(rules[:cut], 0)
		for step := range 4 {
			if step == 2 {
				set = set.Edit(rules[cut:], nil, 1)
			}
			input := pick(`{"n":1}`, `{"n":2}`, `{"command":"git x"}`, `{"command":"ls"}`, `{"command":"git status && ls x"}`)
			call := policy.Call{ToolName: "shell", Input: []byte(input)}
			d := set.Decide(call, rulestest.Now)
			if d.Effect != permission.Ask || d.Rule == nil {
				continue
			}
			for _, r := range set.Rules() {
				applies := slices.Contains(policy.Compile([]permission.Rule{r}, 0).Decide(call, rulestest.Now).Asked, string(r.ID))
				if r.Effect == permission.Ask && r.Priority == d.Rule.Priority && applies != slices.Contains(d.Asked, string(r.ID)) {
					t.Fatalf("%s, %s: asked %q, of %+v", input, r.ID, d.Asked, set.Rules())
				}
			}
		}
	}
}
