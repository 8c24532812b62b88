package joined

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// Desk is what the joined endpoint needs of the desk.
type Desk interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	// Evaluate says what the rules would decide, and keeps nothing.
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
}

// Host opens sessions for the joined endpoint, and takes requests of its clients to members.
type Host interface {
	// Open begins a session whose server's side is made by connect.
	Open(agent permission.Agent, server permission.Server,
		connect func(*session.Session, upstream.Listener) (upstream.Server, error)) (*session.Session, *mcpwire.Error)
	// Connect starts a server, or opens a connection to it.
	Connect(server permission.Server, to upstream.Listener) (upstream.Server, error)
	// Listed gives a server's entry, if it is in the list and enabled.
	Listed(ctx context.Context, id string) (permission.Server, *mcpwire.Error)
	// Request takes a request of the client to its answer: what the desk judges goes through
	// its gate. first hears the server's answer before the client does.
	Request(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound))
	// Pass executes a reading with run where it may pass at once.
	Pass(ctx context.Context, s *session.Session, m mcpwire.Message, act mcpwire.Act,
		run func(raw []byte) (session.Inbound, error)) (session.Inbound, error)
}

// Options of the joined endpoint.
type Options struct {
	Patience   time.Duration // bounds what a client waits for members
	MaxMessage int           // bytes of a list
	Logger     *slog.Logger
}

// Endpoint joins all servers behind the desk as one. It is safe for use by many goroutines.
type Endpoint struct {
	host Host
	desk Desk
	opts Options

	mu  sync.Mutex
	met map[string]met // by the server's id
}

// New makes the endpoint of a desk's servers.
func New(host Host, desk Desk, opts Options) *Endpoint {
	return &Endpoint{host: host, desk: desk, opts: opts, met: map[string]met{}}
}

// Serves reports whether a session is one with all servers as one.
func (e *Endpoint) Serves(s *session.Session) bool {
	_, ok := s.Far.(*connection)
	return ok
}

// Relist tells the client of such a session that the list of servers is another.
func (e *Endpoint) Relist(s *session.Session, servers []permission.Server) {
	if j, ok := s.Far.(*connection); ok {
		j.relisted(servers)
	}
}
