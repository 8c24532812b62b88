package gateway

import (
	"context"
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
	"sekisho/backend/upstream"
)

const (
	maxInFlight = 1000    // requests of one session
	maxBacklog  = 256     // messages that wait for a GET stream
	maxKept     = 4 << 20 // bytes of them
)

// Reasons why a request ends without its answer.
var (
	errClosed    = errors.New("the session has ended")
	errCancelled = errors.New("the caller cancelled the request")
	errTimedOut  = fmt.Errorf("%w: %w", errCancelled, attend.ErrTimedOut)
	errGone      = attend.ErrGone
)

// session is one client connection and its server's side.
type session struct {
	id      string
	run     permission.RunID
	agent   permission.Agent
	server  permission.Server
	shared  bool        // by requests that have no session
	client  string      // its name, as it says
	whole   *session    // the joined session that this one is a member of; else nil
	proved  atomic.Bool // its server has answered something
	far     upstream.Server
	headers *paramHeaders // of the server
	idle    time.Duration
	onEnd   func(s *session, cause error)
	onList  func(m mcpwire.Message, more bool)
	onSaid  func(method string, result []byte) // of a member; else nil
	onProof func()                             // its server has answered for the first time
	ending  chan struct{}                      // closed by end
	over    chan struct{}                      // closed when nothing more comes from the server
	wake    chan struct{}                      // for the GET stream: the backlog has grown

	mu       sync.Mutex
	inflight map[string]*exchange
	running  []*exchange     // whose request the server has, oldest first
	asked    map[string]bool // the server's requests that wait for the client
	backlog  []waiting
	kept     int           // bytes in backlog
	getter   chan struct{} // closed when another GET stream takes over
	streams  map[*stream]bool
	users    int         // requests of the client in progress
	timer    *time.Timer // ends an idle session
	used     time.Time   // when it was last in use
	ended    bool
	serial   int // of the last name that a request was given
}

// name is the session as the desk knows it. Stateless callers have none, and members of a
// joined session share its name.
func (s *session) name() permission.SessionID {
	if s.shared {
		return ""
	}
	if s.whole != nil {
		return s.whole.name()
	}
	return permission.SessionID(s.id)
}

// runOf is the run that a call belongs to: that of the connection, and of a stateless
// caller one of its own.
func (s *session) runOf(call uuid.UUID) permission.RunID {
	if s.shared {
		return permission.RunID(call.String())
	}
	return s.run
}

// clientOf is the name of the client that sent a message: of the one that began the
// session, or of the message itself in the era without.
func (s *session) clientOf(m mcpwire.Message) string {
	if s.shared {
		return clientOf(mcpwire.MetaOf(m, mcpwire.MetaClient))
	}
	return s.client
}

// enter counts a user of the session, which is not idle then; false when it ended.
func (s *session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.users++
	s.timer.Stop()
	return true
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	if s.users--; s.users == 0 && !s.ended {
		s.timer.Reset(s.idle)
	}
}

// idleSince tells since when nobody uses the session; false while somebody does.
func (s *session) idleSince() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.users == 0 && !s.ended
}

// attach lets the session's end hurry a stream; detach takes that back.
func (s *session) attach(o *stream) (detach func()) {
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

// alive reports whether the session has not ended.
func (s *session) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended
}

// expire ends the session if it is idle still, and reports whether it did.
func (s *session) expire() bool {
	return s.endIf(errClosed, func() bool { return s.users == 0 })
}

// end ends the session: what is held is let go, the process is stopped. It does not
// wait: over tells when the server has ended.
func (s *session) end(cause error) { s.endIf(cause, func() bool { return true }) }

// endIf ends the session where that fits, as it is with the lock held.
func (s *session) endIf(cause error, fits func() bool) bool {
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
	s.onEnd(s, cause)
	s.far.Stop()
	return true
}

// watch ends the session with its server.
func (s *session) watch() {
	<-s.far.Over()
	s.end(upstream.ErrEnded)
	close(s.over)
}

// admit registers a request of the client.
func (s *session) admit(m mcpwire.Message, cancel context.CancelCauseFunc) (*exchange, *mcpwire.Error) {
	token, key, bad := mcpwire.ProgressToken(m.Params)
	if bad != nil {
		return nil, bad
	}
	return s.admitWith(m, token, key, cancel)
}

// admitWith is admit for a request whose progress token is known; nil is none.
func (s *session) admitWith(m mcpwire.Message, token []byte, tokenKey string, cancel context.CancelCauseFunc) (*exchange, *mcpwire.Error) {
	x := &exchange{id: m.ID, own: m.Key, key: m.Key, method: m.Method, header: m.Header, token: token, tokenKey: tokenKey, cancel: cancel,
		msgs: make(chan inbound, 16), answer: make(chan inbound, 1), left: make(chan struct{}), cancelled: make(chan struct{})}
	if m.Method == mcpwire.ListTools {
		cursor, _ := mcpwire.Member(m.Params, "cursor")
		x.more = cursor != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", upstream.ErrEnded)
	case !s.shared && s.called(x.own) != nil:
		return nil, mcpwire.Errorf(mcpwire.CodeInvalid, "a request with this id is in flight already")
	case len(s.inflight) >= maxInFlight:
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "more than %d requests are in flight", maxInFlight)
	}
	if s.renames() {
		s.rename(x, m)
	}
	s.inflight[x.key] = x
	return x, nil
}

// renames reports whether requests have names of their own here: where callers are many,
// and over HTTP, where what is left of a request's stream may come when its id is used
// again. A process that serves one client knows requests by its ids.
func (s *session) renames() bool {
	return s.shared || s.server.Transport == permission.TransportHTTP
}

// rename gives a request a name that no other of the session has or had. A process that is
// shared gets to see it, and a token that no other's progress has. A server over HTTP needs
// neither: each answer comes on its request's own way. The caller holds the lock.
func (s *session) rename(x *exchange, m mcpwire.Message) {
	s.serial++
	x.key = fmt.Sprint("n", s.serial)
	if !s.shared {
		return
	}
	x.logs = mcpwire.MetaOf(m, mcpwire.MetaLogLevel) != nil
	x.msgs = make(chan inbound, 64) // a slow caller shall not slow the others down
	if s.server.Transport != permission.TransportStdio {
		return
	}
	x.alias.id = fmt.Append(nil, s.serial)
	for _, o := range s.inflight {
		if x.token != nil && o.tokenKey == x.tokenKey {
			x.alias.token = fmt.Appendf(nil, `"sekisho-%d"`, s.serial)
			x.tokenKey, _ = mcpwire.IDKey(x.alias.token)
			return
		}
	}
}

// called finds a request by the key of the id that its client gave it. The caller holds
// the lock.
func (s *session) called(own string) *exchange {
	if !s.renames() {
		return s.inflight[own]
	}
	for _, x := range s.inflight {
		if x.own == own {
			return x
		}
	}
	return nil
}

// admitted reports whether a request of the client with this id's key is here.
func (s *session) admitted(own string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called(own) != nil
}

// begin marks the request as the server's from now on: what the caller does after
// it can no longer keep it from being executed. false when the caller has left.
func (s *session) begin(ctx context.Context, x *exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || s.ended {
		return false
	}
	x.running = true
	s.running = append(s.running, x)
	return true
}

// dispatch forwards the request beside what its caller does meanwhile: a server may not
// read before it has been listened to. sent tells whether the server has the request;
// settled waits for that, and stops trying. It is called before the request is released.
func (s *session) dispatch(ctx context.Context, x *exchange, raw []byte) (sent <-chan error, settled func()) {
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	if x.unsend = stop; x.withdrawn() {
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
func (s *session) forward(ctx context.Context, x *exchange, raw []byte) error {
	if x.alias.id != nil {
		raw = x.alias.outward(raw)
	}
	if err := s.far.Send(ctx, upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: x.key, Method: x.method, Header: x.header}); err != nil {
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

// has reports whether the server has the request.
func (s *session) has(x *exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.sent
}

// retire ends the stream's part in what else the server says. The caller holds the lock.
func (s *session) retire(x *exchange) {
	s.running = slices.DeleteFunc(s.running, func(o *exchange) bool { return o == x })
}

func (s *session) forget(x *exchange) {
	if s.inflight[x.key] == x {
		delete(s.inflight, x.key)
	}
}

// answered takes the client's response to a request of the server; false when
// there is no such request.
func (s *session) answered(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.asked[key]
	delete(s.asked, key)
	return known
}
