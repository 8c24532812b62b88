package joined

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// memberWithin is how long a server may take to start and to list its tools. It is left
// out then: the others are not to wait for it.
const memberWithin = 10 * time.Second

// joined is the server's side of a session at /mcp: all servers behind the desk, as one.
// Each is a session of its own, opened when it is needed first, which ends with this one.
type connection struct {
	e     *Endpoint
	self  *session.Session
	about []byte        // the params of the client's initialize, for every member
	ended chan struct{} // closed when all members have

	catalogs [mcpwire.ListKinds]catalog

	mu         sync.Mutex
	work       sync.WaitGroup // of open sessions
	stopped    bool
	open       map[*session.Session]bool
	members    map[string]*member   // by the server's id
	calls      map[string]*onward   // by the key of the client's id
	questions  map[string]*question // by the key of our id
	serial     int                  // of the last of these
	level      []byte               // the params of the client's last logging/setLevel
	subs       map[pair][]string    // resources that the client is subscribed to, and how it calls them
	subscribed int                  // names in subs
	placed     map[string]pair      // URIs in no list, where a member had them
}

// member is a server's place.
type member struct {
	opening sync.Mutex // guards failed and err
	failed  time.Time
	err     error
	peer    *peer     // guarded by joined; nil before the first
	named   namedURIs // guarded by joined
}

// peer is a member that speaks.
type peer struct {
	s        *session.Session
	header   http.Header                           // the version that was agreed upon; guarded by joined
	can      ability                               // what it says that it can
	lists    [mcpwire.ListKinds][]mcpwire.Offering // the last ones; guarded by joined
	reminded bool                                  // just now; guarded by joined
	forgot   bool                                  // its session, since it is reminded; guarded by joined
}

// onward is a call on its way to a member.
type onward struct {
	cancel context.CancelCauseFunc
	peer   *peer // nil while it is opened
}

// open starts a session with all servers as one.
func (e *Endpoint) open(agent permission.Agent, about []byte) (*session.Session, *mcpwire.Error) {
	j := &connection{
		e: e, about: about, ended: make(chan struct{}), open: map[*session.Session]bool{}, members: map[string]*member{},
		calls: map[string]*onward{}, questions: map[string]*question{}, subs: map[pair][]string{}, placed: map[string]pair{},
	}
	return e.host.Open(agent, permission.Server{}, func(s *session.Session, _ upstream.Listener) (upstream.Server, error) {
		info, _ := mcpwire.Member(about, "clientInfo")
		j.self, s.Client = s, session.ClientOf(info)
		return j, nil
	})
}

// send takes what the client says that is no request.
func (j *connection) Send(ctx context.Context, p upstream.Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	switch {
	case bad != nil:
		return bad
	case m.Kind == mcpwire.Response:
		j.reply(ctx, m)
	case m.Method == mcpwire.CancelledNote:
		j.cancel(ctx, m)
	case m.Method == mcpwire.ProgressNote:
		j.progressed(ctx, m)
	case m.Method != mcpwire.InitializedNote: // each member has heard of it when it was opened
		for _, peer := range j.peers() {
			j.hand(ctx, peer, p)
		}
	}
	return nil
}

func (j *connection) Stop() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return
	}
	j.stopped = true
	for s := range j.open {
		s.End(session.ErrClosed)
	}
	go func() {
		j.work.Wait()
		close(j.ended)
	}()
}

func (j *connection) Over() <-chan struct{} { return j.ended }
func (j *connection) Last() string          { return "" }
func (j *connection) Said(int) string       { return "" }

// peers are the members that speak now.
func (j *connection) peers() (all []*peer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.members {
		if m.peer != nil && m.peer.s.Alive() {
			all = append(all, m.peer)
		}
	}
	return all
}

// within bounds what the client waits for members.
func (j *connection) within() time.Duration { return min(memberWithin, j.e.opts.Patience) }

// member gives a server's place, and whether somebody speaks there.
func (j *connection) member(serverID string) (*member, *peer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m := j.members[serverID]
	if m == nil {
		m = &member{}
		j.members[serverID] = m
	}
	return m, m.peer
}

// peer gives the member of a server; one that has ended, or whose entry is another now, is
// opened again. Who waits while that goes wrong hears of it, and does not try once more.
func (j *connection) peer(ctx context.Context, serverID string) (*peer, error) {
	began := time.Now()
	m, _ := j.member(serverID)
	m.opening.Lock()
	defer m.opening.Unlock()
	server, bad := j.e.host.Listed(ctx, serverID)
	if bad != nil {
		return nil, bad
	}
	if _, p := j.member(serverID); p != nil && p.s.Alive() {
		if p.s.Server.Same(&server) {
			return p, nil
		}
		p.s.End(session.ErrClosed)
	}
	if m.failed.After(began) {
		return nil, m.err
	}
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	p, err := j.introduce(ctx, server)
	if err != nil {
		if m.err = err; !errors.Is(ctx.Err(), context.Canceled) {
			m.failed = time.Now()
		}
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	m.peer, m.failed = p, time.Time{}
	return p, nil
}

// introduce opens a member and introduces the client to it, in the client's own words. The
// joined session uses it as long as it lasts, so that it is never idle.
func (j *connection) introduce(ctx context.Context, server permission.Server) (*peer, error) {
	p := &peer{}
	s, bad := j.e.host.Open(j.self.Agent, server, func(s *session.Session, to upstream.Listener) (upstream.Server, error) {
		s.Whole, s.Run, s.Client = j.self, j.self.Run, j.self.Client
		p.s = s
		s.OnSaid = func(method string, result []byte) { j.naming(server.ID, method, result) }
		heard := to.Heard
		to.Heard = func(raw []byte, from upstream.Origin) { heard(j.inward(p, raw), from) }
		far, err := j.e.host.Connect(server, to)
		if r, ok := far.(*upstream.Remote); ok {
			r.Renewed = func(ctx context.Context) { j.renewed(ctx, p) }
		}
		return far, err
	})
	if bad != nil {
		return nil, bad
	}
	if !j.adopt(s) {
		s.End(session.ErrClosed)
		return nil, session.ErrClosed
	}
	if err := j.greet(ctx, p); err != nil {
		s.End(session.ErrClosed)
		return nil, err
	}
	return p, nil
}

// greet is the handshake with a member.
func (j *connection) greet(ctx context.Context, p *peer) error {
	result, err := j.ask(ctx, p, mcpwire.Initialize, j.about)
	if err != nil {
		return err
	}
	var agreed struct {
		ProtocolVersion string
		Capabilities    json.RawMessage
	}
	if json.Unmarshal(result, &agreed) != nil || agreed.ProtocolVersion == "" {
		return errors.New("the server's answer to initialize is not one of MCP")
	}
	j.mu.Lock()
	p.header, p.can = http.Header{mcpwire.VersionHeader: {agreed.ProtocolVersion}}, abilityOf(agreed.Capabilities)
	j.mu.Unlock()
	j.e.able(&p.s.Server, p.can)
	note := upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), Kind: mcpwire.Notification,
		Method: mcpwire.InitializedNote, Header: p.header}
	if err := p.s.Far.Send(ctx, note); err != nil {
		return fmt.Errorf("tell the server that it is initialized: %w", err)
	}
	j.remind(ctx, p)
	return nil
}

// remind tells a member what the client wants of it that it cannot know: its predecessor
// was told, or its session before this one.
func (j *connection) remind(ctx context.Context, p *peer) {
	j.mu.Lock()
	level := j.level
	j.mu.Unlock()
	if level != nil && p.can.log {
		j.setLevelOf(ctx, p, level)
	}
	j.subscribeAgain(ctx, p)
}

// maxReminders is how often a member is reminded for one session that it has forgotten: it
// may forget the next one meanwhile, and one that forgets every session has to end.
const maxReminders = 3

// renewed reminds a member over HTTP that has forgotten its session.
func (j *connection) renewed(ctx context.Context, p *peer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p.forgot = true
	if p.reminded {
		return // whoever does so goes on
	}
	p.reminded = true
	for i := 0; p.forgot && i < maxReminders; i++ {
		p.forgot = false
		j.mu.Unlock()
		within, cancel := context.WithTimeout(ctx, j.within())
		j.remind(within, p)
		cancel()
		j.mu.Lock()
	}
	p.reminded = false
}

// setLevelOf tells a member which log messages are wanted. One that refuses says what it
// likes.
func (j *connection) setLevelOf(ctx context.Context, p *peer, params []byte) {
	if _, err := j.ask(ctx, p, mcpwire.SetLevel, params); err != nil {
		j.e.opts.Logger.Debug("set the log level of a server", "server", p.s.Server.ID, "error", err)
	}
}

// adopt listens to a session from now on; false when the joined session has ended.
func (j *connection) adopt(s *session.Session) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return false
	}
	j.open[s] = true
	j.work.Add(1)
	go func() {
		defer j.work.Done()
		j.listen(s)
	}()
	return true
}

// listen brings what a member says by itself to the client's stream, until its end.
func (j *connection) listen(s *session.Session) {
	s.Hear(func(raw []byte) { j.sayOf(s, raw) })
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.open, s)
}

// say tells the client something that belongs to no request.
func (j *connection) say(raw []byte) { j.sayOf(nil, raw) }

// sayOf tells the client what a member says.
func (j *connection) sayOf(member *session.Session, raw []byte) { j.self.Say(member, raw) }

// warn tells the client of trouble with its members, unless it wants to hear of worse only.
func (j *connection) warn(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	j.e.opts.Logger.Warn("join servers", "trouble", words)
	j.mu.Lock()
	level, _ := mcpwire.Member(j.level, "level")
	j.mu.Unlock()
	switch string(level) {
	case `"error"`, `"critical"`, `"alert"`, `"emergency"`:
		return
	}
	j.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"sekisho","data":%s}}`,
		mcpwire.Quote(words)))
}

// ask asks a member something of the desk's own, and waits for its result.
func (j *connection) ask(ctx context.Context, p *peer, method string, params []byte) (result []byte, err error) {
	in, err := j.answerOf(ctx, p, method, params)
	switch {
	case err != nil:
		return nil, err
	case !in.OK && session.CodeOf(in.Value) == mcpwire.CodeNoMethod:
		return nil, fmt.Errorf("%w (%w)", upstream.RefusedBy(method, in.Value), errNoMethod)
	case !in.OK:
		return nil, upstream.RefusedBy(method, in.Value)
	}
	return in.Value, nil
}

// errNoMethod says that a server does not know a method.
var errNoMethod = errors.New("it does not know the method")

// answerOf asks a member as the desk, and waits for its answer, whatever that is.
func (j *connection) answerOf(ctx context.Context, p *peer, method string, params []byte) (in session.Inbound, err error) {
	return p.s.Inquire(ctx, p.header, method, params, func(_ context.Context, _ *session.Exchange, in session.Inbound) {
		j.sayOf(p.s, in.Raw) // what it says meanwhile is for the client
	})
}
