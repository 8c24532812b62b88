package server

import (
	"sync"

	"sekisho/backend/permission"
)

// ownName is what a connection of the desk's own programs calls itself, such as one that proves a client's line.
const ownName = "sekisho"

// agentArrived is the kind of the event that a client of an agent spoke to the desk for the first
// time since that was started. No entry of the journal tells of it.
const agentArrived permission.EntryKind = "agents.arrived"

// arrivals are the agents whose clients spoke to the desk since it was started. It is safe for use by many goroutines.
type arrivals struct {
	tell func() // that one more did

	mu sync.Mutex
	of map[permission.AgentID]bool
}

// note notes that a client speaks. The desk's own programs are none.
func (a *arrivals) note(agent permission.AgentID, client string) {
	if client != ownName && a.add(agent) {
		a.tell()
	}
}

func (a *arrivals) add(agent permission.AgentID) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[permission.AgentID]bool{}
	}
	first = !a.of[agent]
	a.of[agent] = true
	return first
}

func (a *arrivals) has(agent permission.AgentID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of[agent]
}
