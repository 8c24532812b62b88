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
	d, err := desk.Open(ctx, store, desk.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if _, _, err := d.ReplaceRules(ctx, 0, ourRules(shapes(n))); err != nil {
		return nil, err
	}
	// The desk heard of the commit before, so this is the moment of its end.
	var committed atomic.Int64
	store.Listen(func([]permission.Event) { committed.Store(time.Now().UnixNano()) })
	turn := 0
	c = &contestant{name: fmt.Sprintf("an edit decides, %s rules", thousands(n)), turn: func() (float64, error) {
		turn++
		id := permission.RuleID(fmt.Sprintf("rule-%06d", turn*17%n))
		rule, _, err := d.UpdateRule(ctx, id, 0, func(f *permission.RuleForm) error { f.Enabled = !f.Enabled; return nil })
		if err != nil {
			return 0, err
		}
		// UpdateRule returns when the edit decides: this bounds the time from above.
		took := time.Now().UnixNano() - committed.Load()
		return float64(took), decides(ctx, d, rule)
	}}
	return c, compete(4*s.rounds, c)
}

// decides makes sure that the desk judges by the rule as it is now.
func decides(ctx context.Context, d *desk.Desk, r permission.Rule) error {
	rules, _, err := d.Rules(ctx)
	for _, known := range rules {
		if known.ID == r.ID && known.Enabled == r.Enabled {
			return err
		}
	}
	return errors.Join(err, fmt.Errorf("rule %s is not as it was edited", r.ID))
}
