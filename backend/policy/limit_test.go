package policy_test

import (
	"fmt"
	"slices"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/quota"
	"sekisho/backend/rulestest"
)

// reached are counts by which the limits of some rules are reached.
func reached(rules ...permission.RuleID) policy.Full {
	return func(id permission.RuleID, _ permission.Limit, _ permission.Time) bool {
		return slices.Contains(rules, id)
	}
}

// TestLimits: a rule whose limit is reached does not apply, and what asks in its place says
// so, alone.
func TestLimits(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"few","toolName":"x","effect":"allow","priority":9,"limit":{"calls":2,"seconds":60}},
		{"id":"if","toolName":"y","effect":"allow","priority":9,"condition":"input.ok == true","limit":{"calls":2,"seconds":60}},
		{"id":"next","toolName":"z","effect":"allow"},{"id":"much","toolName":"z","effect":"allow","priority":1,"limit":{"calls":1,"seconds":1}},
		{"id":"ask","toolName":"w","effect":"ask"},{"id":"one","toolName":"w","effect":"allow","priority":1,"limit":{"calls":1,"seconds":1}},
		{"id":"deny","toolName":"v","effect":"deny"},{"id":"two","toolName":"v","effect":"allow","priority":1,"limit":{"calls":1,"seconds":1}},
		{"id":"read","method":"resources/read","toolName":"file:///r","effect":"allow","limit":{"calls":1,"seconds":1}}]`)
	s = s.Reading(permission.Reads{Resources: permission.Allow, Prompts: permission.Allow})
	full := s.Counting(reached("few", "if", "much", "one", "two", "read"))
	for _, tt := range []struct {
		set                 *policy.Set
		tool, method, input string
		effect              permission.Effect
		code                permission.ReasonCode
		rule                permission.RuleID
		alone               bool
		places              int
		count               *policy.Count
	}{
		{set: s, tool: "x", effect: "allow", code: "rule_allows", rule: "few", places: 1},
		{set: s.Counting(reached()), tool: "x", effect: "allow", code: "rule_allows", rule: "few", places: 1},
		{set: full, tool: "x", effect: "ask", code: "limit_reached", alone: true},
		{set: full, tool: "x", effect: "allow", code: "rule_allows", rule: "few", places: 1,
			count: &policy.Count{Places: []permission.RuleID{"few"}}},
		{set: full, tool: "y", effect: "ask", code: "no_rule"}, // it would not apply anyhow
		{set: full, tool: "y", input: `{"ok":true}`, effect: "ask", code: "limit_reached", alone: true},
		{set: full, tool: "z", effect: "allow", code: "rule_allows", rule: "next"},
		{set: full, tool: "w", effect: "ask", code: "limit_reached", rule: "ask", alone: true},
		{set: full, tool: "v", effect: "deny", code: "rule_denies", rule: "deny"},
		{set: full, tool: "file:///r", method: "resources/read", effect: "ask", code: "limit_reached", alone: true},
		{set: full, tool: "file:///s", method: "resources/read", effect: "allow", code: "reads_setting"},
		{set: full.Doubting(permission.Explanation{Code: "hold", Reason: "x"}), tool: "x", effect: "ask", code: "hold", alone: true},
		{set: s, tool: "x", effect: "ask", code: "brake", alone: true, count: &policy.Count{Brake: &permission.Limit{Calls: 5, Seconds: 6}}},
		{set: s, tool: "w", effect: "ask", code: "brake", alone: true, count: &policy.Count{Brake: &permission.Limit{Calls: 5, Seconds: 6}}},
		{set: full, tool: "w", effect: "ask", code: "limit_reached", rule: "ask", alone: true,
			count: &policy.Count{Brake: &permission.Limit{Calls: 5, Seconds: 6}}},
		{set: s, tool: "v", effect: "allow", code: "rule_allows", rule: "two", places: 1},
	} {
		call := policy.Call{ServerID: new("fs"), Method: tt.method, ToolName: tt.tool, Input: []byte(tt.input), Count: tt.count}
		for range 3 { // the third time it is remembered
			d := tt.set.Decide(call, rulestest.Now)
			var rule permission.RuleID
			if d.Rule != nil {
				rule = d.Rule.ID
			}
			if d.Effect != tt.effect || d.Code != tt.code || rule != tt.rule || d.Alone != tt.alone || len(d.Places) != tt.places {
				t.Errorf("%s %v: %+v, want %+v", tt.tool, tt.count, d, tt)
			}
			if traced, _ := tt.set.Trace(call, rulestest.Now); traced.Effect != d.Effect || traced.Code != d.Code {
				t.Errorf("%s: traced %+v, decided %+v", tt.tool, traced, d)
			}
		}
	}
	_, steps := full.Trace(policy.Call{ServerID: new("fs"), ToolName: "x"}, rulestest.Now)
	i := slices.IndexFunc(steps, func(s permission.TraceStep) bool { return s.RuleID == "few" })
	if got := steps[i]; got.Applies || got.Code != permission.TraceLimit || got.Params != `{"calls":2,"seconds":60}` ||
		got.Why != "its limit is reached: 2 calls in 60 seconds" {
		t.Errorf("%+v", got)
	}
}

// TestLimitsOfParts: a part that no rule has a place for asks, and the line takes one place of
// each rule that allows a part.
func TestLimitsOfParts(t *testing.T) {
	rule := func(id, program string) permission.Rule {
		return permission.Rule{ID: permission.RuleID(id), Effect: permission.Allow, AutoApprove: true, Enabled: true,
			Condition: new(fmt.Sprintf("shell(input.command).names == [%q]", program)), Limit: &permission.Limit{Calls: 1, Seconds: 1}}
	}
	s := policy.Compile([]permission.Rule{rule("a", "git status"), rule("b", "git log")}, 1)
	for _, tt := range []struct {
		line   string
		full   []permission.RuleID
		want   permission.Effect
		by     string
		places int
	}{
		{"git status && git log", nil, permission.Allow, "", 2}, {"git status && git status -s", nil, permission.Allow, "", 1},
		{"git status && git log", []permission.RuleID{"b"}, permission.Ask, "b", 0},
		{"git status && git log", []permission.RuleID{"a", "b"}, permission.Ask, "a", 0},
		{"git status && ls", []permission.RuleID{"b"}, permission.Ask, "", 0},
		{"git log", []permission.RuleID{"b"}, permission.Ask, "b", 0},
	} {
		d := s.Counting(reached(tt.full...)).Decide(lineCall(tt.line), rulestest.Now)
		if d.Effect != tt.want || len(d.Places) != tt.places || (d.Code == permission.ReasonLimit) != (tt.by != "") ||
			tt.by != "" && (!d.Alone || d.Params != permission.Params(`{"ruleId":"`+tt.by+`","priority":0,"calls":1,"seconds":1}`)) {
			t.Errorf("%s with %v: %+v", tt.line, tt.full, d)
		}
	}
}

// limited is a set of one rule for a name, with or without a limit, which has counts.
func limited(with bool) (*policy.Set, policy.Call) {
	rule := permission.Rule{ID: "0190b6e0-0000-7000-8000-000000000000", ToolName: new("tool"), Effect: permission.Allow,
		AutoApprove: true, Enabled: true}
	if with {
		rule.Limit = &permission.Limit{Calls: 1000, Seconds: 60}
	}
	counts := quota.New()
	for at := range int64(999) {
		counts.Take(string(rule.ID), int64(rulestest.Now)-at)
	}
	full := func(id permission.RuleID, l permission.Limit, at permission.Time) bool {
		return counts.Full(string(id), quota.Limit(l), int64(at))
	}
	return policy.Compile([]permission.Rule{rule}, 1).Counting(full), policy.Call{ServerID: new("fs"), ToolName: "tool"}
}

// TestLimitsCostNoMemory: no decision of a rule with a limit takes any.
func TestLimitsCostNoMemory(t *testing.T) {
	s, call := limited(true)
	if n := testing.AllocsPerRun(1000, func() { s.Decide(call, rulestest.Now) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if d := s.Decide(call, rulestest.Now); d.Effect != permission.Allow || len(d.Places) != 1 {
		t.Errorf("%+v", d)
	}
}

// BenchmarkLimit decides by a rule with a limit and by one without, in short bursts by turns,
// and takes the best of each: limit-ns is what a limit adds, at most 200.
func BenchmarkLimit(b *testing.B) {
	with, call := limited(true)
	without, _ := limited(false)
	most, least := 1e9, 1e9
	b.ReportAllocs()
	for b.Loop() {
		most = min(most, burst(1000, func(int) { with.Decide(call, rulestest.Now) }))
		least = min(least, burst(1000, func(int) { without.Decide(call, rulestest.Now) }))
	}
	b.ReportMetric(most, "with-ns")
	b.ReportMetric(least, "without-ns")
	b.ReportMetric(most-least, "limit-ns")
}
