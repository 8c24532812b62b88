package desk

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// NewCanary makes a nonce for an agent: until it expires, each call whose input holds it is
// denied before anything else is judged, and nobody is asked.
func (d *Calls) NewCanary(_ context.Context, agent permission.Agent) (permission.Canary, error) {
	return d.canaries.Add(agent.ID, d.Now()), nil
}

// decide is what the rules say of a call, unless they are not asked.
func (d *Calls) decide(rules *policy.Set, asked policy.Call, at permission.Time) policy.Decision {
	if before := d.unruled(&asked, at); before != nil {
		return *before
	}
	return rules.Decide(asked, at)
}

// unruled is what is decided before rules, hold and grants: a call whose input holds a canary is
// denied, so is one of a tool that its caller may not use, one that guard refuses, and one of an agent that a person
// stopped; nil: the rules decide. The agents are looked at after the rules were: see knowAgent.
// It notes what the caller is, for the rules too.
func (d *Calls) unruled(asked *policy.Call, at permission.Time) *policy.Decision {
	if d.canaries.In(asked.Input, at) {
		return &policy.Decision{Effect: permission.Deny, Explanation: permission.Explanation{Code: permission.ReasonCanary,
			Reason: "it holds the nonce of a check that this desk is asked: such a call is always refused"}}
	}
	asked.Standing = d.opts.Standings.Standing(asked.AgentID, asked.SessionID, at)
	if no := d.catalogue.Refuses(asked.Standing, asked.ServerID, asked.Method, asked.ToolName); no != nil {
		return &policy.Decision{Effect: permission.Deny, Explanation: *no}
	}
	if j, _ := d.catalogue.inWorkspace(asked.ServerID, asked.Method, asked.ToolName, asked.Input); j.Refused != nil {
		return &policy.Decision{Effect: permission.Deny, Explanation: *j.Refused}
	}
	if no := d.catalogue.agents.Load().Stopped(asked.AgentID, at); no != nil {
		return &policy.Decision{Effect: permission.Deny, Explanation: no.Explanation}
	}
	return nil
}
