package rest

import (
	"context"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Sessions are those that the desk keeps something of.
type Sessions interface {
	// Sessions lists those of the last day, and those that are not over.
	Sessions(ctx context.Context) ([]permission.Session, error)
}

// sessionRows show the sessions.
type sessionRows struct {
	sessions  Sessions
	connected func() []permission.Session
}

func (h *sessionRows) addSessions(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "GET /v1/sessions", ID: "listSessions", Who: restwire.Operators,
		Summary: "List the sessions of agents",
		About: "Those with an open connection, and those with a call or a grant in the last 24 hours: first those in which a call waits, then the last seen. " +
			"A session is in review while a call of it waits, and has ended when nothing of it is open and its last call is 10 minutes old. " +
			"Beside open connections at most 1,000.",
	}, h.listSessions)
}

type sessionsOut struct {
	Body struct {
		Sessions []permission.Session `json:"sessions"`
	}
}

func (h *sessionRows) listSessions(ctx context.Context, _ *struct{}) (*sessionsOut, error) {
	all, err := h.sessions.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, open := range h.connected() {
		i := slices.IndexFunc(all, func(l permission.Session) bool { return l.ID == open.ID && l.AgentID == open.AgentID })
		if i < 0 {
			open.State = permission.SessionWorking
			all = append(all, open)
			continue
		}
		l := &all[i]
		l.Client, l.CreatedAt, l.LastSeenAt = open.Client, min(l.CreatedAt, open.CreatedAt), max(l.LastSeenAt, open.LastSeenAt)
		if l.State == permission.SessionEnded { // its client is there all the same
			l.State = permission.SessionWorking
		}
	}
	rank := func(l permission.Session) int { return slices.Index([]bool{true, false}, l.Pending > 0) }
	slices.SortStableFunc(all, func(a, b permission.Session) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return int(b.LastSeenAt - a.LastSeenAt)
	})
	out := &sessionsOut{}
	out.Body.Sessions = list(all)
	return out, nil
}
