package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// postJoined takes one message of a client of all servers as one.
func (g *Gateway) postJoined(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	if bad := sessionsOnly(r, m); bad != nil {
		refuse(w, http.StatusBadRequest, m.ID, bad)
		return
	}
	if r.Header.Get(mcpwire.SessionHeader) == "" && m.Kind == mcpwire.Request && m.Method == mcpwire.Initialize {
		g.initializeJoined(w, r, agent, m)
		return
	}
	s, ok := g.known(w, r, agent, m.ID)
	if !ok {
		return
	}
	defer s.leave()
	switch j, _ := s.far.(*joined); m.Kind {
	case mcpwire.Request:
		j.request(r.Context(), m, newStream(w, r))
	case mcpwire.Notification:
		g.notify(r.Context(), w, s, m)
	default:
		g.respond(r.Context(), w, s, m)
	}
}

// sessionsOnly refuses the era without sessions, which its clients take as advice to
// begin with initialize: servers of both eras stand behind this endpoint.
func sessionsOnly(r *http.Request, m mcpwire.Message) *mcpwire.Error {
	asked := r.Header.Get(mcpwire.VersionHeader)
	switch {
	case r.Header.Get(mcpwire.SessionHeader) == "" && isModern(r, m):
		asked = mcpwire.Stateless
	case asked == "" || slices.Contains(mcpwire.SessionVersions[:], asked):
		return nil
	}
	bad := mcpwire.Errorf(mcpwire.CodeUnsupported,
		"protocol version %.40q is not supported at the endpoint of all servers: begin with initialize", asked)
	bad.Supported, bad.Requested = mcpwire.SessionVersions[:], asked
	return bad
}

// initializeJoined starts a session. The desk answers: the servers are asked later.
func (g *Gateway) initializeJoined(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	out := newStream(w, r)
	raw, bad := mcpwire.Member(m.Params, "protocolVersion")
	version, ok := mcpwire.Text(raw)
	if bad != nil || !ok {
		out.answer(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeParams, "protocolVersion of %s is a string", mcpwire.Initialize)))
		return
	}
	if !slices.Contains(mcpwire.SessionVersions[:], version) {
		version = mcpwire.SessionVersions[0]
	}
	s, bad := g.openJoined(agent, m.Params)
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	}
	defer s.leave()
	defer s.attach(out)()
	w.Header().Set(mcpwire.SessionHeader, s.id)
	about := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"serverInfo":{"name":"sekisho","title":"Sekisho","version":%s}}`,
		mcpwire.Quote(version), g.abilities(r.Context()).capabilities(), mcpwire.Quote(backend.Version))
	if out.answer(mcpwire.ResultAnswer(m.ID, about)) != nil {
		s.end(errClosed)
	}
}

// request takes a request of the client to its answer.
func (j *joined) request(ctx context.Context, m mcpwire.Message, out *stream) {
	defer j.self.attach(out)()
	var result []byte
	var bad *mcpwire.Error
	switch m.Method {
	case mcpwire.CallTool, mcpwire.GetPrompt, mcpwire.Complete, mcpwire.ReadResource, mcpwire.Subscribe, mcpwire.Unsubscribe:
		j.pass(ctx, m, out)
		return
	case mcpwire.SetLevel:
		result, bad = j.setLevel(ctx, m)
	case mcpwire.Ping:
		result = []byte("{}")
	default:
		what := slices.IndexFunc(listings[:], func(l listing) bool { return l.method == m.Method })
		if what < 0 {
			bad = mcpwire.Errorf(mcpwire.CodeNoMethod, "%.80q is not there at the endpoint of all servers", m.Method)
			break
		}
		result, bad = j.page(ctx, listable(what), m)
	}
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	out.answer(mcpwire.ResultAnswer(m.ID, result))
}

// page answers a request for a list: there is one page.
func (j *joined) page(ctx context.Context, what listable, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	if cursor, _ := mcpwire.Member(m.Params, "cursor"); cursor != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "no such cursor: the list has one page")
	}
	l := &listings[what]
	array, err := j.list(ctx, what)
	if err != nil {
		j.g.opts.Logger.Debug("list what all servers have", "of", l.words, "error", err)
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "list %s: the desk does not answer", l.words)
	}
	return fmt.Appendf(nil, `{%q:%s}`, l.member, array), nil
}

// levels are those of log messages, the least first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel tells all members, and those that are opened later, which log messages the
// client wants.
func (j *joined) setLevel(ctx context.Context, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	level, bad := mcpwire.Member(m.Params, "level")
	if name, ok := mcpwire.Text(level); bad != nil || !ok || !slices.Contains(levels[:], name) {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "level of %s is one of %s", mcpwire.SetLevel, strings.Join(levels[:], ", "))
	}
	j.mu.Lock()
	j.level = m.Params
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
			j.setLevelOf(ctx, p, m.Params)
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
