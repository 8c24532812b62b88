package rulestest

import (
	"encoding/json"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Now is the time of judgement.
const Now = permission.Time(1_750_000_000_000)

// Read decodes rules as a door does; a rule that is refused is left out.
func Read(t testing.TB, raw ...json.RawMessage) []permission.Rule {
	t.Helper()
	var rules []permission.Rule
	for _, b := range raw {
		var r permission.Rule
		if err := json.Unmarshal(b, &r); err == nil {
			rules = append(rules, r)
		}
	}
	return rules
}

// Set compiles a list of rules, which must all be good.
func Set(t testing.TB, list string) *policy.Set {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(list), &raw); err != nil {
		t.Fatal(err)
	}
	rules := Read(t, raw...)
	if len(rules) != len(raw) {
		t.Fatalf("%d of %d rules were refused", len(raw)-len(rules), len(raw))
	}
	return policy.Compile(rules, 1)
}

// FiveRules are those of the first example.
const FiveRules = `[
	{"id": "ex-5", "serverId": null, "toolName": null, "toolPattern": null, "effect": "ask", "priority": 0},
	{"id": "ex-1", "serverId": "filesystem", "toolName": null, "toolPattern": "read_*", "effect": "allow", "priority": 100},
	{"id": "ex-4", "serverId": "weather-server", "toolName": null, "toolPattern": null, "autoApprove": true, "priority": 10},
	{"id": "ex-2", "serverId": "filesystem", "toolName": null, "toolPattern": "delete_*", "effect": "ask", "priority": 100},
	{"id": "ex-3", "serverId": "shell", "toolName": "execute_command", "toolPattern": null, "autoApprove": false, "priority": 50}]`
