package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
)

// Outcome says what becomes of a moved entry when a file is put back.
type Outcome string

// The outcomes of an entry.
const (
	Back     Outcome = "back"     // it is put back
	Gone     Outcome = "gone"     // the person took it out; it stays out
	Conflict Outcome = "conflict" // what connecting wrote was changed
)

// Returned is an entry of a file that is put back.
type Returned struct {
	Path    []string
	Outcome Outcome
	Reason  string // of a conflict
}

// Undo is what disconnecting would make of a file.
type Undo struct {
	Records []Record // those that it undoes, newest first
	Path    string
	Exact   bool // the file is as connecting left it, and will be as it was before
	Entries []Returned
	// Theirs is what was changed since connecting, and Difference what would be
	// changed now: unified, secrets masked.
	Theirs, Difference string

	write replacement
}

// Conflicts reports whether an entry cannot be put back unless by force.
func (u *Undo) Conflicts() bool {
	return slices.ContainsFunc(u.Entries, func(e Returned) bool { return e.Outcome == Conflict })
}

// Undo plans to put one file back. records are all those of the file, newest first.
// Force puts entries back whatever became of them, and writes a file anew that is gone.
func (v *Vault) Undo(records []Record, force bool) (*Undo, error) {
	newest := records[0]
	c, ok := ClientByID(newest.Client)
	if !ok {
		return nil, fmt.Errorf("the client %s is not known", newest.Client)
	}
	u := &Undo{Records: records, Path: newest.Path, Exact: true}
	u.write = replacement{path: newest.Path, real: newest.Real, mode: newest.Mode, at: v.at}
	real, content, mode, err := load(newest.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && force:
		content, err = v.file(newest, "after", newest.After)
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the file is gone; --force writes it anew as it was before connecting")
	case err == nil:
		u.write.real, u.write.mode, u.write.old = real, mode, content
	}
	if err != nil {
		return nil, err
	}
	now := content
	for _, r := range records {
		before, err := v.file(r, "before", r.Before)
		if err != nil {
			return nil, err
		}
		after, err := v.file(r, "after", r.After)
		if err != nil {
			return nil, err
		}
		if now, err = u.step(&c, r, before, after, now, force); err != nil {
			return nil, err
		}
	}
	u.write.content = now
	u.Difference = shown(&c, newest.Path, content, now)
	return u, nil
}

// step undoes one record.
func (u *Undo) step(c *Client, r Record, before, after, now []byte, force bool) ([]byte, error) {
	switch {
	case bytes.Equal(now, before): // a killed sekisho had kept it and written nothing
		return now, nil
	case bytes.Equal(now, after):
		for _, m := range r.Moved {
			u.Entries = append(u.Entries, Returned{Path: m.Path, Outcome: Back})
		}
		return before, nil
	}
	u.Exact = false
	u.Theirs += shown(c, r.Path, after, now)
	m := merge{force: force}
	var err error
	for _, side := range []struct {
		doc     **document
		content []byte
	}{{&m.before, before}, {&m.after, after}, {&m.now, now}} {
		if err = readable(side.content); err == nil {
			*side.doc, err = readDocument(c, string(side.content))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, moved := range r.Moved {
		u.Entries = append(u.Entries, m.entry(moved.Path))
	}
	return m.result(c)
}

// shown is the difference of two files with secrets masked. A file that cannot be read
// has none to show.
func shown(c *Client, path string, from, to []byte) string {
	a, err := readDocument(c, string(from))
	b, err2 := readDocument(c, string(to))
	if err != nil || err2 != nil {
		return ""
	}
	return unified(path, path, redact(a, c), redact(b, c))
}

// Restore writes what an undo shows and forgets its records. The vault must be locked.
func (v *Vault) Restore(u *Undo) error {
	if u.Conflicts() {
		return errors.New("entries were changed since: nothing was put back")
	}
	if u.write.old == nil || !bytes.Equal(u.write.old, u.write.content) {
		if err := u.write.write(); err != nil {
			return err
		}
	}
	for _, r := range u.Records {
		if err := v.forget(r.ID); err != nil {
			return fmt.Errorf("forget the kept copy of %s: %w", r.Path, err)
		}
	}
	return nil
}

// merge puts moved entries back into a file that a person has changed since.
type merge struct {
	before, after, now *document
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
		out.Outcome = Gone
		return out
	case !there:
		return conflict(out, "it is no table any more")
	case reflect.DeepEqual(theirs.value, was.value):
		return out
	case m.force || theirs.text() == ours.text():
		if (was.table == nil) != (theirs.table == nil) {
			return conflict(out, "it is written in another shape: put it back by hand, from the kept copy")
		}
		m.take(path, theirs.replace(was.text()), was.value)
		return out
	}
	changes, value, err := reverse(&was, &ours, &theirs)
	if err != nil {
		return conflict(out, err.Error())
	}
	edits, err := theirs.edits(changes)
	if err != nil {
		return conflict(out, err.Error())
	}
	m.take(path, edits, value)
	return out
}

func conflict(r Returned, reason string) Returned {
	r.Outcome, r.Reason = Conflict, reason
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
			return nil, nil, fmt.Errorf("its %s was changed since", field)
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
