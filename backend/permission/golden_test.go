package permission_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"sekisho/backend/permission"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden pins the one JSON form of a word (CONTRACT sections 2 to 4).
func golden(t *testing.T, name string, v any) []byte {
	t.Helper()
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(bytes.TrimSpace(want)) != string(got) {
		t.Errorf("%s is now\n%s\n%v", path, got, err)
	}
	return got
}

func TestJSONForms(t *testing.T) {
	server, pattern, cwd := "filesystem", "read_*", "/work"
	rule, claim := permission.RuleID("r1"), permission.ClaimID("c1")
	var callID permission.CallID = "0190b6e0-0000-7000-8000-000000000000"
	raw := golden(t, "rule", permission.Rule{ID: rule, ServerID: &server, ToolPattern: &pattern, AutoApprove: true, Effect: permission.Allow,
		Priority: 100, CreatedAt: 1735689600000, UpdatedAt: 1735689600001, Enabled: true, Examples: []permission.Example{}})
	var back permission.Rule
	if err := json.Unmarshal(raw, &back); err != nil || back.ID != rule || *back.ServerID != server || back.UpdatedAt != 1735689600001 {
		t.Errorf("read back: %+v %v", back, err)
	}
	golden(t, "call", permission.Call{ID: callID, Rev: 3, ShownRev: 2, Asking: permission.Asking{Questions: []string{}},
		RunID: "run", ToolCallID: "1",
		Caller: permission.Caller{SessionID: "s", AgentID: "a", AgentName: "Agent"}, ServerID: &server,
		Method: permission.CallTool, ToolName: "read_file", Input: json.RawMessage(`{"n":9007199254740993}`), InputHash: "sha256:00", Cwd: &cwd,
		Status: permission.Completed,
		Why: permission.Why{Rule: &permission.RuleRef{ID: rule, Priority: 100},
			Explanation: permission.Explanation{Code: permission.ReasonRuleAllows,
				Params: permission.Param("ruleId", rule).With(permission.Param("priority", 100)), Reason: "because"}},
		Risk: permission.RiskMedium, RiskReasons: []permission.RiskReason{}, CreatedAt: 1735689600000, ClaimID: &claim,
		LeaseExpiresAt: 1735689660000,
		Result:         json.RawMessage("null"),
		Decision: &permission.Decision{By: permission.ByRule, Approved: true, Scope: permission.ScopeOnce, RuleID: &rule,
			DecidedAt: 1735689600000}})
	golden(t, "entry", permission.Entry{Seq: 1, At: 1735689600000, Kind: permission.CallCreated, CallID: &callID, Actor: "agent:a",
		Data: json.RawMessage("{}"), Hash: "00"})
	golden(t, "verdict", permission.Verdict{Decision: permission.Ask,
		Explanation: permission.Explanation{Code: permission.ReasonNoRule, Reason: "no rule applies"}, RiskReasons: []permission.RiskReason{},
		Risk: permission.RiskMedium, Parts: []permission.PartVerdict{{Name: "git log", Decision: permission.Ask}},
		Trace: []permission.TraceStep{{RuleID: rule, Code: permission.TraceServer, Why: "server differs"},
			{RuleID: rule, Part: new(0), Code: permission.TraceConditionFalse, Why: "condition is false"}}})
}

func TestRuleReadsTheBriefsForm(t *testing.T) {
	for _, test := range []struct {
		json   string
		effect permission.Effect
		bad    bool
	}{
		{`{"id":"a","autoApprove":true}`, permission.Allow, false},
		{`{"id":"a","autoApprove":false}`, permission.Ask, false},
		{`{"id":"a"}`, permission.Ask, false},
		{`{"id":"a","effect":"deny"}`, permission.Deny, false},
		{`{"id":"a","effect":"deny","autoApprove":false}`, permission.Deny, false},
		{`{"id":"a","effect":"deny","autoApprove":true}`, "", true},
		{`{"id":"a","effect":"allow","autoApprove":false}`, "", true},
		{`{"id":"a","autoApprove":2}`, "", true},
		{`{"id":"a","priority":"high"}`, "", true},
		{`{"id":"a","priority":2147483648}`, "", true},
		{`{"id":"a","toolName":""}`, "", true},
		{`{"id":"","autoApprove":true}`, "", true},
	} {
		var r permission.Rule
		err := json.Unmarshal([]byte(test.json), &r)
		if (err != nil) != test.bad ||
			(err == nil && (r.Effect != test.effect || !r.Enabled || r.AutoApprove != (r.Effect == permission.Allow))) {
			t.Errorf("%s: %+v %v", test.json, r, err)
		}
	}
}

func TestTime(t *testing.T) {
	for _, test := range []struct{ in, out string }{
		{`"2025-01-01T00:00:00Z"`, `"2025-01-01T00:00:00.000Z"`},
		{`"2025-01-01T09:00:00.1239+09:00"`, `"2025-01-01T00:00:00.123Z"`},
		{`"2025-01-01t09:00:00.1z"`, `"2025-01-01T09:00:00.100Z"`},
		{`"2025-01-01t09:00:00.123456789012-00:30"`, `"2025-01-01T09:30:00.123Z"`},
		{`null`, `null`},
	} {
		var v permission.Time
		if err := json.Unmarshal([]byte(test.in), &v); err != nil {
			t.Error(err)
		}
		if out, err := json.Marshal(v); err != nil || string(out) != test.out {
			t.Errorf("%s became %s, %v", test.in, out, err)
		}
	}
	for _, bad := range []string{`5`, `"yesterday"`, `""`, `{}`, `"1970-01-01T00:00:00Z"`, `"1970-01-01T01:00:00.0009+01:00"`,
		`"9999-12-31T23:59:59-23:00"`, `"0000-12-31T00:00:00Z"`,
		`"2099-01-01T00:00:00,5Z"`, `"2099-01-01T0:00:00Z"`, `"2099-01-01T00:00:00+24:00"`, `"2099-01-01T00:00:00+00:60"`,
		`"2099-01-01T00:00:00.Z"`, `"2099-01-01 00:00:00Z"`, `"2099-01-01T00:00:00"`,
		`"2099-01-01Z00:00:00T"`, `"2099-02-29T00:00:00Z"`, `"z"`, `"t"`, `"2099-01-01T00:00:00+0000"`} {
		var v permission.Time
		if json.Unmarshal([]byte(bad), &v) == nil {
			t.Errorf("%s was taken as %v", bad, v)
		}
	}
}
