package desk

import (
	"context"
	"maps"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
)

const (
	sessionsWithin = 24 * time.Hour   // after its last call a session is listed
	sessionQuiet   = 10 * time.Minute // after its last call it counts as ended, where nothing of it is open
)

// overSessions are those that were ended, and when. They live in memory: after a restart a
// session that was ended counts so once it is quiet.
type overSessions struct {
	mu sync.Mutex
	at map[sessionKey]permission.Time
}

// sessionKey is a session; with an empty agent, that of every agent with this id.
type sessionKey struct {
	agent   permission.AgentID
	session permission.SessionID
}

func (o *overSessions) note(k sessionKey, at permission.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.at == nil {
		o.at = map[sessionKey]permission.Time{}
	}
	maps.DeleteFunc(o.at, func(_ sessionKey, then permission.Time) bool { return then.Add(sessionsWithin) < at })
	o.at[k] = at
}

func (o *overSessions) since(s *permission.Session) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.at[sessionKey{s.AgentID, s.ID}], o.at[sessionKey{"", s.ID}]) >= s.LastSeenAt
}

// Sessions lists those with a call in the last day, with one that is not over, or with a grant,
// those of connected clients, and those that the desk made: see sessionbook.List.
func (d *Calls) Sessions(ctx context.Context, connected []permission.Session) ([]permission.Session, error) {
	at := d.Now()
	all, err := d.sessions.Sessions(ctx, at.Add(-sessionsWithin))
	if err != nil {
		return nil, told("list sessions", err)
	}
	quiet := func(s *permission.Session) bool {
		return !s.Open && !s.Granted && (s.LastSeenAt.Add(sessionQuiet) <= at || d.over.since(s))
	}
	return sessionbook.List(all, connected, d.opts.Standings, quiet, d.catalogue.agents.Load().Name, at), nil
}
