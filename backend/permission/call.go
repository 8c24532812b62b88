package permission

import (
	"encoding/json"
	"errors"
	"time"
)

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
)

// Statuses lists every state, in the order of a call's life.
var Statuses = [...]Status{Pending, Approved, Claimed, Completed, Failed, Denied, Declined, Expired, Cancelled}

// RiskMedium is the risk of what nothing is known about.
const RiskMedium Risk = "medium"

// Who decides: the machine allows, asks or denies; a person approves or
// declines; the clock expires; the caller cancels.
const (
	ByRule   By = "rule"
	ByPerson By = "person"
	ByClock  By = "clock"
	ByCaller By = "caller"
)

// Call is one tool call and its state. Input is the caller's own bytes: those
// that are shown, hashed and executed.
type Call struct {
	ID             CallID          `json:"id"`
	Rev            int64           `json:"rev"` // grows with every change of this call
	RunID          RunID           `json:"runId"`
	ToolCallID     string          `json:"toolCallId"`
	SessionID      SessionID       `json:"sessionId"`
	AgentID        AgentID         `json:"agentId"`
	AgentName      string          `json:"agentName"`
	ServerID       *string         `json:"serverId"`
	ToolName       string          `json:"toolName"`
	Input          json.RawMessage `json:"input"`
	InputHash      string          `json:"inputHash"`
	Description    string          `json:"description"`
	Cwd            *string         `json:"cwd"`
	Status         Status          `json:"status"`
	Why            Why             `json:"why"`
	Decision       *Decision       `json:"decision"`
	Risk           Risk            `json:"risk"`
	RiskReasons    []string        `json:"riskReasons"`
	CallerGone     bool            `json:"callerGone"`
	CreatedAt      Time            `json:"createdAt"`
	ExpiresAt      Time            `json:"expiresAt"`     // pending: the deadline; approved: claim it by then
	PatienceUntil  Time            `json:"patienceUntil"` // when the caller gives up waiting, where known
	ClaimID        *ClaimID        `json:"claimId"`
	LeaseExpiresAt Time            `json:"leaseExpiresAt"`
	Result         json.RawMessage `json:"result"`

	// Held says that the caller waits on a live connection of the desk's own
	// process: when that process ends, the caller is gone.
	Held bool `json:"-"`
	// ClaimKey is the claimant's own key: the same key again is the same claim.
	ClaimKey string `json:"-"`
}

// Why is the judgement that a call met when it came in.
type Why struct {
	Rule   *RuleRef `json:"rule"`
	Reason string   `json:"reason"`
}

// Decision is how a call was settled.
type Decision struct {
	By        By      `json:"by"`
	Approved  bool    `json:"approved"`
	Reason    string  `json:"reason"`
	Scope     string  `json:"scope"` // "once": how far the answer reaches
	RuleID    *RuleID `json:"ruleId"`
	GrantID   *string `json:"grantId"`
	DecidedAt Time    `json:"decidedAt"`
}

// ScopeOnce is an answer for this call alone.
const ScopeOnce = "once"

// Settled reports whether s is an end: nothing more can happen to the call.
func (s Status) Settled() bool {
	switch s {
	case Pending, Approved, Claimed:
		return false
	}
	return true
}

// Transition is one guarded change of a call. It happens only while the call's
// status is in From and its guards hold;
// else the store answers a conflict and changes nothing. The journal entry is
// written in the same transaction.
type Transition struct {
	ID   CallID
	At   Time
	From []Status
	To   Status // "" leaves the status as it is

	Agent    AgentID // when set, the call must be this agent's
	Live     bool    // guard: expiresAt is none or after At
	Due      bool    // guard: expiresAt is at or before At
	Attached bool    // guard: the caller is not gone
	Gone     bool    // guard: the caller is gone
	Claim    ClaimID // guard, when set: the claim is this one
	Hash     string  // guard, when set: the input's hash is this one
	Rev      int64   // guard, when not 0: the call's rev is this one

	Decision  *Decision
	ExpiresAt *Time
	NewClaim  *Claim
	Lease     *Time
	Result    json.RawMessage
	SetGone   *bool
	Rebind    *Identity // a returning caller takes the call over

	Entry Entry // Kind, Actor and Data; the store fills in the rest
}

// ErrGuard is what a store answers, beside the call as it stands, when a
// Transition's guards did not hold.
var ErrGuard = errors.New("the call is not in a state for this")

// ErrOutdated is what a store answers when the rules changed since a call was
// judged: judge again.
var ErrOutdated = errors.New("the rules changed meanwhile")

// Suspension is a judged call on its way into the store. In one transaction the
// store answers with the row of the same identity, or with the oldest row that
// the same agent's gone caller left behind (same hash, still open, or declined
// since DeclinedSince), or keeps the new one with its entries.
type Suspension struct {
	Call          Call
	PolicyVersion int64 // of the rules that judged it; another one is ErrOutdated
	MaxPending    int   // per agent; only a call that would wait is counted against it
	DeclinedSince Time  // a decline that its caller never heard still answers, since then
	Entries       []Entry
}

// Kept says what became of a Suspension.
type Kept string

// What a store can do with a Suspension.
const (
	KeptNew    Kept = "new"
	KeptSame   Kept = "same"
	KeptJoined Kept = "joined"
)

// Claim is the one right to execute.
type Claim struct {
	ID    ClaimID
	Key   string // the caller's own key; the same key again is the same claim
	Until Time
}

// Identity is how a caller names a call.
type Identity struct {
	RunID      RunID     `json:"runId"`
	ToolCallID string    `json:"toolCallId"`
	SessionID  SessionID `json:"sessionId"`
	Held       bool      `json:"-"`
	Patience   Time      `json:"-"`
}

// CallFilter selects calls for a list, newest first.
type CallFilter struct {
	Agent     AgentID // "" is every agent's
	Statuses  []Status
	RunID     RunID
	SessionID SessionID
	Before    int64 // the cursor: calls that came in before this one; 0 is no bound
	Limit     int
	Oldest    bool // oldest first, for the queue; Before is then a lower bound
	Brief     bool // leave out input and result, which can be large
}

// Request is a new call as its caller states it. Everything else of a Call is the
// desk's.
type Request struct {
	Identity
	ServerID    *string
	ToolName    string
	Input       json.RawMessage // empty is {}
	Description string
	Cwd         *string
	Timeout     time.Duration // 0 is the desk's own deadline; longer ones are clamped
}

// Answer is a person's decision on a call. InputHash is that of the input which
// was shown; Rev, when not 0, that of the call.
type Answer struct {
	Approved  bool   `json:"approved"`
	Reason    string `json:"reason"`
	InputHash string `json:"inputHash"`
	Rev       int64  `json:"rev"`
}

// Outcome is what came of executing a claimed call.
type Outcome struct {
	ClaimID ClaimID
	OK      bool
	Output  json.RawMessage // nil is none
}

// ClaimRequest asks for the right to execute.
type ClaimRequest struct {
	InputHash string
	Claimant  string
	Key       string
	Lease     time.Duration // 0 is 60 s
}

// Query is a call to be judged only.
type Query struct {
	ServerID *string
	ToolName string
	Input    json.RawMessage
}

// Verdict is the answer to a Query: what would happen, and why.
type Verdict struct {
	Decision      Effect      `json:"decision"`
	Reason        string      `json:"reason"`
	Rule          *RuleRef    `json:"rule"`
	Risk          Risk        `json:"risk"`
	RiskReasons   []string    `json:"riskReasons"`
	InputHash     string      `json:"inputHash"`
	PolicyVersion int64       `json:"policyVersion"`
	Trace         []TraceStep `json:"trace"`
}

// TraceStep says why one rule applied or not, in the order of judgement.
type TraceStep struct {
	RuleID  RuleID `json:"ruleId"`
	Applies bool   `json:"applies"`
	Why     string `json:"why"`
}
