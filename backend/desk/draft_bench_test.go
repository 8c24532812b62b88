package desk_test

import (
	"fmt"
	"sync"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// BenchmarkEdit looks at an edit of 10,000 rules over 100,000 past calls of 2,000 pairs of
// server and tool: with all the rules sent, and with the edit alone.
func BenchmarkEdit(b *testing.B) {
	store, err := sqlite.Open(ctx, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	d, err := desk.Open(ctx, storetest.Stores(store), desk.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	rules := make([]permission.Rule, 10_000)
	for i := range rules {
		rules[i] = allowing(fmt.Sprint("rule-", i), fmt.Sprintf("tool_%d_*", i))
		rules[i].CreatedAt = permission.Time(i + 1)
	}
	if _, _, err := d.Policy.ReplaceRules(ctx, 0, rules); err != nil {
		b.Fatal(err)
	}
	fillPast(b, d)
	edited := append([]permission.Rule{}, rules...)
	edited[7].Effect, edited[7].AutoApprove = permission.Deny, false
	change := permission.Draft{Put: []permission.DraftRule{puts(rules[7].ID, effect(permission.Deny))}}
	for _, bb := range []struct {
		name string
		look func() error
	}{
		{"preview of all rules", func() error { return changes50(d.Policy.Preview(ctx, instead(edited...))) }},
		{"preview of the edit", func() error { return changes50(d.Policy.Preview(ctx, change)) }},
		{"lint of all rules", func() error { _, err := d.Policy.Lint(ctx, instead(edited...)); return err }},
		{"lint of the edit", func() error { _, err := d.Policy.Lint(ctx, change); return err }},
		{"move", func() error {
			_, _, err := d.Policy.MoveRule(ctx, rules[9].ID, id("rule-3"), 0)
			if err == nil {
				_, _, err = d.Policy.MoveRule(ctx, rules[9].ID, id("rule-10"), 0)
			}
			return err
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if err := bb.look(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func changes50(p permission.Preview, err error) error {
	if err == nil && (p.Total != 100_000 || p.ChangedTotal != 50) {
		return fmt.Errorf("%d of %d calls changed", p.ChangedTotal, p.Total)
	}
	return err
}

// fillPast asks for 100,000 calls, from many hands since each waits for its commit.
func fillPast(b *testing.B, d *desk.Desk) {
	var hands sync.WaitGroup
	server := "server"
	for hand := range 200 {
		hands.Go(func() {
			for i := range 500 {
				r := permission.Request{Identity: permission.Identity{RunID: "run", ToolCallID: fmt.Sprint(hand, " ", i)}, ServerID: &server,
					ToolName: fmt.Sprintf("tool_%d_x", (hand*500+i)%2000)}
				if _, _, err := d.Calls.Ask(ctx, permission.Agent{ID: "a", Name: "A"}, r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	hands.Wait()
}
