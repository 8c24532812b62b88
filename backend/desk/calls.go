package desk

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/broker"
	"sekisho/backend/canary"
	"sekisho/backend/permission"
)

// CallStore keeps and lists calls.
type CallStore interface {
	broker.Keeper
	broker.Recoverer
	Calls(ctx context.Context, f permission.CallFilter) (calls []permission.Call, next int64, err error)
	// Waiting tells of each pending call: its rev and what rules look at, with the
	// input only when it is wanted.
	Waiting(ctx context.Context, input bool, visit func(permission.Call)) error
	// LastApproved gives the call of the same agent, server and tool that a person
	// approved last: before c was decided, where it is.
	LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error)
	LastSeq(ctx context.Context) (int64, error)
	// Answerable waits until an answer may be given for a call that came in claimed: until
	// nothing that may still happen takes the call away.
	Answerable(ctx context.Context, id permission.CallID) error
}

// SessionStore ends sessions, and is the store's part in what is remembered of declines,
// beside Suspend and Reply.
type SessionStore interface {
	// OpenIDs lists the pending and approved calls of a filter.
	OpenIDs(ctx context.Context, f permission.CallFilter) ([]permission.CallID, error)
	// EndSession forgets grants and remembered declines of a session.
	EndSession(ctx context.Context, agent permission.AgentID, session permission.SessionID, actor string,
		at permission.Time) (ended int, err error)
	// Sessions lists those with a call since a time, with one that is not over, or with a grant.
	Sessions(ctx context.Context, since permission.Time) ([]permission.Session, error)
	DeclinedTools(ctx context.Context, since permission.Time, often int) ([]permission.DeclinedTool, error)
	// Declined reports whether a call of an agent with this input was declined since a time.
	Declined(ctx context.Context, agent permission.AgentID, asked []string, since permission.Time) (bool, error)
	ForgetDenial(ctx context.Context, id permission.CallID, e permission.Entry) (permission.Call, error)
	WipeInputs(ctx context.Context, before permission.Time, ids []permission.CallID) (wiped int64, err error)
}

// Calls is the life of calls: asked, judged, answered, claimed and finished.
type Calls struct {
	store     CallStore
	sessions  SessionStore
	broker    *broker.Broker
	opts      Options
	policy    *Policy
	catalogue *Catalogue
	turn      *turn
	canaries  canary.Canaries
	over      overSessions

	queue sync.Mutex // a leaf: one hand at a time judges all that waits
}

// Now is the time of the desk's records and deadlines: its store's, which never goes back.
func (d *Calls) Now() permission.Time { return d.store.Now() }

// Call gives one call; NotFound for unknown and for other agents' ids alike.
func (d *Calls) Call(ctx context.Context, who permission.Party, id permission.CallID) (permission.Call, error) {
	c, err := d.store.Call(ctx, id)
	if err == nil && !who.Sees(c.AgentID) {
		return permission.Call{}, permission.NotFound("call")
	}
	return c, err
}

// Wait answers at once if the call is not pending or its rev is not rev, else
// when it changes or ctx ends, then as it stands and without an error. rev 0
// takes any.
func (d *Calls) Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error) {
	if _, err := d.Call(context.WithoutCancel(ctx), who, id); err != nil { // ctx bounds the wait, not the reading
		return permission.Call{}, err
	}
	return d.broker.Wait(ctx, id, rev)
}

// List gives the calls that who may see; next is the cursor, 0 at the end. rev is the
// journal's sequence number that the list is not older than.
func (d *Calls) List(ctx context.Context, who permission.Party,
	f permission.CallFilter) (calls []permission.Call, next int64, rev int64, err error) {
	if !who.IsOperator() {
		f.Agent = who.Agent.ID
	}
	if rev, err = d.store.LastSeq(ctx); err != nil {
		return nil, 0, 0, err
	}
	calls, next, err = d.store.Calls(ctx, f)
	return calls, next, rev, err
}

// Finish reports what came of it.
func (d *Calls) Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error) {
	if out.ClaimID == "" {
		return permission.Call{}, permission.Invalid("claimId", permission.FieldRequired, "a result names the claim that it is for")
	}
	c, err := d.broker.Finish(ctx, agent.ID, id, out)
	return c, told("finish call", err)
}

// Answerable waits until an answer may be given for a call that was claimed as it was asked for; see permission.Request.
func (d *Calls) Answerable(ctx context.Context, id permission.CallID) error {
	return told("keep call", d.store.Answerable(ctx, id))
}

// Doubt says that no result of a claim will come, and that it may have run: a person looks, and lets it run again or closes it.
func (d *Calls) Doubt(ctx context.Context, agent permission.Agent, id permission.CallID,
	claim permission.ClaimID) (permission.Call, error) {
	c, err := d.broker.Doubt(ctx, agent.ID, id, claim)
	return c, told("leave call in doubt", err)
}

// Cancel withdraws a pending or approved call.
func (d *Calls) Cancel(ctx context.Context, agent permission.Agent, id permission.CallID, reason string) (permission.Call, error) {
	c, err := d.broker.Cancel(ctx, agent.ID, id, reason)
	return c, told("cancel call", err)
}

// Leave says that the caller stopped waiting: the call stays, callerGone, and
// nobody claims it until an identical call of the same agent joins it.
func (d *Calls) Leave(ctx context.Context, agent permission.Agent, id permission.CallID) (permission.Call, error) {
	c, err := d.broker.Leave(ctx, agent.ID, id)
	return c, told("leave call", err)
}

// WipeInput removes the input of a settled call, and what came of it; the hash stays.
func (d *Calls) WipeInput(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := d.store.Call(ctx, id)
	if err != nil {
		return c, err
	}
	if !c.Status.Settled() {
		return c, &permission.Error{Code: permission.CodeNotApproved, Message: "this call is not settled: its input is still needed", Call: &c}
	}
	if _, err := d.sessions.WipeInputs(ctx, 0, []permission.CallID{id}); err != nil {
		return c, told("wipe input", err)
	}
	return d.store.Call(ctx, id)
}

// LastApproved gives the call of the same agent, server and tool that a person
// approved last: before c was decided, where it is. ok is false where there is none.
func (d *Calls) LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error) {
	last, ok, err = d.store.LastApproved(ctx, c)
	return last, ok, told("find the last approved call", err)
}

// When a person has declined one tool in a session often enough: its next calls are shown
// together, so that nobody says yes for want of breath.
const (
	oftenDeclined  = 3
	declinedWithin = 10 * time.Minute
)

// Declined names the tools whose calls a person declined again and again in a session, by
// the desk's clock. A yes starts the count anew.
func (d *Calls) Declined(ctx context.Context) ([]permission.DeclinedTool, error) {
	return d.sessions.DeclinedTools(ctx, d.Now().Add(-declinedWithin), oftenDeclined)
}
