package server

import (
	"sekisho/backend/desk"
	"sekisho/backend/executors"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
	"sekisho/backend/roles"
	"sekisho/backend/sqlite"
)

// keptIn lets one store keep all of a desk.
func keptIn(s *sqlite.Store) desk.Stores {
	return desk.Stores{Calls: s, Sessions: s, Policy: s, Past: s, Catalogue: s, Agents: s, Journal: s, State: s, Counts: s}
}

// agentsDesk is the desk as agents' doors ask it.
type agentsDesk struct {
	userCalls
	*desk.Policy
	*desk.Catalogue
	roles *roles.Roles // nil: nobody has a role
}

// Usable reports whether an agent, in the session that it came with, may use a tool of a server at
// all.
func (d agentsDesk) Usable(agent permission.Agent, serverID, tool string) bool {
	standing := permission.Standing{}
	if d.roles != nil {
		standing = d.roles.Standing(agent.ID, agent.Session, d.Now())
	}
	return d.Refuses(standing, &serverID, permission.CallTool, tool) == nil
}

// restDesk is the desk as the REST door asks it.
func restDesk(d *desk.Desk, r *roles.Roles, x *executors.Executors, tablesChanged func(servers map[string]bool)) rest.Desk {
	calls := userCalls{d.Calls, d.Catalogue}
	return rest.Desk{
		Judge: calls, Calls: unkept{calls}, Answers: ends{d.Calls, r}, Rules: d.Policy, Review: d.Policy, Settings: d.Policy,
		Servers: tables{d.Catalogue, d.Calls, tablesChanged}, Tools: d.Catalogue, Agents: bearers{d.Catalogue, r, x},
		Stops: d.Calls, Sessions: d.Calls, Demo: d.Demo, Journal: d.Journal,
	}
}
