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
	permission.UnknownRepeat:     "it was sent to a desk before, which kept no record of it: it may have run already",
}

// barred makes an ask of an allow, and says why in place of another ask, where a call claims
// to be a later round of one that there was not, may have run, was allowed again and again, or
// needs data.
func (d Decision) barred(c *Call) Decision {
	if c.Round == "" && c.Count == nil && !c.Data {
		return d
	}
	return d.bar(c)
}

// bar is barred of a call of which there is more to know than its names.
func (d Decision) bar(c *Call) Decision {
	if d.Effect == permission.Deny {
		return d
	}
	if c.Count != nil && c.Count.Brake != nil && !d.Alone {
		if d.Effect == permission.Allow {
			d.Asked = byDefault
		}
		d = d.asking(braked(c.Count.Brake))
	}
	if c.Data && d.Effect == permission.Allow {
		d.Asked = byDefault
		d = d.asking(permission.Explanation{Code: permission.ReasonNeedsData, Reason: "it asks a person for an answer, which no rule can give"})
	}
	if c.Round == "" {
		return d
	}
	return d.asking(permission.Explanation{Code: permission.ReasonCode(c.Round), Reason: RoundReason(c.Round)})
}

// RoundReason says what is wrong with a round.
func RoundReason(issue permission.RoundIssue) string { return roundReasons[issue] }

// Counting gives the same set, whose rules have counts. Without, no limit is reached.
func (s *Set) Counting(full Full) *Set {
	out := *s
	out.full = full
	return &out
}
