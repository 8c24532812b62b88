package hook

import "strings"

// Entry is a server in a client's files, as they are now.
type Entry struct {
	Name   string // the client's
	Server string // the desk's server that it leads to; "" does not lead through this desk
	Joined bool   // leads to all servers of this desk
	Source string // user, project or local; "" is not known
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
// of its servers, else at its only separator. ok is false where there is none, or where
// more than one name could be meant: no rule about one server may speak for another.
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
	return server, tool, ok && server != "" && tool != "" && strings.LastIndex(joined, separator) == len(server)
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
	if q.server == nil {
		return "", "", false
	}
	var of []Entry // those that are meant, or may be
	for _, e := range s {
		if plain(e.Name) == plain(*q.server) && (q.source == "" || e.Source == "" || q.source == e.Source) {
			of = append(of, e)
		}
	}
	switch {
	case len(of) != 1:
		return "", "", false
	case of[0].Joined:
		return strings.Cut(q.tool, "__")
	}
	return of[0].Server, q.tool, of[0].Server != ""
}
