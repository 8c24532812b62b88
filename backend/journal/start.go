package journal

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/google/uuid"

	"sekisho/backend/database"
)

// Start is what a start found out of the sets, for the writer to go on from.
type Start struct {
	recalled
	Format int64
	What   string // all sets are written down first, for this reason; "": they are not
	named  bool   // the journal gets its name now
}

// BringUp brings a database up to date and holds its sets against the journal: before a
// migration, too, because that changes rows, and the journal does not tell of it.
func BringUp(ctx context.Context, db *sql.DB, path string, files fs.FS) (t Start, err error) {
	if t.Format, err = database.Newest(files); err != nil {
		return t, err
	}
	have, err := database.Applied(ctx, db)
	if err != nil {
		return t, err
	}
	var before recalled
	if have > 0 && have < t.Format {
		if before, err = recollect(db); err != nil {
			return t, err
		}
	}
	if err = database.Migrate(ctx, db, path, files); err == nil {
		t.recalled, err = recollect(db)
	}
	switch {
	case err != nil, t.nameless:
	case t.name == "":
		err = t.christen() // the first start, or one after a first that was cut off
	case before.name != "" && len(before.Disputes) == 0,
		before.name == "" && len(t.Disputes) == 0 && 0 < t.format && t.format < t.Format: // a start that migrated was cut off
		t.Disputes, t.What = nil, "migrated"
		t.accounts, err = readAccounts(db, nil)
	}
	return t, err
}

// christen names a new journal.
func (t *Start) christen() error {
	id, err := uuid.NewV7()
	t.name, t.named = id.String(), true
	return err
}

// Begin writes what the journal has to say first.
func (t *Tx) Begin(s *Start) error {
	name := ""
	if s.named {
		name = s.name
	}
	return t.entitled(name, s.What)
}

// Silent reports whether the journal has nothing to say first.
func (t *Start) Silent() bool { return !t.named && t.What == "" }
