package joined

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sekisho/backend/mcpwire"
)

const (
	codeNoResource = -32002 // resource not found

	resourceUpdated = "notifications/resources/updated"

	maxPlaced = 1000      // URIs of one client that are remembered with their servers
	maxURI    = 8 << 10   // bytes of a URI that no server lists
	maxNamed  = 256 << 10 // bytes of the URIs that one server has named
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
func uniqueURIs(pairs []pair) map[string]pair {
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

// locate says which servers are to be asked for a URI: the one that lists it; the one that
// it names itself; else first those that are likely to have it, then those with a template
// for it, the closest first, or all that have resources, in their order.
func (j *connection) locate(ctx context.Context, t target) (target, *mcpwire.Error) {
	if bad := j.known(ctx, mcpwire.OfResources); bad != nil {
		return t, bad
	}
	j.mu.Lock()
	p, listed := j.catalogs[mcpwire.OfResources].of[t.name]
	from := j.catalogs[mcpwire.OfResources].from
	t.to = j.likely(t.name, from)
	j.mu.Unlock()
	named, own := ours(t.name)
	switch {
	case listed:
		t.to = []pair{p}
		return t, nil
	case len(t.name) > maxURI:
		return t, mcpwire.Errorf(mcpwire.CodeParams, "a URI has at most %d bytes", maxURI)
	case own && slices.Contains(from, named.server):
		t.to = []pair{named}
		return t, nil
	case own || len(from) == 0:
		return t, mcpwire.Errorf(codeNoResource, "no server has the resource %.200q", t.name)
	}
	t.likely = len(t.to)
	others, bad := j.templates(ctx, t.name)
	if len(others) == 0 {
		for _, server := range from {
			others = append(others, pair{server, t.name})
		}
	}
	for _, o := range others {
		if !slices.Contains(t.to, o) {
			t.to = append(t.to, o)
		}
	}
	return t, bad
}

// likely gives the servers that have shown that they have a URI, of those that offer
// resources: they have named it in a result, have taken a subscription to it, or had it
// before. None of that is sure, or for ever. The caller holds the lock.
func (j *connection) likely(uri string, from []string) (all []pair) {
	add := func(p pair) {
		if slices.Contains(from, p.server) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, server := range from {
		if m := j.members[server]; m != nil && m.named.has(uri) {
			add(pair{server, uri})
		}
	}
	for p, names := range j.subs {
		if slices.Contains(names, uri) {
			add(p)
		}
	}
	if p, ok := j.placed[uri]; ok {
		add(p)
	}
	return all
}

// templates gives the servers of whose templates the client may have made a URI: as they
// are, and not under the desk's scheme.
func (j *connection) templates(ctx context.Context, uri string) (to []pair, bad *mcpwire.Error) {
	if bad := j.known(ctx, mcpwire.OfTemplates); bad != nil {
		return nil, bad
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &j.catalogs[mcpwire.OfTemplates]
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
func (j *connection) found(uri string, p pair) {
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
