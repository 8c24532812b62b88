package desk

import (
	"cmp"
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

// Claim takes the one right to execute. The rules judge again: what a rule denies
// now is revoked, and what a rule approved must still be allowed, else it waits for
// a person again.
func (d *Calls) Claim(ctx context.Context, agent permission.Agent, id permission.CallID,
	req permission.ClaimRequest) (c permission.Call, err error) {
	if req.InputHash == "" {
		return c, permission.Invalid("inputHash", permission.FieldRequired, "a claim names the input that it is for")
	}
	err = d.current(ctx, func(policyVersion int64) error {
		var places []permission.Place
		if c, err = d.Call(ctx, permission.Party{Agent: &agent}, id); err != nil {
			return err
		}
		if _, made := d.opts.Standings.Made(agent.ID, c.SessionID); c.SessionID != agent.Session && (made || agent.Session != "") {
			return permission.NotFound("call") // in this session
		}
		if c.Status == permission.Approved && c.InputHash == req.InputHash && !c.CallerGone {
			if err := intact(&c); err != nil {
				return err
			}
			if c, places, err = d.rejudgeClaim(ctx, c); err != nil {
				return err
			}
		}
		req.Policy, req.Rev = policyVersion, c.Rev
		c, err = d.broker.Claim(ctx, agent.ID, id, req, places)
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
	return &permission.Error{Code: permission.CodeUnavailable,
		Message: "the stored " + part + " of this call is damaged: it is not what was shown, and does not run"}
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
// speak against it, it changes the call and says so as a conflict. The call keeps the places
// that it took of limits; those that it needs beside them are given.
func (d *Calls) rejudgeClaim(ctx context.Context, c permission.Call) (permission.Call, []permission.Place, error) {
	rules, at := d.policy.inForce(), d.Now()
	decision, falls := d.judgeAgain(rules, &c, at)
	t := permission.Transition{ID: c.ID, At: at, From: []permission.Status{permission.Approved}, Live: true, Rev: c.Rev,
		Policy: rules.Version()}
	code, message := permission.CodeRevoked, "the rules deny this call now: "
	switch {
	case decision.Effect == permission.Deny:
		none := permission.Time(0)
		t.To, t.Decision, t.ExpiresAt = permission.Revoked, ruled(decision, at), &none
		if t.Decision.By == permission.ByPerson {
			message = ""
		}
	case falls:
		until := deadline(at, patience(d.policy.settings.Load().Deadline(c.Risk), c.Timeout))
		t.To, t.Undecided, t.ExpiresAt = permission.Pending, true, &until
		why := because(&c, decision, d.catalogue.changed(&c))
		t.Why, t.Asking = &why, d.asking(&c, decision)
		t.Sight = d.catalogue.sightOf(&c)
		code, message = permission.CodeNotApproved, "the rules no longer allow this call, and it waits for a person: "
	case decision.Effect == permission.Allow || personal(c.Decision):
		return c, needed(decision.Places, c.Decision), nil
	default:
		return c, nil, &permission.Error{Code: permission.CodeNotApproved, Message: "nobody approved this call", Call: &c}
	}
	t.Entry = permission.Entry{Kind: permission.CallDecided, Actor: judgeOf(ruled(decision, at)),
		Data: permission.Data(map[string]any{"status": t.To, "reason": decision.Reason, "at": "claim"})}
	c, err := d.broker.Transit(ctx, t)
	if err != nil { // ErrGuard: it changed meanwhile, and is judged as it is now
		return c, nil, err
	}
	return c, nil, &permission.Error{Code: code, Message: message + decision.Reason, Call: &c}
}

// needed are the places that a call does not have by its decision.
func needed(places []permission.Place, d *permission.Decision) (list []permission.Place) {
	for _, p := range places {
		if d.By == permission.ByRule && !slices.Contains(d.Places, p.Rule) {
			list = append(list, p)
		}
	}
	return list
}

// personal reports whether a person said yes, to this call or to what covers it.
func personal(d *permission.Decision) bool {
	return d != nil && d.Approved && (d.By == permission.ByPerson || d.By == permission.ByGrant)
}

// judgeAgain is what the rules say of an approved call now. falls: it has to wait for a
// person again, since what approved it does not allow it any more.
func (d *Calls) judgeAgain(rules *policy.Set, c *permission.Call, at permission.Time) (decision policy.Decision, falls bool) {
	asked := subject(c)
	if c.Decision != nil {
		asked.Count = &policy.Count{Places: c.Decision.Places}
	}
	decision = d.decide(rules, asked, at)
	if decision.Effect == permission.Deny || c.Decision == nil {
		return decision, false
	}
	if !personal(c.Decision) && decision.Effect == permission.Ask {
		return decision, true
	}
	if c.Decision.By == permission.ByGrant && d.policy.held() {
		return policy.Decision{Effect: permission.Ask, Explanation: cmp.Or(d.policy.disputed(), holding())}, true
	}
	against := d.catalogue.withheld(c)
	if against.Reason == "" && d.catalogue.unpinned(c) {
		against = permission.Explanation{Code: permission.ReasonToolNotPinned, Reason: "what the tool was when this was allowed is not known"}
	}
	if c.Decision.By == permission.ByPerson {
		against = d.catalogue.turned(c)
	}
	if against.Reason != "" {
		return policy.Decision{Effect: permission.Ask, Explanation: against, Withheld: true}, true
	}
	return decision, false
}
