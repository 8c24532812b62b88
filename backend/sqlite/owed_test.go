package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestWhoIsAnswerable: a call that comes in claimed is so when it is on disk, which the
// record of what came of it does not put off; others are so at once.
func TestWhoIsAnswerable(t *testing.T) {
	s := opened(t, t.TempDir())
	held := make(chan struct{})
	s.Listen(func([]permission.Event) { <-held }) // the first flush does not end, and no other comes meanwhile
	if _, err := s.writeSoon(t.Context(), false, noteOf("first")); err != nil {
		t.Fatal(err)
	}
	if err := s.writing.Reach(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	claim := permission.ClaimID("claim")
	c := permission.Call{ID: "1", Rev: 2, RunID: "run", ToolCallID: "1", Caller: permission.Caller{SessionID: "s", AgentID: "a"},
		ToolName: "t", Input: []byte("{}"), InputHash: "h", Status: permission.Claimed, Risk: permission.RiskLow,
		RiskReasons: []permission.RiskReason{}, ClaimID: &claim, CreatedAt: 1000, LeaseExpiresAt: 9000}
	entries := []permission.Entry{{At: 1000, Kind: permission.CallCreated, Actor: "a", Data: []byte("{}")}}
	if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: 1, Entries: entries}); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Answerable(short, c.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before it is on disk: %v", err)
	}
	owed := s.owed.entry(c.ID)
	if _, err := s.Transit(t.Context(), permission.Transition{ID: c.ID, At: 2000, From: []permission.Status{permission.Claimed},
		To: permission.Completed, Result: []byte("1"), Unawaited: true,
		Entry: permission.Entry{Kind: permission.CallFinished, Actor: "a", Data: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	if owed == 0 || s.owed.entry(c.ID) != owed {
		t.Errorf("it waits for entry %d, and then for %d", owed, s.owed.entry(c.ID))
	}
	close(held)
	if err := s.Answerable(t.Context(), c.ID); err != nil {
		t.Error(err)
	}
	s.writing.Together() // the flush of the call is over then
	if seq := s.owed.entry(c.ID); seq > 0 {
		t.Errorf("%d is owed", seq)
	}
	if err := s.Answerable(t.Context(), "nobody's"); err != nil {
		t.Error(err)
	}
}
