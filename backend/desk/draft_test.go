package desk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func effect(e permission.Effect) func(*permission.RuleForm) {
	return func(f *permission.RuleForm) { f.Effect = &e }
}

func TestAPreviewOfAnEdit(t *testing.T) {
	h := open(t)
	defer h.close()
	reads, drops := h.rule(permission.Allow, "read_*"), h.rule(permission.Deny, "drop_*")
	for _, tool := range []string{"read_file", "read_dir", "drop_table", "write_file", "write_x"} {
		h.ask(tool)
	}
	if _, err := h.decide(h.ask("write_file"), false); err != nil {
		t.Fatal(err)
	}
	_, version, _ := h.Rules(ctx)
	for _, on := range []bool{false, true} { // being on hold is no matter of the rules
		if err := h.Hold(ctx, on); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name  string
			draft permission.Draft
			want  string // changed, declined, counts, matched, of these declined
		}{
			{"nothing", permission.Draft{}, "0 0 map[] 0 0"},
			{"a rule as it is", permission.Draft{Put: []permission.DraftRule{puts(reads.ID, func(*permission.RuleForm) {})}}, "0 0 map[] 2 0"},
			{"a rule goes", permission.Draft{Delete: []permission.RuleID{reads.ID}}, "2 0 map[allow>ask:2] 0 0"},
			{"both go", permission.Draft{Delete: []permission.RuleID{reads.ID, drops.ID}}, "3 0 map[allow>ask:2 deny>ask:1] 0 0"},
			{"a rule changes in one field", permission.Draft{Put: []permission.DraftRule{puts(reads.ID, effect(permission.Deny))}},
				"2 0 map[allow>deny:2] 2 0"},
			{"a new rule", permission.Draft{Put: []permission.DraftRule{puts("new", func(f *permission.RuleForm) {
				p := "write_*"
				f.ToolPattern = &p
				effect(permission.Allow)(f)
			})}}, "3 1 map[ask>allow:3] 3 1"},
			{"a new one behind the others",
				permission.Draft{Put: []permission.DraftRule{puts("new", func(f *permission.RuleForm) {
					effect(permission.Allow)(f)
					f.Priority = -1
				})}}, "3 1 map[ask>allow:3] 6 1"},
			{"the first is counted for, be it off",
				permission.Draft{Put: []permission.DraftRule{puts("new", func(f *permission.RuleForm) {
					f.Enabled = false
				}), puts(drops.ID, effect(permission.Allow))}}, "1 0 map[deny>allow:1] 6 1"},
			{"by its condition", permission.Draft{Put: []permission.DraftRule{puts("new", func(f *permission.RuleForm) {
				c := "toolName == 'write_x'"
				f.Condition = &c
			})}}, "0 0 map[] 1 0"},
			{"no rules at all", permission.Draft{Rules: []permission.Rule{}}, "3 0 map[allow>ask:2 deny>ask:1] 0 0"},
		} {
			p, err := h.Preview(ctx, tt.draft)
			if got := fmt.Sprint(p.ChangedTotal, p.Declined, p.Counts, p.Matched, p.MatchedDeclined); err != nil || got != tt.want || p.Total != 6 {
				t.Errorf("%s, hold %v: %s of %d, want %s; %v", tt.name, on, got, p.Total, tt.want, err)
			}
		}
	}
	if err := h.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("read_again"), permission.Approved, false)
	if rules, now, err := h.Rules(ctx); err != nil || len(rules) != 2 || now != version+3 { // the three of hold
		t.Errorf("a preview kept %+v, version %d after %d, %v", rules, now, version, err)
	}
}

func TestAnEditIsLinted(t *testing.T) {
	h := open(t)
	defer h.close()
	all := h.rule(permission.Allow, "*")
	kinds := func(d permission.Draft) string {
		t.Helper()
		findings, err := h.Lint(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, f := range findings {
			fmt.Fprint(&b, strings.ReplaceAll(string(f.RuleID), string(all.ID), "all"), " ", f.Kind, " ")
		}
		return strings.TrimSpace(b.String())
	}
	if got := kinds(permission.Draft{}); got != "all allows_all" {
		t.Errorf("as they are: %s", got)
	}
	if got := kinds(permission.Draft{Delete: []permission.RuleID{all.ID}}); got != "" {
		t.Errorf("without it: %s", got)
	}
	twin := func(f *permission.RuleForm) { p := "*"; f.ToolPattern = &p; effect(permission.Allow)(f) }
	if got := kinds(
		permission.Draft{Put: []permission.DraftRule{puts("a", twin)}}); got != "all allows_all a unreachable a duplicate a allows_all" {
		t.Errorf("with a twin, which is the younger: %s", got)
	}
	if got := kinds(permission.Draft{Put: []permission.DraftRule{puts("a", twin), puts(all.ID, func(f *permission.RuleForm) {
		f.Enabled = false
	})}}); got != "all allows_all a allows_all" {
		t.Errorf("with a twin in its place: %s", got)
	}
}

func TestBadEdits(t *testing.T) {
	h := open(t)
	defer h.close()
	kept := h.rule(permission.Allow, "read_*")
	nothing := func(*permission.RuleForm) {}
	bad := "input.["
	for _, tt := range []struct {
		draft permission.Draft
		code  permission.Code
		field string
	}{
		{permission.Draft{Put: []permission.DraftRule{puts("a", nothing), puts("a", nothing)}}, permission.CodeInvalid, "change.put[1].id"},
		{permission.Draft{Put: []permission.DraftRule{puts("", nothing)}}, permission.CodeInvalid, "change.put[0].id"},
		{permission.Draft{Put: []permission.DraftRule{puts("a b", nothing)}}, permission.CodeInvalid, "change.put[0].id"},
		{permission.Draft{Put: []permission.DraftRule{puts("a", nothing), puts(kept.ID, func(f *permission.RuleForm) { f.Priority = 1 << 31 })}},
			permission.CodeInvalid, "change.put[1].priority"},
		{permission.Draft{Put: []permission.DraftRule{puts("a", func(f *permission.RuleForm) { f.Condition = &bad })}}, permission.CodeInvalid,
			"change.put[0].condition"},
		{permission.Draft{Put: []permission.DraftRule{{ID: "a", Lay: func(*permission.RuleForm) error {
			return permission.Invalid("expiresAt", permission.FieldOther, "no time")
		}}}}, permission.CodeInvalid, "change.put[0].expiresAt"},
		{permission.Draft{Delete: []permission.RuleID{kept.ID, "nobody"}}, permission.CodeNotFound, "change.delete[1]"},
		{permission.Draft{Put: []permission.DraftRule{puts(kept.ID, nothing)}, Delete: []permission.RuleID{kept.ID}}, permission.CodeInvalid,
			"change.delete[0]"},
		{permission.Draft{Put: []permission.DraftRule{puts("a", nothing)}, Delete: []permission.RuleID{"a"}}, permission.CodeInvalid,
			"change.delete[0]"},
	} {
		_, lint := h.Lint(ctx, tt.draft)
		_, preview := h.Preview(ctx, tt.draft)
		for _, err := range []error{lint, preview} {
			var e *permission.Error
			if !errors.As(err, &e) || e.Code != tt.code || e.Field != tt.field {
				t.Errorf("%+v: %v, want %s of %s", tt.draft, err, tt.code, tt.field)
			}
		}
	}
}

func TestACallIsWidened(t *testing.T) {
	h := open(t)
	defer h.close()
	h.rule(permission.Ask, "*")
	r := h.request("read_file")
	r.Input = []byte(`{"path": "/work/a"}`)
	c := h.askAll(r)
	if err := h.Hold(ctx, true); err != nil { // under which nothing is allowed, but rules can be made
		t.Fatal(err)
	}
	offered, err := h.Widen(ctx, c.ID)
	forms := offered.Rules
	if err != nil || len(forms) != 2 || !strings.Contains(*forms[0].Condition, `under(input.path, "/work")`) || !offered.Choices[0].First ||
		offered.Choices[0].Covers.Code != permission.CoversFiles || offered.Choices[1].Covers.Code != permission.CoversTool ||
		forms[1].Priority != 1 {
		t.Fatalf("%+v %v", offered, err)
	}
	if err := h.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}
	if _, n, err := h.CreateRule(ctx, forms[0]); err != nil || n != 1 {
		t.Errorf("made, it decides %d waiting calls: %v", n, err)
	}
	r = h.request("read_file")
	r.Input = []byte(`{"path": "/work/b"}`)
	h.want(h.askAll(r), permission.Approved, false)
	h.want(h.ask("read_file"), permission.Pending, false)
	if offered, err := h.Widen(ctx, h.ask("delete_file").ID); err != nil || len(offered.Rules) != 0 || offered.Rules == nil {
		t.Errorf("high risk: %+v %v", offered, err)
	}
	h.yes(h.ask("read_file"), permission.ScopeClass)
	grants, err := h.Grants(ctx)
	if err != nil || len(grants) != 1 {
		t.Fatalf("%+v %v", grants, err)
	}
	if kept, err := h.WidenGrant(ctx, grants[0].ID); err != nil || len(kept.Rules) == 0 || kept.Choices[0].Past.Approved != 1 {
		t.Errorf("of a grant: %+v %v", kept, err)
	}
	_, err = h.WidenGrant(ctx, "nobody")
	h.wantCode(err, permission.CodeNotFound, "")
	_, err = h.Widen(ctx, "nobody")
	h.wantCode(err, permission.CodeNotFound, "")
}
