// Package broker holds the life of a call (CONTRACT section 3): suspend,
// decide, claim, finish, expire, cancel, leave. Each step is one guarded
// transition in the store; the broker tells the loser of a race what stands.
package broker

import (
	"context"
	"errors"
	"sync"
	"time"

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

// Store keeps calls. Transit and Reply answer permission.ErrGuard, with the call
// as it stands, when the guards do not hold.
type Store interface {
	Suspend(ctx context.Context, s permission.Suspension) (permission.Call, permission.Kept, error)
	Transit(ctx context.Context, t permission.Transition) (permission.Call, error)
	Call(ctx context.Context, id permission.CallID) (permission.Call, error)
	// Now is the time, which never goes back.
	Now() permission.Time
}

// Settler is the store's part in settling many calls in one transaction.
type Settler interface {
	Reply(ctx context.Context, r permission.Reply) (call permission.Call, siblings []permission.Call, err error)
	// TransitAll makes the changes whose guards hold, and answers the changed calls.
	TransitAll(ctx context.Context, list []permission.Transition) ([]permission.Call, error)
}

// Keeper is all that the broker needs of a store.
type Keeper interface {
	Store
	Settler
}

// Recoverer is the store's part in starting: Recover says goodbye to callers
// that were connected to the process before, and lists the open deadlines and
// leases.
type Recoverer interface {
	Recover(ctx context.Context, at permission.Time) ([]permission.Call, error)
}

// Broker moves calls through their life. It is safe for use by many goroutines.
type Broker struct {
	store Keeper
	clock *alarm

	mu      sync.Mutex
	waiters map[permission.CallID][]chan struct{}
}

// New makes a broker over a store. Call Recover before its first call, and
// Close at the end.
func New(store Keeper) *Broker {
	b := &Broker{store: store, waiters: map[permission.CallID][]chan struct{}{}}
	b.clock = newAlarm(store.Now, b.due)
	return b
}

// Recover sets the deadlines of what an earlier process left open.
func (b *Broker) Recover(ctx context.Context, r Recoverer) error {
	open, err := r.Recover(ctx, b.now())
	if err != nil {
		return err
	}
	b.changed(open)
	return nil
}

// Close ends the broker's clock. Waiters end with their own contexts.
func (b *Broker) Close() { b.clock.close() }

// Committed wakes those who wait for the calls of these events. The store calls
// it after each commit.
func (b *Broker) Committed(events []permission.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := 0; i < len(events) && len(b.waiters) > 0; i++ {
		list, ok := b.waiters[events[i].CallID]
		if !ok {
			continue
		}
		for _, w := range list {
			close(w)
		}
		delete(b.waiters, events[i].CallID)
	}
}

func (b *Broker) now() permission.Time { return b.store.Now() }

// watch sets the alarm for a call that has a deadline or a lease, and forgets one
// that has neither any more.
func (b *Broker) watch(c *permission.Call) {
	if at := ends(c); !at.IsZero() {
		b.clock.set(deadline{due{at, c.ID, c.Rev}, c.Status == permission.Claimed})
		return
	}
	b.clock.unset(c.ID, c.Rev)
}

// ends is when the clock has to look at a call, if ever.
func ends(c *permission.Call) permission.Time {
	switch c.Status {
	case permission.Pending, permission.Approved:
		return c.ExpiresAt
	case permission.Claimed:
		return c.LeaseExpiresAt
	}
	return 0
}

// due lets the clock act on calls whose deadline or lease is over at a time. Guards
// keep it from those that moved on.
func (b *Broker) due(ctx context.Context, at permission.Time, ids []permission.CallID) error {
	list := make([]permission.Transition, 0, 2*len(ids))
	for _, id := range ids {
		list = append(list, expiry(id, at), lapse(id, at))
	}
	_, err := b.store.TransitAll(ctx, list)
	return err
}

func expiry(id permission.CallID, at permission.Time) permission.Transition {
	return permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Pending, permission.Approved}, Due: true, To: permission.Expired,
		Decision: &permission.Decision{By: permission.ByClock, Scope: permission.ScopeOnce, DecidedAt: at,
			Explanation: permission.Explanation{Code: permission.ReasonNobodyAnswered,
				Reason: "Approval timeout: nobody answered, or nobody claimed, in time; this is not a judgement of the call"}},
		Entry: entry(permission.CallDecided, permission.ActorClock, step{Status: permission.Expired}),
	}
}

// Unclaimed lets an approved call expire whose caller waits, and that nobody came to execute. Of a
// call that has come further it changes nothing.
func (b *Broker) Unclaimed(ctx context.Context, id permission.CallID) (permission.Call, error) {
	t := expiry(id, b.now())
	t.From, t.Due, t.Live, t.Attached = []permission.Status{permission.Approved}, false, true, true
	t.Decision.Explanation = permission.Explanation{Code: permission.ReasonNoClient, Reason: "no client holds this workspace"}
	c, err := b.Transit(ctx, t)
	if errors.Is(err, permission.ErrGuard) {
		return c, nil
	}
	return c, err
}

func lapse(id permission.CallID, at permission.Time) permission.Transition {
	return permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Claimed}, Lapsed: true, To: permission.InDoubt,
		Entry: entry(permission.CallChanged, permission.ActorClock, step{Status: permission.InDoubt}),
	}
}

// Transit makes one change and keeps watch over the call. It answers
// permission.ErrGuard, with the call as it stands, when the guards do not hold.
func (b *Broker) Transit(ctx context.Context, t permission.Transition) (permission.Call, error) {
	c, err := b.store.Transit(ctx, t)
	if err == nil {
		b.watch(&c)
	}
	return c, err
}

// Settle makes the changes of a list whose guards hold, and names the calls that
// changed.
func (b *Broker) Settle(ctx context.Context, list []permission.Transition) ([]permission.CallID, error) {
	calls, err := b.store.TransitAll(ctx, list)
	return b.changed(calls), err
}

// changed watches calls that were changed together, and names them.
func (b *Broker) changed(calls []permission.Call) []permission.CallID {
	ids := make([]permission.CallID, len(calls))
	set := make([]deadline, 0, min(len(calls), 256))
	for i := range calls {
		c := &calls[i]
		ids[i] = c.ID
		if at := ends(c); !at.IsZero() {
			set = append(set, deadline{due{at, c.ID, c.Rev}, c.Status == permission.Claimed})
		} else {
			b.clock.unset(c.ID, c.Rev)
		}
		if len(set) == cap(set) { // there can be very many
			b.clock.set(set...)
			set = set[:0]
		}
	}
	b.clock.set(set...)
	return ids
}

// Suspend keeps a judged call and sets its deadline.
func (b *Broker) Suspend(ctx context.Context, s permission.Suspension) (permission.Call, permission.Kept, error) {
	if s.Claim != nil && s.Call.Status == permission.Approved {
		if err := claimAtOnce(&s); err != nil {
			return s.Call, "", err
		}
	}
	s.DeclinedSince = s.Call.CreatedAt.Add(-ClaimWithin)
	s.ClaimBy = s.Call.CreatedAt.Add(ClaimWithin)
	c, kept, err := b.store.Suspend(ctx, s)
	if err == nil && kept != permission.KeptSame { // that one is watched already
		b.watch(&c)
	}
	return c, kept, err
}

// overdue settles a call that lost its race against a deadline or a lease which no
// sweep has seen yet, so that the loser is told the truth.
func (b *Broker) overdue(ctx context.Context, c permission.Call) (permission.Call, error) {
	at := b.now()
	var late permission.Transition
	switch {
	case (c.Status == permission.Pending || c.Status == permission.Approved) && !c.ExpiresAt.IsZero() && c.ExpiresAt <= at:
		late = expiry(c.ID, at)
	case c.Status == permission.Claimed && !c.LeaseExpiresAt.IsZero() && c.LeaseExpiresAt <= at:
		late = lapse(c.ID, at)
	default:
		return c, nil
	}
	c, err := b.store.Transit(ctx, late)
	if errors.Is(err, permission.ErrGuard) {
		return c, nil
	}
	return c, err
}

// Cancel withdraws a call that has not been claimed. Again is no error.
func (b *Broker) Cancel(ctx context.Context, agent permission.AgentID, id permission.CallID, reason string) (permission.Call, error) {
	t := Cancellation(id, actor(agent), permission.ByCaller, permission.Said(reason), b.now())
	t.Agent = agent
	c, err := b.Transit(ctx, t)
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c, err = b.overdue(ctx, c); err != nil || c.Status == permission.Cancelled {
		return c, err
	}
	return c, uncancellable(c)
}

// Cancellation is the transition of a call that its caller, or a person for it,
// withdraws.
func Cancellation(id permission.CallID, actor string, by permission.By, why permission.Explanation,
	at permission.Time) permission.Transition {
	return permission.Transition{
		ID: id, At: at, From: []permission.Status{permission.Pending, permission.Approved}, Live: true, To: permission.Cancelled,
		Decision: &permission.Decision{By: by, Explanation: why, Scope: permission.ScopeOnce, DecidedAt: at},
		Entry:    entry(permission.CallDecided, actor, step{Status: permission.Cancelled, Reason: why.Reason}),
	}
}

// Leave says that the caller stopped waiting. The call stays and nobody claims
// it until the same agent asks the same again. A call that is past waiting is
// answered as it stands.
func (b *Broker) Leave(ctx context.Context, agent permission.AgentID, id permission.CallID) (permission.Call, error) {
	gone := true
	c, err := b.Transit(ctx, permission.Transition{
		ID: id, At: b.now(), Agent: agent, From: []permission.Status{permission.Pending, permission.Approved, permission.Declined},
		Attached: true, SetGone: &gone,
		Entry: entry(permission.CallChanged, actor(agent), step{CallerGone: true}),
	})
	if errors.Is(err, permission.ErrGuard) {
		return c, nil
	}
	return c, err
}
