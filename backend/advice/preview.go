package advice

import (
	"fmt"
	"regexp"
	"sync"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// MaxChanged bounds the list of a preview; its counts are of all calls.
const MaxChanged = 1000

// History is past calls as rules without conditions see them: few distinct pairs of
// server and tool, and for each call which pair it is of.
type History struct {
	Pairs []policy.Call
	Calls []Past // oldest first
}

// Past is a call of a History.
type Past struct {
	ID        permission.CallID
	CreatedAt permission.Time
	Pair      int32 // index into Pairs
	Declined  bool  // a person declined it
}

// Preview decides past calls under two sets, both as of now, and says which would be
// decided otherwise: effects are compared, not which rule gave them.
//
// A pair is decided once for all its calls, unless a rule with a condition could apply
// to it in either set. For calls of such a pair load gives call i of the History; whole
// is false where its input is missing, since it was wiped. Such a call is still decided
// if none of those conditions mentions the input, and else only counted as Unjudged.
// Without such rules load is not used, and may be nil.
//
// about, where it is not nil, is the rule that the calls are counted for to which it
// applies by itself, as if it were enabled and not over: whether it is also the one that
// decides is another matter.
func Preview(
	before, after *policy.Set, about *permission.Rule, h History, load func(i int) (call policy.Call, whole bool), now permission.Time,
) permission.Preview {
	alone := byItself(about)
	depends := newConditional(now, before, after, alone)
	seesInput := sync.OnceValue(func() conditional { return conditionalBy(inputWord.MatchString, now, before, after, alone) })
	judge := func(call policy.Call) fate {
		return fate{before: before.Decide(call, now).Effect, after: after.Decide(call, now).Effect, matched: alone.Decide(call, now).Rule != nil}
	}
	pairs := make([]fate, len(h.Pairs))
	for i, call := range h.Pairs {
		if pairs[i].conditional = depends.on(call); !pairs[i].conditional {
			pairs[i] = judge(call)
		}
	}
	p := permission.Preview{Changed: []permission.Changed{}, Counts: map[string]int{}}
	for i := len(h.Calls) - 1; i >= 0; i-- {
		past := &h.Calls[i]
		f := pairs[past.Pair]
		if f.conditional {
			call, whole := load(i)
			if !whole && seesInput().on(call) {
				p.Unjudged++
				continue
			}
			f = judge(call)
		}
		note(&p, past, &h.Pairs[past.Pair], f)
	}
	return p
}

// byItself is a set of one rule that acts, or of none.
func byItself(r *permission.Rule) *policy.Set {
	if r == nil {
		return policy.Compile(nil, 0)
	}
	acting := *r
	acting.Enabled, acting.ExpiresAt = true, 0
	return policy.Compile([]permission.Rule{acting}, 0)
}

// fate is what two sets make of a call, and whether one rule applies to it.
type fate struct {
	before, after permission.Effect
	matched       bool
	conditional   bool // it depends on more than server and tool
}

func note(p *permission.Preview, past *Past, pair *policy.Call, f fate) {
	declined := 0
	if past.Declined {
		declined = 1
	}
	p.Total++
	if f.matched {
		p.Matched++
		p.MatchedDeclined += declined
	}
	if f.before == f.after {
		return
	}
	p.ChangedTotal++
	p.Declined += declined
	p.Counts[string(f.before)+">"+string(f.after)]++
	if len(p.Changed) < MaxChanged {
		p.Changed = append(p.Changed, permission.Changed{CallID: past.ID, CreatedAt: past.CreatedAt, ServerID: pair.ServerID,
			ToolName: pair.ToolName,
			Before:   f.before, After: f.after, Declined: past.Declined})
	}
}

// inputWord is in every condition that looks at the input or the envelope, and in some
// that do not, as in a text. CEL has no other way to write the names.
var inputWord = regexp.MustCompile(`\b(input|envelope)\b`)

// conditional knows which servers and tools an acting rule with a condition of some kind
// may apply to.
type conditional struct {
	set *policy.Set // those rules without their conditions; nil if there are none
	now permission.Time
}

func newConditional(now permission.Time, sets ...*policy.Set) conditional {
	return conditionalBy(func(string) bool { return true }, now, sets...)
}

func conditionalBy(kind func(condition string) bool, now permission.Time, sets ...*policy.Set) conditional {
	var bare []permission.Rule
	for _, set := range sets {
		if !set.HasConditions() {
			continue
		}
		for _, r := range set.Rules() {
			if r.Condition != nil && kind(*r.Condition) {
				// The sets share ids, and one set has an id once.
				r.ID, r.Condition = permission.RuleID(fmt.Sprint(len(bare))), nil
				bare = append(bare, r)
			}
		}
	}
	if len(bare) == 0 {
		return conditional{now: now}
	}
	return conditional{policy.Compile(bare, 0), now}
}

// on reports whether such a rule may apply to calls of this server and tool. A deny
// without a rule is for a name too long to be sure.
func (c conditional) on(call policy.Call) bool {
	if c.set == nil {
		return false
	}
	d := c.set.Decide(call, c.now)
	return d.Rule != nil || d.Effect == permission.Deny
}
