package opa

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
)

// maxNames bounds the tools that one question names.
const maxNames = 1000

// openInput is what the document says of a question.
type openInput struct{}

// Schema is open on both levels.
func (openInput) Schema(huma.Registry) *huma.Schema {
	open := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	open.PrecomputeMessages()
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{"input": open},
		Required: []string{"input"}}
	s.PrecomputeMessages()
	return s
}

// object is one object of a question, by its exact keys: encoding/json would
// take a key of another letter case for the one that is meant.
type object struct {
	at      string // where it stands, to say which of its members is bad
	members map[string]json.RawMessage
}

// path is where a member stands.
func (o object) path(name string) string { return strings.TrimPrefix(o.at+"."+name, ".") }

// member gives a member; nil when there is none.
func (o object) member(name string) json.RawMessage {
	if raw := o.members[name]; string(raw) != "null" {
		return raw
	}
	return nil
}

// object gives a member that is an object; one without members when there is none.
func (o object) object(name string) (object, error) {
	m := object{at: o.path(name)}
	if raw := o.member(name); raw != nil && json.Unmarshal(raw, &m.members) != nil {
		return m, permission.Invalid(m.at, permission.FieldWrongType, "not an object")
	}
	return m, nil
}

// text gives a member that is a string; nil when there is none.
func (o object) text(name string) (s *string, err error) {
	if raw := o.member(name); raw != nil && json.Unmarshal(raw, &s) != nil {
		return nil, permission.Invalid(o.path(name), permission.FieldWrongType, "not a string")
	}
	return s, nil
}

// read gives the input of a question, and what both rows take of it beside tools.
func read(in *question) (input object, q permission.Query, err error) {
	var body object
	if err := json.Unmarshal(in.Body.Raw, &body.members); err != nil {
		return input, q, permission.Invalid("", permission.FieldUnreadable, "the question is not readable")
	}
	if input, err = body.object("input"); err != nil {
		return input, q, err
	}
	server, badServer := input.text("serverId")
	session, badSession := input.text("sessionId")
	cwd, badCwd := input.text("cwd")
	q.ServerID, q.Cwd = server, cwd
	if session != nil {
		q.SessionID = permission.SessionID(*session)
	}
	return input, q, errors.Join(badServer, badSession, badCwd)
}

// tool is a tool that a question names.
type tool struct {
	server *string
	name   string
	places map[string]string // where toolName and serverId stand, when it is not below input
}

// tool reads a tool that is an object. A server that is not its own stands below input.
func (o object) tool(server *string) (t tool, err error) {
	name, badName := o.text("name")
	own, badServer := o.text("serverId")
	if err := errors.Join(badName, badServer); err != nil {
		return t, err
	}
	if name == nil {
		return t, permission.Invalid(o.path("name"), permission.FieldRequired, "required")
	}
	t = tool{server, *name, map[string]string{"toolName": o.path("name")}}
	if own != nil {
		t.server, t.places["serverId"] = own, o.path("serverId")
	}
	return t, nil
}

// place says where in the question stands what is wrong with a call of the tool: at its
// place, and else below input.
func (t tool) place(err error) error {
	var e *permission.Error
	if !errors.As(err, &e) {
		return err
	}
	field, known := t.places[e.Field]
	if !known {
		field = "input." + e.Field
	}
	placed := *e
	placed.Field = field
	return &placed
}

// named gives the tools that a question names, or those that are known.
func (h rows) named(ctx context.Context, input object, server *string) (tools []tool, err error) {
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
	if given != nil {
		tools, err = listed(bytes.TrimSpace(given), at, server)
	} else {
		var names []string
		names, err = h.judge.Known(ctx, server)
		for _, name := range names {
			tools = append(tools, tool{server: server, name: name})
		}
	}
	if err == nil && len(tools) > maxNames {
		err = permission.Invalid(at, permission.FieldTooMany,
			fmt.Sprintf("more than %d tools", maxNames)).With(permission.Param("most", maxNames))
	}
	return tools, err
}

// listed reads a list of names or objects, or an object with names as keys.
func listed(raw json.RawMessage, at string, server *string) (tools []tool, err error) {
	if raw[0] == '{' {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, permission.Invalid(at, permission.FieldUnreadable, "not readable")
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			tools = append(tools, tool{server, name, map[string]string{"toolName": at}})
		}
		return tools, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || raw[0] != '[' {
		return nil, permission.Invalid(at, permission.FieldWrongType, "not a list of tools")
	}
	for i, item := range items {
		t, err := listedOne(item, fmt.Sprintf("%s[%d]", at, i), server)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func listedOne(item json.RawMessage, at string, server *string) (t tool, err error) {
	if item[0] == '{' {
		o := object{at: at}
		if err := json.Unmarshal(item, &o.members); err != nil {
			return t, permission.Invalid(at, permission.FieldUnreadable, "not readable")
		}
		return o.tool(server)
	}
	t = tool{server: server, places: map[string]string{"toolName": at}}
	if err := json.Unmarshal(item, &t.name); err != nil || item[0] != '"' {
		return t, permission.Invalid(at, permission.FieldWrongType, "not a name, nor an object with a name")
	}
	return t, nil
}
