package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"sekisho/backend/rawjson"
)

// JSON-RPC error codes, and those that MCP servers use by custom.
const (
	codeParse       = -32700
	codeInvalid     = -32600
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeNoSession   = -32001
	codeNoServer    = -32002
	codeUnsupported = -32022 // the version that was asked for is not spoken here
)

// codeRefused says of a judged request that has no other way to say so that it was not
// executed. Its data has a word for why, and the call's id.
const codeRefused = -32001

// wireError is what a caller is told in JSON-RPC's terms.
type wireError struct {
	code      int
	message   string
	supported []string // the versions that are, with the one that was requested
	requested string
	data      []byte // what else there is to say, in JSON; nil is nothing
}

func (e *wireError) Error() string { return e.message }

func refusal(code int, format string, args ...any) *wireError {
	return &wireError{code: code, message: fmt.Sprintf(format, args...)}
}

type kind int

const (
	request kind = iota
	notification
	response
)

// message is one JSON-RPC message, split but not rewritten: all slices lie in raw.
type message struct {
	raw      []byte
	kind     kind
	method   string
	id       []byte // as written
	key      string // of the id: equal ids have equal keys
	params   []byte
	paramsAt int // where params begin in raw
	result   []byte
	fault    []byte      // the value of error
	extra    string      // a member that JSON-RPC does not know; "" where there is none
	header   http.Header // of a caller's message: what it said beside it, in the headers of MCP
}

// fromClient reads a message of a caller: strictly, since what we judge and what
// the server executes must be read alike.
func fromClient(raw []byte) (message, *wireError) {
	members, err := rawjson.Members(raw)
	if err == nil {
		return envelope(raw, members)
	}
	var bad *rawjson.Error
	if errors.As(err, &bad) && bad.Reason == rawjson.NotObject {
		if rest := bytes.TrimLeft(raw, " \t\r\n"); len(rest) > 0 && rest[0] == '[' {
			return message{}, refusal(codeInvalid, "batches are not supported: send one message at a time")
		}
		return message{}, refusal(codeInvalid, "a message is a JSON object")
	}
	if errors.As(err, &bad) && bad.Reason == rawjson.DuplicateKey {
		return message{}, refusal(codeInvalid, "%s", err)
	}
	return message{}, refusal(codeParse, "%s", err)
}

// fromServer reads a message of a server: only the envelope is looked at, and what
// a strict reader would refuse deeper inside still reaches the client that asked.
func fromServer(raw []byte) (message, *wireError) {
	members, err := split(raw)
	if err != nil {
		return message{}, refusal(codeParse, "%s", err)
	}
	return envelope(raw, members)
}

// split is rawjson.Members for bytes that decide nothing.
func split(raw []byte) ([]rawjson.Member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var all []rawjson.Member
	for d.More() {
		var v json.RawMessage
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		keyEnd := int(d.InputOffset())
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		key, _ := t.(string)
		end := int(d.InputOffset())
		keyStart := max(0, keyEnd-len(key)-2) // of a key without escapes; another fails the comparison
		all = append(all, rawjson.Member{Key: key, RawKey: raw[keyStart:keyEnd], Value: raw[end-len(v) : end], ValueStart: end - len(v), ValueEnd: end})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return all, nil
}

// pick finds the members with the given names. A name that is written twice, with
// escapes or in other letter case is refused: another reader could take it for the
// one that we looked at.
func pick(members []rawjson.Member, names ...string) (map[string]rawjson.Member, *wireError) {
	found := make(map[string]rawjson.Member, len(names))
	for _, m := range members {
		for _, name := range names {
			if !strings.EqualFold(m.Key, name) {
				continue
			}
			if string(m.RawKey) != `"`+name+`"` {
				return nil, refusal(codeInvalid, "the key %q is not written plainly", name)
			}
			if _, twice := found[name]; twice {
				return nil, refusal(codeInvalid, "the key %q is there twice", name)
			}
			found[name] = m
		}
	}
	return found, nil
}

func envelope(raw []byte, members []rawjson.Member) (message, *wireError) {
	m := message{raw: raw}
	got, bad := pick(members, "jsonrpc", "id", "method", "params", "result", "error")
	if bad != nil {
		return m, bad
	}
	if len(got) < len(members) {
		i := slices.IndexFunc(members, func(m rawjson.Member) bool { return got[m.Key].Value == nil })
		m.extra = cmp.Or(members[i].Key, `""`)
	}
	if id, ok := got["id"]; ok {
		if m.key, ok = idKey(id.Value); !ok {
			return m, refusal(codeInvalid, "an id is a string or an integer")
		}
		m.id = id.Value
	}
	if v, ok := text(got["jsonrpc"].Value); !ok || v != "2.0" {
		return m, refusal(codeInvalid, `jsonrpc must be "2.0"`)
	}
	m.params, m.paramsAt = got["params"].Value, got["params"].ValueStart
	m.result, m.fault = got["result"].Value, got["error"].Value
	return m, m.classify(got["method"])
}

// classify tells requests, notifications and responses apart; what could be read
// as two of them is refused.
func (m *message) classify(method rawjson.Member) *wireError {
	answers := m.result != nil || m.fault != nil
	switch {
	case method.Value != nil && answers:
		return refusal(codeInvalid, "a message is a request or a response, not both")
	case method.Value != nil:
		var ok bool
		if m.method, ok = text(method.Value); !ok {
			return refusal(codeInvalid, "a method is a string")
		}
		if m.kind = request; m.id == nil {
			m.kind = notification
		}
		return nil
	case m.id == nil || !answers || (m.result != nil && m.fault != nil):
		return refusal(codeInvalid, "neither a request nor a notification nor a response")
	}
	m.kind = response
	return nil
}

// idKey gives equal ids equal keys, however their strings are escaped. Fractions,
// null, objects and the like are no ids.
func idKey(raw []byte) (string, bool) {
	if s, ok := text(raw); ok {
		return "s" + s, true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return "", false
	}
	return "n" + string(raw), true
}

// text decodes a JSON string.
func text(raw []byte) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// quote writes s as JSON, with no more escapes than needed.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("quote a string: " + err.Error()) // a string always marshals
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// errorAnswer is a JSON-RPC error for the request with this id; nil is null.
func errorAnswer(id []byte, e *wireError) []byte {
	if id == nil {
		id = []byte("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, errorValue(e))
}

func errorValue(e *wireError) []byte {
	if e.supported != nil {
		return fmt.Appendf(nil, `{"code":%d,"message":%s,"data":{"supported":["%s"],"requested":%s}}`, e.code, quote(e.message), strings.Join(e.supported, `","`), quote(e.requested))
	}
	if e.data != nil {
		return fmt.Appendf(nil, `{"code":%d,"message":%s,"data":%s}`, e.code, quote(e.message), e.data)
	}
	return fmt.Appendf(nil, `{"code":%d,"message":%s}`, e.code, quote(e.message))
}

// toolError is a tools/call result that tells the model why nothing came of it. What it
// says of its kind is for the era without sessions; older clients pass over it.
func toolError(id []byte, words string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":true,"resultType":"complete"}}`, id, quote(words))
}

// oneLine makes a message fit for newline framing and event streams. Raw line ends
// in JSON are white space between tokens, so that spaces mean the same.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	line := bytes.Clone(raw)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return line
}
