package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// copied opens a copy of the named files as they are now, as a machine finds them
// that lost its power.
func copied(t *testing.T, dir string, names ...string) *Store {
	t.Helper()
	to := t.TempDir()
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(context.Background(), to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestWarmLogIsRead: what was made ready beyond the end of the log does not hide
// what is in it.
func TestWarmLogIsRead(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 {
		if err := s.write(context.Background(), note(fmt.Sprint(i), nothing).fn); err != nil {
			t.Fatal(err)
		}
	}
	if i, err := os.Stat(filepath.Join(dir, FileName+"-wal")); err != nil || i.Size() != walWarm {
		t.Errorf("the log is not warm: %v %v", i, err)
	}
	if got := chain(t, copied(t, dir, FileName, FileName+"-wal")); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("recovered %v", got)
	}
}

// TestIdleDeskFoldsItsLog: after a pause the database is whole without its log.
func TestIdleDeskFoldsItsLog(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.write(context.Background(), note("a", nothing).fn); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * walIdle)
		synctest.Wait()
		if got := chain(t, copied(t, dir, FileName)); fmt.Sprint(got) != "[a]" {
			t.Errorf("the database alone has %v", got)
		}
	})
}

// TestLogIsBound: readers that follow each other do not let the log grow for ever,
// and one that never ends is not waited for at every commit.
func TestLogIsBound(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), FileName)
	db, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, path, migrations()); err != nil {
		t.Fatal(err)
	}
	w, err := newWriter(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if _, err := w.conn.ExecContext(ctx, "CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	reader, err := sql.Open("sqlite3", dsn(path, "deferred"))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	read, err := reader.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var none int
	if err := read.QueryRow("SELECT COUNT(*) FROM t").Scan(&none); err != nil {
		t.Fatal(err)
	}

	log := wal{path: path + "-wal", limit: 2 * walWarm}
	grow := func(bytes int) int64 {
		if _, err := w.conn.ExecContext(ctx, "INSERT INTO t VALUES (zeroblob(?))", bytes); err != nil {
			t.Fatal(err)
		}
		log.bound(w)
		i, err := os.Stat(log.path)
		if err != nil {
			t.Fatal(err)
		}
		return i.Size()
	}
	held := grow(3 * walWarm)
	if held < 3*walWarm || log.over != held {
		t.Errorf("with a reader: %d bytes, over %d", held, log.over)
	}
	if grow(walWarm); log.over != held {
		t.Error("the reader was waited for again")
	}
	if err := read.Commit(); err != nil {
		t.Fatal(err)
	}
	if size := grow(3 * walWarm); size != walWarm || log.over != 0 {
		t.Errorf("without a reader: %d bytes, over %d", size, log.over)
	}
}
