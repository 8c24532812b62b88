package conftext

import (
	"strings"
	"unicode/utf8"
)

// str reads any of TOML's four strings.
func (r *tomlReader) str() (string, *SyntaxError) {
	rest := r.src[r.pos:]
	switch {
	case strings.HasPrefix(rest, `"""`):
		return r.long('"')
	case strings.HasPrefix(rest, `'''`):
		return r.long('\'')
	case rest[0] == '"':
		return r.basic()
	}
	return r.quoted()
}

// quoted reads '…', which has no escapes.
func (r *tomlReader) quoted() (string, *SyntaxError) {
	start := r.pos
	r.pos++
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		if c == '\'' {
			r.pos++
			return r.src[start+1 : r.pos-1], nil
		}
		if c < ' ' && c != '\t' || c == 0x7f {
			break
		}
		r.pos++
	}
	return "", r.fail(start, "a string without an end")
}

// basic reads "…".
func (r *tomlReader) basic() (string, *SyntaxError) {
	start := r.pos
	r.pos++
	var b strings.Builder
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '"':
			r.pos++
			return b.String(), nil
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
		case c < ' ' && c != '\t' || c == 0x7f:
			return "", r.fail(start, "a string without an end")
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	return "", r.fail(start, "a string without an end")
}

// long reads """…""" or ”'…”': up to two quotes may stand right before the end.
func (r *tomlReader) long(mark byte) (string, *SyntaxError) {
	start, end := r.pos, strings.Repeat(string(mark), 3)
	r.pos += 3
	r.newline()
	var b strings.Builder
	for r.pos < len(r.src) {
		rest := r.src[r.pos:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, end):
			r.pos += 3
			for range 2 {
				if r.next(mark) {
					b.WriteByte(mark)
				}
			}
			return b.String(), nil
		case c == '\\' && mark == '"':
			if !r.fold() {
				if err := r.escape(&b); err != nil {
					return "", err
				}
			}
		case c == '\r' && !strings.HasPrefix(rest, "\r\n"), c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
			return "", r.fail(r.pos, "a control character in a string")
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	return "", r.fail(start, "a string without an end")
}

// fold skips a backslash at a line's end with all white space after it.
func (r *tomlReader) fold() bool {
	at := r.pos
	r.pos++
	r.blanks()
	if !r.newline() {
		r.pos = at
		return false
	}
	for r.blanks(); r.newline(); r.blanks() {
	}
	return true
}

func (r *tomlReader) escape(b *strings.Builder) *SyntaxError {
	rest := r.src[r.pos:]
	if len(rest) < 2 {
		return r.fail(r.pos, "a string without an end")
	}
	if at := strings.IndexByte(`"\bfnrt`, rest[1]); at >= 0 {
		b.WriteByte("\"\\\b\f\n\r\t"[at])
		r.pos += 2
		return nil
	}
	digits := map[byte]int{'u': 4, 'U': 8}[rest[1]]
	code, ok := hexRune(rest[2:], digits)
	if digits == 0 || !ok || !utf8.ValidRune(code) {
		return r.fail(r.pos, "an escape that TOML does not have")
	}
	b.WriteRune(code)
	r.pos += 2 + digits
	return nil
}

// tomlTable knows what of a table is defined already, and by what.
type tomlTable struct {
	children map[string]*tomlTable
	value    bool         // no table, or one that is closed
	opened   bool         // by a header of its own
	dotted   bool         // by a dotted key
	list     []*tomlTable // of an array of tables
}

func newTomlTable() *tomlTable { return &tomlTable{children: map[string]*tomlTable{}} }

// define takes a key with a value; false when it is there, or is no table on the way.
func (t *tomlTable) define(path []string) bool {
	for _, step := range path[:len(path)-1] {
		next := t.children[step]
		if next == nil {
			next = newTomlTable()
			next.dotted = true
			t.children[step] = next
		}
		if !next.dotted {
			return false
		}
		t = next
	}
	last := path[len(path)-1]
	if t.children[last] != nil {
		return false
	}
	t.children[last] = &tomlTable{value: true}
	return true
}

// open takes a header and gives its table; false when the table is there already, or
// something else is.
func (t *tomlTable) open(path []string, list bool) (*tomlTable, bool) {
	for _, step := range path[:len(path)-1] {
		next := t.children[step]
		if next == nil {
			next = newTomlTable()
			t.children[step] = next
		}
		if next.list != nil {
			next = next.list[len(next.list)-1]
		}
		if next.value {
			return nil, false
		}
		t = next
	}
	last := path[len(path)-1]
	old := t.children[last]
	switch {
	case list && (old == nil || old.list != nil):
		if old == nil {
			old = newTomlTable()
			t.children[last] = old
		}
		element := newTomlTable()
		element.opened = true
		old.list = append(old.list, element)
		return element, true
	case list || old != nil && (old.value || old.opened || old.dotted || old.list != nil):
		return nil, false
	case old == nil:
		old = newTomlTable()
		t.children[last] = old
	}
	old.opened = true
	return old, true
}
