package gateway

import (
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// OpenSessions gives the sessions of clients that are open, members of a joined one aside, and
// requests without a session.
func (g *Gateway) OpenSessions() (all []permission.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		if s.Shared || s.Whole != nil {
			continue
		}
		used, idle := s.IdleSince()
		if !idle {
			used = time.Now()
		}
		open := permission.Session{ID: s.Name(), AgentID: s.Agent.ID, AgentName: s.Agent.Name, LastSeenAt: permission.Time(used.UnixMilli())}
		open.CreatedAt = open.LastSeenAt
		if id, err := uuid.Parse(s.ID()); err == nil {
			seconds, nanoseconds := id.Time().UnixTime()
			open.CreatedAt = permission.Time(time.Unix(seconds, nanoseconds).UnixMilli())
		}
		if s.Client != "" {
			open.Client = &s.Client
		}
		all = append(all, open)
	}
	return all
}
