package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// inbound is one message of a server on its way into an answer's stream.
type inbound struct {
	raw      []byte
	progress *mcpwire.Progress

	// Of an answer.
	ok       bool   // a result that is not an error
	value    []byte // its result or error
	status   int    // of HTTP, where the answer came alone; else 0
	doubtful bool   // it is a fault of ours: the request may have run
}

// exchange is one request of the client and the way of its answer.
type exchange struct {
	id        []byte
	own       string // the key of id
	key       string // its name in the session and on the way to the server
	method    string
	header    http.Header
	more      bool // tools/list: a further page
	token     []byte
	tokenKey  string
	alias     alias // in a shared session
	logs      bool  // in a shared session: log messages are asked for
	beats     int64 // progress that we sent ourselves; the server's comes after it
	msgs      chan inbound
	answer    chan inbound  // with room for the one that there will be
	left      chan struct{} // closed when nobody waits for msgs any more
	cancelled chan struct{} // closed when the caller cancelled a running request
	cancel    context.CancelCauseFunc

	// Guarded by the session.
	running, sent, abandoned bool
	away                     bool               // its caller has left, and hears nothing more
	withdrawal               *upstream.Message  // a cancellation that came before the request was sent
	unsend                   context.CancelFunc // keeps it from being sent, if it is not
}

// withdrawn reports whether the caller cancelled the request.
func (x *exchange) withdrawn() bool {
	select {
	case <-x.cancelled:
		return true
	default:
		return false
	}
}

// heard reports whether the caller is there to hear what the server says besides the
// answer. The caller of it holds the session's lock.
func (x *exchange) heard() bool { return !x.away && !x.withdrawn() }

// push gives the stream a message that is not the answer. It waits until the stream takes
// it or is left: a slow client slows its own server down, and nobody else.
func (s *session) push(x *exchange, in inbound) {
	select {
	case x.msgs <- in:
	case <-x.left:
		s.keep(in)
		return
	}
	select {
	case <-x.left:
		x.drain(s.keep) // it was left meanwhile
	default:
	}
}

// slowness is how long one caller of a shared session may keep the server from speaking
// to the others.
const slowness = time.Second

// offer gives a message to a stream of a shared session, which may be full. A caller that
// does not read is gone, and is waited for once.
func (s *session) offer(x *exchange, in inbound) {
	select {
	case x.msgs <- in:
		return
	default:
	}
	late := time.NewTimer(slowness)
	defer late.Stop()
	select {
	case x.msgs <- in:
	case <-x.left:
	case <-late.C:
		s.lose(x)
		x.cancel(errGone)
	}
}

// lose notes that the caller of a request has left: what the server says goes elsewhere.
func (s *session) lose(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.away = true
}

// keep saves what a request's stream did not take for the GET stream, but what is of no
// use there.
func (s *session) keep(in inbound) {
	if in.progress != nil || s.shared {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(in.raw)
}

// drain takes what the server has said so far, but the answer.
func (x *exchange) drain(take func(inbound)) {
	for {
		select {
		case in := <-x.msgs:
			take(in)
		default:
			return
		}
	}
}

// following says how follow waits.
type following struct {
	limit    time.Duration // 0 is none
	detached bool          // wait for the answer although the caller has left
	sent     <-chan error  // of dispatch; nil when the server has the request
}

// errLate says that a limit was reached.
var errLate = errors.New("the server did not answer in time")

// follow hands on what the server says until the answer comes, which it returns. An error
// says that none will come.
func (s *session) follow(ctx context.Context, x *exchange, show func(inbound), f following) (inbound, error) {
	left, cancelled, sent := ctx.Done(), x.cancelled, f.sent
	var late, grace <-chan time.Time
	if f.limit > 0 {
		t := time.NewTimer(f.limit)
		defer t.Stop()
		late = t.C
	}
	for {
		select {
		case in := <-x.msgs:
			show(in)
		case in := <-x.answer:
			x.drain(show) // it was said before
			return in, nil
		case err := <-sent:
			if sent = nil; err != nil && !errors.Is(err, upstream.ErrEnded) { // of the end over tells
				return inbound{}, err
			}
		case <-left:
			s.lose(x)
			if !f.detached {
				return inbound{}, errGone
			}
			left = nil
		case <-cancelled:
			cancelled = nil
			t := time.NewTimer(cancelGrace)
			defer t.Stop()
			grace = t.C
		case <-grace:
			return inbound{}, errCancelled
		case <-late:
			return inbound{}, errLate
		case <-s.over:
			return x.rest(show)
		}
	}
}

// rest takes what the server has said before its end.
func (x *exchange) rest(show func(inbound)) (inbound, error) {
	x.drain(show)
	select {
	case in := <-x.answer:
		return in, nil
	default:
		return inbound{}, upstream.ErrEnded
	}
}
