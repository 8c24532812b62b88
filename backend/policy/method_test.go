package policy_test

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// asked is a call of one of the judged methods.
func asked(method, name string) policy.Call {
	return policy.Call{ServerID: new("s"), Method: method, ToolName: name}
}

// TestMethodOfARule: without a method a deny rule is about all that is judged, and any other
// rule about tool calls alone; with one a rule is about that alone.
func TestMethodOfARule(t *testing.T) {
	const uri = "file:///etc/passwd"
	for _, tt := range []struct{ rules, method, name, want string }{
		{`[{"id":"r","effect":"allow"}]`, "tools/call", "x", "allow r"},
		{`[{"id":"r","effect":"allow"}]`, "", "x", "allow r"},
		{`[{"id":"r","effect":"allow"}]`, "resources/read", uri, "deny"},
		{`[{"id":"r","effect":"ask"}]`, "prompts/get", "x", "ask"},
		{`[{"id":"r","effect":"deny"}]`, "resources/read", uri, "deny r"},
		{`[{"id":"r","effect":"deny"}]`, "resources/subscribe", uri, "deny r"},
		{`[{"id":"r","effect":"deny"}]`, "prompts/get", "x", "deny r"},
		{`[{"id":"r","effect":"deny","toolPattern":"FILE:///*"}]`, "resources/read", uri, "deny r"},
		{`[{"id":"r","effect":"deny","toolPattern":"*passwd"}]`, "resources/read", uri, "deny r"},
		{`[{"id":"r","effect":"deny","toolName":"file:///etc/passwd"}]`, "resources/read", uri, "deny r"},
		{`[{"id":"r","effect":"deny","toolPattern":"https://*"}]`, "resources/read", uri, "deny"},
		{`[{"id":"r","effect":"deny","method":"tools/call"}]`, "resources/read", uri, "deny"},
		{`[{"id":"r","effect":"deny","method":"resources/read"}]`, "tools/call", "x", "ask"},
		{`[{"id":"r","effect":"allow","method":"resources/read","toolPattern":"file:///etc/*"}]`, "resources/read", uri, "allow r"},
		{`[{"id":"r","effect":"allow","method":"resources/read"}]`, "resources/subscribe", uri, "deny"},
		{`[{"id":"r","effect":"allow","method":"resources/read"}]`, "", "x", "ask"},
		{`[{"id":"r","effect":"ask","method":"prompts/get","toolName":"x"},{"id":"q","effect":"allow","toolName":"x"}]`, "prompts/get", "x",
			"ask r"},
		{`[{"id":"r","effect":"allow","method":"tools/call","condition":"method == 'tools/call'"}]`, "", "x", "allow r"},
		{`[{"id":"r","effect":"deny","condition":"method == 'prompts/get'"}]`, "prompts/get", "x", "deny r"},
	} {
		s := rulestest.Set(t, tt.rules).Reading(permission.Reads{Resources: permission.Deny, Prompts: permission.Ask})
		for range 3 { // the memo has it from the second time on
			d := s.Decide(asked(tt.method, tt.name), rulestest.Now)
			got := string(d.Effect)
			if d.Rule != nil {
				got += " " + string(d.Rule.ID)
			}
			if got != tt.want {
				t.Errorf("%s of %s: %q, want %q", tt.method, tt.rules, got, tt.want)
			}
			if traced, _ := s.Trace(asked(tt.method, tt.name), rulestest.Now); traced.Effect != d.Effect || traced.Reason != d.Reason {
				t.Errorf("%s of %s: traced %+v, decided %+v", tt.method, tt.rules, traced, d)
			}
		}
	}
}

// TestReadingThatNoRuleIsAbout: the settings decide, but for what is odd about a name, and
// on hold a person.
func TestReadingThatNoRuleIsAbout(t *testing.T) {
	open := rulestest.Set(t, `[]`).Reading(permission.Reads{Resources: permission.Allow, Prompts: permission.Allow})
	hold := permission.Explanation{Code: permission.ReasonHold, Reason: "on hold"}
	shut := open.Reading(permission.Reads{Resources: permission.Deny, Prompts: permission.Deny})
	for _, tt := range []struct {
		set          *policy.Set
		method, name string
		want         permission.Effect
		code         permission.ReasonCode
	}{
		{open, "resources/read", "file:///é/日本/файл", permission.Allow, "reads_setting"}, // any script, mixed
		{open, "resources/subscribe", strings.Repeat("u", 2048), permission.Allow, "reads_setting"},
		{open, "prompts/get", "greet", permission.Allow, "reads_setting"},
		{open, "", "tool", permission.Ask, "no_rule"},
		{open, "resources/read", "file:///a\u200bb", permission.Ask, "name_invisible"},
		{open, "resources/read", "file:///a\nb", permission.Ask, "name_control"},
		{open, "resources/read", "", permission.Ask, "name_empty"},
		{open, "resources/read", " file:///a", permission.Ask, "name_outer_blank"},
		{open, "resources/read", strings.Repeat("u", 2049), permission.Ask, "name_too_long"},
		{open, "prompts/get", "gr\u0435et", permission.Ask, "name_two_scripts"},
		{shut, "resources/read", "file:///a\u200bb", permission.Deny, "reads_setting"},
		{shut, "prompts/get", "greet", permission.Deny, "reads_setting"},
		{open.Doubting(hold), "resources/read", "file:///a", permission.Ask, "hold"},
		{shut.Doubting(hold), "resources/read", "file:///a", permission.Deny, "reads_setting"},
		{rulestest.Set(t, `[]`), "resources/read", "file:///a", permission.Ask, "reads_setting"}, // what was never set
	} {
		d := tt.set.Decide(asked(tt.method, tt.name), rulestest.Now)
		if d.Effect != tt.want || d.Code != tt.code || d.Rule != nil || d.Reason == "" {
			t.Errorf("%s %.40q: %+v, want %s %q", tt.method, tt.name, d, tt.want, tt.code)
		}
	}
}

// TestChangedToolsAreNoReadings: what is known of a server's tools says nothing of its
// resources.
func TestChangedToolsAreNoReadings(t *testing.T) {
	changed := func(string, string) permission.Explanation { return permission.Said("changed") }
	s := rulestest.Set(t, `[]`).Reading(permission.Reads{Resources: permission.Allow}).Withholding(changed)
	if d := s.Decide(asked("resources/read", "x"), rulestest.Now); d.Effect != permission.Allow || d.Withheld {
		t.Errorf("%+v", d)
	}
}
