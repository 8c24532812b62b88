package advice

import (
	"encoding/json"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// Broken is an example of a rule that the rule set does not satisfy.
type Broken struct {
	RuleID permission.RuleID
	Index  int // among the rule's examples
	Want   permission.Effect
	Got    permission.Effect
	By     *permission.RuleRef // the rule that decided, if one did
	Reason string
}

// BrokenExamples decides every example under the whole set, in the order of judgement.
// Only rules that act are asked for theirs: those of a disabled or expired rule say
// what should hold while it acts, and must not keep a person from saving other rules.
func BrokenExamples(set *policy.Set, now permission.Time) []Broken {
	var broken []Broken
	for _, r := range set.Rules() {
		if !acts(&r, now) {
			continue
		}
		for i, e := range r.Examples {
			d := set.Decide(exampleCall(e), now)
			if d.Effect != e.Decision {
				broken = append(broken, Broken{RuleID: r.ID, Index: i, Want: e.Decision, Got: d.Effect, By: d.Rule, Reason: d.Reason})
			}
		}
	}
	return broken
}

// acts reports whether a rule is enabled and not over.
func acts(r *permission.Rule, now permission.Time) bool {
	return r.Enabled && (r.ExpiresAt.IsZero() || r.ExpiresAt > now)
}

// exampleCall is the call that an example is about.
func exampleCall(e permission.Example) policy.Call {
	input := e.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return policy.Call{ServerID: e.ServerID, Method: e.Method, ToolName: e.ToolName, Input: input, Cwd: e.Cwd,
		Caller: permission.Caller{SessionID: e.SessionID, AgentID: e.AgentID, AgentName: e.AgentName, Subagent: e.Subagent}}
}
