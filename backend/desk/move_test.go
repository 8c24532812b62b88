package desk_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// order is the rules in the order of judgement by id and priority.
func (h *house) order() (text string, version int64) {
	h.Helper()
	rules, version, err := h.Rules(ctx)
	if err != nil {
		h.Fatal(err)
	}
	var list []string
	for _, r := range rules {
		list = append(list, fmt.Sprint(r.ID, " ", r.Priority))
	}
	return strings.Join(list, ", "), version
}

// ranked replaces all rules; each is "id effect pattern priority".
func (h *house) ranked(rules ...string) {
	h.Helper()
	var list []permission.Rule
	for i, line := range rules {
		r := permission.Rule{CreatedAt: permission.Time(i + 1), Enabled: true, Examples: []permission.Example{}}
		var pattern string
		if _, err := fmt.Sscan(line, &r.ID, &r.Effect, &pattern, &r.Priority); err != nil {
			h.Fatal(err)
		}
		r.ToolPattern, r.AutoApprove = &pattern, r.Effect == permission.Allow
		list = append(list, r)
	}
	if _, _, err := h.ReplaceRules(ctx, 0, list); err != nil {
		h.Fatal(err)
	}
}

func (h *house) lastEntry() (permission.Entry, int) {
	h.Helper()
	entries, _, err := h.Entries(ctx, 0, 1000)
	if err != nil || len(entries) == 0 {
		h.Fatal(err)
	}
	return entries[len(entries)-1], len(entries)
}

func id(s string) *permission.RuleID { r := permission.RuleID(s); return &r }

func TestAMoveIsOneEdit(t *testing.T) {
	h := open(t)
	defer h.close()
	h.ranked("deny deny delete_* 5", "first allow read_* 3", "second allow read_* 3", "last ask * 0")
	h.want(h.ask("read_file"), permission.Approved, false) // a hit of first
	before, version := h.order()
	rules, _, _ := h.Rules(ctx)
	stored, next, err := h.MoveRule(ctx, "second", id("first"), version)
	if err != nil || next != version+1 {
		t.Fatalf("version %d after %d, %v", next, version, err)
	}
	after, now := h.order()
	if want := "deny 5, second 4, first 3, last 0"; after != want || now != next || stored[1].ID != "second" {
		t.Errorf("from %s to %s, want %s", before, after, want)
	}
	for _, r := range stored {
		for _, old := range rules {
			if r.ID == old.ID && (r.UpdatedAt > old.UpdatedAt) != (r.ID == "second") {
				t.Errorf("rule %s: updated %s, before %s", r.ID, r.UpdatedAt, old.UpdatedAt)
			}
		}
	}
	e, _ := h.lastEntry()
	var data struct {
		What, RuleID, Before string
		Rules                []permission.Rule
	}
	if err := json.Unmarshal(e.Data, &data); err != nil || e.Kind != permission.RulesChanged || e.Actor != permission.ActorPerson ||
		data.What != "moved" || data.RuleID != "second" || data.Before != "first" || len(data.Rules) != 1 || data.Rules[0].Priority != 4 {
		t.Errorf("the journal says %s by %s: %s", e.Kind, e.Actor, e.Data)
	}
	if c := h.want(h.ask("read_file"), permission.Approved, false); *c.Decision.RuleID != "second" {
		t.Errorf("decided by %s", *c.Decision.RuleID)
	}
	// updatedAt grows within one millisecond, too.
	for i := range 10 {
		old, _ := h.Rule(ctx, "second")
		to := []*permission.RuleID{nil, id("first")}[i%2]
		if _, _, err := h.MoveRule(ctx, "second", to, 0); err != nil {
			t.Fatal(err)
		}
		if r, _ := h.Rule(ctx, "second"); r.UpdatedAt <= old.UpdatedAt {
			t.Fatalf("updated at %s, before %s", r.UpdatedAt, old.UpdatedAt)
		}
	}
	for _, id := range []permission.RuleID{"first", "second"} {
		if r, err := h.Rule(ctx, id); err != nil || r.Hits != 1 || r.LastHitAt.IsZero() {
			t.Errorf("%s after all moves: %d hits, the last at %s, %v", id, r.Hits, r.LastHitAt, err)
		}
	}
}

func TestAMoveThatChangesNothing(t *testing.T) {
	h := open(t)
	defer h.close()
	h.ranked("a ask a* 3", "b ask b* 2", "c ask c* 1")
	order, version := h.order()
	_, entries := h.lastEntry()
	for _, m := range []struct {
		id     permission.RuleID
		before *permission.RuleID
	}{{"a", id("b")}, {"b", id("c")}, {"c", nil}, {"b", id("b")}} {
		if _, next, err := h.MoveRule(ctx, m.id, m.before, version); err != nil || next != version {
			t.Errorf("%s: version %d after %d, %v", m.id, next, version, err)
		}
	}
	_, _, err := h.MoveRule(ctx, "a", nil, version+1)
	h.wantCode(err, permission.CodeLostUpdate, "")
	_, _, err = h.MoveRule(ctx, "nobody", nil, 0)
	h.wantCode(err, permission.CodeNotFound, "")
	_, _, err = h.MoveRule(ctx, "a", id("nobody"), 0)
	h.wantCode(err, permission.CodeNotFound, "")
	now, next := h.order()
	if _, n := h.lastEntry(); now != order || next != version || n != entries {
		t.Errorf("%s, version %d, %d entries; before %s, %d, %d", now, next, n, order, version, entries)
	}
}

func TestAMoveJudgesWhatWaits(t *testing.T) {
	h := open(t)
	defer h.close()
	h.ranked("ask ask drop_* 5", "deny deny drop_* 3")
	c := h.want(h.ask("drop_table"), permission.Pending, false)
	if _, _, err := h.MoveRule(ctx, "deny", id("ask"), 0); err != nil {
		t.Fatal(err)
	}
	if got := h.want(c, permission.Denied, false); *got.Decision.RuleID != "deny" {
		t.Errorf("decided by %s", *got.Decision.RuleID)
	}
}

func TestAMoveBreaksNoExample(t *testing.T) {
	h := open(t)
	defer h.close()
	h.ranked("deny deny drop_* 5", "allow allow * 3")
	if _, _, err := h.UpdateRule(ctx, "deny", 0, func(f *permission.RuleForm) error {
		f.Examples = []permission.Example{{ToolName: "drop_table", Decision: permission.Deny}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	order, version := h.order()
	_, _, err := h.MoveRule(ctx, "allow", id("deny"), 0)
	h.wantCode(err, permission.CodeInvalid, "")
	if e, ok := err.(*permission.Error); !ok || e.Field != "before" || !strings.Contains(e.Message, "rule deny: example 1") {
		t.Errorf("%v", err)
	}
	_, _, err = h.MoveRule(ctx, "deny", nil, 0)
	if e, ok := err.(*permission.Error); !ok || e.Field != "before" || !strings.Contains(e.Message, "rule deny: example 1") {
		t.Errorf("%v", err)
	}
	if now, next := h.order(); now != order || next != version {
		t.Errorf("%s, before %s", now, order)
	}
	h.want(h.ask("drop_table"), permission.Denied, false)
}
