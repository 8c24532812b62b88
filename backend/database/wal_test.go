package database

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
func copied(t *testing.T, dir string, names ...string) *house {
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
	return opened(t, to)
}

// TestWarmLogIsRead: what was made ready beyond the end of the log does not hide
// what is in it.
func TestWarmLogIsRead(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	for i := range 3 {
		ask(t, s, fmt.Sprint(i), nil)
	}
	if i, err := os.Stat(filepath.Join(dir, FileName+"-wal")); err != nil || i.Size() != walWarm {
		t.Errorf("the log is not warm: %v %v", i, err)
	}
	if got := ids(t, copied(t, dir, FileName, FileName+"-wal")); got != "[0 1 2]" {
		t.Errorf("recovered %v", got)
	}
}

// TestIdleDeskFoldsItsLog: after a pause the database is whole without its log.
func TestIdleDeskFoldsItsLog(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, dir)
		ask(t, s, "a", nil)
		time.Sleep(2 * walIdle)
		synctest.Wait()
		if got := ids(t, copied(t, dir, FileName)); got != "[a]" {
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
	if err := Migrate(ctx, db, path, Migrations()); err != nil {
		t.Fatal(err)
	}
	c, err := newConn(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, err := c.Exec("CREATE TABLE t (x)"); err != nil {
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
		if _, err := c.Exec("INSERT INTO t VALUES (zeroblob(?))", bytes); err != nil {
			t.Fatal(err)
		}
		log.bound(c)
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
