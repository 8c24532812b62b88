package rest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTriesAreFolded: an agent that tries a row for persons again and again fills no journal.
func TestTriesAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		h := New(deskOf(f), Options{})
		a, b := f.agents[tokenA], f.agents[tokenB]
		for range 1000 {
			h.table.tries.tried(a, "PUT", "/v1/rules")
		}
		h.table.tries.tried(b, "PUT", "/v1/rules")
		h.table.tries.tried(a, "GET", "/v1/rules")
		want := []string{a.Name + " PUT /v1/rules 1", b.Name + " PUT /v1/rules 1", a.Name + " GET /v1/rules 1"}
		if synctest.Wait(); !slices.Equal(f.tries(), want) {
			t.Errorf("at once: %v", f.tries())
		}
		time.Sleep(foldTries)
		synctest.Wait()
		if want = append(want, a.Name+" PUT /v1/rules 999"); !slices.Equal(f.tries(), want) {
			t.Errorf("after a minute: %v", f.tries())
		}
		h.table.tries.tried(a, "PUT", "/v1/rules")
		h.table.tries.tried(a, "PUT", "/v1/rules")
		h.Close()
		if want = append(want, want[0], want[0]); !slices.Equal(f.tries(), want) {
			t.Errorf("at the end: %v", f.tries())
		}
		h.table.tries.tried(a, "PUT", "/v1/rules") // nobody is left to write it down
		if synctest.Wait(); len(f.tries()) != len(want) {
			t.Errorf("after the end: %v", f.tries())
		}
	})
}
