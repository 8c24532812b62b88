package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// hands are a wall clock and a monotonic one, which a test moves.
type hands struct {
	wall    time.Time
	elapsed time.Duration
}

func (h *hands) read() (time.Time, time.Duration) { return h.wall, h.elapsed }

// pass lets time go by on both.
func (h *hands) pass(d time.Duration) { h.wall, h.elapsed = h.wall.Add(d), h.elapsed+d }

func TestTheClockNeverGoesBack(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := &hands{wall: start}
	c := &clock{read: h.read}
	want := func(after time.Duration, when string) {
		t.Helper()
		if got := c.now().Std().Sub(start); got != after {
			t.Errorf("%s: %s after the start, not %s", when, got, after)
		}
	}
	want(0, "at first")
	h.pass(time.Minute)
	want(time.Minute, "a minute later")
	h.wall = h.wall.Add(-time.Hour)
	want(time.Minute, "set back by an hour")
	h.pass(20 * time.Second)
	want(80*time.Second, "20 s after that")
	h.wall = h.wall.Add(time.Hour)
	want(80*time.Second, "set right again")
	h.wall = h.wall.Add(time.Hour) // as after a sleep, in which the monotonic clock stands still
	want(time.Hour+80*time.Second, "an hour ahead")
	h.wall = h.wall.Add(-time.Hour)
	h.pass(time.Second)
	want(time.Hour+81*time.Second, "and back from there")
	h.elapsed -= time.Hour
	want(time.Hour+81*time.Second, "with a monotonic clock that fails")
}

// TestDeadlinesOutliveAClockThatIsSetBack: what was due by the clock before is due, though
// the wall clock says otherwise.
func TestDeadlinesOutliveAClockThatIsSetBack(t *testing.T) {
	s := opened(t, t.TempDir())
	h := &hands{wall: time.Now().Round(0)}
	s.clock.read = h.read
	s.clock.at = 0
	at := s.Now()
	due := at.Add(20 * time.Second)
	h.pass(21 * time.Second)
	h.wall = h.wall.Add(-time.Hour)
	if now := s.Now(); now <= due {
		t.Errorf("%s is not over at %s", due, now)
	}
}

// TestTheJournalIsTheFloorOfTheClock: after a start it is no earlier than what was kept.
func TestTheJournalIsTheFloorOfTheClock(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	s, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	ahead := permission.TimeOf(time.Now().Add(time.Hour))
	if err := s.Note(ctx, permission.Entry{At: ahead, Kind: permission.SettingsChanged, Actor: permission.ActorDesk}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(ctx, dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if now := s.Now(); now < ahead || now > ahead.Add(time.Hour) {
		t.Errorf("%s after a start, the journal ends at %s", now, ahead)
	}
}

// TestADamagedTimeIsNoFloor: an entry that is not what was written sets no clock, and that
// is said; the newest one that is does.
func TestADamagedTimeIsNoFloor(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	ahead := permission.TimeOf(time.Now().Add(time.Hour))
	for _, at := range []permission.Time{ahead, ahead.Add(time.Minute)} {
		if err := s.Note(t.Context(), permission.Entry{At: at, Kind: permission.SettingsChanged, Actor: permission.ActorDesk}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	tampered(t, dir, "UPDATE journal SET at = at | (1<<42) WHERE seq = (SELECT MAX(seq) FROM journal)")
	s = opened(t, dir)
	if now := s.Now(); now < ahead || now >= ahead.Add(time.Minute) || !strings.Contains(s.Damage(), "is not what was written") {
		t.Errorf("%s, the newest sound entry is of %s; %q", now, ahead, s.Damage())
	}
	if s.Ahead() != "" {
		t.Error(s.Ahead())
	}
}

// TestATimeFarAheadIsSaid: until the computer's clock has come so far.
func TestATimeFarAheadIsSaid(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if err := s.Note(t.Context(), permission.Entry{At: permission.TimeOf(time.Now().Add(73 * time.Hour)), Kind: permission.SettingsChanged,
		Actor: permission.ActorDesk}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = opened(t, dir)
	if !strings.Contains(s.Ahead(), "3 days ahead") {
		t.Errorf("%q", s.Ahead())
	}
	h := &hands{wall: time.Now().Round(0)}
	s.clock.read, s.clock.at = h.read, 0
	h.wall = h.wall.Add(50 * time.Hour)
	if s.Ahead() != "" {
		t.Errorf("%q", s.Ahead())
	}
}
