package gateway

import (
	"context"
)

const (
	getPrompt = "prompts/get"
	complete  = "completion/complete"
)

// target is where a request of the client is to go.
type target struct {
	path   []string // of the name or URI in the message
	name   string   // as the client knows it
	to     []pair   // who is to be asked, one after the other until one has it
	search bool     // there was more than one
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
	t, bad := j.target(ctx, m)
	for t.search = len(t.to) > 1; bad == nil && len(t.to) > 1 && ctx.Err() == nil; t.to = t.to[1:] {
		if result, ok := j.attempt(ctx, m, t); ok {
			out.answer(resultAnswer(m.id, result))
			return
		}
	}
	moved, p := m, (*peer)(nil)
	if bad == nil {
		moved, p, bad = j.address(ctx, m, t)
	}
	switch {
	case context.Cause(ctx) != nil:
		out.begin() // nothing to say, and perhaps nobody to hear it
		return
	case bad != nil:
		out.answer(errorAnswer(m.id, bad))
		return
	}
	j.mu.Lock()
	o.peer = p
	j.mu.Unlock()
	j.execute(ctx, moved, p, t, out)
}

// execute lets a member answer the client.
func (j *joined) execute(ctx context.Context, m message, p *peer, t target, out *stream) {
	if m.method == callTool {
		j.g.request(ctx, p.s, m, out)
		return
	}
	settled := j.noting(m.method, t)
	defer p.s.attach(out)()
	in, err := j.g.relay(ctx, p.s, m, out) // what went wrong has been answered
	settled(err == nil && in.ok)
}

// attempt asks the first of several members, which may not have what is asked for.
func (j *joined) attempt(ctx context.Context, m message, t target) (result []byte, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, j.within())
	defer cancel()
	moved, p, bad := j.address(ctx, m, t)
	if bad != nil {
		return nil, false
	}
	settled := j.noting(m.method, t)
	result, err := j.ask(ctx, p, m.method, moved.params)
	settled(err == nil)
	return result, err == nil
}

// noting remembers what a request about a resource changes; settled says whether it was
// granted.
func (j *joined) noting(method string, t target) (settled func(granted bool)) {
	p := t.to[0]
	switch {
	case method == subscribe:
		return j.subscribing(t.name, p)
	case method == unsubscribe:
		return func(granted bool) {
			if granted {
				j.unsubscribed(p)
			}
		}
	case t.search:
		return func(granted bool) {
			if granted {
				j.found(t.name, p)
			}
		}
	}
	return func(bool) {}
}

// address gives a request as the first of its members is to get it.
func (j *joined) address(ctx context.Context, m message, t target) (message, *peer, *wireError) {
	to, not := t.to[0], ""
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
		c, bad := readCall(m)
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
	t.to, bad = j.resource(ctx, uri)
	return t, bad
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
		t.to, bad = j.resource(ctx, t.name)
	}
	return t, bad
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
