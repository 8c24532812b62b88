package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/upstream"
)

// listWithin bounds how long a server is asked for its tools before a call.
const listWithin = 10 * time.Second

// unlisted refuses a tool that its server does not have, where a person would be asked
// about it: nothing is kept. What a rule allows goes its way, and the server answers itself;
// what a rule denies is denied; and where the server does not say what it has, the person
// is asked.
func (g *Gateway) unlisted(ctx context.Context, c *judged, q *attend.Request) *mcpwire.Error {
	if c.act.Method != mcpwire.CallTool || g.offers(c.s.server.ID, c.act.Name) || !g.wouldAsk(ctx, q) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(listWithin, q.Patience/2))
	defer cancel()
	header, meta := listHeader(c.m.Header), listMeta(c.act.Own)
	tools, err := gather(ofTools, func(params []byte) ([]byte, error) {
		in, err := c.s.inquire(ctx, header, mcpwire.ListTools, joinObjects(meta, params),
			func(ctx context.Context, x *exchange, sent <-chan error) (inbound, error) {
				return g.follow(ctx, c.s, x, c.out, following{sent: sent})
			})
		if err == nil && !in.ok {
			err = refused(mcpwire.ListTools, in.value)
		}
		return in.value, err
	})
	named := func(o offering) bool { return o.name == c.act.Name }
	if err != nil || len(tools) >= maxTools || slices.ContainsFunc(tools, named) {
		return nil
	}
	return mcpwire.Errorf(mcpwire.CodeParams, "unknown tool: %.200q", c.act.Name)
}

// wouldAsk reports whether the rules leave a call to a person.
func (g *Gateway) wouldAsk(ctx context.Context, q *attend.Request) bool {
	v, err := g.desk.Evaluate(ctx, permission.Query{
		ServerID: q.Call.ServerID, Method: q.Call.Method, ToolName: q.Call.ToolName, Input: q.Call.Input, Envelope: q.Call.Envelope,
		Caller: permission.Caller{SessionID: q.Call.SessionID, AgentID: q.Agent.ID, AgentName: q.Agent.Name},
		Brief:  true, Continues: q.Call.Continues != "",
	})
	return err == nil && v.Decision == permission.Ask
}

// listHeader are the headers of a call for a list of tools in its place.
func listHeader(of http.Header) http.Header {
	h := of.Clone()
	for name := range h {
		if name == mcpwire.NameHeader || strings.HasPrefix(name, paramHeader) {
			delete(h, name)
		}
	}
	if h.Get(mcpwire.MethodHeader) != "" {
		h.Set(mcpwire.MethodHeader, mcpwire.ListTools)
	}
	return h
}

// listMeta is an object with what the _meta of a call says of its caller, for a list of
// tools in its place: its progress is the call's own, and nobody has judged the rest.
func listMeta(own []rawjson.Member) []byte {
	said := slices.DeleteFunc(slices.Clone(own), func(m rawjson.Member) bool { return !strings.HasPrefix(m.Key, "io.modelcontextprotocol/") })
	if len(said) == 0 {
		return []byte("{}")
	}
	return fmt.Appendf(nil, `{"_meta":%s}`, rawjson.Object(said))
}

// joinObjects is an object with the members of two, as they are written.
func joinObjects(a, b []byte) []byte {
	switch {
	case string(a) == "{}":
		return b
	case string(b) == "{}":
		return a
	}
	return slices.Concat(a[:len(a)-1], []byte(","), b[1:])
}

// inquire asks the server as the desk, and gives its answer, whatever that is. follow
// waits for it.
func (s *session) inquire(ctx context.Context, header http.Header, method string, params []byte,
	follow func(ctx context.Context, x *exchange, sent <-chan error) (inbound, error)) (in inbound, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m, bad := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"sekisho-%s","method":%q,"params":%s}`, uuid.NewString(), method,
		params))
	if bad != nil {
		return in, bad
	}
	m.Header = header
	x, bad := s.admit(m, cancel)
	if bad != nil {
		return in, bad
	}
	defer s.release(x)
	if !s.begin(ctx, x) {
		return in, upstream.ErrEnded
	}
	sent, settled := s.dispatch(ctx, x, m.Raw)
	defer settled()
	in, err = follow(ctx, x, sent)
	switch {
	case errors.Is(err, errGone):
		s.giveUp(ctx, x)
		return in, fmt.Errorf("the server did not answer %s in time", method)
	case errors.Is(err, upstream.ErrEnded):
		return in, errors.New(s.obituary("the server ended before it answered " + method))
	case err != nil:
		return in, fmt.Errorf("ask the server for %s: %w", method, err)
	}
	return in, nil
}
