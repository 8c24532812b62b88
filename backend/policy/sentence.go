package policy

import (
	"fmt"

	"sekisho/backend/permission"
)

// sentence says in words what a rule does, like "rule r1 (priority 100) allows
// filesystem read_*".
func sentence(r *permission.Rule) string {
	verb := map[permission.Effect]string{permission.Allow: "allows", permission.Ask: "asks for", permission.Deny: "denies"}[r.Effect]
	text := fmt.Sprintf("rule %s (priority %d) %s %s", r.ID, r.Priority, verb, Reach(r))
	if r.Condition != nil {
		text += " under its condition"
	}
	return text
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
