package advice

import (
	"fmt"
	"strings"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Lint says of each rule, in the order of judgement, what a person may not have meant.
// Every finding holds for all calls there can be, not for a sample; where something
// cannot be told, as for two different conditions, nothing is said. Of each kind there
// is at most one finding for a rule, and it names the strongest rule that it is about.
//
//   - unreachable: its tool or server has a bad name, or its pattern is of bad names
//     only, and it does not deny, so that it decides nothing; or one stronger rule decides
//     every call that this one applies to. It counts only if it acts for as long as this
//     one does, and has no condition, or this one's. A bad name is the exception that is left: deny rules alone apply to
//     one, so an ask or allow rule cannot quite hide a deny rule; the message says so. So
//     it does where a deny rule that names no method is left to decide about readings.
//     That no single rule does it, and several together do, happens in one case only
//     (see pattern.Witness): a pattern without a star whose spellings are all named.
//   - duplicate: an earlier rule has the same server, tool, condition and effect, and
//     acts for as long.
//   - conflict: an earlier rule has the same priority and another effect, and a call
//     that both apply to is known. Rules with conditions are left out.
//   - no_star, name_and_pattern, allows_all: about the rule as it is written, so also
//     for one that is disabled or over.
//   - expired: it is enabled, and over.
//
// A rule that Compile rejects is passed over.
func Lint(rules []permission.Rule, now permission.Time) []permission.Finding {
	ordered := policy.Compile(rules, 0).Rules()
	l := linter{now: now, shelves: map[shelfKey]*shelf{}, said: map[saying][]*linted{}}
	for i := range ordered {
		l.look(newLinted(&ordered[i], i, now))
	}
	return l.findings
}

type linter struct {
	now      permission.Time
	findings []permission.Finding
	shelves  map[shelfKey]*shelf
	said     map[saying][]*linted
	block    block
}

// linted is a rule as lint looks at it.
type linted struct {
	*permission.Rule
	at      int // its place in the order of judgement
	methods policy.Methods
	core    policy.Methods // those that it was written for: tool calls, where it names none
	acts    bool           // enabled, and not over
	tool    toolKind
	server  string          // "" is any, which no rule may be written with
	name    string          // of a rule that goes by one name, if only as a pattern
	pattern pattern.Pattern // of a rule that goes by its pattern
	witness string          // folded, stands for all names of the rule; see pattern.Witness
}

type toolKind int

const (
	goesForAny toolKind = iota
	goesByName
	goesByPattern
)

func newLinted(r *permission.Rule, at int, now permission.Time) *linted {
	l := &linted{Rule: r, at: at, methods: policy.MethodsOf(r), core: policy.ToolCalls, acts: acts(r, now)}
	if r.Method != nil {
		l.core = l.methods
	}
	if r.ServerID != nil {
		l.server = *r.ServerID
	}
	switch {
	case r.ToolName != nil:
		l.goByName(*r.ToolName)
	case r.ToolPattern != nil:
		l.tool, l.pattern = goesByPattern, pattern.Compile(*r.ToolPattern)
		l.witness = l.pattern.Witness()
		if l.pattern.Spellings(2) == 1 {
			l.goByName(l.pattern.Meaning())
		}
	}
	if l.wide() || l.tool == goesForAny {
		l.tool = goesForAny
		l.witness = everyName.Witness()
	}
	return l
}

func (l *linted) goByName(name string) {
	l.tool, l.name, l.witness = goesByName, name, pattern.Fold(name)
}

var everyName = pattern.Compile("*")

// wide reports whether a rule's pattern takes every name that the rule can decide: to
// allow or ask about a name with a line end is not in its power, since that is a bad one.
func (l *linted) wide() bool {
	return l.tool == goesByPattern && l.Effect != permission.Deny && l.pattern.Meaning() == "*"
}

// outlasts reports whether l acts for as long as other does, and for all of its calls.
func (l *linted) outlasts(other *linted) bool {
	return l.Limit == nil && (l.ExpiresAt.IsZero() || !other.ExpiresAt.IsZero() && l.ExpiresAt >= other.ExpiresAt)
}

func (l *linter) look(r *linted) {
	if r.acts {
		l.reach(r)
		l.duplicate(r)
		l.conflict(r)
	}
	l.form(r)
	if r.Enabled && !r.acts {
		l.say(r, permission.FindingExpired, nil, permission.FindsExpired, permission.Param("since", r.ExpiresAt.String()),
			"over since "+r.ExpiresAt.String()+", and passed over")
	}
}

func (l *linter) say(r *linted, kind permission.FindingKind, by *linted, code permission.FindingCode, params permission.Params,
	message string) {
	f := permission.Finding{RuleID: r.ID, Kind: kind, Code: code, Params: params, Message: message}
	if by != nil {
		id := by.ID
		f.By = &id
	}
	l.findings = append(l.findings, f)
}

// form is what a rule says about itself.
func (l *linter) form(r *linted) {
	switch {
	case r.ToolName != nil && r.ToolPattern != nil:
		l.say(r, permission.FindingNameAndPattern, nil, permission.FindsNameAndPattern, "",
			"the name is set, so the pattern is not looked at")
	case r.ToolPattern != nil && !strings.Contains(*r.ToolPattern, "*"):
		l.say(r, permission.FindingNoStar, nil, permission.FindsNoStar, permission.Param("toolPattern", *r.ToolPattern),
			"the pattern has no *: it matches only "+permission.Show(*r.ToolPattern)+", whatever its letter case")
	}
	if r.tool == goesForAny && r.ServerID == nil && r.Effect == permission.Allow && r.Condition == nil {
		l.say(r, permission.FindingAllowsAll, nil, permission.FindsAllowsAll, "",
			"allows "+policy.Reach(r.Rule)+" of every server without asking")
	}
}

// saying is what two duplicates have in common.
type saying struct {
	server, name, pattern, condition string
	effect                           permission.Effect
	methods                          policy.Methods
}

func (l *linter) duplicate(r *linted) {
	key := saying{server: r.server, effect: r.Effect, methods: r.methods, condition: conditionOf(r.Rule)}
	switch {
	case r.tool == goesByName:
		key.name = r.name
	case r.tool == goesByPattern:
		key.pattern = r.pattern.Meaning()
	}
	for _, earlier := range l.said[key] {
		if earlier.outlasts(r) {
			l.say(r, permission.FindingDuplicate, earlier, permission.FindsDuplicate, "",
				fmt.Sprintf("says the same as rule %s, which comes first", earlier.ID))
			return
		}
	}
	l.said[key] = append(l.said[key], r)
}

// conditionOf is a rule's condition, or "" for none; an empty one is not valid.
func conditionOf(r *permission.Rule) string {
	if r.Condition == nil {
		return ""
	}
	return *r.Condition
}
