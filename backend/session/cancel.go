package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// LeaveWithin bounds what is told to a server or the desk after the caller has gone.
const LeaveWithin = 5 * time.Second

// Release says that nobody waits for the answer any more. A request that the server
// still has keeps its id taken until the answer comes, so that it cannot settle a
// later request of the same id.
func (s *Session) Release(x *Exchange) {
	defer close(x.released)
	close(x.left)
	x.drain(s.keep)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retire(x)
	switch {
	case s.inflight[x.key] != x: // it has its answer
	case !x.sent:
		s.forget(x)
	case x.Withdrawn(): // then no answer is owed
		s.forget(x)
		s.hangUp(x)
	case s.Shared: // the end of its stream is how a stateless caller cancels
		s.forget(x)
		if !s.hangUp(x) {
			go s.disown(context.Background(), x)
		}
	default:
		x.abandoned = true
	}
}

// hangUp ends what is left of a request on its way to a server; false where that is a
// process, which has no such way.
func (s *Session) hangUp(x *Exchange) bool {
	return upstream.Drop(s.Far, x.key)
}

// disown tells the server that nobody waits for the answer any more.
func (s *Session) disown(ctx context.Context, x *Exchange) {
	id := x.ID
	if x.alias.id != nil {
		id = x.alias.id
	}
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"nobody waits for the answer"}}`
	note := fmt.Appendf(nil, cancelled, id)
	s.remark(ctx, upstream.Message{Raw: note, Kind: mcpwire.Notification, Method: mcpwire.CancelledNote, Header: x.Header})
}

// remark tells the server something that it may hear or not, whoever has left by now.
func (s *Session) remark(ctx context.Context, p upstream.Message) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), LeaveWithin)
	defer cancel()
	s.Far.Send(ctx, p)
}

// Replace ends the wait for a request of the client that it sends again, since the connection
// broke on which its answer was to come. What runs is waited for.
func (x *Exchange) Replace(ctx context.Context) {
	x.cancel(ErrGone)
	select {
	case <-x.released:
	case <-ctx.Done():
	}
}

// CancelRequest takes a caller's notifications/cancelled. It reports whether the
// server is to hear of it: a held request has never reached it.
func (s *Session) CancelRequest(m mcpwire.Message) bool {
	target, _ := mcpwire.Member(m.Params, "requestId")
	key, ok := mcpwire.IDKey(target)
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.called(key)
	if !ok || x == nil {
		return true
	}
	if !x.running {
		x.cancel(CauseOf(m))
		return false
	}
	s.withdraw(x)
	if !x.sent {
		p := upstream.MessageOf(m)
		x.withdrawal = &p
	}
	return x.sent
}

// CauseOf is why a caller cancelled a request, as it says.
func CauseOf(m mcpwire.Message) error {
	if reason, _ := mcpwire.Member(m.Params, "reason"); saysTimeout(reason) {
		return errTimedOut
	}
	return ErrCancelled
}

// saysTimeout reports whether a cancellation's reason is that time was over.
func saysTimeout(reason []byte) bool {
	words, _ := mcpwire.Text(reason)
	words = strings.ToLower(words)
	return strings.Contains(words, "timed out") || strings.Contains(words, "timeout")
}

// withdraw notes that the server is told to answer no more. The caller holds the
// lock.
func (s *Session) withdraw(x *Exchange) {
	if !x.Withdrawn() {
		close(x.cancelled)
	}
	if x.unsend != nil {
		x.unsend()
	}
	if x.abandoned {
		s.forget(x)
		s.hangUp(x)
	}
}

// GiveUp withdraws a request whose caller has waited long enough, and tells the server so
// while the caller goes on: in the era without sessions, by the end of its stream.
func (s *Session) GiveUp(ctx context.Context, x *Exchange) {
	s.mu.Lock()
	s.withdraw(x)
	told := s.Shared && s.hangUp(x)
	s.mu.Unlock()
	if !told {
		go s.disown(ctx, x)
	}
}
