package coordination

import (
	"sync"

	"sekisho/backend/permission"
)

// signs are the sessions that have called a tool since this desk began. One that never did may be
// nobody's: the answer with its passkey or its token may have been lost, with the desk before this
// one or on its way.
type signs struct {
	began permission.Time

	mu   sync.Mutex
	seen map[permission.SessionID]bool // whether it has nothing to do but to wait, as it was told last
}

// note takes note of a session that calls a tool.
func (s *signs) note(id permission.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[id] = false
}

// rest takes note that a session was told to wait: it has nothing else to do.
func (s *signs) rest(id permission.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[id] = true
}

// rests reports whether a session does nothing but wait.
func (s *signs) rests(id permission.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[id]
}

// has reports whether a session has called a tool.
func (s *signs) has(id permission.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, seen := s.seen[id]
	return seen
}

// forget forgets a session that has ended.
func (s *signs) forget(id permission.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, id)
}
