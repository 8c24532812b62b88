package hook

import "strings"

// Entry is a server in a client's files, as they are now.
type Entry struct {
	Name   string // the client's
	Server string // the desk's server that it leads to; "" does not lead through this desk
	Joined bool   // leads to all servers of this desk
}

// servers are the servers that a client has by its files.
type servers []Entry

// known gives the servers, where it is asked: it reads files.
type known func() servers

// asMCP says that a question is about a tool of a server: what the client calls both.
func (q *question) asMCP(server, tool string) {
	q.server, q.tool = &server, tool
}

// split takes a name apart that a client has joined of a server's and a tool's: by the longest
// of its servers, else at the first of the separators. ok is false where there is none.
func (s servers) split(joined, separator string) (server, tool string, ok bool) {
	for _, e := range s {
		prefix := plain(e.Name) + separator
		if rest, found := strings.CutPrefix(plain(joined), prefix); found && rest != "" && len(e.Name) > len(server) {
			server, tool, ok = e.Name, joined[len(prefix):], true
		}
	}
	if ok {
		return server, tool, true
	}
	server, tool, ok = strings.Cut(joined, separator)
	return server, tool, ok && server != "" && tool != ""
}

// plain is a name as clients write it inside of another one: what is no letter, digit or dash
// becomes an underscore, byte for byte.
func plain(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-') {
			b[i] = '_'
		}
	}
	return string(b)
}

// leads finds the desk's server and tool that a question about a tool of a server leads to; ok
// is false where its entry does not lead through this desk.
func (s servers) leads(q *question) (server, tool string, ok bool) {
	for _, e := range s {
		switch {
		case q.server == nil || e.Name != *q.server && plain(e.Name) != plain(*q.server):
		case e.Joined:
			return strings.Cut(q.tool, "__")
		default:
			return e.Server, q.tool, e.Server != ""
		}
	}
	return "", "", false
}
