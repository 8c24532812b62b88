package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Claim gives the one right to execute. The same key again renews the lease. A call
// that changed since it was judged, and could be claimed now, is ErrGuard: judge again. It
// takes the places of limits that it needs, and that it has not taken yet.
func (b *Broker) Claim(ctx context.Context, agent permission.AgentID, id permission.CallID,
	req permission.ClaimRequest, places []permission.Place) (permission.Call, error) {
	claim, err := uuid.NewV7()
	if err != nil {
		return permission.Call{}, fmt.Errorf("claim call: %w", err)
	}
	at := b.now()
	until := at.Add(lease(req))
	none := permission.Time(0)
	c, err := b.Transit(ctx, permission.Transition{
		ID: id, At: at, Agent: agent, From: []permission.Status{permission.Approved}, Live: true, Attached: true, Hash: req.InputHash,
		Rev: req.Rev, Policy: req.Policy, Places: places, To: permission.Claimed,
		NewClaim:  &permission.Claim{ID: permission.ClaimID(claim.String()), Key: req.Key, Until: until},
		ExpiresAt: &none,
		Entry:     claimed(agent, req.Claimant, req.InputHash),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c.Status == permission.Approved && req.Rev != 0 && c.Rev != req.Rev {
		return c, permission.ErrGuard // it is not the call that was judged
	}
	if c.Status == permission.Claimed && c.ClaimKey == req.Key && req.Key != "" && c.InputHash == req.InputHash {
		return b.renew(ctx, c, until)
	}
	if c, err = b.overdue(ctx, c); err != nil {
		return c, err
	}
	return c, unclaimable(c, req)
}

func lease(req permission.ClaimRequest) time.Duration {
	if req.Lease == 0 {
		return Lease
	}
	return req.Lease
}

// claimAtOnce makes of a call that a rule allows one that is claimed when it is kept.
func claimAtOnce(s *permission.Suspension) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("claim call: %w", err)
	}
	c, claim := &s.Call, permission.ClaimID(id.String())
	c.Status, c.ExpiresAt, c.Rev = permission.Claimed, 0, c.Rev+1
	c.ClaimID, c.ClaimKey, c.LeaseExpiresAt = &claim, cmp.Or(s.Claim.Key, c.ToolCallID), c.CreatedAt.Add(lease(*s.Claim))
	e := claimed(c.AgentID, s.Claim.Claimant, c.InputHash)
	e.At = c.CreatedAt
	s.Entries = append(s.Entries, e)
	return nil
}

func claimed(by permission.AgentID, claimant, inputHash string) permission.Entry {
	return entry(permission.CallClaimed, actor(by), step{Status: permission.Claimed, Claimant: claimant, InputHash: inputHash})
}

// renew moves the end of a lease that is not over: after it nobody knows any more
// who executes.
func (b *Broker) renew(ctx context.Context, c permission.Call, until permission.Time) (permission.Call, error) {
	c, err := b.Transit(ctx, permission.Transition{
		ID: c.ID, At: b.now(), Agent: c.AgentID, From: []permission.Status{permission.Claimed}, Claim: *c.ClaimID, Leased: true, Lease: &until,
		Entry: entry(permission.CallChanged, actor(c.AgentID), step{Status: permission.Claimed, Renewed: true}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c, err = b.overdue(ctx, c); err != nil {
		return c, err
	}
	return c, unclaimable(c, permission.ClaimRequest{InputHash: c.InputHash})
}

// Finish takes the result of a claimed call, once, also after its lease. The same
// result again is no error.
func (b *Broker) Finish(ctx context.Context, agent permission.AgentID, id permission.CallID,
	out permission.Outcome) (permission.Call, error) {
	to := permission.Completed
	if !out.OK {
		to = permission.Failed
	}
	if out.Output == nil {
		out.Output = []byte("null")
	}
	c, err := b.Transit(ctx, permission.Transition{
		ID: id, At: b.now(), Agent: agent, From: []permission.Status{permission.Claimed, permission.InDoubt}, Claim: out.ClaimID, To: to,
		Result: out.Output, Unawaited: out.Unawaited,
		Entry: entry(permission.CallFinished, actor(agent), step{Status: to, Bytes: len(out.Output)}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	if c.Status == to && c.ClaimID != nil && *c.ClaimID == out.ClaimID && sameJSON(c.Result, out.Output) {
		return c, nil
	}
	return c, conflict(permission.CodeResultConflict, &c, "this claim cannot give a result: the call is "+string(c.Status))
}

// Doubt says of a claimed call that its result will not come and that nobody knows
// whether it ran: it does not wait for its lease to run out. Of a call that has come
// further it changes nothing.
func (b *Broker) Doubt(ctx context.Context, agent permission.AgentID, id permission.CallID,
	claim permission.ClaimID) (permission.Call, error) {
	c, err := b.Transit(ctx, permission.Transition{
		ID: id, At: b.now(), Agent: agent, From: []permission.Status{permission.Claimed}, Claim: claim, To: permission.InDoubt,
		Entry: entry(permission.CallChanged, actor(agent), step{Status: permission.InDoubt}),
	})
	if !errors.Is(err, permission.ErrGuard) {
		return c, err
	}
	return c, conflict(permission.CodeResultConflict, &c, "this claim cannot be left in doubt: the call is "+string(c.Status))
}
