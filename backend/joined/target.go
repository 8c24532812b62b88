package joined

import (
	"context"
	"slices"

	"sekisho/backend/mcpwire"
)

// target is where a request of the client is to go.
type target struct {
	path   []string // of the name or URI in the message
	name   string   // as the client knows it
	to     []pair   // who is to be asked, in this order
	likely int      // how many of them are to be asked before the others
	still  bool     // of an unsubscription: another name's subscription lasts
}

// address gives a request as a member is to get it.
func (t target) address(ctx context.Context, m mcpwire.Message, to pair, members *members) (mcpwire.Message, *peer, *mcpwire.Error) {
	not := ""
	if m.Method == mcpwire.CallTool {
		not = "; the call was not executed"
	}
	ctx, cancel := context.WithTimeout(ctx, members.opts.reach())
	defer cancel()
	p, err := members.peer(ctx, to.server)
	if err != nil {
		return m, nil, mcpwire.Errorf(mcpwire.CodeInternal, "the server %s cannot be reached: %s%s", to.server, err, not)
	}
	moved := m
	if to.name != t.name {
		var bad *mcpwire.Error
		at, _ := mcpwire.Find(m.Raw, 0, append([]string{"params"}, t.path...)...) // it was read there
		if moved, bad = mcpwire.FromClient(mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: mcpwire.Quote(to.name)})); bad != nil {
			return m, nil, bad
		}
	}
	moved.Header = p.terms().header
	if p.s.Shared {
		said := m.Header
		if m.Method == mcpwire.CallTool && !members.desk.Usable(members.client.Who(), to.server, to.name) {
			said = nil // which parameters the tool has is not for the client to know
		}
		return moved, p, p.head(&moved, said)
	}
	return moved, p, nil
}

// target finds whom a request is for.
func (l *locator) target(ctx context.Context, m mcpwire.Message) (t target, bad *mcpwire.Error) {
	switch m.Method {
	case mcpwire.CallTool:
		c, bad := mcpwire.ReadAct(m)
		if bad != nil {
			return t, bad
		}
		return l.named(ctx, mcpwire.OfTools, c.Name, "name")
	case mcpwire.GetPrompt:
		name, bad := wordOf(m, "name")
		if bad != nil {
			return t, bad
		}
		return l.named(ctx, mcpwire.OfPrompts, name, "name")
	case mcpwire.Complete:
		return l.completing(ctx, m)
	}
	uri, bad := wordOf(m, "uri")
	if bad != nil {
		return t, bad
	}
	t = target{path: []string{"uri"}, name: uri}
	if m.Method != mcpwire.Unsubscribe {
		return l.located(ctx, t)
	}
	if t.to = l.subs.where(uri); len(t.to) > 0 {
		t.to = t.to[:1]
	} else if t, bad = l.located(ctx, t); bad != nil {
		return t, bad
	}
	t.still = len(t.to) == 1 && slices.ContainsFunc(l.subs.names(t.to[0]), func(name string) bool { return name != uri })
	return t, nil
}

// located is a target by its URI.
func (l *locator) located(ctx context.Context, t target) (_ target, bad *mcpwire.Error) {
	t.to, t.likely, bad = l.locate(ctx, t.name)
	return t, bad
}

// named is a target that has a joined name.
func (l *locator) named(ctx context.Context, what mcpwire.ListKind, name string, path ...string) (target, *mcpwire.Error) {
	p, bad := l.lists.find(ctx, what, name)
	return target{path: path, name: name, to: []pair{p}}, bad
}

// completing finds whose prompt or template the client wants completions for.
func (l *locator) completing(ctx context.Context, m mcpwire.Message) (t target, bad *mcpwire.Error) {
	kind, bad := wordOf(m, "ref", "type")
	if bad != nil {
		return t, bad
	}
	if kind == "ref/prompt" {
		name, bad := wordOf(m, "ref", "name")
		if bad != nil {
			return t, bad
		}
		return l.named(ctx, mcpwire.OfPrompts, name, "ref", "name")
	}
	t.path = []string{"ref", "uri"}
	if t.name, bad = wordOf(m, t.path...); bad != nil {
		return t, bad
	}
	templates, bad := l.lists.known(ctx, mcpwire.OfTemplates)
	if bad != nil {
		return t, bad
	}
	if p, ok := templates.of[t.name]; ok {
		t.to = []pair{p}
		return t, nil
	}
	return l.located(ctx, t)
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
