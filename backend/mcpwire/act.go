package mcpwire

import (
	"bytes"
	"fmt"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Act is what a judged request asks for: all of its params, taken apart once.
type Act struct {
	Method     string
	Name       string
	rawName    []byte
	Args       []byte // as the caller wrote them; nil when left out
	start, end int    // of args in the message

	// Envelope is an object of all other members, but what of _meta is the caller's own
	// of now; nil where there is none.
	Envelope []byte
	Own      []rawjson.Member // of _meta

	Token    []byte // of its progress; nil is none
	TokenKey string
}

// ReadAct takes a judged request apart, strictly: what is not read here reaches no server. A
// name that some reader could take for another, by its letters' case or by escapes, is
// refused where it would mean something.
func ReadAct(m Message) (Act, *Error) {
	a := Act{Method: m.Method}
	if m.extra != "" {
		return a, Errorf(CodeInvalid, "%s has the unknown member %.80q beside its params", m.Method, m.extra)
	}
	members, err := rawjson.Members(m.Params)
	if err != nil {
		return a, Errorf(CodeParams, "params of %s is an object", m.Method)
	}
	if m.Method != CallTool {
		return a, a.readReading(m, members)
	}
	got, bad := Pick(members, "name", "arguments", "_meta", "inputResponses", "requestState", "task")
	if bad != nil {
		return a, bad
	}
	var ok bool
	if a.Name, ok = Text(got["name"].Value); !ok {
		return a, Errorf(CodeParams, "name of %s is a string", m.Method)
	}
	if bad := checkLength("name", a.Name, m.Method); bad != nil {
		return a, bad
	}
	args, given := got["arguments"]
	if given && args.Value[0] != '{' {
		return a, Errorf(CodeParams, "arguments of %s is an object", m.Method)
	}
	a.rawName = got["name"].Value
	a.Args, a.start, a.end = args.Value, m.paramsAt+args.ValueStart, m.paramsAt+args.ValueEnd
	return a, a.enclose(members)
}

// checkLength bounds what a request is about: it is journaled each time.
func checkLength(member, value, method string) *Error {
	if len(value) > permission.MaxURIBytes {
		return Errorf(CodeParams, "%s of %s has at most %d bytes", member, method, permission.MaxURIBytes)
	}
	return nil
}

// enclose makes the envelope of the members of params.
func (a *Act) enclose(members []rawjson.Member) *Error {
	var rest []rawjson.Member
	for _, m := range members {
		switch m.Key {
		case "name", "arguments":
			continue
		case "_meta":
			kept, bad := a.readMeta(m)
			if bad != nil {
				return bad
			}
			if kept.Value == nil {
				continue
			}
			m = kept
		}
		rest = append(rest, m)
	}
	a.Envelope = rawjson.Object(rest)
	return nil
}

// readMeta leaves of _meta what is not the caller's own; nothing is left of an empty one.
func (a *Act) readMeta(m rawjson.Member) (kept rawjson.Member, bad *Error) {
	inside, err := rawjson.Members(m.Value)
	if err != nil {
		return m, nil // no object
	}
	got, bad := Pick(inside, "progressToken")
	if bad != nil {
		return m, bad
	}
	if token := got["progressToken"].Value; token != nil {
		if key, ok := IDKey(token); ok {
			a.Token, a.TokenKey = token, key
		}
	}
	own, others := OwnOf(inside)
	a.Own = own
	m.Value = rawjson.Object(others)
	return m, nil
}

// Input is what the desk judges and shows.
func (a *Act) Input() []byte {
	if a.Args == nil {
		return []byte("{}")
	}
	return bytes.Clone(a.Args)
}

// Message is what the server gets of an approved call: the row's own input and envelope,
// which were shown, and of its caller only what is its own of now. Where that is what the
// caller sent, its message goes as it is.
func (a *Act) Message(m Message, row *permission.Call) []byte {
	if a.Method != CallTool {
		return a.reading(m, row)
	}
	if bytes.Equal(a.Envelope, row.Envelope) {
		return a.with(m, row.Input)
	}
	params := fmt.Appendf(nil, `{"name":%s`, a.rawName)
	if a.Args != nil || !isEmptyObject(row.Input) {
		params = fmt.Appendf(params, `,"arguments":%s`, row.Input)
	}
	envelope, _ := rawjson.Members(row.Envelope) // none, or what was judged
	return a.compose(m, params, envelope)
}

// compose writes a message of the beginning of its params and the members that follow.
func (a *Act) compose(m Message, params []byte, members []rawjson.Member) []byte {
	meta := rawjson.Object(a.Own)
	for _, member := range members {
		if member.Key == "_meta" {
			meta = a.mingle(member.Value)
			continue
		}
		params = fmt.Appendf(params, `,%s:%s`, member.RawKey, member.Value)
	}
	if meta != nil {
		params = fmt.Appendf(params, `,"_meta":%s`, meta)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}}`, m.ID, Quote(a.Method), params)
}

// mingle is the _meta of a row with the caller's own members. The row has the last word.
func (a *Act) mingle(kept []byte) []byte {
	members, err := rawjson.Members(kept)
	if err != nil {
		return kept // no object
	}
	for _, own := range a.Own {
		if !slices.ContainsFunc(members, func(m rawjson.Member) bool { return m.Key == own.Key }) {
			members = append(members, own)
		}
	}
	return rawjson.Object(members)
}

// with gives the caller's message with the desk's own bytes as its arguments: those
// that were shown, or that a person wrote instead. Where the caller left the
// arguments out, so does the message, unless a person wrote some.
func (a *Act) with(m Message, input []byte) []byte {
	switch {
	case bytes.Equal(a.Args, input), a.Args == nil && isEmptyObject(input):
		return m.Raw
	case a.Args == nil: // params has a name, so that a comma is right
		at := m.paramsAt + 1
		return slices.Concat(m.Raw[:at], []byte(`"arguments":`), input, []byte(","), m.Raw[at:])
	}
	return slices.Concat(m.Raw[:a.start], input, m.Raw[a.end:])
}

func isEmptyObject(raw []byte) bool { return string(bytes.Join(bytes.Fields(raw), nil)) == "{}" }
