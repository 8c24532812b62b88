package gateway

import (
	"net/http"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// modern is the era without sessions: each request says in its _meta who sends it and
// which version it speaks, and repeats in headers what an intermediary looks at (MCP
// 2026-07-28, "Streamable HTTP").
const modern = "2026-07-28"

const (
	codeMismatch = -32020 // a header says something else than the body

	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"

	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"

	// bridgeHeader says that the caller is on stdio, behind "sekisho mcp", and sent no
	// headers of its own: the desk makes those of a tool's parameters.
	bridgeHeader = "Sekisho-Stdio"
)

// nameMember says which member of a method's params its Mcp-Name header repeats.
var nameMember = map[string]string{callTool: "name", "prompts/get": "name", "resources/read": "uri"}

// isModern reports whether a message is of the era without sessions: by what it says of
// itself, or by its header.
func isModern(r *http.Request, m message) bool {
	return r.Header.Get(versionHeader) == modern || m.kind != response && metaOf(m, metaVersion) != nil
}

// metaOf is a member of a message's _meta; nil when there is none.
func metaOf(m message, name string) []byte {
	meta, bad := within(m.params, "_meta")
	if meta == nil || bad != nil {
		return nil
	}
	members, err := split(meta)
	if err != nil {
		return nil
	}
	for _, member := range members {
		if member.Key == name {
			return member.Value
		}
	}
	return nil
}

// modernFault holds a request's headers against its body. The body decides what is
// judged and executed; headers that say something else would let an intermediary see
// another request than the desk does.
func modernFault(r *http.Request, m message) *wireError {
	version, ok := text(metaOf(m, metaVersion))
	said := r.Header.Get(versionHeader)
	switch {
	case !ok:
		return refusal(codeParams, "missing or invalid _meta field %q", metaVersion)
	case said != version:
		return refusal(codeMismatch, "the header %s says %.40q, and _meta says %.40q", versionHeader, said, version)
	case strings.TrimSpace(r.Header.Get(methodHeader)) != m.method:
		return refusal(codeMismatch, "the header %s does not name the method %.80q", methodHeader, m.method)
	case version != modern:
		bad := refusal(codeUnsupported, "protocol version %.40q is not supported here", version)
		bad.supported, bad.requested = []string{modern}, version
		return bad
	}
	member := nameMember[m.method]
	if member == "" {
		return nil
	}
	raw, bad := within(m.params, member)
	name, ok := text(raw)
	if bad != nil || !ok {
		return bad // what else is wrong with it is told by whoever needs it
	}
	if got, ok := headerText(r.Header.Values(nameHeader)); !ok || got != name {
		return refusal(codeMismatch, "the header %s does not name what params.%s does", nameHeader, member)
	}
	return nil
}

// stateless takes a request of the era without sessions.
func (g *Gateway) stateless(w http.ResponseWriter, r *http.Request, agent permission.Agent, server permission.Server, m message) {
	if m.kind != request {
		w.WriteHeader(http.StatusAccepted) // there is nothing that it could be about
		return
	}
	if bad := modernFault(r, m); bad != nil {
		refuse(w, statusOf(bad.code), m.id, bad)
		return
	}
	if bad := statelessEra.unnamed(m.method); bad != nil {
		refuse(w, statusOf(bad.code), m.id, bad)
		return
	}
	s, bad := g.shared(agent, server)
	if bad != nil {
		refuse(w, http.StatusOK, m.id, bad)
		return
	}
	defer s.leave()
	switch bad := s.headers.fault(r.Header, m); {
	case r.Header.Get(bridgeHeader) != "":
		m.header = s.headers.with(m.header, m)
	case bad != nil && server.Transport == permission.TransportStdio:
		refuse(w, http.StatusBadRequest, m.id, bad) // a server over HTTP looks by itself
		return
	}
	out := newStream(w, r)
	out.modern = true
	g.request(r.Context(), s, m, out)
}

// shared enters the one session that serves all stateless requests of an agent to a
// server: what the server keeps between them, it keeps as if it stood there alone.
func (g *Gateway) shared(agent permission.Agent, server permission.Server) (*session, *wireError) {
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
		return nil, refusal(codeInternal, "%s", s.obituary("the server ended at once"))
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
	case codeNoMethod:
		return http.StatusNotFound
	case codeParams, codeMismatch, -32021, codeUnsupported:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// span is a part of a message: [from, to).
type span struct{ from, to int }

// respell puts other bytes into the place of parts of a message. The parts do not
// overlap.
func respell(raw []byte, parts map[span][]byte) []byte {
	order := make([]span, 0, len(parts))
	for at := range parts {
		order = append(order, at)
	}
	slices.SortFunc(order, func(a, b span) int { return a.from - b.from })
	var out []byte
	done := 0
	for _, at := range order {
		out = append(append(out, raw[done:at.from]...), parts[at]...)
		done = at.to
	}
	return append(out, raw[done:]...)
}

// find gives the place of the value at a path of member names in an object that begins
// at base of a message.
func find(object []byte, base int, path ...string) (span, bool) {
	members, err := split(object)
	if err != nil {
		return span{}, false
	}
	i := slices.IndexFunc(members, func(m rawjson.Member) bool { return m.Key == path[0] })
	if i < 0 {
		return span{}, false
	}
	m := members[i]
	if len(path) == 1 {
		return span{base + m.ValueStart, base + m.ValueEnd}, true
	}
	return find(m.Value, base+m.ValueStart, path[1:]...)
}

// alias is what a request of a shared process is called on the way, since two callers
// may give the same names.
type alias struct {
	id    []byte // nil where the caller's own is used
	token []byte // of its progress; nil where the caller's own is used
}

// outward is the request as the process gets it.
func (a alias) outward(raw []byte) []byte {
	parts := map[span][]byte{}
	if at, ok := find(raw, 0, "id"); ok && a.id != nil {
		parts[at] = a.id
	}
	if at, ok := find(raw, 0, "params", "_meta", "progressToken"); ok && a.token != nil {
		parts[at] = a.token
	}
	return respell(raw, parts)
}

// inward is a message of the process as the caller of x gets it.
func (x *exchange) inward(m message, at ...string) []byte {
	if x.alias.id == nil {
		return m.raw
	}
	parts := map[span][]byte{}
	if m.kind == response {
		if at, ok := find(m.raw, 0, "id"); ok {
			parts[at] = x.id
		}
	}
	for _, holder := range at {
		if at, ok := find(m.raw, 0, holder, "_meta", metaSubscription); ok {
			parts[at] = x.id
		}
		if at, ok := find(m.raw, 0, holder, "progressToken"); ok && x.alias.token != nil {
			parts[at] = x.token
		}
	}
	return respell(m.raw, parts)
}
