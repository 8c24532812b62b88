package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
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
// and those of connected clients, and says what each is at as far as the desk knows of it:
// first those in which a call waits, then the last seen.
func (d *Calls) Sessions(ctx context.Context, connected []permission.Session) ([]permission.Session, error) {
	at := d.Now()
	all, err := d.sessions.Sessions(ctx, at.Add(-sessionsWithin))
	if err != nil {
		return nil, told("list sessions", err)
	}
	for i := range all {
		s := &all[i]
		if !s.Open && !s.Granted && (s.LastSeenAt.Add(sessionQuiet) <= at || d.over.since(s)) {
			s.State = permission.SessionEnded
		}
	}
	for _, open := range connected {
		i := slices.IndexFunc(all, func(s permission.Session) bool { return s.ID == open.ID && s.AgentID == open.AgentID })
		if i < 0 {
			all = append(all, open)
			continue
		}
		s := &all[i] // its client is there, however quiet
		s.State, s.Client, s.CreatedAt, s.LastSeenAt = "", open.Client, min(s.CreatedAt, open.CreatedAt), max(s.LastSeenAt, open.LastSeenAt)
	}
	for i := range all {
		switch s := &all[i]; {
		case s.Pending > 0:
			s.State = permission.SessionReview
		case s.State == "":
			s.State = permission.SessionWorking
		}
	}
	slices.SortStableFunc(all, func(a, b permission.Session) int {
		if review := cmp.Compare(min(b.Pending, 1), min(a.Pending, 1)); review != 0 {
			return review
		}
		return cmp.Compare(b.LastSeenAt, a.LastSeenAt)
	})
	return all, nil
}
