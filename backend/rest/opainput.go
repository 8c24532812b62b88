package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// maxNames bounds the tools that one question names.
const maxNames = 1000

// opaIn is the body of a question: an object whose input is an object. What else
// they hold is passed over, as OPA does.
type opaIn struct{ Body restwire.Part[opaQuestion] }

// opaQuestion is what the document says of a question.
type opaQuestion struct{}

// Schema is open on both levels.
func (opaQuestion) Schema(huma.Registry) *huma.Schema {
	open := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	open.PrecomputeMessages()
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{"input": open},
		Required: []string{"input"}}
	s.PrecomputeMessages()
	return s
}

// opaObject is one object of a question, by its exact keys: encoding/json would
// take a key of another letter case for the one that is meant.
type opaObject struct {
	at      string // where it stands, to say which of its members is bad
	members map[string]json.RawMessage
}

// opaInput gives the input of a question.
func opaInput(d restwire.Part[opaQuestion]) (opaObject, error) {
	var body opaObject
	if err := json.Unmarshal(d.Raw, &body.members); err != nil {
		return body, permission.Invalid("", permission.FieldUnreadable, "the question is not readable")
	}
	return body.object("input")
}

// path is where a member stands.
func (o opaObject) path(name string) string { return strings.TrimPrefix(o.at+"."+name, ".") }

// object gives a member that is an object; one without members when there is none.
func (o opaObject) object(name string) (opaObject, error) {
	member := opaObject{at: o.path(name)}
	raw, ok := o.members[name]
	if !ok || string(raw) == "null" {
		return member, nil
	}
	if err := json.Unmarshal(raw, &member.members); err != nil {
		return member, permission.Invalid(member.at, permission.FieldWrongType, "not an object")
	}
	return member, nil
}

// text gives a member that is a string; nil when there is none.
func (o opaObject) text(name string) (*string, error) {
	raw, ok := o.members[name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, permission.Invalid(o.path(name), permission.FieldWrongType, "not a string")
	}
	return &s, nil
}

// query reads what both questions say beside their tools.
func (o opaObject) query() (permission.Query, error) {
	server, badServer := o.text("serverId")
	session, badSession := o.text("sessionId")
	cwd, badCwd := o.text("cwd")
	return permission.Query{ServerID: server, Caller: permission.Caller{SessionID: permission.SessionID(orEmpty(session))}, Cwd: cwd},
		firstOf(badServer, badSession, badCwd)
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
		return q, err
	}
	if name == nil {
		return q, permission.Invalid(tool.path("name"), permission.FieldRequired, "required")
	}
	if server != nil {
		q.ServerID = server
	}
	q.ToolName, q.Input = *name, o.members["args"]
	return q, opaField(checkQuery(q), tool.places(server))
}

// places say where the name and the server of a tool stand that is an object. A server
// that is not its own stands below input.
func (o opaObject) places(own *string) map[string]string {
	places := map[string]string{"toolName": o.path("name")}
	if own != nil {
		places["serverId"] = o.path("serverId")
	}
	return places
}

// opaField names what is wrong with a query as the question has it: at its place, and
// else below input.
func opaField(err error, places map[string]string) error {
	var e *permission.Error
	if !errors.As(err, &e) {
		return err
	}
	field, known := places[e.Field]
	if !known {
		field = "input." + e.Field
	}
	return &permission.Error{Code: e.Code, Message: e.Message, Field: field}
}

// opaNamed gives the tools that a question names, or those that are known.
func (h *judgeRows) opaNamed(ctx context.Context, input opaObject, server *string) ([]opaTool, error) {
	given, at := input.members["tools"], input.path("tools")
	if given == nil {
		options, err := input.object("providerOptions")
		if err != nil {
			return nil, err
		}
		own, err := options.object("sekisho")
		if err != nil {
			return nil, err
		}
		given, at = own.members["tools"], own.path("tools")
	}
	var tools []opaTool
	var err error
	if given != nil {
		tools, err = opaListed(given, at, server)
	} else {
		tools, err = h.opaKnown(ctx, server)
	}
	if err == nil && len(tools) > maxNames {
		err = permission.Invalid(at, permission.FieldTooMany,
			fmt.Sprintf("more than %d tools", maxNames)).With(permission.Param("most", maxNames))
	}
	return tools, err
}

// opaListed reads a list of names or objects, or an object with names as keys.
func opaListed(raw json.RawMessage, at string, server *string) ([]opaTool, error) {
	raw = bytes.TrimSpace(raw)
	var tools []opaTool
	if raw[0] == '{' {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, permission.Invalid(at, permission.FieldUnreadable, "not readable")
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			tools = append(tools, opaTool{server, name, map[string]string{"toolName": at}})
		}
		return tools, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || raw[0] != '[' {
		return nil, permission.Invalid(at, permission.FieldWrongType, "not a list of tools")
	}
	for i, item := range items {
		tool, err := opaListedOne(item, fmt.Sprintf("%s[%d]", at, i), server)
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

func opaListedOne(item json.RawMessage, at string, server *string) (opaTool, error) {
	var tool opaTool
	if item[0] != '{' {
		if err := json.Unmarshal(item, &tool.name); err != nil || item[0] != '"' {
			return tool, permission.Invalid(at, permission.FieldWrongType, "not a name, nor an object with a name")
		}
		tool.server, tool.places = server, map[string]string{"toolName": at}
		return tool, nil
	}
	one := opaObject{at: at}
	if err := json.Unmarshal(item, &one.members); err != nil {
		return tool, permission.Invalid(at, permission.FieldUnreadable, "not readable")
	}
	name, badName := one.text("name")
	own, badServer := one.text("serverId")
	if err := firstOf(badName, badServer); err != nil {
		return tool, err
	}
	if name == nil {
		return tool, permission.Invalid(one.path("name"), permission.FieldRequired, "required")
	}
	if own != nil {
		server = own
	}
	return opaTool{server, *name, one.places(own)}, nil
}

// opaKnown gives the tools that rules name exactly for a server or none, and those
// that the server was last seen to offer.
func (h *judgeRows) opaKnown(ctx context.Context, server *string) ([]opaTool, error) {
	rules, _, err := h.rules.Rules(ctx)
	if err != nil {
		return nil, err
	}
	var tools []opaTool
	for _, r := range rules {
		ours := r.ServerID == nil || server != nil && *server == *r.ServerID
		if ours && r.ToolName != nil && r.Enabled {
			tools = append(tools, opaTool{server: server, name: *r.ToolName})
		}
	}
	if server == nil {
		return tools, nil
	}
	servers, err := h.servers.Servers(ctx)
	for _, s := range servers {
		if s.ID != *server {
			continue
		}
		_, offered := h.state(s)
		for _, name := range offered {
			tools = append(tools, opaTool{server: server, name: name})
		}
	}
	return tools, err
}
