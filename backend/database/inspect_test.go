package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapshot is all that can be seen of a folder: names, modes, times and bytes.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		seen[f.Name()] = fmt.Sprint(info.Mode(), info.ModTime(), "\n", string(raw))
	}
	return seen
}

func unchanged(t testing.TB, dir string, before map[string]string) {
	t.Helper()
	now := snapshot(t, dir)
	if !maps.Equal(now, before) {
		t.Errorf("the folder holds %v and held %v, or something in them changed", slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(before)))
	}
}

// filled is a folder of this format with some calls, closed.
func filled(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	s := opened(t, dir)
	for i := range 30 {
		ask(t, s, fmt.Sprint(i), marked("x", 2000))
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if files := snapshot(t, dir); len(files) != 1 {
		t.Fatalf("a desk that ended left %v", slices.Sorted(maps.Keys(files)))
	}
	return dir
}

func TestNewerDataIsRefusedUnopened(t *testing.T) {
	closed := func(t testing.TB, dir, statement string) {
		db, err := sql.Open("sqlite3", filepath.Join(dir, FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	const header, table = "PRAGMA user_version = 9999", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"
	for name, test := range map[string]struct {
		leave func(testing.TB, string, string)
		how   string
	}{
		"header": {closed, header}, "table": {closed, table},
		"header, in the log": {func(t testing.TB, dir, how string) { killed(t, dir, how) }, header},
		"table, in the log":  {func(t testing.TB, dir, how string) { killed(t, dir, how) }, table},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filled(t)
			test.leave(t, dir, test.how)
			if err := os.Chmod(filepath.Join(dir, FileName), 0o644); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			if err := CheckFormat(t.Context(), dir); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "9999") {
				t.Errorf("check: %v", err)
			}
			if _, err := open(t.Context(), dir); !errors.Is(err, ErrFormat) {
				t.Errorf("open: %v", err)
			}
			unchanged(t, dir, before)
		})
	}
	for name, dir := range map[string]string{"empty": t.TempDir(), "of today": filled(t), "none": filepath.Join(t.TempDir(), "none")} {
		if err := CheckFormat(t.Context(), dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDataOfAnEarlierBuildAreRefusedUnopened: those of a build before formats were counted
// anew, and those of any other program.
func TestDataOfAnEarlierBuildAreRefusedUnopened(t *testing.T) {
	list := []string{"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL)",
		"CREATE TABLE calls (seq INTEGER PRIMARY KEY)"}
	for format := range 14 {
		list = append(list, fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1)", format))
	}
	folders := map[string][]string{
		"first": list[:3], "last": append(list, "PRAGMA user_version = 13"), "of another program": {"CREATE TABLE t (n)"},
	}
	for name, statements := range folders {
		for _, log := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			killed(t, dir, statements...)
			if !log {
				db := oneWriter(t, dir)
				if _, err := db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, dir)
			if err := CheckFormat(t.Context(), dir); !errors.Is(err, errEarlier) {
				t.Errorf("%s, in the log %v: check: %v", name, log, err)
			}
			if _, err := open(t.Context(), dir); !errors.Is(err, errEarlier) {
				t.Errorf("%s, in the log %v: open: %v", name, log, err)
			}
			if _, _, err := Still(t.Context(), dir); !errors.Is(err, errEarlier) {
				t.Errorf("%s, in the log %v: still: %v", name, log, err)
			}
			unchanged(t, dir, before)
		}
	}
}

// TestAFirstStartThatWasCutOff: the next goes on, whatever there was on disk by then.
func TestAFirstStartThatWasCutOff(t *testing.T) {
	mark := fmt.Sprintf("PRAGMA application_id = %d", applicationID)
	const list = "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, " +
		"is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))"
	for _, statements := range [][]string{{}, {mark}, {mark, list, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)"}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if len(statements) > 0 {
			killed(t, dir, statements...)
		}
		s := opened(t, dir)
		ask(t, s, "1", []byte(`{}`))
	}
}

// damages are ways in which a database of 4096-byte pages goes bad.
var damages = map[string]func(raw []byte) []byte{
	"text":          func([]byte) []byte { return []byte(strings.Repeat("not a database ", 1000)) },
	"short text":    func([]byte) []byte { return []byte("x") },
	"header zeroed": func(raw []byte) []byte { clear(raw[:100]); return raw },
	"all zeroed":    func(raw []byte) []byte { clear(raw); return raw },
	"cut in half":   func(raw []byte) []byte { return raw[:len(raw)/2/4096*4096] },
	"cut in a page": func(raw []byte) []byte { return raw[:len(raw)-1000] },
	"random pages": func(raw []byte) []byte {
		random := rand.New(rand.NewPCG(1, 2))
		for i := 4096 * 2; i < len(raw); i++ {
			raw[i] = byte(random.Uint32())
		}
		return raw
	},
	"one random page": func(raw []byte) []byte {
		random := rand.New(rand.NewPCG(1, 2))
		for i := 4096 * 6; i < 4096*7; i++ {
			raw[i] = byte(random.Uint32())
		}
		return raw
	},
	"schema zeroed": func(raw []byte) []byte { clear(raw[100:4096]); return raw },
}

func TestDamageIsSaidAndNothingIsChanged(t *testing.T) {
	for name, damage := range damages {
		for _, log := range []bool{false, true} {
			t.Run(fmt.Sprint(name, log), func(t *testing.T) {
				dir := filled(t)
				path := filepath.Join(dir, FileName)
				if log {
					killed(t, dir, "UPDATE settings SET id = id", "CREATE TABLE more (id)")
				}
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, damage(raw), 0o600); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, dir)
				s, err := open(t.Context(), dir)
				if err == nil {
					s.end()
					if log && slices.Contains([]string{"header zeroed", "schema zeroed"}, name) {
						return // the log has the first page whole: nothing is lost
					}
					t.Fatal("opened")
				}
				if words, ok := Trouble(err); !ok || words != isDamaged {
					t.Errorf("%q %v", words, err)
				}
				unchanged(t, dir, before)
			})
		}
	}
}

// TestLogIsReadAsSQLiteReadsIt: whatever a killed process left of the log.
func TestLogIsReadAsSQLiteReadsIt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	statements := []string{"CREATE TABLE t (n INTEGER, text)"}
	for i := range 12 {
		statements = append(statements, fmt.Sprintf("INSERT INTO t SELECT %d, hex(randomblob(%d))", i, 1+i%4*3000),
			"DELETE FROM t WHERE n = abs(random()) % 12")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	killed(t, dir, statements...)
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]bool{}
	for cut := 0; cut <= len(log); cut += 1 + len(log)/30 {
		for _, flip := range []int{-1, cut / 2} {
			torn := append(slices.Clone(log[:cut]), make([]byte, 5000)...) // a log that was warmed ends in zeros
			if flip >= 0 && cut > 0 {
				torn[flip] ^= 1
			}
			if err := os.WriteFile(path+"-wal", torn, 0o600); err != nil {
				t.Fatal(err)
			}
			ours, theirs := countOurs(t, path), countTheirs(t, path)
			if ours != theirs {
				t.Errorf("cut at %d, flipped %d: %d rows, and SQLite reads %d", cut, flip, ours, theirs)
			}
			counts[theirs] = true
		}
	}
	if len(counts) < 5 {
		t.Errorf("the cuts make no difference: %v", counts)
	}
}

const countRows = "SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 't') THEN 1 ELSE 0 END"

func rowsIn(t testing.TB, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow(countRows).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return -1
	}
	if err := db.QueryRow("SELECT COUNT(*) + COALESCE(SUM(length(text)), 0) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func countOurs(t testing.TB, path string) int {
	t.Helper()
	log, err := readLog(path+"-wal", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if log.pages == 0 {
		return -1
	}
	image, err := log.over(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := load(t.Context(), db, image); err != nil {
		t.Fatal(err)
	}
	return rowsIn(t, db)
}

// countTheirs lets SQLite read copies, because it folds the log.
func countTheirs(t testing.TB, path string) int {
	t.Helper()
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		duplicate(t, path+suffix, filepath.Join(dir, FileName+suffix))
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return rowsIn(t, db)
}

func FuzzReadLog(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), nil, 0o600); err != nil {
		f.Fatal(err)
	}
	killed(f, dir, "CREATE TABLE t (n)")
	log, err := os.ReadFile(filepath.Join(dir, FileName+"-wal"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(log)
	f.Add(log[:logHeader+10])
	f.Add(append(make([]byte, logHeader), log[logHeader:]...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := logged{at: map[uint32]int64{}, pageSize: 4096}
		if err := l.scan(bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		for page, at := range l.at {
			if at+l.pageSize > int64(len(raw)) {
				t.Errorf("page %d lies at %d, beyond the end", page, at)
			}
		}
	})
}

// TestDamageThatShowsLaterIsAnError: of a page that nobody looked at when the desk
// opened, whoever reads it is told.
func TestDamageThatShowsLaterIsAnError(t *testing.T) {
	dir := filled(t)
	s := opened(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.EmptyLog(context.Background()); err != nil {
		t.Fatal(err)
	}
	for at := int64(4096); at < info.Size(); at += 4096 {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), at); err != nil {
			t.Fatal(err)
		}
	}
	var text []byte
	err = One(s.db.Reader, &text, "SELECT text FROM notes WHERE id = '7'")
	if words, ok := Trouble(err); !ok || words != isDamaged || len(text) > 0 {
		t.Errorf("read %s, %v", text, err)
	}
}
