package conftext

import (
	"regexp"
	"slices"
	"strings"
)

// tomlItem is a table's header or a key and its value, with the lines it takes.
type tomlItem struct {
	Span            // whole lines, line end and comment behind included
	header bool     // [table] or [[table]]
	path   []string // from the root
	last   Span     // the last part of the key
	value  *Node    // nil of a header
}

// tomlDocument is a TOML file in the order in which it is written.
type tomlDocument struct {
	items []tomlItem
	root  map[string]any // decoded
}

// tomlReader reads one TOML 1.0 document and keeps the place of everything.
type tomlReader struct {
	src   string
	pos   int
	depth int
	doc   *tomlDocument
	root  *tomlTable
	at    *tomlTable // the table that keys go to
	path  []string   // its path
}

// readTOML reads a document. The error is a *SyntaxError.
func readTOML(src string) (*tomlDocument, error) {
	r := &tomlReader{src: src, doc: &tomlDocument{root: map[string]any{}}, root: newTomlTable()}
	r.at = r.root
	if strings.HasPrefix(src, ByteOrderMark) {
		r.pos = len(ByteOrderMark)
	}
	for r.pos < len(src) {
		if err := r.line(); err != nil {
			return nil, err
		}
	}
	return r.doc, nil
}

func (r *tomlReader) fail(at int, format string, args ...any) *SyntaxError {
	return syntaxError(r.src, at, format, args...)
}

func (r *tomlReader) peek() byte {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

func (r *tomlReader) next(c byte) bool {
	if r.pos < len(r.src) && r.src[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *tomlReader) blanks() {
	for r.peek() == ' ' || r.peek() == '\t' {
		r.pos++
	}
}

// newline takes LF or CRLF.
func (r *tomlReader) newline() bool {
	if strings.HasPrefix(r.src[r.pos:], "\r\n") {
		r.pos += 2
		return true
	}
	return r.next('\n')
}

// endOfLine takes blanks, a comment and the line's end.
func (r *tomlReader) endOfLine() *SyntaxError {
	r.blanks()
	if r.peek() == '#' {
		for r.pos < len(r.src) && r.peek() != '\n' && !strings.HasPrefix(r.src[r.pos:], "\r\n") {
			if c := r.peek(); c < ' ' && c != '\t' || c == 0x7f {
				return r.fail(r.pos, "a control character in a comment")
			}
			r.pos++
		}
	}
	if r.pos < len(r.src) && !r.newline() {
		return r.fail(r.pos, "the line's end was expected")
	}
	return nil
}

// line reads a blank line, a comment, a header, or a key with its value.
func (r *tomlReader) line() *SyntaxError {
	start := r.pos
	r.blanks()
	switch c := r.peek(); {
	case r.pos == len(r.src) || c == '#' || c == '\n' || c == '\r':
		return r.endOfLine()
	case c == '[':
		return r.header(start)
	}
	keyAt := r.pos
	path, last, value, err := r.pair()
	if err != nil {
		return err
	}
	if !r.at.define(path) {
		return r.fail(keyAt, "the key %s is there twice", strings.Join(path, "."))
	}
	if err := r.endOfLine(); err != nil {
		return err
	}
	whole := slices.Concat(r.path, path)
	r.doc.items = append(r.doc.items, tomlItem{Span: Span{start, r.pos}, path: whole, last: last, value: value})
	Put(r.doc.root, whole, value.decoded())
	return nil
}

func (r *tomlReader) header(start int) *SyntaxError {
	r.pos++
	list := r.next('[')
	r.blanks()
	path, last, err := r.key()
	if err != nil {
		return err
	}
	if !r.next(']') || list && !r.next(']') {
		return r.fail(r.pos, "a closing bracket was expected")
	}
	table, ok := r.root.open(path, list)
	if !ok {
		return r.fail(start, "the table %s is there twice, or is no table", strings.Join(path, "."))
	}
	if err := r.endOfLine(); err != nil {
		return err
	}
	r.at, r.path = table, path
	r.doc.items = append(r.doc.items, tomlItem{Span: Span{start, r.pos}, header: true, path: path, last: last})
	openDecoded(r.doc.root, path, list)
	return nil
}

// openDecoded makes the table of a header in the decoded document.
func openDecoded(root map[string]any, path []string, list bool) {
	into, last := root, path[len(path)-1]
	for _, step := range path[:len(path)-1] {
		next := into[step]
		if of, ok := next.([]any); ok {
			next = of[len(of)-1]
		}
		if next == nil {
			next = map[string]any{}
			into[step] = next
		}
		into = next.(map[string]any)
	}
	switch old, there := into[last]; {
	case list:
		of, _ := old.([]any)
		into[last] = append(of, map[string]any{})
	case !there:
		into[last] = map[string]any{}
	}
}

// pair reads a key, an equals sign and a value.
func (r *tomlReader) pair() (path []string, last Span, value *Node, err *SyntaxError) {
	if path, last, err = r.key(); err != nil {
		return path, last, nil, err
	}
	if !r.next('=') {
		return path, last, nil, r.fail(r.pos, "an equals sign was expected")
	}
	r.blanks()
	value, err = r.value()
	return path, last, value, err
}

// key reads a key of one or more parts, and the blanks behind it.
func (r *tomlReader) key() (path []string, last Span, err *SyntaxError) {
	for {
		last.start = r.pos
		part, err := r.keyPart()
		if err != nil {
			return path, last, err
		}
		path, last.end = append(path, part), r.pos
		r.blanks()
		if !r.next('.') {
			return path, last, nil
		}
		if len(path) > MaxNesting {
			return path, last, r.fail(r.pos, "nested too deep")
		}
		r.blanks()
	}
}

func (r *tomlReader) keyPart() (string, *SyntaxError) {
	switch r.peek() {
	case '"':
		return r.basic()
	case '\'':
		return r.quoted()
	}
	start := r.pos
	for c := r.peek(); c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'; c = r.peek() {
		r.pos++
	}
	if r.pos == start {
		return "", r.fail(start, "a key was expected")
	}
	return r.src[start:r.pos], nil
}

func (r *tomlReader) value() (*Node, *SyntaxError) {
	start := r.pos
	if r.depth++; r.depth > MaxNesting {
		return nil, r.fail(start, "nested too deep")
	}
	defer func() { r.depth-- }()
	switch r.peek() {
	case '"', '\'':
		text, err := r.str()
		return &Node{Kind: KindString, Span: Span{start, r.pos}, text: text}, err
	case '[':
		return r.array()
	case '{':
		return r.inline()
	}
	return r.literal()
}

// scalar is what a value without brackets or quotes looks like: dates and times
// first, because they begin as numbers do.
var scalar = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`true|false`,
	`\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?`,
	`\d\d:\d\d:\d\d(?:\.\d+)?`,
	`0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*`,
	`[+-]?(?:inf|nan)`,
	`[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?`,
}, "|") + `)`)

func (r *tomlReader) literal() (*Node, *SyntaxError) {
	start := r.pos
	r.pos += len(scalar.FindString(r.src[start:min(len(r.src), start+200)]))
	if r.pos == start || r.pos < len(r.src) && strings.IndexByte(" \t\r\n,]}#", r.peek()) < 0 {
		return nil, r.fail(start, "a value was expected")
	}
	n := &Node{Kind: KindLiteral, Span: Span{start, r.pos}, text: r.src[start:r.pos]}
	if n.text == "true" || n.text == "false" {
		n.Kind = KindBool
	}
	return n, nil
}

// space skips blanks, comments and line ends, as they stand in an array.
func (r *tomlReader) space() *SyntaxError {
	for {
		r.blanks()
		if c := r.peek(); r.pos == len(r.src) || c != '#' && c != '\n' && c != '\r' {
			return nil
		}
		if err := r.endOfLine(); err != nil {
			return err
		}
	}
}

func (r *tomlReader) array() (*Node, *SyntaxError) {
	n := &Node{Kind: KindArray, Span: Span{start: r.pos}}
	r.pos++
	for {
		if err := r.space(); err != nil {
			return nil, err
		}
		if r.next(']') {
			break
		}
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
		if err := r.space(); err != nil {
			return nil, err
		}
		if !r.next(',') && r.peek() != ']' {
			return nil, r.fail(r.pos, "a comma or a closing bracket was expected")
		}
	}
	n.end = r.pos
	return n, nil
}

func (r *tomlReader) inline() (*Node, *SyntaxError) {
	n := &Node{Kind: KindObject, Span: Span{start: r.pos}}
	table := newTomlTable()
	r.pos++
	r.blanks()
	for again := !r.next('}'); again; {
		m := Member{key: Span{start: r.pos}, comma: -1}
		var err *SyntaxError
		if m.Path, m.last, m.Value, err = r.pair(); err != nil {
			return nil, err
		}
		m.key.end = m.last.end
		if !table.define(m.Path) {
			return nil, r.fail(m.key.start, "the key %s is there twice", strings.Join(m.Path, "."))
		}
		r.blanks()
		if again = r.next(','); again {
			m.comma = r.pos - 1
			r.blanks()
		} else if !r.next('}') {
			return nil, r.fail(r.pos, "a comma or a closing brace was expected")
		}
		n.Members = append(n.Members, m)
	}
	n.end = r.pos
	return n, nil
}
