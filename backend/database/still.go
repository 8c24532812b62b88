package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Still opens a folder's database for reading as its log leaves it, and changes nothing in the
// folder: what its log holds is read from a copy. done closes it. Data that are damaged, or of
// a newer format, are an error.
func Still(ctx context.Context, dir string) (db *sql.DB, done func(), err error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return nil, nil, err
	}
	isTorn, err := inspect(ctx, path, true)
	if err == nil && isTorn {
		err = errors.New("the log breaks off before its end: what was written last may be missing")
	}
	if err != nil {
		return nil, nil, err
	}
	source, remove, err := still(path)
	if err != nil {
		return nil, nil, err
	}
	if db, err = sql.Open("sqlite3", source); err != nil {
		remove()
		return nil, nil, err
	}
	done = func() {
		_ = db.Close() // it was read only
		remove()
	}
	if err = known(ctx, db); err != nil {
		done()
		return nil, nil, err
	}
	return db, done, nil
}

// still gives the database as its log leaves it: itself where the log is empty.
func still(path string) (source string, remove func(), err error) {
	none := func() {}
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return resting(path), none, nil
	}
	if err != nil {
		return "", none, err
	}
	dir, err := os.MkdirTemp("", "sekisho-verify-")
	if err != nil {
		return "", none, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a copy in the system's own folder for such
	copied := filepath.Join(dir, FileName)
	if err := errors.Join(copySynced(path, copied), copySynced(path+"-wal", copied+"-wal")); err != nil {
		remove()
		return "", none, err
	}
	return dsn(copied, "deferred"), remove, nil
}
