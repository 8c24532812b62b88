package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

const (
	testPage  = 4096
	testFrame = frameHeader + testPage
)

// left is what a desk left that was killed after 12 notes, a rule and 4 more
// notes: its database, and its log, which is not folded.
type left struct {
	database, log []byte
	frames        []int // where the log's frames begin
	asked         []int // how many there were when a note was kept
	ruled         int   // and when the rule was
}

// kept says how many notes and rules SQLite finds up to a bad frame.
func (l left) kept(bad int) (n [2]int) {
	n[0] = 30
	for _, frames := range l.asked {
		if frames <= bad {
			n[0]++
		}
	}
	if l.ruled <= bad {
		n[1]++
	}
	return n
}

func leftByAKill(t *testing.T) (l left) {
	t.Helper()
	dir := filled(t)
	synctest.Test(t, func(t *testing.T) { // where the time for folding does not come
		s := opened(t, dir)
		for i := range 16 {
			ask(t, s, fmt.Sprint("late", i), marked("y", 900))
			l.read(t, dir)
			l.asked = append(l.asked, len(l.frames))
			if i != 11 {
				continue
			}
			if err := s.Write(context.Background(), func(t *part) error {
				_, err := t.Exec("INSERT INTO ruled VALUES ('deny')")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			l.read(t, dir)
			l.ruled = len(l.frames)
		}
	})
	if last := l.asked[len(l.asked)-1]; last < 40 || last > l.asked[14]+8 || len(l.log) != walWarm || l.kept(last) != [2]int{46, 1} {
		t.Fatalf("%d bytes, calls behind the frames %v", len(l.log), l.asked)
	}
	return l
}

func (l *left) read(t *testing.T, dir string) {
	t.Helper()
	l.database, l.log, l.frames = content(t, dir, ""), content(t, dir, "-wal"), nil
	for at := logHeader; bytes.Equal(l.log[at+8:at+16], l.log[16:24]); at += testFrame {
		l.frames = append(l.frames, at)
	}
}

func content(t testing.TB, dir, suffix string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, FileName+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// folder holds a database with a log.
func folder(t testing.TB, database, log []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for suffix, raw := range map[string][]byte{"": database, "-wal": log} {
		if raw == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, FileName+suffix), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// held counts notes and rules.
func held(t testing.TB, s *house) (n [2]int) {
	t.Helper()
	if err := s.db.Reader.QueryRow("SELECT (SELECT COUNT(*) FROM notes), (SELECT COUNT(*) FROM ruled)").Scan(&n[0],
		&n[1]); err != nil {
		t.Fatal(err)
	}
	return n
}

func tornCopies(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*torn*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestATornLogIsCopiedAndSaid: whatever is wrong in the log, the desk opens with what is
// before that; and when commits stand behind it, there is a copy, and only one.
func TestATornLogIsCopiedAndSaid(t *testing.T) {
	l := leftByAKill(t)
	end, bad := len(l.frames), l.asked[7]+1
	flip := func(frame, at int) func([]byte) {
		return func(raw []byte) { raw[l.frames[frame]+at] ^= 1 }
	}
	zero := func(from, to int) func([]byte) { return func(raw []byte) { clear(raw[from:to]) } }
	for name, test := range map[string]struct {
		damage func([]byte)
		bad    int // the first frame that SQLite does not read
		torn   bool
	}{
		"whole":                    {func([]byte) {}, end, false},
		"first frame":              {flip(0, frameHeader+2000), 0, true},
		"middle":                   {flip(bad, frameHeader+2000), bad, true},
		"page number":              {flip(bad, 3), bad, true},
		"commit mark":              {flip(bad, 7), bad, true},
		"end of a commit":          {zero(l.frames[l.asked[7]-1]+4, l.frames[l.asked[7]-1]+8), l.asked[7] - 1, true},
		"first salt":               {flip(bad, 11), bad, true},
		"second salt":              {flip(bad, 12), bad, true},
		"checksum":                 {flip(bad, 16), bad, true},
		"second checksum":          {flip(bad, 23), bad, true},
		"before the last":          {flip(end-2, frameHeader), end - 2, true},
		"checksum before the last": {flip(end-2, 20), end - 2, true},
		"last":                     {flip(end-1, frameHeader+7), end - 1, false},
		"last half zero":           {zero(l.frames[end-1]+1000, len(l.log)), end - 1, false},
		"last two half zero": {func(raw []byte) {
			zero(l.frames[end-2]+1000, l.frames[end-1])(raw)
			zero(l.frames[end-1]+1000, len(l.log))(raw)
		}, end - 2, false},
		"hole":                             {zero(l.frames[bad], l.frames[bad+5]), bad, true},
		"hole of one frame":                {zero(l.frames[bad], l.frames[bad+1]), bad, true},
		"hole at the beginning":            {zero(logHeader, l.frames[4]), 0, true},
		"two holes":                        {func(raw []byte) { flip(bad, 30)(raw); flip(bad+3, 30)(raw) }, bad, true},
		"zeros up to the end":              {zero(l.frames[bad], len(l.log)), bad, false},
		"header zero":                      {zero(0, logHeader), 0, true},
		"header zero, and the first frame": {zero(0, l.frames[1]), 0, true},
		"header, magic":                    {flip(0, -logHeader+3), 0, true},
		"header, size of a page":           {flip(0, -logHeader+10), 0, true},
		"header, salt":                     {flip(0, -logHeader+17), 0, true},
		"header, checksum":                 {flip(0, -logHeader+30), 0, true},
		"all zero":                         {zero(0, len(l.log)), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			log := slices.Clone(l.log)
			test.damage(log)
			dir := folder(t, l.database, log)
			s := opened(t, dir)
			if n := held(t, s); n != l.kept(test.bad) {
				t.Errorf("%v notes and rules, want %v", n, l.kept(test.bad))
			}
			isTorn(t, s, dir, l.database, log, test.torn)
			once(t, s, dir)
		})
	}
}

// isTorn holds the copies against the log and the
func isTorn(t *testing.T, s *house, dir string, database, log []byte, torn bool) {
	t.Helper()
	if !torn {
		if found := tornCopies(t, dir); s.torn() != "" || len(found) > 0 {
			t.Errorf("torn %q, copies %v", s.torn(), found)
		}
		return
	}
	name := filepath.Join(dir, FileName+"-wal.torn-1")
	raw, err := os.ReadFile(name)
	if s.torn() != name || err != nil || !bytes.Equal(raw, log) {
		t.Fatalf("torn %q, %d bytes of %d, %v", s.torn(), len(raw), len(log), err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, FileName+".torn-1")); err != nil || !bytes.Equal(raw, database) {
		t.Errorf("the database's copy: %d bytes of %d, %v", len(raw), len(database), err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// once: neither after another kill nor after an end is there a hole again, or anything
// less than before.
func once(t *testing.T, s *house, dir string) {
	t.Helper()
	before, had := held(t, s), len(tornCopies(t, dir))
	for write := range 2 {
		again := opened(t, folder(t, content(t, dir, ""), content(t, dir, "-wal")))
		if again.torn() != "" || held(t, again) != before {
			t.Errorf("after a kill behind %d writes: torn %q, %v of %v", write, again.torn(), held(t, again), before)
		}
		ask(t, s, fmt.Sprint("new", write), []byte("{}"))
		before[0]++
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	if found := tornCopies(t, dir); s.torn() != "" || held(t, s) != before || len(found) != had {
		t.Errorf("after an end: torn %q, %v of %v, copies %v", s.torn(), held(t, s), before, found)
	}
}

// TestATailThatWasCutOffIsNotTorn: wherever the file ends.
func TestATailThatWasCutOffIsNotTorn(t *testing.T) {
	l := leftByAKill(t)
	end := l.frames[len(l.frames)-1] + testFrame
	for _, cut := range []int{0, 20, logHeader, logHeader + 10, l.frames[5], l.frames[9] + 4000, end - 1, end} {
		s := opened(t, folder(t, l.database, l.log[:cut]))
		if s.torn() != "" {
			t.Errorf("cut at %d of %d: torn %q", cut, end, s.torn())
		}
	}
}

// TestAnOlderLogBehindTheEndIsNotTorn: a log that starts anew overwrites the older one
// from its beginning.
func TestAnOlderLogBehindTheEndIsNotTorn(t *testing.T) {
	dir := t.TempDir()
	var database, log []byte
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, dir)
		for i := range 20 {
			ask(t, s, fmt.Sprint(i), marked("x", 2000))
		}
		if err := s.db.Conn.Pragma("wal_checkpoint(RESTART)"); err != nil {
			t.Fatal(err)
		}
		older := content(t, dir, "-wal")
		ask(t, s, "newer", []byte("{}"))
		database, log = content(t, dir, ""), content(t, dir, "-wal")
		if at := logHeader + 15*testFrame; bytes.Equal(older[:logHeader], log[:logHeader]) ||
			!bytes.Equal(older[at:at+testFrame], log[at:at+testFrame]) {
			t.Fatal("the log did not start anew, or nothing is behind it")
		}
	})
	s := opened(t, folder(t, database, log))
	if n := held(t, s); s.torn() != "" || n[0] != 21 {
		t.Errorf("torn %q, %v", s.torn(), n)
	}
}

// TestWhatWasNotCommittedIsNotTorn: of a transaction larger than the cache, frames stand
// behind the end when it was rolled back and a smaller one has followed.
func TestWhatWasNotCommittedIsNotTorn(t *testing.T) {
	dir := t.TempDir()
	var database, log []byte
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, dir)
		if err := s.db.Conn.Pragma("cache_size = 10"); err != nil {
			t.Fatal(err)
		}
		err := s.Write(context.Background(), func(tx *part) error {
			for i := range 40 {
				if err := note(fmt.Sprint(i), marked("z", 9000))(tx); err != nil {
					return err
				}
			}
			return errors.New("no")
		})
		if err == nil || err.Error() != "no" {
			t.Fatal(err)
		}
		ask(t, s, "one", []byte("{}"))
		database, log = content(t, dir, ""), content(t, dir, "-wal")
	})
	salted := 0
	for at := logHeader; at+testFrame <= len(log); at += testFrame {
		if bytes.Equal(log[at+8:at+16], log[16:24]) {
			salted++
		}
	}
	read, err := readLog(filepath.Join(folder(t, database, log), FileName+"-wal"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer read.close()
	if end := len(read.at); salted < end+20 {
		t.Fatalf("%d frames, %d pages: nothing spilled", salted, end)
	}
	if s := opened(t, folder(t, database, log)); s.torn() != "" || held(t, s)[0] != 1 {
		t.Errorf("torn %q, %v", s.torn(), held(t, s))
	}
}

// TestALogWithoutItsDatabaseIsKept: SQLite would remove it, and make a new
func TestALogWithoutItsDatabaseIsKept(t *testing.T) {
	l := leftByAKill(t)
	headless := slices.Clone(l.log)
	clear(headless[:logHeader])
	for name, test := range map[string]struct {
		log  []byte
		good bool
	}{
		"whole": {l.log, false}, "without its header": {headless, false}, "the header alone": {l.log[:logHeader], false},
		"none": {nil, true}, "empty": {[]byte{}, true}, "zeros": {make([]byte, 200_000), true},
	} {
		for _, database := range [][]byte{nil, {}} {
			dir := folder(t, database, test.log)
			before := snapshot(t, dir)
			s, err := open(t.Context(), dir)
			if test.good {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if s.torn() != "" {
					t.Errorf("%s: torn", name)
				}
				ask(t, s, "1", []byte("{}"))
				if err := s.end(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "its log is") {
				t.Errorf("%s: %v", name, err)
			}
			if err := CheckFormat(t.Context(), dir); err != nil {
				t.Errorf("%s: the format: %v", name, err)
			}
			unchanged(t, dir, before)
		}
	}
}

// TestATornLogIsCutBeforeAnythingIsWritten: a kill right then finds no hole.
func TestATornLogIsCutBeforeAnythingIsWritten(t *testing.T) {
	l := leftByAKill(t)
	l.log[l.frames[9]+100] ^= 1
	dir := folder(t, l.database, l.log)
	db, err := sql.Open("sqlite3", dsn(filepath.Join(dir, FileName), "immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := takeOver(t.Context(), db); err != nil || len(content(t, dir, "-wal")) > 0 {
		t.Errorf("the log holds %d bytes, %v", len(content(t, dir, "-wal")), err)
	}
}

// TestWithoutACopyATornLogIsNotOpened: SQLite would remove what stands in it.
func TestWithoutACopyATornLogIsNotOpened(t *testing.T) {
	l := leftByAKill(t)
	l.log[l.frames[9]+100] ^= 1
	dir := folder(t, l.database, l.log)
	if err := os.MkdirAll(filepath.Join(dir, FileName+"-wal.torn-1"+unfinished, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := open(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "nothing was opened, because the log could not be copied first") {
		t.Errorf("opened: %v", err)
	}
	if !bytes.Equal(content(t, dir, ""), l.database) || !bytes.Equal(content(t, dir, "-wal"), l.log) {
		t.Error("the folder was changed")
	}
	if err := CheckFormat(t.Context(), dir); err != nil {
		t.Errorf("the format: %v", err)
	}
}

// TestCopiesOfTornLogsStandSideBySide: what an earlier one holds stays, and the half
// copy of a process that was killed does not count.
func TestCopiesOfTornLogsStandSideBySide(t *testing.T) {
	l := leftByAKill(t)
	l.log[l.frames[9]+100] ^= 1
	dir := folder(t, l.database, l.log)
	for name, text := range map[string]string{"1": "earlier", "2" + unfinished: "half"} {
		if err := os.WriteFile(filepath.Join(dir, FileName+"-wal.torn-"+name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := opened(t, dir)
	second := filepath.Join(dir, FileName+"-wal.torn-2")
	if info, err := os.Stat(second); s.torn() != second || err != nil || info.Mode() != 0o600 {
		t.Errorf("torn %q: %v", s.torn(), err)
	}
	// and that of the database
	if string(content(t, dir, "-wal.torn-1")) != "earlier" || !bytes.Equal(content(t, dir, "-wal.torn-2"), l.log) ||
		len(tornCopies(t, dir)) != 3 {
		t.Errorf("copies: %v", tornCopies(t, dir))
	}
}
