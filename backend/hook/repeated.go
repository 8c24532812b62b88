package hook

import (
	"crypto/sha256"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// repeated are the names of calls that have no id of their client's, by the events that asked
// about them. Copilot CLI runs the hooks of two files one after the other: the second finds its
// call settled, and would ask anew. Only events that tell their time count: without one, a new
// call of the same input has the same bytes. It is safe for use by many goroutines; the zero
// value is empty.
type repeated struct {
	mu sync.Mutex
	of map[eventKey]naming
}

type eventKey struct {
	agent  permission.AgentID
	client string
	event  [sha256.Size]byte
}

type naming struct {
	id    string
	until time.Time
}

// id gives the name of the call that an event has asked about before; "" is none.
func (r *repeated) id(key eventKey, now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if was := r.of[key]; now.Before(was.until) {
		return was.id
	}
	return ""
}

// keep takes note of the name of the call that an event asks about.
func (r *repeated) keep(key eventKey, id string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, was := range r.of {
		if !now.Before(was.until) {
			delete(r.of, k)
		}
	}
	if r.of == nil {
		r.of = map[eventKey]naming{}
	}
	r.of[key] = naming{id, now.Add(permission.HandedOverFor)}
}

// recognize names the call of an event by the call that the same event has asked about.
func (a *attempt) recognize(f fields, raw []byte) {
	if a.q.id != "" || a.q.follows || f["timestamp"] == nil {
		return
	}
	a.event = &eventKey{a.agent.ID, a.client, sha256.Sum256(raw)}
	a.q.id = a.door.repeated.id(*a.event, time.Now())
}

// named takes note of the name that the desk gave to the call of the event.
func (a *attempt) named(call *permission.Call) {
	if a.event != nil && call != nil {
		a.door.repeated.keep(*a.event, call.ToolCallID, time.Now())
	}
}
