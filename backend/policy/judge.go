package policy

import (
	"cmp"
	"encoding/json"
	"slices"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// Call is what rules look at. A nil ServerID is a tool inside the agent's own program;
// an empty Method is that of a tool call, and an empty Input or Envelope is {}.
type Call struct {
	ServerID  *string
	Method    string
	ToolName  string
	Input     json.RawMessage
	Envelope  json.RawMessage
	Round     permission.RoundIssue // a reason to ask that no allow rule answers; "" is none
	SessionID permission.SessionID
	AgentID   permission.AgentID
	AgentName string
	Cwd       *string
}

// Decision is the outcome and why. Rule is nil when no rule decided: nothing applied,
// or a bad name kept the rules from allowing. NameIssue says what is wrong with a bad
// name and is "" for a good one; a deny rule decides on a bad name too. What Rule
// points to is shared: nobody writes to it.
type Decision struct {
	Effect    permission.Effect
	Rule      *permission.RuleRef
	Reason    string
	NameIssue string
	// Withheld says that a rule would allow the call, and that Reason is against its tool.
	Withheld bool
	// Code is Reason as a word for a client, where it has one.
	Code string
	// Conditional says that a condition was asked on the way: another input may be
	// decided otherwise.
	Conditional bool
}

// Why a rule applied or not, as TraceStep says it.
const (
	whyApplies   = "applies"
	whyLater     = "would apply, but an earlier rule decided"
	whyDisabled  = "disabled"
	whyExpired   = "expired"
	whyServer    = "server differs"
	whyMethod    = "not about this method"
	whyTool      = "tool name differs"
	whyPattern   = "pattern does not match"
	whyBadName   = "only a deny rule applies to a bad name"
	whyLong      = "not looked at: the name is too long"
	whyCondition = "condition is false"
	whyFailed    = "condition failed: "
	whyDoubt     = "applies, since its condition failed: "
)

const (
	noRule  = "no rule applies"
	tooLong = ", too long to be held against every deny rule"
)

// Decide judges one call. The first rule that applies decides; if none does, the
// answer is ask.
//
// A name that it remembers costs one look into a hash table, and any other what the
// index says. It allocates nothing unless a rule that expires or has a condition may
// decide, the name has capital letters to fold or is bad, or it is met for the second
// time, when it is kept.
func (s *Set) Decide(c Call, now permission.Time) Decision {
	e := s.memo.recall(s, &c)
	if e != nil && len(e.soft) == 0 && s.doubt == "" {
		return s.withheld(&c, s.unruled(&c, e.decision)).unrounded(&c)
	}
	_, d := s.decide(c, e, now)
	return d
}

// decide is Decide with the rule that decided, or nil. known is what the memo has.
func (s *Set) decide(c Call, known *entry, now permission.Time) (*compiled, Decision) {
	q := question{Call: c, now: now, guardsLast: s.guardsLast}
	if known != nil {
		q.candidates = known.candidates
	} else {
		q.ready()
		s.index.find(&q)
		s.memo.keep(s, &q)
	}
	if q.exhausted() {
		return nil, Decision{Effect: permission.Deny, Reason: cmp.Or(q.issue, "the URI is long") + tooLong, NameIssue: q.issue}
	}
	winner, conditional := q.winner()
	d := s.withheld(&c, s.doubted(s.unruled(&c, conclude(winner, q.issue)))).unrounded(&c)
	d.Conditional = conditional
	return winner, d
}

// winner is the first candidate that applies, or nil, and whether a condition was
// asked on the way to it.
func (q *question) winner() (r *compiled, conditional bool) {
	for _, r := range q.soft {
		if q.over(r) {
			continue
		}
		conditional = conditional || r.condition != nil
		if applies, _ := q.holds(r); applies {
			return r, conditional
		}
	}
	return q.firm, conditional
}

// Trace is Decide with one step for each rule in the order of judgement. The first
// step that applies is the rule that decided. It holds every rule against the call by
// the same judgement as Decide, without the index.
func (s *Set) Trace(c Call, now permission.Time) (Decision, []permission.TraceStep) {
	winner, d := s.decide(c, s.memo.recall(s, &c), now)
	q := question{Call: c, now: now, guardsLast: s.guardsLast}
	q.ready()
	steps, decided := make([]permission.TraceStep, 0, s.size), false
	for r := range s.index.all {
		applies, why := q.judge(r)
		if q.exhausted() { // Decide may have come further, or have given up
			applies, why = r == winner, whyLong
		}
		if applies && decided {
			why = whyLater
		}
		decided = decided || applies
		steps = append(steps, permission.TraceStep{RuleID: r.ID, Applies: applies, Why: why})
	}
	return d, steps
}

// doubted makes an ask of an allow that may lack a guard, and says why where no rule
// says anything.
func (s *Set) doubted(d Decision) Decision {
	silent := d.Rule == nil && d.NameIssue == "" && d.Effect == permission.Ask
	if s.doubt != "" && (d.Effect == permission.Allow || silent) {
		return Decision{Effect: permission.Ask, Reason: s.doubt}
	}
	return d
}

func conclude(winner *compiled, issue string) Decision {
	switch {
	case winner != nil:
		return Decision{Effect: winner.Effect, Rule: &winner.ref, Reason: winner.reason, NameIssue: issue}
	case issue != "":
		return Decision{Effect: permission.Ask, Reason: issue, NameIssue: issue}
	}
	return Decision{Effect: permission.Ask, Reason: noRule}
}

// candidates are the rules that may decide the calls of one server and tool, in the
// order of judgement: those that apply at some times or to some inputs, and then the
// first that always does, if there is one. No later rule can decide.
type candidates struct {
	soft []*compiled
	firm *compiled
}

// question is a call made ready for being held against many rules.
type question struct {
	Call
	candidates
	now        permission.Time
	folded     string
	guardsLast bool // see Set.GuardsLasting
	issue      string
	work       int // nodes and rules looked at, and for a long name the bytes of it too
	facts
}

func (q *question) ready() {
	q.folded, q.issue = pattern.Fold(q.ToolName), nameIssue(q.Call)
}

// judge says whether a rule applies, and why or why not.
func (q *question) judge(r *compiled) (applies bool, why string) {
	if !r.Enabled {
		return false, whyDisabled
	}
	if q.over(r) {
		return false, whyExpired
	}
	if why := q.misses(r); why != "" {
		return false, why
	}
	return q.holds(r)
}

// over reports whether a rule has expired.
func (q *question) over(r *compiled) bool {
	return !r.ExpiresAt.IsZero() && r.ExpiresAt <= q.now && (!q.guardsLast || r.Effect == permission.Allow)
}

// misses says why a rule is not about the server and tool of the call, or "".
func (q *question) misses(r *compiled) string {
	switch {
	case r.ServerID != nil && (q.ServerID == nil || *q.ServerID != *r.ServerID):
		return whyServer
	case !r.For(q.Method):
		return whyMethod
	case r.ToolName != nil && *r.ToolName != q.ToolName:
		return whyTool
	case q.bad(r):
		return whyBadName
	case r.ToolName == nil && r.ToolPattern != nil && !q.matches(r):
		return whyPattern
	}
	return ""
}

// bad reports whether a rule cannot decide because the call's names are bad.
func (q *question) bad(r *compiled) bool { return q.issue != "" && r.Effect != permission.Deny }

// The longest name is a request's body, and a pattern may have to be sought in all of
// it. For a name that is too long to be allowed, all work together is therefore bounded
// by maxWork, and what is not decided then is denied: about 20 ms.
const (
	maxWork      = 1 << 20
	bytesForWork = 16
)

func (q *question) matches(r *compiled) bool {
	if len(q.ToolName) > permission.MaxNameBytes {
		q.work += len(q.folded) / bytesForWork
	}
	return !q.exhausted() && r.matcher.MatchFolded(q.folded)
}

// exhausted reports whether a name was too long to be judged.
func (q *question) exhausted() bool {
	return q.work > maxWork && len(q.ToolName) > permission.MaxNameBytes
}

// take takes in what may decide of one list of rules in the order of judgement. What led
// to them is what some ask for: to compare names again would cost more than to find the
// rule. It is less where the folded name led to rules that name a tool (plain is false),
// and where the name is a bad one, which may have line ends that a star is not for.
func (q *question) take(rules []*compiled, plain bool) {
	for _, r := range rules {
		if q.firm != nil && q.firm.order(r) < 0 || q.exhausted() {
			return
		}
		q.work++
		if !(plain && r.whole && q.issue == "" && q.ofTool()) && q.misses(r) != "" {
			continue
		}
		if !r.soft() {
			q.firm = r
			return
		}
		q.soft = append(q.soft, r)
	}
}

// trim leaves the candidates that can decide.
func (q *question) trim() {
	if len(q.soft) == 0 {
		return
	}
	q.soft = slices.DeleteFunc(q.soft, func(r *compiled) bool { return q.firm != nil && q.firm.order(r) < 0 })
	slices.SortStableFunc(q.soft, (*compiled).order)
}
