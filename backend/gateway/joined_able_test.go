package gateway

import (
	"testing"

	"sekisho/backend/permission"
)

// TestAbilitiesOfAnEntryThatIsNoMore: a session that began with the entry before says
// nothing of a server as it is now.
func TestAbilitiesOfAnEntryThatIsNoMore(t *testing.T) {
	g := New(nil, nil, Options{})
	before, now := permission.Server{ID: "a", Command: "before"}, permission.Server{ID: "a", Command: "now"}
	g.paramHeaders(&before)
	g.paramHeaders(&now)
	if g.able(&before, everything); g.seen["a"].can != nil {
		t.Error("it counts as met")
	}
	if g.able(&now, everything); g.seen["a"].can == nil {
		t.Error("it does not count as met")
	}
	if g.paramHeaders(&before); g.seen["a"].can != nil {
		t.Error("another entry is met already")
	}
}
