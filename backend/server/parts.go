package server

import (
	"sekisho/backend/desk"
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
	*desk.Calls
	*desk.Policy
	*desk.Catalogue
}

// restDesk is the desk as the REST door asks it.
func restDesk(d *desk.Desk, r *roles.Roles) rest.Desk {
	return rest.Desk{
		Judge: d.Calls, Calls: d.Calls, Answers: ends{d.Calls, r}, Rules: d.Policy, Review: d.Policy,
		Settings: d.Policy,
		Servers:  tables{d.Catalogue, d.Calls}, Tools: d.Catalogue, Agents: bearers{d.Catalogue, r},
		Stops: d.Calls, Sessions: d.Calls, Demo: d.Demo, Journal: d.Journal,
	}
}
