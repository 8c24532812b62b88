package policy

import (
	"cmp"
	"encoding/binary"
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"slices"
	"strings"
)

// compiled is a rule with everything that does not depend on the call. Sets share it.
type compiled struct {
	// What every decision reads stands together, so that it comes from memory at once.
	rank      uint64     // priority and effect, as the order of judgement has them
	condition *condition // nil for a rule without one
	whole     bool       // what it says of server and tool is all in home
	ref       permission.RuleRef
	reason    permission.Explanation
	asked     []string               // its id, in an ask rule
	places    []permission.Place     // what a call takes of its limit; nil: it has none
	limited   permission.Explanation // that its limit is reached

	permission.Rule
	matcher pattern.Pattern // used when ToolName is nil and ToolPattern is not
	home    home
}

// order is the order of judgement: priority from high to low; within one priority
// deny, ask, allow; then the older rule, then the lower id.
func (r *compiled) order(other *compiled) int {
	if r.rank != other.rank {
		return cmp.Compare(r.rank, other.rank)
	}
	return cmp.Or(cmp.Compare(r.CreatedAt, other.CreatedAt), cmp.Compare(r.ID, other.ID))
}

// asksBeside reports whether a rule asks, and so does another one of the same priority: none of
// them comes before the other but by its age.
func (r *compiled) asksBeside(other *compiled) bool {
	return r.Effect == permission.Ask && r.rank == other.rank
}

// Strength is the place of an effect within one priority: 0 comes first.
func Strength(e permission.Effect) int {
	switch e {
	case permission.Deny:
		return 0
	case permission.Ask:
		return 1
	}
	return 2
}

// soft rules apply at some times, to some inputs or to some calls only.
func (r *compiled) soft() bool { return r.condition != nil || !r.ExpiresAt.IsZero() || r.places != nil }

// key is order as bytes: keys sort as the rules do.
func (r *compiled) key() string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 16+len(r.ID)), r.rank)
	b = binary.BigEndian.AppendUint64(b, uint64(r.CreatedAt)^1<<63)
	return string(append(b, r.ID...))
}

// clone cuts the ties of a rule to its owner, who could otherwise change a Set.
func clone(r permission.Rule) permission.Rule {
	for _, p := range []**string{&r.ServerID, &r.Method, &r.ToolName, &r.ToolPattern, &r.Condition} {
		if *p != nil {
			text := **p
			*p = &text
		}
	}
	r.Limit, r.Examples = r.Limit.Copy(), slices.Clone(r.Examples)
	return r
}

// reason is what a rule says of a call that it decides: the note of a deny rule, which
// a person wrote for this, or a sentence.
func reason(r *permission.Rule) permission.Explanation {
	if r.Effect == permission.Deny && strings.TrimSpace(r.Note) != "" {
		return permission.Said(r.Note)
	}
	return sentence(r)
}

// home is one place in the index where a rule may lie.
type home struct {
	trie func(*index) **node
	key  string
	part int  // length of the literal part
	full bool // a good name of a tool that leads here is all that the rule asks for
}
