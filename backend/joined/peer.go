package joined

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// peer is an open session with a server, on the client's behalf.
type peer struct {
	s        *session.Session
	whole    *members // that it is one of
	logger   *slog.Logger
	agreed   atomic.Pointer[agreement]             // nil before its answer to initialize
	lists    [mcpwire.ListKinds][]mcpwire.Offering // the last ones; guarded by members
	reminded reminded
}

// agreement is what a server said in its answer to initialize.
type agreement struct {
	header http.Header // the version that was agreed upon
	can    ability
}

// reminded is whether a member is being reminded.
type reminded struct {
	mu     sync.Mutex
	now    bool
	forgot bool // its session, since then
}

// terms are what was agreed upon so far.
func (p *peer) terms() agreement {
	if a := p.agreed.Load(); a != nil {
		return *a
	}
	return agreement{}
}

// end lets the session go. One that others use as well goes on.
func (p *peer) end() {
	if p.s.Shared {
		p.s.Leave()
		return
	}
	p.s.End(session.ErrClosed)
}

// say tells the client what the server says by itself.
func (p *peer) say(raw []byte) {
	if !p.s.Shared { // there it is for nobody
		p.s.Whole.Say(p.s, raw)
	}
}

// hand gives the server a message, which may be too busy to take it, or gone: then it has
// missed it, and its neighbours have not.
func (p *peer) hand(ctx context.Context, m upstream.Message) {
	ctx, cancel := context.WithTimeout(ctx, session.Slowness)
	defer cancel()
	m.Header = p.terms().header
	if err := p.s.Far.Send(ctx, m); err != nil {
		p.logger.Debug("tell a member of a joined session", "server", p.s.Server.ID, "error", err)
	}
}

// ask asks the server something of the desk's own, and waits for its result.
func (p *peer) ask(ctx context.Context, method string, params []byte) (result []byte, err error) {
	in, err := p.answer(ctx, method, params)
	switch {
	case err != nil:
		return nil, err
	case !in.OK && mcpwire.CodeOf(in.Value) == mcpwire.CodeNoMethod:
		return nil, fmt.Errorf("%w (%w)", upstream.RefusedBy(method, in.Value), errNoMethod)
	case !in.OK:
		return nil, upstream.RefusedBy(method, in.Value)
	}
	return in.Value, nil
}

// errNoMethod says that a server does not know a method.
var errNoMethod = errors.New("it does not know the method")

// answer asks the server as the desk, and waits for its answer, whatever that is.
func (p *peer) answer(ctx context.Context, method string, params []byte) (in session.Inbound, err error) {
	header := p.terms().header
	if p.s.Shared {
		header, params = p.whole.stateless(method, params)
	}
	return p.s.Inquire(ctx, header, method, params, func(_ context.Context, _ *session.Exchange, in session.Inbound) {
		p.say(in.Raw) // what it says meanwhile is for the client
	})
}
