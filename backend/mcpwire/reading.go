package mcpwire

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Readings are the judged requests that call no tool: resources/read, resources/subscribe
// and prompts/get. What they are about is a URI or a prompt's name, and their input is the
// rest of params.

// around are the members of params that are no part of a reading's input: they belong to
// its envelope.
var around = []string{"_meta", "inputResponses", "requestState", "task"}

// nameOf is the member that says what a reading is about.
func nameOf(method string) string {
	if method == GetPrompt {
		return "name"
	}
	return "uri"
}

// readReading takes the params of a reading apart.
func (a *Act) readReading(m Message, members []rawjson.Member) *Error {
	about := nameOf(m.Method)
	got, bad := Pick(members, append([]string{about}, around...)...)
	if bad != nil {
		return bad
	}
	var ok bool
	if a.Name, ok = Text(got[about].Value); !ok {
		return Errorf(CodeParams, "%s of %s is a string", about, m.Method)
	}
	if bad := checkLength(about, a.Name, m.Method); bad != nil {
		return bad
	}
	a.rawName = got[about].Value
	var input, rest []rawjson.Member
	for _, member := range members {
		switch {
		case member.Key == about:
		case slices.Contains(around, member.Key):
			rest = append(rest, member)
		default:
			input = append(input, member)
		}
	}
	a.Args = rawjson.Object(input)
	return a.enclose(rest)
}

// reading is what the server gets of an approved reading, as message says it of a call of
// a tool.
func (a *Act) reading(m Message, row *permission.Call) []byte {
	if bytes.Equal(a.Envelope, row.Envelope) && bytes.Equal(a.Input(), row.Input) {
		return m.Raw
	}
	params := fmt.Appendf(nil, `{%q:%s`, nameOf(a.Method), a.rawName)
	input, _ := rawjson.Members(row.Input)       // good ones: see Matches
	envelope, _ := rawjson.Members(row.Envelope) // none, or what was judged
	return a.compose(m, params, slices.Concat(input, envelope))
}

// BesideInput names the member of an input that is not input: one that says what a reading
// is about, or belongs to its envelope, in whatever letters. It is "" where there is none.
func BesideInput(method string, input []byte) string {
	if method == CallTool {
		return ""
	}
	members, _ := rawjson.Members(input) // one that is no object has none
	for _, m := range members {
		if slices.ContainsFunc(append([]string{nameOf(method)}, around...), func(name string) bool { return strings.EqualFold(m.Key, name) }) {
			return m.Key
		}
	}
	return ""
}
