package session

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// CancelGrace is how long a server may take to answer what was cancelled.
const CancelGrace = 10 * time.Second

// Inbound is one message of a server on its way into an answer's stream.
type Inbound struct {
	Raw      []byte
	progress *mcpwire.Progress

	// Of an answer.
	OK       bool   // a result that is not an error
	Value    []byte // its result or error
	status   int    // of HTTP, where the answer came alone; else 0
	Doubtful bool   // it is a fault of ours: the request may have run
}

// Exchange is one request of the client and the way of its answer.
type Exchange struct {
	ID        []byte
	own       string // the key of id
	key       string // its name in the session and on the way to the server
	method    string
	Header    http.Header
	more      bool // tools/list: a further page
	Token     []byte
	tokenKey  string
	alias     alias // in a shared session
	logs      bool  // in a shared session: log messages are asked for
	Beats     int64 // progress that we sent ourselves; the server's comes after it
	msgs      chan Inbound
	answer    chan Inbound  // with room for the one that there will be
	left      chan struct{} // closed when nobody waits for msgs any more
	released  chan struct{} // closed when its id may be given again, or the server has it still
	cancelled chan struct{} // closed when the caller cancelled a running request
	cancel    context.CancelCauseFunc
	listens   atomic.Bool // in a shared session: its caller is told that lists of tools change

	// Guarded by the session.
	running, sent, abandoned bool
	away                     bool               // its caller has left, and hears nothing more
	withdrawal               *upstream.Message  // a cancellation that came before the request was sent
	unsend                   context.CancelFunc // keeps it from being sent, if it is not
}

// Withdrawn reports whether the caller cancelled the request.
func (x *Exchange) Withdrawn() bool {
	select {
	case <-x.cancelled:
		return true
	default:
		return false
	}
}

// heard reports whether the caller is there to hear what the server says besides the
// answer. The caller of it holds the session's lock.
func (x *Exchange) heard() bool { return !x.away && !x.Withdrawn() }

// push gives the stream a message that is not the answer. It waits until the stream takes
// it or is left: a slow client slows its own server down, and nobody else.
func (s *Session) push(x *Exchange, in Inbound) {
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

// Slowness is how long one caller of a shared session may keep the server from speaking
// to the others.
const Slowness = time.Second

// offer gives a message to a stream of a shared session, which may be full. A caller that
// does not read is gone, and is waited for once.
func (s *Session) offer(x *Exchange, in Inbound) {
	select {
	case x.msgs <- in:
		return
	default:
	}
	late := time.NewTimer(Slowness)
	defer late.Stop()
	select {
	case x.msgs <- in:
	case <-x.left:
	case <-late.C:
		s.lose(x)
		x.cancel(ErrGone)
	}
}

// lose notes that the caller of a request has left: what the server says goes elsewhere.
func (s *Session) lose(x *Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.away = true
}

// keep saves what a request's stream did not take for the GET stream, but what is of no
// use there.
func (s *Session) keep(in Inbound) {
	if in.progress != nil || s.Shared {
		return
	}
	s.backlog.add(nil, in.Raw)
}

// drain takes what the server has said so far, but the answer.
func (x *Exchange) drain(take func(Inbound)) {
	for {
		select {
		case in := <-x.msgs:
			take(in)
		default:
			return
		}
	}
}

// Following says how follow waits.
type Following struct {
	Limit    time.Duration // 0 is none
	Detached bool          // wait for the answer although the caller has left
	Sent     <-chan error  // of dispatch; nil when the server has the request
}

// ErrLate says that a limit was reached.
var ErrLate = errors.New("the server did not answer in time")

// Follow hands on what the server says until the answer comes, which it returns. An error
// says that none will come.
func (s *Session) Follow(ctx context.Context, x *Exchange, show func(Inbound), f Following) (Inbound, error) {
	left, cancelled, sent := ctx.Done(), x.cancelled, f.Sent
	var late, grace <-chan time.Time
	if f.Limit > 0 {
		t := time.NewTimer(f.Limit)
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
				return Inbound{}, err
			}
		case <-left:
			s.lose(x)
			if !f.Detached {
				return Inbound{}, ErrGone
			}
			left = nil
		case <-cancelled:
			cancelled = nil
			t := time.NewTimer(CancelGrace)
			defer t.Stop()
			grace = t.C
		case <-grace:
			return Inbound{}, ErrCancelled
		case <-late:
			return Inbound{}, ErrLate
		case <-s.over:
			return x.rest(show)
		}
	}
}

// rest takes what the server has said before its end.
func (x *Exchange) rest(show func(Inbound)) (Inbound, error) {
	x.drain(show)
	select {
	case in := <-x.answer:
		return in, nil
	default:
		return Inbound{}, upstream.ErrEnded
	}
}
