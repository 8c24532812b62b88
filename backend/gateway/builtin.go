package gateway

import (
	"context"

	"sekisho/backend/attend"
	"sekisho/backend/builtin"
	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
)

// inside is a judged request as a tool of the desk's own is called.
func (c *judged) inside() *builtin.Call {
	return &builtin.Call{Session: c.s, Message: c.m, Act: &c.act, Out: c.out, First: c.first, Voice: c, Ready: c.ready}
}

// ready is what the desk is asked for the request, with how long its client waits for that.
func (c *judged) ready() attend.Request {
	q := requestOf(c.s, &c.act, c.out.Bridged)
	q.Client, q.Lively = c.s.ClientOf(c.m), c.x.Token != nil
	q.Patience = c.g.patience(&q)
	c.out.Patience(q.Patience)
	if c.out.Bridged != nil {
		c.x.Beats = c.out.Bridged.Beats
	}
	return q
}

// coordinate takes a call of a tool of the coordination server to its answer.
func coordinate(ctx context.Context, g *Gateway, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound)) {
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) *mcpwire.Error {
		c.first = first
		return g.builtin.Coordinate(ctx, c.inside())
	})
}

// helps takes a call of help on a server with a table to its answer; false where the call is none.
func helps(ctx context.Context, g *Gateway, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound)) bool {
	server, err := g.desk.Server(ctx, s.Server.ID) // its table as it is now
	if err != nil || !builtin.MayAsk(&server, m) {
		return false
	}
	is := true
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) (bad *mcpwire.Error) {
		c.first = first
		q := c.ready()
		tools, err := c.listed(ctx, &q)
		if err != nil {
			return mcpwire.Errorf(mcpwire.CodeInternal, "ask the server for its tools: %s", err)
		}
		is, bad = g.builtin.Help(ctx, c.inside(), server.ToolPermissions, tools)
		return bad
	})
	return is
}
