package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// byDoor suspends a call that may have been asked about by another door.
func byDoor(t *testing.T, s Store, c permission.Call, change ...func(*permission.Suspension)) (permission.Call, permission.Kept) {
	t.Helper()
	sus := suspension(c)
	sus.Joins = true
	for _, f := range change {
		f(&sus)
	}
	got, kept, err := s.Suspend(context.Background(), sus)
	if err != nil {
		t.Fatalf("suspend %s: %v", c.ID, err)
	}
	return got, kept
}

func unnamed(sus *permission.Suspension) {
	sus.Unnamed, sus.Call.ToolCallID = true, permission.UnnamedPrefix+"hash"
	sus.Entries[0].Data = permission.Data(map[string]any{"toolCallId": sus.Call.ToolCallID})
}

func byRule(sus *permission.Suspension) {
	sus.Call.Status, sus.Call.ExpiresAt = permission.Approved, sus.Call.CreatedAt+600_000
	sus.Call.Decision = &permission.Decision{By: permission.ByRule, Approved: true, DecidedAt: sus.Call.CreatedAt}
}

// handOver lets an approved call be claimed and handed over.
func handOver(t *testing.T, s Store, c permission.Call, at permission.Time) {
	t.Helper()
	claim := step(string(c.ID), permission.Claimed, permission.Approved)
	claim.At, claim.NewClaim = at, &permission.Claim{ID: "claim", Key: c.ToolCallID, Until: at.Add(permission.HandedOverFor)}
	done := step(string(c.ID), permission.Completed, permission.Claimed)
	done.At, done.Result = at, []byte(permission.HandedOverResult)
	for _, tr := range []permission.Transition{claim, done} {
		if _, err := s.Transit(context.Background(), tr); err != nil {
			t.Fatal(err)
		}
	}
}

// byAnotherDoor: one question for one call, whichever doors it comes by.
func byAnotherDoor(t *testing.T, s Store) {
	folder, elsewhere := "/work", "/home/me"
	first := NewCall("1")
	first.Cwd = &folder
	keep(t, s, first)
	if got, kept := byDoor(t, s, NewCall("2")); kept != permission.KeptNew {
		t.Errorf("two ids are two calls: %s %v", got.ID, kept)
	}
	other := func(id string, at permission.Time) permission.Call {
		c := NewCall(id)
		c.Cwd, c.CreatedAt = &folder, at
		return c
	}
	for i, change := range []func(*permission.Suspension){
		func(sus *permission.Suspension) { sus.Call.Cwd = &elsewhere },
		func(sus *permission.Suspension) { sus.Call.SessionID = "another" },
		func(sus *permission.Suspension) { sus.Call.InputHash = "sha256:other" },
		func(sus *permission.Suspension) { sus.Call.ResumeSchema = []byte(`{}`) },
		func(sus *permission.Suspension) { sus.Joins = false },
	} {
		id := fmt.Sprint("other", i)
		if got, kept := byDoor(t, s, other(id, 1_100_000), func(sus *permission.Suspension) {
			unnamed(sus)
			sus.Call.ToolCallID += id
			change(sus)
		}); kept != permission.KeptNew {
			t.Errorf("%s: joined %s %v", id, got.ID, kept)
		}
	}
	if _, _, err := s.Reply(context.Background(), reply("other4", false, nil)); err != nil { // else it is one that waits
		t.Fatal(err)
	}
	for name, c := range map[string]permission.Call{"known": other("3", 1_200_000), "unknown": NewCall("4")} {
		if got, kept := byDoor(t, s, c, unnamed); kept != permission.KeptJoined || got.ID != "1" || got.ToolCallID != "1" {
			t.Errorf("a folder that is %s: %s as %s, %v", name, got.ID, got.ToolCallID, kept)
		}
	}
	leave(t, s, "1")
	if got, kept := byDoor(t, s, other("5", 1_300_000), unnamed); kept != permission.KeptJoined || got.ID != "1" || got.CallerGone ||
		got.ToolCallID != "1" {
		t.Errorf("one that was left: %s as %s, gone %v, %v", got.ID, got.ToolCallID, got.CallerGone, kept)
	}
	if _, _, err := s.Reply(context.Background(), reply("1", true, nil)); err != nil {
		t.Fatal(err)
	}
	if got, kept := byDoor(t, s, other("6", 1_500_000), unnamed); kept != permission.KeptJoined || got.Status != permission.Approved {
		t.Errorf("a yes: %s %v", got.Status, kept)
	}
	handOver(t, s, first, 1_550_000)
	if got, kept := byDoor(t, s, other("7", 1_609_999), unnamed); kept != permission.KeptJoined || !got.HandedOver {
		t.Errorf("one that was handed over: %s %v", got.Status, kept)
	}
	for _, brief := range []bool{true, false} {
		calls, _, err := s.Calls(context.Background(),
			permission.CallFilter{Statuses: []permission.Status{permission.Completed}, Brief: brief, Limit: 9})
		if err != nil || len(calls) != 1 || !calls[0].HandedOver || (calls[0].Result == nil) != brief {
			t.Errorf("a list, brief %v: %+v %v", brief, calls, err)
		}
	}
	if _, kept := byDoor(t, s, other("8", 1_560_000), unnamed, func(sus *permission.Suspension) {
		sus.Call.Status = permission.Denied
	}); kept != permission.KeptNew {
		t.Error("a yes outlived a rule that denies")
	}
	if got, kept := byDoor(t, s, other("9", 1_610_000), unnamed); kept != permission.KeptNew {
		t.Errorf("later: %s %v", got.ID, kept)
	}
}

// rulesYesByAnotherDoor: what a rule said is given to another door while it says so.
func rulesYesByAnotherDoor(t *testing.T, s Store) {
	c, _ := byDoor(t, s, NewCall("1"), byRule)
	handOver(t, s, c, 1_000_000)
	if got, kept := byDoor(t, s, NewCall("2"), unnamed, byRule); kept != permission.KeptJoined || got.ID != "1" {
		t.Errorf("while it allows: %s %v", got.ID, kept)
	}
	if got, kept := byDoor(t, s, NewCall("3"), unnamed); kept != permission.KeptNew || got.Status != permission.Pending {
		t.Errorf("when it no longer does: %s %v", got.ID, kept)
	}
}

// withoutID: a call without an id of its own has the name of the one that waits, and the next
// number after one that is settled.
func withoutID(t *testing.T, s Store) {
	alone := func(sus *permission.Suspension) {
		unnamed(sus)
		sus.Joins = false
	}
	for i := range 5 {
		name := fmt.Sprintf("%shash:%d", permission.UnnamedPrefix, i)
		c, kept := byDoor(t, s, NewCall(fmt.Sprint("first", i)), alone)
		if kept != permission.KeptNew || c.ToolCallID != name {
			t.Fatalf("%d: %s %v", i, c.ToolCallID, kept)
		}
		again, kept := byDoor(t, s, NewCall(fmt.Sprint("again", i)), alone)
		if kept != permission.KeptSame || again.ID != c.ID {
			t.Errorf("%d again: %s %v", i, again.ID, kept)
		}
		entries, _, err := s.Journal(context.Background(), 0, 1000)
		if err != nil || !strings.Contains(string(entries[len(entries)-1].Data), name) {
			t.Errorf("the journal says %s, %v", entries[len(entries)-1].Data, err)
		}
		if _, _, err := s.Reply(context.Background(), reply(string(c.ID), false, nil)); err != nil {
			t.Fatal(err)
		}
	}
}
