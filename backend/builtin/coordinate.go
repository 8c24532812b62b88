package builtin

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend"
	"sekisho/backend/attend"
	"sekisho/backend/authz"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// Answer is the handler of the server of coordination: all but the calls of its tools, which
// Coordinate runs, since it knows who asks.
func Answer(_ context.Context, m mcpwire.Message, _ func([]byte)) ([]byte, error) {
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
	attend.Voice
	*Call
	opts    *Options
	who     coordination.Caller
	passkey string
	input   []byte // that the tool is run with
	gives   coordination.Answer
	in      session.Inbound // for the client
	told    bool            // it has the answer
}

// Coordinate takes a call of a tool of the coordination server to its answer; an error is that.
func (t *Tools) Coordinate(ctx context.Context, c *Call) *mcpwire.Error {
	input, taken, err := coordination.Strip(c.Act.Input())
	if err != nil {
		return mcpwire.Errorf(mcpwire.CodeParams, "arguments of %.80s: %s", c.Act.Name, err)
	}
	c.Act.Args = input
	q := c.Ready()
	who := coordination.Caller{Agent: q.Agent, Session: q.Call.SessionID, Patience: q.Patience}
	if token, given := taken["session_token"]; given && !t.opts.Coordination.Holds(token, q.Agent.ID, who.Session) {
		c.refuse("The session_token is not that of the session in force.")
		return nil
	}
	if c.Act.Name == authz.HelpTool {
		return t.helpHere(ctx, c, &q)
	}
	x := &coordinated{Voice: c.Voice, Call: c, opts: &t.opts, who: who, passkey: taken["passkey"]}
	defer x.leave(context.WithoutCancel(ctx))
	tool, _ := coordination.ToolNamed(c.Act.Name)
	if tool.Quiet && t.passes(ctx, &q) {
		x.input = input
		x.runUnkept(ctx)
		return nil
	}
	t.opts.Calls.Run(ctx, q, x, x)
	return nil
}

// passes reports whether table and rules let a call pass that reaches nothing outside the desk:
// hold does not stop it.
func (t *Tools) passes(ctx context.Context, q *attend.Request) bool {
	v, err := t.opts.Desk.Evaluate(ctx, queryOf(q, true))
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
	a, err := x.opts.Coordination.Call(ctx, x.who, x.Act.Name, x.input, x.passkey)
	var e *permission.Error
	switch {
	case errors.As(err, &e):
		return x.fault(e), nil
	case err != nil && ctx.Err() != nil:
		return attend.Result{}, context.Cause(ctx)
	case err != nil:
		x.opts.Logger.Error("run a tool of coordination", "tool", x.Act.Name, "error", err)
		return x.fault(&permission.Error{Code: permission.CodeUnavailable, Message: "something went wrong in the desk: try again"}), nil
	}
	x.gives = a
	if a.Entered != "" {
		x.Session.Bind(a.Entered)
		x.opts.Entered(x.who.Agent.ID) // its list of tools is another now
	}
	x.in = inbound(x.Message, toolResult(a.Body), true)
	return attend.Result{OK: true, Output: toolResult(a.Kept)}, nil
}

// fault is the answer of a tool that did not do what it was asked for.
func (x *coordinated) fault(e *permission.Error) attend.Result {
	raw := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":{"code":%s,"message":%s},"isError":true,"resultType":"complete"}`,
		mcpwire.Quote(string(e.Code)+": "+e.Error()), mcpwire.Quote(string(e.Code)), mcpwire.Quote(e.Error()))
	x.in = inbound(x.Message, raw, false)
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

// say answers the client. One that has gone before is not answered; one that goes as soon as it has
// the answer has it.
func (x *coordinated) say(ctx context.Context) {
	if ctx.Err() != nil || x.answer(x.in) != nil {
		return
	}
	if x.told = true; x.gives.Given != nil {
		x.gives.Given()
	}
}

// leave takes back what was handed out with an answer that could not be written, or that never was,
// since the desk could not keep what came of the call.
func (x *coordinated) leave(ctx context.Context) {
	if x.told || x.gives.Lost == nil {
		return
	}
	if err := x.gives.Lost(ctx); err != nil {
		x.opts.Logger.Error("take back what was not given", "tool", x.Act.Name, "error", err)
	}
}
