package sessionbook

import (
	"sync/atomic"

	"sekisho/backend/permission"
)

// Bearer is by what a client asks on a connection: the token that it came with, or a session that
// it was bound to since. It is safe for use by many goroutines.
type Bearer struct {
	own   permission.Agent
	alone bool // it has a connection of its own
	bound atomic.Pointer[permission.SessionID]
}

// NewBearer makes that of an agent as it came. alone says that it has a connection of its own.
func NewBearer(own permission.Agent, alone bool) *Bearer { return &Bearer{own: own, alone: alone} }

// Who is the client as it asks: with the session that it came with or that it was bound to.
func (b *Bearer) Who() permission.Agent {
	who := b.own
	if bound := b.bound.Load(); bound != nil && who.Session == "" {
		who.Session = *bound
	}
	return who
}

// Bind lets the client ask in a session that the desk made, as if it had come with the token of
// that: it has shown the passkey on this connection. A caller without a connection of its own, and
// one that came with a token of a session, is not bound.
func (b *Bearer) Bind(to permission.SessionID) {
	if b.alone && b.own.Session == "" {
		b.bound.Store(&to)
	}
}

// Unbind takes that back, where the session is the one that ended.
func (b *Bearer) Unbind(ended permission.SessionID) {
	if bound := b.bound.Load(); bound != nil && *bound == ended {
		b.bound.CompareAndSwap(bound, nil)
	}
}
