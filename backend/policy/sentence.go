package policy

import (
	"fmt"
	"strconv"

	"sekisho/backend/permission"
)

// sentence says in words what a rule does, like "rule r1 (priority 100) allows
// filesystem read_*".
func sentence(r *permission.Rule) string {
	verb := map[permission.Effect]string{permission.Allow: "allows", permission.Ask: "asks for", permission.Deny: "denies"}[r.Effect]
	text := fmt.Sprintf("rule %s (priority %d) %s %s", r.ID, r.Priority, verb, reach(r))
	if r.Condition != nil {
		text += " under its condition"
	}
	return text
}

// reach names the calls that a rule is about.
func reach(r *permission.Rule) string {
	tool := r.ToolName
	if tool == nil {
		tool = r.ToolPattern
	}
	switch {
	case r.ServerID == nil && tool == nil:
		return "every tool"
	case r.ServerID == nil:
		return show(*tool) + " of every server"
	case tool == nil:
		return "every tool of " + show(*r.ServerID)
	}
	return show(*r.ServerID) + " " + show(*tool)
}

// show quotes a name that could pass for something else in a sentence: one with
// blanks, with marks of direction or with letters of any script but ours.
func show(name string) string {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7F || c == '"' {
			return strconv.QuoteToASCII(name)
		}
	}
	return name
}
