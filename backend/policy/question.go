package policy

import (
	"errors"
	"fmt"
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"slices"

	"github.com/google/cel-go/common/types"
)

// whys say in English why a rule applied or not. The error of a condition follows.
var whys = map[permission.TraceCode]string{
	permission.TraceApplies:         "applies",
	permission.TraceLater:           "would apply, but an earlier rule decided",
	permission.TraceDisabled:        "disabled",
	permission.TraceExpired:         "expired",
	permission.TraceServer:          "server differs",
	permission.TraceMethod:          "not about this method",
	permission.TraceTool:            "tool name differs",
	permission.TracePattern:         "pattern does not match",
	permission.TraceBadName:         "only a deny rule applies to a bad name",
	permission.TraceLong:            "not looked at: the name is too long",
	permission.TraceConditionFalse:  "condition is false",
	permission.TraceConditionFailed: "condition failed: ",
	permission.TraceConditionDoubt:  "applies, since its condition failed: ",
	permission.TraceParts:           "judged part by part",
	permission.TraceLineOpaque:      "the line cannot be taken apart: only a rule that fixes all of it, or that does not look at it, allows it",
	permission.TracePartCode:        "it runs code: only a rule that fixes all of it, or that does not look at it, allows it",
	permission.TracePartWrites:      "it writes a file: only a rule that fixes all of it, looks at writes or does not look at the line allows it",
	permission.TraceLimit:           "its limit is reached: ",
	permission.TracePartGuarded:     "an ask or deny rule before it applies to a part",
}

// why is why a rule applied or not; failure is what went wrong in its condition, and limit
// what is reached.
type why struct {
	code    permission.TraceCode
	failure string
	limit   *permission.Limit
}

func because(code permission.TraceCode) why { return why{code: code} }

// step is a row of a trace.
func (w why) step(id permission.RuleID, applies bool) permission.TraceStep {
	step := permission.TraceStep{RuleID: id, Applies: applies, Code: w.code, Why: whys[w.code] + w.failure}
	switch {
	case w.failure != "":
		step.Params = permission.Param("error", w.failure)
	case w.limit != nil:
		step.Params, step.Why = limitParams(w.limit), step.Why+limitText(w.limit)
	}
	return step
}

// candidates are the rules that may decide the calls of one server and tool, in the
// order of judgement: those that apply at some times or to some inputs, and then the
// first that always does, if there is one. No later rule can decide, but where the firm one
// asks, the ask rules of its priority behind it ask beside it.
type candidates struct {
	soft   []*compiled
	firm   *compiled
	beside []*compiled
}

// question is a call made ready for being held against many rules.
type question struct {
	Call
	candidates
	now        permission.Time
	folded     string
	guardsLast bool                    // see Set.GuardsLasting
	issue      *permission.Explanation // what is wrong with the names; nil is nothing
	lines      *lines
	full       Full
	passed     *compiled // the first rule that applies but for its limit
	work       int       // nodes and rules looked at, and for a long name the bytes of it too
	facts
}

func (q *question) ready() {
	q.folded, q.issue = pattern.Fold(q.ToolName), nameIssue(q.Call)
}

// issueText is the issue in English, or "".
func (q *question) issueText() string {
	if q.issue == nil {
		return ""
	}
	return q.issue.Reason
}

// tooLong says that a name is too long to be judged.
func (q *question) tooLong() permission.Explanation {
	text, of := q.issueText(), permission.Param("name", "uri")
	if q.issue == nil {
		text = "the URI is long"
	} else {
		of = q.issue.Params
	}
	return permission.Explanation{Code: permission.ReasonNameNotJudgable, Params: of,
		Reason: text + ", too long to be held against every deny rule"}
}

// judge says whether a rule applies, and why or why not.
func (q *question) judge(r *compiled) (applies bool, w why) {
	if aside := q.aside(r); aside != "" {
		return false, because(aside)
	}
	return q.holds(r)
}

// aside says why a rule is not asked about the call, whatever its condition, or "".
func (q *question) aside(r *compiled) permission.TraceCode {
	switch {
	case !r.Enabled:
		return permission.TraceDisabled
	case q.over(r):
		return permission.TraceExpired
	}
	return q.misses(r)
}

// over reports whether a rule has expired.
func (q *question) over(r *compiled) bool {
	return !r.ExpiresAt.IsZero() && r.ExpiresAt <= q.now && (!q.guardsLast || r.Effect == permission.Allow)
}

// misses says why a rule is not about the server and tool of the call, or "".
func (q *question) misses(r *compiled) permission.TraceCode {
	switch {
	case r.ServerID != nil && (q.ServerID == nil || *q.ServerID != *r.ServerID):
		return permission.TraceServer
	case !r.For(q.Method):
		return permission.TraceMethod
	case r.ToolName != nil && *r.ToolName != q.ToolName:
		return permission.TraceTool
	case q.bad(r):
		return permission.TraceBadName
	case r.ToolName == nil && r.ToolPattern != nil && !q.matches(r):
		return permission.TracePattern
	}
	return ""
}

// bad reports whether a rule cannot decide because the call's names are bad.
func (q *question) bad(r *compiled) bool { return q.issue != nil && r.Effect != permission.Deny }

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
		if q.firm != nil && q.firm.order(r) < 0 && !q.firm.asksBeside(r) || q.exhausted() {
			return
		}
		q.work++
		if !(plain && r.whole && q.issue == nil && q.ofTool()) && q.misses(r) != "" {
			continue
		}
		switch first := q.firm; {
		case r.soft():
			q.soft = append(q.soft, r)
			continue
		case first == nil || first.order(r) > 0:
			if q.firm = r; first != nil && r.asksBeside(first) {
				q.beside = append(q.beside, first)
			}
		default:
			q.beside = append(q.beside, r)
		}
		if r.Effect != permission.Ask {
			return
		}
	}
}

// trim leaves the candidates that can decide, or ask beside the one that does.
func (q *question) trim() {
	if len(q.soft) == 0 && len(q.beside) == 0 {
		return
	}
	behind := func(r *compiled) bool { return q.firm != nil && q.firm.order(r) < 0 }
	for _, r := range q.soft {
		if behind(r) {
			q.beside = append(q.beside, r)
		}
	}
	q.soft = slices.DeleteFunc(q.soft, behind)
	q.beside = slices.DeleteFunc(q.beside, func(r *compiled) bool { return !q.firm.asksBeside(r) })
	slices.SortStableFunc(q.soft, (*compiled).order)
	slices.SortStableFunc(q.beside, (*compiled).order)
}

// conclude is the decision of the first rule that applies, or of none.
func conclude(winner *compiled, issue *permission.Explanation) Decision {
	d := Decision{Effect: permission.Ask, Asked: byDefault,
		Explanation: permission.Explanation{Code: permission.ReasonNoRule, Reason: "no rule applies"}}
	if issue != nil {
		d.Explanation, d.NameIssue, d.Alone = *issue, issue.Reason, true
	}
	if winner != nil {
		d.Effect, d.Rule, d.Explanation, d.Asked, d.Alone = winner.Effect, &winner.ref, winner.reason, winner.asked, false
		d.Places = winner.places
	}
	return d
}

// questions are the ids of the ask rules that ask about a call which one of them decides: all
// those of its priority that apply, since the older one only gives its name.
func (q *question) questions(winner *compiled) []string {
	asked := winner.asked
	also := func(r *compiled) {
		if r != winner && winner.asksBeside(r) && !q.over(r) {
			if applies, _ := q.holds(r); applies {
				asked = append(slices.Clip(asked), string(r.ID))
			}
		}
	}
	for _, r := range q.soft {
		also(r)
	}
	if q.firm != nil {
		also(q.firm)
	}
	for _, r := range q.beside {
		also(r)
	}
	return asked
}

// byDefault is what asked where no rule applied.
var byDefault = []string{permission.AskedByDefault}

// holds says whether the condition of a rule and its limit let it apply.
func (q *question) holds(r *compiled) (applies bool, w why) {
	if applies, w = q.meets(r); !applies || r.places == nil || !q.full.reached(r, &q.Call, q.now) {
		return applies, w
	}
	if q.passed == nil {
		q.passed = r
	}
	return false, why{code: permission.TraceLimit, limit: r.Limit}
}

// meets says whether the condition of a rule lets it apply. One that fails counts as false
// in an allow rule and as true in an ask or deny rule.
func (q *question) meets(r *compiled) (applies bool, w why) {
	if r.condition == nil {
		return true, because(permission.TraceApplies)
	}
	holds, err := q.evaluate(r.condition)
	switch {
	case err != nil && r.Effect == permission.Allow:
		return false, why{code: permission.TraceConditionFailed, failure: cut(err.Error())}
	case err != nil:
		return true, why{code: permission.TraceConditionDoubt, failure: cut(err.Error())}
	case !holds:
		return false, because(permission.TraceConditionFalse)
	}
	return true, because(permission.TraceApplies)
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
		q.about = &about{lines: q.lines, cwd: q.Cwd, input: q.Input}
		q.vars, q.broken = newVariables(&q.Call, q.about)
		if q.line != nil && q.line.whole {
			q.about.part = &q.line.line.Parts[0]
		}
	}
	if q.broken != nil {
		return false, q.broken
	}
	if q.asked > 0 && !q.line.whole {
		if q.looks++; q.looks > maxLooks {
			return false, errors.New(tooManyParts)
		}
	}
	q.see()
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
