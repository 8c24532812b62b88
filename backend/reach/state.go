package reach

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"sekisho/backend/pattern"
	"sekisho/backend/permission"
)

// state is a set of calls: those of which all of it is true. States are not changed.
type state struct {
	method string
	facts  map[string]fact    // by variable
	atoms  map[string]outcome // the value of conditions' parts that are not understood, by their text
	names  []string           // programs and verbs that the call's line runs, or its part that a rule is asked about
	line   string             // the variable of that line, or ""
	text   string             // what the line of an example is
	tool   pattern.Pattern    // the tool's name matches it, where the name is not known
	blame  []doubt            // why atoms stand in it
}

// doubt is a part of a condition that is not understood.
type doubt struct {
	of   permission.RuleID
	part string
}

// fact is what is known of a variable: its value, or which values it does not have.
type fact struct {
	is  *string
	not []string
}

// Values of variables are JSON texts. absent is that of a member which is not there: to read
// it is an error.
const (
	absent = ""
	null   = "null"
)

// Variables are the paths of what conditions read.
const (
	separator   = "\x00"
	serverOf    = "serverId"
	toolOf      = "toolName"
	methodOf    = "method"
	riskOf      = "risk"
	cwdOf       = "cwd"
	sessionOf   = "sessionId"
	agentIDOf   = "agent" + separator + "id"
	agentNameOf = "agent" + separator + "name"
	subagentOf  = "agent" + separator + "subagent"
	roleOf      = "session" + separator + "role"
	purposeOf   = "session" + separator + "purpose"
	projectOf   = "session" + separator + "projectId"
	inputOf     = "input" + separator
	envelopeOf  = "envelope" + separator
)

// lineVariables may hold the line of a call.
var lineVariables = []string{inputOf + "command", inputOf + "cmd"}

// mayLack reports whether a variable may be absent.
func mayLack(v string) bool { return strings.HasPrefix(v, inputOf) || strings.HasPrefix(v, envelopeOf) }

// enums are the values of variables that have few.
var enums = map[string][]string{riskOf: {`"low"`, `"medium"`, `"high"`},
	roleOf: {`""`, `"coordinator"`, `"manager"`, `"worker"`}, purposeOf: {`""`, `"task"`, `"chat"`}}

// step is what tells one branch of a state from another.
type step struct {
	v     string
	is    *string
	not   []string
	atom  string
	value outcome
	doubt doubt
}

// with gives the calls of s that a step is true of.
func (s *state) with(st step) *state {
	out := *s
	if st.atom != "" {
		out.atoms = clone(s.atoms)
		out.atoms[st.atom] = st.value
		out.blame = append(slices.Clone(s.blame), st.doubt)
	}
	if st.v == "" {
		return &out
	}
	old := s.facts[st.v]
	out.facts = clone(s.facts)
	if st.is != nil {
		out.facts[st.v] = fact{is: st.is}
	} else {
		out.facts[st.v] = fact{not: append(slices.Clone(old.not), st.not...)}
	}
	return &out
}

func clone[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	return out
}

// empty reports whether s is known to have no calls.
func (s *state) empty() bool {
	for v, values := range enums {
		if f := s.facts[v]; f.is == nil && len(f.not) > 0 &&
			!slices.ContainsFunc(values, func(x string) bool { return !slices.Contains(f.not, x) }) {
			return true
		}
	}
	return false
}

// may reports whether a variable may have a value.
func (s *state) may(v, value string) bool {
	if f := s.facts[v]; f.is != nil {
		return *f.is == value
	} else if slices.Contains(f.not, value) {
		return false
	}
	if values := enums[v]; values != nil {
		return slices.Contains(values, value)
	}
	if v == toolOf {
		name, ok := text(value)
		return ok && s.tool.Match(name)
	}
	return value != absent || mayLack(v)
}

// known gives the value of a variable.
func (s *state) known(v string) (value string, ok bool) {
	if v == methodOf {
		return quote(s.method), true
	}
	if f := s.facts[v]; f.is != nil {
		return *f.is, true
	}
	return "", false
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}

// text gives the text that a value is.
func text(value string) (s string, ok bool) {
	return s, value != absent && value != null && json.Unmarshal([]byte(value), &s) == nil
}
