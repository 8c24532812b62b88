package sqlite

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/google/uuid"
)

// testimony is what a start found out of the sets, for the writer to go on from.
type testimony struct {
	recalled
	format int64
	named  bool   // the journal gets its name now
	what   string // all sets are written down first, for this reason; "": they are not
}

// bringUp brings a database up to date and holds its sets against the journal: before a
// migration, too, because that changes rows, and the journal does not tell of it.
func bringUp(ctx context.Context, db *sql.DB, path string, files fs.FS) (t testimony, err error) {
	if t.format, err = newest(files); err != nil {
		return t, err
	}
	have, err := appliedFormat(ctx, db)
	if err != nil {
		return t, err
	}
	var before recalled
	if have > 0 && have < t.format {
		if before, err = recollect(db); err != nil {
			return t, err
		}
	}
	if err = migrate(ctx, db, path, files); err == nil {
		err = identify(ctx, db)
	}
	if err == nil {
		t.recalled, err = recollect(db)
	}
	switch {
	case err != nil, t.nameless:
	case t.name == "":
		err = t.christen() // the first start, or one after a first that was cut off
	case before.name != "" && len(before.disputes) == 0:
		t.disputes, t.what = nil, "migrated"
		t.accounts, err = readAccounts(db, nil)
	}
	return t, err
}

// christen names a new journal.
func (t *testimony) christen() error {
	id, err := uuid.NewV7()
	t.name, t.named = id.String(), true
	return err
}

func (a accounts) empty() bool {
	for _, of := range a {
		if len(of.rows) > 0 {
			return false
		}
	}
	return true
}

func (t *testimony) into(w *writer) {
	w.format, w.accounts, w.since = t.format, t.accounts, t.since
	w.disputes.open(t.disputes)
}

// begin writes what the journal has to say first.
func (t *testimony) begin(ctx context.Context, s *Store) error {
	if !t.named && t.what == "" {
		return nil
	}
	name := ""
	if t.named {
		name = t.name
	}
	return s.write(ctx, func(tx *tx) error { return tx.entitled(name, t.what) })
}
