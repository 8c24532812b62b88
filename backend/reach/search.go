package reach

import (
	"slices"
	"strings"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// The bounds of a search: of cases for one rule, of examples that are tried for it, and of
// rules looked at for one question.
const (
	maxCases    = 500
	maxExamples = 40
	maxLooks    = 300_000
)

// Risk judges how careful to be with a call.
type Risk func(policy.Call) permission.Risk

// search looks for a call, in the cases of one rule.
type search struct {
	looks    *int
	cases    int
	examples int
	open     []doubt // why cases are left open, the first of each
	left     bool    // a case is left open
	many     bool    // for want of room
	covered  *rule   // an earlier allow rule that decides a case unless its condition fails
	// narrow says what is to be known of the calls of a state: that none is one that is looked
	// for, or which branches are to be looked at; with neither, it is to be tried.
	narrow func(*state) (none bool, branches []step)
	// try gives a call of a state that is one that is looked for.
	try func(*state) *policy.Call
}

// find goes through all calls of a state, and gives one that is looked for. Without one,
// there is none, or s.left is set.
func (s *search) find(from *state) *policy.Call {
	if s.cases++; s.cases > maxCases || *s.looks > maxLooks {
		s.left, s.many = true, true
		return nil
	}
	if from.empty() {
		return nil
	}
	none, branches := s.narrow(from)
	if none {
		return nil
	}
	for _, branch := range branches {
		if found := s.find(from.with(branch)); found != nil {
			return found
		}
	}
	if len(branches) > 0 {
		return nil
	}
	if s.examples++; s.examples <= maxExamples {
		for _, variant := range from.variants() {
			if found := s.try(variant); found != nil {
				return found
			}
		}
	}
	if s.left = true; s.open == nil {
		s.open = from.blame
	}
	return nil
}

// everyName is the pattern of all names.
var everyName = pattern.Compile("*")

// start is the state of all calls of a method that a rule is about by its tool.
func start(r *rule, method string) *state {
	s := &state{method: method, facts: map[string]fact{}, tool: everyName}
	switch {
	case r.ToolName != nil:
		name := quote(*r.ToolName)
		s.facts[toolOf] = fact{is: &name}
	case r.pattern != nil && r.pattern.Spellings(2) == 1:
		name := quote(r.pattern.Meaning())
		s.facts[toolOf] = fact{is: &name}
	case r.pattern != nil:
		s.tool = *r.pattern
	}
	return s
}

// complete makes a call of a state: with a name for its tool, and the risk that it has.
func complete(s *state, rules []*rule, risk Risk) policy.Call {
	if value, known := s.known(s.line); known && value != quote(s.text) {
		whole, part := s.text, ""
		if part, _ = text(value); s.names == nil {
			whole = joined([]string{whole, part})
		}
		if part == joined(s.names) || s.names == nil {
			value = quote(whole)
			s = s.with(step{v: s.line, is: &value})
		}
	}
	c := s.call()
	if _, known := s.known(toolOf); !known {
		c.ToolName = named(s.tool, rules)
	}
	c.Risk = risk(c)
	return c
}

// runs stand in a pattern's name for its stars.
var runs = []string{"example", "anything", "zz", "qq7", "k0v9"}

// named gives a name that matches a pattern and, if there is one, no pattern of the rules
// that does not match all that the pattern does.
func named(p pattern.Pattern, rules []*rule) string {
	name := ""
	for _, run := range runs {
		name = strings.ReplaceAll(p.Meaning(), "*", run)
		if !slices.ContainsFunc(rules, func(r *rule) bool {
			return r.ToolName != nil && *r.ToolName == name || r.pattern != nil && r.pattern.Match(name) && !pattern.Covers(*r.pattern, p)
		}) {
			break
		}
	}
	return name
}
