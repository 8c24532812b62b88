package conftext

import (
	"fmt"
	"strconv"
	"strings"
)

// Span is a range of bytes of a file.
type Span struct{ start, end int }

// Kind is what a value is. The letters are those of JSON.
type Kind byte

// The kinds of values.
const (
	KindObject  Kind = '{'
	KindArray   Kind = '['
	KindString  Kind = '"'
	KindBool    Kind = 't'
	KindLiteral Kind = '0' // a number, a date or null, kept as it is written
)

// Node is a value with its place in the file: of a JSON document, or of one value
// of a TOML document.
type Node struct {
	Kind Kind
	Span
	Members []Member // of an object
	Items   []*Node  // of an array

	commas []int // of a JSON array: the offset of the comma after each item, or -1

	text  string         // of a string, unescaped; of a literal or bool, as written
	index map[string]int // of a JSON object: members by key
}

// Member is one key and value of an object or an inline table.
type Member struct {
	Path  []string // unescaped; of one part but for TOML's dotted keys
	Value *Node

	key   Span // as written, all of it
	last  Span // the last part of the key
	comma int  // the offset of the comma after the value, or -1
}

// Literal is a number, a date or null in a decoded value.
type Literal string

// Decoded gives a value without its place, as a document's Root has it.
func (n *Node) Decoded() any { return n.decoded() }

// decoded gives a value without its place: a string, a bool, a Literal, an []any or
// a map[string]any. Dotted keys become tables.
func (n *Node) decoded() any {
	switch n.Kind {
	case KindObject:
		out := map[string]any{}
		for i := range n.Members {
			Put(out, n.Members[i].Path, n.Members[i].Value.decoded())
		}
		return out
	case KindArray:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.decoded()
		}
		return out
	case KindString:
		return n.text
	case KindBool:
		return n.text == "true"
	}
	return Literal(n.text)
}

// Put sets the value at a path, making the tables on the way. The last table of an
// array of tables is meant where one lies on the way, as in TOML.
func Put(into map[string]any, path []string, value any) {
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
func (n *Node) find(key string) *Member {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return &n.Members[i]
		}
		return nil
	}
	for i := range n.Members {
		if m := &n.Members[i]; len(m.Path) == 1 && m.Path[0] == key {
			return m
		}
	}
	return nil
}

// MaxNesting bounds the recursion of both readers.
const MaxNesting = 500

// MaxValues bounds the memory that a JSON document takes beyond its text: up to
// 400 bytes for each.
const MaxValues = 1 << 20

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

// Quote writes a string so that JSON and TOML both read it back.
func Quote(s string) string {
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

// QuoteList writes strings as an array on one line, for JSON and TOML.
func QuoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = Quote(s)
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
