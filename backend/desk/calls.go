package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Ask judges and keeps a call. created is false when the row existed (same
// identity) or a returning caller joined one that waits.
func (d *Desk) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error) {
	if r.RunID == "" || r.ToolCallID == "" {
		return call, false, permission.Invalid("runId", "a call needs a run and a tool call id")
	}
	if r.Timeout < 0 {
		return call, false, permission.Invalid("timeoutSeconds", "a timeout is above zero")
	}
	err = d.current(ctx, func(int64) error {
		sus, before, err := d.judge(ctx, agent, r)
		if err == nil {
			err = d.carryOn(ctx, &sus, before)
		}
		if err == nil {
			err = d.pinAllowed(ctx, &sus.Call)
		}
		if err != nil {
			return err
		}
		var kept permission.Kept
		call, kept, err = d.broker.Suspend(ctx, sus)
		if created = kept == permission.KeptNew; created && err == nil {
			err = d.pinAllowed(ctx, &call) // by a grant: only the store knows of those
		}
		return err
	})
	return call, created, told("ask for call", err)
}

// freeTries is how often something is judged beside edits of the rules before it is
// judged between them.
const freeTries = 3

// current lets try judge and write. When an edit of the rules, or a change of the
// call, came between the two it is tried again: a few times at once, and then while
// no edit can come.
func (d *Desk) current(ctx context.Context, try func(policyVersion int64) error) error {
	for range freeTries {
		version := d.rules.Load().Version()
		switch err := try(version); {
		case errors.Is(err, permission.ErrGuard):
		case !errors.Is(err, permission.ErrOutdated):
			return err
		default:
			if err := d.refresh(ctx, version); err != nil {
				return err
			}
		}
	}
	d.edit.Lock()
	defer d.edit.Unlock()
	err := try(d.rules.Load().Version())
	if errors.Is(err, permission.ErrGuard) {
		return &permission.Error{Code: permission.CodeUnavailable, Message: "the call changes faster than it can be judged"}
	}
	return err
}

// refresh waits for the edit that overtook a judgement, and makes sure that it is
// what decides now.
func (d *Desk) refresh(ctx context.Context, outdated int64) error {
	d.edit.Lock()
	defer d.edit.Unlock()
	if d.rules.Load().Version() != outdated {
		return nil
	}
	return d.compile(context.WithoutCancel(ctx))
}

// Call gives one call; NotFound for unknown and for other agents' ids alike.
func (d *Desk) Call(ctx context.Context, who permission.Party, id permission.CallID) (permission.Call, error) {
	c, err := d.store.Call(ctx, id)
	if err == nil && !who.Sees(c.AgentID) {
		return permission.Call{}, permission.NotFound("call")
	}
	return c, err
}

// Wait answers at once if the call is not pending or its rev is not rev, else
// when it changes or ctx ends, then as it stands and without an error. rev 0
// takes any.
func (d *Desk) Wait(ctx context.Context, who permission.Party, id permission.CallID, rev int64) (permission.Call, error) {
	if _, err := d.Call(ctx, who, id); err != nil {
		return permission.Call{}, err
	}
	return d.broker.Wait(ctx, id, rev)
}

// Calls lists what who may see; next is the cursor, 0 at the end. rev is the
// journal's sequence number that the list is not older than.
func (d *Desk) Calls(ctx context.Context, who permission.Party, f permission.CallFilter) (calls []permission.Call, next int64, rev int64, err error) {
	if !who.IsOperator() {
		f.Agent = who.Agent.ID
	}
	if rev, err = d.store.LastSeq(ctx); err != nil {
		return nil, 0, 0, err
	}
	calls, next, err = d.store.Calls(ctx, f)
	return calls, next, rev, err
}

// Claim takes the one right to execute. The rules judge again: what a rule denies
// now is revoked, and what a rule approved must still be allowed, else it waits for
// a person again.
func (d *Desk) Claim(ctx context.Context, agent permission.Agent, id permission.CallID, req permission.ClaimRequest) (c permission.Call, err error) {
	if req.InputHash == "" {
		return c, permission.Invalid("inputHash", "a claim names the input that it is for")
	}
	err = d.current(ctx, func(policyVersion int64) error {
		if c, err = d.Call(ctx, permission.Party{Agent: &agent}, id); err != nil {
			return err
		}
		if c.Status == permission.Approved && c.InputHash == req.InputHash && !c.CallerGone {
			if err := intact(&c); err != nil {
				return err
			}
			if c, err = d.rejudgeClaim(ctx, c); err != nil {
				return err
			}
		}
		req.Policy, req.Rev = policyVersion, c.Rev
		c, err = d.broker.Claim(ctx, agent.ID, id, req)
		return err
	})
	return c, told("claim call", err)
}

// intact refuses a row whose bytes are no longer those that were shown: a damaged
// disk can do that.
func intact(c *permission.Call) error {
	part := "input"
	if hash, err := rawjson.Hash(c.ServerID, c.ToolName, c.Input); err == nil && hash == c.InputHash {
		if sealed(c) {
			return nil
		}
		part = "envelope"
	}
	return &permission.Error{Code: permission.CodeUnavailable, Message: "the stored " + part + " of this call is damaged: it is not what was shown, and does not run"}
}

// sealed reports whether a row's envelope is the one that its hash is of.
func sealed(c *permission.Call) bool {
	if c.EnvelopeHash == nil || len(c.Envelope) == 0 {
		return c.EnvelopeHash == nil && len(c.Envelope) == 0
	}
	hash, err := rawjson.EnvelopeHash(c.Envelope)
	return err == nil && hash == *c.EnvelopeHash
}

// rejudgeClaim holds an approved call against the rules as they are now. When they
// speak against it, it changes the call and says so as a conflict.
func (d *Desk) rejudgeClaim(ctx context.Context, c permission.Call) (permission.Call, error) {
	rules, at := d.inForce(), d.Now()
	decision, falls := d.judgeAgain(rules, &c, at)
	t := permission.Transition{ID: c.ID, At: at, From: []permission.Status{permission.Approved}, Live: true, Rev: c.Rev, Policy: rules.Version()}
	code, message := permission.CodeRevoked, "the rules deny this call now: "
	switch {
	case decision.Effect == permission.Deny:
		none := permission.Time(0)
		t.To, t.Decision, t.ExpiresAt = permission.Revoked, ruled(decision, at), &none
	case falls:
		until := deadline(at, patience(d.settings.Load().Deadline(c.Risk), c.Timeout))
		t.To, t.Undecided, t.ExpiresAt = permission.Pending, true, &until
		why := because(&c, decision, d.changed(&c))
		t.Why = &why
		t.Sight = d.sightOf(&c)
		code, message = permission.CodeNotApproved, "the rules no longer allow this call, and it waits for a person: "
	case decision.Effect == permission.Allow || personal(c.Decision):
		return c, nil
	default:
		return c, &permission.Error{Code: permission.CodeNotApproved, Message: "nobody approved this call", Call: &c}
	}
	t.Entry = permission.Entry{Kind: permission.CallDecided, Actor: judgeOf(ruled(decision, at)), Data: data(map[string]any{"status": t.To, "reason": decision.Reason, "at": "claim"})}
	c, err := d.broker.Transit(ctx, t)
	if err != nil { // ErrGuard: it changed meanwhile, and is judged as it is now
		return c, err
	}
	return c, &permission.Error{Code: code, Message: message + decision.Reason, Call: &c}
}

// personal reports whether a person said yes, to this call or to what covers it.
func personal(d *permission.Decision) bool {
	return d != nil && d.Approved && (d.By == permission.ByPerson || d.By == permission.ByGrant)
}

// Finish reports what came of it.
func (d *Desk) Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error) {
	if out.ClaimID == "" {
		return permission.Call{}, permission.Invalid("claimId", "a result names the claim that it is for")
	}
	c, err := d.broker.Finish(ctx, agent.ID, id, out)
	return c, told("finish call", err)
}

// Kept waits until a call that was written without waiting for the disk is there; see
// permission.Suspension.
func (d *Desk) Kept(ctx context.Context, c *permission.Call) error {
	return told("keep call", d.store.Kept(ctx, c.Written))
}

// Doubt says that no result of a claim will come, and that it may have run: a person
// looks, and lets it run again or closes it.
func (d *Desk) Doubt(ctx context.Context, agent permission.Agent, id permission.CallID, claim permission.ClaimID) (permission.Call, error) {
	c, err := d.broker.Doubt(ctx, agent.ID, id, claim)
	return c, told("leave call in doubt", err)
}

// ClientPatience is how long a person set that a client of this name waits; false when
// nothing was set.
func (d *Desk) ClientPatience(name string) (time.Duration, bool) {
	seconds, ok := d.settings.Load().Patience[name]
	return time.Duration(seconds) * time.Second, ok
}

// Cancel withdraws a pending or approved call.
func (d *Desk) Cancel(ctx context.Context, agent permission.Agent, id permission.CallID, reason string) (permission.Call, error) {
	c, err := d.broker.Cancel(ctx, agent.ID, id, reason)
	return c, told("cancel call", err)
}

// Leave says that the caller stopped waiting: the call stays, callerGone, and
// nobody claims it until an identical call of the same agent joins it.
func (d *Desk) Leave(ctx context.Context, agent permission.Agent, id permission.CallID) (permission.Call, error) {
	c, err := d.broker.Leave(ctx, agent.ID, id)
	return c, told("leave call", err)
}

// told says what was being done when something broke; what a client branches on
// goes as it is.
func told(doing string, err error) error {
	var e *permission.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
