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
		{RuleID: "mine", Kind: permission.FindingUnreachable, By: &third, Message: "mine"},
		{RuleID: "unnamed-000000", Kind: permission.FindingNoStar},
	}
	got := s.send("POST", "/v1/rules/lint", tokenOp,
		`{"rules":[{"toolName":"a"},{"toolName":"a"},{"id":"mine","createdAt":"2020-01-01T00:00:00Z"},{"id":"unnamed-000000"}]}`)
	want := `{"findings":[{"ruleId":"rules[1]","kind":"duplicate","by":"rules[0]","code":"","params":{},"message":"rules[0] says the same as rules[1]"},` +
		`{"ruleId":"mine","kind":"unreachable","by":"mine","code":"","params":{},"message":"mine"},{"ruleId":"unnamed-000000","kind":"no_star","by":null,"code":"","params":{},"message":""}]}`
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
	if r := s.desk.rules; got.status != 200 || len(r) != 1 || r[0].Effect != permission.Allow ||
		strings.TrimSpace(
			string(got.body)) != `{"changed":[],"changedTotal":0,"counts":{},"declined":0,"total":0,"unjudged":0,"matched":0,"matchedDeclined":0,`+narrower+`}` {
		t.Errorf("%d %s with %+v", got.status, got.body, r)
	}
	s.desk.preview = permission.Preview{Changed: []permission.Changed{{CallID: "c", CreatedAt: 1_700_000_000_123, ToolName: "x",
		Before: permission.Ask, After: permission.Allow, Declined: true}},
		ChangedTotal: 3, Counts: map[string]int{"ask>allow": 3}, Declined: 1, Total: 9, Unjudged: 6, Matched: 4, MatchedDeclined: 2}
	got = s.send("POST", "/v1/rules/preview", tokenOp, `{"rules":[]}`)
	if want :=
		`{"changed":[{"callId":"c","createdAt":"2023-11-14T22:13:20.123Z","serverId":null,"toolName":"x","before":"ask","after":"allow","declined":true}],` +
			`"changedTotal":3,"counts":{"ask>allow":3},"declined":1,"total":9,"unjudged":6,"matched":4,"matchedDeclined":2,` + narrower + `}`; strings.TrimSpace(
		string(got.body)) != want {
		t.Errorf("%s", got.body)
	}
	if got := s.send("GET", "/v1/suggestions", tokenOp, ""); strings.TrimSpace(string(got.body)) != `{"suggestions":[]}` {
		t.Errorf("no suggestions: %s", got.body)
	}
	pattern, effect := "read_*", permission.Allow
	s.desk.suggestions = []permission.Suggestion{{Rule: permission.RuleForm{ToolPattern: &pattern, Effect: &effect, Enabled: true}, Answers: 7,
		Reason: "because"}}
	got = s.send("GET", "/v1/suggestions", tokenOp, "")
	var body struct {
		Suggestions []struct{ Rule map[string]any }
	}
	if got.into(t, &body); !strings.Contains(string(got.body), `"tools":[]`) || len(body.Suggestions) != 1 {
		t.Fatalf("%s", got.body)
	}
	_, rule, _ := strings.Cut(string(got.body), `{"rule":`)
	rule, _, _ = strings.Cut(rule, `,"answers"`)
	if made := s.send("POST", "/v1/rules", tokenOp, rule); made.status != 201 || *s.desk.form.ToolPattern != "read_*" ||
		*s.desk.form.Effect != permission.Allow {
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
	if got.status != 200 || s.desk.mode != permission.ImportMerge ||
		!strings.Contains(string(got.body), `"changed":[],"removed":[],"same":0,"allows":["r1"],`+narrower+`,"policyVersion":9`) {
		t.Errorf("diff: %d %s, mode %s", got.status, got.body, s.desk.mode)
	}
	if d := s.desk.doc; d.Format != permission.RuleFormat || d.Version != 1 || len(d.Rules) != 1 || d.Rules[0].ID != "r1" ||
		*d.Rules[0].ServerID != "filesystem" || d.Rules[0].CreatedAt != 1_700_000_000_000 {
		t.Errorf("the desk was given %+v", d)
	}
	if got := s.send("POST", "/v1/policy/import", tokenOp, `{"document":`+string(doc.body)+`,"mode":"replace"}`); got.status != 422 ||
		got.problem(t).Field != "accept" || s.desk.counts["ImportRules"] != 0 {
		t.Errorf("an allow rule that nobody accepted: %d %s", got.status, got.body)
	}
	got = s.send("POST", "/v1/policy/import", tokenOp, `{"document":`+string(doc.body)+`,"mode":"replace","ifVersion":9,"accept":["r1"]}`)
	if got.status != 200 || s.desk.mode != permission.ImportReplace || s.desk.version != 9 ||
		!slices.Equal(s.desk.accept, []permission.RuleID{"r1"}) || !strings.HasPrefix(string(got.body), `{"diff":{"added":[{`) {
		t.Errorf("import: %d %s with %s, %d, %q", got.status, got.body, s.desk.mode, s.desk.version, s.desk.accept)
	}
}

func TestAChangeOfTheRulesIsLaidOverWhatIsThere(t *testing.T) {
	s := newSite(t, nil)
	first := permission.RuleID("r1")
	s.desk.findings = []permission.Finding{{RuleID: "r1", By: &first}}
	got := s.send("POST", "/v1/rules/lint", tokenOp,
		`{"change":{"put":[{"toolName":"a"},{"id":"r1","priority":3},{"note":"n"}],"delete":["x","y"]}}`)
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	d := s.desk.draft
	if d.Rules != nil || len(d.Put) != 3 || d.Put[1].ID != "r1" || !slices.Equal(d.Delete, []permission.RuleID{"x", "y"}) {
		t.Fatalf("the desk was given %+v", d)
	}
	form := s.desk.rule.Form()
	if err := d.Put[1].Lay(&form); err != nil || form.Priority != 3 || *form.ServerID != "filesystem" || form.Note != "no <b>" ||
		!form.Enabled {
		t.Errorf("laid over: %+v %v", form, err)
	}
	form = permission.NewRuleForm()
	if err := d.Put[0].Lay(&form); err != nil || *form.ToolName != "a" || !form.Enabled {
		t.Errorf("new: %+v %v", form, err)
	}
	if r := (permission.Rule{ID: d.Put[0].ID, Effect: permission.Ask}); r.Valid() != nil || d.Put[0].ID >= d.Put[2].ID {
		t.Errorf("made-up ids %q and %q", d.Put[0].ID, d.Put[2].ID)
	}
	s.desk.findings = []permission.Finding{{RuleID: d.Put[2].ID, By: &d.Put[0].ID, Message: string(d.Put[2].ID) + " like " +
		string(d.Put[0].ID)}}
	places := places{}
	places.put(d.Put[0].ID, "new[0]")
	places.put(d.Put[2].ID, "new[2]")
	if f := places.name(s.desk.findings)[0]; f.RuleID != "new[2]" || *f.By != "new[0]" || f.Message != "new[2] like new[0]" {
		t.Errorf("named %+v by %s", f, *f.By)
	}
}

func TestAReviewIsOfRulesOrOfAChange(t *testing.T) {
	s := newSite(t, nil)
	for _, row := range []string{"preview", "lint"} {
		for body, field := range map[string]string{
			`{"rules":[],"change":{}}`: "change", `{"rules":null}`: "rules", `{"change":null}`: "change", `{"change":{"put":null}}`: "change.put",
			`{"change":{"put":[{"priority":"x"}]}}`: "change.put[0].priority", `{"change":{"put":[{},{"surprise":1}]}}`: "change.put[1].surprise",
			`{"change":{"put":[{"expiresAt":"soon"}]}}`: "change.put[0].expiresAt", `{"change":{"delete":[1]}}`: "change.delete[0]",
			`{"change":{"remove":[]}}`: "change.remove",
		} {
			if got := s.send("POST", "/v1/rules/"+row, tokenOp, body); got.status != 422 || got.problem(t).Field != field {
				t.Errorf("%s of %s: %d %s", row, body, got.status, got.body)
			}
		}
		if got := s.send("POST", "/v1/rules/"+row, tokenOp, `{"change":{}}`); got.status != 200 || s.desk.draft.Rules != nil {
			t.Errorf("%s of no change: %d %s", row, got.status, got.body)
		}
	}
	s.desk.counts = map[string]int{}
	if got := s.send("POST", "/v1/rules/preview", tokenOp, `{}`); got.status != 422 || got.problem(t).Field != "rules" ||
		s.desk.touched() != 0 {
		t.Errorf("preview of nothing: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/rules/lint", tokenOp, `{}`); got.status != 200 || s.desk.draft.Rules != nil || s.desk.draft.Put != nil {
		t.Errorf("lint of the rules as they are: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/rules/lint", tokenOp, `{"rules":[]}`); got.status != 200 || s.desk.draft.Rules == nil {
		t.Errorf("lint of no rules at all: %d %s", got.status, got.body)
	}
}

func TestARuleIsMoved(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("POST", "/v1/rules/move", tokenOp, `{"ruleId":"r1","before":"r2","policyVersion":9}`)
	if got.status != 200 || *s.desk.before != "r2" || s.desk.version != 9 || got.header.Get("ETag") != `"10"` ||
		!strings.Contains(string(got.body), `"policyVersion":10`) || !strings.HasPrefix(string(got.body), `{"rules":[{"id":"r1"`) {
		t.Errorf("%d %s %s", got.status, got.header.Get("ETag"), got.body)
	}
	if got := s.send("POST", "/v1/rules/move", tokenOp, `{"ruleId":"r1","before":null}`); got.status != 200 || s.desk.before != nil ||
		s.desk.version != 0 {
		t.Errorf("last of all: %d %s", got.status, got.body)
	}
	for body, field := range map[string]string{`{"ruleId":"r1"}`: "before", `{"before":null}`: "ruleId",
		`{"ruleId":null,"before":null}`: "ruleId", `{"ruleId":"r1","before":5}`: "before",
		`{"ruleId":"r1","before":null,"policyVersion":-1}`:  "policyVersion",
		`{"ruleId":"r1","before":null,"policyVersion":"9"}`: "policyVersion"} {
		if got := s.send("POST", "/v1/rules/move", tokenOp, body); got.status != 422 || got.problem(t).Field != field {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestACallIsWidenedToRules(t *testing.T) {
	s := newSite(t, nil)
	nothing := s.send("POST", "/v1/rules/widen", tokenOp, `{"callId":"call-a"}`)
	if strings.TrimSpace(string(nothing.body)) != `{"rules":[],"choices":[]}` {
		t.Errorf("nothing to propose: %s", nothing.body)
	}
	tool, effect := "read_file", permission.Allow
	s.desk.widened.Rules = []permission.RuleForm{{ToolName: &tool, Effect: &effect, Priority: 10, Enabled: true}}
	got := s.send("POST", "/v1/rules/widen", tokenOp, `{"callId":"call-a"}`)
	want := `{"serverId":null,"method":null,"toolName":"read_file","toolPattern":null,"effect":"allow","priority":10,"condition":null,"enabled":true,"note":"","expiresAt":null,"limit":null}`
	if strings.TrimSpace(string(got.body)) != `{"rules":[`+want+`],"choices":[]}` {
		t.Errorf("%s", got.body)
	}
	if made := s.send("POST", "/v1/rules", tokenOp, want); made.status != 201 || *s.desk.form.ToolName != "read_file" ||
		*s.desk.form.Effect != permission.Allow {
		t.Errorf("a proposal is not a rule to save: %d %s", made.status, made.body)
	}
	if got := s.send("POST", "/v1/rules/widen", tokenOp, `{"grantId":"g"}`); got.status != 200 || s.desk.counts["WidenGrant"] != 1 {
		t.Errorf("of a grant: %d %s", got.status, got.body)
	}
	for _, body := range []string{`{}`, `{"callId":"a","grantId":"b"}`} {
		if got := s.send("POST", "/v1/rules/widen", tokenOp, body); got.status != 422 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestReachIsAsked(t *testing.T) {
	s := newSite(t, nil)
	s.desk.known = []permission.Agent{{ID: "a", Name: "one"}}
	got := s.send("POST", "/v1/rules/reach", tokenOp,
		`{"agentId":"a","serverId":"s","toolName":"x","names":["git push","git log"],"risk":"high"}`)
	want := `"params":{"agentName":"one","names":"git push,git log","server":"s","tool":"x","risk":"high"}`
	if got.status != 200 || !strings.Contains(string(got.body), want) {
		t.Errorf("%d %s", got.status, got.body)
	}
	for body, field := range map[string]string{
		`{"toolName":""}`: "toolName", `{"serverId":""}`: "serverId", `{"names":["a"," "]}`: "names[1]", `{"risk":"some"}`: "risk",
		`{"names":["1","2","3","4","5","6","7","8","9"]}`: "names",
	} {
		if got := s.send("POST", "/v1/rules/reach", tokenOp, body); got.status != 422 || got.problem(t).Field != field {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

// narrower is what the desk of the tests says of every edit.
const narrower = `"narrower":{"answer":"yes","ruleId":null,"part":"","example":null}`
