package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

// edit measures how long after its commit an edited rule is what decides, by how
// many rules there are.
func edit(ctx context.Context, s settings, dir string) (rows []row, err error) {
	for _, part := range []struct {
		rules int
		goal  time.Duration
	}{{10_000, 200 * time.Microsecond}, {100_000, 5 * time.Millisecond}} {
		folder := filepath.Join(dir, fmt.Sprint("edit-", part.rules))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
		c, err := editOf(ctx, s, folder, part.rules)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{c.name, c.times(), "", "≤ " + part.goal.String(), c.median() <= float64(part.goal)})
	}
	return rows, nil
}

func editOf(ctx context.Context, s settings, dir string, n int) (c *contestant, err error) {
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	d, err := desk.Open(ctx, desk.Stores{
		Calls: store, Sessions: store, Policy: store, Past: store, Catalogue: store, Journal: store, State: store, Counts: store,
	}, desk.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if _, _, err := d.Policy.ReplaceRules(ctx, 0, ourRules(shapes(n-1))); err != nil {
		return nil, err
	}
	// The desk heard of the commit before, so this is the moment of its end.
	var committed atomic.Int64
	store.Listen(func([]permission.Event) { committed.Store(time.Now().UnixNano()) })
	probe, deny, first := "probe", permission.Deny, int64(1<<30)
	form := permission.NewRuleForm()
	form.ToolName, form.Effect, form.Priority, form.Enabled = &probe, &deny, first, false
	rule, _, err := d.Policy.CreateRule(ctx, form)
	if err != nil {
		return nil, err
	}
	c = &contestant{name: fmt.Sprintf("an edit decides, %s rules", thousands(n)), turn: func() (float64, error) {
		seen := make(chan int64, 1)
		on := !rule.Enabled
		go func() { seen <- decidesAt(ctx, d, probe, on) }()
		if rule, _, err = d.Policy.UpdateRule(ctx, rule.ID, 0, func(f *permission.RuleForm) error { f.Enabled = on; return nil }); err != nil {
			return 0, err
		}
		return max(0, float64(<-seen-committed.Load())), nil
	}}
	return c, compete(4*s.rounds, c)
}

// decidesAt asks until the rule about a tool decides, or does not any more, and says
// when that was.
func decidesAt(ctx context.Context, d *desk.Desk, tool string, on bool) int64 {
	for {
		v, err := d.Calls.Evaluate(ctx, permission.Query{ToolName: tool, Brief: true})
		if err != nil || (v.Decision == permission.Deny) == on {
			return time.Now().UnixNano()
		}
	}
}
