package gateway

import (
	"context"
	"encoding/json"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// refused answers a judged request that its row says was not executed.
func (h *held) refused(c *permission.Call, words string) []byte {
	return h.refusedFor(string(c.Status), &c.ID, words)
}

// refusedFor answers a judged request that was not executed: a tool call with a result for
// the model, and a reading, which has none such, with an error.
func (h *held) refusedFor(code string, call *permission.CallID, words string) []byte {
	if h.tool.Method == mcpwire.CallTool {
		return mcpwire.ToolError(h.m.ID, words)
	}
	e := mcpwire.Errorf(mcpwire.CodeRefused, "%s", words)
	e.Data, _ = json.Marshal(map[string]any{"code": code, "callId": call}) // of two texts: always marshals
	return mcpwire.ErrorAnswer(h.m.ID, e)
}

// onHold refuses what is not judged and does something new all the same.
func onHold(method string) *mcpwire.Error {
	e := mcpwire.Errorf(mcpwire.CodeRefused, "The desk is on hold: %s was not sent to the server. Repeat it when the hold has ended.", method)
	e.Data = []byte(`{"code":"on_hold","callId":null}`)
	return e
}

// mayPass asks the desk for a reading that nobody is to wait for, and claims it where a
// rule, the settings or a person's earlier yes let it pass. Else it is left at the desk, and
// answer says why it was not executed.
func (g *Gateway) mayPass(ctx context.Context, h *held) (answer []byte) {
	if answer = g.ask(ctx, h, time.Now().Add(leaveWithin)); answer != nil {
		return answer
	}
	if h.call.Status == permission.Approved {
		err := h.tool.Matches(h.s.server.ID, &h.call)
		if err == nil {
			err = g.claim(context.WithoutCancel(ctx), h)
		}
		if waits(err) {
			h.call = *conflictOf(err).Call
		} else if err != nil {
			g.leave(ctx, h)
			return g.unclaimed(h, err)
		}
	}
	switch h.call.Status {
	case permission.Claimed:
		return nil
	case permission.Pending:
		g.leave(ctx, h)
		return h.refusedFor("pending", &h.call.ID, pending(&h.call))
	}
	return h.refused(&h.call, verdict(&h.call))
}

// passing lets one of several members answer a reading that may pass at once.
func (g *Gateway) passing(ctx context.Context, p *peer, m mcpwire.Message, execute func(params []byte) (inbound, error)) (in inbound, err error) {
	read, bad := mcpwire.ReadAct(m)
	if bad != nil {
		return in, bad
	}
	h := &held{s: p.s, m: m, tool: read}
	if answer := g.mayPass(ctx, h); answer != nil {
		return inbound{raw: answer}, nil
	}
	approved, bad := mcpwire.FromClient(read.Message(m, &h.call))
	if bad != nil {
		return in, bad
	}
	in, err = execute(approved.Params)
	kept := in
	if err != nil {
		kept = fault(m.ID, "%s", err)
	}
	g.record(context.WithoutCancel(ctx), h, kept)
	return in, err
}

// maxListened is how many resources one subscriptions/listen may name.
const maxListened = 100

// mayListen judges the resources that a subscriptions/listen is to bring news of, each as
// resources/subscribe. Where one may not pass at once the request is answered, and not sent.
func (g *Gateway) mayListen(ctx context.Context, s *session, m mcpwire.Message, out *stream) bool {
	uris, bad := listened(m)
	for i := 0; i < len(uris) && bad == nil; i++ {
		h := &held{s: s, m: m, out: out, tool: mcpwire.Act{Method: mcpwire.Subscribe, Name: uris[i]}}
		if len(uris[i]) > permission.MaxURIBytes {
			bad = mcpwire.Errorf(mcpwire.CodeParams, "a URI has at most %d bytes", permission.MaxURIBytes)
			break
		}
		if answer := g.mayPass(ctx, h); answer != nil {
			out.answer(answer)
			return false
		}
		g.record(context.WithoutCancel(ctx), h, inbound{ok: true, value: []byte("{}")})
	}
	if bad != nil {
		out.answer(mcpwire.ErrorAnswer(m.ID, bad))
	}
	return bad == nil
}

// listened are the resources that a subscriptions/listen names.
func listened(m mcpwire.Message) (uris []string, bad *mcpwire.Error) {
	wanted, bad := mcpwire.Member(m.Params, "notifications")
	if wanted == nil || bad != nil {
		return nil, bad
	}
	list, bad := mcpwire.Member(wanted, "resourceSubscriptions")
	if list == nil || bad != nil || string(list) == "null" {
		return nil, bad
	}
	if json.Unmarshal(list, &uris) != nil || len(uris) > maxListened {
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "resourceSubscriptions of %s is a list of at most %d URIs", mcpwire.Listen, maxListened)
	}
	return uris, nil
}

// searchJudged looks for a resource among the servers at which the rules and settings let
// it be read. Where none of these has it, one is left in t: the first of those at which it
// asks or is denied, which is judged as any reading. answer is nil then.
func (j *joined) searchJudged(ctx context.Context, m mcpwire.Message, t target) (left target, answer []byte) {
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
	answer, found := j.searched(ctx, m, open)
	if !found && len(shut.to) > 0 {
		shut.to = shut.to[:1]
		return shut, nil
	}
	return open, answer
}

// forbids reports whether the rules deny a subscription that was let pass before.
func (j *joined) forbids(ctx context.Context, to pair) bool {
	v, err := j.g.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: mcpwire.Subscribe, ToolName: to.name, SessionID: j.self.name(), AgentID: j.self.agent.ID, AgentName: j.self.agent.Name, Brief: true,
	})
	return err != nil || v.Decision == permission.Deny
}

// lets reports whether a reading would pass at a member unasked.
func (j *joined) lets(ctx context.Context, m mcpwire.Message, to pair) bool {
	read, bad := mcpwire.ReadAct(m)
	if bad != nil {
		return false
	}
	v, err := j.g.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: m.Method, ToolName: to.name, Input: read.Input(), Envelope: read.Envelope,
		SessionID: j.self.name(), AgentID: j.self.agent.ID, AgentName: j.self.agent.Name, Brief: true,
	})
	return err == nil && v.Decision == permission.Allow
}
