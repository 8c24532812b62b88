package rest

import (
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTriesAreFolded: an agent that tries a row for persons again and again fills no journal.
func TestTriesAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		work := newWork()
		tries := newTries(f, work, slog.New(slog.DiscardHandler))
		a, b := f.agents[tokenA], f.agents[tokenB]
		for range 1000 {
			tries.tried(a, "PUT", "/v1/rules")
		}
		tries.tried(b, "PUT", "/v1/rules")
		tries.tried(a, "GET", "/v1/rules")
		want := []string{a.Name + " PUT /v1/rules 1", b.Name + " PUT /v1/rules 1", a.Name + " GET /v1/rules 1"}
		if synctest.Wait(); !slices.Equal(f.tries(), want) {
			t.Errorf("at once: %v", f.tries())
		}
		time.Sleep(foldTries)
		synctest.Wait()
		if want = append(want, a.Name+" PUT /v1/rules 999"); !slices.Equal(f.tries(), want) {
			t.Errorf("after a minute: %v", f.tries())
		}
		tries.tried(a, "PUT", "/v1/rules")
		tries.tried(a, "PUT", "/v1/rules")
		work.close()
		if want = append(want, want[0], want[0]); !slices.Equal(f.tries(), want) {
			t.Errorf("at the end: %v", f.tries())
		}
		tries.tried(a, "PUT", "/v1/rules") // nobody is left to write it down
		if synctest.Wait(); len(f.tries()) != len(want) {
			t.Errorf("after the end: %v", f.tries())
		}
	})
}
