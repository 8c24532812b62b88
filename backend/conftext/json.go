package conftext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ByteOrderMark may stand before a text.
const ByteOrderMark = "\ufeff"

// jsonReader reads one JSON document and keeps the place of everything.
type jsonReader struct {
	src     string
	pos     int
	depth   int
	values  int
	dialect Dialect
}

// readJSON reads a document whose root is an object. The error is a *SyntaxError.
func readJSON(src string, d Dialect) (*Node, error) {
	r := &jsonReader{src: src, dialect: d}
	if strings.HasPrefix(src, ByteOrderMark) {
		r.pos = len(ByteOrderMark)
	}
	root, err := r.document()
	if err != nil {
		return nil, err
	}
	return root, nil
}

func (r *jsonReader) fail(at int, format string, args ...any) *SyntaxError {
	return syntaxError(r.src, at, format, args...)
}

func (r *jsonReader) document() (*Node, *SyntaxError) {
	if err := r.blanks(); err != nil {
		return nil, err
	}
	root, err := r.value()
	if err != nil {
		return nil, err
	}
	if err := r.blanks(); err != nil {
		return nil, err
	}
	switch {
	case r.pos < len(r.src):
		return nil, r.fail(r.pos, "something follows the end of the document")
	case root.Kind != KindObject:
		return nil, r.fail(root.start, "the document is not an object")
	}
	return root, nil
}

// blanks skips white space, and comments where they are taken.
func (r *jsonReader) blanks() *SyntaxError {
	for r.pos < len(r.src) {
		rest := r.src[r.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.pos++
		case strings.HasPrefix(rest, "//") && r.dialect.Comments:
			if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
				r.pos += end
			} else {
				r.pos = len(r.src)
			}
		case strings.HasPrefix(rest, "/*") && r.dialect.Comments:
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return r.fail(r.pos, "a comment without an end")
			}
			r.pos += end + 4
		case rest[0] == '/' && !r.dialect.Comments:
			return r.fail(r.pos, "a comment, which this client does not read")
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) value() (*Node, *SyntaxError) {
	start := r.pos
	if start == len(r.src) {
		return nil, r.fail(start, "the document breaks off")
	}
	if r.values++; r.values > MaxValues {
		return nil, r.fail(start, "more than %d values", MaxValues)
	}
	switch c := r.src[start]; {
	case c == '{' || c == '[':
		if r.depth++; r.depth > MaxNesting {
			return nil, r.fail(start, "nested too deep")
		}
		defer func() { r.depth-- }()
		if c == '{' {
			return r.object()
		}
		return r.array()
	case c == '"':
		text, err := r.str()
		if err != nil {
			return nil, err
		}
		return &Node{Kind: KindString, Span: Span{start, r.pos}, text: text}, nil
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(r.src[start:], word) {
			r.pos += len(word)
			k := KindBool
			if word == "null" {
				k = KindLiteral
			}
			return &Node{Kind: k, Span: Span{start, r.pos}, text: word}, nil
		}
	}
	return nil, r.fail(start, "a value was expected")
}

// more reads what stands between two elements. It reports the comma's place or -1,
// and whether another element follows.
func (r *jsonReader) more(end byte) (comma int, again bool, err *SyntaxError) {
	comma = -1
	if err := r.blanks(); err != nil {
		return comma, false, err
	}
	if r.next(',') {
		comma = r.pos - 1
		if err := r.blanks(); err != nil {
			return comma, false, err
		}
		if !r.next(end) {
			return comma, true, nil
		}
		if !r.dialect.TrailingCommas {
			return comma, false, r.fail(comma, "a comma before the end, which this client does not read")
		}
		return comma, false, nil
	}
	if r.next(end) {
		return comma, false, nil
	}
	return comma, false, r.fail(r.pos, "a comma or %q was expected", end)
}

func (r *jsonReader) next(c byte) bool {
	if r.pos < len(r.src) && r.src[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *jsonReader) array() (*Node, *SyntaxError) {
	n := &Node{Kind: KindArray, Span: Span{start: r.pos}}
	r.pos++
	if err := r.blanks(); err != nil {
		return nil, err
	}
	for again := !r.next(']'); again; {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		comma := -1
		if comma, again, err = r.more(']'); err != nil {
			return nil, err
		}
		n.Items, n.commas = append(n.Items, item), append(n.commas, comma)
	}
	n.end = r.pos
	return n, nil
}

func (r *jsonReader) object() (*Node, *SyntaxError) {
	n := &Node{Kind: KindObject, Span: Span{start: r.pos}, index: map[string]int{}}
	r.pos++
	if err := r.blanks(); err != nil {
		return nil, err
	}
	for again := !r.next('}'); again; {
		m, err := r.member(n)
		if err != nil {
			return nil, err
		}
		if m.comma, again, err = r.more('}'); err != nil {
			return nil, err
		}
		n.Members = append(n.Members, m)
	}
	n.end = r.pos
	return n, nil
}

func (r *jsonReader) member(of *Node) (m Member, err *SyntaxError) {
	m.key.start = r.pos
	if r.pos == len(r.src) || r.src[r.pos] != '"' {
		return m, r.fail(r.pos, "a key in double quotes was expected")
	}
	key, err := r.str()
	if err != nil {
		return m, err
	}
	if _, there := of.index[key]; there {
		return m, r.fail(m.key.start, "the key %s is there twice", Quote(key))
	}
	of.index[key] = len(of.Members)
	m.Path, m.key.end = []string{key}, r.pos
	m.last = m.key
	if err := r.blanks(); err != nil {
		return m, err
	}
	if !r.next(':') {
		return m, r.fail(r.pos, "a colon was expected")
	}
	if err := r.blanks(); err != nil {
		return m, err
	}
	m.Value, err = r.value()
	return m, err
}

func (r *jsonReader) str() (string, *SyntaxError) {
	start := r.pos
	r.pos++
	plain := r.pos // where what has no escapes begins: it is not copied
	var b strings.Builder
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '"':
			text := r.src[plain:r.pos]
			if b.Len() > 0 {
				b.WriteString(text)
				text = b.String()
			}
			r.pos++
			return text, nil
		case c == '\\':
			b.WriteString(r.src[plain:r.pos])
			if err := r.escape(&b); err != nil {
				return "", err
			}
			plain = r.pos
		case c < ' ':
			return "", r.fail(r.pos, "a control character in a string")
		default:
			r.pos++
		}
	}
	return "", r.fail(start, "a string without an end")
}

func (r *jsonReader) escape(b *strings.Builder) *SyntaxError {
	rest := r.src[r.pos:]
	if len(rest) < 2 {
		return r.fail(r.pos, "a string without an end")
	}
	if at := strings.IndexByte(`"\/bfnrt`, rest[1]); at >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
		r.pos += 2
		return nil
	}
	unit, ok := hexRune(rest[2:], 4)
	if rest[1] != 'u' || !ok {
		return r.fail(r.pos, "an escape that JSON does not have")
	}
	r.pos += 6
	if !utf16.IsSurrogate(unit) {
		b.WriteRune(unit)
		return nil
	}
	if strings.HasPrefix(rest[6:], `\u`) {
		low, ok := hexRune(rest[8:], 4)
		if whole := utf16.DecodeRune(unit, low); ok && whole != utf8.RuneError {
			r.pos += 6
			b.WriteRune(whole)
			return nil
		}
	}
	// Half of a pair, as JavaScript writes a string that was cut in a character. Three
	// bytes of its own keep it apart from all else.
	b.Write([]byte{0xe0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3f, 0x80 | byte(unit)&0x3f})
	return nil
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (r *jsonReader) number() (*Node, *SyntaxError) {
	start := r.pos
	r.next('-')
	ok := r.next('0') || r.digits()
	if r.next('.') {
		ok = r.digits() && ok
	}
	if r.next('e') || r.next('E') {
		if !r.next('+') {
			r.next('-')
		}
		ok = r.digits() && ok
	}
	if !ok {
		return nil, r.fail(start, "a number that JSON does not have")
	}
	return &Node{Kind: KindLiteral, Span: Span{start, r.pos}, text: r.src[start:r.pos]}, nil
}

func (r *jsonReader) digits() bool {
	start := r.pos
	for r.pos < len(r.src) && r.src[r.pos] >= '0' && r.src[r.pos] <= '9' {
		r.pos++
	}
	return r.pos > start
}

// Dialect is what a file is written in: JSON, with what its reader takes beyond it, or TOML.
type Dialect struct{ TOML, Comments, TrailingCommas bool }
