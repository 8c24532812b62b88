package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

func conditioned(effect permission.Effect, condition string) permission.Rule {
	return permission.Rule{ID: "r", Effect: effect, AutoApprove: effect == permission.Allow, Enabled: true, Condition: &condition}
}

// outcome is what a condition comes to for a call, by the step of Trace: true, false, or
// why it failed.
func outcome(t *testing.T, condition string, c policy.Call) string {
	t.Helper()
	s := policy.Compile([]permission.Rule{conditioned(permission.Allow, condition)}, 0)
	d, steps := s.Trace(c, rulestest.Now)
	if (d.Effect == permission.Allow) != steps[0].Applies {
		t.Fatalf("%s: %+v, but %+v", condition, d, steps[0])
	}
	switch steps[0].Why {
	case "applies":
		return "true"
	case "condition is false":
		return "false"
	}
	return strings.TrimPrefix(steps[0].Why, "condition failed: ")
}

func TestConditions(t *testing.T) {
	c := policy.Call{ServerID: new("fs"), ToolName: "write",
		Caller: permission.Caller{SessionID: "s1", AgentID: "a1", AgentName: "bob", Subagent: new("Explore")},
		Cwd:    new("/work"),
		Input: json.RawMessage(`{"path":"/tmp/x","big":9007199254740993,"five":5.0,"int":5,"min":-9223372036854775808,
			"over":9223372036854775808,"exp":1e3,"zero":-0,"list":[1,2,3],"nil":null,"deep":{"a":{"b":"é"}},"no":false,"z":"","a":""}`)}
	for condition, want := range map[string]string{
		`input.path.startsWith("/tmp/")`:                           "true",
		`input.path == "/etc"`:                                     "false",
		`serverId == "fs" && toolName == "write"`:                  "true",
		`sessionId == "s1" && agent.id == "a1"`:                    "true",
		`agent.name == "bob" && cwd == "/work"`:                    "true",
		`agent.subagent == "Explore" && agent.subagent != null`:    "true",
		`agent.subagent == null`:                                   "false",
		`input.big == 9007199254740993`:                            "true",
		`input.big == 9007199254740992`:                            "false",
		`type(input.big) == int && type(input.int) == int`:         "true",
		`type(input.five) == double && type(input.exp) == double`:  "true",
		`type(input.over) == double && type(input.zero) == int`:    "true",
		`input.five == 5 && input.int < 5.5 && input.min < 0`:      "true",
		`input.zero == 0 && input.exp == 1000`:                     "true",
		`input.list.exists(x, x == 3) && size(input.list) == 3`:    "true",
		`input.nil == null && !has(input.missing)`:                 "true",
		`input.deep.a.b == "é" && input.deep.a.b.matches("^\\S$")`: "true",
		`matches(input.path, "^/tmp/[a-z]$")`:                      "true",
		`"path" in input && !("x" in input)`:                       "true",
		`input.map(k, k)[0] == "a" && input.map(k, k)[12] == "z"`:  "true",
		`input.deep == {"a": {"b": "é"}}`:                          "true",
		`{"a": 1, "b": 2} == input`:                                "does not compile: a map of several entries has no order: compare its entries",
		`input.no`:                                                 "false",
		`input.missing == 1`:                                       "no such key: missing",
		`input.path`:                                               "gives string, not true or false",
		`input.int / 0 == 1`:                                       "division by zero",
		`input.path.matches("(")`:                                  "error parsing regexp: missing closing ): `(`",
		`input.int.matches("5")`:                                   "no such overload",
		`input.path > 5`:                                           "no such overload",
		`input.int`:                                                "gives int, not true or false",
		`1`:                                                        "does not compile: gives int, not true or false",
		`input.`:                                                   "does not compile: line 1, column 7: Syntax error: no viable alternative at input '.'",
		`now() > timestamp("2020-01-01T00:00:00Z")`:                "does not compile: line 1, column 4: undeclared reference to 'now' (in container '')",
		`timestamp("2020-01-01T00:00:00Z").getHours() == 0`:        "does not compile: line 1, column 43: undeclared reference to 'getHours' (in container '')",
		`serverId.size() == 2`:                                     "true",
		`toolName == 1`:                                            "does not compile: line 1, column 10: found no matching overload for '_==_' applied to '(string, int)'",
	} {
		if got := outcome(t, condition, c); got != want {
			t.Errorf("%s: %s, want %s", condition, got, want)
		}
	}
}

func TestConditionsWithoutServerAndInput(t *testing.T) {
	for _, c := range []policy.Call{{ToolName: "x"}, {ToolName: "x", Input: json.RawMessage(`{}`)}} {
		for _, condition := range []string{`serverId == null`, `cwd == null`, `input == {}`, `size(input) == 0`,
			`agent.id == "" && sessionId == ""`} {
			if got := outcome(t, condition, c); got != "true" {
				t.Errorf("%s: %s", condition, got)
			}
		}
	}
}

// TestBadInputFailsConditions: what the tool may read otherwise than we do is no ground
// to decide on.
func TestBadInputFailsConditions(t *testing.T) {
	for name, input := range map[string]string{
		"cut": `{"a":1`, "two keys": `{"a":1,"a":2}`, "two values": `1 2`, "UTF-8": "\"\xff\"", "surrogate": `"\ud800"`, "range": `{"a":1e999}`,
		"depth": strings.Repeat("[", 129) + strings.Repeat("]", 129), "values": "[" + strings.Repeat("1,", 100_000) + "1]",
		"length": `"` + strings.Repeat("x", 4<<20) + `"`,
	} {
		c := policy.Call{ToolName: "x", Input: json.RawMessage(input)}
		if got := outcome(t, "true", c); !strings.HasPrefix(got, "read input: ") {
			t.Errorf("%s: %s", name, got)
		}
		for effect, want := range map[permission.Effect]permission.Effect{permission.Allow: permission.Ask, permission.Ask: permission.Ask,
			permission.Deny: permission.Deny} {
			d := policy.Compile([]permission.Rule{conditioned(effect, "false")}, 0).Decide(c, rulestest.Now)
			if d.Effect != want || (d.Rule == nil) != (effect == permission.Allow) {
				t.Errorf("%s, %s: %+v", name, effect, d)
			}
		}
	}
}

func TestTraceSaysHowConditionsCameOut(t *testing.T) {
	s := rulestest.Set(t, `[
		{"id":"a","priority":9,"effect":"allow","condition":"input.x.y"},
		{"id":"b","priority":8,"effect":"deny","condition":"input.n > 1"},
		{"id":"c","priority":7,"effect":"ask","condition":"input.x.y"},
		{"id":"d","priority":6,"effect":"allow","condition":"input.n == 1"},
		{"id":"e","priority":5,"effect":"allow","condition":"input.n == 2"},
		{"id":"f","priority":4,"effect":"deny","toolName":"y","condition":"input.x.y"}]`)
	d, steps := s.Trace(policy.Call{ToolName: "x", Input: json.RawMessage(`{"n":1}`)}, rulestest.Now)
	want := []permission.TraceStep{
		{RuleID: "a", Code: "condition_failed", Params: `{"error":"no such key: x"}`, Why: "condition failed: no such key: x"},
		{RuleID: "b", Code: "condition_false", Why: "condition is false"},
		{RuleID: "c", Applies: true, Code: "applies_condition_failed", Params: `{"error":"no such key: x"}`,
			Why: "applies, since its condition failed: no such key: x"},
		{RuleID: "d", Applies: true, Code: "earlier_rule_decided", Why: "would apply, but an earlier rule decided"},
		{RuleID: "e", Code: "condition_false", Why: "condition is false"}, {RuleID: "f", Code: "tool_differs", Why: "tool name differs"},
	}
	if fmt.Sprint(steps) != fmt.Sprint(want) || d.Rule == nil || d.Rule.ID != "c" || d.Effect != permission.Ask {
		t.Errorf("%+v: %+v", d, steps)
	}
	if !s.HasConditions() || rulestest.Set(t, rulestest.FiveRules).HasConditions() {
		t.Error("HasConditions")
	}
}

func TestFailuresAreCutShort(t *testing.T) {
	input := json.RawMessage(`{"re":"(` + strings.Repeat("é", 1000) + `"}`)
	got := outcome(t, `"x".matches(input.re)`, policy.Call{ToolName: "x", Input: input})
	if len(got) > 220 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestCheckRule(t *testing.T) {
	if err := policy.CheckRule(&permission.Rule{}); err != nil {
		t.Error(err)
	}
	for condition, want := range map[string]string{
		"true": "", "input.x": "", "input.a.b == 'x'": "",
		"1":                            "gives int, not true or false",
		"'x'":                          "gives string, not true or false",
		"x":                            "line 1, column 1: undeclared reference to 'x' (in container '')",
		"true &&":                      "line 1, column 8: Syntax error: mismatched input '<EOF>'",
		"true\n  && y":                 "line 2, column 6: undeclared reference to 'y' (in container '')",
		strings.Repeat("(", 100):       "expression recursion limit exceeded: 32",
		strings.Repeat("!(", 100) + "": "expression recursion limit exceeded: 32",
	} {
		r := conditioned(permission.Allow, condition)
		err := policy.CheckRule(&r)
		var e *permission.Error
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%.40s: %v", condition, err)
		case want != "" && (!errors.As(err, &e) || e.Code != permission.CodeInvalid || e.Field != "condition" ||
			!strings.Contains(e.Message, want) || len(e.Message) > 210):
			t.Errorf("%.40s: %v", condition, err)
		}
	}
}

// TestConditionsAreBounded gives each way to make CEL work long an input to do it with:
// all fail, by counting and not by the clock, or do little.
func TestConditionsAreBounded(t *testing.T) {
	input := json.RawMessage(`{"s":"` + strings.Repeat("a", 1<<18) + `","l":[` + strings.Repeat("1,", 5_000) + `1]}`)
	c := policy.Call{ToolName: "x", Input: input}
	const limit = "operation cancelled: actual cost limit exceeded"
	for condition, want := range map[string]string{
		`input.l.all(x, x >= 0)`:                                 limit,
		`input.l.all(x, input.l.all(y, y >= 0))`:                 limit,
		`input.l.all(x, size(input.s) > 3)`:                      limit,
		`input.l.all(x, input == input)`:                         limit,
		`input.l.all(x, !(7 in input.l))`:                        limit,
		`input.l == input.l`:                                     limit,
		`input.l.map(x, input.s + input.s).size() > 0`:           limit,
		`input.l.all(x, !input.s.contains("aab"))`:               limit,
		`input.l.all(x, "abc".matches("(a|b)*c"))`:               limit,
		`input.s.matches("a{1000}b")`:                            limit,
		`"a".matches("((a{30}){30}|(b{30}){30}|c{999}){1}")`:     "false",
		`input.s.matches("^a*b")`:                                limit,
		`"x".matches(input.s)`:                                   limit,
		`input.s.startsWith("aa") && size(input.s) == 262144`:    "true",
		`input.s.contains("b") || input.s == "b" || true`:        "true",
		`input.l.exists(x, x == 1)`:                              "true",
		`input.l.size() == 5001 && input.l[7] == 1`:              "true",
		strings.Repeat("[1,2,3,4,5,6].all(a,", 6) + "true))))))": limit,
	} {
		if got := outcome(t, condition, c); got != want {
			t.Errorf("%.60s: %s, want %s", condition, got, want)
		}
	}
}

// TestAllConditionsAreBounded: after so much work, the conditions that are left have
// failed, in Decide as in Trace.
func TestAllConditionsAreBounded(t *testing.T) {
	rules := make([]permission.Rule, 300)
	for i := range rules {
		rules[i] = conditioned(permission.Deny, "input.s.contains('b')")
		rules[i].ID, rules[i].Priority = permission.RuleID(fmt.Sprint(i)), int64(-i)
	}
	s := policy.Compile(rules, 0)
	c := policy.Call{ToolName: "x", Input: json.RawMessage(`{"s":"` + strings.Repeat("a", 1<<20) + `"}`)}
	d, steps := s.Trace(c, rulestest.Now)
	at := 0
	for at < len(steps) && !steps[at].Applies {
		at++
	}
	if at < 150 || at > 250 || !strings.Contains(steps[at].Why, "all the work") || d.Effect != permission.Deny ||
		d.Rule.ID != steps[at].RuleID {
		t.Errorf("rule %d: %+v: %+v", at, steps[min(at, 299)], d)
	}
}

func TestConditionOfAllow(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"a","priority":1,"toolName":"write","autoApprove":true,"condition":"input.path.startsWith('/tmp/')"},
		{"id":"d","effect":"deny","toolName":"write"}]`)
	for input, want := range map[string]permission.Effect{`{"path":"/tmp/x"}`: "allow", `{"path":"/etc"}`: "deny", `{}`: "deny",
		`{"path":1}`: "deny"} {
		for range 4 { // new, met again, remembered
			if d := s.Decide(policy.Call{ToolName: "write", Input: json.RawMessage(input)}, rulestest.Now); d.Effect != want {
				t.Errorf("%s: %+v", input, d)
			}
		}
	}
}

func TestConditionalIsWhatAnotherInputMayChange(t *testing.T) {
	bash, if1, if2 := "bash", "input.safe == true", "input.bad == true"
	rule := func(id string, e permission.Effect, priority int64, tool, condition *string) permission.Rule {
		return permission.Rule{ID: permission.RuleID(id), Effect: e, AutoApprove: e == permission.Allow, Priority: priority, ToolName: tool,
			Condition: condition, Enabled: true}
	}
	set := policy.Compile([]permission.Rule{
		rule("if", permission.Allow, 3, &bash, &if1), rule("no", permission.Deny, 2, &bash, nil), rule("late", permission.Ask, 1, nil, &if2),
	}, 1)
	for _, test := range []struct {
		tool, input string
		want        permission.Effect
		conditional bool
	}{
		{"bash", `{}`, permission.Deny, true}, {"bash", `{"safe":true}`, permission.Allow, true},
		{"other", `{}`, permission.Ask, true},
	} {
		d := set.Decide(policy.Call{ToolName: test.tool, Input: []byte(test.input)}, 1)
		if d.Effect != test.want || d.Conditional != test.conditional {
			t.Errorf("%s %s: %+v", test.tool, test.input, d)
		}
	}
	set = policy.Compile([]permission.Rule{rule("no", permission.Deny, 2, &bash, nil), rule("late", permission.Allow, 1, nil, &if2)}, 1)
	for range 3 { // also once it is remembered
		if d := set.Decide(policy.Call{ToolName: bash}, 1); d.Effect != permission.Deny || d.Conditional {
			t.Errorf("a condition below the rule that decides: %+v", d)
		}
	}
}
