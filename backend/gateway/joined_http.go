package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
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
	about := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"serverInfo":{"name":"sekisho","title":"Sekisho","version":%s}}`, quote(version), g.abilities(r.Context()).capabilities(), quote(backend.Version))
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
	case callTool, getPrompt, complete, readResource, subscribe, unsubscribe:
		j.pass(ctx, m, out)
		return
	case setLevel:
		result, bad = j.setLevel(ctx, m)
	case ping:
		result = []byte("{}")
	default:
		what := slices.IndexFunc(listings[:], func(l listing) bool { return l.method == m.method })
		if what < 0 {
			bad = refusal(codeNoMethod, "%.80q is not there at the endpoint of all servers", m.method)
			break
		}
		result, bad = j.page(ctx, listable(what), m)
	}
	if bad != nil {
		out.answer(errorAnswer(m.id, bad)) // whoever is gone has missed nothing
		return
	}
	out.answer(resultAnswer(m.id, result))
}

// page answers a request for a list: there is one page.
func (j *joined) page(ctx context.Context, what listable, m message) ([]byte, *wireError) {
	if cursor, _ := within(m.params, "cursor"); cursor != nil {
		return nil, refusal(codeParams, "no such cursor: the list has one page")
	}
	l := &listings[what]
	array, err := j.list(ctx, what)
	if err != nil {
		j.g.opts.Logger.Debug("list what all servers have", "of", l.words, "error", err)
		return nil, refusal(codeInternal, "list %s: the desk does not answer", l.words)
	}
	return fmt.Appendf(nil, `{%q:%s}`, l.member, array), nil
}

// levels are those of log messages, the least first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel tells all members, and those that are opened later, which log messages the
// client wants.
func (j *joined) setLevel(ctx context.Context, m message) ([]byte, *wireError) {
	level, bad := within(m.params, "level")
	if name, ok := text(level); bad != nil || !ok || !slices.Contains(levels[:], name) {
		return nil, refusal(codeParams, "level of %s is one of %s", setLevel, strings.Join(levels[:], ", "))
	}
	j.mu.Lock()
	j.level = m.params
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	var all sync.WaitGroup
	for _, p := range j.peers() {
		if !p.can.log {
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

// begin notes a request of the client; false when its id is taken.
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
