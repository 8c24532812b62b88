package rawjson

import (
	"iter"
	"strings"
)

// Member is one member of an object, its bytes as they were written.
type Member struct {
	Key        string // unescaped
	RawKey     []byte // with its quotes, as written
	Value      []byte // without the white space around it
	ValueStart int    // offsets of Value in the object's bytes
	ValueEnd   int
}

// Members splits an object into its members, in the order in which they are
// written. RawKey and Value are subslices of raw. It refuses what Check refuses, at
// a depth of 10,000, and every value that is not an object; the error is an *Error.
func Members(raw []byte) ([]Member, error) {
	var top []Member
	object := false
	s := scan(raw, Limits{Depth: depthLimit})
	s.onObject = func(depth, _ int, members []member) {
		if depth != 1 {
			return
		}
		object, top = true, membersOf(raw, members)
	}
	if err := s.document(); err != nil {
		return nil, err
	}
	if !object {
		s.pos = 0
		s.blanks()
		return nil, s.fail(s.pos, NotObject)
	}
	return top, nil
}

func membersOf(raw []byte, members []member) []Member {
	var names strings.Builder // the keys in one piece of memory, which is not raw's
	for _, m := range members {
		names.WriteString(m.key)
	}
	rest := names.String()
	out := make([]Member, len(members))
	for i, m := range members {
		var key string
		key, rest = rest[:len(m.key)], rest[len(m.key):]
		out[i] = Member{Key: key, RawKey: raw[m.keyStart:m.keyEnd:m.keyEnd],
			Value: raw[m.valStart:m.valEnd:m.valEnd], ValueStart: m.valStart, ValueEnd: m.valEnd}
	}
	return out
}

// Values goes over the keys of members and their values.
func Values(members []Member) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, m := range members {
			if !yield(m.Key, m.Value) {
				return
			}
		}
	}
}
