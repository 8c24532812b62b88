package session

import (
	"fmt"
	"slices"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// Receive takes one line of the server and brings it where it belongs: a response
// to its request, progress to the request of its token, all else to the stream that
// is most likely read. It runs in the goroutine that reads the server's output, so
// that order is kept.
func (s *Session) Receive(raw []byte, from upstream.Origin) {
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
func (s *Session) unreadable(raw []byte, m mcpwire.Message, bad *mcpwire.Error, from upstream.Origin) {
	if _, what, ok := mcpwire.Glimpse(raw); ok && what != mcpwire.Response {
		return // its id is the server's own
	}
	if from.Request != "" {
		m.Key = ""
	}
	if x := s.take(m.Key, from); x != nil {
		x.answer <- Fault(x.ID, "the server's answer cannot be read: %s", bad.Message)
	}
}

// lost tells the caller of a request that no answer to it will come.
func (s *Session) lost(l upstream.Loss) {
	if x := s.take("", upstream.Origin{Request: l.Request}); x != nil {
		in := Fault(x.ID, "%s", l.Why)
		in.Doubtful = !l.Refused
		x.answer <- in
	}
}

// waits reports whether the answer to a request is still waited for.
func (s *Session) waits(request string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.inflight[request]
	return x != nil && x.running && !x.abandoned
}

// tooLong is for a message over the limit, which is dropped. Where it was an answer, or
// may have been one and nobody else waits, its caller is told.
func (s *Session) tooLong(from upstream.Origin) {
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
		in := Fault(x.ID, "the server sent a message that is too long")
		in.Doubtful = !known
		x.answer <- in
	}
}

// only finds the one request that the server has, if there is no other.
func only(inflight map[string]*Exchange) (x *Exchange) {
	for _, o := range inflight {
		if o.running && x != nil {
			return nil
		}
		if o.running {
			x = o
		}
	}
	return x
}

func Fault(id []byte, format string, args ...any) Inbound {
	e := mcpwire.Errorf(mcpwire.CodeInternal, format, args...)
	return Inbound{Raw: mcpwire.ErrorAnswer(id, e), Value: mcpwire.ErrorValue(e)}
}

// take finds the request that a response answers, once: who has it gives the one answer.
func (s *Session) take(key string, from upstream.Origin) *Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken(s.addressee(key, from))
}

// takeOnly takes the one request that the server has, if there is no other.
func (s *Session) takeOnly() *Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken(only(s.inflight))
}

// taken ends a request's part in the session. The caller holds the lock.
func (s *Session) taken(x *Exchange) *Exchange {
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
func (s *Session) addressee(key string, from upstream.Origin) *Exchange {
	if from.Request == "" {
		if s.Shared {
			return s.inflight[key]
		}
		return s.called(key)
	}
	x := s.inflight[from.Request]
	if x == nil || key == "" || x.own == key || x.alias.id != nil && x.key == key {
		return x
	}
	if s.Shared {
		return nil
	}
	return s.called(key) // some servers answer on any stream
}

func (s *Session) settle(m mcpwire.Message, from upstream.Origin) {
	x := s.take(m.Key, from)
	if x == nil {
		return
	}
	if !s.proved.Swap(true) {
		s.OnProof()
	}
	in := Inbound{Raw: x.inward(m, "result"), status: from.Status, OK: m.Fault == nil && !mcpwire.IsToolError(m.Result), Value: m.Result}
	if m.Fault != nil {
		in.Value = m.Fault
	}
	if x.method == mcpwire.ListTools && m.Fault == nil {
		s.OnList(m, x.more)
	}
	if s.OnSaid != nil && m.Result != nil {
		s.OnSaid(x.method, m.Result)
	}
	x.answer <- in
}

// pass brings a notification or a request of the server to the client.
func (s *Session) pass(m mcpwire.Message, from upstream.Origin) {
	in := Inbound{Raw: m.Raw}
	p, reports := mcpwire.ReadProgress(m)
	if reports {
		in.progress = &p
	}
	if s.Shared {
		s.share(m, in, from)
		return
	}
	s.mu.Lock()
	s.question(m)
	x := s.stream(in.progress, from)
	if x == nil && !reports {
		s.backlog.add(nil, m.Raw)
	}
	s.mu.Unlock()
	if x != nil {
		s.push(x, in)
	}
}

// share brings a notification of a shared session to the one caller that it is for. One
// of which that cannot be told is for nobody, as is a request: this era has none.
func (s *Session) share(m mcpwire.Message, in Inbound, from upstream.Origin) {
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
		x = logged(s.running)
	}
	hears := x != nil && x.running && !x.away
	s.mu.Unlock()
	if !hears {
		return
	}
	in.Raw = x.inward(m, "params")
	if in.progress != nil && x.alias.token != nil {
		moved, _ := mcpwire.FromServer(in.Raw)
		p, _ := mcpwire.ReadProgress(moved)
		in.progress = &p
	}
	s.offer(x, in)
}

// logged is the newest request that asked for log messages.
func logged(running []*Exchange) *Exchange {
	for _, x := range slices.Backward(running) {
		if x.logs {
			return x
		}
	}
	return nil
}

// question notes a request of the server, so that the client's response finds its
// way back, and forgets one that the server withdraws. Of too many that the client
// does not answer some are forgotten. The caller holds the lock.
func (s *Session) question(m mcpwire.Message) {
	if m.Kind == mcpwire.Request {
		for key := range s.asked {
			if len(s.asked) < MaxInFlight {
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
func (s *Session) stream(p *mcpwire.Progress, from upstream.Origin) *Exchange {
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

// Obituary says how the server ended, with its last words if it had any.
func (s *Session) Obituary(doing string) string {
	words := s.Far.Last()
	if words == "" {
		return doing
	}
	return fmt.Sprintf("%s (its last words: %s)", doing, words)
}

// Say keeps a message for the GET stream, as that of a member of a joined session or of the
// desk (nil).
func (s *Session) Say(member *Session, raw []byte) { s.backlog.add(member, raw) }

// Hear hands on what waits for the GET stream, until the session's end.
func (s *Session) Hear(take func(raw []byte)) {
	for going := true; going; {
		select {
		case <-s.backlog.wake:
		case <-s.over:
			going = false
		}
		for raw := s.backlog.take(); raw != nil; raw = s.backlog.take() {
			take(raw)
		}
	}
}

// Asks notes a request of the server by the key of its id, so that the client's response
// finds its way back.
func (s *Session) Asks(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.question(mcpwire.Message{Kind: mcpwire.Request, Key: key})
}
