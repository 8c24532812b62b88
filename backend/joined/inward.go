package joined

import (
	"bytes"

	"sekisho/backend/mcpwire"
)

// inward changes what members say into what the client is to get.
type inward struct {
	questions *questions
	subs      *subscriptions
	resources *catalog
}

// message is a message of a member as the client gets it: ids of its requests, and tokens
// of their progress, are made to be one of all members, and URIs in news of resources are
// those that it knows.
func (in *inward) message(p *peer, raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"method"`)) {
		return raw // an answer
	}
	m, bad := mcpwire.FromServer(raw)
	switch {
	case bad != nil:
		return raw
	case m.Kind == mcpwire.Request:
		return in.questions.rename(p, m)
	case m.Method == mcpwire.CancelledNote:
		return in.questions.withdrawn(p, m)
	case m.Method == mcpwire.UpdatedNote:
		return in.updated(p, m)
	}
	return raw
}

// updated is a member's word of a resource, by the URI that the client knows it by. A
// client that subscribed by several is told by each.
func (in *inward) updated(p *peer, m mcpwire.Message) []byte {
	at, ok := mcpwire.Find(m.Raw, 0, "params", "uri")
	if !ok {
		return m.Raw
	}
	uri, ok := mcpwire.Text(m.Raw[at.From:at.To])
	if !ok {
		return m.Raw
	}
	resource := pair{p.s.Server.ID, uri}
	known := in.subs.names(resource)
	if len(known) == 0 {
		known = []string{in.resources.uriOf(resource)}
	}
	as := func(name string) []byte {
		if name == uri {
			return m.Raw
		}
		return mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: mcpwire.Quote(name)})
	}
	for _, name := range known[1:] {
		p.say(as(name))
	}
	return as(known[0])
}
