package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

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

// TestATimeFarAheadIsSaid by the store that a start finds so.
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
}
