package joined

import (
	"context"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// pass takes a request to the member that it is for, under the name that it has there. A
// tools/call goes through the same gate as if the client had called at the member.
func (j *connection) pass(ctx context.Context, m mcpwire.Message, out *session.Stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &onward{cancel: cancel}
	key := j.calls.name(j.self, m.Key)
	if out.Bridged != nil && out.Bridged.Again {
		j.calls.replace(ctx, key)
	}
	if !j.calls.begin(key, o) {
		out.Answer(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInvalid, "a request with this id is in flight already")))
		return
	}
	defer j.calls.done(key)
	moved, p, answer := m, (*peer)(nil), []byte(nil)
	t, bad := j.locator.target(ctx, m)
	switch {
	case bad != nil:
	case t.still:
		j.subs.end(t.name, t.to[0])
		answer = mcpwire.ResultAnswer(m.ID, []byte("{}"))
	case len(t.to) > 1 && permission.Judged(m.Method):
		if t, answer = j.search.judged(ctx, m, t); answer == nil {
			moved, p, bad = t.address(ctx, m, t.to[0], j.members)
		}
	case len(t.to) > 1:
		answer, _ = j.search.all(ctx, m, t)
	default:
		moved, p, bad = t.address(ctx, m, t.to[0], j.members)
	}
	switch {
	case context.Cause(ctx) != nil:
		out.Begin() // nothing to say, and perhaps nobody to hear it
		return
	case bad != nil:
		out.Refuse(m.ID, bad)
		return
	case p == nil:
		out.Answer(answer)
		return
	}
	j.calls.give(o, p)
	j.execute(ctx, moved, p, t, out)
}

// execute lets a member answer the client.
func (j *connection) execute(ctx context.Context, m mcpwire.Message, p *peer, t target, out *session.Stream) {
	settled := j.subs.noting(m.Method, t.name, t.to[0])
	answered := false
	first := func(in session.Inbound) { // before the client knows, and goes on
		answered = true
		settled(in.OK)
	}
	j.host.Request(ctx, p.s, m, out, first)
	if !answered {
		settled(false) // what went wrong has been answered
	}
}
