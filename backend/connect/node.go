package connect

import (
	"fmt"
	"strconv"
	"strings"
)

// span is a range of bytes of a file.
type span struct{ start, end int }

// kind is what a value is. The letters are those of JSON.
type kind byte

const (
	kindObject  kind = '{'
	kindArray   kind = '['
	kindString  kind = '"'
	kindBool    kind = 't'
	kindLiteral kind = '0' // a number, a date or null, kept as it is written
)

// node is a value with its place in the file: of a JSON document, or of one value
// of a TOML document.
type node struct {
	kind kind
	span
	text    string         // of a string, unescaped; of a literal or bool, as written
	members []member       // of an object
	items   []*node        // of an array
	index   map[string]int // of a JSON object: members by key
}

// member is one key and value of an object or an inline table.
type member struct {
	path  []string // unescaped; of one part but for TOML's dotted keys
	key   span     // as written, all of it
	last  span     // the last part of the key
	value *node
	comma int // the offset of the comma after the value, or -1
}

// literal is a number, a date or null in a decoded value.
type literal string

// decoded gives a value without its place: a string, a bool, a literal, an []any or
// a map[string]any. Dotted keys become tables.
func (n *node) decoded() any {
	switch n.kind {
	case kindObject:
		out := map[string]any{}
		for i := range n.members {
			put(out, n.members[i].path, n.members[i].value.decoded())
		}
		return out
	case kindArray:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.decoded()
		}
		return out
	case kindString:
		return n.text
	case kindBool:
		return n.text == "true"
	}
	return literal(n.text)
}

// put sets the value at a path, making the tables on the way. The last table of an
// array of tables is meant where one lies on the way, as in TOML.
func put(into map[string]any, path []string, value any) {
	for _, step := range path[:len(path)-1] {
		next := into[step]
		if list, ok := next.([]any); ok && len(list) > 0 {
			next = list[len(list)-1]
		}
		table, ok := next.(map[string]any)
		if !ok {
			table = map[string]any{}
			into[step] = table
		}
		into = table
	}
	into[path[len(path)-1]] = value
}

// find gives the member of a key that is not dotted, or nil.
func (n *node) find(key string) *member {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return &n.members[i]
		}
		return nil
	}
	for i := range n.members {
		if m := &n.members[i]; len(m.path) == 1 && m.path[0] == key {
			return m
		}
	}
	return nil
}

// maxNesting bounds the recursion of both readers.
const maxNesting = 500

// maxValues bounds the memory that a JSON document takes beyond its text: up to
// 400 bytes for each.
const maxValues = 1 << 20

// SyntaxError says why a file is not what its client could read.
type SyntaxError struct {
	Line   int // from 1
	Column int // in bytes, from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// syntaxError names a place by its offset.
func syntaxError(src string, at int, format string, args ...any) *SyntaxError {
	at = min(at, len(src))
	before := src[:at]
	return &SyntaxError{
		Line:   1 + strings.Count(before, "\n"),
		Column: at - strings.LastIndexByte(before, '\n'),
		Reason: fmt.Sprintf(format, args...),
	}
}

// quote writes a string so that JSON and TOML both read it back.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quoteList writes strings as an array on one line, for JSON and TOML.
func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// hexRune reads n hexadecimal digits.
func hexRune(s string, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(s[:n], 16, 32)
	return rune(v), err == nil && !strings.ContainsAny(s[:n], "+-_")
}
