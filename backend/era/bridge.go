package era

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/upstream"
)

// Bridges makes the bridges of a desk, and remembers how its servers spoke. It is safe for use
// by many goroutines.
type Bridges struct {
	Dialer *upstream.Dialer // nil where nobody connects by it

	mu    sync.Mutex
	known map[string]permission.Server // by its id: those that knew only the eras with sessions
}

// Connect makes the server's side of a session of a client of either era. A message of the server
// over limit bytes is dropped.
func (b *Bridges) Connect(server permission.Server, stateless bool, limit int, to upstream.Listener) (upstream.Server, error) {
	if server.ID == permission.PromptServer {
		return b.Dialer.Connect(server, limit, to) // it speaks what its client does
	}
	return b.Over(server, stateless, to, func(to upstream.Listener) (upstream.Server, error) { return b.Dialer.Connect(server, limit, to) })
}

// Over is Connect for whoever connects to the server in a way of its own, by dial.
func (b *Bridges) Over(server permission.Server, stateless bool, to upstream.Listener,
	dial func(upstream.Listener) (upstream.Server, error)) (upstream.Server, error) {
	br := b.bridge(server, stateless, to)
	far, err := dial(br.listener())
	if err != nil {
		br.end()
		return nil, err
	}
	br.begin(far)
	return br, nil
}

// bridge makes a bridge that has no server yet.
func (b *Bridges) bridge(server permission.Server, stateless bool, to upstream.Listener) *bridge {
	br := &bridge{known: b, stateless: stateless,
		link: link{server: server, to: to, notes: make(chan upstream.Message, maxNotes)}}
	br.asked.open = map[string]*asked{}
	br.life, br.end = context.WithCancel(context.Background())
	return br
}

// listener hears what the server says.
func (b *bridge) listener() upstream.Listener {
	return upstream.Listener{Heard: b.heard, Long: b.long, Lost: b.lost, Waits: b.waits}
}

// begin gives the bridge its server, with which it ends.
func (b *bridge) begin(far upstream.Server) {
	b.far = far
	go func() {
		<-far.Over()
		b.end()
	}()
}

// Sessions reports whether a server of this entry knew only the eras with sessions before.
func (b *Bridges) Sessions(server *permission.Server) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was, known := b.known[server.ID]
	return known && was.Same(server)
}

// Persona tells clients apart that can different things, by the _meta of their requests. A server
// of the eras with sessions is told once what its client can: each has a session of its own.
func Persona(meta []byte) string {
	can, _ := mcpwire.Member(meta, mcpwire.MetaCapabilities)
	canonical, err := rawjson.Canonical(nil, can)
	if err != nil {
		return "" // which is answered
	}
	sum := sha256.Sum256(canonical)
	return string(sum[:])
}

// learn notes that a server knows only the eras with sessions.
func (b *Bridges) learn(server permission.Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[string]permission.Server{}
	}
	b.known[server.ID] = server
}

// face translates between a client of one era and a server of the other.
type face interface {
	// send takes a message of the client.
	send(ctx context.Context, p upstream.Message, m mcpwire.Message) error
	// hear takes a message of the server, but for answers to what the bridge asked.
	hear(m mcpwire.Message, from upstream.Origin)
	// gone takes note that no answer to a request will come.
	gone(l upstream.Loss)
	// origin gives a message that could not be read the request that it belongs to.
	origin(from upstream.Origin) upstream.Origin
	// waits reports whether the answer to a request at the server is still waited for.
	waits(request string) bool
	// drop ends a request that nobody waits for.
	drop(request string)
}

// bridge is a server behind the desk for a client whose era it may not speak.
type bridge struct {
	link
	known     *Bridges
	stateless bool // its client speaks 2026-07-28

	mu      sync.Mutex
	attempt *attempt    // of those of a client without a session
	opened  atomic.Bool // it is known how the server speaks
	other   atomic.Pointer[face]
}

// face is how the bridge translates; nil where bytes pass as they are.
func (b *bridge) face() face {
	if f := b.other.Load(); f != nil {
		return *f
	}
	return nil
}

func (b *bridge) Stop()                 { b.far.Stop() }
func (b *bridge) Over() <-chan struct{} { return b.far.Over() }
func (b *bridge) Last() string          { return b.far.Last() }
func (b *bridge) Said(limit int) string { return b.far.Said(limit) }

// Unwrap is the server itself.
func (b *bridge) Unwrap() upstream.Server { return b.far }

// Drop ends what is left of a request, and reports whether there is a way to do so.
func (b *bridge) Drop(request string) bool {
	if f := b.face(); f != nil {
		f.drop(request)
		return true
	}
	return upstream.Drop(b.far, request)
}

// Send takes a message of the client. The first request finds out how the server speaks.
func (b *bridge) Send(ctx context.Context, p upstream.Message) error {
	switch {
	case b.opened.Load() || p.Kind != mcpwire.Request:
	case b.stateless:
		if err := b.open(ctx, p); err != nil {
			return err
		}
	case p.Method == mcpwire.Initialize:
		return b.openSession(ctx, p)
	}
	f := b.face()
	if f == nil {
		return b.far.Send(ctx, p)
	}
	m, bad := mcpwire.FromClient(p.Raw)
	if bad != nil {
		return bad
	}
	return f.send(ctx, p, m)
}

func (b *bridge) heard(raw []byte, from upstream.Origin) {
	f := b.face()
	if f == nil && !b.asked.any() {
		b.to.Heard(raw, from)
		return
	}
	m, bad := mcpwire.FromServer(raw)
	switch {
	case b.asked.hear(m, bad, raw, from):
	case f == nil:
		b.to.Heard(raw, from)
	case bad != nil:
		b.to.Heard(raw, f.origin(from))
	default:
		f.hear(m, from)
	}
}

func (b *bridge) long(from upstream.Origin) {
	if b.asked.fail(from.Request, upstream.Loss{Why: "the server sent a message that is too long"}) {
		return
	}
	if f := b.face(); f != nil {
		from = f.origin(from)
	}
	b.to.Long(from)
}

func (b *bridge) lost(l upstream.Loss) {
	if b.asked.fail(l.Request, l) {
		return
	}
	if f := b.face(); f != nil {
		f.gone(l)
		return
	}
	b.to.Lost(l)
}

func (b *bridge) waits(request string) bool {
	if b.asked.waits(request) {
		return true
	}
	if f := b.face(); f != nil {
		return f.waits(request)
	}
	return b.to.Waits(request)
}
