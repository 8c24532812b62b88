package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/conftext"
	"sekisho/backend/rewrite"
)

// ErrGone says that a connected file is no longer there.
var ErrGone = errors.New("the file is gone; --force writes it anew as it was before connecting")

// Undo is what disconnecting would make of a file.
type Undo struct {
	Records []Record // those that it undoes, newest first
	Path    string
	Exact   bool // the file is as connecting left it, and will be as it was before
	Entries []Returned
	// Theirs is what was changed in entries since connecting, and Difference what would
	// be changed now: unified, secrets masked.
	Theirs, Difference string
	Others             int // lines that were changed since outside of entries
	// Kept are copies of the file as it was before, which stay: they hold entries that
	// are gone.
	Kept []string

	theirs []sides // by record, newest first
	sides  sides
	gone   map[string][]Moved // by the record's id
	write  rewrite.Replacement
}

// Nothing reports whether nothing can be put back: all entries are gone.
func (u *Undo) Nothing() bool {
	return len(u.Entries) > 0 && !slices.ContainsFunc(u.Entries, func(e Returned) bool { return e.Outcome != Gone })
}

// Conflicts reports whether an entry cannot be put back unless by force.
func (u *Undo) Conflicts() bool {
	return slices.ContainsFunc(u.Entries, func(e Returned) bool { return e.Outcome == Conflict })
}

// Compare gives what disconnecting would change.
func (u *Undo) Compare() Difference { return u.sides.compare() }

// CompareTheirs gives what was changed in entries since connecting, without numbers of
// lines: they would not be the file's.
func (u *Undo) CompareTheirs() (all Difference) {
	for _, s := range u.theirs {
		d := s.compare()
		for i := range d.Lines {
			d.Lines[i].Old, d.Lines[i].New = 0, 0
		}
		all.Lines = append(all.Lines, d.Lines...)
		all.Added, all.Removed, all.More, all.Cut = all.Added+d.Added, all.Removed+d.Removed, all.More+d.More, all.Cut || d.Cut
	}
	return all
}

// Undo plans to put one file back. records are all those of the file, newest first.
// Force puts entries back whatever became of them, and writes a file anew that is gone.
func (v *Vault) Undo(records []Record, force bool) (*Undo, error) {
	newest := records[0]
	c, ok := ClientByID(newest.Client)
	if !ok {
		return nil, fmt.Errorf("the client %s is not known", newest.Client)
	}
	if newest.HooksOnly {
		c = c.ofHooks()
	}
	u := &Undo{Records: records, Path: newest.Path, Exact: true}
	u.write = rewrite.Replacement{Path: newest.Path, Real: newest.Real, Mode: newest.Mode, At: v.at}
	real, content, mode, err := rewrite.Load(newest.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && force && !records[len(records)-1].Made:
		content, err = v.file(newest, "after", newest.After)
	case errors.Is(err, fs.ErrNotExist) && records[len(records)-1].Made: // as it was before
		u.whole(newest)
		return u, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrGone
	case err == nil:
		u.write.Real, u.write.Mode, u.write.Old = real, mode, content
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
		if u.gone[r.ID] != nil {
			u.Kept = append(u.Kept, v.before(r))
		}
	}
	u.write.Content = now
	if u.sides = shown(&c, content, now); newest.Own || now == nil {
		u.sides = sides{string(content), string(now)}
	}
	u.Difference = u.sides.unified(newest.Path)
	return u, nil
}

// step undoes one record.
func (u *Undo) step(c *Client, r Record, before, after, now []byte, force bool) ([]byte, error) {
	switch {
	case bytes.Equal(now, before): // a killed sekisho had kept it and written nothing
		return now, nil
	case bytes.Equal(now, after):
		u.whole(r)
		if r.Made {
			return nil, nil
		}
		return before, nil
	}
	u.Exact = false
	if r.HooksOnly {
		return u.unhook(c, &r, after, now, force)
	}
	all := shown(c, after, now)
	theirs := sides{inEntries(c, all.from), inEntries(c, all.to)}
	u.theirs, u.Theirs = append(u.theirs, theirs), u.Theirs+unnumbered(theirs.unified(r.Path))
	plain := sides{string(after), string(now)}
	u.Others += max(0, plain.changed()-sides{inEntries(c, plain.from), inEntries(c, plain.to)}.changed())
	m := merge{force: force}
	var err error
	for _, side := range []struct {
		doc     **conftext.Document
		content []byte
	}{{&m.before, before}, {&m.after, after}, {&m.now, now}} {
		if err = readable(side.content); err == nil {
			*side.doc, err = readDocument(c, string(side.content))
		}
		if err != nil {
			return nil, err
		}
	}
	m.entries = entriesOf(m.now, c)
	var entries []Returned
	var gone []Moved
	hooked := false
	for _, moved := range r.Moved {
		if moved.Hook {
			hooked, entries = true, append(entries, Returned{Path: moved.Path, Outcome: Back})
			continue
		}
		e := m.entry(moved.Path)
		if entries = append(entries, e); e.Outcome == Gone {
			gone = append(gone, moved)
		}
	}
	if force && len(gone) > 0 && m.onlyGone(c) {
		u.whole(r)
		return before, nil
	}
	u.Entries = append(u.Entries, entries...)
	if len(gone) > 0 && u.gone == nil {
		u.gone = map[string][]Moved{}
	}
	if len(gone) > 0 {
		u.gone[r.ID] = gone
	}
	content, err := m.result(c)
	if err == nil && hooked {
		return r.unhook(content, c.text)
	}
	return content, err
}

// unhook undoes a record of hooks alone.
func (u *Undo) unhook(c *Client, r *Record, after, now []byte, force bool) (content []byte, err error) {
	u.Others += sides{string(after), string(now)}.changed()
	switch {
	case !r.Own:
		u.whole(*r)
		return r.unhook(now, c.text)
	case force:
		u.whole(*r)
		return nil, nil
	}
	u.Entries = append(u.Entries, conflict(Returned{Path: hookPath}, &Obstacle{Code: ownFileChanged}))
	return now, nil
}

// whole says that all of a record is put back.
func (u *Undo) whole(r Record) {
	for _, m := range r.Moved {
		u.Entries = append(u.Entries, Returned{Path: m.Path, Outcome: Back})
	}
}

// inEntries gives of a file's text the entries alone: elsewhere clients keep what was
// typed and read. It is empty when the text cannot be read.
func inEntries(c *Client, text string) string {
	doc, err := readDocument(c, text)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, e := range entriesOf(doc, c) {
		if e.Inline() {
			b.WriteString(conftext.Quote(e.Key()) + ": ")
		}
		b.WriteString(strings.TrimSuffix(e.Text(), "\n") + "\n")
	}
	return b.String()
}

var hunkHeader = regexp.MustCompile(`(?m)^@@ .* @@$`)

// unnumbered takes out of a difference the numbers of lines, where they are not the file's.
func unnumbered(difference string) string { return hunkHeader.ReplaceAllString(difference, "@@") }

// shown gives two contents of a file with secrets masked. Those that cannot be read
// have nothing to show.
func shown(c *Client, from, to []byte) sides {
	a, err := readDocument(c, string(from))
	b, err2 := readDocument(c, string(to))
	if err != nil || err2 != nil {
		return sides{}
	}
	return sides{redact(a, c), redact(b, c)}
}

// takeAway removes a file that connecting made, and the folders that it made for it where
// nothing else is in them.
func (u *Undo) takeAway() error {
	if u.write.Old != nil {
		if err := u.write.Remove(); err != nil {
			return err
		}
	}
	for _, folder := range u.Records[len(u.Records)-1].Folders {
		if os.Remove(folder) != nil { // others have put something there
			return nil
		}
	}
	return nil
}

// Restore writes what an undo shows and forgets its records, entries that are gone aside.
// The vault must be locked.
func (v *Vault) Restore(u *Undo) error {
	if u.Conflicts() {
		return errors.New("entries were changed since: nothing was put back")
	}
	if u.write.Content == nil {
		if err := u.takeAway(); err != nil {
			return err
		}
	} else if u.write.Old == nil || !bytes.Equal(u.write.Old, u.write.Content) {
		if _, err := u.write.Write(); err != nil {
			return err
		}
	}
	for _, r := range u.Records {
		forget := func() error { return v.forget(r.ID) }
		if gone := u.gone[r.ID]; gone != nil {
			forget = func() error { return v.shrink(r, gone) }
		}
		if err := forget(); err != nil {
			return fmt.Errorf("forget the kept copy of %s: %w", r.Path, err)
		}
	}
	return nil
}
