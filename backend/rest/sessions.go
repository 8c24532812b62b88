package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Sessions are those that the desk keeps something of.
type Sessions interface {
	// Sessions lists those of the last day, those that are not over, and those of connected clients.
	Sessions(ctx context.Context, connected []permission.Session) ([]permission.Session, error)
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
	all, err := h.sessions.Sessions(ctx, h.connected())
	out := &sessionsOut{}
	out.Body.Sessions = list(all)
	return out, err
}
