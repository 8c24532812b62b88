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

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// besideInput is how many members and elements a message may have beside those of a
// call's input.
const besideInput = 1000

// versions are those of the era with sessions that are spoken here, newest first.
var versions = [...]string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// ServeHTTP serves /mcp/{serverId}, and /mcp, which joins all servers. A message counts
// as one that Close waits for when all of it is there.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, ok := permission.Agent{}, false
	if g.opts.AgentFrom != nil {
		agent, ok = g.opts.AgentFrom(r)
	}
	if !ok {
		refuse(w, http.StatusForbidden, nil, refusal(codeInvalid, "only an agent may use a tool server: send its bearer token"))
		return
	}
	var m message
	if r.Method == http.MethodPost {
		var status int
		var bad *wireError
		if m, status, bad = g.read(w, r); bad != nil {
			refuse(w, status, m.id, bad)
			return
		}
	}
	if !g.enter() {
		refuse(w, http.StatusServiceUnavailable, nil, refusal(codeInternal, "the desk is closing"))
		return
	}
	defer g.busy.Done()
	g.serve(w, r, agent, m)
}

// serve takes a request of an agent, with its message if it is a POST.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, agent permission.Agent, m message) {
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
		refuse(w, http.StatusMethodNotAllowed, nil, refusal(codeInvalid, "this endpoint takes POST, GET and DELETE"))
	}
}

// refuse answers without a session's help.
func refuse(w http.ResponseWriter, status int, id []byte, e *wireError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(errorAnswer(id, e)) // whoever is gone has missed nothing
}

func serverOf(r *http.Request) string {
	_, id, _ := strings.Cut(r.URL.Path, "/mcp/")
	return id
}

// versionFault refuses an era that is not spoken here. Without the header it is
// 2025-03-26 or older.
func versionFault(r *http.Request) *wireError {
	v := r.Header.Get(versionHeader)
	if v == "" || slices.Contains(versions[:], v) {
		return nil
	}
	bad := refusal(codeUnsupported, "protocol version %.40q is not supported here", v)
	bad.supported, bad.requested = append([]string{modern}, versions[:]...), v
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
		refuse(w, http.StatusNotAcceptable, nil, refusal(codeInvalid, "accept text/event-stream"))
		return
	}
	s, ok := g.known(w, r, agent, nil)
	if !ok {
		return
	}
	defer s.leave()
	out := newStream(w, r)
	defer s.attach(out)()
	s.speak(r.Context(), out)
}

// delete ends a session.
func (g *Gateway) delete(w http.ResponseWriter, r *http.Request, agent permission.Agent) {
	s, ok := g.known(w, r, agent, nil)
	if !ok {
		return
	}
	s.end(errClosed)
	s.leave()
	w.WriteHeader(http.StatusNoContent)
}

// known enters the session that a request names, or answers why not. A session of
// another agent is as unknown as one that never was: 404 with a null id, by which
// clients know that it is the session that is missing.
func (g *Gateway) known(w http.ResponseWriter, r *http.Request, agent permission.Agent, id []byte) (*session, bool) {
	if bad := versionFault(r); bad != nil {
		refuse(w, http.StatusBadRequest, id, bad)
		return nil, false
	}
	name := r.Header.Get(sessionHeader)
	if name == "" {
		refuse(w, http.StatusBadRequest, id, refusal(codeInvalid, "no %s header: begin with initialize", sessionHeader))
		return nil, false
	}
	s := g.session(name, agent, serverOf(r))
	if s == nil || !s.enter() {
		refuse(w, http.StatusNotFound, nil, refusal(codeNoSession, "no such session: begin again with initialize"))
		return nil, false
	}
	return s, true
}

// post takes one message of the client.
func (g *Gateway) post(w http.ResponseWriter, r *http.Request, agent permission.Agent, m message) {
	server, bad := g.listedServer(r.Context(), serverOf(r))
	if bad != nil {
		refuse(w, http.StatusNotFound, m.id, bad)
		return
	}
	if r.Header.Get(sessionHeader) == "" && isModern(r, m) {
		g.stateless(w, r, agent, server, m)
		return
	}
	if bad := versionFault(r); bad != nil {
		refuse(w, http.StatusBadRequest, m.id, bad)
		return
	}
	if r.Header.Get(sessionHeader) == "" && m.kind == request && m.method == initialize {
		g.initialize(w, r, agent, server, m)
		return
	}
	s, ok := g.known(w, r, agent, m.id)
	if !ok {
		return
	}
	defer s.leave()
	if !s.server.Same(&server) {
		s.end(errClosed)
		refuse(w, http.StatusNotFound, nil, refusal(codeNoSession, "the server's entry has changed: begin again with initialize"))
		return
	}
	switch m.kind {
	case request:
		out := newStream(w, r)
		if bad := sessionEra.unnamed(m.method); bad != nil {
			out.answer(errorAnswer(m.id, bad))
			return
		}
		g.request(r.Context(), s, m, out)
	case notification:
		g.notify(r.Context(), w, s, m)
	default:
		g.respond(r.Context(), w, s, m)
	}
}

// read takes the body and everything that can be said before a server is asked.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request) (m message, status int, bad *wireError) {
	if r.Header.Get("Content-Encoding") != "" {
		return m, http.StatusUnsupportedMediaType, refusal(codeInvalid, "a message is not compressed")
	}
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return m, http.StatusUnsupportedMediaType, refusal(codeInvalid, "send application/json")
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		return m, http.StatusNotAcceptable, refusal(codeInvalid, "accept application/json and text/event-stream")
	}
	counted := rawjson.Bounded(http.MaxBytesReader(w, r.Body, int64(g.opts.MaxMessage)), g.opts.InputMembers()+besideInput)
	body, err := io.ReadAll(counted)
	var large *http.MaxBytesError
	var many *rawjson.Error
	switch {
	case errors.As(err, &many):
		_, _ = io.Copy(io.Discard, r.Body) // many clients read the answer only after they have sent all
		return m, http.StatusUnprocessableEntity, refusal(codeParams, "%s", many)
	case errors.As(err, &large):
		return m, http.StatusRequestEntityTooLarge, refusal(codeInvalid, "a message has at most %d bytes", g.opts.MaxMessage)
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return m, http.StatusRequestTimeout, refusal(codeInvalid, "the message came too slowly")
	case err != nil:
		return m, http.StatusBadRequest, refusal(codeParse, "read body: %s", err)
	}
	leave, ok := g.opts.Admit(r, counted.Members())
	if !ok {
		return m, http.StatusTooManyRequests, refusal(codeInternal, "too much is under way for this agent: try again in a moment")
	}
	defer leave()
	if m, bad = fromClient(body); bad != nil {
		return m, http.StatusBadRequest, bad
	}
	if m.kind == notification && m.method == callTool {
		return m, http.StatusBadRequest, refusal(codeInvalid, "%s is a request: give it an id", callTool)
	}
	m.header = headersOf(r)
	if bad := strayParam(m); bad != nil {
		return m, http.StatusBadRequest, bad
	}
	return m, http.StatusOK, nil
}

// headersOf are the headers of MCP that a caller sent, but for the session's name: that
// one is between it and the desk. In an era with sessions there is only the version; others
// would reach a server without having been read by anybody.
func headersOf(r *http.Request) http.Header {
	h := http.Header{}
	stateless := r.Header.Get(versionHeader) == modern
	for name, values := range r.Header {
		if name == versionHeader || stateless && (name == methodHeader || name == nameHeader || strings.HasPrefix(name, paramHeader)) {
			h[name] = values
		}
	}
	return h
}

// listedServer gives the server's entry, if it is in the list and enabled.
func (g *Gateway) listedServer(ctx context.Context, id string) (permission.Server, *wireError) {
	server, err := g.desk.Server(ctx, id)
	switch {
	case errors.Is(err, permission.NotFound("")):
		return server, refusal(codeNoServer, "there is no server %.80q behind this desk", id)
	case err != nil:
		g.opts.Logger.Error("find a server", "server", id, "error", err)
		return server, refusal(codeInternal, "find server: the desk does not answer")
	case !server.Enabled:
		return server, refusal(codeNoServer, "the server %.80q is disabled", id)
	}
	return server, nil
}
