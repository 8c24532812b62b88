package mcpwire

import (
	"encoding/json"
	"fmt"

	"sekisho/backend/rawjson"
)

// Bounds of the lists of one server.
const (
	MaxListed    = 1000    // tools, prompts or templates; pages
	maxLists     = 8 << 20 // bytes of all pages together
	MaxResources = 10_000  // resources
)

// ListKind is a kind of thing that servers list.
type ListKind int

// The kinds.
const (
	OfTools ListKind = iota
	OfPrompts
	OfResources
	OfTemplates // of resources
	ListKinds   // how many there are
)

// Listing is how things of a kind are listed.
type Listing struct {
	Words   string // what they are called
	Method  string // of the request
	Member  string // of its result
	key     string // of an entry: what it is called by
	Changed string // what a server says when they are others
	most    int    // of one server
}

// Listings are those of all kinds.
var Listings = [ListKinds]Listing{
	OfTools:     {"tools", ListTools, "tools", "name", "notifications/tools/list_changed", MaxListed},
	OfPrompts:   {"prompts", "prompts/list", "prompts", "name", "notifications/prompts/list_changed", MaxListed},
	OfResources: {"resources", "resources/list", "resources", "uri", "notifications/resources/list_changed", MaxResources},
	OfTemplates: {"resource templates", "resources/templates/list", "resourceTemplates", "uriTemplate", "notifications/resources/list_changed",
		MaxListed},
}

// Offering is a tool, a prompt, a resource or a template as its server defines it.
type Offering struct {
	Name string // or URI
	Raw  []byte // the definition
	at   Span   // of the name in it
}

// As is the definition under another name.
func (o *Offering) As(name string) []byte {
	if name == o.Name {
		return o.Raw
	}
	return Respell(o.Raw, map[Span][]byte{o.at: Quote(name)})
}

// offerings reads a page of a list. What has a name that can be read in two ways cannot be
// asked for by it, and is left out.
func offerings(what ListKind, page []byte) (all []Offering, cursor []byte, err error) {
	l := &Listings[what]
	members, err := rawjson.Skim(page)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", l.Words, err)
	}
	got, bad := Pick(members, l.Member, "nextCursor")
	if bad != nil {
		return nil, nil, fmt.Errorf("read %s: %w", l.Words, bad)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(got[l.Member].Value, &entries); err != nil {
		return nil, nil, fmt.Errorf("the server's answer to %s is not one of MCP", l.Method)
	}
	for _, raw := range entries {
		if o, ok := offeringOf(raw, l.key); ok {
			all = append(all, o)
		}
	}
	if _, more := Text(got["nextCursor"].Value); more {
		cursor = got["nextCursor"].Value
	}
	return all, cursor, nil
}

func offeringOf(raw []byte, key string) (o Offering, ok bool) {
	members, err := rawjson.Skim(raw)
	if err != nil {
		return o, false
	}
	got, bad := Pick(members, key)
	at := got[key]
	o = Offering{Raw: raw, at: Span{From: at.ValueStart, To: at.ValueEnd}}
	o.Name, ok = Text(at.Value)
	return o, ok && bad == nil
}

// GatherList asks for all pages of a server's list.
func GatherList(what ListKind, ask func(params []byte) (page []byte, err error)) (all []Offering, err error) {
	params, most := []byte("{}"), Listings[what].most
	for size, pages := 0, 0; pages < MaxListed; pages++ {
		page, err := ask(params)
		if err != nil {
			return nil, err
		}
		if size += len(page); size > maxLists {
			return nil, fmt.Errorf("the server's list of %s has more than %d MiB", Listings[what].Words, maxLists>>20)
		}
		entries, cursor, err := offerings(what, page)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
		if cursor == nil || len(all) >= most {
			break
		}
		params = fmt.Appendf(nil, `{"cursor":%s}`, cursor)
	}
	return all[:min(len(all), most)], nil
}
