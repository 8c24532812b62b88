package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"sekisho/backend/journal"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

func opened(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// scribble writes entries numbered on from at, one of each millisecond.
func scribble(t testing.TB, s *Store, at, n int) {
	t.Helper()
	err := s.write(context.Background(), func(t *tx) error {
		for i := range n {
			e := permission.Entry{At: permission.Time(at + i), Kind: permission.RulesChanged, Actor: permission.ActorPerson,
				Data: fmt.Appendf(nil, `{"n":%d}`, i)}
			if err := t.Append(e, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// chained reads the whole journal and holds it to its chain, from its first entry or
// from what a later entry says was trimmed.
func chained(t testing.TB, s *Store) []permission.Entry {
	t.Helper()
	all, next, err := s.Journal(context.Background(), 0, math.MaxInt32)
	if err != nil || len(all) == 0 || next != 0 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	begins := all[0].Seq == 1 && all[0].PrevHash == ""
	for i, e := range all {
		if sum, err := rawjson.Sum(e.Unhashed()); err != nil || sum != e.Hash {
			t.Fatalf("entry %d does not have its hash: %v", e.Seq, err)
		}
		if i > 0 && (e.Seq != all[i-1].Seq+1 || e.PrevHash != all[i-1].Hash) {
			t.Fatalf("entry %d does not follow entry %d", e.Seq, all[i-1].Seq)
		}
		var said struct {
			Through int64
			Hash    string
		}
		if json.Unmarshal(e.Data, &said) == nil && e.Kind == permission.JournalTrimmed && said.Through == all[0].Seq-1 &&
			said.Hash == all[0].PrevHash {
			begins = true
		}
	}
	if !begins {
		t.Fatalf("nothing says why the journal begins at %d", all[0].Seq)
	}
	return all
}

func TestTrimByAge(t *testing.T) {
	ctx := context.Background()
	s := opened(t, t.TempDir())
	if n, err := s.TrimJournal(ctx, math.MaxInt64, 1); n != 0 || err != nil {
		t.Errorf("an empty journal: %d %v", n, err)
	}
	scribble(t, s, 1, 2500)
	if n, err := s.TrimJournal(ctx, 1, 0); n != 0 || err != nil || len(chained(t, s)) != 2500 {
		t.Errorf("nothing is as old: %d %v", n, err)
	}
	n, err := s.TrimJournal(ctx, 2001, 0)
	all := chained(t, s)
	if n != 2000 || err != nil || all[0].At != 2001 || len(all) != 502 {
		t.Fatalf("removed %d, %v; %d entries from %d", n, err, len(all), all[0].At)
	}
	if last := all[501]; last.Kind != permission.JournalTrimmed || last.Actor != permission.ActorDesk ||
		!strings.Contains(string(last.Data), `"removed":1000`) || !strings.Contains(string(last.Data), `"through":2000`) {
		t.Errorf("the last step said %+v", last)
	}
	newest := all[len(all)-1].Seq
	if n, err := s.TrimJournal(ctx, math.MaxInt64, 0); err != nil || n != newest-1-2000 {
		t.Errorf("all that may go: %d %v", n, err)
	}
	if all := chained(t, s); len(all) != 2 || all[0].Seq != newest {
		t.Errorf("the newest did not stay: %+v", all)
	}
	if all, err := s.Events(ctx, 10, 1); err != nil || len(all) != 1 || all[0].Seq != newest {
		t.Errorf("events after what was trimmed: %+v %v", all, err)
	}
	scribble(t, s, 5000, 3)
	chained(t, s)
}

func TestTrimBySize(t *testing.T) {
	ctx := context.Background()
	s := opened(t, t.TempDir())
	scribble(t, s, 1, 3000)
	bytes := func() (n int64) {
		for _, e := range chained(t, s) {
			n += int64(len(e.Data)) + journal.EntryBytes
		}
		return n
	}
	whole := bytes()
	if n, err := s.TrimJournal(ctx, 0, whole); n != 0 || err != nil {
		t.Errorf("as large as it may be: %d %v", n, err)
	}
	n, err := s.TrimJournal(ctx, 0, whole/2)
	if err != nil || n < 1490 || n > 1510 || bytes() > whole/2+2*(journal.EntryBytes+200) {
		t.Errorf("removed %d, %d bytes of %d remain: %v", n, bytes(), whole, err)
	}
	// Both bounds: what either says goes.
	if n, err := s.TrimJournal(ctx, 2001, math.MaxInt64); err != nil || n == 0 || chained(t, s)[0].At != 2001 {
		t.Errorf("removed %d, %v", n, err)
	}
}

// TestTrimStopsAtWhatStays: what remains has no gap, whatever the clock did.
func TestTrimStopsAtWhatStays(t *testing.T) {
	s := opened(t, t.TempDir())
	scribble(t, s, 1, 10)
	scribble(t, s, 9000, 1)
	scribble(t, s, 11, 10)
	if n, err := s.TrimJournal(context.Background(), 100, 0); n != 10 || err != nil || chained(t, s)[0].At != 9000 {
		t.Errorf("removed %d, %v", n, err)
	}
}

func TestTrimEndsWithItsContext(t *testing.T) {
	s := opened(t, t.TempDir())
	scribble(t, s, 1, 10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if n, err := s.TrimJournal(ctx, 100, 0); n != 0 || err == nil || len(chained(t, s)) != 10 {
		t.Errorf("removed %d, %v", n, err)
	}
}
