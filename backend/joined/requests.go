package joined

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
	"sekisho/backend/session"
)

// Initialize starts a session. The desk answers: the servers are asked later.
func (e *Endpoint) Initialize(w http.ResponseWriter, r *http.Request, agent permission.Agent, m mcpwire.Message) {
	out := session.NewStream(w, r)
	raw, bad := mcpwire.Member(m.Params, "protocolVersion")
	version, ok := mcpwire.Text(raw)
	if bad != nil || !ok {
		out.Answer(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeParams, "protocolVersion of %s is a string", mcpwire.Initialize)))
		return
	}
	if !slices.Contains(mcpwire.SessionVersions[:], version) {
		version = mcpwire.SessionVersions[0]
	}
	s, bad := e.open(agent, m.Params)
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	}
	defer s.Leave()
	defer s.Attach(out)()
	w.Header().Set(mcpwire.SessionHeader, s.ID())
	about := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"serverInfo":{"name":"sekisho","title":"Sekisho","version":%s}}`,
		mcpwire.Quote(version), e.abilities(r.Context()).capabilities(), mcpwire.Quote(backend.Version))
	if out.Answer(mcpwire.ResultAnswer(m.ID, about)) != nil {
		s.End(session.ErrClosed)
	}
}

// Request takes a request of the client of a joined session to its answer.
func (e *Endpoint) Request(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) {
	j, _ := s.Far.(*connection)
	j.request(ctx, m, out)
}

// request takes a request of the client to its answer.
func (j *connection) request(ctx context.Context, m mcpwire.Message, out *session.Stream) {
	defer j.self.Attach(out)()
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
		what := slices.IndexFunc(mcpwire.Listings[:], func(l mcpwire.Listing) bool { return l.Method == m.Method })
		if what < 0 {
			bad = mcpwire.Errorf(mcpwire.CodeNoMethod, "%.80q is not there at the endpoint of all servers", m.Method)
			break
		}
		result, bad = j.page(ctx, mcpwire.ListKind(what), m)
	}
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad)) // whoever is gone has missed nothing
		return
	}
	out.Answer(mcpwire.ResultAnswer(m.ID, result))
}

// page answers a request for a list: there is one page.
func (j *connection) page(ctx context.Context, what mcpwire.ListKind, m mcpwire.Message) ([]byte, *mcpwire.Error) {
	if cursor, _ := mcpwire.Member(m.Params, "cursor"); cursor != nil {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "no such cursor: the list has one page")
	}
	l := &mcpwire.Listings[what]
	array, err := j.list(ctx, what)
	if err != nil {
		j.e.opts.Logger.Debug("list what all servers have", "of", l.Words, "error", err)
		return nil, mcpwire.Errorf(mcpwire.CodeInternal, "list %s: the desk does not answer", l.Words)
	}
	return fmt.Appendf(nil, `{%q:%s}`, l.Member, array), nil
}

// levels are those of log messages, the least first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel tells all members, and those that are opened later, which log messages the
// client wants.
func (j *connection) setLevel(ctx context.Context, m mcpwire.Message) ([]byte, *mcpwire.Error) {
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
func (j *connection) begin(key string, o *onward) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calls[key] != nil {
		return false
	}
	j.calls[key] = o
	return true
}

func (j *connection) done(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.calls, key)
}
