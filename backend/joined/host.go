package joined

import (
	"context"
	"log/slog"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// Desk is what the joined endpoint needs of the desk.
type Desk interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	// Usable reports whether an agent, in the session that it came with, may use a tool of a server
	// at all, by the table of the server.
	Usable(agent permission.Agent, serverID, tool string) bool
	// Evaluate says what the rules would decide, and keeps nothing.
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
}

// Host opens sessions for the joined endpoint, and takes requests of its clients to members.
type Host interface {
	// Open begins a session whose server's side is made by connect.
	Open(agent permission.Agent, server permission.Server,
		connect func(*session.Session, upstream.Listener) (upstream.Server, error)) (*session.Session, *mcpwire.Error)
	// Shared enters the session that serves all requests of an agent to a server in the era
	// without sessions, by the _meta of one; whoever enters it leaves it.
	Shared(agent permission.Agent, server permission.Server, meta []byte) (*session.Session, *mcpwire.Error)
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

// memberWithin is how long a list waits for a server to start and to list its tools. It comes
// later then: the others are not to wait for it. reachWithin is how long a call waits.
const (
	memberWithin = 10 * time.Second
	reachWithin  = 30 * time.Second
)

// within bounds what a list of the client waits for members.
func (o Options) within() time.Duration { return min(memberWithin, o.Patience) }

// reach bounds what a request to one member waits until that is there.
func (o Options) reach() time.Duration { return min(reachWithin, o.Patience) }
