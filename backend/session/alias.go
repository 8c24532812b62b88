package session

import "sekisho/backend/mcpwire"

// alias is what a request of a shared process is called on the way, since two callers
// may give the same names.
type alias struct {
	id    []byte // nil where the caller's own is used
	token []byte // of its progress; nil where the caller's own is used
}

// outward is the request as the process gets it.
func (a alias) outward(raw []byte) []byte {
	parts := map[mcpwire.Span][]byte{}
	if at, ok := mcpwire.Find(raw, 0, "id"); ok && a.id != nil {
		parts[at] = a.id
	}
	if at, ok := mcpwire.Find(raw, 0, "params", "_meta", "progressToken"); ok && a.token != nil {
		parts[at] = a.token
	}
	return mcpwire.Respell(raw, parts)
}

// inward is a message of the process as the caller of x gets it.
func (x *Exchange) inward(m mcpwire.Message, at ...string) []byte {
	if x.alias.id == nil {
		return m.Raw
	}
	parts := map[mcpwire.Span][]byte{}
	if m.Kind == mcpwire.Response {
		if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok {
			parts[at] = x.ID
		}
	}
	for _, holder := range at {
		if at, ok := mcpwire.Find(m.Raw, 0, holder, "_meta", mcpwire.MetaSubscription); ok {
			parts[at] = x.ID
		}
		if at, ok := mcpwire.Find(m.Raw, 0, holder, "progressToken"); ok && x.alias.token != nil {
			parts[at] = x.Token
		}
	}
	return mcpwire.Respell(m.Raw, parts)
}
