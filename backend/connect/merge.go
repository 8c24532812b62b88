package connect

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sekisho/backend/conftext"
)

// Outcome says what becomes of a moved entry when a file is put back.
type Outcome string

// The outcomes of an entry.
const (
	Back     Outcome = "back"     // it is put back
	Gone     Outcome = "gone"     // somebody took it out: it stays out, and its copy stays
	Conflict Outcome = "conflict" // what connecting wrote was changed
)

// Returned is an entry of a file that is put back.
type Returned struct {
	Path    []string
	Outcome Outcome
	Reason  string    // of a conflict, in English
	Why     *Obstacle // Reason for a page that has its own words; nil where it has none
}

// merge puts moved entries back into a file that a person has changed since.
type merge struct {
	before, after, now *conftext.Document
	entries            []conftext.Entry // of now
	force              bool
	edits              []conftext.Edit
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
	was, _ := m.before.Entry(path)
	ours, _ := m.after.Entry(path)
	theirs, there := m.now.Entry(path)
	switch {
	case conftext.At(m.now.Root, path) == nil:
		return m.absent(out, &was, &ours)
	case !there:
		return conflict(out, &Obstacle{Code: becameNoTable})
	case reflect.DeepEqual(theirs.Value, was.Value):
		return out
	case m.force || theirs.Text() == ours.Text():
		if was.Inline() != theirs.Inline() {
			return conflict(out, &Obstacle{Code: otherShape})
		}
		m.take(path, theirs.Replace(was.Text()), was.Value)
		return out
	}
	changes, value, err := reverse(&was, &ours, &theirs)
	if err != nil {
		return conflict(out, err)
	}
	edits, err := theirs.Edits(changes)
	if err != nil {
		return conflict(out, err)
	}
	m.take(path, edits, value)
	return out
}

// absent judges an entry that is not where it was: somebody gave it another name, or it
// is gone.
func (m *merge) absent(out Returned, was, ours *conftext.Entry) Returned {
	i := slices.IndexFunc(m.entries, func(e conftext.Entry) bool {
		return conftext.At(m.after.Root, e.Path) == nil && reflect.DeepEqual(e.Value, ours.Value)
	})
	if i < 0 {
		out.Outcome = Gone
		return out
	}
	renamed := &m.entries[i]
	if !m.force || !was.Inline() || !renamed.Inline() {
		return conflict(out, &Obstacle{Code: otherName, Name: renamed.Key()})
	}
	m.take(renamed.Path, renamed.Replace(was.Text()), was.Value)
	return out
}

// onlyGone reports whether nothing was changed since but that entries were taken out.
func (m *merge) onlyGone(c *Client) bool {
	before, now := m.before.Root, m.now.Root
	for _, was := range entriesOf(m.before, c) {
		theirs := conftext.At(m.now.Root, was.Path)
		ours := conftext.At(m.after.Root, was.Path)
		if theirs != nil && !reflect.DeepEqual(theirs, ours) && !reflect.DeepEqual(theirs, conftext.At(m.before.Root, was.Path)) {
			return false
		}
		before, now = without(before, was.Path), without(now, was.Path)
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
	why = asObstacle(why)
	r.Outcome, r.Reason = Conflict, why.Error()
	errors.As(why, &r.Why)
	return r
}

func (m *merge) take(path []string, edits []conftext.Edit, value map[string]any) {
	m.edits, m.want = append(m.edits, edits...), append(m.want, wanted{path, value})
}

// result gives the file, after reading it as its client will.
func (m *merge) result(c *Client) ([]byte, error) {
	src, err := conftext.Apply(m.now.Src, m.edits)
	if err != nil {
		return nil, err
	}
	result, err := readDocument(c, src)
	if err != nil {
		return nil, fmt.Errorf("what would be written could not be read: %w", err)
	}
	for _, w := range m.want {
		conftext.Put(m.now.Root, w.path, w.value)
	}
	if !reflect.DeepEqual(m.now.Root, result.Root) {
		return nil, errors.New("its entries cannot be put back safely: do it by hand, from the kept copy")
	}
	return []byte(src), nil
}

// reverse gives the changes that take back what connecting did to an entry, where
// nobody has touched it since, and the value afterwards.
func reverse(was, ours, theirs *conftext.Entry) ([]conftext.Change, map[string]any, error) {
	value := maps.Clone(theirs.Value)
	touched := map[string]bool{}
	for _, side := range []map[string]any{was.Value, ours.Value} {
		for field := range side {
			if !reflect.DeepEqual(was.Value[field], ours.Value[field]) {
				touched[field] = true
			}
		}
	}
	for field := range touched {
		if !reflect.DeepEqual(ours.Value[field], theirs.Value[field]) {
			return nil, nil, &Obstacle{Code: fieldChanged, Field: field}
		}
		delete(value, field)
	}
	return rename(restoring(was, theirs, touched)), over(was, value, touched), nil
}

// restoring gives the changes that bring the touched fields back, each new one behind
// the field that it followed.
func restoring(was, theirs *conftext.Entry, touched map[string]bool) []conftext.Change {
	anchor := "command"
	var changes []conftext.Change
	for _, field := range was.Order() {
		_, has := theirs.Value[field]
		switch {
		case touched[field] && has:
			changes = append(changes, conftext.Change{Field: field, Raw: was.Raw(field)})
		case touched[field]:
			changes = append(changes, conftext.Change{Field: field, Raw: was.Raw(field), After: anchor})
		}
		if has {
			anchor = field
		}
	}
	for _, field := range slices.Sorted(maps.Keys(touched)) {
		if _, had := was.Value[field]; !had {
			changes = append(changes, conftext.Change{Field: field})
		}
	}
	return changes
}

// over lays the touched fields of an entry over a value.
func over(e *conftext.Entry, value map[string]any, touched map[string]bool) map[string]any {
	for field := range touched {
		if old, had := e.Value[field]; had {
			value[field] = old
		}
	}
	return value
}

// rename lets a URL take the place of the command that took its place.
func rename(changes []conftext.Change) []conftext.Change {
	gone := slices.IndexFunc(changes, func(c conftext.Change) bool { return c.Field == "command" && c.Raw == "" })
	url := slices.IndexFunc(changes, func(c conftext.Change) bool { return (c.Field == "url" || c.Field == "httpUrl") && c.After != "" })
	if gone >= 0 && url >= 0 {
		changes[gone].Name, changes[gone].Raw = changes[url].Field, changes[url].Raw
		changes = slices.Delete(changes, url, url+1)
	}
	return changes
}
