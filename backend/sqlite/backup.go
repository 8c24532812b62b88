package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sekisho/backend/place"
)

// unfinished ends the name of a copy that is being made.
const unfinished = ".part"

// backup copies the database at path to a file beside it that names its format and
// the time. The copy has its name only when it is complete, checked and on disk. It
// is never removed.
func backup(ctx context.Context, db *sql.DB, path string, format int64) error {
	dir := filepath.Dir(path)
	if err := removeUnfinished(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, fmt.Sprintf("sekisho-v%d-%s.db", format, time.Now().UTC().Format("20060102T150405.000Z")))
	part := name + unfinished
	err := copyInto(ctx, db, part)
	if err == nil {
		err = checkCopy(ctx, part, format)
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, removeUnfinished(dir))
	}
	return place.SyncFolder(dir)
}

// removeUnfinished removes copies that a process did not come to the end of.
func removeUnfinished(dir string) error {
	parts, err := filepath.Glob(filepath.Join(dir, "sekisho-v*.db"+unfinished+"*"))
	for _, p := range parts {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}

// copyInto writes a consistent copy, with what is still in the log. The file is made
// first, because SQLite would make it for all to read.
func copyInto(ctx context.Context, db *sql.DB, part string) error {
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(fmt.Errorf("copy the database: %w", err), f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

func checkCopy(ctx context.Context, part string, format int64) error {
	copied, err := sql.Open("sqlite3", resting(part))
	if err != nil {
		return err
	}
	defer copied.Close()
	if err := sound(ctx, copied, "integrity_check"); err != nil {
		return fmt.Errorf("check the copy: %w", err)
	}
	if have, err := appliedFormat(ctx, copied); err != nil || have != format {
		return errors.Join(err, fmt.Errorf("check the copy: it is of format %d, not %d", have, format))
	}
	return nil
}
