package joined

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// members are a client's sessions with the servers behind the desk. Each is opened when it is
// needed first, and ends with the client's own. Nobody's leaving ends an opening: a server that
// starts slowly is there for whoever asks next.
type members struct {
	host     Host
	desk     Desk
	client   *session.Session
	about    []byte // the params of the client's initialize, for every member
	opts     Options
	inward   *inward
	reminder *reminder
	met      *abilities
	ended    chan struct{}          // closed when all have
	asks     atomic.Pointer[[]byte] // the _meta of what the desk asks in the era without sessions

	mu      sync.Mutex
	work    sync.WaitGroup // of open sessions, and of openings and fetches
	stopped bool
	open    map[*session.Session]bool
	of      map[string]*member // by the server's id
}

// member is a server's place.
type member struct {
	named namedURIs

	// Guarded by members.
	opening *opening                  // nil when it is not being opened
	fetches [mcpwire.ListKinds]*fetch // nil when it is not being asked for its list of a kind
	failed  time.Time                 // when it could last not be opened; zero when it is open
	err     error                     // and why
	peer    *peer                     // nil before the first
}

func (a *members) stop() {
	a.mu.Lock()
	if a.stopped {
		a.mu.Unlock()
		return
	}
	a.stopped = true
	open := slices.Collect(maps.Keys(a.open))
	for _, m := range a.of {
		m.cancel()
		if m.peer != nil && m.peer.s.Shared {
			m.peer.end()
		}
	}
	a.mu.Unlock()
	for _, s := range open {
		s.End(session.ErrClosed)
	}
	go func() {
		a.work.Wait()
		close(a.ended)
	}()
}

// peers are the members that speak now.
func (a *members) peers() (all []*peer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.of {
		if m.peer != nil && m.peer.s.Alive() {
			all = append(all, m.peer)
		}
	}
	return all
}

// at gives a server's place. The caller holds the lock.
func (a *members) at(serverID string) *member {
	m := a.of[serverID]
	if m == nil {
		m = &member{}
		a.of[serverID] = m
	}
	return m
}

// hasNamed reports whether a server has named a URI.
func (a *members) hasNamed(serverID, uri string) bool {
	a.mu.Lock()
	m := a.at(serverID)
	a.mu.Unlock()
	return m.named.has(uri)
}

// introduce opens a member and introduces the client to it, in the client's own words. The
// joined session uses it as long as it lasts, so that it is never idle.
func (a *members) introduce(ctx context.Context, server permission.Server, named *namedURIs) (*peer, error) {
	p := &peer{whole: a, logger: a.opts.Logger}
	s, bad := a.host.Open(a.client.Agent, server, func(s *session.Session, to upstream.Listener) (upstream.Server, error) {
		s.Whole, s.Bearer, s.Run, s.Client = a.client, a.client.Bearer, a.client.Run, a.client.Client
		p.s = s
		s.OnSaid = named.hear
		heard := to.Heard
		to.Heard = func(raw []byte, from upstream.Origin) { heard(a.inward.message(p, raw), from) }
		far, err := a.host.Connect(server, to)
		if r := upstream.RemoteOf(far); r != nil {
			r.Renewed = func(ctx context.Context) { a.reminder.renewed(ctx, p) }
		}
		return far, err
	})
	if bad != nil {
		return nil, bad
	}
	if !a.adopt(s) {
		s.End(session.ErrClosed)
		return nil, session.ErrClosed
	}
	if err := a.greet(ctx, p); err != nil {
		s.End(session.ErrClosed)
		return nil, err
	}
	return p, nil
}

// greet is the handshake with a member.
func (a *members) greet(ctx context.Context, p *peer) error {
	result, err := p.ask(ctx, mcpwire.Initialize, a.about)
	if err != nil {
		return err
	}
	var said struct {
		ProtocolVersion string
		Capabilities    json.RawMessage
	}
	if json.Unmarshal(result, &said) != nil || said.ProtocolVersion == "" {
		return errors.New("the server's answer to initialize is not one of MCP")
	}
	agreed := &agreement{http.Header{mcpwire.VersionHeader: {said.ProtocolVersion}}, abilityOf(said.Capabilities)}
	p.agreed.Store(agreed)
	a.met.learn(&p.s.Server, agreed.can)
	note := upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), Kind: mcpwire.Notification,
		Method: mcpwire.InitializedNote, Header: agreed.header}
	if err := p.s.Far.Send(ctx, note); err != nil {
		return fmt.Errorf("tell the server that it is initialized: %w", err)
	}
	a.reminder.remind(ctx, p)
	return nil
}

// adopt listens to a session from now on; false when the joined session has ended.
func (a *members) adopt(s *session.Session) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return false
	}
	a.open[s] = true
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		a.listen(s)
	}()
	return true
}

// listen brings what a member says by itself to the client's stream, until its end.
func (a *members) listen(s *session.Session) {
	s.Hear(func(raw []byte) { a.client.Say(s, raw) })
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, s)
}
