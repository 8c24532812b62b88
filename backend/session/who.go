package session

import "sekisho/backend/permission"

// Who is the client as it asks: with the session that it came with or that it was bound to.
// Members of a joined session ask as that does.
func (s *Session) Who() permission.Agent {
	if s.Whole != nil {
		return s.Whole.Who()
	}
	who := s.Agent
	if bound := s.bound.Load(); bound != nil && who.Session == "" {
		who.Session = *bound
	}
	return who
}

// Bind lets the client ask in a session that the desk made, as if it had come with the token of
// that: it has shown the passkey on this connection. A caller without a connection of its own, and
// one that came with a token of a session, is not bound.
func (s *Session) Bind(to permission.SessionID) {
	if s.Whole != nil {
		s.Whole.Bind(to)
	} else if !s.Shared && s.Agent.Session == "" {
		s.bound.Store(&to)
	}
}

// Unbind takes that back, where the session is the one that ended.
func (s *Session) Unbind(ended permission.SessionID) {
	if bound := s.bound.Load(); bound != nil && *bound == ended {
		s.bound.CompareAndSwap(bound, nil)
	}
}
