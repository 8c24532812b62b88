package gateway

import (
	"fmt"
	"slices"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// receive takes one line of the server and brings it where it belongs: a response
// to its request, progress to the request of its token, all else to the stream that
// is most likely read. It runs in the goroutine that reads the server's output, so
// that order is kept.
func (s *session) receive(raw []byte, from upstream.Origin) {
	m, bad := mcpwire.FromServer(raw)
	switch {
	case bad != nil:
		s.unreadable(raw, m, bad, from)
	case m.Kind == mcpwire.Response:
		s.settle(m, from)
	default:
		s.pass(m, from)
	}
}

// unreadable is for a message whose envelope cannot be trusted. If it names a request
// that it could be the answer to, or comes as the answer to one, its caller is told; else
// it is noise that some servers print.
func (s *session) unreadable(raw []byte, m mcpwire.Message, bad *mcpwire.Error, from upstream.Origin) {
	if _, what, ok := mcpwire.Glimpse(raw); ok && what != mcpwire.Response {
		return // its id is the server's own
	}
	if from.Request != "" {
		m.Key = ""
	}
	if x := s.take(m.Key, from); x != nil {
		x.answer <- fault(x.id, "the server's answer cannot be read: %s", bad.Message)
	}
}

// lost tells the caller of a request that no answer to it will come.
func (s *session) lost(l upstream.Loss) {
	if x := s.take("", upstream.Origin{Request: l.Request}); x != nil {
		in := fault(x.id, "%s", l.Why)
		in.doubtful = !l.Refused
		x.answer <- in
	}
}

// waits reports whether the answer to a request is still waited for.
func (s *session) waits(request string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.inflight[request]
	return x != nil && x.running && !x.abandoned
}

// tooLong is for a message over the limit, which is dropped. Where it was an answer, or
// may have been one and nobody else waits, its caller is told.
func (s *session) tooLong(from upstream.Origin) {
	key, what, known := mcpwire.Glimpse(from.Head)
	if from.Apart || known && what != mcpwire.Response {
		return
	}
	if from.Request != "" {
		key = ""
	}
	x := s.take(key, from)
	if x == nil && key == "" && from.Request == "" {
		x, known = s.takeOnly(), false
	}
	if x != nil {
		in := fault(x.id, "the server sent a message that is too long")
		in.doubtful = !known
		x.answer <- in
	}
}

// only finds the one request that the server has, if there is no other. The caller holds
// the lock.
func (s *session) only() (x *exchange) {
	for _, o := range s.inflight {
		if o.running && x != nil {
			return nil
		}
		if o.running {
			x = o
		}
	}
	return x
}

func fault(id []byte, format string, args ...any) inbound {
	e := mcpwire.Errorf(mcpwire.CodeInternal, format, args...)
	return inbound{raw: mcpwire.ErrorAnswer(id, e), value: mcpwire.ErrorValue(e)}
}

// take finds the request that a response answers, once: who has it gives the one answer.
func (s *session) take(key string, from upstream.Origin) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken(s.addressee(key, from))
}

// takeOnly takes the one request that the server has, if there is no other.
func (s *session) takeOnly() *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken(s.only())
}

// taken ends a request's part in the session. The caller holds the lock.
func (s *session) taken(x *exchange) *exchange {
	if x == nil || !x.running {
		return nil
	}
	s.forget(x)
	s.retire(x)
	return x
}

// addressee finds the request that a response with an id is for. A process calls it by its
// name in the session. Over HTTP it is the one on whose stream the response came, with its
// caller's own id, or with none that can be read (key is empty then). The caller holds the
// lock.
func (s *session) addressee(key string, from upstream.Origin) *exchange {
	if from.Request == "" {
		if s.shared {
			return s.inflight[key]
		}
		return s.called(key)
	}
	x := s.inflight[from.Request]
	if x == nil || key == "" || x.own == key {
		return x
	}
	if s.shared {
		return nil
	}
	return s.called(key) // some servers answer on any stream
}

func (s *session) settle(m mcpwire.Message, from upstream.Origin) {
	x := s.take(m.Key, from)
	if x == nil {
		return
	}
	if !s.proved.Swap(true) {
		s.onProof()
	}
	in := inbound{raw: x.inward(m, "result"), status: from.Status, ok: m.Fault == nil && !mcpwire.IsToolError(m.Result), value: m.Result}
	if m.Fault != nil {
		in.value = m.Fault
	}
	if x.method == mcpwire.ListTools && m.Fault == nil {
		s.onList(m, x.more)
	}
	if s.onSaid != nil && m.Result != nil {
		s.onSaid(x.method, m.Result)
	}
	x.answer <- in
}

// pass brings a notification or a request of the server to the client.
func (s *session) pass(m mcpwire.Message, from upstream.Origin) {
	in := inbound{raw: m.Raw}
	p, reports := mcpwire.ReadProgress(m)
	if reports {
		in.progress = &p
	}
	if s.shared {
		s.share(m, in, from)
		return
	}
	s.mu.Lock()
	s.question(m)
	x := s.stream(in.progress, from)
	if x == nil && !reports {
		s.enqueue(m.Raw)
	}
	s.mu.Unlock()
	if x != nil {
		s.push(x, in)
	}
}

// share brings a notification of a shared session to the one caller that it is for. One
// of which that cannot be told is for nobody, as is a request: this era has none.
func (s *session) share(m mcpwire.Message, in inbound, from upstream.Origin) {
	if m.Kind != mcpwire.Notification {
		return
	}
	s.mu.Lock()
	x := s.inflight[from.Request]
	switch id, _ := mcpwire.IDKey(mcpwire.MetaOf(m, mcpwire.MetaSubscription)); {
	case x != nil:
	case in.progress != nil:
		x = s.stream(in.progress, from)
	case id != "":
		x = s.inflight[id]
	case m.Method == "notifications/message":
		x = s.logged()
	}
	hears := x != nil && x.running && !x.away
	s.mu.Unlock()
	if !hears {
		return
	}
	in.raw = x.inward(m, "params")
	if in.progress != nil && x.alias.token != nil {
		moved, _ := mcpwire.FromServer(in.raw)
		p, _ := mcpwire.ReadProgress(moved)
		in.progress = &p
	}
	s.offer(x, in)
}

// logged is the newest request that asked for log messages. The caller holds the lock.
func (s *session) logged() *exchange {
	for _, x := range slices.Backward(s.running) {
		if x.logs {
			return x
		}
	}
	return nil
}

// question notes a request of the server, so that the client's response finds its
// way back, and forgets one that the server withdraws. Of too many that the client
// does not answer some are forgotten. The caller holds the lock.
func (s *session) question(m mcpwire.Message) {
	if m.Kind == mcpwire.Request {
		for key := range s.asked {
			if len(s.asked) < maxInFlight {
				break
			}
			delete(s.asked, key)
		}
		s.asked[m.Key] = true
		return
	}
	if m.Method == mcpwire.CancelledNote {
		target, _ := mcpwire.Member(m.Params, "requestId")
		key, _ := mcpwire.IDKey(target)
		delete(s.asked, key)
	}
}

// stream chooses the request whose stream a message goes to: the one on whose stream it
// came, that of the progress token, else the newest that the server has and whose caller
// still listens. Progress of nobody goes nowhere, and what the server says apart goes apart.
func (s *session) stream(p *mcpwire.Progress, from upstream.Origin) *exchange {
	if x := s.inflight[from.Request]; x != nil && x.running && from.Request != "" && (p != nil || x.heard()) {
		return x
	}
	if p == nil && (from.Apart || from.Request != "") {
		return nil
	}
	for _, x := range slices.Backward(s.running) {
		if p == nil && x.heard() || p != nil && x.tokenKey == p.Key {
			return x
		}
	}
	return nil
}

// enqueue keeps a message for the GET stream, and drops the oldest over the limit.
func (s *session) enqueue(raw []byte) { s.enqueueOf(nil, raw) }

// enqueueOf keeps a message of a member, which loses its own where it has most.
func (s *session) enqueueOf(member *session, raw []byte) {
	s.backlog = append(s.backlog, waiting{raw, member})
	s.kept += len(raw)
	for len(s.backlog) > maxBacklog || (s.kept > maxKept && len(s.backlog) > 1) {
		i := crowded(s.backlog)
		s.kept -= len(s.backlog[i].raw)
		s.backlog = slices.Delete(s.backlog, i, i+1)
	}
	s.nudge()
}

// nudge tells the GET stream to look at the backlog.
func (s *session) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// dequeue gives the oldest message that waits for the GET stream, or nil.
func (s *session) dequeue() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.backlog) == 0 {
		return nil
	}
	raw := s.backlog[0].raw
	s.backlog, s.kept = s.backlog[1:], s.kept-len(raw)
	return raw
}

// requeue puts a message back that could not be delivered.
func (s *session) requeue(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog, s.kept = append([]waiting{{raw: raw}}, s.backlog...), s.kept+len(raw)
}

// listen makes the caller the one GET stream; replaced is closed when another one
// takes over, which a client opens when it believes the first one lost.
func (s *session) listen() (replaced <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.getter != nil {
		close(s.getter)
	}
	s.getter = make(chan struct{})
	return s.getter
}

// obituary says how the server ended, with its last words if it had any.
func (s *session) obituary(doing string) string {
	words := s.far.Last()
	if words == "" {
		return doing
	}
	return fmt.Sprintf("%s (its last words: %s)", doing, words)
}
