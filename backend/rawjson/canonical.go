package rawjson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Canonical appends the canonical form of raw to dst: object keys sorted by their
// UTF-16 code units, no white space, strings escaped as RFC 8785 says, and numbers
// as they were written, since 2^53+1 is not 2^53 and 5.0 is not 5. It refuses what
// Check refuses, at a depth of 10,000; the error is an *Error and dst is then as it
// was.
func Canonical(dst, raw []byte) ([]byte, error) {
	w := writer{}
	s := scanner{src: string(raw), maxDepth: depthLimit, members: make([]member, 0, usualKeys), onObject: w.note}
	if err := s.document(); err != nil {
		return dst, err
	}
	w.src = s.src
	w.dst = slices.Grow(dst, len(raw))
	w.span(0, len(raw))
	return w.dst, nil
}

// Hash is a call's inputHash (CONTRACT section 3): "sha256:" and the hex SHA-256 of
// the canonical form of [serverID, toolName, input], where a nil serverID is null.
// Names that are not valid UTF-8 are an error, since JSON cannot carry them.
func Hash(serverID *string, toolName string, input []byte) (string, error) {
	server := []byte("null")
	if serverID != nil {
		server = appendString(nil, *serverID)
	}
	name := appendString(nil, toolName)
	if !utf8.Valid(server) || !utf8.Valid(name) {
		return "", fmt.Errorf("hash call: a name is not valid UTF-8")
	}
	b := make([]byte, 0, len(server)+len(name)+len(input)+4)
	b = append(append(append(append(append(b, '['), server...), ','), name...), ',')
	b, err := Canonical(b, input)
	if err != nil {
		return "", fmt.Errorf("hash call: input: %w", err)
	}
	sum := sha256.Sum256(append(b, ']'))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Sum is the hex SHA-256 of the canonical JSON of v. A json.RawMessage counts as
// the document that it holds.
func Sum(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("sum: %w", err)
	}
	if raw, err = Canonical(nil, raw); err != nil {
		return "", fmt.Errorf("sum: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// writer copies a checked document to dst. Only the objects whose keys are out of
// order need more than a walk over the bytes; the scan noted their members, by the
// offset of the brace, so that no byte is looked at once for each level above it.
type writer struct {
	src      string
	dst      []byte
	unsorted map[int][]member
}

func (w *writer) note(_, start int, members []member) {
	order := func(a, b member) int { return compareUTF16(a.key, b.key) }
	if slices.IsSortedFunc(members, order) {
		return
	}
	members = slices.Clone(members)
	slices.SortFunc(members, order)
	if w.unsorted == nil {
		w.unsorted = map[int][]member{}
	}
	w.unsorted[start] = members
}

// span writes the bytes from at to end, which hold whole tokens.
func (w *writer) span(at, end int) {
	for at < end {
		switch c := w.src[at]; {
		case isBlank(c):
			at++
		case c == '"':
			at = w.literal(at)
		case c == '{' && w.unsorted[at] != nil:
			at = w.sorted(w.unsorted[at])
		default:
			w.dst = append(w.dst, c)
			at++
		}
	}
}

// literal writes the string that begins at at and gives the offset behind it.
func (w *writer) literal(at int) int {
	end := at + 1 + strings.IndexByte(w.src[at+1:], '"')
	if strings.IndexByte(w.src[at:end], '\\') < 0 {
		w.dst = append(w.dst, w.src[at:end+1]...)
		return end + 1
	}
	for end = at + 1; w.src[end] != '"'; end++ {
		if w.src[end] == '\\' {
			end++
		}
	}
	end++
	w.dst = appendString(w.dst, unquote(w.src[at:end]))
	return end
}

// sorted writes an object's members in their order and gives the offset behind
// its closing brace, which only white space parts from the last value.
func (w *writer) sorted(members []member) int {
	end := 0
	w.dst = append(w.dst, '{')
	for i, m := range members {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(appendString(w.dst, m.key), ':')
		w.span(m.valStart, m.valEnd)
		end = max(end, m.valEnd)
	}
	w.dst = append(w.dst, '}')
	return end + strings.IndexByte(w.src[end:], '}') + 1
}
