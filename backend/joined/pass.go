package joined

import (
	"context"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
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
func (j *connection) pass(ctx context.Context, m mcpwire.Message, out *session.Stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := &onward{cancel: cancel}
	if !j.begin(m.Key, o) {
		out.Answer(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInvalid, "a request with this id is in flight already")))
		return
	}
	defer j.done(m.Key)
	moved, p, answer := m, (*peer)(nil), []byte(nil)
	t, bad := j.target(ctx, m)
	switch {
	case bad != nil:
	case t.still:
		j.unsubscribed(t.name, t.to[0])
		answer = mcpwire.ResultAnswer(m.ID, []byte("{}"))
	case len(t.to) > 1 && permission.Judged(m.Method):
		if t, answer = j.searchJudged(ctx, m, t); answer == nil {
			moved, p, bad = j.address(ctx, m, t, t.to[0])
		}
	case len(t.to) > 1:
		answer, _ = j.search(ctx, m, t)
	default:
		moved, p, bad = j.address(ctx, m, t, t.to[0])
	}
	switch {
	case context.Cause(ctx) != nil:
		out.Begin() // nothing to say, and perhaps nobody to hear it
		return
	case bad != nil:
		out.Answer(mcpwire.ErrorAnswer(m.ID, bad))
		return
	case p == nil:
		out.Answer(answer)
		return
	}
	j.mu.Lock()
	o.peer = p
	j.mu.Unlock()
	j.execute(ctx, moved, p, t, out)
}

// execute lets a member answer the client.
func (j *connection) execute(ctx context.Context, m mcpwire.Message, p *peer, t target, out *session.Stream) {
	settled := j.noting(m.Method, t.name, t.to[0])
	answered := false
	first := func(in session.Inbound) { // before the client knows, and goes on
		answered = true
		settled(in.OK)
	}
	j.e.host.Request(ctx, p.s, m, out, first)
	if !answered {
		settled(false) // what went wrong has been answered
	}
}

// noting remembers what a request about a resource changes; settled says whether it was
// granted.
func (j *connection) noting(method, uri string, p pair) (settled func(granted bool)) {
	switch method {
	case mcpwire.Subscribe:
		return j.subscribing(uri, p)
	case mcpwire.Unsubscribe:
		return func(granted bool) {
			if granted {
				j.unsubscribed(uri, p)
			}
		}
	}
	return func(bool) {}
}

// address gives a request as a member is to get it.
func (j *connection) address(ctx context.Context, m mcpwire.Message, t target, to pair) (mcpwire.Message, *peer, *mcpwire.Error) {
	not := ""
	if m.Method == mcpwire.CallTool {
		not = "; the call was not executed"
	}
	p, err := j.peer(ctx, to.server)
	if err != nil {
		return m, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the server %s cannot be reached: %s%s", to.server, err, not)
	}
	moved := m
	if to.name != t.name {
		var bad *mcpwire.Error
		at, _ := mcpwire.Find(m.Raw, 0, append([]string{"params"}, t.path...)...) // target has seen it
		if moved, bad = mcpwire.FromClient(mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: mcpwire.Quote(to.name)})); bad != nil {
			return m, nil, bad
		}
	}
	moved.Header = p.header
	return moved, p, nil
}

// target finds whom a request is for.
func (j *connection) target(ctx context.Context, m mcpwire.Message) (t target, bad *mcpwire.Error) {
	switch m.Method {
	case mcpwire.CallTool:
		c, bad := mcpwire.ReadAct(m)
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, mcpwire.OfTools, c.Name, "name")
	case mcpwire.GetPrompt:
		name, bad := wordOf(m, "name")
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, mcpwire.OfPrompts, name, "name")
	case mcpwire.Complete:
		return j.completing(ctx, m)
	}
	uri, bad := wordOf(m, "uri")
	if bad != nil {
		return t, bad
	}
	t = target{path: []string{"uri"}, name: uri}
	if m.Method == mcpwire.Unsubscribe {
		return j.unsubscribing(ctx, t)
	}
	return j.locate(ctx, t)
}

// named is a target that has a joined name.
func (j *connection) named(ctx context.Context, what mcpwire.ListKind, name string, path ...string) (target, *mcpwire.Error) {
	p, bad := j.find(ctx, what, name)
	return target{path: path, name: name, to: []pair{p}}, bad
}

// completing finds whose prompt or template the client wants completions for.
func (j *connection) completing(ctx context.Context, m mcpwire.Message) (t target, bad *mcpwire.Error) {
	kind, bad := wordOf(m, "ref", "type")
	if bad != nil {
		return t, bad
	}
	if kind == "ref/prompt" {
		name, bad := wordOf(m, "ref", "name")
		if bad != nil {
			return t, bad
		}
		return j.named(ctx, mcpwire.OfPrompts, name, "ref", "name")
	}
	t.path = []string{"ref", "uri"}
	if t.name, bad = wordOf(m, t.path...); bad == nil {
		bad = j.known(ctx, mcpwire.OfTemplates)
	}
	if bad != nil {
		return t, bad
	}
	j.mu.Lock()
	p, ok := j.catalogs[mcpwire.OfTemplates].of[t.name]
	j.mu.Unlock()
	if t.to = []pair{p}; !ok {
		return j.locate(ctx, t)
	}
	return t, nil
}

// wordOf is a string in the params of a request, by the names on the way to it.
func wordOf(m mcpwire.Message, path ...string) (word string, bad *mcpwire.Error) {
	raw := m.Params
	for _, name := range path {
		if raw, bad = mcpwire.Member(raw, name); bad != nil {
			return "", bad
		}
	}
	word, ok := mcpwire.Text(raw)
	if !ok {
		return "", mcpwire.Errorf(mcpwire.CodeParams, "%s of %s is a string", path[len(path)-1], m.Method)
	}
	return word, nil
}
