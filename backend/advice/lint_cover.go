package advice

import (
	"fmt"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// shelf keeps the rules of one server (or of all) and one condition (or none) that lint
// has passed, by what a name must have for them to match it. Each list is in the order
// of judgement.
type shelf struct {
	all    []*linted            // of any tool
	names  map[string][]*linted // by the exact name
	folded map[string][]*linted // the same, by the folded name
	whole  map[string][]*linted // patterns without a star
	begin  map[string][]*linted // patterns by what is before the first star
	end    map[string][]*linted // or by what is behind the last, where that is longer
	inside map[string][]*linted // those with neither, by the longest part
	sizes  map[int]bool         // how long the keys of inside are
	stars  []*linted            // patterns of stars alone
}

type shelfKey struct{ server, condition string }

func (l *linter) shelf(key shelfKey) *shelf {
	s := l.shelves[key]
	if s == nil {
		s = &shelf{names: map[string][]*linted{}, folded: map[string][]*linted{}, whole: map[string][]*linted{},
			begin: map[string][]*linted{}, end: map[string][]*linted{}, inside: map[string][]*linted{}, sizes: map[int]bool{}}
		l.shelves[key] = s
	}
	return s
}

// add puts a rule where any rule that it covers finds it.
func (s *shelf) add(r *linted) {
	switch r.tool {
	case goesForAny:
		s.all = append(s.all, r)
		return
	case goesByName:
		s.names[r.name] = append(s.names[r.name], r)
		s.folded[r.witness] = append(s.folded[r.witness], r)
		return
	}
	parts := strings.Split(r.pattern.Meaning(), "*")
	first, last, longest := parts[0], parts[len(parts)-1], ""
	for _, part := range parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	switch {
	case len(parts) == 1:
		s.whole[first] = append(s.whole[first], r)
	case len(first) > len(last):
		s.begin[first] = append(s.begin[first], r)
	case last != "":
		s.end[last] = append(s.end[last], r)
	case longest != "":
		s.inside[longest] = append(s.inside[longest], r)
		s.sizes[len(longest)] = true
	default:
		s.stars = append(s.stars, r)
	}
}

// lists gives to try every list that may hold a rule which covers r.
func (s *shelf) lists(r *linted, try func([]*linted)) {
	try(s.all)
	try(s.stars)
	if r.tool == goesByName {
		try(s.names[r.name])
	}
	w := r.witness
	try(s.whole[w])
	for i := range len(w) + 1 {
		if len(s.begin) > 0 {
			try(s.begin[w[:i]])
		}
		if len(s.end) > 0 {
			try(s.end[w[i:]])
		}
	}
	for size := range s.sizes {
		for i := 0; i+size <= len(w); i++ {
			try(s.inside[w[i:i+size]])
		}
	}
}

// reach looks for what leaves r nothing to decide: a bad name of its own, or a stronger
// rule.
func (l *linter) reach(r *linted) {
	if issue := r.idle(); issue != nil {
		l.say(r, permission.FindingUnreachable, nil, permission.FindsBadName, permission.Param("issue", issue.Code).With(issue.Params),
			issue.Reason+": only a deny rule decides calls with such a name")
		return
	}
	wholly, nearly := l.coverers(r)
	switch {
	case wholly != nil:
		l.say(r, permission.FindingUnreachable, wholly, permission.FindsCovered, wholly.hidingParams(r), wholly.hiding(r))
		return // what it covers, that rule covers too
	case l.spelledOut(r):
		l.say(r, permission.FindingUnreachable, nil, permission.FindsSpelledOut, "",
			"stronger rules decide every spelling of the one name that this rule applies to")
	case nearly != nil:
		l.say(r, permission.FindingUnreachable, nearly, permission.FindsCoveredNearly, nearly.hidingParams(r),
			nearly.hiding(r)+", unless its name is a bad one")
	}
	l.shelf(shelfKey{r.server, conditionOf(r.Rule)}).add(r)
}

// hiding says that l covers a weaker rule.
func (l *linted) hiding(weak *linted) string {
	what := "call"
	if !l.methods.Cover(weak.methods) {
		what = "tool call"
	}
	return fmt.Sprintf("rule %s (priority %d) decides every %s that this rule applies to", l.ID, l.Priority, what)
}

// hidingParams says whether that is so of tool calls alone.
func (l *linted) hidingParams(weak *linted) permission.Params {
	return permission.Param("toolCalls", !l.methods.Cover(weak.methods))
}

// coverers finds the strongest rule that covers r wholly, and the strongest that does
// but for bad names.
func (l *linter) coverers(r *linted) (wholly, nearly *linted) {
	try := func(list []*linted) {
		for _, s := range list {
			if wholly != nil && wholly.at < s.at {
				return
			}
			switch {
			case !s.outlasts(r) || !sameWhenItFails(s, r) || !s.goesFor(r):
			case s.takesBadNamesOf(r):
				wholly = s
			case nearly == nil || s.at < nearly.at:
				nearly = s
			}
		}
	}
	for _, key := range r.shelfKeys() {
		if s := l.shelves[key]; s != nil {
			s.lists(r, try)
		}
	}
	if nearly != nil && !r.reachesGoodNames() {
		nearly = nil
	}
	return wholly, nearly
}

// takesBadNamesOf reports whether l, which goes for the good names of weak, decides
// its calls with bad names too.
func (l *linted) takesBadNamesOf(weak *linted) bool {
	if !weak.reachesBadNames() {
		return true
	}
	return l.Effect == permission.Deny && (weak.tool != goesForAny || l.tool == goesForAny)
}

// shelfKeys are the shelves on which a rule that covers r can be.
func (l *linted) shelfKeys() []shelfKey {
	keys := []shelfKey{{}}
	if l.server != "" {
		keys = append(keys, shelfKey{server: l.server})
	}
	if c := conditionOf(l.Rule); c != "" {
		for _, k := range keys {
			keys = append(keys, shelfKey{k.server, c})
		}
	}
	return keys
}

// sameWhenItFails: of two rules with one condition, the stronger applies when the
// weaker does, unless the condition fails on a call, which counts as false for an allow
// rule and true for others.
func sameWhenItFails(strong, weak *linted) bool {
	return strong.Condition == nil || strong.Effect != permission.Allow || weak.Effect == permission.Allow
}

// goesFor reports whether l goes for every method that weak was written for and every name that weak goes for, or, where weak
// takes all names, for every good one.
func (l *linted) goesFor(weak *linted) bool {
	switch {
	case !l.methods.Cover(weak.core):
		return false
	case l.tool == goesForAny:
		return true
	case l.tool == goesByPattern:
		return l.pattern.MatchFolded(weak.witness)
	case weak.tool == goesByName:
		return l.name == weak.name
	}
	return false
}

// reachesBadNames reports whether l may decide a call with a bad name: deny rules may,
// if they do not name all that can be bad. Of patterns those without a star are known
// to, where all spellings of the one name are as plain as it is.
func (l *linted) reachesBadNames() bool {
	switch {
	case l.Effect != permission.Deny:
		return false
	case l.server == "" || policy.BadName(l.server) != nil:
		return true
	case l.tool == goesByName:
		return policy.BadName(l.name) != nil
	case l.tool == goesByPattern && !strings.Contains(*l.ToolPattern, "*"):
		return !policy.Plain(*l.ToolPattern)
	}
	return true
}

// reachesGoodNames reports whether l applies to some call with good names: to the one
// without anything for the stars, which is enough to know for a finding.
func (l *linted) reachesGoodNames() bool {
	if l.server != "" && policy.BadName(l.server) != nil {
		return false
	}
	switch l.tool {
	case goesForAny:
		return true
	case goesByName:
		return policy.BadName(l.name) == nil
	}
	shortest := strings.ReplaceAll(l.pattern.Meaning(), "*", "")
	return shortest == "" || policy.BadName(shortest) == nil
}

// idle says which bad name keeps a rule from deciding anything, or nil. That of a
// pattern is one that all its names have in common.
func (l *linted) idle() *permission.Explanation {
	if l.Effect == permission.Deny {
		return nil
	}
	if l.server != "" && policy.BadName(l.server) != nil {
		return policy.BadServer(l.server)
	}
	switch {
	case l.tool == goesByName:
		c := policy.Call{ToolName: l.name}
		if l.Method != nil {
			c.Method = *l.Method
		}
		return policy.BadThing(&c)
	case l.tool == goesByPattern && l.methods == policy.ToolCalls:
		return policy.BadPattern(*l.ToolPattern)
	}
	return nil
}

// spelledOut reports whether stronger rules name every spelling of a pattern without
// a star.
func (l *linter) spelledOut(r *linted) bool {
	if r.tool != goesByPattern {
		return false
	}
	spelled := map[string]bool{}
	for _, key := range r.shelfKeys() {
		if s := l.shelves[key]; s != nil {
			for _, strong := range s.folded[r.witness] {
				if strong.methods.Cover(r.core) && strong.outlasts(r) && sameWhenItFails(strong, r) &&
					(strong.Effect == permission.Deny || !r.reachesBadNames()) {
					spelled[strong.name] = true
				}
			}
		}
	}
	return len(spelled) > 0 && r.pattern.Spellings(len(spelled)+1) == len(spelled)
}
