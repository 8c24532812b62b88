package gateway

import (
	"context"
	"encoding/json"

	"sekisho/backend/attend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// passing is a reading that is executed where it may pass at once: a rule, the settings or a
// person's earlier yes allow it. Nobody waits for it, and else it is left at the desk.
type passing struct {
	s   *session.Session
	m   mcpwire.Message
	act mcpwire.Act
	run func(raw []byte) (session.Inbound, error) // executes what may pass

	raw []byte          // what may pass
	in  session.Inbound // the answer: of run, or why it did not run
	err error           // of run
}

// Pass asks the desk for a reading, and executes it with run if it may pass. The answer is
// that of run, or says why it did not run.
func (g *Gateway) Pass(ctx context.Context, s *session.Session, m mcpwire.Message, act mcpwire.Act,
	run func(raw []byte) (session.Inbound, error)) (session.Inbound, error) {
	p := &passing{s: s, m: m, act: act, run: run}
	g.calls.Run(ctx, requestOf(p.s, &p.act, nil), p, p)
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
	return attend.Result{OK: p.in.OK, Output: p.in.Value, Doubt: p.in.Doubtful}, p.err
}

// Beat is not needed: nobody waits.
func (p *passing) Beat(*permission.Call) error { return nil }

// Refused keeps why the reading may not pass.
func (p *passing) Refused(r attend.Refusal) error {
	p.in.Raw = refusal(p.m, r)
	return nil
}

// Failed keeps why the desk did not let the reading pass.
func (p *passing) Failed(err error) {
	if p.err == nil {
		p.in.Raw = failure(p.s, p.m, nil, err)
	}
}

// Done has nothing to say: the answer is that of run.
func (p *passing) Done(*permission.Call, attend.Result) {}

// maxListened is how many resources one subscriptions/listen may name.
const maxListened = 100

// mayListen judges the resources that a subscriptions/listen is to bring news of, each as
// resources/subscribe. Where one may not pass at once the request is answered, and not sent.
func (g *Gateway) mayListen(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) bool {
	uris, bad := listened(m)
	for i := 0; i < len(uris) && bad == nil; i++ {
		if len(uris[i]) > permission.MaxURIBytes {
			bad = mcpwire.Errorf(mcpwire.CodeParams, "a URI has at most %d bytes", permission.MaxURIBytes)
			break
		}
		in, _ := g.Pass(ctx, s, m, mcpwire.Act{Method: mcpwire.Subscribe, Name: uris[i]}, func([]byte) (session.Inbound, error) {
			return session.Inbound{OK: true, Value: []byte("{}")}, nil
		})
		if !in.OK {
			out.Answer(in.Raw)
			return false
		}
	}
	if bad != nil {
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad))
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
