package joined

import "strings"

const (
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

// uniqueURIs gives resources, or templates, in the order of their servers, the URIs that
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
