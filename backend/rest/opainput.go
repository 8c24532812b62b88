package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// maxNames bounds the tools that one question names.
const maxNames = 1000

// opaIn is the body of a question: an object whose input is an object. What else
// they hold is passed over, as OPA does.
type opaIn struct{ Body document[opaQuestion] }

// opaQuestion is what the document says of a question.
type opaQuestion struct{}

// Schema is open on both levels.
func (opaQuestion) Schema(huma.Registry) *huma.Schema {
	open := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	open.PrecomputeMessages()
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{"input": open}, Required: []string{"input"}}
	s.PrecomputeMessages()
	return s
}

// opaObject is one object of a question, by its exact keys: encoding/json would
// take a key of another letter case for the one that is meant.
type opaObject map[string]json.RawMessage

// opaInput gives the input of a question.
func opaInput(d document[opaQuestion]) (opaObject, error) {
	var body opaObject
	if err := json.Unmarshal(d.raw, &body); err != nil {
		return nil, permission.Invalid("", "the question is not readable")
	}
	return body.object("input")
}

// object gives a member that is an object; nil when there is none.
func (o opaObject) object(name string) (opaObject, error) {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	var members opaObject
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, permission.Invalid("input."+name, "not an object")
	}
	return members, nil
}

// text gives a member that is a string; nil when there is none.
func (o opaObject) text(name string) (*string, error) {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, permission.Invalid("input."+name, "not a string")
	}
	return &s, nil
}

// query reads what both questions say beside their tools.
func (o opaObject) query() (permission.Query, error) {
	server, badServer := o.text("serverId")
	session, badSession := o.text("sessionId")
	cwd, badCwd := o.text("cwd")
	return permission.Query{ServerID: server, SessionID: permission.SessionID(orEmpty(session)), Cwd: cwd}, firstOf(badServer, badSession, badCwd)
}

// call reads the call that a question is about.
func (o opaObject) call() (permission.Query, error) {
	q, err := o.query()
	if err != nil {
		return q, err
	}
	tool, err := o.object("tool")
	if err != nil {
		return q, err
	}
	name, badName := tool.text("name")
	server, badServer := tool.text("serverId")
	if err := firstOf(badName, badServer); err != nil {
		return q, permission.Invalid("input.tool", "its name and serverId are strings")
	}
	if name == nil {
		return q, permission.Invalid("input.tool.name", "required")
	}
	if server != nil {
		q.ServerID = server
	}
	q.ToolName, q.Input = *name, o["args"]
	return q, checkQuery(q)
}

// opaNamed gives the tools that a question names, or those that are known.
func (h *Handler) opaNamed(ctx context.Context, input opaObject, server *string) ([]opaTool, error) {
	given, at := input["tools"], "input.tools"
	if given == nil {
		options, err := input.object("providerOptions")
		if err != nil {
			return nil, err
		}
		own, err := options.object("sekisho")
		if err != nil {
			return nil, err
		}
		given, at = own["tools"], "input.providerOptions.sekisho.tools"
	}
	var tools []opaTool
	var err error
	if given != nil {
		tools, err = opaListed(given, at, server)
	} else {
		tools, err = h.opaKnown(ctx, server)
	}
	if err == nil && len(tools) > maxNames {
		err = permission.Invalid(at, fmt.Sprintf("more than %d tools", maxNames))
	}
	return tools, err
}

// opaListed reads a list of names or objects, or an object with names as keys.
func opaListed(raw json.RawMessage, at string, server *string) ([]opaTool, error) {
	raw = bytes.TrimSpace(raw)
	var tools []opaTool
	if raw[0] == '{' {
		var members opaObject
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, permission.Invalid(at, "not readable")
		}
		for _, name := range sortedKeys(members) {
			tools = append(tools, opaTool{server, name})
		}
		return tools, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || raw[0] != '[' {
		return nil, permission.Invalid(at, "not a list of tools")
	}
	for i, item := range items {
		tool, ok := opaListedOne(item, server)
		if !ok {
			return nil, permission.Invalid(fmt.Sprintf("%s[%d]", at, i), "not a name, nor an object with a name")
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

func opaListedOne(item json.RawMessage, server *string) (opaTool, bool) {
	one := opaObject{"name": item}
	if item[0] == '{' {
		one = nil
		if json.Unmarshal(item, &one) != nil {
			return opaTool{}, false
		}
	}
	name, badName := one.text("name")
	own, badServer := one.text("serverId")
	if own != nil {
		server = own
	}
	if name == nil || badName != nil || badServer != nil {
		return opaTool{}, false
	}
	return opaTool{server, *name}, true
}

// opaKnown gives the tools that rules name exactly for a server or none, and those
// that the server was last seen to offer.
func (h *Handler) opaKnown(ctx context.Context, server *string) ([]opaTool, error) {
	rules, _, err := h.desk.Rules(ctx)
	if err != nil {
		return nil, err
	}
	var tools []opaTool
	for _, r := range rules {
		ours := r.ServerID == nil || server != nil && *server == *r.ServerID
		if ours && r.ToolName != nil && r.Enabled {
			tools = append(tools, opaTool{server, *r.ToolName})
		}
	}
	if server == nil {
		return tools, nil
	}
	servers, err := h.desk.Servers(ctx)
	for _, s := range servers {
		if s.ID != *server {
			continue
		}
		_, offered := h.opts.ServerState(s)
		for _, name := range offered {
			tools = append(tools, opaTool{server, name})
		}
	}
	return tools, err
}
