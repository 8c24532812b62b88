package journal

import (
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
	c := &Clock{read: h.read}
	want := func(after time.Duration, when string) {
		t.Helper()
		if got := c.Now().Std().Sub(start); got != after {
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
	h := &hands{wall: time.Now().Round(0)}
	c := newClock(permission.TimeOf(h.wall.Add(-time.Minute)))
	c.read, c.at = h.read, 0
	due := c.Now().Add(20 * time.Second)
	h.pass(21 * time.Second)
	h.wall = h.wall.Add(-time.Hour)
	if now := c.Now(); now <= due {
		t.Errorf("%s is not over at %s", due, now)
	}
}

// TestATimeFarAheadIsSaid until the computer's clock has come so far.
func TestATimeFarAheadIsSaid(t *testing.T) {
	h := &hands{wall: time.Now().Round(0)}
	c := newClock(permission.TimeOf(h.wall.Add(73 * time.Hour)))
	c.read, c.at = h.read, 0
	if !strings.Contains(c.Ahead(), "3 days ahead") {
		t.Errorf("%q", c.Ahead())
	}
	h.wall = h.wall.Add(50 * time.Hour)
	if c.Ahead() != "" {
		t.Errorf("%q", c.Ahead())
	}
}
