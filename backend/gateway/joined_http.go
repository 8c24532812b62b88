package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"sekisho/backend"
	"sekisho/backend/permission"
)

// postJoined takes one message of a client of all servers as one.
func (g *Gateway) postJoined(w http.ResponseWriter, r *http.Request, agent permission.Agent, m message) {
	if bad := sessionsOnly(r, m); bad != nil {
		refuse(w, http.StatusBadRequest, m.id, bad)
		return
	}
	if r.Header.Get(sessionHeader) == "" && m.kind == request && m.method == initialize {
		g.initializeJoined(w, r, agent, m)
		return
	}
	s, ok := g.known(w, r, agent, m.id)
	if !ok {
		return
	}
	defer s.leave()
	switch j, _ := s.far.(*joined); m.kind {
	case request:
		j.request(r.Context(), m, newStream(w, r))
	case notification:
		g.notify(r.Context(), w, s, m)
	default:
		g.respond(r.Context(), w, s, m)
	}
}

// sessionsOnly refuses the era without sessions, which its clients take as advice to
// begin with initialize: servers of both eras stand behind this endpoint.
func sessionsOnly(r *http.Request, m message) *wireError {
	asked := r.Header.Get(versionHeader)
	switch {
	case r.Header.Get(sessionHeader) == "" && isModern(r, m):
		asked = modern
	case asked == "" || slices.Contains(versions[:], asked):
		return nil
	}
	bad := refusal(codeUnsupported, "protocol version %.40q is not supported at the endpoint of all servers: begin with initialize", asked)
	bad.supported, bad.requested = versions[:], asked
	return bad
}

// initializeJoined starts a session. The desk answers: the servers are asked later.
func (g *Gateway) initializeJoined(w http.ResponseWriter, r *http.Request, agent permission.Agent, m message) {
	out := newStream(w, r)
	raw, bad := within(m.params, "protocolVersion")
	version, ok := text(raw)
	if bad != nil || !ok {
		out.answer(errorAnswer(m.id, refusal(codeParams, "protocolVersion of %s is a string", initialize)))
		return
	}
	if !slices.Contains(versions[:], version) {
		version = versions[0]
	}
	s, bad := g.openJoined(agent, m.params)
	if bad != nil {
		out.answer(errorAnswer(m.id, bad))
		return
	}
	defer s.leave()
	defer s.attach(out)()
	w.Header().Set(sessionHeader, s.id)
	about := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"name":"sekisho","title":"Sekisho","version":%s}}`, quote(version), quote(backend.Version))
	if out.answer(resultAnswer(m.id, about)) != nil {
		s.end(errClosed)
	}
}

func resultAnswer(id, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// request takes a request of the client to its answer.
func (j *joined) request(ctx context.Context, m message, out *stream) {
	defer j.self.attach(out)()
	var result []byte
	var bad *wireError
	switch m.method {
	case callTool:
		j.call(ctx, m, out)
		return
	case listTools:
		result, bad = j.page(ctx, m)
	case setLevel:
		result, bad = j.setLevel(ctx, m)
	case "ping":
		result = []byte("{}")
	default:
		bad = refusal(codeNoMethod, "%.80q is not there at the endpoint of all servers, which joins their tools", m.method)
	}
	if bad != nil {
		out.answer(errorAnswer(m.id, bad)) // whoever is gone has missed nothing
		return
	}
	out.answer(resultAnswer(m.id, result))
}

// page answers a tools/list: there is one page.
func (j *joined) page(ctx context.Context, m message) ([]byte, *wireError) {
	if cursor, _ := within(m.params, "cursor"); cursor != nil {
		return nil, refusal(codeParams, "no such cursor: the list has one page")
	}
	tools, err := j.list(ctx)
	if err != nil {
		j.g.opts.Logger.Debug("list the tools of all servers", "error", err)
		return nil, refusal(codeInternal, "list tools: the desk does not answer")
	}
	return fmt.Appendf(nil, `{"tools":%s}`, tools), nil
}

// setLevel tells all members, and those that are opened later, which log messages the
// client wants.
func (j *joined) setLevel(ctx context.Context, m message) ([]byte, *wireError) {
	level, bad := within(m.params, "level")
	if _, ok := text(level); bad != nil || !ok {
		return nil, refusal(codeParams, "level of %s is a string", setLevel)
	}
	j.mu.Lock()
	j.level = m.params
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	var all sync.WaitGroup
	for _, p := range j.peers() {
		if !p.logs {
			continue
		}
		all.Add(1)
		go func() {
			defer all.Done()
			j.setLevelOf(ctx, p, m.params)
		}()
	}
	all.Wait()
	return []byte("{}"), nil
}

// call takes a tools/call to its member, under the tool's own name, and through the same
// gate as if the client had called there.
func (j *joined) call(ctx context.Context, m message, out *stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &onward{cancel: cancel}
	if !j.begin(m.key, o) {
		out.answer(errorAnswer(m.id, refusal(codeInvalid, "a request with this id is in flight already")))
		return
	}
	defer j.done(m.key)
	moved, p, bad := j.address(ctx, m)
	switch {
	case context.Cause(ctx) != nil:
		out.begin() // nothing to say, and perhaps nobody to hear it
		return
	case bad != nil:
		out.answer(errorAnswer(m.id, bad))
		return
	}
	j.mu.Lock()
	o.peer = p
	j.mu.Unlock()
	j.g.request(ctx, p.s, moved, out)
}

// address gives a tools/call as the tool's own server is to get it.
func (j *joined) address(ctx context.Context, m message) (message, *peer, *wireError) {
	c, bad := readCall(m)
	if bad != nil {
		return m, nil, bad
	}
	to, bad := j.find(ctx, c.name)
	if bad != nil {
		return m, nil, bad
	}
	p, err := j.peer(ctx, to.server)
	if err != nil {
		return m, nil, refusal(codeInternal, "the server %s cannot be reached: %s; the call was not executed", to.server, err)
	}
	at, _ := find(m.raw, 0, "params", "name") // readCall has seen it
	moved, bad := fromClient(respell(m.raw, map[span][]byte{at: quote(to.tool)}))
	moved.header = p.header
	return moved, p, bad
}

// begin notes a call of the client; false when its id is taken.
func (j *joined) begin(key string, o *onward) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calls[key] != nil {
		return false
	}
	j.calls[key] = o
	return true
}

func (j *joined) done(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.calls, key)
}
