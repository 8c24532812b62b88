package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/callsql"
	"sekisho/backend/database"
	"sekisho/backend/permission"
)

// TestFullDiskInMidGroup: when SQLite takes back the whole transaction of a group,
// what was told an error is not there, and the chain goes on.
func TestFullDiskInMidGroup(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pages := 0
	if err := database.One(s.db.Conn, &pages, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Conn.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+8)); err != nil {
		t.Fatal(err)
	}
	var group []*job
	for _, words := range []string{"a", strings.Repeat("big", 100_000), "c", "d"} {
		group = append(group, note(words, nothing))
	}
	commitAll(s, group...)
	entries, _, err := s.Journal(ctx, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, j := range group {
		if j.Err() == nil {
			told++
		}
	}
	if told != len(entries) {
		t.Errorf("%d writes were acknowledged, %d are on disk", told, len(entries))
	}
	if _, err := s.db.Conn.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			if err := s.write(ctx, noteOf(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entries, _, err = s.Journal(ctx, 0, 20); err != nil || len(entries) != told+5 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	prev := ""
	for i, e := range entries {
		if e.Seq != int64(i+1) || e.PrevHash != prev {
			t.Errorf("the chain broke at %d: %+v", i, e)
		}
		prev = e.Hash
	}
}

// TestOpenCallsAreFoundByTheirIndex: asking must not slow down with all history.
func TestOpenCallsAreFoundByTheirIndex(t *testing.T) {
	s, err := Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pending := callsql.Filter(permission.CallFilter{Statuses: []permission.Status{permission.Pending}})
	for name, where := range map[string]string{
		"room": callsql.Open + " AND status = 'pending' AND agent_id = 'a'", "waiting": callsql.Open + " AND status = 'pending'",
		"recover": callsql.Open + " AND expires_at IS NOT NULL",
		"list":    strings.Join(pending.Text, " AND "),
	} {
		var plan string
		var skip any
		if err := s.reader.QueryRow("EXPLAIN QUERY PLAN SELECT id FROM calls WHERE "+where,
			pending.Args[:strings.Count(where, "?")]...).Scan(&skip, &skip, &skip, &plan); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, "calls_open") {
			t.Errorf("%s: %s", name, plan)
		}
	}
}
