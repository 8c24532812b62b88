package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// keeping gives a store with a call for each input size, in MiB; change alters them.
func keeping(t *testing.T, change func(*permission.Call), sizes ...int) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	_, version, _, err := s.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, size := range sizes {
		c := storetest.NewCall(fmt.Sprint(i))
		c.Input = json.RawMessage(`"` + strings.Repeat("x", size<<20) + `"`)
		change(&c)
		if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: version}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// pages follows next, and gives the ids of each page.
func pages(t *testing.T, s *sqlite.Store, f permission.CallFilter) string {
	t.Helper()
	var all []string
	for {
		calls, next, err := s.Calls(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var page []string
		for _, c := range calls {
			page = append(page, string(c.ID))
			if (len(c.Input) > 2) == f.Brief {
				t.Errorf("%+v: call %s has an input of %d bytes", f, c.ID, len(c.Input))
			}
		}
		all = append(all, strings.Join(page, " "))
		if f.Before = next; next == 0 {
			return strings.Join(all, "|")
		}
	}
}

// TestAPageIsCutByBytes: each page carries 4 MiB at most, or one call, and the pages
// together have every call once.
func TestAPageIsCutByBytes(t *testing.T) {
	s := keeping(t, func(*permission.Call) {}, 1, 1, 1, 5, 3, 2)
	for _, test := range []struct {
		filter permission.CallFilter
		want   string
	}{
		{permission.CallFilter{Limit: 9, Oldest: true}, "0 1 2|3|4|5"},
		{permission.CallFilter{Limit: 2, Oldest: true}, "0 1|2|3|4|5"},
		{permission.CallFilter{Limit: 9}, "5|4|3|2 1 0"},
		{permission.CallFilter{Limit: 9, Brief: true}, "5 4 3 2 1 0"},
		{permission.CallFilter{Limit: 6, Brief: true}, "5 4 3 2 1 0"},
	} {
		if got := pages(t, s, test.filter); got != test.want {
			t.Errorf("%+v: %s, want %s", test.filter, got, test.want)
		}
	}
}

// TestAPageOfTheJournalIsCut: by its limit, by 4 MiB, and with one entry at least.
func TestAPageOfTheJournalIsCut(t *testing.T) {
	s := keeping(t, func(*permission.Call) {})
	for _, size := range []int{1, 1, 1, 5, 3, 2} {
		data, _ := json.Marshal(strings.Repeat("x", size<<20))
		if err := s.Note(t.Context(), permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson,
			Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int]string{9: "[1 2 3] [4] [5] [6]", 3: "[1 2 3] [4] [5] [6]", 2: "[1 2] [3] [4] [5] [6]"} {
		var got []string
		for after := int64(0); ; {
			entries, next, err := s.Journal(t.Context(), after, limit)
			if err != nil {
				t.Fatal(err)
			}
			var page []int64
			for _, e := range entries {
				page = append(page, e.Seq)
			}
			got = append(got, fmt.Sprint(page))
			if after = next; next == 0 {
				break
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("limit %d: %s, want %s", limit, got, want)
		}
	}
}

// TestABriefPageIsCutToo: what it has can be large as well.
func TestABriefPageIsCutToo(t *testing.T) {
	for part, change := range map[string]func(*permission.Call){
		"schema":      func(c *permission.Call) { c.ResumeSchema = json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`) },
		"description": func(c *permission.Call) { c.Description = strings.Repeat("x", 2<<20) },
		"name":        func(c *permission.Call) { c.ToolName = strings.Repeat("x", 2<<20) },
	} {
		s := keeping(t, change, 0, 0)
		if got := pages(t, s, permission.CallFilter{Limit: 9, Brief: true}); got != "1|0" {
			t.Errorf("%s: %s", part, got)
		}
	}
}

// TestWhatComesLaterCounts: results, first inputs and data are in a page too.
func TestWhatComesLaterCounts(t *testing.T) {
	large := json.RawMessage(`"` + strings.Repeat("y", 3<<20) + `"`)
	for _, test := range []struct {
		part string
		size int // of the first input
		tr   permission.Transition
	}{
		{"nothing", 1, permission.Transition{To: permission.Approved}},
		{"result", 1, permission.Transition{To: permission.Completed, Result: large}},
		{"data", 1, permission.Transition{To: permission.Approved, ResumeData: large}},
		{"edited", 3, permission.Transition{To: permission.Approved,
			Edited: &permission.Edit{Input: json.RawMessage(`{}`), InputHash: "sha256:edited"}}},
	} {
		s := keeping(t, func(*permission.Call) {}, test.size, test.size)
		for _, id := range []permission.CallID{"0", "1"} {
			tr := test.tr
			tr.ID, tr.At, tr.From = id, 1_700_000_000_000, []permission.Status{permission.Pending}
			tr.Entry = permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorDesk, Data: json.RawMessage(`{}`)}
			if _, err := s.Transit(t.Context(), tr); err != nil {
				t.Fatal(err)
			}
		}
		calls, next, err := s.Calls(t.Context(), permission.CallFilter{Limit: 9})
		if cut := test.part != "nothing"; err != nil || (len(calls) == 1) != cut || (next != 0) != cut {
			t.Fatalf("%s: %d calls, next %d, %v", test.part, len(calls), next, err)
		}
		one, err := s.Call(t.Context(), calls[0].ID)
		if got, want := written(t, calls[0]), written(t, one); err != nil || got != want {
			t.Errorf("%s: the list has %.300s, the call is %.300s, %v", test.part, got, want, err)
		}
	}
}

func written(t *testing.T, c permission.Call) string {
	t.Helper()
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestNoMoreIsReadThanAPageTakes looks at what a page of large calls costs.
func TestNoMoreIsReadThanAPageTakes(t *testing.T) {
	s := keeping(t, func(*permission.Call) {}, 16, 16, 16, 16)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, next, err := s.Calls(context.Background(), permission.CallFilter{Limit: 100}); err != nil || next == 0 {
		t.Fatal(next, err)
	}
	runtime.ReadMemStats(&after)
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 40 {
		t.Errorf("a page of one call of 16 MiB took %d MiB", grown)
	}
}
