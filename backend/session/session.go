package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
	"sekisho/backend/upstream"
)

const (
	MaxInFlight = 1000    // requests of one session
	maxBacklog  = 256     // messages that wait for a GET stream
	maxKept     = 4 << 20 // bytes of them
)

// Reasons why a request ends without its answer.
var (
	ErrClosed    = errors.New("the session has ended")
	ErrCancelled = attend.ErrCancelled
	errTimedOut  = fmt.Errorf("%w: %w", ErrCancelled, attend.ErrTimedOut)
	ErrGone      = attend.ErrGone
)

// Options is what the opener of a session says of it.
type Options struct {
	Agent   permission.Agent
	Server  permission.Server
	Shared  bool                   // by requests that have no session
	Run     permission.RunID       // of the calls on this connection
	Client  string                 // its name, as it says
	Whole   *Session               // the joined session that this one is a member of; else nil
	Headers *upstream.ParamHeaders // of the server
	Idle    time.Duration          // after which an unused session ends
	OnEnd   func(s *Session, cause error)
	OnList  func(m mcpwire.Message, more bool)
	OnSaid  func(method string, result []byte) // of a member; else nil
	OnProof func()                             // its server has answered for the first time
}

// Session is one client connection and its server's side.
type Session struct {
	Options
	*sessionbook.Bearer
	Far upstream.Server

	id string
	// renames says that requests have names of their own here: where callers are many, and over
	// HTTP, where what is left of a request's stream may come when its id is used again. A
	// process that serves one client knows requests by its ids.
	renames bool
	proved  atomic.Bool   // its server has answered something
	ending  chan struct{} // closed by end
	over    chan struct{} // closed when nothing more comes from the server

	backlog backlog

	mu       sync.Mutex
	inflight map[string]*Exchange
	running  []*Exchange     // whose request the server has, oldest first
	asked    map[string]bool // the server's requests that wait for the client
	streams  map[*Stream]bool
	users    int         // requests of the client in progress
	timer    *time.Timer // ends an idle session
	used     time.Time   // when it was last in use
	ended    bool
	serial   int // of the last name that a request was given
}

// New makes a session. Its opener is its first user, who is to leave it.
func New(what Options) (*Session, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("name session: %w", err)
	}
	s := &Session{Options: what, id: id.String(), renames: what.Shared || what.Server.Transport == permission.TransportHTTP,
		used: time.Now(), users: 1, ending: make(chan struct{}), over: make(chan struct{}),
		inflight: map[string]*Exchange{}, asked: map[string]bool{}, streams: map[*Stream]bool{}, backlog: backlog{wake: make(chan struct{}, 1)}}
	s.Bearer = sessionbook.NewBearer(what.Agent, !what.Shared)
	s.timer = time.AfterFunc(s.Idle, func() { s.Expire() })
	s.timer.Stop() // it is in use
	return s, nil
}

// ID is what a client calls the session.
func (s *Session) ID() string { return s.id }

// HasAnswered reports whether the server has answered something.
func (s *Session) HasAnswered() bool { return s.proved.Load() }

// Listener hears what the server says.
func (s *Session) Listener() upstream.Listener {
	return upstream.Listener{Heard: s.Receive, Long: s.tooLong, Lost: s.lost, Waits: s.waits}
}

// Name is the session as the desk knows it: that whose token its client came with or has, else its own.
// Stateless callers have none of their own, and members of a joined session share its name.
func (s *Session) Name() permission.SessionID {
	if made := s.Who().Session; made != "" {
		return made
	}
	if s.Shared {
		return ""
	}
	if s.Whole != nil {
		return s.Whole.Name()
	}
	return permission.SessionID(s.id)
}

// RunOf is the run that a call belongs to: that of the connection, and of a stateless
// caller one of its own.
func (s *Session) RunOf(call uuid.UUID) permission.RunID {
	if s.Shared {
		return permission.RunID(call.String())
	}
	return s.Run
}

// ClientOf is the name in a clientInfo; empty where there is none.
func ClientOf(info []byte) string {
	var c struct{ Name string }
	if json.Unmarshal(info, &c) != nil || len(c.Name) > 256 {
		return ""
	}
	return c.Name
}

// ClientOf is the name of the client that sent a message: of the one that began the
// session, or of the message itself in the era without.
func (s *Session) ClientOf(m mcpwire.Message) string {
	if s.Shared {
		return ClientOf(mcpwire.MetaOf(m, mcpwire.MetaClient))
	}
	return s.Client
}

// Enter counts a user of the session, which is not idle then; false when it ended.
func (s *Session) Enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.users++
	s.timer.Stop()
	return true
}

// Leave takes a user away. A session that nobody uses ends after a while.
func (s *Session) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if s.users--; s.users == 0 && !s.ended {
		s.timer.Reset(s.Idle)
	}
}

// IdleSince tells since when nobody uses the session; false while somebody does.
func (s *Session) IdleSince() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.users == 0 && !s.ended
}

// Attach lets the session's end hurry a stream; detach takes that back.
func (s *Session) Attach(o *Stream) (detach func()) {
	o.ending = s.ending
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[o] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, o)
		o.rc.SetWriteDeadline(time.Time{}) // the connection may serve another session
	}
}

// Alive reports whether the session has not ended.
func (s *Session) Alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended
}

// Expire ends the session if it is idle still, and reports whether it did.
func (s *Session) Expire() bool {
	return s.endIf(ErrClosed, func() bool { return s.users == 0 })
}

// End ends the session: what is held is let go, the process is stopped. It does not
// wait: over tells when the server has ended.
func (s *Session) End(cause error) { s.endIf(cause, func() bool { return true }) }

// endIf ends the session where that fits, as it is with the lock held.
func (s *Session) endIf(cause error, fits func() bool) bool {
	s.mu.Lock()
	if s.ended || !fits() {
		s.mu.Unlock()
		return false
	}
	s.ended = true
	s.timer.Stop()
	for _, x := range s.inflight {
		if !x.running {
			x.cancel(cause)
		}
	}
	close(s.ending)
	for o := range s.streams {
		o.hurry()
	}
	s.mu.Unlock()
	s.OnEnd(s, cause)
	s.Far.Stop()
	return true
}

// Watch ends the session with its server.
func (s *Session) Watch() {
	<-s.Far.Over()
	s.End(upstream.ErrEnded)
	close(s.over)
}

// Admit registers a request of the client.
func (s *Session) Admit(m mcpwire.Message, cancel context.CancelCauseFunc) (*Exchange, *mcpwire.Error) {
	token, key, bad := mcpwire.ProgressToken(m.Params)
	if bad != nil {
		return nil, bad
	}
	return s.AdmitWith(m, token, key, cancel)
}

// AdmitWith is admit for a request whose progress token is known; nil is none.
func (s *Session) AdmitWith(m mcpwire.Message, token []byte, tokenKey string, cancel context.CancelCauseFunc) (*Exchange, *mcpwire.Error) {
	x := &Exchange{ID: m.ID, own: m.Key, key: m.Key, method: m.Method, Header: m.Header, Token: token, tokenKey: tokenKey, cancel: cancel,
		msgs: make(chan Inbound, 16), answer: make(chan Inbound, 1), left: make(chan struct{}), cancelled: make(chan struct{}),
		released: make(chan struct{})}
	if m.Method == mcpwire.ListTools {
		cursor, _ := mcpwire.Member(m.Params, "cursor")
		x.more = cursor != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", upstream.ErrEnded)
	case !s.Shared && s.called(x.own) != nil:
		return nil, mcpwire.Errorf(mcpwire.CodeInvalid, "a request with this id is in flight already")
	case len(s.inflight) >= MaxInFlight:
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "more than %d requests are in flight", MaxInFlight)
	}
	if s.renames {
		s.rename(x, m)
	}
	s.inflight[x.key] = x
	return x, nil
}

// rename gives a request a name that no other of the session has or had. A process that is
// shared gets to see it, and a token that no other's progress has. A server over HTTP needs
// neither: each answer comes on its request's own way. The caller holds the lock.
func (s *Session) rename(x *Exchange, m mcpwire.Message) {
	s.serial++
	x.key = fmt.Sprint("n", s.serial)
	if !s.Shared {
		return
	}
	x.logs = mcpwire.MetaOf(m, mcpwire.MetaLogLevel) != nil
	x.msgs = make(chan Inbound, 64) // a slow caller shall not slow the others down
	if !s.Server.IsProcess() {
		return
	}
	x.alias.id = fmt.Append(nil, s.serial)
	for _, o := range s.inflight {
		if x.Token != nil && o.tokenKey == x.tokenKey {
			x.alias.token = fmt.Appendf(nil, `"sekisho-%d"`, s.serial)
			x.tokenKey, _ = mcpwire.IDKey(x.alias.token)
			return
		}
	}
}

// called finds a request by the key of the id that its client gave it. The caller holds
// the lock.
func (s *Session) called(own string) *Exchange {
	if !s.renames {
		return s.inflight[own]
	}
	for _, x := range s.inflight {
		if x.own == own {
			return x
		}
	}
	return nil
}

// Admitted gives the request of the client that has this id's key; nil where none is here.
func (s *Session) Admitted(own string) *Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called(own)
}

// Begin marks the request as the server's from now on: what the caller does after
// it can no longer keep it from being executed. false when the caller has left.
func (s *Session) Begin(ctx context.Context, x *Exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.ended {
		return false
	}
	x.running = true
	s.running = append(s.running, x)
	return true
}

// Dispatch forwards the request beside what its caller does meanwhile: a server may not
// read before it has been listened to. sent tells whether the server has the request;
// settled waits for that, and stops trying. It is called before the request is released.
func (s *Session) Dispatch(ctx context.Context, x *Exchange, raw []byte) (sent <-chan error, settled func()) {
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	if x.unsend = stop; x.Withdrawn() {
		stop()
	}
	s.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		defer close(done)
		done <- s.forward(ctx, x, raw)
	}()
	return done, func() {
		stop()
		for range done {
			continue // one that nobody has heard
		}
	}
}

// forward sends the request to the server, and the cancellation that overtook it. An error
// says that the server does not have the request.
func (s *Session) forward(ctx context.Context, x *Exchange, raw []byte) error {
	if x.alias.id != nil {
		raw = x.alias.outward(raw)
	}
	if err := s.Far.Send(ctx, upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: x.key, Method: x.method, Header: x.Header}); err != nil {
		return err
	}
	s.mu.Lock()
	x.sent = true
	late := x.withdrawal
	s.mu.Unlock()
	if late != nil {
		go s.remark(ctx, *late) // though its caller has left meanwhile
	}
	return nil
}

// Has reports whether the server has the request.
func (s *Session) Has(x *Exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.sent
}

// retire ends the stream's part in what else the server says. The caller holds the lock.
func (s *Session) retire(x *Exchange) {
	s.running = slices.DeleteFunc(s.running, func(o *Exchange) bool { return o == x })
}

// forget gives a request's id back. The caller holds the lock.
func (s *Session) forget(x *Exchange) {
	if s.inflight[x.key] == x {
		delete(s.inflight, x.key)
	}
}

// Answered takes the client's response to a request of the server; false when
// there is no such request.
func (s *Session) Answered(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.asked[key]
	delete(s.asked, key)
	return known
}
