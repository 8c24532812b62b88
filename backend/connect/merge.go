package connect

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// merge puts moved entries back into a file that a person has changed since.
type merge struct {
	before, after, now *document
	entries            []entry // of now
	force              bool
	edits              []edit
	want               []wanted
}

// wanted is an entry as it must read afterwards.
type wanted struct {
	path  []string
	value map[string]any
}

// entry takes one entry back into the file.
func (m *merge) entry(path []string) Returned {
	out := Returned{Path: path, Outcome: Back}
	was, _ := m.before.entry(path)
	ours, _ := m.after.entry(path)
	theirs, there := m.now.entry(path)
	switch {
	case at(m.now.root, path) == nil:
		return m.absent(out, &was, &ours)
	case !there:
		return conflict(out, &Obstacle{Code: becameNoTable})
	case reflect.DeepEqual(theirs.value, was.value):
		return out
	case m.force || theirs.text() == ours.text():
		if (was.table == nil) != (theirs.table == nil) {
			return conflict(out, &Obstacle{Code: otherShape})
		}
		m.take(path, theirs.replace(was.text()), was.value)
		return out
	}
	changes, value, err := reverse(&was, &ours, &theirs)
	if err != nil {
		return conflict(out, err)
	}
	edits, err := theirs.edits(changes)
	if err != nil {
		return conflict(out, err)
	}
	m.take(path, edits, value)
	return out
}

// absent judges an entry that is not where it was: somebody gave it another name, or it
// is gone.
func (m *merge) absent(out Returned, was, ours *entry) Returned {
	i := slices.IndexFunc(m.entries, func(e entry) bool {
		return at(m.after.root, e.path) == nil && reflect.DeepEqual(e.value, ours.value)
	})
	if i < 0 {
		out.Outcome = Gone
		return out
	}
	renamed := &m.entries[i]
	if !m.force || was.table == nil || renamed.table == nil {
		return conflict(out, &Obstacle{Code: otherName, Name: renamed.key()})
	}
	m.take(renamed.path, renamed.replace(was.text()), was.value)
	return out
}

// onlyGone reports whether nothing was changed since but that entries were taken out.
func (m *merge) onlyGone(c *Client) bool {
	before, now := m.before.root, m.now.root
	for _, was := range m.before.entries(c) {
		theirs := at(m.now.root, was.path)
		if theirs != nil && !reflect.DeepEqual(theirs, at(m.after.root, was.path)) && !reflect.DeepEqual(theirs, at(m.before.root, was.path)) {
			return false
		}
		before, now = without(before, was.path), without(now, was.path)
	}
	return reflect.DeepEqual(before, now)
}

// without gives a table without what lies at a path, and without tables that are empty
// then.
func without(table map[string]any, path []string) map[string]any {
	inner, ok := table[path[0]].(map[string]any)
	if len(path) > 1 && !ok {
		return table
	}
	table = maps.Clone(table)
	if len(path) > 1 {
		if inner = without(inner, path[1:]); len(inner) > 0 {
			table[path[0]] = inner
			return table
		}
	}
	delete(table, path[0])
	return table
}

func conflict(r Returned, why error) Returned {
	r.Outcome, r.Reason = Conflict, why.Error()
	errors.As(why, &r.Why)
	return r
}

func (m *merge) take(path []string, edits []edit, value map[string]any) {
	m.edits, m.want = append(m.edits, edits...), append(m.want, wanted{path, value})
}

// result gives the file, after reading it as its client will.
func (m *merge) result(c *Client) ([]byte, error) {
	src, err := apply(m.now.src, m.edits)
	if err != nil {
		return nil, err
	}
	result, err := readDocument(c, src)
	if err != nil {
		return nil, fmt.Errorf("what would be written could not be read: %w", err)
	}
	for _, w := range m.want {
		put(m.now.root, w.path, w.value)
	}
	if !reflect.DeepEqual(m.now.root, result.root) {
		return nil, errors.New("its entries cannot be put back safely: do it by hand, from the kept copy")
	}
	return []byte(src), nil
}

// reverse gives the changes that take back what connecting did to an entry, where
// nobody has touched it since, and the value afterwards.
func reverse(was, ours, theirs *entry) ([]change, map[string]any, error) {
	value := maps.Clone(theirs.value)
	touched := map[string]bool{}
	for _, side := range []map[string]any{was.value, ours.value} {
		for field := range side {
			if !reflect.DeepEqual(was.value[field], ours.value[field]) {
				touched[field] = true
			}
		}
	}
	for field := range touched {
		if !reflect.DeepEqual(ours.value[field], theirs.value[field]) {
			return nil, nil, &Obstacle{Code: fieldChanged, Field: field}
		}
		delete(value, field)
	}
	return rename(restoring(was, theirs, touched)), was.over(value, touched), nil
}

// restoring gives the changes that bring the touched fields back, each new one behind
// the field that it followed.
func restoring(was, theirs *entry, touched map[string]bool) []change {
	anchor := "command"
	var changes []change
	for _, field := range was.order() {
		_, has := theirs.value[field]
		switch {
		case touched[field] && has:
			changes = append(changes, change{field: field, raw: was.raw(field)})
		case touched[field]:
			changes = append(changes, change{field: field, raw: was.raw(field), after: anchor})
		}
		if has {
			anchor = field
		}
	}
	for _, field := range slices.Sorted(maps.Keys(touched)) {
		if _, had := was.value[field]; !had {
			changes = append(changes, change{field: field})
		}
	}
	return changes
}

// over lays the touched fields of an entry over a value.
func (e *entry) over(value map[string]any, touched map[string]bool) map[string]any {
	for field := range touched {
		if old, had := e.value[field]; had {
			value[field] = old
		}
	}
	return value
}

// rename lets a URL take the place of the command that took its place.
func rename(changes []change) []change {
	gone := slices.IndexFunc(changes, func(c change) bool { return c.field == "command" && c.raw == "" })
	url := slices.IndexFunc(changes, func(c change) bool { return (c.field == "url" || c.field == "httpUrl") && c.after != "" })
	if gone >= 0 && url >= 0 {
		changes[gone].name, changes[gone].raw = changes[url].field, changes[url].raw
		changes = slices.Delete(changes, url, url+1)
	}
	return changes
}

// raw gives the text of a field's value, for the entry's own kind of file.
func (e *entry) raw(field string) string {
	nodes := e.values(field)
	if whole, ok := e.value[field].(map[string]any); ok && e.doc.json == nil && !inlined(nodes) {
		return inlineText(whole)
	}
	return e.doc.src[nodes[0].start:nodes[0].end]
}

// inlined reports whether a TOML table is written as one inline table.
func inlined(nodes []*node) bool { return len(nodes) == 1 && nodes[0].kind == kindObject }

// inlineText writes a decoded TOML value on one line.
func inlineText(value any) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case literal:
		return string(v)
	case []any:
		text := "["
		for i, item := range v {
			if i > 0 {
				text += ", "
			}
			text += inlineText(item)
		}
		return text + "]"
	case map[string]any:
		text := "{"
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				text += ","
			}
			text += " " + quote(key) + " = " + inlineText(v[key])
		}
		return text + " }"
	}
	return fmt.Sprint(value)
}
