package server

import (
	"sekisho/backend/desk"
	"sekisho/backend/rest"
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
func restDesk(d *desk.Desk) rest.Desk {
	return rest.Desk{
		Judge: d.Calls, Calls: d.Calls, Answers: d.Calls, Rules: d.Policy, Review: d.Policy, Settings: d.Policy,
		Servers: d.Catalogue, Tools: d.Catalogue, Agents: d.Catalogue, Stops: d.Calls, Sessions: d.Calls, Demo: d.Demo, Journal: d.Journal,
	}
}
