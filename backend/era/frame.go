package era

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
)

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// request is a client's request without the frame of its era: of its params what is the same in
// both, as it was written.
type request struct {
	method  string
	members []rawjson.Member // of params, but _meta and what follows
	meta    []rawjson.Member // of _meta, but the frame of 2026-07-28 and the progress token in their form

	token            []byte // of its progress; nil is none
	responses, state []byte // of a further round
}

// requestOf reads a request.
func requestOf(m mcpwire.Message) (r request, bad *mcpwire.Error) {
	r.method = m.Method
	if m.Params == nil {
		return r, nil
	}
	members, err := rawjson.Members(m.Params)
	if err != nil {
		return r, mcpwire.Errorf(mcpwire.CodeParams, "params of %s is an object", m.Method)
	}
	if _, bad := mcpwire.Pick(members, "_meta", "inputResponses", "requestState"); bad != nil {
		return r, bad
	}
	for _, member := range members {
		switch member.Key {
		case "_meta":
			if bad := r.readMeta(member); bad != nil {
				return r, bad
			}
		case "inputResponses":
			r.responses = member.Value
		case "requestState":
			r.state = member.Value
		default:
			r.members = append(r.members, member)
		}
	}
	return r, nil
}

func (r *request) readMeta(m rawjson.Member) *mcpwire.Error {
	inside, err := rawjson.Members(m.Value)
	if err != nil {
		return mcpwire.Errorf(mcpwire.CodeParams, "_meta of %s is an object", r.method)
	}
	own, others := mcpwire.OwnOf(inside)
	r.meta = others // which were shown, and approved as they are
	for _, member := range own {
		switch member.Key {
		case mcpwire.MetaVersion, mcpwire.MetaClient, mcpwire.MetaCapabilities, mcpwire.MetaLogLevel:
		case "progressToken":
			r.token = member.Value
		default:
			r.meta = append(r.meta, member)
		}
	}
	return nil
}

// tasks reports whether a request is about tasks, which are others in the other era.
func (r *request) tasks() bool {
	return mcpwire.IsTask(r.method) || slices.ContainsFunc(r.members, func(m rawjson.Member) bool { return m.Key == "task" })
}

// message writes the request under an id, with a _meta and more members.
func (r *request) message(id, meta []byte, more ...rawjson.Member) []byte {
	all := slices.Concat(r.members, more)
	if meta != nil {
		all = append(all, member("_meta", meta))
	}
	params := rawjson.Object(all)
	if params == nil {
		params = []byte("{}")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, r.method, params)
}

// about is the request in a form that is equal for equal requests, whatever round they are of.
func (r *request) about() string {
	canonical, err := rawjson.Canonical(nil, fmt.Appendf(nil, `[%q,%s,%s]`, r.method, orNull(rawjson.Object(r.members)),
		orNull(rawjson.Object(r.meta))))
	if err != nil {
		return "" // of no request that was read
	}
	return string(canonical)
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

// member is a member of an object.
func member(name string, value []byte) rawjson.Member {
	return rawjson.Member{Key: name, RawKey: mcpwire.Quote(name), Value: value}
}

// without is an object without some of its members, however their names are written, and with
// others before what is left, which stays as it was written. What is no object stays.
func without(object []byte, names []string, before string) []byte {
	members, err := rawjson.Outline(object)
	if err != nil {
		return object
	}
	named := func(m rawjson.Member) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(m.Key, name) })
	}
	if slices.ContainsFunc(members, named) {
		left := slices.DeleteFunc(members, named)
		if object = rawjson.Object(left); object == nil {
			object = []byte("{}")
		}
	}
	inside := bytes.TrimLeft(object, " \t\r\n")[1:]
	if before != "" && len(bytes.TrimLeft(inside, " \t\r\n")) > 1 {
		before += ","
	}
	return slices.Concat([]byte("{"+before), inside)
}

// unfinished reports whether a result says that the server asks for input first.
func unfinished(result []byte) bool {
	members, err := rawjson.Outline(result)
	return err == nil && slices.ContainsFunc(members, func(m rawjson.Member) bool {
		kind, _ := mcpwire.Text(m.Value)
		return strings.EqualFold(m.Key, "resultType") && kind == "input_required"
	})
}

// respelled is a message with other values at some places of it.
func respelled(raw []byte, values map[string][]byte) []byte {
	parts := map[mcpwire.Span][]byte{}
	for path, value := range values {
		if at, ok := mcpwire.Find(raw, 0, strings.Split(path, ".")...); ok {
			parts[at] = value
		}
	}
	return mcpwire.Respell(raw, parts)
}

// wordOf is a member of an object that is a string; "" where it is none.
func wordOf(object []byte, name string) string {
	raw, _ := mcpwire.Member(object, name)
	word, _ := mcpwire.Text(raw)
	return word
}
