package mcpwire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sekisho/backend/rawjson"
)

// Pick finds the members with the given names. A name that is written twice, with
// escapes or in other letter case is refused: another reader could take it for the
// one that we looked at.
func Pick(members []rawjson.Member, names ...string) (map[string]rawjson.Member, *Error) {
	found := make(map[string]rawjson.Member, len(names))
	for _, m := range members {
		for _, name := range names {
			if !strings.EqualFold(m.Key, name) {
				continue
			}
			if string(m.RawKey) != `"`+name+`"` {
				return nil, Errorf(CodeInvalid, "the key %q is not written plainly", name)
			}
			if _, twice := found[name]; twice {
				return nil, Errorf(CodeInvalid, "the key %q is there twice", name)
			}
			found[name] = m
		}
	}
	return found, nil
}

// Member gives one member's value; nil when there is none.
func Member(object []byte, name string) ([]byte, *Error) {
	members, err := rawjson.Members(object)
	if err != nil {
		return nil, nil // no object has no members
	}
	got, bad := Pick(members, name)
	return got[name].Value, bad
}

// IDKey gives equal ids equal keys, however their strings are escaped. Fractions,
// null, objects and the like are no ids.
func IDKey(raw []byte) (string, bool) {
	if s, ok := Text(raw); ok {
		return "s" + s, true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return "", false
	}
	return "n" + string(raw), true
}

// Text decodes a JSON string.
func Text(raw []byte) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// Quote writes s as JSON, with no more escapes than needed.
func Quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("quote a string: " + err.Error()) // a string always marshals
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Span is a part of a message: [from, to).
type Span struct{ From, To int }

// Respell puts other bytes into the place of parts of a message. The parts do not
// overlap.
func Respell(raw []byte, parts map[Span][]byte) []byte {
	order := make([]Span, 0, len(parts))
	for at := range parts {
		order = append(order, at)
	}
	slices.SortFunc(order, func(a, b Span) int { return a.From - b.From })
	var out []byte
	done := 0
	for _, at := range order {
		out = append(append(out, raw[done:at.From]...), parts[at]...)
		done = at.To
	}
	return append(out, raw[done:]...)
}

// Find gives the place of the value at a path of member names in an object that begins
// at base of a message.
func Find(object []byte, base int, path ...string) (Span, bool) {
	members, err := rawjson.Skim(object)
	if err != nil {
		return Span{}, false
	}
	i := slices.IndexFunc(members, func(m rawjson.Member) bool { return m.Key == path[0] })
	if i < 0 {
		return Span{}, false
	}
	m := members[i]
	if len(path) == 1 {
		return Span{base + m.ValueStart, base + m.ValueEnd}, true
	}
	return Find(m.Value, base+m.ValueStart, path[1:]...)
}

// OneLine makes a message fit for newline framing and event streams. Raw line ends
// in JSON are white space between tokens, so that spaces mean the same.
func OneLine(raw []byte) []byte {
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

// MetaOf is a member of a message's _meta; nil when there is none.
func MetaOf(m Message, name string) []byte {
	meta, bad := Member(m.Params, "_meta")
	if meta == nil || bad != nil {
		return nil
	}
	members, err := rawjson.Skim(meta)
	if err != nil {
		return nil
	}
	for _, member := range members {
		if member.Key == name {
			return member.Value
		}
	}
	return nil
}
