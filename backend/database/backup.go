package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// keepTorn copies a database and its torn log, which lies over it, and gives the log's copy.
func keepTorn(path string) (log string, err error) {
	if _, err = setAside(path); err != nil {
		return "", err
	}
	return setAside(path + "-wal")
}

// setAside copies a file, byte by byte, to one beside it that has its name, torn and the first
// number that is free. The copy has its name only when it is complete and on disk. It is
// never removed.
func setAside(file string) (name string, err error) {
	for n := 1; ; n++ {
		name = fmt.Sprintf("%s.torn-%d", file, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
	}
	part := name + unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err = copySynced(file, part); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part) // the next copy removes it otherwise
		return "", err
	}
	return name, place.SyncFolder(filepath.Dir(name))
}

// copySynced copies a file into a new one that only this user can read.
func copySynced(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
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
	if have, err := Applied(ctx, copied); err != nil || have != format {
		return errors.Join(err, fmt.Errorf("check the copy: it is of format %d, not %d", have, format))
	}
	return nil
}
