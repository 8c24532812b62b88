package rest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func TestLintNamesRulesWithoutAnIDByTheirPlace(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	first, third := permission.RuleID("unnamed-000000_"), permission.RuleID("mine")
	s.desk.findings = []permission.Finding{
		{RuleID: "unnamed-000001", Kind: permission.FindingDuplicate, By: &first, Message: "unnamed-000000_ says the same as unnamed-000001"},
		{RuleID: "mine", Kind: permission.FindingUnreachable, By: &third, Message: "mine"}, {RuleID: "unnamed-000000", Kind: permission.FindingNoStar},
	}
	got := s.send("POST", "/v1/rules/lint", tokenOp, `{"rules":[{"toolName":"a"},{"toolName":"a"},{"id":"mine","createdAt":"2020-01-01T00:00:00Z"},{"id":"unnamed-000000"}]}`)
	want := `{"findings":[{"ruleId":"rules[1]","kind":"duplicate","by":"rules[0]","message":"rules[0] says the same as rules[1]"},` +
		`{"ruleId":"mine","kind":"unreachable","by":"mine","message":"mine"},{"ruleId":"unnamed-000000","kind":"no_star","by":null,"message":""}]}`
	if got.status != 200 || strings.TrimSpace(string(got.body)) != want {
		t.Errorf("%d %s", got.status, got.body)
	}
	ids := []permission.RuleID{}
	for _, r := range s.desk.rules {
		ids = append(ids, r.ID)
		if err := r.Valid(); err != nil {
			t.Errorf("rule %s is not one that the desk takes: %v", r.ID, err)
		}
	}
	if want := []permission.RuleID{"unnamed-000000_", "unnamed-000001", "mine", "unnamed-000000"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q", ids)
	}
	if s.desk.rules[0].CreatedAt != permission.TimeOf(now) || s.desk.rules[2].CreatedAt != 1_577_836_800_000 {
		t.Errorf("created at %v and %v", s.desk.rules[0].CreatedAt, s.desk.rules[2].CreatedAt)
	}
	s.desk.findings = nil
	if got := s.send("POST", "/v1/rules/lint", tokenOp, `{"rules":[]}`); strings.TrimSpace(string(got.body)) != `{"findings":[]}` {
		t.Errorf("nothing to say: %s", got.body)
	}
}

func TestPreviewAndSuggestions(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("POST", "/v1/rules/preview", tokenOp, `{"rules":[{"toolPattern":"read_*","effect":"allow"}]}`)
	if r := s.desk.rules; got.status != 200 || len(r) != 1 || r[0].Effect != permission.Allow || strings.TrimSpace(string(got.body)) != `{"changed":[],"changedTotal":0,"declined":0,"total":0}` {
		t.Errorf("%d %s with %+v", got.status, got.body, r)
	}
	s.desk.preview = permission.Preview{Changed: []permission.Changed{{CallID: "c", ToolName: "x", Before: permission.Ask, After: permission.Allow, Declined: true}}, ChangedTotal: 3, Declined: 1, Total: 9}
	got = s.send("POST", "/v1/rules/preview", tokenOp, `{"rules":[]}`)
	if want := `{"changed":[{"callId":"c","serverId":null,"toolName":"x","before":"ask","after":"allow","declined":true}],"changedTotal":3,"declined":1,"total":9}`; strings.TrimSpace(string(got.body)) != want {
		t.Errorf("%s", got.body)
	}
	if got := s.send("GET", "/v1/suggestions", tokenOp, ""); strings.TrimSpace(string(got.body)) != `{"suggestions":[]}` {
		t.Errorf("no suggestions: %s", got.body)
	}
	pattern, effect := "read_*", permission.Allow
	s.desk.suggestions = []permission.Suggestion{{Rule: permission.RuleForm{ToolPattern: &pattern, Effect: &effect, Enabled: true}, Answers: 7, Reason: "because"}}
	got = s.send("GET", "/v1/suggestions", tokenOp, "")
	var body struct {
		Suggestions []struct{ Rule map[string]any }
	}
	if got.into(t, &body); !strings.Contains(string(got.body), `"tools":[]`) || len(body.Suggestions) != 1 {
		t.Fatalf("%s", got.body)
	}
	_, rule, _ := strings.Cut(string(got.body), `{"rule":`)
	rule, _, _ = strings.Cut(rule, `,"answers"`)
	if made := s.send("POST", "/v1/rules", tokenOp, rule); made.status != 201 || *s.desk.form.ToolPattern != "read_*" || *s.desk.form.Effect != permission.Allow {
		t.Errorf("a suggestion is not a rule to save: %d %s", made.status, made.body)
	}
}

func TestRulesGoOutAndInAsADocument(t *testing.T) {
	s := newSite(t, nil)
	doc := s.send("GET", "/v1/policy", tokenOp, "")
	if want := `{"format":"sekisho.rules","version":1,"rules":[{"id":"r1",`; doc.status != 200 || !strings.HasPrefix(string(doc.body), want) {
		t.Fatalf("%d %s", doc.status, doc.body)
	}
	s.desk.diff = permission.RuleDiff{Added: []permission.Rule{s.desk.rule}, Allows: []permission.RuleID{"r1"}, PolicyVersion: 9}
	got := s.send("POST", "/v1/policy/diff", tokenOp, `{"document":`+string(doc.body)+`}`)
	if got.status != 200 || s.desk.mode != permission.ImportMerge || !strings.Contains(string(got.body), `"changed":[],"removed":[],"same":0,"allows":["r1"],"policyVersion":9`) {
		t.Errorf("diff: %d %s, mode %s", got.status, got.body, s.desk.mode)
	}
	if d := s.desk.doc; d.Format != permission.RuleFormat || d.Version != 1 || len(d.Rules) != 1 || d.Rules[0].ID != "r1" || *d.Rules[0].ServerID != "filesystem" || d.Rules[0].CreatedAt != 1_700_000_000_000 {
		t.Errorf("the desk was given %+v", d)
	}
	if got := s.send("POST", "/v1/policy/import", tokenOp, `{"document":`+string(doc.body)+`,"mode":"replace"}`); got.status != 422 || got.problem(t).Field != "accept" || s.desk.counts["ImportRules"] != 0 {
		t.Errorf("an allow rule that nobody accepted: %d %s", got.status, got.body)
	}
	got = s.send("POST", "/v1/policy/import", tokenOp, `{"document":`+string(doc.body)+`,"mode":"replace","ifVersion":9,"accept":["r1"]}`)
	if got.status != 200 || s.desk.mode != permission.ImportReplace || s.desk.version != 9 || !slices.Equal(s.desk.accept, []permission.RuleID{"r1"}) || !strings.HasPrefix(string(got.body), `{"diff":{"added":[{`) {
		t.Errorf("import: %d %s with %s, %d, %q", got.status, got.body, s.desk.mode, s.desk.version, s.desk.accept)
	}
}
