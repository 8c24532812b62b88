package gateway

import (
	"net/http"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
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

// stateless takes a request of the era without sessions.
func (g *Gateway) stateless(w http.ResponseWriter, r *http.Request, agent permission.Agent, server permission.Server, m mcpwire.Message) {
	if m.Kind != mcpwire.Request {
		w.WriteHeader(http.StatusAccepted) // there is nothing that it could be about
		return
	}
	if bad := modernFault(r, m); bad != nil {
		refuse(w, statusOf(bad.Code), m.ID, bad)
		return
	}
	if bad := mcpwire.StatelessEra.Unnamed(m.Method); bad != nil {
		refuse(w, statusOf(bad.Code), m.ID, bad)
		return
	}
	s, bad := g.shared(agent, server)
	if bad != nil {
		refuse(w, http.StatusOK, m.ID, bad)
		return
	}
	defer s.leave()
	switch bad := s.headers.fault(r.Header, m); {
	case r.Header.Get(mcpwire.BridgeHeader) != "":
		m.Header = s.headers.with(m.Header, m)
	case bad != nil && server.Transport == permission.TransportStdio:
		refuse(w, http.StatusBadRequest, m.ID, bad) // a server over HTTP looks by itself
		return
	}
	out := newStream(w, r)
	out.modern = true
	g.request(r.Context(), s, m, out)
}

// shared enters the one session that serves all stateless requests of an agent to a
// server: what the server keeps between them, it keeps as if it stood there alone.
func (g *Gateway) shared(agent permission.Agent, server permission.Server) (*session, *mcpwire.Error) {
	g.sharing.Lock()
	defer g.sharing.Unlock()
	key := sharedKey{agent.ID, server.ID}
	g.mu.Lock()
	s := g.common[key]
	g.mu.Unlock()
	if s != nil && s.server.Same(&server) && s.enter() {
		return s, nil
	}
	s, bad := g.open(agent, server, true)
	if bad != nil {
		return nil, bad
	}
	g.mu.Lock()
	g.common[key] = s
	g.mu.Unlock()
	if !s.alive() {
		s.leave()
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "%s", s.obituary("the server ended at once"))
	}
	return s, nil
}

// sharedKey names a shared session.
type sharedKey struct {
	agent  permission.AgentID
	server string
}

// statusOf is the status of HTTP that goes with an error of this era.
func statusOf(code int) int {
	switch code {
	case mcpwire.CodeNoMethod:
		return http.StatusNotFound
	case mcpwire.CodeParams, mcpwire.CodeMismatch, -32021, mcpwire.CodeUnsupported:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// alias is what a request of a shared process is called on the way, since two callers
// may give the same names.
type alias struct {
	id    []byte // nil where the caller's own is used
	token []byte // of its progress; nil where the caller's own is used
}

// outward is the request as the process gets it.
func (a alias) outward(raw []byte) []byte {
	parts := map[mcpwire.Span][]byte{}
	if at, ok := mcpwire.Find(raw, 0, "id"); ok && a.id != nil {
		parts[at] = a.id
	}
	if at, ok := mcpwire.Find(raw, 0, "params", "_meta", "progressToken"); ok && a.token != nil {
		parts[at] = a.token
	}
	return mcpwire.Respell(raw, parts)
}

// inward is a message of the process as the caller of x gets it.
func (x *exchange) inward(m mcpwire.Message, at ...string) []byte {
	if x.alias.id == nil {
		return m.Raw
	}
	parts := map[mcpwire.Span][]byte{}
	if m.Kind == mcpwire.Response {
		if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok {
			parts[at] = x.id
		}
	}
	for _, holder := range at {
		if at, ok := mcpwire.Find(m.Raw, 0, holder, "_meta", mcpwire.MetaSubscription); ok {
			parts[at] = x.id
		}
		if at, ok := mcpwire.Find(m.Raw, 0, holder, "progressToken"); ok && x.alias.token != nil {
			parts[at] = x.token
		}
	}
	return mcpwire.Respell(m.Raw, parts)
}
