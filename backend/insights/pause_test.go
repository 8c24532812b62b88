package insights

import (
	"context"
	"errors"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/tally"
)

// kept is a store in memory, and settings.
type kept struct {
	Store
	presence tally.Presence
	settings permission.Settings
	fails    error  // of settings
	merging  error  // of counts
	before   func() // is called before a break is read
}

func (k *kept) Presence(context.Context) (tally.Presence, error) {
	if k.before != nil {
		k.before()
	}
	return k.presence, nil
}

func (k *kept) Pause(_ context.Context, until permission.Time) error {
	k.presence.PausedUntil = until
	return nil
}

func (k *kept) MergeCounts(context.Context, permission.Time) error { return k.merging }

func (k *kept) Settings(context.Context) (permission.Settings, error) { return k.settings, nil }

func (k *kept) ChangeSettings(_ context.Context, change func(*permission.Settings) error) (permission.Settings, error) {
	if k.fails != nil {
		return k.settings, k.fails
	}
	return k.settings, change(&k.settings)
}

// TestABreak is quiet until it ends: by the clock, or by the person. Who ends the quiet alone takes none.
func TestABreak(t *testing.T) {
	k, at := &kept{}, permission.Time(1_000_000)
	i := New(k, k, func() permission.Time { return at })
	keep := func(want time.Duration) {
		t.Helper()
		if rest, err := i.Keep(t.Context()); err != nil || rest != want {
			t.Errorf("keeps again after %v, %v, not %v", rest, err, want)
		}
	}
	want := func(until permission.Time, quiet bool) {
		t.Helper()
		if got, err := i.Paused(t.Context()); err != nil || got != until || k.settings.Window.Quiet != quiet {
			t.Errorf("until %d, %v, not %d; quiet: %v", got, err, until, k.settings.Window.Quiet)
		}
	}
	begin := func(minutes int) {
		t.Helper()
		if _, err := i.Pause(t.Context(), minutes); err != nil {
			t.Fatal(err)
		}
		select {
		case <-i.Changed():
		default:
			t.Error("nobody is told of a break")
		}
	}
	keep(time.Hour)
	begin(2)
	end := at.Add(2 * time.Minute)
	want(end, true)
	keep(time.Minute)
	at = end - 1
	want(end, true)
	keep(time.Millisecond)
	at = end
	want(0, true)
	k.fails = errors.New("no disk")
	if rest, err := i.Keep(t.Context()); !errors.Is(err, k.fails) || rest != time.Minute {
		t.Errorf("an end that fails: again after %v, %v", rest, err)
	}
	k.fails, k.merging = nil, errors.New("no counts")
	if _, err := i.Keep(t.Context()); !errors.Is(err, k.merging) {
		t.Error(err)
	}
	want(0, false)
	k.merging = nil
	keep(time.Hour)

	begin(5)
	k.settings.Window.Quiet = false // by the person
	want(0, false)
	begin(5)
	if err := i.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	want(0, false)
	k.settings.Window.Quiet = true
	if err := i.Resume(t.Context()); err != nil || !k.settings.Window.Quiet {
		t.Error("the end of no break changes the settings", err)
	}
}

// TestABreakThatBeginsAsAnotherEnds waits for that end, which would take it back.
func TestABreakThatBeginsAsAnotherEnds(t *testing.T) {
	k := &kept{presence: tally.Presence{PausedUntil: 1}}
	i := New(k, k, func() permission.Time { return 2 })
	looked := 0
	k.before = func() {
		if looked++; i.pausing.TryLock() {
			t.Error("another break may begin while this one ends")
		}
	}
	if _, err := i.Keep(t.Context()); err != nil || looked == 0 {
		t.Fatal(looked, err)
	}
	k.presence.PausedUntil, looked = 1, 0
	if err := i.Resume(t.Context()); err != nil || looked == 0 {
		t.Fatal(looked, err)
	}
}
