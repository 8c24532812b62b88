package joined

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"sekisho/backend/mcpwire"
)

const codeNoResource = -32002 // resource not found

// locator finds the servers that a request of the client is for.
type locator struct {
	lists *lists
	subs  *subscriptions

	mu     sync.Mutex
	placed map[string]pair // URIs in no list, where a member had them
}

// locate says which servers are to be asked for a URI: the one that lists it; the one that
// it names itself; else first those that are likely to have it, which are counted, then those
// with a template for it, the closest first, or all that have resources, in their order.
func (l *locator) locate(ctx context.Context, uri string) (to []pair, likely int, bad *mcpwire.Error) {
	resources, bad := l.lists.known(ctx, mcpwire.OfResources)
	if bad != nil {
		return nil, 0, bad
	}
	p, listed := resources.of[uri]
	named, own := ours(uri)
	switch {
	case listed:
		return []pair{p}, 0, nil
	case len(uri) > maxURI:
		return nil, 0, mcpwire.Errorf(mcpwire.CodeParams, "a URI has at most %d bytes", maxURI)
	case own && slices.Contains(resources.from, named.server):
		return []pair{named}, 0, nil
	case own || len(resources.from) == 0:
		return nil, 0, mcpwire.Errorf(codeNoResource, "no server has the resource %.200q", uri)
	}
	to = l.likely(uri, resources.from)
	likely = len(to)
	others, bad := l.templates(ctx, uri)
	if len(others) == 0 {
		for _, server := range resources.from {
			others = append(others, pair{server, uri})
		}
	}
	for _, o := range others {
		if !slices.Contains(to, o) {
			to = append(to, o)
		}
	}
	return to, likely, bad
}

// likely gives the servers that have shown that they have a URI, of those that offer
// resources: they have named it in a result, have taken a subscription to it, or had it
// before. None of that is sure, or for ever.
func (l *locator) likely(uri string, from []string) (all []pair) {
	add := func(p pair) {
		if slices.Contains(from, p.server) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, server := range from {
		if l.lists.members.hasNamed(server, uri) {
			add(pair{server, uri})
		}
	}
	for _, p := range l.subs.where(uri) {
		add(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.placed[uri]; ok {
		add(p)
	}
	return all
}

// templates gives the servers of whose templates the client may have made a URI: as they
// are, and not under the desk's scheme.
func (l *locator) templates(ctx context.Context, uri string) (to []pair, bad *mcpwire.Error) {
	templates, bad := l.lists.known(ctx, mcpwire.OfTemplates)
	if bad != nil {
		return nil, bad
	}
	closest := map[string]int{}
	for known, p := range templates.of {
		if letters, ok := matches(p.name, uri); ok && known == p.name {
			closest[p.server] = max(closest[p.server], letters+1)
		}
	}
	for _, server := range templates.from {
		if closest[server] > 0 {
			to = append(to, pair{server, uri})
		}
	}
	slices.SortStableFunc(to, func(a, b pair) int { return cmp.Compare(closest[b.server], closest[a.server]) })
	return to, nil
}

// found remembers where a URI is that no list has.
func (l *locator) found(uri string, p pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for old := range l.placed {
		if len(l.placed) < maxPlaced {
			break
		}
		delete(l.placed, old)
	}
	l.placed[uri] = p
}
