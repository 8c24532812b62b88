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

// decide is what the rules say of a call, unless its input holds a canary: that is denied
// before rules, hold and grants.
func (d *Calls) decide(rules *policy.Set, asked policy.Call, at permission.Time) policy.Decision {
	if d.canaries.In(asked.Input, at) {
		return policy.Decision{Effect: permission.Deny, Explanation: permission.Explanation{Code: permission.ReasonCanary,
			Reason: "it holds the nonce of a check that this desk is asked: such a call is always refused"}}
	}
	return rules.Decide(asked, at)
}
