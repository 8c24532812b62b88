// Package database is the file of a desk: opened, looked over, brought up to date, copied,
// read and written. It knows the driver and the schema; what its rows mean is known above.
// One writer commits what queued meanwhile, and one flush of the log keeps it; readers have a
// pool of their own.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const readers = 4

// DB is an open database.
type DB struct {
	Conn   *Conn
	Reader *sql.DB
	// Torn is the path of the copy of the log that Open made, because what SQLite reads of
	// the log ends before commits of the same log: it was damaged, or a machine that lost
	// its power wrote its last moments out of order. What those commits held, calls, answers
	// and rules, may be missing from the store, also what had been folded into the database:
	// older pages of the log lie over it. The copy has it, and one of the database beside
	// it. It is "" when the log was whole, also at later starts: the log is taken over by the
	// first.
	Torn string

	path string
}

// Open opens the database of a folder, made as needed, and lets bringUp bring it up to date.
// A database newer than this program knows is refused, and so is a log without its database.
// A torn log is copied first; see Torn. The writer's connection has some functions.
func Open(ctx context.Context, dir string, functions map[string]any, bringUp func(db *sql.DB, path string) error) (*DB, error) {
	path := filepath.Join(dir, FileName)
	isTorn, err := inspect(ctx, path, true)
	if err != nil {
		return nil, err
	}
	made, err := private(path)
	if err != nil {
		return nil, err
	}
	torn := ""
	if isTorn {
		if torn, err = keepTorn(path); err != nil {
			return nil, fmt.Errorf("nothing was opened, because the log could not be copied first: %w", err)
		}
	}
	db := sql.OpenDB(newWriting(dsn(path, "immediate")+writerSettings, functions))
	db.SetMaxOpenConns(1)
	if isTorn {
		err = takeOver(ctx, db)
	}
	if err == nil {
		err = bringUp(db, path)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close(), unmake(path, made))
	}
	conn, err := newConn(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	reader, err := sql.Open("sqlite3", dsn(path, "deferred")+"&_query_only=on")
	if err != nil {
		return nil, errors.Join(err, conn.close())
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &DB{Conn: conn, Reader: reader, Torn: torn, path: path}, nil
}

// Close closes all connections.
func (d *DB) Close() error { return errors.Join(d.Reader.Close(), d.Conn.close()) }

// private makes the file with mode 0600, because SQLite would make it for all
// to read, and tightens one that is open to others.
func private(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if made = err == nil; errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return false, err
	}
	if info, err := f.Stat(); err != nil || info.Mode().Perm() == 0o600 {
		return made, errors.Join(err, f.Close())
	}
	return made, errors.Join(f.Chmod(0o600), f.Close())
}

// takeOver folds what SQLite reads of a torn log into the database and cuts the log to
// nothing: what stands behind its end would be found again by the next start. Where
// another program reads, that may be so.
func takeOver(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("take over the log: %w", err)
	}
	return nil
}

// unmake removes what the first start of a folder made and could not fill; the database
// last, because a log without one is refused.
func unmake(path string, made bool) error {
	if !made {
		return nil
	}
	for _, name := range []string{path + "-wal", path + "-shm", path} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// EmptyLog folds the log into the database and cuts it to nothing. It waits for
// readers a little at a time, because the writer waits meanwhile.
func (d *DB) EmptyLog(ctx context.Context) (err error) {
	conn, err := d.Reader.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_, back := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA busy_timeout = 5000")
		err = errors.Join(err, back, conn.Close())
	}()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 50"); err != nil {
		return err
	}
	for range 100 {
		var busy, log, folded int64
		if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &folded); err != nil {
			return err
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errors.New("empty the log: a reader does not end; the old bytes go with the next wipe")
}
