package gateway

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend"
	"sekisho/backend/attend"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// Coordination runs the tools of the desk's server of that name.
type Coordination interface {
	Call(ctx context.Context, who coordination.Caller, tool string, input []byte, passkey string) (coordination.Answer, error)
	// Holds reports whether a token is that of a session of an agent which is in force.
	Holds(token string, agent permission.AgentID, session permission.SessionID) bool
}

// answerAsCoordination is the handler of that server: all but the calls of its tools, which the
// gateway runs itself, since it knows who asks.
func answerAsCoordination(_ context.Context, m mcpwire.Message, _ func([]byte)) ([]byte, error) {
	switch m.Method {
	case mcpwire.Initialize:
		raw, _ := mcpwire.Member(m.Params, "protocolVersion")
		version, _ := mcpwire.Text(raw)
		return fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true}},`+
			`"serverInfo":{"name":"coordination","title":"Coordination","version":%s}}`,
			mcpwire.Quote(mcpwire.SessionVersion(version)), mcpwire.Quote(backend.Version)), nil
	case mcpwire.ListTools:
		return coordination.List(), nil
	case mcpwire.Ping:
		return []byte("{}"), nil
	}
	return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "this server has no %.80q", m.Method)
}

// coordinated is a call of one of its tools. For the call runner it is the Executor, which runs
// the tool, and the Voice, which answers the client.
type coordinated struct {
	judged
	who     coordination.Caller
	passkey string
	input   []byte // that the tool is run with
	answer  coordination.Answer
}

// coordinate takes a call of a tool of the coordination server to its answer.
func (g *Gateway) coordinate(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream, first func(session.Inbound)) {
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) *mcpwire.Error {
		c.first = first
		input, taken, err := coordination.Strip(c.act.Input())
		if err != nil {
			return mcpwire.Errorf(mcpwire.CodeParams, "arguments of %.80s: %s", c.act.Name, err)
		}
		c.act.Args = input
		q := g.ready(s, c, out)
		who := coordination.Caller{Agent: q.Agent, Session: q.Call.SessionID, Patience: q.Patience}
		x := &coordinated{judged: *c, who: who, passkey: taken["passkey"]}
		if token, given := taken["session_token"]; given && !g.opts.Coordination.Holds(token, s.Agent.ID, who.Session) {
			x.refuse("The session_token is not that of the session in force.")
			return nil
		}
		if c.act.Name == coordination.HelpTool {
			g.help(ctx, x, &q)
			return nil
		}
		tool, _ := coordination.ToolNamed(c.act.Name)
		if tool.Quiet && g.passes(ctx, &q) {
			x.input = input
			x.runUnkept(ctx)
			return nil
		}
		g.calls.Run(ctx, q, x, x)
		return nil
	})
}

// ready is what the desk is asked for a call, with how long its client waits for that.
func (g *Gateway) ready(s *session.Session, c *judged, out *session.Stream) attend.Request {
	q := requestOf(s, &c.act, out.Bridged)
	q.Client, q.Lively = s.ClientOf(c.m), c.x.Token != nil
	q.Patience = g.patience(&q)
	out.Patience(q.Patience)
	if out.Bridged != nil {
		c.x.Beats = out.Bridged.Beats
	}
	return q
}

// passes reports whether table and rules let a call pass that reaches nothing outside the desk:
// hold does not stop it.
func (g *Gateway) passes(ctx context.Context, q *attend.Request) bool {
	v, err := g.desk.Evaluate(ctx, queryOf(q, true))
	return err == nil && v.Decision == permission.Allow
}

// queryOf asks what would become of a request; pastHold: as if nothing was held.
func queryOf(q *attend.Request, pastHold bool) permission.Query {
	return permission.Query{
		ServerID: q.Call.ServerID, Method: q.Call.Method, ToolName: q.Call.ToolName, Input: q.Call.Input, Envelope: q.Call.Envelope,
		Caller: permission.Caller{SessionID: q.Call.SessionID, AgentID: q.Agent.ID, AgentName: q.Agent.Name},
		Asker:  &q.Agent, Brief: true, PastHold: pastHold,
	}
}

// runUnkept runs the tool for a call of which no row is kept.
func (x *coordinated) runUnkept(ctx context.Context) {
	if _, err := x.Execute(ctx, nil); err != nil {
		x.Failed(err)
		return
	}
	x.say(ctx)
}

// Prepare keeps the input that was approved.
func (x *coordinated) Prepare(call *permission.Call) error {
	x.input = call.Input
	return nil
}

// Execute runs the tool. What is kept of its answer has no token and no passkey.
func (x *coordinated) Execute(ctx context.Context, _ *permission.Call) (attend.Result, error) {
	a, err := x.g.opts.Coordination.Call(ctx, x.who, x.act.Name, x.input, x.passkey)
	var e *permission.Error
	switch {
	case errors.As(err, &e):
		return x.fault(e), nil
	case err != nil && ctx.Err() != nil:
		return attend.Result{}, context.Cause(ctx)
	case err != nil:
		x.g.opts.Logger.Error("run a tool of coordination", "tool", x.act.Name, "error", err)
		return x.fault(&permission.Error{Code: permission.CodeUnavailable, Message: "something went wrong in the desk: try again"}), nil
	}
	x.answer = a
	if a.Entered != "" {
		x.s.Bind(a.Entered)
		x.g.StandingChanged(x.who.Agent.ID, "") // its list of tools is another now
	}
	x.in = inbound(x.m, toolResult(a.Body), true)
	return attend.Result{OK: true, Output: toolResult(a.Kept)}, nil
}

// fault is the answer of a tool that did not do what it was asked for.
func (x *coordinated) fault(e *permission.Error) attend.Result {
	raw := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":{"code":%s,"message":%s},"isError":true,"resultType":"complete"}`,
		mcpwire.Quote(string(e.Code)+": "+e.Error()), mcpwire.Quote(string(e.Code)), mcpwire.Quote(e.Error()))
	x.in = inbound(x.m, raw, false)
	return attend.Result{Output: raw}
}

// inbound is an answer of the desk's own, as if a server had given it.
func inbound(m mcpwire.Message, result []byte, ok bool) session.Inbound {
	return session.Inbound{Raw: mcpwire.ResultAnswer(m.ID, result), OK: ok, Value: result}
}

// toolResult is what a tool answers, as text for the model and as data for its program.
func toolResult(body []byte) []byte {
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":%s,"isError":false,"resultType":"complete"}`,
		mcpwire.Quote(string(body)), body)
}

// Done answers with what the tool said.
func (x *coordinated) Done(*permission.Call, attend.Result) { x.say(context.Background()) }

// say answers the client. What was handed out with an answer that could not be written is taken back.
func (x *coordinated) say(ctx context.Context) {
	if x.first != nil {
		x.first(x.in)
	}
	if x.answer.Given != nil {
		x.answer.Given() // before it is written: the client may go on at once
	}
	if err := x.out.Answer(x.in.Raw); err != nil || ctx.Err() != nil {
		x.lose(context.WithoutCancel(ctx))
	}
}

// lose notes that the answer reached nobody.
func (x *coordinated) lose(ctx context.Context) {
	if x.answer.Lost == nil {
		return
	}
	if err := x.answer.Lost(ctx); err != nil {
		x.g.opts.Logger.Error("take back what was not given", "tool", x.act.Name, "error", err)
	}
}

// refuse answers that the tool was not run, for a reason of which no row is kept.
func (x *coordinated) refuse(words string) {
	x.out.Answer(mcpwire.ToolError(x.m.ID, words)) // whoever is gone has missed nothing
}
