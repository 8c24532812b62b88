package gateway

import (
	"net/http"
	"strings"

	"sekisho/backend/attend"
	"sekisho/backend/era"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// isModern reports whether a message is of the era without sessions: by what it says of
// itself, or by its header.
func isModern(r *http.Request, m mcpwire.Message) bool {
	return r.Header.Get(mcpwire.VersionHeader) == mcpwire.Stateless || m.Kind != mcpwire.Response &&
		mcpwire.MetaOf(m, mcpwire.MetaVersion) != nil
}

// modernFault holds a request's headers against its body. The body decides what is
// judged and executed; headers that say something else would let an intermediary see
// another request than the desk does.
func modernFault(r *http.Request, m mcpwire.Message) *mcpwire.Error {
	version, ok := mcpwire.Text(mcpwire.MetaOf(m, mcpwire.MetaVersion))
	said := r.Header.Get(mcpwire.VersionHeader)
	switch {
	case !ok:
		return mcpwire.Errorf(mcpwire.CodeParams, "missing or invalid _meta field %q", mcpwire.MetaVersion)
	case said != version:
		return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %s says %.40q, and _meta says %.40q", mcpwire.VersionHeader, said, version)
	case strings.TrimSpace(r.Header.Get(mcpwire.MethodHeader)) != m.Method:
		return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %s does not name the method %.80q", mcpwire.MethodHeader, m.Method)
	case version != mcpwire.Stateless:
		bad := mcpwire.Errorf(mcpwire.CodeUnsupported, "protocol version %.40q is not supported here", version)
		bad.Supported, bad.Requested = []string{mcpwire.Stateless}, version
		return bad
	}
	member := mcpwire.NameMember[m.Method]
	if member == "" {
		return nil
	}
	raw, bad := mcpwire.Member(m.Params, member)
	name, ok := mcpwire.Text(raw)
	if bad != nil || !ok {
		return bad // what else is wrong with it is told by whoever needs it
	}
	if got, ok := mcpwire.HeaderText(r.Header.Values(mcpwire.NameHeader)); !ok || got != name {
		return mcpwire.Errorf(mcpwire.CodeMismatch, "the header %s does not name what params.%s does", mcpwire.NameHeader, member)
	}
	return nil
}

// stateless takes a request of the era without sessions to a server, or to all as one, which is an
// entry without an id.
func (g *Gateway) stateless(w http.ResponseWriter, r *http.Request, agent permission.Agent, server permission.Server, m mcpwire.Message) {
	if m.Kind != mcpwire.Request {
		w.WriteHeader(http.StatusAccepted) // there is nothing that it could be about
		return
	}
	bad := modernFault(r, m)
	if bad == nil {
		bad = mcpwire.StatelessEra.Unnamed(m.Method)
	}
	if bad != nil {
		refuse(w, session.StatusOf(bad.Code), m.ID, bad)
		return
	}
	meta, _ := mcpwire.Member(m.Params, "_meta") // it was read
	g.opts.Met(agent.ID, session.ClientOf(mcpwire.MetaOf(m, mcpwire.MetaClient)))
	s, bad := g.Shared(agent, server, meta)
	if bad != nil {
		refuse(w, http.StatusOK, m.ID, bad)
		return
	}
	defer s.Leave()
	out := session.NewStream(w, r)
	out.Modern = true
	out.Patience(g.patience(&attend.Request{Agent: agent, Client: s.ClientOf(m)}))
	bridged := r.Header.Get(mcpwire.BridgeHeader) != ""
	if server.ID == "" {
		if bridged {
			m.Header = nil // it had no headers
		}
		g.joined.Request(r.Context(), s, m, out)
		return
	}
	switch bad := s.Headers.Fault(r.Header, m); {
	case bridged:
		m.Header = s.Headers.With(m.Header, m)
	case bad != nil && (server.IsProcess() || g.bridges.Sessions(&server)):
		refuse(w, http.StatusBadRequest, m.ID, bad) // another server over HTTP looks by itself
		return
	}
	g.Request(r.Context(), s, m, out, nil)
}

// Shared enters the session that serves all stateless requests of an agent to a server, by the
// _meta of one of them: what the server keeps between them, it keeps as if it stood there alone.
func (g *Gateway) Shared(agent permission.Agent, server permission.Server, meta []byte) (*session.Session, *mcpwire.Error) {
	g.sharing.Lock()
	defer g.sharing.Unlock()
	own := commonKey{sharedKey{agent.ID, server.ID}, era.Persona(meta), agent.Session}
	key := own
	if server.ID != "" && !g.bridges.Sessions(&server) {
		key.persona = "" // one for all
	}
	g.mu.Lock()
	s := g.common[key]
	g.mu.Unlock()
	if s != nil && s.Server.Same(&server) && s.Enter() {
		return s, nil
	}
	s, bad := g.open(agent, server, true)
	if bad != nil {
		return nil, bad
	}
	g.mu.Lock()
	g.common[key], g.common[own] = s, s
	g.mu.Unlock()
	if !s.Alive() {
		s.Leave()
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", s.Obituary("the server ended at once"))
	}
	return s, nil
}
