package rawjson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
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
	if err := w.read(raw, Limits{Depth: depthLimit}); err != nil {
		return dst, err
	}
	w.dst = slices.Grow(dst, len(raw))
	w.span(0, len(raw))
	return w.dst, nil
}

// Hash is a call's inputHash (CONTRACT section 3): "sha256:" and the hex SHA-256 of
// the canonical form of [serverID, toolName, input], where a nil serverID is null.
// Names that are not valid UTF-8 are an error, since JSON cannot carry them.
func Hash(serverID *string, toolName string, input []byte) (string, error) {
	return HashWithin(Limits{Depth: depthLimit}, serverID, toolName, input)
}

// HashWithin is Hash of an input that is checked, as Check does it, and held to limits in
// the same scan. An *Error is in what it answers when the input is refused.
func HashWithin(l Limits, serverID *string, toolName string, input []byte) (string, error) {
	server := []byte("null")
	if serverID != nil {
		server = appendString(nil, *serverID)
	}
	name := appendString(nil, toolName)
	if !utf8.Valid(server) || !utf8.Valid(name) {
		return "", fmt.Errorf("hash call: a name is not valid UTF-8")
	}
	w := writer{sum: sha256.New()}
	if err := w.read(input, l); err != nil {
		return "", fmt.Errorf("hash call: input: %w", err)
	}
	w.dst = make([]byte, 0, min(len(server)+len(name)+len(input)+4, 2*passOn))
	w.dst = append(append(append(append(append(w.dst, '['), server...), ','), name...), ',')
	w.span(0, len(input))
	w.sum.Write(append(w.dst, ']'))
	return "sha256:" + hex.EncodeToString(w.sum.Sum(nil)), nil
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

// passOn is how many bytes are gathered before they are hashed.
const passOn = 4 << 10

// writer copies a checked document to dst, or by way of it to sum. Only the objects whose keys are out of
// order need more than a walk over the bytes; the scan noted their members, by the
// offset of the brace, so that no byte is looked at once for each level above it.
type writer struct {
	src      string
	dst      []byte
	sum      hash.Hash // nil: dst keeps all
	unsorted map[int][]member
}

// read checks a document, and notes what of it is to be sorted.
func (w *writer) read(raw []byte, l Limits) *Error {
	s := scan(raw, l)
	s.onObject = w.note
	w.src = s.src
	return s.document()
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
		if w.sum != nil && len(w.dst) >= passOn {
			w.sum.Write(w.dst)
			w.dst = w.dst[:0]
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
