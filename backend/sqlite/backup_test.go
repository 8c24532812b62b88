package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sekisho/backend/database"
	"sekisho/backend/journal"
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
	format, err := database.Newest(database.Migrations())
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
	names, err := fs.Glob(database.Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(database.Migrations(), name)
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
	db, err := sql.Open("sqlite3", filepath.Join(dir, database.FileName)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func TestOldFolderIsCopiedAndMigrated(t *testing.T) {
	ctx, dir := context.Background(), furnished(t)
	path := filepath.Join(dir, database.FileName)
	before := tables(t, path)
	db := oneWriter(t, dir)
	for range 2 { // the second time it is up to date
		said, err := journal.BringUp(ctx, db, path, later(t, ""))
		if err != nil || len(said.Disputes) > 0 || said.Format != newest(t)+2 {
			t.Fatalf("%+v %v", said, err)
		}
	}
	found := copies(t, dir)
	if len(found) != 1 || !strings.HasPrefix(filepath.Base(found[0]), fmt.Sprintf("sekisho-v%d-2", newest(t))) {
		t.Fatalf("copies: %v", found)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v %v", info.Mode(), err)
	}
	if copied := tables(t, found[0]); !maps.Equal(copied, before) {
		t.Errorf("the copy holds\n%s\nand the folder held\n%s", copied, before)
	}
	after := tables(t, path)
	for name, rows := range before {
		if after[name] != rows && name != "tool_permission_rules" {
			t.Errorf("%s is\n%s\nand was\n%s", name, after[name], rows)
		}
	}
}

// TestAMigrationTakesWhatTheJournalSays: rows are then told of anew, and one that was
// changed before, past the journal, is still found.
func TestAMigrationTakesWhatTheJournalSays(t *testing.T) {
	const widen = "UPDATE tool_permission_rules SET tool_pattern = '*' WHERE id = 'reads'"
	for harm, want := range map[string]string{"SELECT 1": "migrated", widen: ""} {
		dir := furnished(t)
		db := oneWriter(t, dir)
		if _, err := db.Exec(harm); err != nil {
			t.Fatal(err)
		}
		said, err := journal.BringUp(context.Background(), db, filepath.Join(dir, database.FileName), later(t, ""))
		if err != nil || said.What != want || (want == "") != (len(said.Disputes) > 0) {
			t.Errorf("%s: %q %+v %v", harm, said.What, said.Disputes, err)
		}
	}
}

// TestAFirstStartThatWasCutOff: after any of the migrations, the next start makes the others.
func TestAFirstStartThatWasCutOff(t *testing.T) {
	names, err := fs.Glob(database.Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	some := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(database.Migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		some[name] = &fstest.MapFile{Data: text}
		dir := t.TempDir()
		db := oneWriter(t, dir)
		if err := database.Migrate(context.Background(), db, filepath.Join(dir, database.FileName), some); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := opened(t, dir)
		if disputes := s.Differences(); len(disputes) > 0 {
			t.Errorf("after %s: %+v", name, disputes)
		}
	}
}
