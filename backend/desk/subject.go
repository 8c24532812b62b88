package desk

import (
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// subject is what rules look at in a call.
func subject(c *permission.Call) policy.Call {
	return policy.Call{
		ServerID: c.ServerID, Method: c.Method, ToolName: c.ToolName, Input: c.Input, Envelope: c.Envelope, Round: c.Round,
		Data: c.ResumeRequired, Caller: c.Caller, Cwd: c.Cwd, Risk: c.Risk, Reasons: c.RiskReasons,
	}
}

// because is why a call asks, or does not, by what the rules and the check of its tool say
// now.
func because(c *permission.Call, decision policy.Decision, change permission.ToolChange) permission.Why {
	why := permission.Why{Rule: decision.Rule, Explanation: decision.Explanation, Changed: change, Withheld: decision.Withheld,
		NotChecked: c.Why.NotChecked}
	if len(decision.Parts) > 1 {
		why.Parts = decision.Parts
	}
	return why
}
