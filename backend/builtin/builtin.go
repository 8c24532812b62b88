// Package builtin runs the tools that the desk itself has on MCP servers: those of the server of
// coordination, and help, which each server with a table of permissions has beside its own.
package builtin

import (
	"context"
	"log/slog"

	"sekisho/backend/attend"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// Desk says what would become of a call, and what an agent is to it in a session.
type Desk interface {
	Evaluate(ctx context.Context, q permission.Query) (permission.Verdict, error)
	Standing(agent permission.AgentID, session permission.SessionID) permission.Standing
}

// Coordination runs the tools of the desk's server of that name.
type Coordination interface {
	Call(ctx context.Context, who coordination.Caller, tool string, input []byte, passkey string) (coordination.Answer, error)
	// Holds reports whether a token is that of a session of an agent which is in force.
	Holds(token string, agent permission.AgentID, session permission.SessionID) bool
}

// Waits gives how long, in milliseconds, the last questions about a tool waited for a person.
type Waits func(ctx context.Context, server, tool string) ([]int64, error)

// Options of the tools.
type Options struct {
	Desk         Desk
	Calls        *attend.Runner
	Coordination Coordination                   // nil: no agent has its server
	Waits        Waits                          // nil: it is not known
	Entered      func(agent permission.AgentID) // told of a connection that has entered a session
	Logger       *slog.Logger
}

// Tools runs them. It is safe for use by many goroutines.
type Tools struct{ opts Options }

// New makes them.
func New(opts Options) *Tools { return &Tools{opts} }

// Call is a call of one of the tools, as the door has taken it in.
type Call struct {
	Session *session.Session
	Message mcpwire.Message
	Act     *mcpwire.Act
	Out     *session.Stream
	First   func(session.Inbound) // hears the answer before the client does; nil is nobody
	// Ready is what the desk is asked for the act.
	Ready func() attend.Request
	// Voice tells the client what becomes of the call, but for what came of it.
	Voice attend.Voice
}

// answer gives the client a result.
func (c *Call) answer(in session.Inbound) error {
	if c.First != nil {
		c.First(in)
	}
	return c.Out.Answer(in.Raw)
}

// refuse tells the client that the tool was not run, for a reason of which no row is kept.
func (c *Call) refuse(words string) {
	c.Out.Answer(mcpwire.ToolError(c.Message.ID, words)) // whoever is gone has missed nothing
}
