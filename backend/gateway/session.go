package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

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
	errGone      = errors.New("the caller has gone")
)

// session is one client connection and its server's process.
type session struct {
	id     string
	run    permission.RunID
	agent  permission.Agent
	server permission.Server
	child  *child
	idle   time.Duration
	onEnd  func(s *session, cause error)
	onList func(m message, more bool)
	ending chan struct{} // closed by end
	over   chan struct{} // closed when nothing more comes from the server
	wake   chan struct{} // for the GET stream: the backlog has grown

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
}

// inbound is one message of a server on its way into an answer's stream.
type inbound struct {
	raw      []byte
	progress *progress
	final    bool
	ok       bool   // of a final one: a result that is not an error
	value    []byte // of a final one: its result or error
}

// exchange is one request of the client and the way of its answer.
type exchange struct {
	id        []byte
	key       string
	method    string
	more      bool // tools/list: a further page
	token     []byte
	tokenKey  string
	beats     int64 // progress that we sent ourselves; the server's comes after it
	msgs      chan inbound
	left      chan struct{} // closed when nobody waits for msgs any more
	cancelled chan struct{} // closed when the caller cancelled a running request
	cancel    context.CancelCauseFunc

	// Guarded by the session.
	running, sent, abandoned bool
	withdrawal               []byte // a cancellation that came before the request was sent
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
	s.child.stop()
}

// watch ends the session with its server.
func (s *session) watch() {
	<-s.child.done
	s.end(errEnded)
	close(s.over)
}

// admit registers a request of the client.
func (s *session) admit(m message, cancel context.CancelCauseFunc) (*exchange, *wireError) {
	x := &exchange{id: m.id, key: m.key, method: m.method, cancel: cancel,
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
	if err := s.child.send(ctx, raw); err != nil {
		return err
	}
	s.mu.Lock()
	x.sent = true
	late := x.withdrawal
	s.mu.Unlock()
	if late == nil {
		return nil
	}
	return s.child.send(ctx, late)
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
	if !x.sent || withdrawn {
		s.forget(x)
		return
	}
	x.abandoned = true
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
		x.cancel(errCancelled)
		return false
	}
	s.withdraw(x)
	if !x.sent {
		x.withdrawal = m.raw
	}
	return x.sent
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
	s.child.send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"no answer in time"}}`, x.id))
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
