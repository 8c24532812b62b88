package joined

import (
	"context"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// passing lets one of several members answer a reading that may pass at once.
func (j *connection) passing(ctx context.Context, p *peer, m mcpwire.Message) (session.Inbound, error) {
	read, bad := mcpwire.ReadAct(m)
	if bad != nil {
		return session.Inbound{}, bad
	}
	return j.e.host.Pass(ctx, p.s, m, read, func(raw []byte) (session.Inbound, error) {
		approved, bad := mcpwire.FromClient(raw)
		if bad != nil {
			return session.Inbound{}, bad
		}
		return j.answerOf(ctx, p, m.Method, approved.Params)
	})
}

// searchJudged looks for a resource among the servers at which the rules and settings let
// it be read. Where none of these has it, one is left in t: the first of those at which it
// asks or is denied, which is judged as any reading. answer is nil then.
func (j *connection) searchJudged(ctx context.Context, m mcpwire.Message, t target) (left target, answer []byte) {
	open, shut := t, t
	open.to, shut.to, open.likely = nil, nil, 0
	for i, to := range t.to {
		if j.lets(ctx, m, to) {
			open.to = append(open.to, to)
			if i < t.likely {
				open.likely++
			}
			continue
		}
		shut.to = append(shut.to, to)
	}
	if len(open.to) == 0 {
		shut.to = shut.to[:1]
		return shut, nil
	}
	answer, found := j.search(ctx, m, open)
	if !found && len(shut.to) > 0 {
		shut.to = shut.to[:1]
		return shut, nil
	}
	return open, answer
}

// lets reports whether a reading would pass at a member unasked.
func (j *connection) lets(ctx context.Context, m mcpwire.Message, to pair) bool {
	read, bad := mcpwire.ReadAct(m)
	return bad == nil && j.decided(ctx, read, to) == permission.Allow
}

// decided is what the rules say of a reading at a member: a denial where they cannot be asked.
func (j *connection) decided(ctx context.Context, read mcpwire.Act, to pair) permission.Effect {
	v, err := j.e.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: read.Method, ToolName: to.name, Input: read.Input(), Envelope: read.Envelope,
		Caller: permission.Caller{SessionID: j.self.Name(), AgentID: j.self.Agent.ID, AgentName: j.self.Agent.Name},
		Brief:  true,
	})
	if err != nil {
		return permission.Deny
	}
	return v.Decision
}
