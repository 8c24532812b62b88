package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"sekisho/backend/permission"
)

// EditRules adds to an edit the rules that come and go with workspaces, where a list of servers takes the
// place of another. kept gives a rule that there is. One of the same id stays as it is, and one that a
// person made another does not go. A rule that a person deleted comes back with its workspace alone.
func EditRules(e *permission.ToolEdit, before, after []permission.Server, at permission.Time,
	kept func(permission.RuleID) (permission.Rule, error)) {
	said := func(what string, r permission.Rule) {
		e.Judge = true
		e.Entries = append(e.Entries, permission.Entry{At: at, Kind: permission.RulesChanged, Actor: permission.ActorPerson,
			Data: permission.Data(map[string]any{"what": what, "rule": r})})
	}
	for i := range after {
		rule := after[i].LowRule(at)
		if !after[i].IsWorkspace() || named(before, after[i].ID) {
			continue
		}
		if _, err := kept(rule.ID); errors.Is(err, permission.NotFound("rule")) {
			e.Rules.Put = append(e.Rules.Put, rule)
			said("created", rule)
		}
	}
	for i := range before {
		if !before[i].IsWorkspace() || named(after, before[i].ID) {
			continue
		}
		if rule, err := kept(before[i].LowRule(at).ID); err == nil && before[i].IsLowRule(&rule) {
			e.Rules.Delete = append(e.Rules.Delete, rule.ID)
			said("deleted", rule)
		}
	}
}

// named reports whether a workspace of an id is in a list.
func named(servers []permission.Server, id string) bool {
	return slices.ContainsFunc(servers, func(s permission.Server) bool { return s.IsWorkspace() && s.ID == id })
}

// None is what a desk knows of the disk and of its machine that has no workspaces.
type None struct{}

// Check takes no folder.
func (None) Check(*permission.Server) error {
	return permission.Invalid("transport", permission.FieldTransport, "this desk has no workspaces")
}

// Confined is nothing.
func (None) Confined(*permission.Server) bool { return false }

// Look finds nothing.
func (None) Look(context.Context, *permission.Server, string, json.RawMessage) *permission.Explanation {
	return nil
}
