package gateway

import (
	"net/http"
	"slices"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// postJoined takes one message of a client of all servers as one.
func (g *Gateway) postJoined(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	if r.Header.Get(mcpwire.SessionHeader) == "" && isModern(r, m) {
		g.stateless(w, r, agent, permission.Server{}, m)
		return
	}
	if bad := versionFault(r); bad != nil {
		refuse(w, http.StatusBadRequest, m.ID, bad)
		return
	}
	if r.Header.Get(mcpwire.SessionHeader) == "" && m.Kind == mcpwire.Request && m.Method == mcpwire.Initialize {
		g.opts.Met(agent.ID, clientOf(m))
		g.joined.Initialize(w, r, agent, m)
		return
	}
	s, ok := g.known(w, r, agent, m.ID)
	if !ok {
		return
	}
	defer s.Leave()
	switch m.Kind {
	case mcpwire.Request:
		g.joined.Request(r.Context(), s, m, session.NewStream(w, r))
	case mcpwire.Notification:
		g.notify(r.Context(), w, s, m)
	default:
		g.respond(r.Context(), w, s, m)
	}
}

// sessionsOnly refuses the era without sessions, which its clients take as advice to
// begin with initialize: the desk's own prompt belongs to a session.
func sessionsOnly(r *http.Request, m mcpwire.Message) *mcpwire.Error {
	asked := r.Header.Get(mcpwire.VersionHeader)
	switch {
	case r.Header.Get(mcpwire.SessionHeader) == "" && isModern(r, m):
		asked = mcpwire.Stateless
	case asked == "" || slices.Contains(mcpwire.SessionVersions[:], asked):
		return nil
	}
	bad := mcpwire.Errorf(mcpwire.CodeUnsupported,
		"protocol version %.40q is not supported at this endpoint: begin with initialize", asked)
	bad.Supported, bad.Requested = mcpwire.SessionVersions[:], asked
	return bad
}
