package policy

import "sekisho/backend/permission"

// Withhold gives the reason why no rule may allow calls of a tool of a server, or "". Any
// number of goroutines ask it.
type Withhold func(serverID, toolName string) (reason string)

// Withholding gives the same set, but where an allow rule would decide a call and why
// has a reason against its tool it asks for that reason. Why may be nil, and is never
// asked about calls without a server.
func (s *Set) Withholding(why Withhold) *Set {
	out := *s
	out.withhold = why
	return &out
}

// withheld makes an ask of an allow that there is a reason against.
func (s *Set) withheld(c *Call, d Decision) Decision {
	if d.Effect != permission.Allow || s.withhold == nil || c.ServerID == nil {
		return d
	}
	if reason := s.withhold(*c.ServerID, c.ToolName); reason != "" {
		return Decision{Effect: permission.Ask, Reason: reason, Withheld: true, Conditional: d.Conditional}
	}
	return d
}
