package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// listWithin bounds how long a server is asked for its tools before a call.
const listWithin = 10 * time.Second

// unlisted refuses a tool that its server does not have, where a person would be asked
// about it: nothing is kept. What a rule allows goes its way, and the server answers itself;
// what a rule denies is denied; and where the server does not say what it has, the person
// is asked.
func (g *Gateway) unlisted(ctx context.Context, c *judged, q *attend.Request) *mcpwire.Error {
	if c.act.Method != mcpwire.CallTool || g.offers(c.s.Server.ID, c.act.Name) || !g.wouldAsk(ctx, q) {
		return nil
	}
	tools, err := c.listed(ctx, q)
	named := func(o mcpwire.Offering) bool { return o.Name == c.act.Name }
	if err != nil || len(tools) >= mcpwire.MaxListed || slices.ContainsFunc(tools, named) {
		return nil
	}
	return mcpwire.Errorf(mcpwire.CodeParams, "unknown tool: %.200q", c.act.Name)
}

// listed are the tools that the server of the call has, as it says now.
func (c *judged) listed(ctx context.Context, q *attend.Request) ([]mcpwire.Offering, error) {
	ctx, cancel := context.WithTimeout(ctx, min(listWithin, q.Patience/2))
	defer cancel()
	header, meta := listHeader(c.m.Header), listMeta(c.act.Own)
	return mcpwire.GatherList(mcpwire.OfTools, func(params []byte) ([]byte, error) {
		in, err := c.s.Inquire(ctx, header, mcpwire.ListTools, joinObjects(meta, params),
			func(ctx context.Context, x *session.Exchange, in session.Inbound) { c.s.Show(ctx, x, c.out, in) })
		if err == nil && !in.OK {
			err = upstream.RefusedBy(mcpwire.ListTools, in.Value)
		}
		return in.Value, err
	})
}

// wouldAsk reports whether the rules leave a call to a person.
func (g *Gateway) wouldAsk(ctx context.Context, q *attend.Request) bool {
	v, err := g.desk.Evaluate(ctx, permission.Query{
		ServerID: q.Call.ServerID, Method: q.Call.Method, ToolName: q.Call.ToolName, Input: q.Call.Input, Envelope: q.Call.Envelope,
		Caller: permission.Caller{SessionID: q.Call.SessionID, AgentID: q.Agent.ID, AgentName: q.Agent.Name},
		Asker:  &q.Agent,
		Brief:  true, Continues: q.Call.Continues != "",
	})
	return err == nil && v.Decision == permission.Ask
}

// listHeader are the headers of a call for a list of tools in its place.
func listHeader(of http.Header) http.Header {
	h := of.Clone()
	for name := range h {
		if name == mcpwire.NameHeader || strings.HasPrefix(name, upstream.ParamHeader) {
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
