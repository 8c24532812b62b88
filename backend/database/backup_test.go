package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func copies(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "sekisho-v*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tables gives what all tables hold, as text, but for the list of migrations.
func tables(t testing.TB, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	names, err := texts(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'")
	all := map[string]string{}
	for _, name := range names {
		var columns, rows []string
		if columns, err = texts(db, "SELECT name FROM pragma_table_info('"+name+"')"); err == nil {
			rows, err = texts(db, "SELECT quote("+strings.Join(columns, ") || quote(")+") FROM "+name+" ORDER BY 1")
		}
		all[name] = strings.Join(rows, "\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func texts(db *sql.DB, query string) (list []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// newest is the format of this program.
func newest(t testing.TB) int64 {
	t.Helper()
	format, err := Newest(Migrations())
	if err != nil {
		t.Fatal(err)
	}
	return format
}

// later are the migrations of a program that comes after this one: two more, of which the
// first ends with a statement.
func later(t testing.TB, last string) fs.FS {
	t.Helper()
	now, all := newest(t), fstest.MapFS{}
	all[fmt.Sprintf("%05d_more.sql", now+1)] = &fstest.MapFile{
		Data: []byte("-- +goose Up\nALTER TABLE tool_permission_rules ADD COLUMN more TEXT;\n" + last)}
	all[fmt.Sprintf("%05d_last.sql", now+2)] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE last (id INTEGER);\n")}
	names, err := fs.Glob(Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(Migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: text}
	}
	return all
}

// oneWriter is the one connection of a folder that writes.
func oneWriter(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", dsn(filepath.Join(dir, FileName), "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func TestFreshFolderIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir)
	if found := copies(t, dir); len(found) > 0 {
		t.Errorf("copies: %v", found)
	}
}

// TestTheCopyHoldsWhatIsInTheLog: of a desk that was killed, the file alone is old.
func TestTheCopyHoldsWhatIsInTheLog(t *testing.T) {
	dir := filled(t)
	killed(t, dir, "UPDATE notes SET text = 'from the log'")
	if err := Migrate(t.Context(), oneWriter(t, dir), filepath.Join(dir, FileName), later(t, "")); err != nil {
		t.Fatal(err)
	}
	if found := copies(t, dir); len(found) != 1 || !strings.Contains(tables(t, found[0])["notes"], "from the log") {
		t.Errorf("copies: %v", found)
	}
}

// killed runs statements on a folder's database and leaves it as kill -9 does: with
// its log, not folded.
func killed(t testing.TB, dir string, statements ...string) {
	t.Helper()
	scratch := t.TempDir()
	path := filepath.Join(scratch, FileName)
	duplicate(t, filepath.Join(dir, FileName), path)
	db, err := sql.Open("sqlite3", dsn(path, "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		duplicate(t, path+suffix, filepath.Join(dir, FileName+suffix))
	}
}

func duplicate(t testing.TB, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWithoutACopyNothingIsMigrated(t *testing.T) {
	ctx, dir := context.Background(), filled(t)
	path := filepath.Join(dir, FileName)
	before := tables(t, path)
	db := oneWriter(t, dir)
	err := Migrate(ctx, db, filepath.Join(dir, "no such folder", FileName), later(t, ""))
	if err == nil || !strings.Contains(err.Error(), "nothing was migrated") {
		t.Errorf("migrate: %v", err)
	}
	if have, err := Applied(ctx, db); have != newest(t) || err != nil {
		t.Errorf("format %d, %v", have, err)
	}
	if err := backup(ctx, db, path, newest(t)+1); err == nil || len(copies(t, dir)) > 0 {
		t.Errorf("a copy that is not what it should be: %v %v", err, copies(t, dir))
	}
	if now := tables(t, path); !maps.Equal(now, before) {
		t.Errorf("it holds %s and held %s", now, before)
	}
}

// TestAMigrationThatWasCutOffIsMadeAgain: one breaks in its middle, as the end of the
// process would break it; the next start makes it whole. One that is missing from the list
// of those that were made is not made again.
func TestAMigrationThatWasCutOffIsMadeAgain(t *testing.T) {
	ctx, dir := context.Background(), filled(t)
	path := filepath.Join(dir, FileName)
	if err := os.WriteFile(filepath.Join(dir, "sekisho-v1-20250101T000000.000Z.db.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := oneWriter(t, dir)
	if err := Migrate(ctx, db, path, later(t, "SELECT no_such_function();\n")); err == nil {
		t.Fatal("the middle did not break")
	}
	if have, err := Applied(ctx, db); have != newest(t) || err != nil {
		t.Errorf("after the break: format %d, %v", have, err)
	}
	if err := Migrate(ctx, db, path, later(t, "")); err != nil {
		t.Fatal(err)
	}
	var format int64
	if err := db.QueryRow("PRAGMA user_version").Scan(&format); err != nil || format != newest(t)+2 {
		t.Errorf("the header says %d, %v", format, err)
	}
	for _, found := range copies(t, dir) {
		if strings.HasSuffix(found, unfinished) {
			t.Errorf("%s was left", found)
		}
	}
	if found := copies(t, dir); len(found) != 2 {
		t.Errorf("one copy for each try: %v", found)
	}
	if _, err := db.Exec("DELETE FROM goose_db_version WHERE version_id = ?", newest(t)+1); err != nil {
		t.Fatal(err)
	}
	if err := Migrate(ctx, db, path, later(t, "")); !errors.Is(err, ErrDamaged) {
		t.Errorf("a migration is missing from the list: %v", err)
	}
}

func TestACopyThatIsNotTheDataIsNoCopy(t *testing.T) {
	path := filepath.Join(filled(t), FileName)
	if err := checkCopy(context.Background(), path, newest(t)); err != nil {
		t.Errorf("a good one: %v", err)
	}
	if err := checkCopy(context.Background(), path, newest(t)+1); err == nil {
		t.Error("one of another format was taken")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[4096*3:4096*4], make([]byte, 4096))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkCopy(context.Background(), path, newest(t)); err == nil {
		t.Error("a damaged one was taken")
	}
}

func TestAnotherFormatIsNoTrouble(t *testing.T) {
	for _, err := range []error{newer(9, 2), errEarlier} {
		if words, ok := Trouble(err); ok || !errors.Is(err, ErrFormat) {
			t.Errorf("%v is %q", err, words)
		}
	}
}
