package desk

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend/permission"
)

// asked are the tools of a server that a person is being asked about, or has answered for
// a call that did not run yet.
func (d *Desk) asked(ctx context.Context, serverID string) (asked map[string]bool, err error) {
	names, err := d.store.AskedTools(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("find what waits: %w", err)
	}
	asked = make(map[string]bool, len(names))
	for _, name := range names {
		asked[name] = true
	}
	return asked, nil
}

// sight is what speaks against a tool, as a person would be shown it; the zero value is
// nothing.
type sight struct {
	change       permission.ToolChange
	seen, launch string
	back         bool
}

func (b book) sight(server, tool string) sight {
	p, s := b.pin(server, tool)
	if s == nil {
		return sight{}
	}
	change, _ := s.against(p)
	if change == "" {
		return sight{}
	}
	return sight{change, p.Seen, s.launch.Hash, p.Back}
}

// turnsAgainst reports whether a book may say something against a tool that another did
// not say.
func (b book) turnsAgainst(before book) bool {
	for id, s := range b {
		if s != before[id] && (s.withheld+len(s.lost) > 0 || s.relaunched()) {
			return true
		}
	}
	return false
}

// tellWaiting says of the waiting calls whose tools changed that they did. They get
// another rev: an answer to what was shown before is stale.
func (d *Desk) tellWaiting(before, after book) {
	if !after.turnsAgainst(before) {
		return
	}
	ctx := context.Background() // whatever becomes of whoever brought the change
	list, err := d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
		if !ofServersTool(w.call) || w.got.Effect == permission.Deny {
			return t, false
		}
		is := after.sight(*w.call.ServerID, w.call.ToolName)
		if is == (sight{}) || is == before.sight(*w.call.ServerID, w.call.ToolName) {
			return t, false
		}
		return retelling(w.call.ID, because(w.call, w.got, is.change), d.sightOf(w.call), d.Now()), true
	})
	if err == nil && len(list) > 0 {
		_, err = d.broker.Settle(ctx, list)
	}
	if err != nil { // a yes is refused as long as its call does not say so
		d.opts.Logger.Error("say of waiting calls that their tools changed", "error", err)
	}
}

// retelling writes anew why a call waits, and for which tool.
func retelling(id permission.CallID, why permission.Why, sight *permission.Sight, at permission.Time) permission.Transition {
	return permission.Transition{ID: id, At: at, From: []permission.Status{permission.Pending}, Live: true, Why: &why, Sight: sight,
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk, Data: data(map[string]any{"why": why})}}
}

// unsaid reports, as a conflict, that a waiting call's tool changed and that the call
// did not say so to whoever answers it. It does from then on.
func (d *Desk) unsaid(ctx context.Context, c *permission.Call) error {
	change, turned := d.changed(c), d.turned(c)
	if c.Status != permission.Pending || turned == "" && (change == "" || change == c.Why.Changed) {
		return nil
	}
	got := d.inForce().Decide(subject(c), d.Now())
	why := because(c, got, change)
	if change == "" {
		why.Reason, why.Code = turned, ""
	}
	said, err := d.broker.Transit(ctx, retelling(c.ID, why, d.sightOf(c), d.Now()))
	if err != nil && !errors.Is(err, permission.ErrGuard) {
		return err
	}
	return &permission.Error{Code: permission.CodeStale, Message: "the tool of this call changed since it was shown", Call: &said}
}
