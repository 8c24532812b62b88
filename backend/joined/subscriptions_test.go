package joined

import (
	"fmt"
	"slices"
	"testing"

	"sekisho/backend/mcpwire"
)

func TestSubscriptions(t *testing.T) {
	s := &subscriptions{of: map[pair][]string{}}
	log := pair{"a", "a://log"}
	grant := func(method, uri string, granted bool) { s.noting(method, uri, log)(granted) }
	holds := func(what string, want ...string) {
		t.Helper()
		if got := s.names(log); !slices.Equal(got, want) || s.n != len(want) {
			t.Errorf("%s: %q, counted as %d", what, got, s.n)
		}
	}
	grant(mcpwire.Subscribe, "a://log", false)
	holds("refused")
	grant(mcpwire.Subscribe, "a://log", true)
	grant(mcpwire.Subscribe, "sekisho:a/a://log", true)
	holds("by two names", "a://log", "sekisho:a/a://log")
	grant(mcpwire.Subscribe, "a://log", false)
	grant(mcpwire.Unsubscribe, "a://log", false)
	grant(mcpwire.ReadResource, "a://log", true)
	holds("what changes nothing", "a://log", "sekisho:a/a://log")
	if at := s.at("a"); !slices.Equal(at, []string{"a://log"}) || s.at("b") != nil {
		t.Errorf("at the server: %q", at)
	}
	if where := s.where("sekisho:a/a://log"); !slices.Equal(where, []pair{log}) || s.where("b://log") != nil {
		t.Errorf("by its name: %q", where)
	}
	grant(mcpwire.Unsubscribe, "a://log", true)
	holds("one ended", "sekisho:a/a://log")
	grant(mcpwire.Unsubscribe, "sekisho:a/a://log", true)
	holds("both ended")
	for i := range mcpwire.MaxResources + 10 {
		s.begin(fmt.Sprint("u:", i), pair{"b", fmt.Sprint("u:", i)})
	}
	if s.n != mcpwire.MaxResources || len(s.of) != s.n {
		t.Errorf("%d subscriptions, %d resources", s.n, len(s.of))
	}
}
