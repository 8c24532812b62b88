package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Decide takes a person's answer. The first answer stands: the same again, or less of
// it, is repeated, another is told what stands. settled names the waiting siblings that
// an answer of wider scope settled with it. Of with, the transition's Edited and Policy count,
// and all that is beside the transition and the grant, which are made here.
func (b *Broker) Decide(ctx context.Context, id permission.CallID, a permission.Answer,
	with permission.Reply) (c permission.Call, settled []permission.CallID, repeated bool, err error) {
	edited := with.Transition.Edited
	r, err := reply(id, a, edited, b.now())
	if err != nil {
		return c, nil, false, fmt.Errorf("decide call: %w", err)
	}
	r.Remember, r.Hold, r.Asked, r.Transition.Policy = with.Remember, with.Hold, with.Asked, with.Transition.Policy
	c, siblings, err := b.store.Reply(ctx, r)
	if err == nil {
		b.watch(&c)
		return c, b.changed(siblings), false, nil
	}
	if !errors.Is(err, permission.ErrGuard) {
		return c, nil, false, err
	}
	if c, err = b.overdue(ctx, c); err != nil {
		return c, nil, false, err
	}
	if same(&c, a, edited) {
		return c, nil, true, nil
	}
	return c, nil, false, undecidable(c, a)
}

// reply is the answer as the store takes it.
func reply(id permission.CallID, a permission.Answer, edited *permission.Edit, at permission.Time) (permission.Reply, error) {
	until := at.Add(ClaimWithin)
	t := permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Pending}, Live: true, Hash: a.InputHash, Saw: a.Rev,
		Stayed: a.Scope != permission.ScopeOnce, To: permission.Declined,
		Decision: &permission.Decision{By: permission.ByPerson, Approved: a.Approved, Explanation: permission.Said(a.Reason), Scope: a.Scope,
			DecidedAt: at, FileVersion: a.FileVersion},
		Edited: edited, ResumeData: a.ResumeData, Unread: a.Unread,
	}
	if a.Approved {
		t.To, t.ExpiresAt = permission.Approved, &until
	}
	said := step{Status: t.To, Reason: a.Reason, InputHash: a.InputHash, Door: a.Door, Scope: a.Scope, ResumeData: a.ResumeData != nil}
	if edited != nil {
		said.EditedHash = edited.InputHash
	}
	t.Entry = entry(permission.CallDecided, permission.ActorPerson, said)
	r := permission.Reply{Transition: t, ClaimBy: until}
	if a.Scope == permission.ScopeOnce {
		return r, nil
	}
	id7, err := uuid.NewV7()
	r.Grant = &permission.Grant{ID: permission.GrantID(id7.String()), Scope: a.Scope, Approved: a.Approved, Reason: a.Reason, CreatedAt: at}
	r.Grant.ExpiresAt = r.Grant.Until(a.ForSeconds)
	r.Transition.Decision.GrantID, r.Transition.Decision.GrantIDs = &r.Grant.ID, []permission.GrantID{r.Grant.ID}
	return r, err
}

// same reports whether the answer that stands is the one given again, or says all that
// it says. Another scope and other data are another answer: they would be lost.
func same(c *permission.Call, a permission.Answer, edited *permission.Edit) bool {
	d := c.Decision
	switch {
	case d == nil || d.By != permission.ByPerson && d.By != permission.ByGrant || d.Approved != a.Approved || c.Status == permission.Cancelled:
		return false
	case a.Scope != permission.ScopeOnce && a.Scope != d.Scope:
		return false
	case a.ResumeData != nil && !sameJSON(a.ResumeData, c.ResumeData):
		return false
	case edited != nil:
		return c.InputHash == edited.InputHash
	}
	return c.Original == nil && c.InputHash == a.InputHash
}

// sameJSON reports whether two texts are the same value, whatever the order of their keys
// and the white space. What is no strict JSON is the same as itself alone.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	one, err1 := rawjson.Canonical(nil, a)
	other, err2 := rawjson.Canonical(nil, b)
	return err1 == nil && err2 == nil && bytes.Equal(one, other)
}

// Extend gives a waiting call more time. One that waits for ever has no use for it.
func (b *Broker) Extend(ctx context.Context, id permission.CallID, by time.Duration) (permission.Call, error) {
	c, err := b.store.Call(ctx, id)
	if err != nil {
		return c, err
	}
	at := b.now()
	for range attempts {
		if c.Status == permission.Pending && c.ExpiresAt.IsZero() {
			return c, permission.Invalid("seconds", permission.FieldNeverExpires, "this call never expires: it needs no more time")
		}
		until := max(c.ExpiresAt, at).Add(by)
		c, err = b.Transit(ctx, permission.Transition{
			ID: id, At: at, From: []permission.Status{permission.Pending}, Live: true, Rev: c.Rev, ExpiresAt: &until,
			Entry: entry(permission.CallChanged, permission.ActorPerson, step{Until: until}),
		})
		if !errors.Is(err, permission.ErrGuard) {
			return c, err
		}
		if c, err = b.overdue(ctx, c); err != nil {
			return c, err
		}
		if c.Status != permission.Pending {
			return c, undecidable(c, permission.Answer{InputHash: c.InputHash})
		}
	}
	return c, conflict(permission.CodeStale, &c, "this call changes faster than it can be extended")
}

// attempts bounds how often a change is tried that others overtake.
const attempts = 10

// Resolve settles a call that is in doubt as a person says: to be claimed again,
// which voids the old claim, or closed as failed. Whoever waited on a connection has been
// told of the doubt: the call is for who asks the same again.
func (b *Broker) Resolve(ctx context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error) {
	c, err := b.store.Call(ctx, id)
	if err != nil {
		return c, err
	}
	at := b.now()
	t := permission.Transition{ID: id, At: at, From: []permission.Status{permission.InDoubt}, To: permission.Failed}
	if how == permission.Retry {
		until := at.Add(ClaimWithin)
		t.To, t.Unclaim, t.ExpiresAt = permission.Approved, true, &until
		if gone := true; c.Held {
			t.SetGone = &gone
		}
	}
	kind := permission.CallFinished
	if how == permission.Retry {
		kind = permission.CallChanged
	}
	t.Entry = entry(kind, permission.ActorPerson, step{Status: t.To, Resolved: how})
	c, err = b.Transit(ctx, t)
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c, err = b.overdue(ctx, c); err != nil {
		return c, err
	}
	if c.Status == permission.InDoubt { // its lease ran out just now
		return b.Transit(ctx, t)
	}
	return c, conflict(permission.CodeAlreadyDecided, &c, "this call is not in doubt: it is "+string(c.Status))
}
