package permission

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Call is one tool call and its state. Input and Envelope are the caller's own bytes:
// those that are shown, hashed and executed.
type Call struct {
	ID         CallID `json:"id"`
	Rev        int64  `json:"rev"`      // grows with every change of this call
	ShownRev   int64  `json:"shownRev"` // the rev at which what a person is shown of it last changed
	RunID      RunID  `json:"runId"`
	ToolCallID string `json:"toolCallId"`
	Caller
	ServerID       *string         `json:"serverId"`
	Method         string          `json:"method" enum:"tools/call,resources/read,resources/subscribe,prompts/get"`
	ToolName       string          `json:"toolName"`
	Input          json.RawMessage `json:"input"`
	InputHash      string          `json:"inputHash"`
	Envelope       json.RawMessage `json:"envelope"` // an object of what the server gets beside name and input; nil is none
	EnvelopeHash   *string         `json:"envelopeHash"`
	Description    string          `json:"description"`
	Cwd            *string         `json:"cwd"`
	Status         Status          `json:"status"`
	Why            Why             `json:"why"`
	Decision       *Decision       `json:"decision"`
	Risk           Risk            `json:"risk"`
	RiskReasons    []RiskReason    `json:"riskReasons"`
	CallerGone     bool            `json:"callerGone"`
	CreatedAt      Time            `json:"createdAt"`
	ExpiresAt      Time            `json:"expiresAt"`     // pending: the deadline; approved: claim it by then
	PatienceUntil  Time            `json:"patienceUntil"` // when the caller gives up waiting, where known
	ClaimID        *ClaimID        `json:"claimId"`
	LeaseExpiresAt Time            `json:"leaseExpiresAt"`
	Result         json.RawMessage `json:"result"`

	// HandedOver says that the call ran where the desk did not see it: in the agent's own
	// program, to which it was handed over.
	HandedOver bool `json:"handedOver"`
	// Original is the caller's input where a person edited it: Input is then the
	// edited one, which alone is executed.
	Original *Edit `json:"original"`
	// Asking is how the call asks; of one that never waited nothing is known of it.
	Asking
	// Covers is what a yes of wider scope would let pass, while the call waits; nil: no
	// such yes can be given.
	Covers *Covers `json:"covers"`
	// InputWiped says that the input was removed from the desk; its hash stays.
	InputWiped bool `json:"inputWiped"`
	// ResumeSchema is a JSON Schema for the data that a person may answer with, and
	// ResumeData what one answered.
	ResumeSchema json.RawMessage `json:"resumeSchema"`
	ResumeData   json.RawMessage `json:"resumeData"`
	// ResumeRequired says that a yes without such data is none.
	ResumeRequired bool `json:"resumeRequired"`
	// InputFixed says that the caller's own program runs the call with its own input, and takes
	// no other: an edited one is refused.
	InputFixed bool `json:"inputFixed"`
	// Summary is what the call does, as far as its input alone says it; nil where nobody
	// has looked.
	Summary *Summary `json:"summary"`

	// Asked names what the caller asked for where that is more than a tool and its input;
	// see AskedHash.
	Asked string `json:"-"`
	// Round says why the call asks a person whatever the rules say of it: its caller
	// brings what belongs to a later round of a call, and there is no such round, or repeats
	// a call that may have run. "" is no reason.
	Round RoundIssue `json:"-"`

	// Sight is what the call's tool was, as the call says it to whoever answers; "" is not
	// known. An answer is for that tool alone.
	Sight Sight `json:"-"`
	// Timeout is how far the caller shortened its wait for a person; 0 is not at all.
	Timeout time.Duration `json:"-"`
	// Held says that the caller waits on a connection of the desk's process, with which it is gone.
	Held bool `json:"-"`
	// ClaimKey is the claimant's own key: the same key again is the same claim.
	ClaimKey string `json:"-"`
}

// AskedHash is that by which the same is known when it is asked for again: the hash of the
// input as its caller sent it and, where there is more than that, of the method and of the
// envelope but its _meta.
func (c *Call) AskedHash() string {
	switch {
	case c.Asked != "":
		return c.Asked
	case c.Original != nil:
		return c.Original.InputHash
	}
	return c.InputHash
}

// RoundIssue is what is wrong with a round of a call that takes several: its code, which
// is "" where nothing is.
type RoundIssue string

// The issues of rounds.
const (
	// FirstRoundAnswers: the call brings answers to a server that has asked nothing.
	FirstRoundAnswers RoundIssue = "first_round_answers"
	// UnknownRoundState: the call brings back a state that no server gave to it.
	UnknownRoundState RoundIssue = "unknown_round_state"
	// UnknownRepeat: the call was sent to a desk before, and there is no record here of what
	// became of it.
	UnknownRepeat RoundIssue = "unknown_repeat"
)

// Why is the judgement that a call met when it came in, or later where that made it wait
// again or denied it.
type Why struct {
	Rule *RuleRef `json:"rule"`
	Explanation
	// Changed says what of the call's tool changed since it was first allowed: no rule
	// and no grant allows it until a person has accepted that.
	Changed ToolChange `json:"changed,omitempty"`
	// Withheld says that a rule would allow the call, or that an answer did, and that
	// Reason is against its tool.
	Withheld bool `json:"withheld,omitempty"`
	// NotChecked are the places of the call's ResumeSchema that no data is held against.
	NotChecked []string `json:"notChecked,omitempty"`
	// Parts are the verdicts on the parts of the call's line, where the rules judged
	// several.
	Parts []PartVerdict `json:"parts,omitempty"`
}

// Decision is how a call was settled.
type Decision struct {
	By       By   `json:"by"`
	Approved bool `json:"approved"`
	Explanation
	Scope   Scope    `json:"scope"` // how far the answer reaches
	RuleID  *RuleID  `json:"ruleId"`
	GrantID *GrantID `json:"grantId"`
	// GrantIDs are all grants that a line's parts were approved by together, GrantID first.
	GrantIDs []GrantID `json:"grantIds,omitempty"`
	// Places are the rules with a limit that the call took a place of.
	Places    []RuleID `json:"places,omitempty"`
	DecidedAt Time     `json:"decidedAt"`
	// FileVersion is what a person was shown of the file that a call writes (FileLook.Version): a
	// workspace's tools write over no other.
	FileVersion string `json:"fileVersion,omitempty"`

	// Remembered names the call whose answer was given again, and Count says how often
	// it was by then: one that was declined, by denial memory, or one that was approved,
	// for a further round of it (Request.Continues).
	Remembered *CallID `json:"remembered,omitempty"`
	Count      int64   `json:"count,omitempty"`
}

// The scopes of an answer (CONTRACT section 6).
const (
	// ScopeOnce is this call alone.
	ScopeOnce Scope = "once"
	// ScopeClass is the calls of the same Class in the session.
	ScopeClass Scope = "class"
	// ScopeSession is everything of the session on the call's server.
	ScopeSession Scope = "session"
	// ScopeMode is every later call of the session: the answer to a plan was the mode
	// BypassMode, in which the agent's program asks nothing.
	ScopeMode Scope = "mode"
)

// Edit is one input and its hash.
type Edit struct {
	Input     json.RawMessage `json:"input"`
	InputHash string          `json:"inputHash"`
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
	Leased   bool    // guard: the lease of the claim is after At
	Lapsed   bool    // guard: the lease of the claim is at or before At
	Attached bool    // guard: the caller is not gone
	Gone     bool    // guard: the caller is gone
	Claim    ClaimID // guard, when set: the claim is this one
	Hash     string  // guard, when set: the input's hash is this one
	Rev      int64   // guard, when not 0: the call's rev is this one
	Saw      int64   // guard, when not 0: the call has had this rev, and shows the same since
	Stayed   bool    // guard beside Saw: nor did its session change since
	Policy   int64   // guard, when not 0: the rules are of this version; else ErrOutdated
	Places   []Place // guard: the limits have these places, which the call takes; else ErrSpent

	Decision   *Decision
	Undecided  bool // takes the decision away: the call waits again
	Why        *Why
	Asking     *Asking // what a yes can reach, where Why is another
	ExpiresAt  *Time
	NewClaim   *Claim
	Unclaim    bool // voids the claim
	Lease      *Time
	Result     json.RawMessage
	SetGone    *bool
	Rebind     *Identity // a returning caller, of the Agent named, takes the call over
	Edited     *Edit     // takes the place of the input, which is kept as Original
	ResumeData json.RawMessage
	Sight      *Sight // what the call's tool is now
	Unread     bool   // of an answer: see Answer

	Entry Entry // Kind, Actor and Data; the store fills in the rest
	// Unawaited says that no answer waits for this change; see Outcome. What comes back then
	// has of the call only its names, rev and status.
	Unawaited bool
}

// Shows reports whether the transition may change what a person is shown of the call. A
// transition that changes the envelope, the folder or the risk of a call does too.
func (t *Transition) Shows() bool { return t.Edited != nil || t.Why != nil || t.Sight != nil }

// Asking is how a call asks: how far an answer to it can reach.
type Asking struct {
	// Class is what an answer of scope class reaches; nil: the call's kind cannot be told.
	Class *Class `json:"class"`
	// OnlyOnce says why a yes is for this call alone; "": it may reach further.
	OnlyOnce OnlyOnce `json:"onlyOnce" enum:",high_risk,opaque,code,unusual,own_question,data,no_session,envelope"`
	// Questions are the ids of the ask rules that ask about the call or its parts, with
	// AskedByDefault where no rule applies.
	Questions []string `json:"questions"`
}

// ErrGuard is what a store answers, beside the call as it stands, when a
// Transition's guards did not hold.
var ErrGuard = errors.New("the call is not in a state for this")

// ErrOutdated is what a store answers when what a call was judged by, or an edit was made
// from, is of another version by now: read it, and judge or edit again.
var ErrOutdated = errors.New("what this was made from changed meanwhile")

// Suspension is a judged call on its way into the store. In one transaction the
// store answers with the row of the same identity, or with the oldest row that
// the same agent's gone caller left behind (same hash, still open, or declined
// since DeclinedSince), or keeps the new one with its entries. A new call that
// would wait is first held against what a person answered earlier in its session:
// denial memory, then grants; one that is so settled has an entry of its own.
type Suspension struct {
	Call          Call
	PolicyVersion int64  // of the rules that judged it; another one is ErrOutdated
	MaxPending    int    // per agent; only a call that would wait is counted against it
	DeclinedSince Time   // a decline that its caller never heard still answers, since then
	ClaimBy       Time   // when a call that a grant approves must be claimed
	Hold          bool   // no yes that was given earlier approves the call
	YesAt         Time   // of the yes that an approved call repeats; the same declined since is ErrOutdated
	YesTo         string // the AskedHash of what that yes was to, where it is another one
	Joins         bool   // as Request.Joins says
	Unnamed       bool   // the call's ToolCallID is to be told from earlier ones of its name by a number
	Entries       []Entry
	Places        []Place // that a call takes which rules allow; where one is gone, ErrSpent

	// Claim, when set, is for whom a call that a rule allows is claimed in the same
	// transaction. Of its members Claimant, Key and Lease count.
	Claim *ClaimRequest
}

// UnnamedPrefix begins the ToolCallID of a call whose caller has no id for it. A hash of
// session, tool and input follows, and how many such calls are settled.
const UnnamedPrefix = "ask:"

// A plan is the call of a tool of the agent's own by which it asks to go on. The mode that a
// person chose for that is the member "mode" of the answer's data.
const (
	PlanTool   = "ExitPlanMode"
	BypassMode = "bypassPermissions" // the agent's program asks nothing any more
)

// Bypassing reports whether a yes with data puts the call's agent into BypassMode: its schema
// has that as a choice, which the dialog names by what it does. A text that says so does not.
func (c *Call) Bypassing(data json.RawMessage) bool {
	var chosen map[string]any // of exactly this name, as it is shown
	if c.ServerID != nil || c.ToolName != PlanTool || json.Unmarshal(data, &chosen) != nil || chosen["mode"] != BypassMode {
		return false
	}
	var schema struct{ Properties map[string]map[string]any }
	_ = json.Unmarshal(c.ResumeSchema, &schema) // of none that can be read there are no choices
	choices, _ := schema.Properties["mode"]["enum"].([]any)
	return slices.Contains(choices, any(BypassMode))
}

// HandedOverResult is the result of a call whose tool runs where the desk does not see it: in the
// agent's own program.
const HandedOverResult = `{"handedOver":true}`

// HandedOverFor is how long the yes to a call that was handed over is given to who asks the
// same by another door. The lease of such a call is as long.
const HandedOverFor = 60 * time.Second

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
	Stateless  bool      `json:"-"` // its caller has no session: it is answered once only
	Patience   Time      `json:"-"`
}

// CallFilter selects calls for a list, newest first.
type CallFilter struct {
	Agent     AgentID // "" is every agent's
	Statuses  []Status
	RunID     RunID
	SessionID SessionID
	Text      string // what the tool's, server's, agent's or session's name has somewhere; "" is any
	Before    int64  // the cursor: calls that came in before this one; 0 is no bound
	Limit     int
	Oldest    bool // oldest first, for the queue; Before is then a lower bound
	Brief     bool // leave out what can be large: results, and inputs but small ones
}

// Request is a new call as its caller states it. Everything else of a Call is the
// desk's.
type Request struct {
	Identity
	ServerID     *string
	Method       string // "" is CallTool
	ToolName     string
	Input        json.RawMessage // empty is {}
	Envelope     json.RawMessage // an object; empty or without members is none
	Description  string
	Cwd          *string
	Timeout      time.Duration // 0 is the desk's own deadline; longer ones are clamped
	ResumeSchema json.RawMessage

	ResumeRequired bool // a yes without data for the ResumeSchema is none

	Subagent   *string // nil is the agent itself
	InputFixed bool    // the caller takes no edited input

	// Joins says that the same question may have come by another door: the same of the agent's
	// session in the same folder is then asked once. A call that waits is joined, and one that
	// was said yes to in the last HandedOverFor gives its yes. Two calls with ids of their own
	// are two questions. A ToolCallID of "" has the desk make one up; see UnnamedPrefix.
	Joins bool

	// Claim, when set, claims the call in the same step if a rule allows it. Its claimant may
	// execute it at once, and asks whether it is answerable before it answers.
	Claim *ClaimRequest

	// Again says that a desk had the call under this identity before, and did not answer: where
	// there is no row of it, it may have run, and no rule allows it to run once more.
	Again bool

	// Continues names the call whose outcome asked for this one, as another round of the
	// same. Whoever sets it makes sure that an outcome is continued once. "" is none.
	Continues CallID
}

// Answer is a person's decision on a call, as it was shown: InputHash is that of the
// input, and Rev that of the call.
type Answer struct {
	Approved   bool            `json:"approved"`
	Reason     string          `json:"reason"`
	Scope      Scope           `json:"scope"`      // "" is once
	ForSeconds float64         `json:"forSeconds"` // how long a wider answer lasts; 0 is to the session's end
	InputHash  string          `json:"inputHash"`
	Rev        int64           `json:"rev"`
	Input      json.RawMessage `json:"input"` // the edited input; nil leaves it as it is
	ResumeData json.RawMessage `json:"resumeData"`
	// FileVersion is as that of Decision; "" is not said.
	FileVersion string `json:"fileVersion"`
	// Remember overrides the setting of denial memory for this decline.
	Remember *bool `json:"remember"`

	Door string `json:"-"` // by which a person gave it, for the journal: window, browser, rest; "" is none of them
	// Unread says that the input was in view for less time than it takes to read.
	Unread bool `json:"-"`
}

// Reply is a person's answer as the store takes it, in one transaction: the
// transition; the grant, when there is one, with the waiting siblings that it
// covers; and whether an identical call shall be declined at once.
type Reply struct {
	Transition Transition
	Grant      *Grant // the store fills in what it has of the call
	Remember   bool   // a decline: keep it for denial memory
	ClaimBy    Time   // when the siblings that it approves must be claimed
	Hold       bool   // a yes approves no sibling
	// Asked are the questions that the rules ask now about waiting calls, where they are not
	// those that are kept with them.
	Asked map[CallID][]string
}

// Resolution is how a person settles a call that is in doubt.
type Resolution string

// What a person can do about a call in doubt.
const (
	Retry Resolution = "retry" // it may be claimed again
	Close Resolution = "close" // it counts as failed
)

// Outcome is what came of executing a claimed call.
type Outcome struct {
	ClaimID ClaimID
	OK      bool
	Output  json.RawMessage // nil is none
	// Unawaited says that no answer waits for this record, since its caller hears the result
	// itself: what a loss of power takes of it leaves the call in doubt.
	Unawaited bool
}

// ClaimRequest asks for the right to execute. Policy is the version of the rules
// that still allow it, and Rev that of the call as they judged it, when not 0.
type ClaimRequest struct {
	Policy    int64
	Rev       int64
	InputHash string
	Claimant  string
	Key       string        // "", of one that comes with its call: the ToolCallID
	Lease     time.Duration // 0 is 60 s
}

// Query is a call to be judged only.
type Query struct {
	ServerID *string         `json:"serverId"`
	Method   string          `json:"method"` // "" is CallTool
	ToolName string          `json:"toolName"`
	Input    json.RawMessage `json:"input"`    // empty is {}
	Envelope json.RawMessage `json:"envelope"` // an object; empty or without members is none
	Caller
	Cwd       *string `json:"cwd"`
	Asker     *Agent  `json:"-"` // the agent that asks, for itself; nil: a person does
	Continues bool    `json:"-"` // it is another round of a call
	PastHold  bool    `json:"-"` // as if a person did not hold everything
	Brief     bool    `json:"-"` // without the trace, which looks at every rule
}

// Canary is a nonce that each call is denied for whose input holds it, until it expires.
type Canary struct {
	Nonce     string  `json:"nonce"`
	ExpiresAt Time    `json:"expiresAt"`
	AgentID   AgentID `json:"-"` // who asked for it
}

// Verdict is the answer to a Query: what would happen, and why.
type Verdict struct {
	Decision Effect `json:"decision"`
	Explanation
	Rule          *RuleRef     `json:"rule"`
	Risk          Risk         `json:"risk"`
	RiskReasons   []RiskReason `json:"riskReasons"`
	InputHash     string       `json:"inputHash"`
	EnvelopeHash  *string      `json:"envelopeHash"`
	PolicyVersion int64        `json:"policyVersion"`
	// Parts are the verdicts on the parts of the call's line; none has no line.
	Parts []PartVerdict `json:"parts"`
	Trace []TraceStep   `json:"trace"`

	// Conditional says that a condition was asked: another input may be decided
	// otherwise.
	Conditional bool `json:"-"`
}

// PartVerdict is what the rules say of one part of a call's line. Rule is nil where no rule
// decided it.
type PartVerdict struct {
	Name     string   `json:"name"`
	Decision Effect   `json:"decision"`
	Rule     *RuleRef `json:"rule"`
}

// AskedByDefault stands among the ids of ask rules where no rule applied.
const AskedByDefault = "default"

// TraceStep says why one rule applied or not, in the order of judgement.
// Part is the number of the part of the call's line that it is said of, from 0; null is the
// call, or its whole line.
type TraceStep struct {
	RuleID  RuleID    `json:"ruleId"`
	Part    *int      `json:"part"`
	Applies bool      `json:"applies"`
	Code    TraceCode `json:"code"`
	Params  Params    `json:"params"`
	Why     string    `json:"why"` // the same in English
}
