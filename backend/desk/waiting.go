package desk

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// asked are the tools of a server that a person is being asked about.
func (d *Desk) asked(ctx context.Context, serverID string) (asked map[string]bool, err error) {
	asked = map[string]bool{}
	err = d.store.Waiting(ctx, false, func(c permission.Call) {
		if ofServersTool(&c) && *c.ServerID == serverID {
			asked[c.ToolName] = true
		}
	})
	if err != nil {
		return nil, fmt.Errorf("find what waits: %w", err)
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
		return retelling(w.call.ID, w.got, is.change), true
	})
	if err == nil && len(list) > 0 {
		_, err = d.broker.Settle(ctx, list)
	}
	if err != nil { // a yes is refused as long as its call does not say so
		d.opts.Logger.Error("say of waiting calls that their tools changed", "error", err)
	}
}

// retelling writes anew why a call waits.
func retelling(id permission.CallID, got policy.Decision, change permission.ToolChange) permission.Transition {
	why := &permission.Why{Rule: got.Rule, Reason: got.Reason, Code: got.Code, Changed: change, Withheld: got.Withheld}
	return permission.Transition{ID: id, At: now(), From: []permission.Status{permission.Pending}, Live: true, Why: why,
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk, Data: data(map[string]any{"why": why})}}
}

// unsaid reports, as a conflict, that a waiting call's tool changed and that the call
// did not say so to whoever answers it. It does from then on.
func (d *Desk) unsaid(ctx context.Context, c *permission.Call) error {
	change := d.changed(c)
	if c.Status != permission.Pending || change == "" || change == c.Why.Changed {
		return nil
	}
	said, err := d.broker.Transit(ctx, retelling(c.ID, d.inForce().Decide(subject(c), now()), change))
	if err != nil && !errors.Is(err, permission.ErrGuard) {
		return err
	}
	return &permission.Error{Code: permission.CodeStale, Message: "the tool of this call changed since it was shown", Call: &said}
}
