package desk_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// allowing is a rule that allows a pattern.
func allowing(id, pattern string) permission.Rule {
	return permission.Rule{ID: permission.RuleID(id), ToolPattern: &pattern, Effect: permission.Allow, AutoApprove: true, Enabled: true,
		Examples: []permission.Example{}}
}

// instead is an edit that puts rules in the place of all.
func instead(rules ...permission.Rule) permission.Draft { return permission.Draft{Rules: rules} }

// puts is an edit of one rule.
func puts(id permission.RuleID, lay func(*permission.RuleForm)) permission.DraftRule {
	return permission.DraftRule{ID: id, Lay: func(f *permission.RuleForm) error { lay(f); return nil }}
}

func TestPreview(t *testing.T) {
	h := open(t)
	defer h.close()
	read, write := h.ask("read_file"), h.ask("write_file")
	if _, err := h.decide(write, false); err != nil {
		t.Fatal(err)
	}
	p, err := h.Preview(ctx, instead(allowing("r", "*_file")))
	if err != nil || p.Total != 2 || p.ChangedTotal != 2 || p.Declined != 1 || p.Changed[0].CallID != write.ID ||
		!p.Changed[0].Declined ||
		p.Changed[1].Declined {
		t.Errorf("preview: %+v %v", p, err)
	}
	if p.Changed[0].Before != permission.Ask || p.Changed[0].After != permission.Allow {
		t.Errorf("from %s to %s", p.Changed[0].Before, p.Changed[0].After)
	}
	if p.Changed[0].CreatedAt != write.CreatedAt || p.Changed[1].CreatedAt != read.CreatedAt ||
		fmt.Sprint(p.Counts) != "map[ask>allow:2]" ||
		p.Matched != 0 {
		t.Errorf("preview: %+v", p)
	}
	// What came in and was decided since is seen.
	third := h.ask("move_file")
	if _, err := h.decide(read, false); err != nil {
		t.Fatal(err)
	}
	p, err = h.Preview(ctx, instead(allowing("r", "*_file")))
	if err != nil || p.Total != 3 || p.Declined != 2 || p.Changed[0].CallID != third.ID {
		t.Errorf("later: %+v %v", p, err)
	}
	condition := "input.n == 9007199254740993"
	exact, none := allowing("r", "read_*"), allowing("r", "read_*")
	exact.Condition = &condition
	other := "input.n == 5"
	none.Condition = &other
	for rule, want := range map[*permission.Rule]int{&exact: 1, &none: 0} {
		if p, err := h.Preview(ctx, instead(*rule)); err != nil || p.ChangedTotal != want {
			t.Errorf("%s: %+v %v", *rule.Condition, p, err)
		}
	}
	if rules, _, err := h.Rules(ctx); err != nil || len(rules) != 0 {
		t.Errorf("a preview kept %+v %v", rules, err)
	}
}

// TestNothingIsProposedPastAGuardThatIsNotSeen: a stored deny rule that cannot be read may
// be about any call. That the desk is on hold hides nothing.
func TestNothingIsProposedPastAGuardThatIsNotSeen(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.rule(permission.Deny, "delete_*")
	h.approves(3, "list_files", `{}`)
	c := h.ask("read_file")
	if err := h.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	h.wantSuggested("list_files")
	if forms, err := h.Widen(ctx, c.ID); err != nil || len(forms.Rules) == 0 {
		t.Errorf("on hold: %+v %v", forms, err)
	}
	h.close()
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE tool_permission_rules SET priority = 'high'"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	h = openAt(t, dir)
	defer h.close()
	if forms, err := h.Widen(ctx, c.ID); err != nil || forms.Rules == nil || len(forms.Rules) != 0 {
		t.Errorf("past a damaged guard: %+v %v", forms, err)
	}
	h.wantSuggested()
}

func TestSuggestionsComeFromAnswers(t *testing.T) {
	h := open(t)
	defer h.close()
	for range 3 {
		if _, err := h.decide(h.ask("list_things"), true); err != nil {
			t.Fatal(err)
		}
		if _, err := h.decide(h.ask("delete_things"), true); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.Suggestions(ctx)
	if err != nil || len(got) != 1 || *got[0].Rule.ToolName != "list_things" || *got[0].Rule.ServerID != "filesystem" ||
		got[0].Answers != 3 {
		t.Fatalf("suggestions: %+v %v", got, err)
	}
	if _, _, err := h.CreateRule(ctx, got[0].Rule); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("list_things"), permission.Approved, false)
	if got, err := h.Suggestions(ctx); err != nil || len(got) != 0 {
		t.Errorf("suggested again: %+v %v", got, err)
	}
}

// approves lets a person approve calls of a tool with one input.
func (h *house) approves(times int, tool, input string) {
	h.Helper()
	for range times {
		r := h.request(tool)
		r.Input = json.RawMessage(input)
		if _, err := h.decide(h.askAll(r), true); err != nil {
			h.Fatal(err)
		}
	}
}

// wantSuggested holds the tools of suggested rules against those that are meant, in order.
func (h *house) wantSuggested(want ...string) {
	h.Helper()
	list, err := h.Suggestions(ctx)
	if err != nil {
		h.Fatal(err)
	}
	got := []string{}
	for _, s := range list {
		got = append(got, *s.Rule.ToolName)
	}
	if !slices.Equal(got, want) {
		h.Errorf("suggested: %q, want %q", got, want)
	}
}

// TestNothingOfHighRiskIsSuggested: and a rule that is suggested stops at what becomes high.
func TestNothingOfHighRiskIsSuggested(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.approves(3, "db_list", `{}`)
	h.approves(3, "db_drop", `{}`)
	list, err := h.Suggestions(ctx)
	if err != nil || len(list) != 1 || *list[0].Rule.ToolName != "db_list" {
		t.Fatalf("%+v %v", list, err)
	}
	if _, _, err := h.CreateRule(ctx, list[0].Rule); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("db_list"), permission.Approved, false)
	h.saw(`{"name":"db_list","annotations":{"destructiveHint":true}}`)
	h.want(h.ask("db_list"), permission.Pending, false)
}

// TestCommandsAreSuggestedTogether: what was approved in several forms becomes one rule by
// programs and verbs, which covers lines of them. A call of high risk is not suggested, and
// none of its line is let pass.
func TestCommandsAreSuggestedTogether(t *testing.T) {
	h := open(t)
	defer h.close()
	run := func(line string) permission.Request {
		r := h.request("execute_command")
		r.Cwd, r.Input = new("/work/app"), json.RawMessage(`{"command":`+strconv.Quote(line)+`}`)
		return r
	}
	for _, line := range []string{"git add .", "git add -A", "git commit -m x", "git push", "git push", "git push"} {
		if _, err := h.decide(h.askAll(run(line)), true); err != nil {
			t.Fatal(err)
		}
	}
	h.approves(3, "execute_list", `{}`)
	list, err := h.Suggestions(ctx)
	if err != nil || len(list) != 2 || list[0].Answers != 3 || list[0].Past.MaxRisk != permission.RiskMedium ||
		list[0].Covers.Text != "git add, git commit by execute_command on filesystem, in /work/app, up to medium risk" {
		t.Fatalf("%+v %v", list, err)
	}
	if _, _, err := h.CreateRule(ctx, list[0].Rule); err != nil {
		t.Fatal(err)
	}
	h.want(h.askAll(run("git add x && git commit -m x")), permission.Approved, false)
	for _, line := range []string{
		"git push", "git add . && git push", "git commit -m z; rm -rf ~", "git add ../x", "cd / && git add x",
		"git commit --amend -m y",
	} {
		h.want(h.askAll(run(line)), permission.Pending, false)
	}
	if list, err := h.Suggestions(ctx); err != nil || len(list) != 1 || *list[0].Rule.ToolName != "execute_list" {
		t.Errorf("suggested again: %+v %v", list, err)
	}
}

func TestImportIsAllOrNothing(t *testing.T) {
	h := open(t)
	defer h.close()
	kept := h.rule(permission.Deny, "drop_*")
	doc, err := h.ExportRules(ctx)
	if err != nil || doc.Format != permission.RuleFormat || doc.Version != 1 || len(doc.Rules) != 1 {
		t.Fatalf("exported %+v %v", doc, err)
	}
	doc.Rules = append(doc.Rules, allowing("new", "read_*"))
	diff, err := h.DiffRules(ctx, doc, permission.ImportMerge)
	if err != nil || len(diff.Added) != 1 || diff.Same != 1 || fmt.Sprint(diff.Allows) != "[new]" {
		t.Errorf("difference %+v %v", diff, err)
	}
	_, err = h.ImportRules(ctx, doc, permission.ImportMerge, diff.PolicyVersion, nil)
	h.wantCode(err, permission.CodeInvalid, "")
	h.want(h.ask("read_file"), permission.Pending, false)
	_, err = h.ImportRules(ctx, doc, permission.ImportMerge, diff.PolicyVersion+1, diff.Allows)
	h.wantCode(err, permission.CodeLostUpdate, "")
	if _, err = h.ImportRules(ctx, doc, permission.ImportMerge, diff.PolicyVersion, diff.Allows); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("read_file"), permission.Approved, false)
	h.want(h.ask("drop_table"), permission.Denied, false)
	// In the place of all: the guard would go, and that must be accepted too.
	doc.Rules = []permission.Rule{allowing("new", "read_*")}
	diff, err = h.DiffRules(ctx, doc, permission.ImportReplace)
	if err != nil || len(diff.Removed) != 1 || diff.Removed[0].ID != kept.ID {
		t.Errorf("difference %+v %v", diff, err)
	}
	bad := "input.["
	doc.Rules[0].Condition = &bad
	_, err = h.ImportRules(ctx, doc, permission.ImportReplace, 0, []permission.RuleID{"new", kept.ID})
	if e, ok := err.(*permission.Error); !ok || e.Field != "document.rules[0].condition" {
		t.Errorf("a condition that does not compile: %v", err)
	}
	h.want(h.ask("drop_table"), permission.Denied, false)
	for _, change := range []func(*permission.RuleDocument){
		func(d *permission.RuleDocument) { d.Format = "other" }, func(d *permission.RuleDocument) { d.Version = 2 },
	} {
		wrong, _ := h.ExportRules(ctx)
		change(&wrong)
		_, err := h.DiffRules(ctx, wrong, permission.ImportMerge)
		h.wantCode(err, permission.CodeInvalid, "")
	}
}

func TestLintFindsWhatIsOdd(t *testing.T) {
	h := open(t)
	defer h.close()
	findings, err := h.Lint(ctx, instead(allowing("all", "*"), allowing("some", "read_*")))
	kinds := map[string]bool{}
	for _, f := range findings {
		kinds[string(f.RuleID)+" "+string(f.Kind)] = true
	}
	if err != nil || !kinds["all "+string(permission.FindingAllowsAll)] || !kinds["some "+string(permission.FindingUnreachable)] {
		t.Errorf("findings %+v %v", findings, err)
	}
}
