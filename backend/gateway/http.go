package gateway

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// besideInput is how many members and elements a message may have beside those of a
// call's input.
const besideInput = 1000

// ServeHTTP serves /mcp/{serverId}, and /mcp, which joins all servers. A message counts
// as one that Close waits for when all of it is there.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, ok := permission.Agent{}, false
	if g.opts.AgentFrom != nil {
		agent, ok = g.opts.AgentFrom(r)
	}
	if !ok {
		refuse(w, http.StatusForbidden, nil, mcpwire.Errorf(mcpwire.CodeInvalid, "only an agent may use a tool server: send its bearer token"))
		return
	}
	var m mcpwire.Message
	if r.Method == http.MethodPost {
		var status int
		var bad *mcpwire.Error
		if m, status, bad = g.read(w, r); bad != nil {
			refuse(w, status, m.ID, bad)
			return
		}
	}
	if !g.enter() {
		refuse(w, http.StatusServiceUnavailable, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the desk is closing"))
		return
	}
	defer g.busy.Done()
	g.serve(w, r, agent, m)
}

// serve takes a request of an agent, with its message if it is a POST.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	switch r.Method {
	case http.MethodPost:
		if serverOf(r) == "" {
			g.postJoined(w, r, agent, m)
			return
		}
		g.post(w, r, agent, m)
	case http.MethodGet:
		g.get(w, r, agent)
	case http.MethodDelete:
		g.delete(w, r, agent)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		refuse(w, http.StatusMethodNotAllowed, nil, mcpwire.Errorf(mcpwire.CodeInvalid, "this endpoint takes POST, GET and DELETE"))
	}
}

func serverOf(r *http.Request) string {
	_, id, _ := strings.Cut(r.URL.Path, "/mcp/")
	return id
}

// versionFault refuses an era that is not spoken here. Without the header it is
// 2025-03-26 or older.
func versionFault(r *http.Request) *mcpwire.Error {
	v := r.Header.Get(mcpwire.VersionHeader)
	if v == "" || slices.Contains(mcpwire.SessionVersions[:], v) {
		return nil
	}
	bad := mcpwire.Errorf(mcpwire.CodeUnsupported, "protocol version %.40q is not supported here", v)
	bad.Supported, bad.Requested = append([]string{mcpwire.Stateless}, mcpwire.SessionVersions[:]...), v
	return bad
}

// accepts reports whether the client takes a content type; one that does not say
// takes all.
func accepts(r *http.Request, want string) bool {
	all := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(all) == "" {
		return true
	}
	kind, _, _ := strings.Cut(want, "/")
	for _, part := range strings.Split(all, ",") {
		t, _, _ := mime.ParseMediaType(part)
		if t == want || t == "*/*" || t == kind+"/*" {
			return true
		}
	}
	return false
}

// get is the stream of what the server says on its own.
func (g *Gateway) get(w http.ResponseWriter, r *http.Request, agent permission.Agent) {
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, nil, mcpwire.Errorf(mcpwire.CodeInvalid, "accept text/event-stream"))
		return
	}
	s, ok := g.known(w, r, agent, nil)
	if !ok {
		return
	}
	defer s.Leave()
	out := session.NewStream(w, r)
	defer s.Attach(out)()
	s.Speak(r.Context(), out)
}

// delete ends a session.
func (g *Gateway) delete(w http.ResponseWriter, r *http.Request, agent permission.Agent) {
	s, ok := g.known(w, r, agent, nil)
	if !ok {
		return
	}
	s.End(session.ErrClosed)
	s.Leave()
	w.WriteHeader(http.StatusNoContent)
}

// known enters the session that a request names, or answers why not. A session of
// another agent is as unknown as one that never was: 404 with a null id, by which
// clients know that it is the session that is missing.
func (g *Gateway) known(w http.ResponseWriter, r *http.Request, agent permission.Agent, id []byte) (*session.Session, bool) {
	if bad := versionFault(r); bad != nil {
		refuse(w, http.StatusBadRequest, id, bad)
		return nil, false
	}
	name := r.Header.Get(mcpwire.SessionHeader)
	if name == "" {
		refuse(w, http.StatusBadRequest, id, mcpwire.Errorf(mcpwire.CodeInvalid, "no %s header: begin with initialize", mcpwire.SessionHeader))
		return nil, false
	}
	s := g.session(name, agent, serverOf(r))
	if s == nil || !s.Enter() {
		refuse(w, http.StatusNotFound, nil, mcpwire.Errorf(mcpwire.CodeNoSession, "no such session: begin again with initialize"))
		return nil, false
	}
	return s, true
}

// post takes one message of the client.
func (g *Gateway) post(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	server, bad := g.Listed(r.Context(), serverOf(r))
	if bad != nil {
		refuse(w, http.StatusNotFound, m.ID, bad)
		return
	}
	if bad := sessionsOnly(r, m); bad != nil && server.ID == permission.PromptServer {
		refuse(w, http.StatusBadRequest, m.ID, bad)
		return
	}
	if r.Header.Get(mcpwire.SessionHeader) == "" && isModern(r, m) {
		g.stateless(w, r, agent, server, m)
		return
	}
	if bad := versionFault(r); bad != nil {
		refuse(w, http.StatusBadRequest, m.ID, bad)
		return
	}
	if r.Header.Get(mcpwire.SessionHeader) == "" && m.Kind == mcpwire.Request && m.Method == mcpwire.Initialize {
		g.opts.Met(agent.ID, clientOf(m))
		g.initialize(w, r, agent, server, m)
		return
	}
	s, ok := g.known(w, r, agent, m.ID)
	if !ok {
		return
	}
	defer s.Leave()
	if !s.Server.Same(&server) {
		s.End(session.ErrClosed)
		refuse(w, http.StatusNotFound, nil, mcpwire.Errorf(mcpwire.CodeNoSession, "the server's entry has changed: begin again with initialize"))
		return
	}
	switch m.Kind {
	case mcpwire.Request:
		out := session.NewStream(w, r)
		if bad := mcpwire.SessionEra.Unnamed(m.Method); bad != nil {
			out.Answer(mcpwire.ErrorAnswer(m.ID, bad))
			return
		}
		g.Request(r.Context(), s, m, out, nil)
	case mcpwire.Notification:
		g.notify(r.Context(), w, s, m)
	default:
		g.respond(r.Context(), w, s, m)
	}
}

// read takes the body and everything that can be said before a server is asked.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) (m mcpwire.Message, status int, bad *mcpwire.Error) {
	if r.Header.Get("Content-Encoding") != "" {
		return m, http.StatusUnsupportedMediaType, mcpwire.Errorf(mcpwire.CodeInvalid, "a message is not compressed")
	}
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return m, http.StatusUnsupportedMediaType, mcpwire.Errorf(mcpwire.CodeInvalid, "send application/json")
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		return m, http.StatusNotAcceptable, mcpwire.Errorf(mcpwire.CodeInvalid, "accept application/json and text/event-stream")
	}
	counted := rawjson.Bounded(http.MaxBytesReader(w, r.Body, int64(g.opts.MaxMessage)), g.opts.InputMembers()+besideInput)
	body, err := io.ReadAll(counted)
	var large *http.MaxBytesError
	var many *rawjson.Error
	switch {
	case errors.As(err, &many):
		_, _ = io.Copy(io.Discard, r.Body) // many clients read the answer only after they have sent all
		return m, http.StatusUnprocessableEntity, mcpwire.Errorf(mcpwire.CodeParams, "%s", many)
	case errors.As(err, &large):
		return m, http.StatusRequestEntityTooLarge, mcpwire.Errorf(mcpwire.CodeInvalid, "a message has at most %d bytes", g.opts.MaxMessage)
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return m, http.StatusRequestTimeout, mcpwire.Errorf(mcpwire.CodeInvalid, "the message came too slowly")
	case err != nil:
		return m, http.StatusBadRequest, mcpwire.Errorf(mcpwire.CodeParse, "read body: %s", err)
	}
	leave, ok := g.opts.Admit(r, counted.Members())
	if !ok {
		return m, http.StatusTooManyRequests, mcpwire.Errorf(mcpwire.CodeInternal, "too much is under way for this agent: try again in a moment")
	}
	defer leave()
	if m, bad = mcpwire.FromClient(body); bad != nil {
		return m, http.StatusBadRequest, bad
	}
	if m.Kind == mcpwire.Notification && m.Method == mcpwire.CallTool {
		return m, http.StatusBadRequest, mcpwire.Errorf(mcpwire.CodeInvalid, "%s is a request: give it an id", mcpwire.CallTool)
	}
	m.Header = headersOf(r)
	if bad := upstream.StrayParam(m); bad != nil {
		return m, http.StatusBadRequest, bad
	}
	return m, http.StatusOK, nil
}

// headersOf are the headers of MCP that a caller sent, but for the session's name: that
// one is between it and the desk. In an era with sessions there is only the version; others
// would reach a server without having been read by anybody.
func headersOf(r *http.Request) http.Header {
	h := http.Header{}
	stateless := r.Header.Get(mcpwire.VersionHeader) == mcpwire.Stateless
	for name, values := range r.Header {
		if name == mcpwire.VersionHeader || stateless &&
			(name == mcpwire.MethodHeader || name == mcpwire.NameHeader || strings.HasPrefix(name, upstream.ParamHeader)) {
			h[name] = values
			if name == mcpwire.VersionHeader || name == mcpwire.MethodHeader {
				h[name] = values[:1] // the one that is read
			}
		}
	}
	return h
}

// Listed gives the server's entry, if it is in the list and enabled.
func (g *Gateway) Listed(ctx context.Context, id string) (permission.Server, *mcpwire.Error) {
	if id == permission.PromptServer {
		return promptEntry, nil
	}
	server, err := g.desk.Server(ctx, id)
	switch {
	case errors.Is(err, permission.NotFound("")):
		return server, mcpwire.Errorf(mcpwire.CodeNoServer, "there is no server %.80q behind this desk", id)
	case err != nil:
		g.opts.Logger.Error("find a server", "server", id, "error", err)
		return server, mcpwire.Errorf(mcpwire.CodeInternal, "find server: the desk does not answer")
	case !server.Enabled:
		return server, mcpwire.Errorf(mcpwire.CodeNoServer, "the server %.80q is disabled", id)
	}
	return server, nil
}
