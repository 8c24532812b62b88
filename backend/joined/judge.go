package joined

import (
	"context"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// judge asks what the rules say of a client's readings, before they are made.
type judge struct {
	desk   Desk
	client *session.Session
}

// decides is what the rules say of a reading at a member: a denial where they cannot be asked.
func (j *judge) decides(ctx context.Context, read mcpwire.Act, to pair) permission.Effect {
	who := j.client.Who()
	v, err := j.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: read.Method, ToolName: to.name, Input: read.Input(), Envelope: read.Envelope,
		Caller: permission.Caller{SessionID: j.client.Name(), AgentID: who.ID, AgentName: who.Name},
		Asker:  &who,
		Brief:  true,
	})
	if err != nil {
		return permission.Deny
	}
	return v.Decision
}

// lets reports whether a reading would pass at a member unasked.
func (j *judge) lets(ctx context.Context, m mcpwire.Message, to pair) bool {
	read, bad := mcpwire.ReadAct(m)
	return bad == nil && j.decides(ctx, read, to) == permission.Allow
}
