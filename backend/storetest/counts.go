package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sekisho/backend/permission"
)

// allowedBy is a new call that a rule allowed, with the place that it takes; "" takes none.
func allowedBy(id string, rule permission.RuleID, at permission.Time) permission.Suspension {
	c := NewCall(id)
	c.Status, c.CreatedAt, c.ExpiresAt = permission.Approved, at, at+600_000
	c.Decision = &permission.Decision{By: permission.ByRule, Approved: true, Scope: permission.ScopeOnce, DecidedAt: at,
		RuleID: new(permission.RuleID("r"))}
	s := suspension(c)
	if rule != "" {
		s.Places = []permission.Place{{Rule: rule, Limit: few}}
	}
	return s
}

// few is a limit that is soon reached.
var few = permission.Limit{Calls: 2, Seconds: 10}

// places: a limit has as many as it says, in whatever way calls are let run, and what comes to
// nothing takes none.
func places(t *testing.T, s Store) {
	ctx, at := context.Background(), permission.Time(1_000_000)
	suspend := func(sus permission.Suspension, want error) {
		t.Helper()
		if _, _, err := s.Suspend(ctx, sus); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", sus.Call.ID, err, want)
		}
	}
	suspend(allowedBy("1", "r", at), nil)
	suspend(allowedBy("1", "r", at), nil) // the same call takes no second one
	full := allowedBy("2", "r", at+1)
	full.Places = append(full.Places, permission.Place{Rule: "other", Limit: permission.Limit{Calls: 1, Seconds: 1}})
	suspend(full, nil)
	suspend(allowedBy("3", "r", at+9_999), permission.ErrSpent)
	two := allowedBy("3", "new", at+1)
	two.Places = append(two.Places, permission.Place{Rule: "other", Limit: permission.Limit{Calls: 1, Seconds: 1}})
	suspend(two, permission.ErrSpent)
	if _, err := s.Call(ctx, "3"); !errors.Is(err, permission.NotFound("call")) {
		t.Errorf("a call without a place is kept: %v", err)
	}
	for rule, want := range map[permission.RuleID]bool{"r": true, "new": false, "unknown": false} {
		if got := s.Full(rule, few, at+1); got != want {
			t.Errorf("%s is full: %v", rule, got)
		}
	}
	suspend(allowedBy("3", "r", at+10_000), nil) // the first place is free again

	var list []permission.Transition
	for i := range 4 {
		c := NewCall(fmt.Sprint("w", i))
		keep(t, s, c)
		tr := step(string(c.ID), permission.Approved, permission.Pending)
		tr.Places = []permission.Place{{Rule: "w", Limit: few}}
		list = append(list, tr)
	}
	if changed, err := s.TransitAll(ctx, list); err != nil || len(changed) != 2 {
		t.Errorf("%d changed, %v", len(changed), err)
	}
	if _, err := s.Transit(ctx, list[3]); !errors.Is(err, permission.ErrSpent) {
		t.Error(err)
	}
	list[3].Places, list[3].Rev = []permission.Place{{Rule: "late", Limit: permission.Limit{Calls: 1, Seconds: 1}}}, 99
	if _, err := s.Transit(ctx, list[3]); !errors.Is(err, permission.ErrGuard) || s.Full("late", list[3].Places[0].Limit, list[3].At) {
		t.Errorf("a change that is not made takes a place: %v", err)
	}
}

// brake: the same call of a session is allowed so often, and a person's yes counts anew.
func brake(t *testing.T, s Store) {
	ctx, at, n := context.Background(), permission.Time(1_000_000), 0
	if err := s.SetBrake(ctx, &few); err != nil {
		t.Fatal(err)
	}
	allow := func(session string, want error) {
		t.Helper()
		n++
		sus := allowedBy(fmt.Sprint(n), "", at)
		sus.Call.SessionID = permission.SessionID(session)
		if _, _, err := s.Suspend(ctx, sus); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", n, err, want)
		}
		if braked := s.Braked(&sus.Call, at); (braked != nil) != (want != nil) && want != nil {
			t.Errorf("call %d: %v", n, braked)
		}
	}
	allow("session", nil)
	allow("session", nil)
	allow("session", permission.ErrSpent)
	allow("other", nil)
	waits := NewCall("waits")
	keep(t, s, waits)
	answer := reply("waits", true, nil)
	answer.Transition.At, answer.Transition.Decision.DecidedAt = at+1, at+1
	if _, _, err := s.Reply(ctx, answer); err != nil {
		t.Fatal(err)
	}
	allow("session", nil)
	allow("session", nil)
	allow("session", permission.ErrSpent)
	at += 10_000
	allow("session", nil)
	if err := s.SetBrake(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		allow("session", nil)
	}
}

// recounted: a new process counts what the one before did, calls that were withdrawn too.
func recounted(t *testing.T, open func(t *testing.T, dir string) Store) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	at := s.Now()
	if err := s.SetBrake(ctx, &few); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, _, err := s.Suspend(ctx, allowedBy(fmt.Sprint(i), "r", at)); err != nil {
			t.Fatal(err)
		}
	}
	cancel := step("1", permission.Cancelled, permission.Approved)
	cancel.At, cancel.Decision = at, &permission.Decision{By: permission.ByCaller, Scope: permission.ScopeOnce, DecidedAt: at}
	if _, err := s.Transit(ctx, cancel); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	if err := s.SetBrake(ctx, &few); err != nil {
		t.Fatal(err)
	}
	c := NewCall("x")
	if !s.Full("r", few, at) || s.Full("r", few, at+10_000) || s.Braked(&c, at) == nil || s.Braked(&c, at+10_000) != nil {
		t.Errorf("full %v, brake %v", s.Full("r", few, at), s.Braked(&c, at))
	}
}
