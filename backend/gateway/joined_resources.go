package gateway

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

const (
	codeNoResource = -32002 // resource not found

	readResource    = "resources/read"
	subscribe       = "resources/subscribe"
	unsubscribe     = "resources/unsubscribe"
	resourceUpdated = "notifications/resources/updated"

	maxPlaced = 1000 // URIs of one client that are remembered with their servers
)

// ownScheme begins the URIs that the desk makes at the joined endpoint: behind it stand the
// server's id, a slash, and the URI or template as the server wrote it.
//
// A URI is the server's own, byte for byte, wherever that is clear: clients look at its
// scheme and its end, models repeat it, and it stands in tools' results too, which are not
// changed. Where two servers list the same, it is that of the first one in the order of the
// servers, and the others' are offered under the desk's scheme, as is a server's own that
// begins so: by it every resource of every server can be reached. It is one opaque path,
// whatever the server's URI is like: no parser has a reason to fold dots or letters in it.
const ownScheme = "sekisho:"

// uri is how a resource can always be asked for.
func (p pair) uri() string { return ownScheme + p.server + "/" + p.name }

// ours takes a URI of the desk's apart.
func ours(uri string) (p pair, ok bool) {
	if len(uri) < len(ownScheme) || !strings.EqualFold(uri[:len(ownScheme)], ownScheme) {
		return p, false
	}
	p.server, p.name, _ = strings.Cut(uri[len(ownScheme):], "/")
	return p, true
}

// joinedURIs gives resources, or templates, in the order of their servers, the URIs that
// the client gets to see.
func joinedURIs(pairs []pair) map[string]pair {
	of := make(map[string]pair, len(pairs))
	for _, p := range pairs {
		first, taken := of[p.name]
		if _, own := ours(p.name); own || taken && first.server != p.server {
			of[p.uri()] = p
		} else {
			of[p.name] = p
		}
	}
	return of
}

// matches reports whether a URI can be made of a template, and how many letters of it the
// template gives. What stands for an expression is not looked at.
func matches(template, uri string) (letters int, ok bool) {
	literal, rest, open := strings.Cut(template, "{")
	if !open {
		return len(literal), literal == uri
	}
	if !strings.HasPrefix(uri, literal) {
		return 0, false
	}
	letters, uri = len(literal), uri[len(literal):]
	for {
		_, rest, open = strings.Cut(rest, "}")
		if !open {
			return 0, false // it is no template
		}
		literal, rest, open = strings.Cut(rest, "{")
		letters += len(literal)
		if !open {
			return letters, strings.HasSuffix(uri, literal)
		}
		at := strings.Index(uri, literal)
		if at < 0 {
			return 0, false
		}
		uri = uri[at+len(literal):]
	}
}

// resource says which servers are to be asked for a URI, one after the other until one
// has it: the one that it was subscribed or found at, or that lists it; the one that it names
// itself; those with a template for it, the closest first; else all that have resources, in
// their order.
func (j *joined) resource(ctx context.Context, uri string) ([]pair, *wireError) {
	if bad := j.known(ctx, ofResources); bad != nil {
		return nil, bad
	}
	j.mu.Lock()
	p, ok := j.place(uri)
	from := j.catalogs[ofResources].from
	j.mu.Unlock()
	if named, own := ours(uri); !ok && own {
		p, ok = named, slices.Contains(from, named.server)
		from = nil
	}
	if ok {
		return []pair{p}, nil
	}
	if len(from) == 0 {
		return nil, refusal(codeNoResource, "no server has the resource %.200q", uri)
	}
	if to, bad := j.templates(ctx, uri); len(to) > 0 || bad != nil {
		return to, bad
	}
	all := make([]pair, len(from))
	for i, server := range from {
		all[i] = pair{server, uri}
	}
	return all, nil
}

// place finds where a URI is known to be. The caller holds the lock.
func (j *joined) place(uri string) (pair, bool) {
	for p, name := range j.subs {
		if name == uri {
			return p, true
		}
	}
	if p, ok := j.catalogs[ofResources].of[uri]; ok {
		return p, true
	}
	p, ok := j.placed[uri]
	return p, ok
}

// templates gives the servers of whose templates the client may have made a URI: as they
// are, and not under the desk's scheme.
func (j *joined) templates(ctx context.Context, uri string) (to []pair, bad *wireError) {
	if bad := j.known(ctx, ofTemplates); bad != nil {
		return nil, bad
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &j.catalogs[ofTemplates]
	closest := map[string]int{}
	for known, p := range c.of {
		if letters, ok := matches(p.name, uri); ok && known == p.name {
			closest[p.server] = max(closest[p.server], letters+1)
		}
	}
	for _, server := range c.from {
		if closest[server] > 0 {
			to = append(to, pair{server, uri})
		}
	}
	slices.SortStableFunc(to, func(a, b pair) int { return cmp.Compare(closest[b.server], closest[a.server]) })
	return to, nil
}

// found remembers where a URI is that no list has.
func (j *joined) found(uri string, p pair) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for old := range j.placed {
		if len(j.placed) < maxPlaced {
			break
		}
		delete(j.placed, old)
	}
	j.placed[uri] = p
}

// subscribing notes a subscription before its server hears of it, since news of the
// resource may come before the answer; settled says whether it was taken.
func (j *joined) subscribing(uri string, p pair) (settled func(taken bool)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	before, had := j.subs[p]
	if had || len(j.subs) < maxResources {
		j.subs[p] = uri
	}
	return func(taken bool) {
		if taken {
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if delete(j.subs, p); had {
			j.subs[p] = before
		}
	}
}

func (j *joined) unsubscribed(p pair) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.subs, p)
}

// subscribeAgain tells a member that was opened anew what its predecessor was told.
func (j *joined) subscribeAgain(ctx context.Context, p *peer) {
	if !p.can.subscribe {
		return
	}
	j.mu.Lock()
	var uris []string
	for sub := range j.subs {
		if sub.server == p.s.server.ID {
			uris = append(uris, sub.name)
		}
	}
	j.mu.Unlock()
	for _, uri := range uris {
		if _, err := j.ask(ctx, p, subscribe, fmt.Appendf(nil, `{"uri":%s}`, quote(uri))); err != nil {
			j.warn("the server %s began anew, and did not take the subscription to %.200s again: %s", p.s.server.ID, uri, err)
		}
	}
}

// updated is a member's word of a resource, by the URI that the client knows it by.
func (j *joined) updated(p *peer, m message) []byte {
	at, ok := find(m.raw, 0, "params", "uri")
	if !ok {
		return m.raw
	}
	uri, ok := text(m.raw[at.from:at.to])
	if known := j.knownAs(pair{p.s.server.ID, uri}); ok && known != uri {
		return respell(m.raw, map[span][]byte{at: quote(known)})
	}
	return m.raw
}

// knownAs is the URI by which the client knows a resource of a server.
func (j *joined) knownAs(p pair) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if uri, ok := j.subs[p]; ok {
		return uri
	}
	other, taken := j.catalogs[ofResources].of[p.name]
	if _, own := ours(p.name); own || taken && other.server != p.server {
		return p.uri()
	}
	return p.name
}
