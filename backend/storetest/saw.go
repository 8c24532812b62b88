package storetest

import (
	"context"
	"errors"
	"testing"

	"sekisho/backend/permission"
)

// saw holds answers against the rev at which what is shown of a call, and its session,
// last changed.
func saw(t *testing.T, s Store) {
	ctx := context.Background()
	keep(t, s, NewCall("1"))
	pending := func(change func(*permission.Transition)) permission.Call {
		t.Helper()
		tr := step("1", "", permission.Pending)
		change(&tr)
		c, err := s.Transit(ctx, tr)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	try := func(rev int64, stayed, want bool) {
		t.Helper()
		tr := step("1", "", permission.Pending)
		tr.Saw, tr.Stayed = rev, stayed
		if c, err := s.Transit(ctx, tr); (err == nil) != want || err != nil && !errors.Is(err, permission.ErrGuard) {
			t.Errorf("a word for rev %d, with its session %v: %v, of rev %d, shown at %d", rev, stayed, err, c.Rev, c.ShownRev)
		}
	}
	gone, until := true, permission.Time(3_000_000)
	pending(func(tr *permission.Transition) { tr.SetGone = &gone })
	if c := pending(func(tr *permission.Transition) { tr.ExpiresAt = &until }); c.Rev != 3 || c.ShownRev != 1 {
		t.Errorf("who left, and more time: rev %d, shown at %d", c.Rev, c.ShownRev)
	}
	try(4, false, false) // it has not come to that
	try(1, true, true)
	back := &permission.Identity{RunID: "run", ToolCallID: "1", SessionID: "other"}
	pending(func(tr *permission.Transition) { tr.Agent, tr.Rebind = "a", back })
	try(4, true, false)
	try(4, false, true)
	try(5, true, true)
	pending(func(tr *permission.Transition) { tr.Agent, tr.Rebind = "a", back }) // the same session
	try(5, true, true)
	for name, change := range map[string]func(*permission.Transition){
		"why":   func(tr *permission.Transition) { tr.Why = &permission.Why{Explanation: permission.Said("so")} },
		"input": func(tr *permission.Transition) { tr.Edited = &permission.Edit{Input: []byte("{}"), InputHash: "h"} },
		"sight": func(tr *permission.Transition) { s := permission.SightOf("l", "e"); tr.Sight = &s },
	} {
		c := pending(change)
		if c.ShownRev != c.Rev {
			t.Errorf("%s: shown at %d of %d", name, c.ShownRev, c.Rev)
		}
		try(c.Rev-1, false, false)
		try(c.Rev, true, true)
	}
	if c, err := s.Call(ctx, "1"); err != nil || c.Sight != "l e" || c.Why.Reason != "so" {
		t.Errorf("%+v, %v", c, err)
	}
}
