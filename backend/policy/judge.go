package policy

import (
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// Call is what rules look at. A nil ServerID is a tool inside the agent's own program.
type Call struct {
	ServerID *string
	ToolName string
}

// Decision is the outcome and why. Rule is nil when no rule decided: nothing applied,
// or a bad name kept the rules from allowing. NameIssue says what is wrong with a bad
// name and is "" for a good one; a deny rule decides on a bad name too.
type Decision struct {
	Effect    permission.Effect
	Rule      *permission.RuleRef
	Reason    string
	NameIssue string
}

// Why a rule applied or not, as TraceStep says it.
const (
	whyApplies  = "applies"
	whyLater    = "would apply, but an earlier rule decided"
	whyDisabled = "disabled"
	whyExpired  = "expired"
	whyServer   = "server differs"
	whyTool     = "tool name differs"
	whyPattern  = "pattern does not match"
	whyBadName  = "only a deny rule applies to a bad name"
)

const noRule = "no rule applies"

// Decide judges one call. The first rule that applies decides; if none does, the
// answer is ask.
func (s *Set) Decide(c Call, now permission.Time) Decision { return s.judge(c, now, nil) }

// Trace is Decide with one step for each rule in the order of judgement. The first
// step that applies is the rule that decided.
func (s *Set) Trace(c Call, now permission.Time) (Decision, []permission.TraceStep) {
	steps := make([]permission.TraceStep, 0, len(s.rules))
	d := s.judge(c, now, &steps)
	return d, steps
}

// judge walks the rules; to the end only when every step is wanted.
func (s *Set) judge(c Call, now permission.Time, steps *[]permission.TraceStep) Decision {
	q := question{Call: c, folded: pattern.Fold(c.ToolName), issue: nameIssue(c), now: now}
	var winner *compiled
	for i := range s.rules {
		rule := &s.rules[i]
		why := q.ask(rule)
		applies := why == whyApplies
		if applies && winner == nil {
			winner = rule
		} else if applies {
			why = whyLater
		}
		if steps != nil {
			*steps = append(*steps, permission.TraceStep{RuleID: rule.ID, Applies: applies, Why: why})
		} else if winner != nil {
			break
		}
	}
	if winner != nil && winner.Effect == permission.Allow && s.doubt != "" {
		return Decision{Effect: permission.Ask, Reason: s.doubt, NameIssue: q.issue}
	}
	return conclude(winner, q.issue)
}

func conclude(winner *compiled, issue string) Decision {
	switch {
	case winner != nil:
		ref := &permission.RuleRef{ID: winner.ID, Priority: winner.Priority}
		return Decision{Effect: winner.Effect, Rule: ref, Reason: winner.reason, NameIssue: issue}
	case issue != "":
		return Decision{Effect: permission.Ask, Reason: issue, NameIssue: issue}
	}
	return Decision{Effect: permission.Ask, Reason: noRule}
}

// question is a call made ready for being held against many rules.
type question struct {
	Call
	folded string
	issue  string
	now    permission.Time
}

// ask says whether a rule applies, and if not why.
func (q *question) ask(r *compiled) string {
	switch {
	case !r.Enabled:
		return whyDisabled
	case !r.ExpiresAt.IsZero() && r.ExpiresAt <= q.now:
		return whyExpired
	case r.ServerID != nil && (q.ServerID == nil || *q.ServerID != *r.ServerID):
		return whyServer
	case r.ToolName != nil && *r.ToolName != q.ToolName:
		return whyTool
	case r.ToolName == nil && r.ToolPattern != nil && !r.matcher.MatchFolded(q.folded):
		return whyPattern
	case q.issue != "" && r.Effect != permission.Deny:
		return whyBadName
	}
	return whyApplies
}
