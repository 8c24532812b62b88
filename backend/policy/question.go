package policy

import (
	"fmt"
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"slices"

	"github.com/google/cel-go/common/types"
)

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

func conclude(winner *compiled, issue string) Decision {
	switch {
	case winner != nil:
		return Decision{Effect: winner.Effect, Rule: &winner.ref, Reason: winner.reason, NameIssue: issue, Asked: winner.asked}
	case issue != "":
		return Decision{Effect: permission.Ask, Reason: issue, NameIssue: issue, Asked: byDefault, Alone: true}
	}
	return Decision{Effect: permission.Ask, Reason: noRule, Asked: byDefault}
}

// byDefault is what asked where no rule applied.
var byDefault = []string{permission.AskedByDefault}

// holds says whether the condition of a rule lets it apply. One that fails counts as
// false in an allow rule and as true in an ask or deny rule.
func (q *question) holds(r *compiled) (applies bool, why string) {
	if r.condition == nil {
		return true, whyApplies
	}
	holds, err := q.evaluate(r.condition)
	switch {
	case err != nil && r.Effect == permission.Allow:
		return false, whyFailed + cut(err.Error())
	case err != nil:
		return true, whyDoubt + cut(err.Error())
	case !holds:
		return false, whyCondition
	}
	return true, whyApplies
}

// evaluate runs a condition. Whatever goes wrong in CEL is an error here.
func (q *question) evaluate(c *condition) (holds bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			q.spent += maxConditionWork
			holds, err = false, fmt.Errorf("evaluate: %v", r)
		}
	}()
	program, err := c.program()
	if err != nil {
		return false, fmt.Errorf("does not compile: %w", err)
	}
	if q.spent >= maxWorkOfAll {
		return false, fmt.Errorf("the conditions before it took all the work that a decision may take")
	}
	if q.vars == nil && q.broken == nil {
		q.vars, q.broken = variables(&q.Call)
	}
	if q.broken != nil {
		return false, q.broken
	}
	out, details, err := program.Eval(q.vars)
	q.spent += spent(details)
	if err != nil {
		return false, err
	}
	if b, ok := out.(types.Bool); ok {
		return bool(b), nil
	}
	return false, fmt.Errorf("gives %s, not true or false", out.Type().TypeName())
}
