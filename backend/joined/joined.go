package joined

import (
	"context"
	"fmt"
	"net/http"

	"sekisho/backend"
	"sekisho/backend/era"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// Endpoint joins all servers behind the desk as one. It is safe for use by many goroutines.
type Endpoint struct {
	host Host
	desk Desk
	opts Options
	met  *abilities
}

// New makes the endpoint of a desk's servers.
func New(host Host, desk Desk, opts Options) *Endpoint {
	return &Endpoint{host: host, desk: desk, opts: opts, met: &abilities{desk: desk, met: map[string]met{}}}
}

// Serves reports whether a session is one with all servers as one.
func (e *Endpoint) Serves(s *session.Session) bool {
	_, ok := s.Far.(*connection)
	return ok
}

// Relist tells the client of such a session that the list of servers is another.
func (e *Endpoint) Relist(s *session.Session, servers []permission.Server) {
	if j, ok := s.Far.(*connection); ok {
		j.lists.relisted(servers)
	}
}

// Initialize starts a session. The desk answers: the servers are asked later.
func (e *Endpoint) Initialize(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	out := session.NewStream(w, r)
	raw, bad := mcpwire.Member(m.Params, "protocolVersion")
	version, ok := mcpwire.Text(raw)
	if bad != nil || !ok {
		out.Answer(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeParams, "protocolVersion of %s is a string", mcpwire.Initialize)))
		return
	}
	s, bad := e.host.Open(agent, permission.Server{}, func(s *session.Session, _ upstream.Listener) (upstream.Server, error) {
		info, _ := mcpwire.Member(m.Params, "clientInfo")
		s.Client = session.ClientOf(info)
		return e.connect(s, m.Params), nil
	})
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	}
	defer s.Leave()
	defer s.Attach(out)()
	w.Header().Set(mcpwire.SessionHeader, s.ID())
	about := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"serverInfo":%s}`,
		mcpwire.Quote(mcpwire.SessionVersion(version)), e.met.together(r.Context()).capabilities(), aboutDesk())
	if out.Answer(mcpwire.ResultAnswer(m.ID, about)) != nil {
		s.End(session.ErrClosed)
	}
}

// aboutDesk is the desk as a server.
func aboutDesk() []byte {
	return fmt.Appendf(nil, `{"name":"sekisho","title":"Sekisho","version":%s}`, mcpwire.Quote(backend.Version))
}

// Share makes the server's side of the session that serves all requests of an agent in the era
// without sessions.
func (e *Endpoint) Share(s *session.Session) upstream.Server {
	j := e.connect(s, nil)
	go s.Hear(j.listeners.tell)
	return j
}

// Request takes a request of the client of a joined session to its answer.
func (e *Endpoint) Request(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) {
	j, _ := s.Far.(*connection)
	if bad := era.Unfit(m); s.Shared && bad != nil {
		out.Refuse(m.ID, bad)
		return
	}
	if s.Shared && j.members.asks.Load() == nil {
		meta := era.MetaOf(m)
		j.members.asks.CompareAndSwap(nil, &meta)
	}
	j.request(ctx, m, out)
}

// connect makes the server's side of a session that began with the params about.
func (e *Endpoint) connect(s *session.Session, about []byte) *connection {
	log := &clientLog{client: s, logger: e.opts.Logger}
	subs := &subscriptions{of: map[pair][]string{}}
	judge := &judge{e.desk, s}
	questions := &questions{client: s, open: map[string]*question{}}
	catalogs := newCatalogs()
	members := &members{
		host: e.host, desk: e.desk, client: s, about: about, opts: e.opts, met: e.met, ended: make(chan struct{}),
		inward:   &inward{questions, subs, &catalogs[mcpwire.OfResources]},
		reminder: &reminder{log, subs, judge, e.opts.within()},
		open:     map[*session.Session]bool{}, of: map[string]*member{},
	}
	lists := &lists{e.desk, members, log, e.opts, catalogs}
	locator := &locator{lists: lists, subs: subs, placed: map[string]pair{}}
	return &connection{
		e.host, s, e.opts, members, lists, questions, &calls{of: map[string]*onward{}}, subs, log, locator,
		&search{e.host, members, subs, judge, locator, e.opts.within()}, &listeners{of: map[*listener]bool{}},
	}
}
