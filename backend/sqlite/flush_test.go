package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func noteOf(words string) func(*tx) error {
	return func(t *tx) error {
		return t.append(permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: words, Data: []byte("{}")}, nil)
	}
}

// TestWhoWaitsForTheDisk: writers that wait for it and writers that do not, side by side.
// What write has returned of is on disk, what writeSoon has returned of can be read and
// is there when reach returns, and events come in order, each once.
func TestWhoWaitsForTheDisk(t *testing.T) {
	s := opened(t, t.TempDir())
	ctx := context.Background()
	var heard []int64
	s.Listen(func(events []permission.Event) {
		for _, e := range events {
			heard = append(heard, e.Seq)
		}
	})
	kept := func() int64 {
		s.disk.mu.Lock()
		defer s.disk.mu.Unlock()
		return s.disk.kept
	}
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 40 {
				if w%2 == 0 {
					j := &job{ctx: ctx, fn: noteOf("w"), done: make(chan struct{})}
					if err := s.submit(j); err != nil || kept() < j.last {
						t.Errorf("entry %d is acknowledged, and %d is on disk: %v", j.last, kept(), err)
					}
					continue
				}
				last, err := s.writeSoon(ctx, i%2 == 0, noteOf("s"))
				if err != nil {
					t.Error(err)
				}
				if read, err := s.LastSeq(ctx); err != nil || read < last {
					t.Errorf("entry %d was written, and %d is read: %v", last, read, err)
				}
				if i%3 == 0 {
					if err := s.disk.reach(ctx, last); err != nil || kept() < last {
						t.Errorf("entry %d is kept, and %d is on disk: %v", last, kept(), err)
					}
				}
			}
		})
	}
	writers.Wait()
	if err := s.disk.reach(ctx, 320); err != nil {
		t.Fatal(err)
	}
	s.disk.turn.Lock() // events are told before the flush is over
	defer s.disk.turn.Unlock()
	if !slices.IsSorted(heard) || len(slices.Compact(heard)) != 320 || heard[319] != 320 {
		t.Errorf("heard %d events: %v", len(heard), heard)
	}
}

// TestADiskThatRefuses: who waits is told, who does not is told by reach, and nothing is
// committed any more, since what the disk had taken may be lost.
func TestADiskThatRefuses(t *testing.T) {
	s := opened(t, t.TempDir())
	ctx := context.Background()
	told := 0
	s.Listen(func(events []permission.Event) { told += len(events) })
	if err := s.write(ctx, noteOf("before")); err != nil {
		t.Fatal(err)
	}
	s.disk.log.Close()
	last, err := s.writeSoon(ctx, false, noteOf("soon"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.disk.reach(ctx, last); err == nil {
		t.Error("what the disk refused counts as kept")
	}
	if err := s.disk.reach(ctx, last-1); err != nil {
		t.Errorf("what was kept before: %v", err)
	}
	for name, err := range map[string]error{"write": s.write(ctx, noteOf("after")), "soon": func() error {
		_, err := s.writeSoon(ctx, true, noteOf("after"))
		return err
	}()} {
		if err == nil {
			t.Errorf("%s after that", name)
		}
	}
	if n, err := s.LastSeq(ctx); err != nil || n != last {
		t.Errorf("entry %d was written after the refusal: %v", n, err)
	}
	if told != 1 {
		t.Errorf("%d events were told", told)
	}
}

// TestCloseKeepsWhatWasWrittenSoon, and reach does not wait for ever then.
func TestCloseKeepsWhatWasWrittenSoon(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	for i := range 20 {
		if last, err = s.writeSoon(context.Background(), true, noteOf(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.disk.kept != last {
		t.Errorf("entry %d is on disk of %d", s.disk.kept, last)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.disk.reach(ctx, last+1); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestWhoIsAnswerable: a call that comes in claimed is so when it is on disk, which the
// record of what came of it does not put off; others are so at once.
func TestWhoIsAnswerable(t *testing.T) {
	s := opened(t, t.TempDir())
	s.disk.turn.Lock() // no flush comes meanwhile
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
	owed := s.disk.owed[c.ID]
	if _, err := s.Transit(t.Context(), permission.Transition{ID: c.ID, At: 2000, From: []permission.Status{permission.Claimed},
		To: permission.Completed, Result: []byte("1"), Unawaited: true,
		Entry: permission.Entry{Kind: permission.CallFinished, Actor: "a", Data: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	if owed == 0 || s.disk.owed[c.ID] != owed {
		t.Errorf("it waits for entry %d, and then for %d", owed, s.disk.owed[c.ID])
	}
	s.disk.turn.Unlock()
	if err := s.Answerable(t.Context(), c.ID); err != nil || len(s.disk.owed) > 0 {
		t.Errorf("%v, and %v is owed", err, s.disk.owed)
	}
	if err := s.Answerable(t.Context(), "nobody's"); err != nil {
		t.Error(err)
	}
}
