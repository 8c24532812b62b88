package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
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
	errTimedOut  = fmt.Errorf("%w: it waited no longer", errCancelled)
	errGone      = errors.New("the caller has gone")
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
	far     upstream
	headers paramHeaders
	idle    time.Duration
	onEnd   func(s *session, cause error)
	onList  func(m message, more bool)
	ending  chan struct{} // closed by end
	over    chan struct{} // closed when nothing more comes from the server
	wake    chan struct{} // for the GET stream: the backlog has grown

	mu       sync.Mutex
	inflight map[string]*exchange
	running  []*exchange     // whose request the server has, oldest first
	asked    map[string]bool // the server's requests that wait for the client
	backlog  [][]byte
	kept     int           // bytes in backlog
	getter   chan struct{} // closed when another GET stream takes over
	streams  map[*stream]bool
	users    int         // requests of the client in progress
	timer    *time.Timer // ends an idle session
	used     time.Time   // when it was last in use
	ended    bool
	serial   int // of the last alias
}

// inbound is one message of a server on its way into an answer's stream.
type inbound struct {
	raw      []byte
	progress *progress
	final    bool
	ok       bool   // of a final one: a result that is not an error
	value    []byte // of a final one: its result or error
	status   int    // of HTTP, where the answer came alone; else 0
	doubtful bool   // of a final one that is a fault of ours: the request may have run
}

// exchange is one request of the client and the way of its answer.
type exchange struct {
	id        []byte
	key       string
	method    string
	header    http.Header
	more      bool // tools/list: a further page
	token     []byte
	tokenKey  string
	alias     alias // in a shared session
	logs      bool  // in a shared session: log messages are asked for
	beats     int64 // progress that we sent ourselves; the server's comes after it
	msgs      chan inbound
	left      chan struct{} // closed when nobody waits for msgs any more
	cancelled chan struct{} // closed when the caller cancelled a running request
	cancel    context.CancelCauseFunc

	// Guarded by the session.
	running, sent, abandoned bool
	withdrawal               *parcel // a cancellation that came before the request was sent
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
func (s *session) clientOf(m message) string {
	if s.shared {
		return clientOf(metaOf(m, metaClient))
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

// expire ends the session if it is idle still.
func (s *session) expire() {
	s.mu.Lock()
	idle := s.users == 0
	s.mu.Unlock()
	if idle {
		s.end(errClosed)
	}
}

// end ends the session: what is held is let go, the process is stopped. It does not
// wait: over tells when the server has ended.
func (s *session) end(cause error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
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
	s.far.stop()
}

// watch ends the session with its server.
func (s *session) watch() {
	<-s.far.over()
	s.end(errEnded)
	close(s.over)
}

// admit registers a request of the client.
func (s *session) admit(m message, cancel context.CancelCauseFunc) (*exchange, *wireError) {
	x := &exchange{id: m.id, key: m.key, method: m.method, header: m.header, cancel: cancel,
		msgs: make(chan inbound, 16), left: make(chan struct{}), cancelled: make(chan struct{})}
	var bad *wireError
	if x.token, x.tokenKey, bad = progressToken(m.params); bad != nil {
		return nil, bad
	}
	if m.method == listTools {
		cursor, _ := within(m.params, "cursor")
		x.more = cursor != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared {
		s.rename(x, m)
	}
	switch {
	case s.ended:
		return nil, refusal(codeInternal, "%s", errEnded)
	case s.inflight[x.key] != nil:
		return nil, refusal(codeInvalid, "a request with this id is in flight already")
	case len(s.inflight) >= maxInFlight:
		return nil, refusal(codeInternal, "more than %d requests are in flight", maxInFlight)
	}
	s.inflight[x.key] = x
	return x, nil
}

// rename gives a request of a shared session a name of its own, and its progress a token
// that no other has. A server over HTTP needs neither: each answer comes on its request's
// own way. The caller holds the lock.
func (s *session) rename(x *exchange, m message) {
	s.serial++
	x.key = fmt.Sprint("n", s.serial)
	x.logs = metaOf(m, metaLogLevel) != nil
	x.msgs = make(chan inbound, 64) // a slow caller shall not slow the others down
	if s.server.Transport != permission.TransportStdio {
		return
	}
	x.alias.id = fmt.Append(nil, s.serial)
	for _, o := range s.inflight {
		if x.token != nil && o.tokenKey == x.tokenKey {
			x.alias.token = fmt.Appendf(nil, `"sekisho-%d"`, s.serial)
			x.tokenKey, _ = idKey(x.alias.token)
			return
		}
	}
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

// pause takes begin back: the request is not the server's after all.
func (s *session) pause(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.running = false
	s.retire(x)
}

// forward sends the request to the server, and the cancellation that overtook it.
func (s *session) forward(ctx context.Context, x *exchange, raw []byte) error {
	if x.alias.id != nil {
		raw = x.alias.outward(raw)
	}
	if err := s.far.send(ctx, parcel{raw: raw, kind: request, key: x.key, method: x.method, header: x.header}); err != nil {
		return err
	}
	s.mu.Lock()
	x.sent = true
	late := x.withdrawal
	s.mu.Unlock()
	if late == nil {
		return nil
	}
	return s.far.send(ctx, *late)
}

// release says that nobody waits for the answer any more. A request that the server
// still has keeps its id taken until the answer comes, so that it cannot settle a
// later request of the same id.
func (s *session) release(x *exchange) {
	close(x.left)
	s.mu.Lock()
	defer s.mu.Unlock()
	withdrawn := false
	select {
	case <-x.cancelled:
		withdrawn = true // then no answer is owed
	default:
	}
	s.retire(x)
	switch {
	case !x.sent || withdrawn || s.inflight[x.key] != x:
		s.forget(x)
	case s.shared:
		s.forget(x)
		go s.drop(x) // the end of its stream is how a stateless caller cancels
	default:
		x.abandoned = true
	}
}

// drop tells the server that nobody waits for an answer, and that none is owed.
func (s *session) drop(x *exchange) {
	if r, ok := s.far.(*remote); ok {
		r.drop(x.key)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	note := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, x.alias.id)
	s.far.send(ctx, parcel{raw: note, kind: notification, method: cancelledNote}) // it may hear of it or not
}

// retire ends the stream's part in what else the server says.
func (s *session) retire(x *exchange) {
	s.running = slices.DeleteFunc(s.running, func(o *exchange) bool { return o == x })
}

func (s *session) forget(x *exchange) {
	if s.inflight[x.key] == x {
		delete(s.inflight, x.key)
	}
}

// cancelRequest takes a caller's notifications/cancelled. It reports whether the
// server is to hear of it: a held request has never reached it.
func (s *session) cancelRequest(m message) bool {
	target, _ := within(m.params, "requestId")
	key, ok := idKey(target)
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.inflight[key]
	if !ok || x == nil {
		return true
	}
	if !x.running {
		x.cancel(causeOf(m))
		return false
	}
	s.withdraw(x)
	if !x.sent {
		p := parcelOf(m)
		x.withdrawal = &p
	}
	return x.sent
}

// causeOf is why a caller cancelled a request, as it says.
func causeOf(m message) error {
	if reason, _ := within(m.params, "reason"); saysTimeout(reason) {
		return errTimedOut
	}
	return errCancelled
}

// withdraw notes that the server is told to answer no more. The caller holds the
// lock.
func (s *session) withdraw(x *exchange) {
	select {
	case <-x.cancelled:
	default:
		close(x.cancelled)
	}
	if x.abandoned {
		s.forget(x)
	}
}

// giveUp tells the server that nobody waits for the answer any more.
func (s *session) giveUp(ctx context.Context, x *exchange) {
	s.mu.Lock()
	s.withdraw(x)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	id := x.id
	if x.alias.id != nil {
		id = x.alias.id
	}
	note := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"no answer in time"}}`, id)
	s.far.send(ctx, parcel{raw: note, kind: notification, method: cancelledNote, header: x.header}) // it may hear of it or not
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
