package policy

import (
	"fmt"

	"sekisho/backend/permission"
)

// sentence says in words what a rule does, like "rule r1 (priority 100) allows
// filesystem read_*".
func sentence(r *permission.Rule) permission.Explanation {
	code, verb := permission.ReasonRuleDenies, "denies"
	switch r.Effect {
	case permission.Allow:
		code, verb = permission.ReasonRuleAllows, "allows"
	case permission.Ask:
		code, verb = permission.ReasonRuleAsks, "asks for"
	}
	text := fmt.Sprintf("rule %s (priority %d) %s %s", r.ID, r.Priority, verb, Reach(r))
	if r.Condition != nil {
		text += " under its condition"
	}
	if r.Limit != nil {
		text += ", at most " + limitText(r.Limit)
	}
	params := permission.Param("ruleId", r.ID).With(permission.Param("priority", r.Priority)).
		With(permission.Param("conditional", r.Condition != nil)).
		With(named("serverId", r.ServerID)).With(named("method", r.Method)).
		With(named("toolName", r.ToolName)).With(named("toolPattern", r.ToolPattern))
	if r.Limit != nil {
		params = params.With(limitParams(r.Limit))
	}
	return permission.Explanation{Code: code, Params: params, Reason: text}
}

// named is a param of what a rule names; nil is none.
func named(name string, value *string) permission.Params {
	if value == nil {
		return ""
	}
	return permission.Param(name, *value)
}

// everything names all that a method can be about.
var everything = map[string]string{
	permission.ReadResource: "reading every resource", permission.SubscribeResource: "subscribing to every resource",
	permission.GetPrompt: "getting every prompt",
}

// Reach names the calls that a rule is about.
func Reach(r *permission.Rule) string {
	tool := r.ToolName
	if tool == nil {
		tool = r.ToolPattern
	}
	every, kind := "every tool", ""
	switch {
	case r.Method != nil && !permission.AboutTool(*r.Method):
		every, kind = everything[*r.Method], *r.Method+" "
	case r.Method == nil && r.Effect == permission.Deny:
		every = "everything"
	}
	switch {
	case r.ServerID == nil && tool == nil:
		return every
	case r.ServerID == nil:
		return kind + permission.Show(*tool) + " of every server"
	case tool == nil:
		return every + " of " + permission.Show(*r.ServerID)
	}
	return kind + permission.Show(*r.ServerID) + " " + permission.Show(*tool)
}

var verbs = map[permission.Effect]string{permission.Allow: "allows", permission.Ask: "asks", permission.Deny: "denies"}

// Verb is what an effect does, as a sentence has it.
func Verb(e permission.Effect) string { return verbs[e] }
