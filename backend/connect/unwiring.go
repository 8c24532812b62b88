package connect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"sekisho/backend/rewrite"
)

// Undoing is one file that is to be put back, or why it cannot be.
type Undoing struct {
	Path string
	Undo *Undo
	Err  error
}

// Undos plans to put back each wanted file that was connected; see Vault.Undo.
func (w *Wiring) Undos(ctx context.Context, force bool) (all []Undoing, err error) {
	if w.Vault == nil {
		return nil, nil
	}
	err = w.Vault.locked(ctx, func() error {
		records, err := w.Vault.Records()
		all = w.undos(records, force)
		return err
	})
	return all, err
}

func (w *Wiring) undos(records []Record, force bool) (all []Undoing) {
	for _, r := range records {
		if !w.wants(r.Client, r.Path) || slices.ContainsFunc(all, func(u Undoing) bool { return u.Path == r.Path }) {
			continue
		}
		undo, err := w.Vault.Undo(recordsOf(records, r.Path), force)
		all = append(all, Undoing{r.Path, undo, err})
	}
	return all
}

// recordsOf are those of one file, in the same order.
func recordsOf(records []Record, path string) []Record {
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Path != path })
}

// Disconnected is what came of putting files back.
type Disconnected struct {
	Paths   []string // the files
	Removed []string // servers that left the desk's list
	Kept    []string // servers that stay there, because they were changed on it
}

// Restore writes the files, those with conflicts aside, and takes the servers that
// nobody uses any more from the desk. What was done is told beside an error about the rest.
func (w *Wiring) Restore(ctx context.Context, all []Undoing) (done Disconnected, err error) {
	err = w.Vault.locked(ctx, func() (err error) {
		done, err = w.restore(ctx, all)
		return err
	})
	return done, err
}

func (w *Wiring) restore(ctx context.Context, all []Undoing) (done Disconnected, failed error) {
	var added []leftover
	for _, u := range all {
		if u.Err != nil || u.Undo.Conflicts() || u.Undo.Nothing() {
			continue
		}
		mine := u.Undo.added()
		err := w.Vault.changeLeftovers(mine, nil) // before their record goes: they may have to wait for the desk
		if err == nil {
			err = w.Vault.Restore(u.Undo)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", u.Path, err))
			continue
		}
		done.Paths = append(done.Paths, u.Path)
		added = append(added, mine...)
	}
	var err error
	done.Removed, done.Kept, err = w.release(ctx, added)
	return done, errors.Join(failed, err)
}

// release takes servers that connecting had added from the desk, those aside that an
// entry still uses, and those that are not for certain this desk's: nobody was asked about
// one like them on its list. They stay noted.
func (w *Wiring) release(ctx context.Context, added []leftover) (removed, kept []string, err error) {
	records, err := w.Vault.Records()
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for _, l := range added {
		ids = append(ids, l.ID)
	}
	used := w.used(ids)
	unused := slices.DeleteFunc(slices.Clone(added), func(l leftover) bool { return answered(records, l) || slices.Contains(used, l.ID) })
	var mark deskMark
	if len(unused) > 0 {
		if err = w.Away; w.Desk != nil {
			removed, kept, mark, err = w.take(ctx, unused)
		}
		if err != nil {
			removed, kept = nil, nil
			err = fmt.Errorf(
				"the files are put back, but their servers stay on the desk's list, until its Agents screen or another disconnect takes them off: %w",
				err)
		}
	}
	settled := mark.has(removed, kept)
	return removed, kept, errors.Join(err, w.Vault.changeLeftovers(nil, func(l leftover) bool { return settled(l) || answered(records, l) }))
}

// take is removeServers for those of the desk that is asked, and tells which desk it is.
func (w *Wiring) take(ctx context.Context, unused []leftover) (removed, kept []string, mark deskMark, err error) {
	if mark, err = markOf(ctx, w.Desk); err != nil {
		return nil, nil, nil, err
	}
	mine := map[string]Server{}
	for _, l := range unused {
		if mark.shares(l.Desk) {
			mine[l.ID] = l.Server
		}
	}
	removed, kept, err = removeServers(ctx, w.Desk, mine)
	return removed, kept, mark, err
}

// added are the servers that connecting put into the desk's list for the file.
func (u *Undo) added() (all []leftover) {
	for _, r := range u.Records {
		for _, m := range r.Moved {
			if m.Added {
				all = append(all, leftover{m.Server, r.Desk})
			}
		}
	}
	return all
}

// used are the ids of the servers that entries name which are behind a desk, and of noted
// those that a file may name which cannot be understood now.
func (w *Wiring) used(noted []string) (ids []string) {
	for _, f := range Find(w.Places) {
		plan, err := Make(f, Options{Program: w.Program, URLs: w.URLs, Places: w.Places, Names: NewNames(nil, nil), LookPath: w.LookPath})
		if err != nil {
			ids = append(ids, f.mentions(noted)...)
			continue
		}
		for _, e := range plan.Entries {
			if e.State == Behind {
				ids = append(ids, e.ServerID)
			}
		}
	}
	return ids
}

// mentions gives those ids that stand anywhere in a file: all of them when its content is
// not known. What is no file at all names nothing.
func (f *File) mentions(ids []string) []string {
	if f.Content == nil && (errors.Is(f.Err, fs.ErrNotExist) || errors.Is(f.Err, rewrite.ErrFolder)) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return f.Content != nil && !bytes.Contains(f.Content, []byte(id))
	})
}
