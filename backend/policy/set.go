package policy

import (
	"math"
	"slices"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// Set is a compiled set of rules. It never changes, so any number of goroutines may ask
// it, and Edit makes another one that shares what the edit does not touch.
type Set struct {
	index      index
	memo       *memo
	lines      *lines
	edits      []*edit // the last ones, newest first; never empty
	size       int     // how many rules
	conditions int     // how many enabled rules have one
	version    int64
	doubt      permission.Explanation // without words, it is none
	beneath    permission.Explanation // the doubt that there was before it
	withhold   Withhold               // nil withholds nothing
	full       Full                   // nil: no limit is ever reached
	reads      permission.Reads
	guardsLast bool // deny and ask rules that end do not
}

// Compile prepares rules for judging. A rule that is not valid is left out, since a
// damaged one must never allow anything. version is handed back by Version.
func Compile(rules []permission.Rule, version int64) *Set {
	s := &Set{memo: newMemo(), lines: newLines(), edits: []*edit{{}}, version: version}
	for _, r := range compileAll(rules) {
		s.index.put(r, true)
		s.count(r, 1)
	}
	return s
}

// Edit gives the set without the rules of the ids in remove, and then with those of put
// in place of any that have their ids: Compile of the edited list would decide the same.
// For each of these rules it costs a few short paths of the index, however many rules
// there are.
func (s *Set) Edit(put []permission.Rule, remove []permission.RuleID, version int64) *Set {
	out := *s
	out.version = version
	var touched []*compiled
	for _, id := range remove {
		touched = append(touched, out.drop(id)...)
	}
	for i := range put {
		touched = append(touched, out.drop(put[i].ID)...)
	}
	for _, r := range compileAll(put) {
		out.index.put(r, false)
		out.count(r, 1)
		touched = append(touched, r)
	}
	out.edits = remember(s.edits, touched)
	return &out
}

// Draft is Edit for a set that is looked at and never decides a real call: what it
// remembers of names does not drive out what s does.
func (s *Set) Draft(put []permission.Rule, remove []permission.RuleID) *Set {
	own := *s
	own.memo, own.lines = newMemo(), newLines()
	return own.Edit(put, remove, s.version)
}

// drop takes the rules with an id out and gives them back.
func (s *Set) drop(id permission.RuleID) []*compiled {
	gone := s.index.named(id)
	for _, r := range gone {
		s.index.drop(r)
		s.count(r, -1)
	}
	return gone
}

func (s *Set) count(r *compiled, n int) {
	s.size += n
	if r.Enabled && r.condition != nil {
		s.conditions += n
	}
}

// compileAll compiles the rules that are valid, in the order of judgement.
func compileAll(rules []permission.Rule) []*compiled {
	out, conditions := make([]*compiled, 0, len(rules)), map[string]*condition{}
	for i := range rules {
		if rules[i].Valid() != nil {
			continue
		}
		r := &compiled{Rule: clone(rules[i]), reason: reason(&rules[i])}
		r.rank = uint64(math.MaxInt32-r.Priority)<<2 | uint64(Strength(r.Effect))
		r.ref = permission.RuleRef{ID: r.ID, Priority: r.Priority}
		if r.Effect == permission.Ask {
			r.asked = []string{string(r.ID)}
		}
		if r.Limit != nil {
			r.places, r.limited = []permission.Place{{Rule: r.ID, Limit: *r.Limit}}, limited(&r.Rule)
		}
		if r.ToolPattern != nil {
			r.matcher = pattern.Compile(*r.ToolPattern)
		}
		if c := r.Condition; c != nil {
			if conditions[*c] == nil {
				conditions[*c] = newCondition(*c)
			}
			r.condition = conditions[*c]
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, (*compiled).order)
	return out
}

// Doubting gives the same set, but where an allow rule would decide it asks for this
// doubt: a guard may be missing from the set.
func (s *Set) Doubting(doubt permission.Explanation) *Set {
	out := *s
	out.doubt, out.beneath = doubt, s.doubt
	return &out
}

// PastHold gives, where it is wanted, the same set without the hold that a person put over it: any
// other doubt stays.
func (s *Set) PastHold(wanted bool) *Set {
	if !wanted || s.doubt.Code != permission.ReasonHold {
		return s
	}
	out := *s
	out.doubt, out.beneath = s.beneath, permission.Explanation{}
	return &out
}

// GuardsLasting gives the same set, but deny and ask rules that end stay in force: the time
// that it is asked about is not to be believed so far.
func (s *Set) GuardsLasting() *Set {
	out := *s
	out.guardsLast = true
	return &out
}

// Rules gives the rules in the order of judgement, as copies.
func (s *Set) Rules() []permission.Rule {
	rules := make([]permission.Rule, 0, s.size)
	for r := range s.index.all {
		rules = append(rules, clone(r.Rule))
	}
	return rules
}

// Rule gives the rule with an id, as a copy.
func (s *Set) Rule(id permission.RuleID) (rule permission.Rule, found bool) {
	for _, r := range s.index.named(id) {
		return clone(r.Rule), true
	}
	return rule, false
}

// Version is the number that Compile or Edit was given.
func (s *Set) Version() int64 { return s.version }

// Len is how many rules there are, disabled and expired ones among them.
func (s *Set) Len() int { return s.size }

// HasConditions reports whether a rule that is not disabled looks at more than server
// and tool. Without one, all calls of a server and tool are decided alike.
func (s *Set) HasConditions() bool { return s.conditions > 0 }

// Withhold says why no rule may allow calls of a tool of a server; without words, nothing
// is against it. Any number of goroutines ask it.
type Withhold func(serverID, toolName string) permission.Explanation
