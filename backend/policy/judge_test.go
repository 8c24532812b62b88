package policy_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

func TestFiveExampleRules(t *testing.T) {
	s := rulestest.Set(t, rulestest.FiveRules)
	for _, tt := range []struct {
		server, tool string
		effect       permission.Effect
		rule         permission.RuleID
		reason       string
	}{
		{"filesystem", "read_file", permission.Allow, "ex-1", "rule ex-1 (priority 100) allows filesystem read_*"},
		{"filesystem", "READ_", permission.Allow, "ex-1", "rule ex-1 (priority 100) allows filesystem read_*"},
		{"filesystem", "delete_file", permission.Ask, "ex-2", "rule ex-2 (priority 100) asks for filesystem delete_*"},
		{"filesystem", "undelete_file", permission.Ask, "ex-5", "rule ex-5 (priority 0) asks for every tool"},
		{"Filesystem", "read_file", permission.Ask, "ex-5", "rule ex-5 (priority 0) asks for every tool"},
		{"shell", "execute_command", permission.Ask, "ex-3", "rule ex-3 (priority 50) asks for shell execute_command"},
		{"shell", "Execute_command", permission.Ask, "ex-5", "rule ex-5 (priority 0) asks for every tool"},
		{"weather-server", "anything", permission.Allow, "ex-4", "rule ex-4 (priority 10) allows every tool of weather-server"},
		{"-", "read_file", permission.Ask, "ex-5", "rule ex-5 (priority 0) asks for every tool"},
	} {
		c := policy.Call{ServerID: &tt.server, ToolName: tt.tool}
		if tt.server == "-" {
			c.ServerID = nil
		}
		d := s.Decide(c, rulestest.Now)
		if d.Effect != tt.effect || d.Rule == nil || d.Rule.ID != tt.rule || d.Reason != tt.reason || d.NameIssue != "" {
			t.Errorf("%s %s: %s by %+v: %s %s", tt.server, tt.tool, d.Effect, d.Rule, d.Reason, d.NameIssue)
		}
	}
}

// expand replaces the {"$repeat": [s, n]} of testdata/rules.json.
func expand(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = expand(v[i])
		}
	case map[string]any:
		if r, ok := v["$repeat"].([]any); ok {
			return strings.Repeat(r[0].(string), int(r[1].(float64)))
		}
		for k := range v {
			v[k] = expand(v[k])
		}
	}
	return v
}

func TestRuleCases(t *testing.T) {
	raw, err := os.ReadFile("testdata/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if raw, err = json.Marshal(expand(doc)); err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Reason, Decision string
		Rules                []json.RawMessage
		Call                 policy.Call
		Rule                 *permission.RuleID
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 40 {
		t.Fatalf("only %d rows", len(rows))
	}
	effects := map[string]permission.Effect{"auto": permission.Allow, "ask": permission.Ask}
	for _, row := range rows {
		d := policy.Compile(rulestest.Read(t, row.Rules...), 1).Decide(row.Call, rulestest.Now)
		var rule *permission.RuleID
		if d.Rule != nil {
			rule = &d.Rule.ID
		}
		if d.Effect != effects[row.Decision] || !reflect.DeepEqual(rule, row.Rule) {
			t.Errorf("%s: %s by %+v, want %s: %s", row.ID, d.Effect, d.Rule, row.Decision, row.Reason)
		}
	}
}

// noRule is the explanation where nothing applies.
var noRule = permission.Explanation{Code: permission.ReasonNoRule, Reason: "no rule applies"}

func TestNothingApplies(t *testing.T) {
	for name, s := range map[string]*policy.Set{"no rules": policy.Compile(nil, 0),
		"others": rulestest.Set(t, `[{"id":"a","toolName":"x","autoApprove":true}]`)} {
		want := policy.Decision{Effect: permission.Ask, Explanation: noRule, Asked: []string{"default"}}
		if d := s.Decide(policy.Call{ToolName: "y"}, rulestest.Now); !reflect.DeepEqual(d, want) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestOrder(t *testing.T) {
	s := rulestest.Set(t, `[
		{"id":"b","priority":5,"effect":"allow","createdAt":"2025-01-01T00:00:00Z"},
		{"id":"a","priority":5,"effect":"allow","createdAt":"2025-01-01T00:00:00Z"},
		{"id":"old","priority":5,"effect":"allow","createdAt":"2024-01-01T00:00:00Z"},
		{"id":"ask","priority":5,"effect":"ask","createdAt":"2026-01-01T00:00:00Z"},
		{"id":"deny","priority":5,"effect":"deny","createdAt":"2027-01-01T00:00:00Z"},
		{"id":"low","priority":-2147483648,"effect":"deny"},
		{"id":"high","priority":2147483647,"effect":"allow"}]`)
	var got []string
	for _, r := range s.Rules() {
		got = append(got, string(r.ID))
	}
	if want := "high deny ask old a b low"; strings.Join(got, " ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
	if s.Len() != 7 || s.Version() != 1 {
		t.Errorf("Len %d, Version %d", s.Len(), s.Version())
	}
}

func TestTrace(t *testing.T) {
	s := rulestest.Set(t, `[
		{"id":"off","priority":9,"effect":"deny","enabled":false},
		{"id":"over","priority":8,"effect":"deny","expiresAt":"2025-06-15T15:06:40.000Z"},
		{"id":"not-yet-over","priority":7,"toolName":"x","effect":"deny","expiresAt":"2025-06-15T15:06:40.001Z"},
		{"id":"server","priority":6,"serverId":"t","effect":"deny"},
		{"id":"pattern","priority":5,"toolPattern":"write_*","effect":"deny"},
		{"id":"wins","priority":4,"serverId":"s","toolName":"read","toolPattern":"write_*","effect":"allow"},
		{"id":"late","priority":3,"toolPattern":"r*","effect":"ask"},
		{"id":"late-off","priority":2,"effect":"ask","enabled":false}]`)
	want := []permission.TraceStep{
		{RuleID: "off", Code: "disabled", Why: "disabled"}, {RuleID: "over", Code: "expired", Why: "expired"},
		{RuleID: "not-yet-over", Code: "tool_differs", Why: "tool name differs"},
		{RuleID: "server", Code: "server_differs", Why: "server differs"},
		{RuleID: "pattern", Code: "pattern_differs", Why: "pattern does not match"},
		{RuleID: "wins", Applies: true, Code: "applies", Why: "applies"},
		{RuleID: "late", Applies: true, Code: "earlier_rule_decided", Why: "would apply, but an earlier rule decided"},
		{RuleID: "late-off", Code: "disabled", Why: "disabled"},
	}
	d, steps := s.Trace(policy.Call{ServerID: new("s"), ToolName: "read"}, rulestest.Now)
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("steps %+v", steps)
	}
	if d.Rule == nil || *d.Rule != (permission.RuleRef{ID: "wins", Priority: 4}) || d.Effect != permission.Allow {
		t.Errorf("decision %+v", d)
	}
}

func TestExpiry(t *testing.T) {
	r := permission.Rule{ID: "r", Effect: permission.Allow, AutoApprove: true, Enabled: true, ExpiresAt: rulestest.Now}
	s := policy.Compile([]permission.Rule{r}, 0)
	for at, want := range map[permission.Time]permission.Effect{rulestest.Now - 1: permission.Allow, rulestest.Now: permission.Ask,
		rulestest.Now + 1: permission.Ask} {
		if d := s.Decide(policy.Call{ToolName: "x"}, at); d.Effect != want {
			t.Errorf("%d ms from the expiry: %s", at-rulestest.Now, d.Effect)
		}
	}
}

func TestReason(t *testing.T) {
	for _, tt := range []struct {
		tool, rule, want string
		code             permission.ReasonCode
		params           permission.Params
	}{
		{"x", `{"id":"r","effect":"deny","note":"ask Mia first"}`, "ask Mia first", "", ""},
		{"x", `{"id":"r","effect":"deny","note":"  "}`, "rule r (priority 0) denies everything",
			"rule_denies", `{"ruleId":"r","priority":0,"conditional":false}`},
		{"x", `{"id":"r","effect":"deny","toolName":"x"}`, "rule r (priority 0) denies x of every server",
			"rule_denies", `{"ruleId":"r","priority":0,"conditional":false,"toolName":"x"}`},
		{"x", `{"id":"r","effect":"allow","note":"fine","priority":-7}`, "rule r (priority -7) allows every tool",
			"rule_allows", `{"ruleId":"r","priority":-7,"conditional":false}`},
		{"x y", `{"id":"r","effect":"ask","toolPattern":"x y*"}`, `rule r (priority 0) asks for "x y*" of every server`,
			"rule_asks", `{"ruleId":"r","priority":0,"conditional":false,"toolPattern":"x y*"}`},
		{"x\u202e", `{"id":"r","effect":"deny","serverId":"s","toolPattern":"x*\u202e"}`, `rule r (priority 0) denies s "x*\u202e"`,
			"rule_denies", `{"ruleId":"r","priority":0,"conditional":false,"serverId":"s","toolPattern":"x*` + "\u202e" + `"}`},
	} {
		call := policy.Call{ServerID: new("s"), ToolName: tt.tool}
		if d := rulestest.Set(t, `[`+tt.rule+`]`).Decide(call, rulestest.Now); d.Reason != tt.want || d.Code != tt.code || d.Params != tt.params {
			t.Errorf("%s: %+v", tt.rule, d.Explanation)
		}
	}
}

func TestCompileLeavesOutWhatIsNotValid(t *testing.T) {
	good := permission.Rule{ID: "good", Effect: permission.Ask, Enabled: true}
	empty, effect, disagree, huge := good, good, good, good
	empty.ID, empty.ToolName, empty.Effect, empty.AutoApprove = "empty", new(""), permission.Allow, true
	effect.ID, effect.Effect, effect.Priority = "effect", "permit", 9
	disagree.ID, disagree.AutoApprove, disagree.Priority = "disagree", true, 9
	huge.ID, huge.Priority = "huge", 1<<40
	s := policy.Compile([]permission.Rule{empty, effect, good, disagree, huge}, 7)
	if d := s.Decide(policy.Call{ToolName: "x"}, rulestest.Now); d.Rule == nil || d.Rule.ID != "good" || s.Len() != 1 {
		t.Errorf("decision %+v of %d rules", d, s.Len())
	}
}

func TestSetNeverChanges(t *testing.T) {
	rules := []permission.Rule{{ID: "r", ServerID: new("s"), ToolName: new("x"), Effect: permission.Allow, AutoApprove: true, Enabled: true}}
	s := policy.Compile(rules, 0)
	call := policy.Call{ServerID: new("s"), ToolName: "x"}
	*rules[0].ToolName, rules[0].Enabled = "y", false
	*s.Rules()[0].ServerID = "t"
	if d := s.Decide(call, rulestest.Now); d.Effect != permission.Allow || d.Rule.ID != "r" {
		t.Errorf("decision %+v", d)
	}
}

// TestGuardsLasting: where the time is not to be believed, what ends are allow rules alone.
func TestGuardsLasting(t *testing.T) {
	for _, tt := range []struct {
		effect        string
		over, lasting permission.Effect
	}{
		{"deny", permission.Allow, permission.Deny}, {"ask", permission.Allow, permission.Ask}, {"allow", permission.Deny, permission.Deny},
	} {
		under := map[string]string{"deny": "allow", "ask": "allow", "allow": "deny"}[tt.effect]
		s := rulestest.Set(t, `[{"id": "under", "toolPattern": "a*", "effect": "`+under+`", "priority": 1},
			{"id": "ends", "toolPattern": "a*", "effect": "`+tt.effect+`", "priority": 2, "expiresAt": "2020-01-01T00:00:00.000Z"}]`)
		c := policy.Call{ToolName: "ab", Method: permission.CallTool}
		if got := s.Decide(c, rulestest.Now).Effect; got != tt.over {
			t.Errorf("%s that is over: %s", tt.effect, got)
		}
		lasting := s.GuardsLasting()
		got, steps := lasting.Trace(c, rulestest.Now)
		if got.Effect != tt.lasting || lasting.Decide(c, rulestest.Now).Effect != tt.lasting || steps[0].Applies == (tt.effect == "allow") {
			t.Errorf("%s that lasts: %s %+v", tt.effect, got.Effect, steps)
		}
	}
}
