package joined

import (
	"context"
	"fmt"
	"slices"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// subscribing notes a subscription before its server hears of it, since news of the
// resource may come before the answer; settled says whether it was taken.
func (j *connection) subscribing(uri string, p pair) (settled func(taken bool)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	had := slices.Contains(j.subs[p], uri)
	if !had && j.subscribed < mcpwire.MaxResources {
		j.subs[p] = append(j.subs[p], uri)
		j.subscribed++
	}
	return func(taken bool) {
		if !taken && !had {
			j.unsubscribed(uri, p)
		}
	}
}

// unsubscribed forgets that the client is subscribed to a resource by this name.
func (j *connection) unsubscribed(uri string, p pair) {
	j.mu.Lock()
	defer j.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(j.subs[p]), func(name string) bool { return name == uri })
	j.subscribed -= len(j.subs[p]) - len(left)
	if j.subs[p] = left; len(left) == 0 {
		delete(j.subs, p)
	}
}

// unsubscribing finds where a subscription is that the client ends. Where it has another
// one by a name of its own, the server's goes on.
func (j *connection) unsubscribing(ctx context.Context, t target) (target, *mcpwire.Error) {
	if p, ok := j.subscribedAs(t.name); ok {
		t.to = []pair{p}
	} else {
		var bad *mcpwire.Error
		if t, bad = j.locate(ctx, t); bad != nil {
			return t, bad
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	t.still = len(t.to) == 1 && slices.ContainsFunc(j.subs[t.to[0]], func(name string) bool { return name != t.name })
	return t, nil
}

// subscribedAs gives the resource that the client subscribed to by this name.
func (j *connection) subscribedAs(uri string) (p pair, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for p, names := range j.subs {
		if slices.Contains(names, uri) {
			return p, true
		}
	}
	return p, false
}

// subscribeAgain tells a member that was opened anew what its predecessor was told.
func (j *connection) subscribeAgain(ctx context.Context, p *peer) {
	if !p.can.subscribe {
		return
	}
	j.mu.Lock()
	var uris []string
	for sub := range j.subs {
		if sub.server == p.s.Server.ID {
			uris = append(uris, sub.name)
		}
	}
	j.mu.Unlock()
	for _, uri := range uris {
		if j.decided(ctx, mcpwire.Act{Method: mcpwire.Subscribe}, pair{p.s.Server.ID, uri}) == permission.Deny {
			j.warn("the server %s began anew, and the rules forbid the subscription to %.200s now", p.s.Server.ID, uri)
			continue
		}
		_, err := j.ask(ctx, p, mcpwire.Subscribe, fmt.Appendf(nil, `{"uri":%s}`, mcpwire.Quote(uri)))
		switch {
		case ctx.Err() != nil:
			j.warn("the server %s began anew, and did not take all subscriptions again in time", p.s.Server.ID)
			return
		case err != nil:
			j.warn("the server %s began anew, and did not take the subscription to %.200s again: %s", p.s.Server.ID, uri, err)
		}
	}
}

// updated is a member's word of a resource, by the URI that the client knows it by. A
// client that subscribed by several is told by each.
func (j *connection) updated(p *peer, m mcpwire.Message) []byte {
	at, ok := mcpwire.Find(m.Raw, 0, "params", "uri")
	if !ok {
		return m.Raw
	}
	uri, ok := mcpwire.Text(m.Raw[at.From:at.To])
	if !ok {
		return m.Raw
	}
	known := j.knownAs(pair{p.s.Server.ID, uri})
	as := func(name string) []byte {
		if name == uri {
			return m.Raw
		}
		return mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: mcpwire.Quote(name)})
	}
	for _, name := range known[1:] {
		j.sayOf(p.s, as(name))
	}
	return as(known[0])
}

// knownAs gives the URIs by which the client knows a resource of a server: at least one.
func (j *connection) knownAs(p pair) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if uris := j.subs[p]; len(uris) > 0 {
		return slices.Clone(uris)
	}
	other, taken := j.catalogs[mcpwire.OfResources].of[p.name]
	if _, own := ours(p.name); own || taken && other.server != p.server {
		return []string{p.uri()}
	}
	return []string{p.name}
}
