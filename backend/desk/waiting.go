package desk

import (
	"context"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// tellWaiting says of the waiting calls whose tools changed that they did. They get
// another rev: an answer to what was shown before is stale.
func (d *Calls) tellWaiting(before, after toolbook.Book) {
	if !after.TurnsAgainst(before) {
		return
	}
	ctx := context.Background() // whatever becomes of whoever brought the change
	list, err := d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
		tool, ok := toolbook.ToolOf(w.call)
		if !ok || w.got.Effect == permission.Deny {
			return t, false
		}
		change, turned := after.Turned(before, tool)
		if !turned {
			return t, false
		}
		return retelling(w.call.ID, because(w.call, w.got, change), d.catalogue.sightOf(w.call), d.Now()), true
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
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk, Data: permission.Data(map[string]any{"why": why})}}
}

// unsaid reports, as a conflict, that a waiting call's tool changed and that the call
// did not say so to whoever answers it. It does from then on.
func (d *Calls) unsaid(ctx context.Context, c *permission.Call) error {
	change, turned := d.catalogue.changed(c), d.catalogue.turned(c)
	if c.Status != permission.Pending || turned.Reason == "" && (change == "" || change == c.Why.Changed) {
		return nil
	}
	got := d.decide(d.policy.inForce(), subject(c), d.Now())
	why := because(c, got, change)
	if change == "" {
		why.Explanation = turned
	}
	said, err := d.broker.Transit(ctx, retelling(c.ID, why, d.catalogue.sightOf(c), d.Now()))
	if err != nil && !errors.Is(err, permission.ErrGuard) {
		return err
	}
	return &permission.Error{Code: permission.CodeStale, Message: "the tool of this call changed since it was shown", Call: &said}
}
