package session

// Listens notes that the caller of a request in a shared session is told when its list of tools is
// another: the desk says so itself, whatever the server says.
func (x *Exchange) Listens() { x.listens.Store(true) }

// Tell brings those who listen in a shared session news of the desk's own; of gives it for a
// request by the id that its caller gave it. A caller that has not read for long is gone: when it
// listens again, it asks for the list.
func Tell(s *Session, of func(id []byte) []byte) {
	s.mu.Lock()
	var listening []*Exchange
	for _, x := range s.inflight {
		if x.listens.Load() && x.heard() {
			listening = append(listening, x)
		}
	}
	s.mu.Unlock()
	for _, x := range listening {
		select {
		case x.msgs <- Inbound{Raw: of(x.ID)}:
		default:
			s.lose(x)
			x.cancel(ErrGone)
		}
	}
}
