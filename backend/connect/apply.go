package connect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sekisho/backend/rewrite"
)

// Apply writes what a plan shows, once what puts it back is kept. added are the ids that
// connecting put into the desk's list. The vault must be locked. ErrChanged when the
// file is no longer the one that was planned for.
func (v *Vault) Apply(p *Plan, added map[string]bool, now time.Time) (Record, error) {
	f := p.File
	r := Record{Client: f.Client.ID, Path: f.Path, Real: f.Real, Project: f.Project, Desk: p.desk, Mode: f.Mode, At: now.UTC(),
		Before: digest(f.Content), After: digest(p.After), Made: f.new}
	if f.hook != nil {
		r.HooksOnly, r.Own = f.Client.sections == nil, f.hook.own != nil
	}
	r.ID = r.At.Format("20060102T150405.000000000Z") + "-" + digest([]byte(f.Real))[:12]
	records, err := v.Records()
	if err != nil {
		return r, err
	}
	left, err := v.leftovers()
	if err != nil {
		return r, err
	}
	for _, e := range p.Moves() {
		if e.Hook {
			r.Moved = append(r.Moved, Moved{Path: e.Path, Hook: true})
			continue
		}
		m := Moved{Path: e.Path, Server: e.Server.Masked(), Print: e.Server.Print(), Added: added[e.ServerID]}
		m.inherit(records, left, p.desk)
		r.Moved = append(r.Moved, m)
	}
	w := rewrite.Replacement{Path: f.Path, Real: f.Real, Old: f.Content, Content: p.After, Mode: f.Mode, At: v.at}
	if err := w.Unchanged(); err != nil {
		return r, err
	}
	if f.new {
		r.Folders = missingFolders(f.Real)
	}
	if err := v.keep(r, f.Content, p.After); err != nil {
		return r, fmt.Errorf("keep a copy of %s: %w", f.Path, err)
	}
	if err := os.MkdirAll(filepath.Dir(f.Real), 0o700); err != nil {
		return r, errors.Join(err, v.forget(r.ID))
	}
	if written, err := w.Write(); err != nil && !written {
		return r, errors.Join(err, v.forget(r.ID))
	}
	return r, nil // once the file is written, what puts it back stays, and so do its servers
}

// inherit takes over that connecting put the server into this desk's list before, and as
// what: the last file to be put back takes it out again, whichever was connected first, and
// also when it was left over in between.
func (m *Moved) inherit(records []Record, left map[string]leftover, desk deskMark) {
	for _, l := range left {
		if l.ID == m.Server.ID && l.Desk.sameDesk(desk) && m.Server.kept(l.Server) {
			m.Added = true
		}
	}
	for _, r := range records {
		for _, was := range r.Moved {
			if r.Desk.sameDesk(desk) && was.Added && was.Server.ID == m.Server.ID && was.Print == m.Print {
				m.Added, m.Server.Revision = true, was.Server.Revision
			}
		}
	}
}
