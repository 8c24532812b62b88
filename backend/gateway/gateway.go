package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/attend"
	"sekisho/backend/builtin"
	"sekisho/backend/era"
	"sekisho/backend/joined"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// Desk is what the gateway needs of the desk beside what the call runner needs.
type Desk interface {
	// Server gives a server of the list behind the desk, with its secrets. It answers
	// permission.NotFound when there is none.
	Server(ctx context.Context, id string) (permission.Server, error)
	Servers(ctx context.Context) ([]permission.Server, error)
	// Saw hears what servers say of their tools, before a client does, so that a tool which
	// changed is not taken for the one that was allowed.
	Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error
	// Sight is what a tool is now: it is another one after any change of the tool, or of
	// how its server is reached.
	Sight(serverID, tool string) permission.Sight
	// Evaluate says what the rules would decide, and keeps nothing.
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
	// Usable reports whether an agent, in the session that it came with, may use a tool of a server
	// at all, by the table of the server.
	Usable(agent permission.Agent, serverID, tool string) bool
	// LeaveSession hears of a connection that ended: what a person said for its session
	// goes with it.
	LeaveSession(ctx context.Context, agent permission.AgentID, session permission.SessionID) error
	// OnHold says whether a person holds everything: nothing new is done then unasked.
	OnHold() bool
	// Standing is what an agent is to the desk in a session.
	Standing(agent permission.AgentID, session permission.SessionID) permission.Standing
}

// AgentFrom says which agent sent a request; false when it was nobody that may ask.
type AgentFrom func(*http.Request) (permission.Agent, bool)

// Admit waits until an agent's message, of which it is known what it costs to parse, may be
// parsed; leave says that it was. False is too much at once.
type Admit func(r *http.Request, members int) (leave func(), ok bool)

// Options of a gateway. Only AgentFrom has no default: without it nobody gets in.
type Options struct {
	AgentFrom    AgentFrom
	Admit        Admit                    // nil lets everyone in
	InputMembers func() int               // how many members and elements a call's input may have; nil is what the settings begin with
	Patience     time.Duration            // how long an unknown client is kept waiting; 0 is 50 s
	Beat         time.Duration            // between signs of life while it waits; 0 is 5 s
	CallTimeout  time.Duration            // for an executed call to answer; 0 is 10 min
	IdleTimeout  time.Duration            // after which an unused session ends; 0 is 30 min
	MaxMessage   int                      // bytes of one message, either way; 0 is 32 MiB
	MaxSessions  int                      // of one agent at once; 0 is 100
	Launch       upstream.Launcher        // starts workspaces; nil: there are none
	Clients      attend.Elsewhere         // waits for calls of workspaces that clients execute; nil: these are refused
	Coordination builtin.Coordination     // nil: no agent has its server
	Waits        builtin.Waits            // how long questions waited; nil is not known
	Habits       attend.Habits            // keeps what is seen of clients; nil forgets it
	Seen         []permission.ClientHabit // what was kept
	Logger       *slog.Logger             // nil is slog.Default

	// Met hears who speaks, by the name that the client gives itself: when a session begins, and
	// with each request outside of one. nil hears nothing.
	Met func(agent permission.AgentID, client string)

	// Moved hears that State or Tools may say something else now. It must not call back. nil hears nothing.
	Moved func()
}

func (o Options) filled() Options {
	for _, d := range []struct {
		value     *time.Duration
		otherwise time.Duration
	}{{&o.Patience, 50 * time.Second}, {&o.CallTimeout, 10 * time.Minute}, {&o.IdleTimeout, 30 * time.Minute}} {
		if *d.value <= 0 {
			*d.value = d.otherwise
		}
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = 32 << 20
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 100
	}
	if o.Admit == nil {
		o.Admit = func(*http.Request, int) (func(), bool) { return func() {}, true }
	}
	if o.InputMembers == nil {
		o.InputMembers = func() int { return int(permission.DefaultSettings().Limits.InputMembers) }
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Met == nil {
		o.Met = func(permission.AgentID, string) {}
	}
	if o.Moved == nil {
		o.Moved = func() {}
	}
	return o
}

// Gateway serves /mcp/{serverId}, and /mcp, which joins all servers. It is safe for use by many goroutines.
type Gateway struct {
	desk    Desk
	calls   *attend.Runner
	hands   *attend.Runner // hands calls over that clients execute
	opts    Options
	dialer  *upstream.Dialer
	bridges era.Bridges // between eras, for clients and servers that do not speak the same
	joined  *joined.Endpoint
	builtin *builtin.Tools
	*lists

	mu       sync.Mutex
	sessions map[string]*session.Session
	opening  map[permission.AgentID]int     // sessions that will be
	common   map[commonKey]*session.Session // those of the era without sessions
	seen     map[string]*health
	rounds   rounds
	tasks    tasks
	closed   bool
	closing  chan struct{}  // closed with it
	busy     sync.WaitGroup // handlers, trials and watchers of sessions
	sharing  sync.Mutex     // held while a common session is opened
}

// New makes a gateway before a desk, whose calls it runs. Close it at the end.
func New(desk Desk, calls attend.Desk, opts Options) *Gateway {
	opts = opts.filled()
	g := &Gateway{
		desk: desk, opts: opts, dialer: upstream.NewDialer(),
		calls: attend.New(calls, attend.Options{Claimant: "gateway", Lease: opts.CallTimeout + session.CancelGrace, Beat: opts.Beat,
			Habits: opts.Habits, Logger: opts.Logger}),
		hands:    attend.New(calls, attend.Options{Claimant: "prompt", Lease: permission.HandedOverFor, Beat: opts.Beat, Logger: opts.Logger}),
		sessions: map[string]*session.Session{}, opening: map[permission.AgentID]int{}, common: map[commonKey]*session.Session{},
		seen:    map[string]*health{},
		closing: make(chan struct{}),
	}
	g.calls.Remember(opts.Seen)
	g.bridges.Dialer = g.dialer
	g.dialer.Launch(opts.Launch)
	if opts.Clients != nil {
		g.dialer.ServeClients(builtin.AnswerForClient)
	}
	g.dialer.Serve(permission.PromptServer, answerAsPrompt)
	if opts.Coordination != nil {
		g.dialer.Serve(permission.CoordinationServer, builtin.Answer)
	}
	g.joined = joined.New(g, desk, joined.Options{Patience: opts.Patience, MaxMessage: opts.MaxMessage, Logger: opts.Logger})
	g.lists = &lists{desk, g.joined, g.eachWhere, g.offers}
	g.builtin = builtin.New(builtin.Options{Desk: desk, Calls: g.calls, Coordination: opts.Coordination, Waits: opts.Waits,
		Entered: func(agent permission.AgentID) { g.StandingChanged(agent, "") }, Logger: opts.Logger})
	return g
}

// closeWithin bounds Close; the servers' own end fits into it.
const closeWithin = 2 * time.Second

// Close ends all sessions with their servers, and lets go what is held. It waits
// for them, at most two seconds; the error says that it did not see the end.
func (g *Gateway) Close() error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.closing)
	}
	var all []*session.Session
	for _, s := range g.sessions {
		all = append(all, s)
	}
	g.mu.Unlock()
	for _, s := range all {
		s.End(session.ErrClosed)
	}
	ended := make(chan struct{})
	go func() {
		g.busy.Wait()
		close(ended)
	}()
	defer g.dialer.Close()
	if !upstream.Closed(ended, closeWithin) {
		return fmt.Errorf("close gateway: not all sessions ended within %s", closeWithin)
	}
	return nil
}

// enter counts a handler; false when the gateway is closed.
func (g *Gateway) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.busy.Add(1)
	}
	return !g.closed
}

// open starts a session: a process of the server, or a connection to it, for this
// client connection alone, or shared by all stateless requests of an agent. Its opener is
// its first user, who is to leave it.
func (g *Gateway) open(agent permission.Agent, server permission.Server, shared bool) (*session.Session, *mcpwire.Error) {
	return g.openBy(agent, server, shared, func(s *session.Session, to upstream.Listener) (upstream.Server, error) {
		if server.ID == "" {
			return g.joined.Share(s), nil
		}
		return g.bridges.Connect(server, shared, g.opts.MaxMessage, to)
	})
}

// Open starts a session for the joined endpoint: its own, or that of a member.
func (g *Gateway) Open(agent permission.Agent, server permission.Server,
	connect func(*session.Session, upstream.Listener) (upstream.Server, error)) (*session.Session, *mcpwire.Error) {
	return g.openBy(agent, server, false, connect)
}

// Connect starts a server, or opens a connection to it, for the client of a session.
func (g *Gateway) Connect(server permission.Server, to upstream.Listener) (upstream.Server, error) {
	return g.bridges.Connect(server, false, g.opts.MaxMessage, to)
}

// openBy starts a session whose server's side is made by connect.
func (g *Gateway) openBy(agent permission.Agent, server permission.Server, shared bool,
	connect func(*session.Session, upstream.Listener) (upstream.Server, error)) (*session.Session, *mcpwire.Error) {
	run, err := uuid.NewV7()
	if err != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "name session: no randomness")
	}
	headers := g.paramHeaders(&server)
	s, err := session.New(session.Options{
		Run: permission.RunID(run.String()), Agent: agent, Server: server, Shared: shared, Idle: g.opts.IdleTimeout, Headers: headers,
		OnEnd: g.ended, OnProof: func() { g.proved(server.ID) },
		OnList: func(m mcpwire.Message, more bool) {
			if server.Transport != permission.TransportBuiltin { // its definitions are ours
				headers.Learn(m.Result, more)
				g.remember(&server, m, more)
			}
		},
	})
	if err != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err)
	}
	if bad := g.resting(server.ID); bad != nil {
		return nil, bad
	}
	if bad := g.room(agent.ID); bad != nil {
		return nil, bad
	}
	if s.Far, err = connect(s, s.Listener()); err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.vacate(agent.ID)
		g.health(server.ID).failed = true
		g.opts.Moved()
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "start server %s: %s", server.ID, err)
	}
	if !g.register(s) {
		s.Far.Stop()
		<-s.Far.Over()
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "the desk is closing")
	}
	return s, nil
}

// register makes a started session known in the place that room gave it; false when the
// gateway is closed.
func (g *Gateway) register(s *session.Session) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.vacate(s.Agent.ID)
	if g.closed {
		return false
	}
	g.sessions[s.ID()] = s
	v := g.health(s.Server.ID)
	v.running, v.failed = v.running+1, false
	g.opts.Moved()
	g.busy.Add(1)
	go func() {
		defer g.busy.Done()
		s.Watch()
	}()
	return true
}

// room makes room for one more session of an agent, and keeps it until that is registered
// or will not be: at the limit its longest unused one ends, which most likely belongs to a
// client that was killed. Where all are in use it refuses.
func (g *Gateway) room(agent permission.AgentID) *mcpwire.Error {
	for {
		n, oldest := g.take(agent)
		switch {
		case n < g.opts.MaxSessions:
			return nil
		case oldest == nil:
			return mcpwire.Errorf(mcpwire.CodeInternal, "this agent has %d sessions in use already: end some", n)
		}
		oldest.Expire() // or somebody came to use it meanwhile
	}
}

// take counts an agent's sessions, gives the longest unused one, and takes a place for one
// more if there is one.
func (g *Gateway) take(agent permission.AgentID) (n int, oldest *session.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n = g.opening[agent]
	since := time.Now()
	for _, s := range g.sessions {
		if s.Agent.ID != agent {
			continue
		}
		n++
		if at, idle := s.IdleSince(); idle && at.Before(since) {
			oldest, since = s, at
		}
	}
	if n < g.opts.MaxSessions {
		g.opening[agent]++
	}
	return n, oldest
}

// vacate gives a place back that room has kept. The caller holds the lock.
func (g *Gateway) vacate(agent permission.AgentID) {
	if g.opening[agent]--; g.opening[agent] == 0 {
		delete(g.opening, agent)
	}
}

// Connected counts the agents that have a session.
func (g *Gateway) Connected() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	agents := map[permission.AgentID]bool{}
	for _, s := range g.sessions {
		agents[s.Agent.ID] = true
	}
	return len(agents)
}

// ended forgets a session.
func (g *Gateway) ended(s *session.Session, cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s.ID())
	maps.DeleteFunc(g.common, func(_ commonKey, of *session.Session) bool { return of == s })
	v := g.health(s.Server.ID)
	v.running--
	g.opts.Moved()
	if v.failed = cause == upstream.ErrEnded; v.failed {
		if !s.HasAnswered() {
			v.crashed(time.Now())
		}
		g.opts.Logger.Warn("a server ended by itself", "server", s.Server.ID, "words", s.Far.Last())
	}
	if s.Shared || s.Whole != nil || s.Agent.Session != "" {
		return // nothing was said for it, or for a session that goes on
	}
	g.busy.Add(1) // the session's own watcher is counted still
	go func() {
		defer g.busy.Done()
		ctx, cancel := context.WithTimeout(context.Background(), session.LeaveWithin)
		defer cancel()
		if err := g.desk.LeaveSession(ctx, s.Agent.ID, permission.SessionID(s.ID())); err != nil {
			g.opts.Logger.Error("leave a session", "session", s.ID(), "error", err)
		}
	}()
}

// session finds the session of this agent and server; nil when there is none, or
// when it is another's.
func (g *Gateway) session(id string, agent permission.Agent, serverID string) *session.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[id]; s != nil && !s.Shared && s.Whole == nil && s.Agent.ID == agent.ID && s.Agent.Session == agent.Session &&
		s.Server.ID == serverID {
		return s
	}
	return nil
}

// Connects reports whether an agent has a connection to a server open here, by itself or
// joined with others.
func (g *Gateway) Connects(agent permission.AgentID, server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		if s.Agent.ID == agent && (s.Server.ID == server || g.joined.Serves(s)) {
			return true
		}
	}
	return false
}
