package policy

import (
	"encoding/json"
	"sekisho/backend/permission"
)

// Call is what rules look at. A nil ServerID is a tool inside the agent's own program;
// an empty Method is that of a tool call, and an empty Input or Envelope is {}.
type Call struct {
	ServerID *string
	Method   string
	ToolName string
	Input    json.RawMessage
	Envelope json.RawMessage
	Round    permission.RoundIssue // a reason to ask that no allow rule answers; "" is none
	Data     bool                  // a yes to it has data, which no allow rule gives
	permission.Caller
	Cwd  *string
	Risk permission.Risk // "" is medium
	// Reasons are why its risk is that.
	Reasons []permission.RiskReason
	// Count is what was counted of the call; nil is nothing.
	Count *Count
}

// Count is what was counted of a call.
type Count struct {
	// Places are the rules whose limits have a place for the call already.
	Places []permission.RuleID
	// Brake is the limit where the same call was allowed as often as it says; nil: it was not.
	Brake *permission.Limit
}

// Decision is the outcome and why. Rule is nil when no rule decided: nothing applied,
// or a bad name kept the rules from allowing. NameIssue says what is wrong with a bad
// name and is "" for a good one; a deny rule decides on a bad name too. What Rule
// points to and the params are shared: nobody writes to them.
type Decision struct {
	Effect permission.Effect
	Rule   *permission.RuleRef
	permission.Explanation
	NameIssue string
	// Withheld says that a rule would allow the call, and that Reason is against its tool.
	Withheld bool
	// Parts are the verdicts on the parts of the call's line, in order; nil where the
	// rules have not looked at them.
	Parts []permission.PartVerdict
	// Asked are the ids of the ask rules that asked about the call or its parts, with
	// permission.AskedByDefault where no rule applied. It is empty for a call that does not
	// ask, and nobody writes to it.
	Asked []string
	// Alone says that the call asks for a reason of its own, which no grant answers.
	Alone bool
	// Places are those that the call takes of the limits of the rules that allow it. Nobody
	// writes to it.
	Places []permission.Place
	// Conditional says that a condition was asked on the way: another input may be
	// decided otherwise.
	Conditional bool
}

// ofTool reports whether the call is one of a tool.
func (c *Call) ofTool() bool { return permission.AboutTool(c.Method) }

// memoMethod is the method as a memo has it: "" for a tool call.
func (c *Call) memoMethod() string {
	if c.ofTool() {
		return ""
	}
	return c.Method
}
