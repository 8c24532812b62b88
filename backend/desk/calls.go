package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// Evaluate judges without keeping anything.
func (d *Desk) Evaluate(_ context.Context, q permission.Query) (permission.Verdict, error) {
	_, hash, err := checkInput(q.ServerID, q.ToolName, q.Input)
	if err != nil {
		return permission.Verdict{}, err
	}
	rules := d.rules.Load()
	decision, trace := rules.Trace(policy.Call{ServerID: q.ServerID, ToolName: q.ToolName}, now())
	return permission.Verdict{
		Decision: decision.Effect, Reason: decision.Reason, Rule: decision.Rule, Risk: permission.RiskMedium, RiskReasons: []string{},
		InputHash: hash, PolicyVersion: rules.Version(), Trace: trace,
	}, nil
}

// checkInput refuses input that two readers could read differently, and hashes
// the rest. No input is {}.
func checkInput(server *string, tool string, input json.RawMessage) (json.RawMessage, string, error) {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	if err := rawjson.Check(input, rawjson.MaxInputDepth); err != nil {
		return nil, "", &permission.Error{Code: permission.CodeMalformed, Message: err.Error(), Field: "input"}
	}
	hash, err := rawjson.Hash(server, tool, input)
	if err != nil {
		return nil, "", fmt.Errorf("hash input: %w", err)
	}
	return input, hash, nil
}

// Ask judges and keeps a call. created is false when the row existed (same
// identity) or a returning caller joined one that waits.
func (d *Desk) Ask(ctx context.Context, agent permission.Agent, r permission.Request) (call permission.Call, created bool, err error) {
	if r.RunID == "" || r.ToolCallID == "" {
		return call, false, permission.Invalid("runId", "a call needs a run and a tool call id")
	}
	if r.Timeout < 0 {
		return call, false, permission.Invalid("timeoutSeconds", "a timeout is above zero")
	}
	for range maxJudgements {
		sus, err := d.judge(agent, r)
		if err != nil {
			return call, false, err
		}
		call, kept, err := d.broker.Suspend(ctx, sus)
		if !errors.Is(err, permission.ErrOutdated) {
			return call, kept == permission.KeptNew, told("ask for call", err)
		}
		if err := d.refresh(ctx, sus.PolicyVersion); err != nil {
			return call, false, err
		}
	}
	return call, false, &permission.Error{Code: permission.CodeUnavailable, Message: "the rules change faster than calls can be judged"}
}

// maxJudgements bounds how often one call is judged anew because the rules changed
// between the judgement and the write.
const maxJudgements = 10

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

// judge turns a request into a call with its verdict, ready to keep.
func (d *Desk) judge(agent permission.Agent, r permission.Request) (permission.Suspension, error) {
	var sus permission.Suspension
	input, hash, err := checkInput(r.ServerID, r.ToolName, r.Input)
	if err != nil {
		return sus, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return sus, fmt.Errorf("name call: %w", err)
	}
	if r.SessionID == "" {
		r.SessionID = permission.SessionID(r.RunID)
	}
	at := now()
	rules := d.rules.Load()
	decision := rules.Decide(policy.Call{ServerID: r.ServerID, ToolName: r.ToolName}, at)
	c := permission.Call{
		ID: permission.CallID(id.String()), Rev: 1, RunID: r.RunID, ToolCallID: r.ToolCallID, SessionID: r.SessionID,
		AgentID: agent.ID, AgentName: agent.Name, ServerID: r.ServerID, ToolName: r.ToolName, Input: input, InputHash: hash,
		Description: r.Description, Cwd: r.Cwd, Why: permission.Why{Rule: decision.Rule, Reason: decision.Reason},
		Risk: permission.RiskMedium, RiskReasons: []string{}, CreatedAt: at, PatienceUntil: r.Patience, Held: r.Held,
	}
	settle(&c, decision, r.Timeout)
	return permission.Suspension{Call: c, PolicyVersion: rules.Version(), MaxPending: d.opts.MaxPending, Entries: arrival(&c)}, nil
}

// settle writes the verdict into the call: what the machine allows or denies is
// decided here, the rest waits.
func settle(c *permission.Call, decision policy.Decision, timeout time.Duration) {
	c.Status = permission.Pending
	c.ExpiresAt = c.CreatedAt.Add(patience(c.Risk, timeout))
	if decision.Effect == permission.Ask || decision.Rule == nil {
		return
	}
	c.Status, c.ExpiresAt = permission.Denied, 0
	c.Decision = &permission.Decision{By: permission.ByRule, Reason: decision.Reason, Scope: permission.ScopeOnce, RuleID: &decision.Rule.ID, DecidedAt: c.CreatedAt}
	if decision.Effect == permission.Allow {
		c.Decision.Approved = true
		c.Status, c.ExpiresAt = permission.Approved, c.CreatedAt.Add(broker.ClaimWithin)
	}
}

// patience is how long the call waits for a person; a caller may only shorten it.
func patience(risk permission.Risk, timeout time.Duration) time.Duration {
	if own := deadlines[risk]; timeout == 0 || timeout > own {
		return own
	}
	return max(timeout, time.Millisecond)
}

// arrival is what the journal says of a new call.
func arrival(c *permission.Call) []permission.Entry {
	created := permission.Entry{At: c.CreatedAt, Kind: permission.CallCreated, Actor: "agent:" + string(c.AgentID), Data: data(map[string]any{
		"agentName": c.AgentName, "serverId": c.ServerID, "toolName": c.ToolName, "inputHash": c.InputHash, "runId": c.RunID,
		"toolCallId": c.ToolCallID, "sessionId": c.SessionID, "why": c.Why, "risk": c.Risk, "status": c.Status,
	})}
	if c.Decision == nil {
		return []permission.Entry{created}
	}
	return []permission.Entry{created, {At: c.CreatedAt, Kind: permission.CallDecided, Actor: "rule:" + string(*c.Decision.RuleID), Data: data(map[string]any{
		"status": c.Status, "reason": c.Decision.Reason,
	})}}
}

// data marshals what the journal keeps; maps of plain values always marshal.
func data(v map[string]any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("journal data: " + err.Error())
	}
	return raw
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

// Claim takes the one right to execute. What a rule approved is judged again: it
// must still be allowed.
func (d *Desk) Claim(ctx context.Context, agent permission.Agent, id permission.CallID, req permission.ClaimRequest) (permission.Call, error) {
	if req.InputHash == "" {
		return permission.Call{}, permission.Invalid("inputHash", "a claim names the input that it is for")
	}
	if err := d.stillAllowed(ctx, agent, id); err != nil {
		return permission.Call{}, err
	}
	c, err := d.broker.Claim(ctx, agent.ID, id, req)
	return c, told("claim call", err)
}

func (d *Desk) stillAllowed(ctx context.Context, agent permission.Agent, id permission.CallID) error {
	c, err := d.Call(ctx, permission.Party{Agent: &agent}, id)
	if err != nil || c.Status != permission.Approved || c.Decision == nil || c.Decision.By != permission.ByRule {
		return err
	}
	now := d.rules.Load().Decide(policy.Call{ServerID: c.ServerID, ToolName: c.ToolName}, now())
	if now.Effect == permission.Allow {
		return nil
	}
	return &permission.Error{Code: permission.CodeNotApproved, Message: "the rules no longer allow this call: " + now.Reason, Call: &c}
}

// Finish reports what came of it.
func (d *Desk) Finish(ctx context.Context, agent permission.Agent, id permission.CallID, out permission.Outcome) (permission.Call, error) {
	if out.ClaimID == "" {
		return permission.Call{}, permission.Invalid("claimId", "a result names the claim that it is for")
	}
	c, err := d.broker.Finish(ctx, agent.ID, id, out)
	return c, told("finish call", err)
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

// Decide answers a pending call; repeated means that the same answer stood
// already.
func (d *Desk) Decide(ctx context.Context, id permission.CallID, a permission.Answer) (call permission.Call, repeated bool, err error) {
	if a.InputHash == "" {
		return call, false, permission.Invalid("inputHash", "an answer names the input that it was given for")
	}
	if len(a.Reason) > maxReason {
		return call, false, permission.Invalid("reason", fmt.Sprintf("longer than %d bytes", maxReason))
	}
	call, repeated, err = d.broker.Decide(ctx, id, a)
	return call, repeated, told("decide call", err)
}

// maxReason bounds a person's words, in bytes.
const maxReason = 16 << 10

// told says what was being done when something broke; what a client branches on
// goes as it is.
func told(doing string, err error) error {
	var e *permission.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
