package reach

import (
	"encoding/json"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// call makes up a call of a state. What the state says nothing of is left out of its input.
func (s *state) call() policy.Call {
	c := policy.Call{ServerID: s.name(serverOf, made), Method: s.method, Cwd: s.name(cwdOf, null), Risk: permission.RiskMedium}
	for v, into := range map[string]*string{toolOf: &c.ToolName, sessionOf: (*string)(&c.SessionID), agentIDOf: (*string)(&c.AgentID),
		agentNameOf: &c.AgentName, riskOf: (*string)(&c.Risk), roleOf: (*string)(&c.Standing.Role),
		purposeOf: (*string)(&c.Standing.Purpose), projectOf: (*string)(&c.Standing.ProjectID)} {
		if known, ok := s.known(v); ok {
			*into, _ = text(known)
		} else if !s.may(v, quote(*into)) && v != toolOf {
			*into, _ = text(s.fresh(v))
		}
	}
	c.Subagent = s.name(subagentOf, null)
	c.Input, c.Envelope = s.object(inputOf), s.object(envelopeOf)
	if string(c.Envelope) == "{}" {
		c.Envelope = nil
	}
	return c
}

// name gives a name that may be null; usual is what it is where nothing is known.
func (s *state) name(v, usual string) *string {
	value, known := s.known(v)
	if usual != null {
		usual = quote(usual)
	}
	if !known {
		if value = usual; !s.may(v, value) {
			value = s.fresh(v)
		}
	}
	if name, ok := text(value); ok {
		return &name
	}
	return nil
}

// fresh is a value that a variable may have.
func (s *state) fresh(v string) string {
	if values := enums[v]; values != nil {
		for _, value := range values {
			if s.may(v, value) {
				return value
			}
		}
	}
	for name := made; ; name += "-x" {
		if s.may(v, quote(name)) {
			return quote(name)
		}
	}
}

// object writes the members that variables with a beginning have.
func (s *state) object(root string) json.RawMessage {
	tree := map[string]any{}
	vars := []string{}
	for v := range s.facts {
		if strings.HasPrefix(v, root) {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	for _, v := range vars {
		value, known := s.known(v)
		switch {
		case !known && s.may(v, absent):
			continue
		case !known && v == s.line:
			value = quote(s.text)
		case !known:
			value = s.fresh(v)
		}
		if value != absent {
			put(tree, strings.Split(strings.TrimPrefix(v, root), separator), json.RawMessage(value))
		}
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

func put(tree map[string]any, path []string, value json.RawMessage) {
	for ; len(path) > 1; path = path[1:] {
		inner, is := tree[path[0]].(map[string]any)
		if !is {
			inner = map[string]any{}
			tree[path[0]] = inner
		}
		tree = inner
	}
	tree[path[0]] = value
}

// weighing are members that make a call more or less risky.
var weighing = map[permission.Risk][][2]string{
	permission.RiskLow:    {{"command", `"ls"`}},
	permission.RiskMedium: {{"command", `"make"`}},
	permission.RiskHigh:   {{"command", `"rm -rf build"`}, {"path", `".env"`}, {"text", `"/etc/shadow"`}},
}

// variants gives the state, and states with members that may bring about its risk.
func (s *state) variants() []*state {
	all := []*state{s}
	if _, said := s.facts[riskOf]; !said {
		return all
	}
	for _, level := range permission.Risks {
		if !s.may(riskOf, quote(string(level))) {
			continue
		}
		for _, member := range weighing[level] {
			v := inputOf + member[0]
			if _, said := s.facts[v]; !said && (s.line == "" || member[0] != "command") {
				all = append(all, s.with(step{v: v, is: &member[1]}))
			}
		}
	}
	return all
}

func exampleOf(c policy.Call) *permission.Example {
	e := &permission.Example{ServerID: c.ServerID, ToolName: c.ToolName, Input: c.Input, SessionID: c.SessionID, AgentID: c.AgentID,
		AgentName: c.AgentName, Subagent: c.Subagent, Cwd: c.Cwd, Decision: permission.Allow}
	if c.Method != permission.CallTool {
		e.Method = c.Method
	}
	return e
}
