package connect

import (
	"maps"
	"slices"
	"strings"
)

// document is a configuration file, read.
type document struct {
	src  string
	json *node         // nil of TOML
	toml *tomlDocument // nil of JSON
	root map[string]any
}

// readDocument reads a file as its client does. The error is a *SyntaxError.
func readDocument(c *Client, src string) (*document, error) {
	d := &document{src: src}
	if c.toml {
		doc, err := readTOML(src)
		if err != nil {
			return nil, err
		}
		d.toml, d.root = doc, doc.root
		return d, nil
	}
	root, err := readJSON(src, c.json)
	if err != nil {
		return nil, err
	}
	d.json = root
	d.root, _ = root.decoded().(map[string]any)
	return d, nil
}

// entry is one tool server of a document.
type entry struct {
	doc   *document
	path  []string // from the root; the last is the entry's key
	value map[string]any
	table *node // a JSON object or an inline table; nil when items make the entry
	items []int // of the TOML document
}

func (e *entry) key() string { return e.path[len(e.path)-1] }

// maxEntries is how many tool servers a file may have: as many as the desk has room for.
const maxEntries = 1000

// entries gives the tool servers in the order of the file, or one more than maxEntries.
func (d *document) entries(c *Client) []entry {
	var all []entry
	sections := c.sections
	if nested, ok := at(d.root, c.nested).(map[string]any); ok && c.nested != nil && nested["command"] == nil && c.dialect.url(nested) == "" {
		sections = [][]string{c.nested}
	}
	for _, section := range sections {
		for _, path := range d.expand(nil, section) {
			table, _ := at(d.root, path).(map[string]any)
			for _, key := range d.ordered(path, table) {
				if e, ok := d.entry(append(slices.Clone(path), key)); ok {
					all = append(all, e)
				}
				if len(all) > maxEntries {
					return all
				}
			}
		}
	}
	return all
}

// expand gives the paths that a section's path means: a "*" is any key.
func (d *document) expand(done, rest []string) [][]string {
	if len(rest) == 0 {
		return [][]string{slices.Clone(done)}
	}
	table, ok := at(d.root, done).(map[string]any)
	if !ok {
		return nil
	}
	if rest[0] != "*" {
		return d.expand(append(slices.Clone(done), rest[0]), rest[1:])
	}
	var all [][]string
	for _, key := range d.ordered(done, table) {
		all = append(all, d.expand(append(slices.Clone(done), key), rest[1:])...)
	}
	return all
}

// ordered gives a table's keys as the file has them.
func (d *document) ordered(path []string, table map[string]any) []string {
	if d.json == nil {
		return d.toml.ordered(path, table)
	}
	n := d.json
	for _, step := range path {
		if m := n.find(step); m != nil {
			n = m.value
		}
	}
	var keys []string
	for i := range n.members {
		keys = append(keys, n.members[i].path[0])
	}
	return keys
}

// ordered gives a table's keys by where they are named first; those of inline tables
// come last, by name.
func (d *tomlDocument) ordered(path []string, table map[string]any) []string {
	var keys []string
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	for _, item := range d.items {
		if len(item.path) > len(path) && slices.Equal(item.path[:len(path)], path) {
			add(item.path[len(path)])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		add(key)
	}
	return keys
}

// at gives the decoded value at a path, or nil.
func at(root any, path []string) any {
	for _, step := range path {
		table, _ := root.(map[string]any)
		root = table[step]
	}
	return root
}

// entry finds the tool server at a path; false when there is none, or no table.
func (d *document) entry(path []string) (entry, bool) {
	e := entry{doc: d, path: path}
	var ok bool
	if e.value, ok = at(d.root, path).(map[string]any); !ok {
		return e, false
	}
	if d.json != nil {
		e.table = d.json
		for _, step := range path {
			e.table = e.table.find(step).value
		}
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
func within(n *node, path []string) *node {
	for _, step := range path {
		m := n.find(step)
		if m == nil {
			return nil
		}
		n = m.value
	}
	return n
}

// pieces gives the ranges that make the entry: one, but for a TOML entry with other
// tables between its own.
func (e *entry) pieces() []span {
	if e.table != nil {
		return []span{e.table.span}
	}
	var all []span
	for n, i := range e.items {
		item := e.doc.toml.items[i]
		if n > 0 && e.items[n-1] == i-1 {
			all[len(all)-1].end = item.end
			continue
		}
		all = append(all, item.span)
	}
	return all
}

// text gives the bytes of the entry.
func (e *entry) text() string {
	var b strings.Builder
	for _, p := range e.pieces() {
		b.WriteString(e.doc.src[p.start:p.end])
		if e.table == nil && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// replace puts another text in the place of the entry.
func (e *entry) replace(text string) []edit {
	var edits []edit
	for i, p := range e.pieces() {
		if i > 0 {
			text = ""
		}
		edits = append(edits, edit{p, text})
	}
	return edits
}

// edits changes fields of the entry.
func (e *entry) edits(changes []change) ([]edit, error) {
	if e.table != nil {
		return objectEdits(e.doc.src, e.table, changes)
	}
	var edits []edit
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
func (e *entry) itemEdits(c change) ([]edit, error) {
	src, items := e.doc.src, e.doc.toml.items
	if c.raw == "" {
		return e.drop(c.field), nil
	}
	look := c.field
	if c.after != "" {
		look = c.after
	}
	for _, i := range e.items {
		item := items[i]
		if item.header || len(item.path) != len(e.path)+1 || item.path[len(e.path)] != look {
			continue
		}
		key := src[item.last.start:item.last.end]
		if c.after != "" {
			line := src[item.start:item.last.start] + keyLike(key, c.field) + src[item.last.end:item.value.start] + c.raw
			switch whole := src[item.start:item.end]; {
			case strings.HasSuffix(whole, "\r\n"):
				line += "\r\n"
			case strings.HasSuffix(whole, "\n"):
				line += "\n"
			default:
				line = "\n" + line
			}
			return []edit{{span{item.end, item.end}, line}}, nil
		}
		edits := []edit{{item.value.span, c.raw}}
		if c.name != "" {
			edits = append(edits, edit{item.last, keyLike(key, c.name)})
		}
		return edits, nil
	}
	return nil, &Obstacle{Code: writtenApart, Field: look}
}

// drop takes away the lines of a field, and the blank lines before a table of it that
// follows the entry's own lines.
func (e *entry) drop(field string) []edit {
	src, items := e.doc.src, e.doc.toml.items
	var edits []edit
	for n, i := range e.items {
		item := items[i]
		if len(item.path) == len(e.path) || item.path[len(e.path)] != field {
			continue
		}
		gone := item.span
		if n > 0 && e.items[n-1] == i-1 {
			before := items[i-1]
			sameField := len(before.path) > len(e.path) && before.path[len(e.path)] == field
			if strings.TrimSpace(src[before.end:item.start]) == "" || sameField && !item.header {
				gone.start = before.end
			}
		}
		edits = append(edits, edit{span: gone})
	}
	return edits
}

// values gives the nodes that make a field.
func (e *entry) values(field string) []*node {
	var all []*node
	if e.table != nil {
		for i := range e.table.members {
			if m := &e.table.members[i]; m.path[0] == field {
				all = append(all, m.value)
			}
		}
		return all
	}
	for _, i := range e.items {
		item := e.doc.toml.items[i]
		if !item.header && len(item.path) > len(e.path) && item.path[len(e.path)] == field {
			all = append(all, item.value)
		}
	}
	return all
}

// order gives the entry's fields as they are first written.
func (e *entry) order() []string {
	var fields []string
	add := func(field string) {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if e.table != nil {
		for i := range e.table.members {
			add(e.table.members[i].path[0])
		}
		return fields
	}
	for _, i := range e.items {
		if path := e.doc.toml.items[i].path; len(path) > len(e.path) {
			add(path[len(e.path)])
		}
	}
	return fields
}
