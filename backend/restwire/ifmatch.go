package restwire

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// Precondition is the guard against lost updates (RFC 9110 section 13.1.1) in a request.
// It is exported because huma passes over what is not.
type Precondition struct {
	IfMatch string   `header:"If-Match" doc:"the ETag that was seen, or several of which any will do, or *; 412 if it is another now"`
	lines   []string // the header as it came; nil: it did not
}

// Resolve keeps the header's lines: huma gives one alone, and none like an empty one. It
// is part of a huma.Resolver.
func (m *Precondition) Resolve(ctx huma.Context) []error {
	m.lines = nil
	ctx.EachHeader(func(name, value string) {
		if http.CanonicalHeaderKey(name) == "If-Match" {
			m.lines = append(m.lines, value)
		}
	})
	return nil
}

// Seen is the tag that the desk is to hold against what is, without its quotes, or ""
// when any will do. Of several it is the one that current gives.
func (m *Precondition) Seen(current func() (string, error)) (string, error) {
	if m.lines == nil {
		return "", nil
	}
	list := strings.Join(m.lines, ",")
	if strings.TrimSpace(list) == "*" {
		return "", nil
	}
	tags, ok := entityTags(list)
	if !ok || len(tags) == 0 {
		return "", LostUpdate("If-Match is no list of ETags in quotes, nor *")
	}
	if len(tags) == 1 {
		return tags[0], nil
	}
	is, err := current()
	if err == nil && !slices.Contains(tags, is) {
		err = LostUpdate("it was changed meanwhile: If-Match names other states")
	}
	return is, err
}

// SeenAt is Seen of what has the time of its last change, in quotes, as its tag; 0 when any will do.
func (m *Precondition) SeenAt(current func() (permission.Time, error)) (at permission.Time, err error) {
	tag, err := m.Seen(func() (string, error) {
		is, err := current()
		return is.String(), err
	})
	if err != nil || tag == "" {
		return 0, err
	}
	if at.UnmarshalText([]byte(tag)) != nil || at == 0 {
		return 0, LostUpdate("If-Match is not the ETag of this")
	}
	return at, nil
}

// Creation is the guard of what is to be new (RFC 9110 section 13.1.2) in a request.
type Creation struct {
	IfNoneMatch string `header:"If-None-Match" enum:"*" doc:"* to make it only where there is none of this name; 412 if there is"`
}

// Fresh reports whether nothing may be there yet.
func (c *Creation) Fresh() bool { return c.IfNoneMatch != "" }

// LostUpdate refuses a change of what is another by now.
func LostUpdate(message string) error {
	return &permission.Error{Code: permission.CodeLostUpdate, Message: message}
}

// entityTags reads a list of entity tags and leaves out those that match nothing here:
// weak ones, and the empty one.
func entityTags(list string) (tags []string, ok bool) {
	for {
		list = strings.TrimLeft(list, ", \t")
		if list == "" {
			return tags, true
		}
		opaque, weak := strings.CutPrefix(list, "W/")
		text, rest, closed := strings.Cut(strings.TrimPrefix(opaque, `"`), `"`)
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(opaque, `"`) || !closed || rest != "" && rest[0] != ',' {
			return nil, false
		}
		if !weak && text != "" {
			tags = append(tags, text)
		}
		list = rest
	}
}
