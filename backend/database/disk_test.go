package database

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
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 40 {
				if w%2 == 0 {
					j := NewJob(ctx, note(fmt.Sprint("w", w, i), nil))
					if err := s.submit(j); err != nil || s.Kept() < j.last {
						t.Errorf("entry %d is acknowledged, and %d is on disk: %v", j.last, s.Kept(), err)
					}
					continue
				}
				last, err := s.WriteSoon(ctx, i%2 == 0, note(fmt.Sprint("s", w, i), nil))
				if err != nil {
					t.Error(err)
				}
				var read int64
				if err := One(s.db.Reader, &read, "SELECT MAX(seq) FROM notes"); err != nil || read < last {
					t.Errorf("note %d was written, and %d is read: %v", last, read, err)
				}
				if i%3 == 0 {
					if err := s.Reach(ctx, last); err != nil || s.Kept() < last {
						t.Errorf("entry %d is kept, and %d is on disk: %v", last, s.Kept(), err)
					}
				}
			}
		})
	}
	writers.Wait()
	if err := s.Reach(ctx, 320); err != nil {
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
	if err := s.Write(ctx, note("before", nil)); err != nil {
		t.Fatal(err)
	}
	s.disk.log.Close()
	last, err := s.WriteSoon(ctx, false, note("soon", nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reach(ctx, last); err == nil {
		t.Error("what the disk refused counts as kept")
	}
	if err := s.Reach(ctx, last-1); err != nil {
		t.Errorf("what was kept before: %v", err)
	}
	for name, err := range map[string]error{"write": s.Write(ctx, note("after", nil)), "soon": func() error {
		_, err := s.WriteSoon(ctx, true, note("after", nil))
		return err
	}()} {
		if err == nil {
			t.Errorf("%s after that", name)
		}
	}
	if got := ids(t, s); got != "[before soon]" {
		t.Errorf("written: %s", got)
	}
	if told != 1 {
		t.Errorf("%d events were told", told)
	}
}

// TestCloseKeepsWhatWasWrittenSoon, and reach does not wait for ever then.
func TestCloseKeepsWhatWasWrittenSoon(t *testing.T) {
	s := opened(t, t.TempDir())
	var last int64
	var err error
	for i := range 20 {
		if last, err = s.WriteSoon(context.Background(), true, note(fmt.Sprint(i), nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if s.Kept() != last {
		t.Errorf("entry %d is on disk of %d", s.Kept(), last)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.Reach(ctx, last+1); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
