package gateway

import (
	"context"

	"sekisho/backend/permission"
)

const (
	getPrompt = "prompts/get"
	complete  = "completion/complete"
)

// target is where a request of the client is to go.
type target struct {
	path   []string // of the name or URI in the message
	name   string   // as the client knows it
	to     []pair   // who is to be asked, in this order
	likely int      // how many of them are to be asked before the others
	still  bool     // of an unsubscription: another name's subscription lasts
}

// pass takes a request to the member that it is for, under the name that it has there. A
// tools/call goes through the same gate as if the client had called at the member.
func (j *joined) pass(ctx context.Context, m message, out *stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &onward{cancel: cancel}
	if !j.begin(m.key, o) {
		out.answer(errorAnswer(m.id, refusal(codeInvalid, "a request with this id is in flight already")))
		return
	}
	defer j.done(m.key)
	moved, p, answer := m, (*peer)(nil), []byte(nil)
	t, bad := j.target(ctx, m)
	switch {
	case bad != nil:
	case t.still:
		j.unsubscribed(t.name, t.to[0])
		answer = resultAnswer(m.id, []byte("{}"))
	case len(t.to) > 1 && permission.Judged(m.method):
		if t, answer = j.searchJudged(ctx, m, t); answer == nil {
			moved, p, bad = j.address(ctx, m, t, t.to[0])
		}
	case len(t.to) > 1:
		answer = j.search(ctx, m, t)
	default:
		moved, p, bad = j.address(ctx, m, t, t.to[0])
	}
	switch {
	case context.Cause(ctx) != nil:
		out.begin() // nothing to say, and perhaps nobody to hear it
		return
	case bad != nil:
		out.answer(errorAnswer(m.id, bad))
		return
	case p == nil:
		out.answer(answer)
		return
	}
	j.mu.Lock()
	o.peer = p
	j.mu.Unlock()
	j.execute(ctx, moved, p, t, out)
}

// execute lets a member answer the client.
func (j *joined) execute(ctx context.Context, m message, p *peer, t target, out *stream) {
	settled := j.noting(m.method, t.name, t.to[0])
	defer p.s.attach(out)()
	answered := false
	first := func(in inbound) { // before the client knows, and goes on
		answered = true
		settled(in.ok)
	}
	switch {
	case permission.Judged(m.method):
		j.g.call(ctx, p.s, m, out, first)
	case m.method == complete && j.g.desk.OnHold():
		out.answer(errorAnswer(m.id, onHold(m.method)))
	default:
		j.g.relay(ctx, p.s, m, out, first)
	}
	if !answered {
		settled(false) // what went wrong has been answered
	}
}

// noting remembers what a request about a resource changes; settled says whether it was
// granted.
func (j *joined) noting(method, uri string, p pair) (settled func(granted bool)) {
	switch method {
	case subscribe:
		return j.subscribing(uri, p)
	case unsubscribe:
		return func(granted bool) {
			if granted {
				j.unsubscribed(uri, p)
			}
		}
	}
	return func(bool) {}
}

// address gives a request as a member is to get it.
func (j *joined) address(ctx context.Context, m message, t target, to pair) (message, *peer, *wireError) {
	not := ""
	if m.method == callTool {
		not = "; the call was not executed"
	}
	p, err := j.peer(ctx, to.server)
	if err != nil {
		return m, nil, refusal(codeInternal, "the server %s cannot be reached: %s%s", to.server, err, not)
	}
	moved := m
	if to.name != t.name {
		var bad *wireError
		at, _ := find(m.raw, 0, append([]string{"params"}, t.path...)...) // target has seen it
		if moved, bad = fromClient(respell(m.raw, map[span][]byte{at: quote(to.name)})); bad != nil {
			return m, nil, bad
		}
	}
	moved.header = p.header
	return moved, p, nil
}

// target finds whom a request is for.
func (j *joined) target(ctx context.Context, m message) (t target, bad *wireError) {
	switch m.method {
	case callTool:
		c, bad := readAct(m)
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, ofTools, c.name, "name")
	case getPrompt:
		name, bad := wordOf(m, "name")
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, ofPrompts, name, "name")
	case complete:
		return j.completing(ctx, m)
	}
	uri, bad := wordOf(m, "uri")
	if bad != nil {
		return t, bad
	}
	t = target{path: []string{"uri"}, name: uri}
	if m.method == unsubscribe {
		return j.unsubscribing(ctx, t)
	}
	return j.locate(ctx, t)
}

// named is a target that has a joined name.
func (j *joined) named(ctx context.Context, what listable, name string, path ...string) (target, *wireError) {
	p, bad := j.find(ctx, what, name)
	return target{path: path, name: name, to: []pair{p}}, bad
}

// completing finds whose prompt or template the client wants completions for.
func (j *joined) completing(ctx context.Context, m message) (t target, bad *wireError) {
	kind, bad := wordOf(m, "ref", "type")
	if bad != nil {
		return t, bad
	}
	if kind == "ref/prompt" {
		name, bad := wordOf(m, "ref", "name")
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, ofPrompts, name, "ref", "name")
	}
	t.path = []string{"ref", "uri"}
	if t.name, bad = wordOf(m, t.path...); bad == nil {
		bad = j.known(ctx, ofTemplates)
	}
	if bad != nil {
		return t, bad
	}
	j.mu.Lock()
	p, ok := j.catalogs[ofTemplates].of[t.name]
	j.mu.Unlock()
	if t.to = []pair{p}; !ok {
		return j.locate(ctx, t)
	}
	return t, nil
}

// wordOf is a string in the params of a request, by the names on the way to it.
func wordOf(m message, path ...string) (word string, bad *wireError) {
	raw := m.params
	for _, name := range path {
		if raw, bad = within(raw, name); bad != nil {
			return "", bad
		}
	}
	word, ok := text(raw)
	if !ok {
		return "", refusal(codeParams, "%s of %s is a string", path[len(path)-1], m.method)
	}
	return word, nil
}
