package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"sekisho/backend/attend"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/toolhelp"
)

// Waits gives how long, in milliseconds, the last questions about a tool waited for a person.
type Waits func(ctx context.Context, server, tool string) ([]int64, error)

// ownHelp is what help is called on a server that has a tool of that name itself.
const ownHelp = "sekisho_help"

// helpTool is what the list of a server says of it.
func helpTool(name string) toolhelp.Tool {
	t, _ := coordination.ToolNamed(coordination.HelpTool)
	return toolhelp.Tool{Name: name, Description: t.Description, Schema: json.RawMessage(t.Schema), Category: string(permission.NeedsNothing)}
}

// help answers a call of help on the coordination server.
func (g *Gateway) help(ctx context.Context, x *coordinated, q *attend.Request) {
	of := toolhelp.Server{Table: coordination.Permissions()}
	for _, t := range coordination.Tools {
		of.Tools = append(of.Tools, toolhelp.Tool{Name: t.Name, Description: t.Description, Schema: json.RawMessage(t.Schema),
			Category: t.Category, Example: json.RawMessage(t.Example)})
	}
	quiet := func(tool string) bool {
		t, _ := coordination.ToolNamed(tool)
		return t.Quiet
	}
	g.explain(ctx, &x.judged, q, of, quiet)
}

// helps takes a call of help on a server with a table to its answer; false where the call is none.
func (g *Gateway) helps(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) bool {
	if s.Server.ToolPermissions == nil || !isHelp(nameIn(m)) {
		return false
	}
	is := true
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) *mcpwire.Error {
		q := g.ready(s, c, out)
		tools, err := g.listed(ctx, c, &q)
		if err != nil {
			return mcpwire.Errorf(mcpwire.CodeInternal, "ask the server for its tools: %s", err)
		}
		if c.act.Name != helpName(tools) {
			is = false
			return nil
		}
		of := toolhelp.Server{Table: withHelp(s.Server.ToolPermissions, c.act.Name), Tools: []toolhelp.Tool{helpTool(c.act.Name)}}
		for _, o := range tools {
			of.Tools = append(of.Tools, toolOf(o))
		}
		g.explain(ctx, c, &q, of, func(string) bool { return false })
		return nil
	})
	return is
}

// isHelp reports whether a name may be that of help.
func isHelp(name string) bool { return name == coordination.HelpTool || name == ownHelp }

// nameIn is the name in the params of a request.
func nameIn(m mcpwire.Message) string {
	raw, _ := mcpwire.Member(m.Params, "name")
	name, _ := mcpwire.Text(raw)
	return name
}

// helpName is what help is called beside some tools.
func helpName(tools []mcpwire.Offering) string {
	if slices.ContainsFunc(tools, func(o mcpwire.Offering) bool { return o.Name == coordination.HelpTool }) {
		return ownHelp
	}
	return coordination.HelpTool
}

// withHelp is a table in which everybody may ask for help.
func withHelp(table permission.ToolPermissions, help string) permission.ToolPermissions {
	with := permission.ToolPermissions{help: permission.NeedsNothing}
	for tool, needs := range table {
		if tool != help {
			with[tool] = needs
		}
	}
	return with
}

// toolOf reads a tool of a server's list.
func toolOf(o mcpwire.Offering) toolhelp.Tool {
	var said struct {
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	_ = json.Unmarshal(o.As(o.Name), &said) // what cannot be read is not said
	return toolhelp.Tool{Name: o.Name, Description: said.Description, Schema: said.InputSchema}
}

// explain answers a call of help. quiet are tools that hold does not stop.
func (g *Gateway) explain(ctx context.Context, c *judged, q *attend.Request, of toolhelp.Server, quiet func(tool string) bool) {
	var in struct {
		Tool *string `json:"tool_name"`
	}
	if err := json.Unmarshal(c.act.Input(), &in); err != nil {
		c.out.Answer(mcpwire.ToolError(c.m.ID, "tool_name is a string"))
		return
	}
	of.Live = func(tool string) (toolhelp.Live, error) { return g.live(ctx, q, tool, quiet(tool)) }
	who := toolhelp.Caller{Standing: g.desk.Standing(q.Agent.ID, q.Call.SessionID), AgentID: q.Agent.ID}
	var said []byte
	var err error
	if in.Tool == nil {
		said, err = of.List(who)
	} else {
		said, err = of.Detail(who, *in.Tool)
	}
	if err != nil {
		c.out.Answer(mcpwire.ErrorAnswer(c.m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "help: %s", err)))
		return
	}
	c.in = inbound(c.m, toolResult(said), true)
	if c.first != nil {
		c.first(c.in)
	}
	c.out.Answer(c.in.Raw)
}

// live is what is to be expected of a call of a tool.
func (g *Gateway) live(ctx context.Context, q *attend.Request, tool string, pastHold bool) (l toolhelp.Live, err error) {
	if isHelp(tool) {
		return toolhelp.Live{Permission: toolhelp.Allowed}, nil
	}
	ask := queryOf(q, pastHold)
	ask.ToolName, ask.Input, ask.Envelope = tool, []byte("{}"), nil
	v, err := g.desk.Evaluate(ctx, ask)
	if err != nil {
		return l, err
	}
	l = toolhelp.Live{Permission: toolhelp.VerdictOf(v.Decision), Depends: v.Conditional}
	if l.Permission == toolhelp.Asks && g.opts.Waits != nil {
		waits, err := g.opts.Waits(ctx, *q.Call.ServerID, tool)
		if err != nil {
			return l, err
		}
		l.MedianSeconds = toolhelp.Median(waits)
	}
	return l, nil
}
