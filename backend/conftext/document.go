package conftext

import (
	"maps"
	"slices"
	"strings"
)

// Document is a configuration file, read.
type Document struct {
	Src  string
	Root map[string]any // decoded

	json *Node         // nil of TOML
	toml *tomlDocument // nil of JSON
}

// Read reads a file. The error is a *SyntaxError.
func Read(src string, dialect Dialect) (*Document, error) {
	d := &Document{Src: src}
	if dialect.TOML {
		doc, err := readTOML(src)
		if err != nil {
			return nil, err
		}
		d.toml, d.Root = doc, doc.root
		return d, nil
	}
	root, err := readJSON(src, dialect)
	if err != nil {
		return nil, err
	}
	d.json = root
	d.Root, _ = root.decoded().(map[string]any)
	return d, nil
}

// Values gives the nodes that make the document: that of JSON, or those of TOML's keys.
func (d *Document) Values() (all []*Node) {
	if d.json != nil {
		return []*Node{d.json}
	}
	for _, item := range d.toml.items {
		if !item.header {
			all = append(all, item.value)
		}
	}
	return all
}

// Entry is a table of a document.
type Entry struct {
	Path  []string // from the root; the last is the entry's key
	Value map[string]any

	doc   *Document
	table *Node // a JSON object or an inline table; nil when items make the entry
	items []int // of the TOML document
}

// Key is the last step to the entry.
func (e *Entry) Key() string { return e.Path[len(e.Path)-1] }

// Inline reports whether the entry is a JSON object or one of TOML's inline tables, and
// not made of lines.
func (e *Entry) Inline() bool { return e.table != nil }

// Nodes gives the nodes that make the entry, nil for a header: none where an inline table has it in dotted
// keys.
func (e *Entry) Nodes() (all []*Node) {
	if e.table != nil {
		return []*Node{e.table}
	}
	for _, i := range e.items {
		all = append(all, e.doc.toml.items[i].value)
	}
	return all
}

// Keys gives the keys of the table at a path as the file has them: of TOML by where they
// are named first, and those of inline tables last, by name. nil: there is none.
func (d *Document) Keys(path []string) (keys []string) {
	table, ok := At(d.Root, path).(map[string]any)
	if !ok {
		return nil
	}
	if d.json != nil {
		for _, m := range within(d.json, path).Members {
			keys = append(keys, m.Path[0])
		}
		return keys
	}
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	for _, item := range d.toml.items {
		if len(item.path) > len(path) && slices.Equal(item.path[:len(path)], path) {
			add(item.path[len(path)])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		add(key)
	}
	return keys
}

// At gives the decoded value at a path, or nil.
func At(root any, path []string) any {
	for _, step := range path {
		table, _ := root.(map[string]any)
		root = table[step]
	}
	return root
}

// Entry finds the table at a path; false when there is none, or it is no table.
func (d *Document) Entry(path []string) (Entry, bool) {
	e := Entry{doc: d, Path: path}
	var ok bool
	if e.Value, ok = At(d.Root, path).(map[string]any); !ok {
		return e, false
	}
	if d.json != nil {
		e.table = within(d.json, path)
		return e, true
	}
	for i, item := range d.toml.items {
		switch {
		case len(item.path) >= len(path) && slices.Equal(item.path[:len(path)], path):
			if e.items = append(e.items, i); len(item.path) == len(path) && !item.header {
				e.table = item.value
			}
		case !item.header && len(item.path) < len(path) && slices.Equal(item.path, path[:len(item.path)]):
			e.table = within(item.value, path[len(item.path):])
		}
	}
	return e, true
}

// within finds a table inside an inline one, or nil.
func within(n *Node, path []string) *Node {
	for _, step := range path {
		m := n.find(step)
		if m == nil {
			return nil
		}
		n = m.Value
	}
	return n
}

// pieces gives the ranges that make the entry: one, but for a TOML entry with other
// tables between its own.
func (e *Entry) pieces() []Span {
	if e.table != nil {
		return []Span{e.table.Span}
	}
	var all []Span
	for n, i := range e.items {
		item := e.doc.toml.items[i]
		if n > 0 && e.items[n-1] == i-1 {
			all[len(all)-1].end = item.end
			continue
		}
		all = append(all, item.Span)
	}
	return all
}

// Text gives the bytes of the entry.
func (e *Entry) Text() string {
	var b strings.Builder
	for _, p := range e.pieces() {
		b.WriteString(e.doc.Src[p.start:p.end])
		if e.table == nil && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Replace puts another text in the place of the entry.
func (e *Entry) Replace(text string) []Edit {
	var edits []Edit
	for i, p := range e.pieces() {
		if i > 0 {
			text = ""
		}
		edits = append(edits, Edit{p, text})
	}
	return edits
}

// Edits changes fields of the entry.
func (e *Entry) Edits(changes []Change) ([]Edit, error) {
	if e.table != nil {
		return objectEdits(e.doc.Src, e.table, changes)
	}
	var edits []Edit
	for _, c := range changes {
		made, err := e.itemEdits(c)
		if err != nil {
			return nil, err
		}
		edits = append(edits, made...)
	}
	return edits, nil
}

// itemEdits changes one field of an entry that is made of lines.
func (e *Entry) itemEdits(c Change) ([]Edit, error) {
	src, items := e.doc.Src, e.doc.toml.items
	if c.Raw == "" {
		return e.drop(c.Field), nil
	}
	look := c.Field
	if c.After != "" {
		look = c.After
	}
	for _, i := range e.items {
		item := items[i]
		if item.header || len(item.path) != len(e.Path)+1 || item.path[len(e.Path)] != look {
			continue
		}
		key := src[item.last.start:item.last.end]
		if c.After != "" {
			line := src[item.start:item.last.start] + keyLike(key, c.Field) + src[item.last.end:item.value.start] + c.Raw
			switch whole := src[item.start:item.end]; {
			case strings.HasSuffix(whole, "\r\n"):
				line += "\r\n"
			case strings.HasSuffix(whole, "\n"):
				line += "\n"
			default:
				line = "\n" + line
			}
			return []Edit{{Span{item.end, item.end}, line}}, nil
		}
		edits := []Edit{{item.value.Span, c.Raw}}
		if c.Name != "" {
			edits = append(edits, Edit{item.last, keyLike(key, c.Name)})
		}
		return edits, nil
	}
	return nil, &ApartError{look}
}

// drop takes away the lines of a field, and the blank lines before a table of it that
// follows the entry's own lines.
func (e *Entry) drop(field string) []Edit {
	src, items := e.doc.Src, e.doc.toml.items
	var edits []Edit
	for n, i := range e.items {
		item := items[i]
		if len(item.path) == len(e.Path) || item.path[len(e.Path)] != field {
			continue
		}
		gone := item.Span
		if n > 0 && e.items[n-1] == i-1 {
			before := items[i-1]
			sameField := len(before.path) > len(e.Path) && before.path[len(e.Path)] == field
			if strings.TrimSpace(src[before.end:item.start]) == "" || sameField && !item.header {
				gone.start = before.end
			}
		}
		edits = append(edits, Edit{Span: gone})
	}
	return edits
}

// Values gives the nodes that make a field.
func (e *Entry) Values(field string) []*Node {
	var all []*Node
	if e.table != nil {
		for i := range e.table.Members {
			if m := &e.table.Members[i]; m.Path[0] == field {
				all = append(all, m.Value)
			}
		}
		return all
	}
	for _, i := range e.items {
		item := e.doc.toml.items[i]
		if !item.header && len(item.path) > len(e.Path) && item.path[len(e.Path)] == field {
			all = append(all, item.value)
		}
	}
	return all
}

// Order gives the entry's fields as they are first written.
func (e *Entry) Order() []string {
	var fields []string
	add := func(field string) {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if e.table != nil {
		for i := range e.table.Members {
			add(e.table.Members[i].Path[0])
		}
		return fields
	}
	for _, i := range e.items {
		if path := e.doc.toml.items[i].path; len(path) > len(e.Path) {
			add(path[len(e.Path)])
		}
	}
	return fields
}
