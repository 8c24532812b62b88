package policy_test

import (
	"reflect"
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
