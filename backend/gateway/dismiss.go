package gateway

import (
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// Dismiss ends the sessions of an agent that was removed from the desk: what they
// hold is let go, their servers are stopped.
func (g *Gateway) Dismiss(agent permission.AgentID) {
	g.endWhere(func(s *session.Session) bool { return s.Agent.ID == agent })
}

// Reinstall ends the sessions whose server is no longer in the list as it was when
// they began. Joined sessions go on with the others, and are told.
func (g *Gateway) Reinstall(servers []permission.Server) {
	listed := make(map[string]permission.Server, len(servers))
	for _, s := range servers {
		listed[s.ID] = s
	}
	g.mu.Lock()
	for _, v := range g.seen {
		v.crashes, v.until = 0, time.Time{} // what was wrong with it may be mended
	}
	g.mu.Unlock()
	var all []*session.Session
	g.endWhere(func(s *session.Session) bool {
		if g.joined.Serves(s) {
			all = append(all, s)
			return false
		}
		now, there := listed[s.Server.ID]
		return !there || !now.Enabled || !s.Server.Same(&now)
	})
	for _, s := range all {
		g.joined.Relist(s, servers)
	}
}

func (g *Gateway) endWhere(ends func(*session.Session) bool) {
	g.eachWhere(ends, func(s *session.Session) { s.End(session.ErrClosed) })
}

// eachWhere does something with some sessions; nothing is locked meanwhile.
func (g *Gateway) eachWhere(where func(*session.Session) bool, do func(*session.Session)) {
	g.mu.Lock()
	var chosen []*session.Session
	for _, s := range g.sessions {
		if where(s) {
			chosen = append(chosen, s)
		}
	}
	g.mu.Unlock()
	for _, s := range chosen {
		do(s)
	}
}
