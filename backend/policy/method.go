package policy

import (
	"fmt"

	"sekisho/backend/permission"
)

// Methods is a set of judged methods: bit i is permission.JudgedMethods[i].
type Methods uint8

// ToolCalls is the set of tool calls alone.
const ToolCalls Methods = 1

// MethodsOf are the methods that a rule is about.
func MethodsOf(r *permission.Rule) (set Methods) {
	for i, method := range permission.JudgedMethods {
		if r.For(method) {
			set |= 1 << i
		}
	}
	return set
}

// Cover reports whether every method of other is in the set.
func (s Methods) Cover(other Methods) bool { return s&other == other }

// Reading gives the same set with the settings for what no rule is about.
func (s *Set) Reading(reads permission.Reads) *Set {
	out := *s
	out.reads = reads
	return &out
}

// unruled lets the settings decide about a reading that no rule applies to. A bad name is
// never allowed by them, nor is what the limit of a rule keeps from being allowed.
func (s *Set) unruled(c *Call, d Decision) Decision {
	if d.Rule != nil || d.Effect != permission.Ask {
		return d
	}
	return s.setting(c, d)
}

// setting is unruled of a call that no rule decides.
func (s *Set) setting(c *Call, d Decision) Decision {
	if c.ofTool() || d.Code == permission.ReasonLimit {
		return d
	}
	effect, about, what := s.reads.Of(c.Method), "prompts", "getting prompts"
	if d.NameIssue != "" && effect != permission.Deny {
		return d
	}
	if permission.AboutResource(c.Method) {
		about, what = "resources", "reading resources"
	}
	d.Effect = effect
	d.Explanation = permission.Explanation{Code: permission.ReasonReadsSetting,
		Params: permission.Param("about", about).With(permission.Param("effect", effect)),
		Reason: fmt.Sprintf("no rule applies: the setting for %s %s", what, Verb(effect))}
	if effect != permission.Ask {
		d.Asked, d.Alone = nil, false
	}
	return d
}
