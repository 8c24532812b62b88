package policy_test

import (
	"reflect"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// A reason against a tool takes allows away and nothing else, whichever way a set is
// asked, and however it was made.
func TestWithholding(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"allow","toolPattern":"read*","effect":"allow"},{"id":"deny","toolName":"read_never","effect":"deny"},
		{"id":"by","toolName":"read_if","effect":"allow","priority":5,"condition":"input.ok == true"}]`)
	why := func(server, tool string) (against permission.Explanation) {
		if server == "fs" && tool != "read_other" {
			against = permission.Explanation{Code: permission.ReasonToolChanged, Reason: "it changed"}
		}
		return against
	}
	withheld := s.Withholding(why)
	for name, set := range map[string]*policy.Set{"itself": withheld, "edited": withheld.Edit(nil, nil, 2),
		"drafted": withheld.Draft(nil, nil), "undoubted": withheld.Doubting(permission.Said("x")).Doubting(permission.Explanation{})} {
		for _, tt := range []struct {
			server *string
			tool   string
			want   permission.Effect
			reason string
		}{
			{new("fs"), "read", permission.Ask, "it changed"}, {new("fs"), "read_if", permission.Ask, "it changed"},
			{new("fs"), "read_never", permission.Deny, ""},
			{new("fs"), "write", permission.Ask, "no rule applies"}, {new("fs"), "read_other", permission.Allow, ""},
			{new("elsewhere"), "read", permission.Allow, ""}, {nil, "read", permission.Allow, ""},
		} {
			call := policy.Call{ServerID: tt.server, ToolName: tt.tool, Input: []byte(`{"ok":true}`)}
			for range 3 { // the third time it is remembered
				got := set.Decide(call, rulestest.Now)
				if got.Effect != tt.want || tt.reason != "" && got.Reason != tt.reason || got.Withheld != (got.Code == permission.ReasonToolChanged) ||
					got.Effect == permission.Ask && got.Rule != nil ||
					got.Withheld != (tt.reason == "it changed") {
					t.Errorf("%s: %s: %+v, want %s", name, tt.tool, got, tt.want)
				}
				if traced, _ := set.Trace(call, rulestest.Now); !reflect.DeepEqual(traced, got) {
					t.Errorf("%s: %s: traced %+v, decided %+v", name, tt.tool, traced, got)
				}
			}
		}
	}
	if got := s.Decide(policy.Call{ServerID: new("fs"), ToolName: "read"}, rulestest.Now); got.Effect != permission.Allow {
		t.Errorf("the set that it was made of: %+v", got)
	}
	if got := withheld.Withholding(nil).Decide(policy.Call{ServerID: new("fs"), ToolName: "read"},
		rulestest.Now); got.Effect != permission.Allow {
		t.Errorf("without a reason: %+v", got)
	}
}
