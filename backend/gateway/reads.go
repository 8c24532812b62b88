package gateway

import (
	"context"
	"encoding/json"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// passing is a reading that is executed where it may pass at once: a rule, the settings or a
// person's earlier yes allow it. Nobody waits for it, and else it is left at the desk.
type passing struct {
	s   *session
	m   mcpwire.Message
	act mcpwire.Act
	run func(raw []byte) (inbound, error) // executes what may pass

	raw []byte  // what may pass
	in  inbound // the answer: of run, or why it did not run
	err error   // of run
}

// pass asks the desk for a reading, and executes it if it may pass.
func (g *Gateway) pass(ctx context.Context, p *passing) (inbound, error) {
	g.calls.Run(ctx, p.s.requestOf(&p.act), p, p)
	return p.in, p.err
}

// Prepare makes the message of the reading.
func (p *passing) Prepare(call *permission.Call) error {
	p.raw = p.act.Message(p.m, call)
	return nil
}

// Execute lets the reading pass.
func (p *passing) Execute(context.Context, *permission.Call) (attend.Result, error) {
	p.in, p.err = p.run(p.raw)
	return attend.Result{OK: p.in.ok, Output: p.in.value, Doubt: p.in.doubtful}, p.err
}

// Beat is not needed: nobody waits.
func (p *passing) Beat() error { return nil }

// Refused keeps why the reading may not pass.
func (p *passing) Refused(r attend.Refusal) error {
	p.in.raw = refusal(p.m, r)
	return nil
}

// Failed keeps why the desk did not let the reading pass.
func (p *passing) Failed(err error) {
	if p.err == nil {
		p.in.raw = failure(p.s, p.m, err)
	}
}

// Done has nothing to say: the answer is that of run.
func (p *passing) Done(*permission.Call, attend.Result) {}

// passing lets one of several members answer a reading that may pass at once.
func (j *joined) passing(ctx context.Context, p *peer, m mcpwire.Message) (inbound, error) {
	read, bad := mcpwire.ReadAct(m)
	if bad != nil {
		return inbound{}, bad
	}
	return j.g.pass(ctx, &passing{s: p.s, m: m, act: read, run: func(raw []byte) (inbound, error) {
		approved, bad := mcpwire.FromClient(raw)
		if bad != nil {
			return inbound{}, bad
		}
		return j.answerOf(ctx, p, m.Method, approved.Params)
	}})
}

// maxListened is how many resources one subscriptions/listen may name.
const maxListened = 100

// mayListen judges the resources that a subscriptions/listen is to bring news of, each as
// resources/subscribe. Where one may not pass at once the request is answered, and not sent.
func (g *Gateway) mayListen(ctx context.Context, s *session, m mcpwire.Message, out *stream) bool {
	uris, bad := listened(m)
	for i := 0; i < len(uris) && bad == nil; i++ {
		if len(uris[i]) > permission.MaxURIBytes {
			bad = mcpwire.Errorf(mcpwire.CodeParams, "a URI has at most %d bytes", permission.MaxURIBytes)
			break
		}
		in, _ := g.pass(ctx, &passing{s: s, m: m, act: mcpwire.Act{Method: mcpwire.Subscribe, Name: uris[i]}, run: func([]byte) (inbound, error) {
			return inbound{ok: true, value: []byte("{}")}, nil
		}})
		if !in.ok {
			out.answer(in.raw)
			return false
		}
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
	answer, found := j.search(ctx, m, open)
	if !found && len(shut.to) > 0 {
		shut.to = shut.to[:1]
		return shut, nil
	}
	return open, answer
}

// lets reports whether a reading would pass at a member unasked.
func (j *joined) lets(ctx context.Context, m mcpwire.Message, to pair) bool {
	read, bad := mcpwire.ReadAct(m)
	return bad == nil && j.decided(ctx, read, to) == permission.Allow
}

// decided is what the rules say of a reading at a member: a denial where they cannot be asked.
func (j *joined) decided(ctx context.Context, read mcpwire.Act, to pair) permission.Effect {
	v, err := j.g.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: read.Method, ToolName: to.name, Input: read.Input(), Envelope: read.Envelope,
		Caller: permission.Caller{SessionID: j.self.name(), AgentID: j.self.agent.ID, AgentName: j.self.agent.Name},
		Brief:  true,
	})
	if err != nil {
		return permission.Deny
	}
	return v.Decision
}
