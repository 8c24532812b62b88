package advice

import (
	"fmt"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// block is the acting rules of one priority that lint has passed, in the order of
// judgement: deny, ask, allow.
type block struct {
	priority int64
	all      []*linted
	wild     []*linted // those that do not go by a name
	named    map[string][]*linted
}

// conflict looks for a stronger rule of r's priority that says something else of a
// call to which both apply. A rule with a condition is left out: whether a call of both
// exists cannot be told.
func (l *linter) conflict(r *linted) {
	if r.Condition != nil || r.server != "" && policy.BadName(r.server) != nil {
		return // one of two effects is not deny, so a call of both has good names
	}
	if l.block.named == nil || l.block.priority != r.Priority {
		l.block = block{priority: r.Priority, named: map[string][]*linted{}}
	}
	if by, name := l.block.against(r); by != nil {
		l.say(r, permission.FindingConflict, by, permission.FindsConflict,
			permission.Param("effect", by.Effect).With(permission.Param("toolName", name)),
			fmt.Sprintf("has the same priority as rule %s, which %s first, and both apply to %s", by.ID,
				policy.Verb(by.Effect), permission.Show(name)))
	}
	l.block.add(r)
}

func (b *block) add(r *linted) {
	b.all = append(b.all, r)
	if r.tool == goesByName {
		b.named[r.name] = append(b.named[r.name], r)
	} else {
		b.wild = append(b.wild, r)
	}
}

// against finds the strongest rule that r is in conflict with, and a name that both
// apply to.
func (b *block) against(r *linted) (by *linted, name string) {
	lists := [][]*linted{b.all}
	if r.tool == goesByName {
		lists = [][]*linted{b.named[r.name], b.wild}
	}
	for _, list := range lists {
		for _, s := range list {
			if s.Effect == r.Effect || by != nil && s.at > by.at {
				break // the rest of the list has r's effect, too
			}
			if s.server != "" && r.server != "" && s.server != r.server || s.methods&r.methods == 0 {
				continue
			}
			if common, ok := inCommon(s, r); ok {
				by, name = s, common
				break
			}
		}
	}
	return by, name
}

// inCommon gives a good name that both rules go for, if one is easily had.
func inCommon(a, b *linted) (name string, ok bool) {
	switch {
	case a.tool == goesByName && b.tool == goesByName:
		name, ok = a.name, a.name == b.name
	case a.tool == goesByName:
		name, ok = a.name, b.tool == goesForAny || b.pattern.MatchFolded(a.witness)
	case b.tool == goesByName:
		return inCommon(b, a)
	default:
		name, ok = pattern.Common(a.wildcard(), b.wildcard())
		if name == "" {
			name = "x" // both take the name without a letter, so all of stars, or any tool
		}
	}
	return name, ok && policy.BadName(name) == nil
}

// wildcard is the pattern of a rule that does not go by a name.
func (l *linted) wildcard() pattern.Pattern {
	if l.tool == goesForAny {
		return everyName
	}
	return l.pattern
}
