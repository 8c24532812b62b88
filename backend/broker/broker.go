// Package broker holds the life of a call (CONTRACT section 3): suspend,
// decide, claim, finish, expire, cancel, leave. Each step is one guarded
// transition in the store; the broker tells the loser of a race what stands.
package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Defaults of CONTRACT section 3.
const (
	// ClaimWithin is how long an approval waits to be claimed, and how long a
	// caller that left may come back for it.
	ClaimWithin = 600 * time.Second
	// Lease is how long a claim holds when its claimant does not say.
	Lease = 60 * time.Second
)

// Store keeps calls. Transit answers permission.ErrGuard, with the call as it
// stands, when the guards do not hold.
type Store interface {
	Suspend(ctx context.Context, s permission.Suspension) (permission.Call, permission.Kept, error)
	Transit(ctx context.Context, t permission.Transition) (permission.Call, error)
	Call(ctx context.Context, id permission.CallID) (permission.Call, error)
}

// Recoverer is the store's part in starting: Recover says goodbye to callers
// that were connected to the process before, and lists the open deadlines.
type Recoverer interface {
	Recover(ctx context.Context, at permission.Time) ([]permission.Call, error)
}

// Broker moves calls through their life. It is safe for use by many goroutines.
type Broker struct {
	store Store
	clock *alarm

	mu      sync.Mutex
	waiters map[permission.CallID][]chan struct{}
}

// New makes a broker over a store. Call Recover before its first call, and
// Close at the end.
func New(store Store) *Broker {
	b := &Broker{store: store, waiters: map[permission.CallID][]chan struct{}{}}
	b.clock = newAlarm(b.expire)
	return b
}

// Recover sets the deadlines of what an earlier process left open.
func (b *Broker) Recover(ctx context.Context, r Recoverer) error {
	open, err := r.Recover(ctx, now())
	if err != nil {
		return err
	}
	for i := range open {
		b.watch(&open[i])
	}
	return nil
}

// Close ends the broker's clock. Waiters end with their own contexts.
func (b *Broker) Close() { b.clock.close() }

// Committed wakes those who wait for the calls of these events. The store calls
// it after each commit.
func (b *Broker) Committed(events []permission.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range events {
		for _, w := range b.waiters[e.CallID] {
			close(w)
		}
		delete(b.waiters, e.CallID)
	}
}

func now() permission.Time { return permission.TimeOf(time.Now()) }

// watch sets the alarm for a call that has a deadline.
func (b *Broker) watch(c *permission.Call) {
	if !c.ExpiresAt.IsZero() && (c.Status == permission.Pending || c.Status == permission.Approved) {
		b.clock.set(c.ExpiresAt.Std(), c.ID)
	}
}

// expire lets the clock settle a call whose deadline is over.
func (b *Broker) expire(ctx context.Context, id permission.CallID) error {
	at := now()
	_, err := b.transit(ctx, permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Pending, permission.Approved}, Due: true, To: permission.Expired,
		Decision: &permission.Decision{By: permission.ByClock, Reason: "nobody answered, or nobody claimed, in time; this is not a judgement of the call", Scope: permission.ScopeOnce, DecidedAt: at},
		Entry:    entry(permission.CallDecided, permission.ActorClock, step{Status: permission.Expired}),
	})
	if errors.Is(err, permission.ErrGuard) || errors.Is(err, permission.NotFound("")) {
		return nil
	}
	return err
}

func (b *Broker) transit(ctx context.Context, t permission.Transition) (permission.Call, error) {
	c, err := b.store.Transit(ctx, t)
	if err == nil {
		b.watch(&c)
	}
	return c, err
}

// Suspend keeps a judged call and sets its deadline.
func (b *Broker) Suspend(ctx context.Context, s permission.Suspension) (permission.Call, permission.Kept, error) {
	s.DeclinedSince = s.Call.CreatedAt.Add(-ClaimWithin)
	c, kept, err := b.store.Suspend(ctx, s)
	if err == nil {
		b.watch(&c)
	}
	return c, kept, err
}

// Wait answers the call as soon as it is not pending, its rev is not rev (0
// stands for whatever it is now), or it changes; or when ctx ends, then as it
// stands. Whether p may see the call is the desk's question, asked before.
func (b *Broker) Wait(ctx context.Context, id permission.CallID, rev int64) (permission.Call, error) {
	for {
		woken := b.listen(id)
		c, err := b.store.Call(context.WithoutCancel(ctx), id)
		if err != nil || c.Status != permission.Pending || (rev != 0 && c.Rev != rev) || ctx.Err() != nil {
			b.forget(id, woken)
			return c, err
		}
		if rev == 0 {
			rev = c.Rev
		}
		select {
		case <-woken:
		case <-ctx.Done():
		}
		b.forget(id, woken)
	}
}

func (b *Broker) listen(id permission.CallID) chan struct{} {
	w := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiters[id] = append(b.waiters[id], w)
	return w
}

func (b *Broker) forget(id permission.CallID, w chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.waiters[id]
	for i, x := range list {
		if x == w {
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			break
		}
	}
	if len(list) == 0 {
		delete(b.waiters, id)
		return
	}
	b.waiters[id] = list
}

// Decide takes a person's answer. The first answer stands: the same again is
// repeated, another is told what stands.
func (b *Broker) Decide(ctx context.Context, id permission.CallID, a permission.Answer) (c permission.Call, repeated bool, err error) {
	at := now()
	t := permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Pending}, Live: true, Hash: a.InputHash, Rev: a.Rev, To: permission.Declined,
		Decision: &permission.Decision{By: permission.ByPerson, Approved: a.Approved, Reason: a.Reason, Scope: permission.ScopeOnce, DecidedAt: at},
	}
	if a.Approved {
		until := at.Add(ClaimWithin)
		t.To, t.ExpiresAt = permission.Approved, &until
	}
	t.Entry = entry(permission.CallDecided, permission.ActorPerson, step{Status: t.To, Reason: a.Reason, InputHash: a.InputHash})
	c, err = b.transit(ctx, t)
	if !errors.Is(err, permission.ErrGuard) {
		return c, false, err
	}
	c, err = b.overdue(ctx, c)
	if err != nil {
		return c, false, err
	}
	if d := c.Decision; d != nil && d.By == permission.ByPerson && d.Approved == a.Approved && c.InputHash == a.InputHash {
		return c, true, nil
	}
	return c, false, undecidable(c, a)
}

// overdue settles a call that lost its race against a deadline which no sweep
// has seen yet, so that the loser is told the truth.
func (b *Broker) overdue(ctx context.Context, c permission.Call) (permission.Call, error) {
	open := c.Status == permission.Pending || c.Status == permission.Approved
	if !open || c.ExpiresAt.IsZero() || c.ExpiresAt > now() {
		return c, nil
	}
	if err := b.expire(ctx, c.ID); err != nil {
		return c, err
	}
	return b.store.Call(ctx, c.ID)
}

// Claim gives the one right to execute. The same key again renews the lease.
func (b *Broker) Claim(ctx context.Context, agent permission.AgentID, id permission.CallID, req permission.ClaimRequest) (permission.Call, error) {
	if req.Lease == 0 {
		req.Lease = Lease
	}
	claim, err := uuid.NewV7()
	if err != nil {
		return permission.Call{}, fmt.Errorf("claim call: %w", err)
	}
	at := now()
	until := at.Add(req.Lease)
	none := permission.Time(0)
	c, err := b.transit(ctx, permission.Transition{
		ID: id, At: at, Agent: agent, From: []permission.Status{permission.Approved}, Live: true, Attached: true, Hash: req.InputHash, To: permission.Claimed,
		NewClaim:  &permission.Claim{ID: permission.ClaimID(claim.String()), Key: req.Key, Until: until},
		ExpiresAt: &none,
		Entry:     entry(permission.CallClaimed, actor(agent), step{Status: permission.Claimed, Claimant: req.Claimant, InputHash: req.InputHash}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c.Status == permission.Claimed && c.ClaimKey == req.Key && req.Key != "" && c.InputHash == req.InputHash {
		return b.renew(ctx, c, until)
	}
	if c, err = b.overdue(ctx, c); err != nil {
		return c, err
	}
	return c, unclaimable(c, req)
}

func (b *Broker) renew(ctx context.Context, c permission.Call, until permission.Time) (permission.Call, error) {
	c, err := b.transit(ctx, permission.Transition{
		ID: c.ID, At: now(), Agent: c.AgentID, From: []permission.Status{permission.Claimed}, Claim: *c.ClaimID, Lease: &until,
		Entry: entry(permission.CallChanged, actor(c.AgentID), step{Status: permission.Claimed, Renewed: true}),
	})
	if errors.Is(err, permission.ErrGuard) {
		return c, unclaimable(c, permission.ClaimRequest{InputHash: c.InputHash})
	}
	return c, err
}

// Finish takes the result of a claimed call, once. The same result again is no
// error.
func (b *Broker) Finish(ctx context.Context, agent permission.AgentID, id permission.CallID, out permission.Outcome) (permission.Call, error) {
	to := permission.Completed
	if !out.OK {
		to = permission.Failed
	}
	if out.Output == nil {
		out.Output = []byte("null")
	}
	c, err := b.transit(ctx, permission.Transition{
		ID: id, At: now(), Agent: agent, From: []permission.Status{permission.Claimed}, Claim: out.ClaimID, To: to, Result: out.Output,
		Entry: entry(permission.CallFinished, actor(agent), step{Status: to, Bytes: len(out.Output)}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c.Status == to && c.ClaimID != nil && *c.ClaimID == out.ClaimID && string(c.Result) == string(out.Output) {
		return c, nil
	}
	return c, conflict(permission.CodeResultConflict, &c, "this claim cannot give a result: the call is "+string(c.Status))
}

// Cancel withdraws a call that has not been claimed. Again is no error.
func (b *Broker) Cancel(ctx context.Context, agent permission.AgentID, id permission.CallID, reason string) (permission.Call, error) {
	at := now()
	c, err := b.transit(ctx, permission.Transition{
		ID: id, At: at, Agent: agent, From: []permission.Status{permission.Pending, permission.Approved}, Live: true, To: permission.Cancelled,
		Decision: &permission.Decision{By: permission.ByCaller, Reason: reason, Scope: permission.ScopeOnce, DecidedAt: at},
		Entry:    entry(permission.CallDecided, actor(agent), step{Status: permission.Cancelled, Reason: reason}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c, err = b.overdue(ctx, c); err != nil || c.Status == permission.Cancelled {
		return c, err
	}
	return c, uncancellable(c)
}

// Leave says that the caller stopped waiting. The call stays and nobody claims
// it until the same agent asks the same again. A call that is past waiting is
// answered as it stands.
func (b *Broker) Leave(ctx context.Context, agent permission.AgentID, id permission.CallID) (permission.Call, error) {
	gone := true
	c, err := b.transit(ctx, permission.Transition{
		ID: id, At: now(), Agent: agent, From: []permission.Status{permission.Pending, permission.Approved, permission.Declined}, Attached: true, SetGone: &gone,
		Entry: entry(permission.CallChanged, actor(agent), step{CallerGone: true}),
	})
	if errors.Is(err, permission.ErrGuard) {
		return c, nil
	}
	return c, err
}
