package mcpwire

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"slices"

	"sekisho/backend/rawjson"
)

// Kind tells requests, notifications and responses apart.
type Kind int

const (
	Request Kind = iota
	Notification
	Response
)

// Message is one JSON-RPC message, split but not rewritten: all slices lie in raw.
type Message struct {
	Raw      []byte
	Kind     Kind
	Method   string
	ID       []byte // as written
	Key      string // of the id: equal ids have equal keys
	Params   []byte
	paramsAt int // where params begin in raw
	Result   []byte
	Fault    []byte      // the value of error
	extra    string      // a member that JSON-RPC does not know; "" where there is none
	Header   http.Header // of a caller's message: what it said beside it, in the headers of MCP
}

// FromClient reads a message of a caller: strictly, since what we judge and what
// the server executes must be read alike.
func FromClient(raw []byte) (Message, *Error) {
	members, err := rawjson.Members(raw)
	if err == nil {
		return envelope(raw, members)
	}
	var bad *rawjson.Error
	if errors.As(err, &bad) && bad.Reason == rawjson.NotObject {
		if rest := bytes.TrimLeft(raw, " \t\r\n"); len(rest) > 0 && rest[0] == '[' {
			return Message{}, Errorf(CodeInvalid, "batches are not supported: send one message at a time")
		}
		return Message{}, Errorf(CodeInvalid, "a message is a JSON object")
	}
	if errors.As(err, &bad) && bad.Reason == rawjson.DuplicateKey {
		return Message{}, Errorf(CodeInvalid, "%s", err)
	}
	return Message{}, Errorf(CodeParse, "%s", err)
}

// FromServer reads a message of a server: only the envelope is looked at, and what
// a strict reader would refuse deeper inside still reaches the client that asked.
func FromServer(raw []byte) (Message, *Error) {
	members, err := rawjson.Skim(raw)
	if err != nil {
		return Message{}, Errorf(CodeParse, "%s", err)
	}
	return envelope(raw, members)
}

func envelope(raw []byte, members []rawjson.Member) (Message, *Error) {
	m := Message{Raw: raw}
	got, bad := Pick(members, "jsonrpc", "id", "method", "params", "result", "error")
	if bad != nil {
		return m, bad
	}
	if len(got) < len(members) {
		i := slices.IndexFunc(members, func(m rawjson.Member) bool { return got[m.Key].Value == nil })
		m.extra = cmp.Or(members[i].Key, `""`)
	}
	if id, ok := got["id"]; ok {
		if m.Key, ok = IDKey(id.Value); !ok {
			return m, Errorf(CodeInvalid, "an id is a string or an integer")
		}
		m.ID = id.Value
	}
	if v, ok := Text(got["jsonrpc"].Value); !ok || v != "2.0" {
		return m, Errorf(CodeInvalid, `jsonrpc must be "2.0"`)
	}
	m.Params, m.paramsAt = got["params"].Value, got["params"].ValueStart
	m.Result, m.Fault = got["result"].Value, got["error"].Value
	return m, m.classify(got["method"])
}

// classify tells requests, notifications and responses apart; what could be read
// as two of them is refused.
func (m *Message) classify(method rawjson.Member) *Error {
	answers := m.Result != nil || m.Fault != nil
	switch {
	case method.Value != nil && answers:
		return Errorf(CodeInvalid, "a message is a request or a response, not both")
	case method.Value != nil:
		var ok bool
		if m.Method, ok = Text(method.Value); !ok {
			return Errorf(CodeInvalid, "a method is a string")
		}
		if m.Kind = Request; m.ID == nil {
			m.Kind = Notification
		}
		return nil
	case m.ID == nil || !answers || (m.Result != nil && m.Fault != nil):
		return Errorf(CodeInvalid, "neither a request nor a notification nor a response")
	}
	m.Kind = Response
	return nil
}
