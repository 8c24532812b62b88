package policy

import "sekisho/backend/permission"

// Withholding gives the same set, but where an allow rule would decide a call and why
// has a reason against its tool it asks for that reason. Why may be nil, and is never
// asked about calls without a server.
func (s *Set) Withholding(why Withhold) *Set {
	out := *s
	out.withhold = why
	return &out
}

// withheld makes an ask of an allow that there is a reason against. No grant answers an ask
// that there is one against.
func (s *Set) withheld(c *Call, d Decision) Decision {
	if d.Effect == permission.Deny || s.withhold == nil || c.ServerID == nil || !c.ofTool() {
		return d
	}
	switch against := s.withhold(*c.ServerID, c.ToolName); {
	case against.Reason == "":
	case d.Effect == permission.Ask:
		d.Alone = true
	default:
		return Decision{Effect: permission.Ask, Explanation: against, Withheld: true, Alone: true, Parts: d.Parts, Conditional: d.Conditional}
	}
	return d
}

// roundReasons are the words for what is wrong with a round.
var roundReasons = map[permission.RoundIssue]string{
	permission.FirstRoundAnswers: "it brings answers (inputResponses) to a server that has asked nothing in this call",
	permission.UnknownRoundState: "it brings back a state (requestState) that no server gave to this call",
}

// unrounded makes an ask of an allow, and says why in place of another ask, where a call
// claims to be a later round of one that there was not.
func (d Decision) unrounded(c *Call) Decision {
	if c.Round == "" || d.Effect == permission.Deny {
		return d
	}
	if d.Effect == permission.Allow {
		d.Rule = nil
	}
	d.Effect, d.Alone = permission.Ask, true
	d.Explanation = permission.Explanation{Code: permission.ReasonCode(c.Round), Reason: RoundReason(c.Round)}
	return d
}

// RoundReason says what is wrong with a round.
func RoundReason(issue permission.RoundIssue) string { return roundReasons[issue] }
