package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Readings are the judged requests that call no tool: resources/read, resources/subscribe
// and prompts/get. What they are about is a URI or a prompt's name, and their input is the
// rest of params.

// around are the members of params that are no part of a reading's input: they belong to
// its envelope.
var around = []string{"_meta", "inputResponses", "requestState", "task"}

// nameOf is the member that says what a reading is about.
func nameOf(method string) string {
	if method == getPrompt {
		return "name"
	}
	return "uri"
}

// readReading takes the params of a reading apart.
func (a *act) readReading(m message, members []rawjson.Member) *wireError {
	about := nameOf(m.method)
	got, bad := pick(members, append([]string{about}, around...)...)
	if bad != nil {
		return bad
	}
	var ok bool
	if a.name, ok = text(got[about].Value); !ok {
		return refusal(codeParams, "%s of %s is a string", about, m.method)
	}
	if len(a.name) > permission.MaxURIBytes {
		return refusal(codeParams, "%s of %s has at most %d bytes", about, m.method, permission.MaxURIBytes)
	}
	a.rawName = got[about].Value
	var input, rest []rawjson.Member
	for _, member := range members {
		switch {
		case member.Key == about:
		case slices.Contains(around, member.Key):
			rest = append(rest, member)
		default:
			input = append(input, member)
		}
	}
	a.args = rawjson.Object(input)
	return a.enclose(rest)
}

// reading is what the server gets of an approved reading, as message says it of a call of
// a tool.
func (a *act) reading(m message, row *permission.Call) []byte {
	if bytes.Equal(a.envelope, row.Envelope) && bytes.Equal(a.input(), row.Input) {
		return m.raw
	}
	params := fmt.Appendf(nil, `{%q:%s`, nameOf(a.method), a.rawName)
	input, _ := rawjson.Members(row.Input)       // good ones: see wholly
	envelope, _ := rawjson.Members(row.Envelope) // none, or what was judged
	return a.compose(m, params, slices.Concat(input, envelope))
}

// wholly reports whether a person's edit of a reading's input leaves alone what is not
// input.
func (a *act) wholly(input []byte) bool {
	if a.method == callTool {
		return true
	}
	members, err := rawjson.Members(input)
	return err == nil && !slices.ContainsFunc(members, func(m rawjson.Member) bool {
		return slices.ContainsFunc(append([]string{nameOf(a.method)}, around...), func(name string) bool { return strings.EqualFold(m.Key, name) })
	})
}

// refused answers a judged request that its row says was not executed.
func (h *held) refused(c *permission.Call, words string) []byte {
	return h.refusedFor(string(c.Status), &c.ID, words)
}

// refusedFor answers a judged request that was not executed: a tool call with a result for
// the model, and a reading, which has none such, with an error.
func (h *held) refusedFor(code string, call *permission.CallID, words string) []byte {
	if h.tool.method == callTool {
		return toolError(h.m.id, words)
	}
	e := refusal(codeRefused, "%s", words)
	e.data, _ = json.Marshal(map[string]any{"code": code, "callId": call}) // of two texts: always marshals
	return errorAnswer(h.m.id, e)
}

// onHold refuses what is not judged and does something new all the same.
func onHold(method string) *wireError {
	e := refusal(codeRefused, "The desk is on hold: %s was not sent to the server. Repeat it when the hold has ended.", method)
	e.data = []byte(`{"code":"on_hold","callId":null}`)
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
		err := h.tool.is(h.s.server.ID, &h.call)
		if err == nil {
			err = g.claim(context.WithoutCancel(ctx), h)
		}
		if err != nil && !waits(err) {
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
func (g *Gateway) passing(ctx context.Context, p *peer, m message, execute func() (inbound, error)) (in inbound, err error) {
	read, bad := readAct(m)
	if bad != nil {
		return in, bad
	}
	h := &held{s: p.s, m: m, tool: read}
	if answer := g.mayPass(ctx, h); answer != nil {
		return inbound{raw: answer}, nil
	}
	in, err = execute()
	kept := in
	if err != nil {
		kept = fault(m.id, "%s", err)
	}
	g.record(context.WithoutCancel(ctx), h, kept)
	return in, err
}

// maxListened is how many resources one subscriptions/listen may name.
const maxListened = 100

// mayListen judges the resources that a subscriptions/listen is to bring news of, each as
// resources/subscribe. Where one may not pass at once the request is answered, and not sent.
func (g *Gateway) mayListen(ctx context.Context, s *session, m message, out *stream) bool {
	uris, bad := listened(m)
	for i := 0; i < len(uris) && bad == nil; i++ {
		h := &held{s: s, m: m, out: out, tool: act{method: subscribe, name: uris[i]}}
		if len(uris[i]) > permission.MaxURIBytes {
			bad = refusal(codeParams, "a URI has at most %d bytes", permission.MaxURIBytes)
			break
		}
		if answer := g.mayPass(ctx, h); answer != nil {
			out.answer(answer)
			return false
		}
		g.record(context.WithoutCancel(ctx), h, inbound{ok: true, value: []byte("{}")})
	}
	if bad != nil {
		out.answer(errorAnswer(m.id, bad))
	}
	return bad == nil
}

// listened are the resources that a subscriptions/listen names.
func listened(m message) (uris []string, bad *wireError) {
	wanted, bad := within(m.params, "notifications")
	if wanted == nil || bad != nil {
		return nil, bad
	}
	list, bad := within(wanted, "resourceSubscriptions")
	if list == nil || bad != nil || string(list) == "null" {
		return nil, bad
	}
	if json.Unmarshal(list, &uris) != nil || len(uris) > maxListened {
		return nil, refusal(codeParams, "resourceSubscriptions of %s is a list of at most %d URIs", listen, maxListened)
	}
	return uris, nil
}

// searchJudged looks for a resource among the servers at which the rules and settings let
// it be read. Where none of these has it, one is left in t: the first of those at which it
// asks or is denied, which is judged as any reading. answer is nil then.
func (j *joined) searchJudged(ctx context.Context, m message, t target) (left target, answer []byte) {
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
		ServerID: &to.server, Method: subscribe, ToolName: to.name, SessionID: j.self.name(), AgentID: j.self.agent.ID, AgentName: j.self.agent.Name, Brief: true,
	})
	return err != nil || v.Decision == permission.Deny
}

// lets reports whether a reading would pass at a member unasked.
func (j *joined) lets(ctx context.Context, m message, to pair) bool {
	read, bad := readAct(m)
	if bad != nil {
		return false
	}
	v, err := j.g.desk.Evaluate(ctx, permission.Query{
		ServerID: &to.server, Method: m.method, ToolName: to.name, Input: read.input(), Envelope: read.envelope,
		SessionID: j.self.name(), AgentID: j.self.agent.ID, AgentName: j.self.agent.Name, Brief: true,
	})
	return err == nil && v.Decision == permission.Allow
}
