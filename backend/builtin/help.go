package builtin

import (
	"context"
	"encoding/json"
	"slices"

	"sekisho/backend/attend"
	"sekisho/backend/authz"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/toolhelp"
)

// helpTool is help as it tells of itself.
func helpTool(name string) toolhelp.Tool {
	return toolhelp.Tool{Name: name, Description: authz.HelpAbout, Schema: json.RawMessage(authz.HelpSchema),
		Category: string(permission.NeedsNothing)}
}

// helpHere answers a call of help on the coordination server.
func (t *Tools) helpHere(ctx context.Context, c *Call, q *attend.Request) *mcpwire.Error {
	of := toolhelp.Server{Table: coordination.Permissions()}
	for _, tool := range coordination.Tools {
		of.Tools = append(of.Tools, toolhelp.Tool{Name: tool.Name, Description: tool.Description, Schema: json.RawMessage(tool.Schema),
			Category: tool.Category, Example: json.RawMessage(tool.Example)})
	}
	return t.explain(ctx, c, q, of, func(tool string) bool {
		found, _ := coordination.ToolNamed(tool)
		return found.Quiet
	})
}

// Help answers a call of help on a server with a table, by what the server lists; false where the
// name is that of another tool there.
func (t *Tools) Help(ctx context.Context, c *Call, table permission.ToolPermissions,
	tools []mcpwire.Offering) (is bool, bad *mcpwire.Error) {
	if c.Act.Name != helpName(tools) {
		return false, nil
	}
	of := toolhelp.Server{Table: withHelp(table, c.Act.Name), Tools: []toolhelp.Tool{helpTool(c.Act.Name)}}
	for _, o := range tools {
		of.Tools = append(of.Tools, toolOf(o))
	}
	q := c.Ready()
	return true, t.explain(ctx, c, &q, of, func(string) bool { return false })
}

// MayAsk reports whether a call may be one of help on a server.
func MayAsk(server *permission.Server, m mcpwire.Message) bool {
	return m.Method == mcpwire.CallTool && server.ToolPermissions != nil && isHelp(nameIn(m))
}

// isHelp reports whether a name may be that of help.
func isHelp(name string) bool { return name == authz.HelpTool || name == authz.OwnHelp }

// nameIn is the name in the params of a request.
func nameIn(m mcpwire.Message) string {
	raw, _ := mcpwire.Member(m.Params, "name")
	name, _ := mcpwire.Text(raw)
	return name
}

// helpName is what help is called beside some tools.
func helpName(tools []mcpwire.Offering) string {
	return authz.HelpName(slices.ContainsFunc(tools, func(o mcpwire.Offering) bool { return o.Name == authz.HelpTool }))
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
func (t *Tools) explain(ctx context.Context, c *Call, q *attend.Request, of toolhelp.Server, quiet func(tool string) bool) *mcpwire.Error {
	var in struct {
		Tool *string `json:"tool_name"`
	}
	if err := json.Unmarshal(c.Act.Input(), &in); err != nil {
		c.refuse("tool_name is a string")
		return nil
	}
	of.Live = func(tool string) (toolhelp.Live, error) { return t.live(ctx, q, tool, quiet(tool)) }
	who := toolhelp.Caller{Standing: t.opts.Desk.Standing(q.Agent.ID, q.Call.SessionID), AgentID: q.Agent.ID}
	var said []byte
	var err error
	if in.Tool == nil {
		said, err = of.List(who)
	} else {
		said, err = of.Detail(who, *in.Tool)
	}
	if err != nil {
		return mcpwire.Errorf(mcpwire.CodeInternal, "help: %s", err)
	}
	_ = c.answer(inbound(c.Message, toolResult(said), true)) // whoever is gone has missed nothing
	return nil
}

// live is what is to be expected of a call of a tool.
func (t *Tools) live(ctx context.Context, q *attend.Request, tool string, pastHold bool) (l toolhelp.Live, err error) {
	if isHelp(tool) {
		return toolhelp.Live{Permission: toolhelp.Allowed}, nil
	}
	ask := queryOf(q, pastHold)
	ask.ToolName, ask.Input, ask.Envelope = tool, []byte("{}"), nil
	v, err := t.opts.Desk.Evaluate(ctx, ask)
	if err != nil {
		return l, err
	}
	l = toolhelp.Live{Permission: toolhelp.VerdictOf(v.Decision), Depends: v.Conditional}
	if l.Permission == toolhelp.Asks && t.opts.Waits != nil {
		waits, err := t.opts.Waits(ctx, *q.Call.ServerID, tool)
		if err != nil {
			return l, err
		}
		l.MedianSeconds = toolhelp.Median(waits)
	}
	return l, nil
}
