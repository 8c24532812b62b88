package joined

import (
	"slices"
	"sync"

	"sekisho/backend/mcpwire"
)

// subscriptions are the resources that the client is subscribed to, and how it calls them.
type subscriptions struct {
	mu sync.Mutex
	of map[pair][]string
	n  int // names in of
}

// noting notes what a request changes; settled says whether it was granted.
func (s *subscriptions) noting(method, uri string, p pair) (settled func(granted bool)) {
	switch method {
	case mcpwire.Subscribe:
		return s.begin(uri, p)
	case mcpwire.Unsubscribe:
		return func(granted bool) {
			if granted {
				s.end(uri, p)
			}
		}
	}
	return func(bool) {}
}

// begin notes a subscription before its server hears of it, since news of the resource may
// come before the answer; settled says whether it was taken.
func (s *subscriptions) begin(uri string, p pair) (settled func(taken bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := slices.Contains(s.of[p], uri)
	if !had && s.n < mcpwire.MaxResources {
		s.of[p] = append(s.of[p], uri)
		s.n++
	}
	return func(taken bool) {
		if !taken && !had {
			s.end(uri, p)
		}
	}
}

// end forgets that the client is subscribed to a resource by this name.
func (s *subscriptions) end(uri string, p pair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(s.of[p]), func(name string) bool { return name == uri })
	s.n -= len(s.of[p]) - len(left)
	if s.of[p] = left; len(left) == 0 {
		delete(s.of, p)
	}
}

// names are those by which the client is subscribed to a resource.
func (s *subscriptions) names(p pair) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.of[p])
}

// where gives the resources that the client is subscribed to by this name.
func (s *subscriptions) where(uri string) (all []pair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, names := range s.of {
		if slices.Contains(names, uri) {
			all = append(all, p)
		}
	}
	return all
}

// at gives the URIs of a server's resources that the client is subscribed to.
func (s *subscriptions) at(server string) (uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.of {
		if p.server == server {
			uris = append(uris, p.name)
		}
	}
	return uris
}
