package permission

type (
	// CallID is the desk's own id of a call, a UUIDv7.
	CallID string
	// AgentID is the desk's own id of an agent, a UUIDv7.
	AgentID string
	// RunID is one execution of an agent, named by the caller.
	RunID string
	// SessionID is one stretch of an agent's work, named by the caller and scoped by agent.
	SessionID string
	// ClaimID is the one right to execute an approved call.
	ClaimID string
	// Status is where a call stands (CONTRACT section 3).
	Status string
	// Risk says how careful to be and how long to wait.
	Risk string
	// By says who made a decision.
	By string
	// Scope says how far a person's answer reaches.
	Scope string
	// GrantID names a remembered answer, a UUIDv7.
	GrantID string
)

// The states of a call.
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Denied    Status = "denied"
	Declined  Status = "declined"
	Expired   Status = "expired"
	Cancelled Status = "cancelled"
	Claimed   Status = "claimed"
	Completed Status = "completed"
	Failed    Status = "failed"
	// Revoked: approved once, but a deny rule or the end of its grant came before
	// anyone claimed it.
	Revoked Status = "revoked"
	// InDoubt: claimed, and its lease is over without a result. Whether it ran is
	// not known: a person looks.
	InDoubt Status = "in_doubt"
)

// Statuses lists every state, in the order of a call's life.
var Statuses = [...]Status{Pending, Approved, Claimed, InDoubt, Completed, Failed, Denied, Declined, Expired, Cancelled, Revoked}

// The risks, lowest first. What nothing is known about is medium.
const (
	RiskLow    Risk = "low"
	RiskMedium Risk = "medium"
	RiskHigh   Risk = "high"
)

// Risks lists every risk, lowest first.
var Risks = [...]Risk{RiskLow, RiskMedium, RiskHigh}

// Rank orders risks: 0 is low, 2 is high. A risk that is none of ours counts as high.
func (r Risk) Rank() int {
	switch r {
	case RiskLow:
		return 0
	case RiskMedium:
		return 1
	}
	return 2
}

// Who decides: the machine allows, asks or denies; a person approves or
// declines; the clock expires; the caller cancels.
const (
	ByRule   By = "rule"
	ByGrant  By = "grant" // a person's earlier answer of wider scope
	ByPerson By = "person"
	ByClock  By = "clock"
	ByCaller By = "caller"
	ByGuard  By = "guard" // a check of the desk's own
)

// CallTool is the method of a tool call: what is asked for where no method is named.
const CallTool = "tools/call"

type (
	// RuleID names a rule: [A-Za-z0-9._-]{1,64}.
	RuleID string
	// Effect is what a rule says of the calls that it applies to.
	Effect string
)

// The effects, strongest first within one priority: deny, ask, allow.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Effects lists every effect.
var Effects = [...]Effect{Allow, Ask, Deny}

// Settled reports whether s is an end: nothing more can happen to the call.
func (s Status) Settled() bool {
	switch s {
	case Pending, Approved, Claimed, InDoubt:
		return false
	}
	return true
}

// RuleRef names the rule that decided.
type RuleRef struct {
	ID       RuleID `json:"id"`
	Priority int64  `json:"priority"`
}
