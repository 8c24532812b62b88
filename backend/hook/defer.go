package hook

import (
	"context"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// deferred are the calls that clients were told to ask about again, by agent and session. A
// client loses what else it asks for in the same message. It is safe for use by many
// goroutines; the zero value is empty.
type deferred struct {
	mu sync.Mutex
	of map[sessionKey]later
}

type sessionKey struct {
	agent   permission.AgentID
	session string
}

type later struct {
	id    string
	until time.Time
}

// sameMessage is how long after a call was deferred another one is taken for one of the same
// message.
const sameMessage = time.Minute

// other reports whether another call of the session was deferred, and else, with note, takes
// note that this one is.
func (d *deferred) other(key sessionKey, id string, note bool, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if was, ok := d.of[key]; ok && was.id != id && now.Before(was.until) {
		return true
	}
	for k, was := range d.of {
		if !now.Before(was.until) {
			delete(d.of, k)
		}
	}
	if delete(d.of, key); note {
		if d.of == nil {
			d.of = map[sessionKey]later{}
		}
		d.of[key] = later{id, now.Add(sameMessage)}
	}
	return false
}

const oneAtATime = "Another call of this message waits for a person, and is asked about again when the session goes on: " +
	"this one would be lost. It was not allowed. Make it again then, by itself."

// deferring answers an event of a client that ends where nobody answers soon, and asks again
// when a person has it go on.
func (d *Door) deferring(ctx context.Context, a *attempt) Answer {
	key := sessionKey{a.agent.ID, a.q.session}
	if d.deferred.other(key, a.q.id, false, time.Now()) {
		a.no(oneAtATime)
		return a.said
	}
	a.run(ctx, a.defers)
	switch {
	case !a.waits:
	case d.deferred.other(key, a.q.id, true, time.Now()):
		a.no(oneAtATime)
	default:
		a.said = Answer{Stdout: a.dialect.later(&a.q)}
	}
	return a.said
}
