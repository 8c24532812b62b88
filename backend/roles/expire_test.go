package roles_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestSessionsExpireByTheClock: of a token and of a passkey that is too old, once, journaled, and whoever
// listens is told; where what goes before fails, it is tried again.
func TestSessionsExpireByTheClock(t *testing.T) {
	h := open(t)
	_, passkey := h.made(manager, time.Hour)
	begun := h.begin(passkey)
	unused, late := h.made(manager, 0)
	kept, another := h.made(manager, 3*time.Hour)
	h.begin(another)
	h.changed = nil
	fault := errors.New("fault")
	sweep := func(err error) time.Duration {
		h.fault = err
		rest, is := h.Expire(ctx)
		if !errors.Is(is, err) {
			t.Errorf("%v, want %v", is, err)
		}
		return rest
	}
	select {
	case <-h.Moved():
	default:
		t.Error("a new session does not wake who waits")
	}
	if rest := sweep(nil); len(h.withdrawn) != 0 || len(h.changed) != 0 || rest != time.Minute {
		t.Errorf("%v %v, look again in %s", h.withdrawn, h.changed, rest)
	}
	h.now = unused.PasskeyUntil.Add(-time.Second)
	if rest := sweep(nil); len(h.changed) != 0 || rest != time.Second {
		t.Errorf("%v, look again in %s", h.changed, rest)
	}
	h.now = unused.PasskeyUntil
	if sweep(fault); len(h.withdrawn) != 1 || len(h.changed) != 0 {
		t.Errorf("after a fault: %v %v", h.withdrawn, h.changed)
	}
	if sweep(nil); !slices.Equal(h.changed, []permission.SessionID{unused.ID}) {
		t.Errorf("%v", h.changed)
	}
	h.now = begun.ExpiresAt
	for range 2 {
		sweep(nil)
	}
	if !slices.Equal(h.changed, []permission.SessionID{unused.ID, begun.ID}) {
		t.Errorf("%v", h.changed)
	}
	if _, err := h.Authenticate(ctx, a, a.ID, late, "p"); err == nil {
		t.Error("a passkey that is too old is good")
	}
	if s, made := h.Made(a.ID, kept.ID); !made || s.EndedAt != 0 {
		t.Errorf("the one that goes on: %+v %v", s, made)
	}
	h.restart()
	h.changed = nil
	if sweep(nil); len(h.changed) != 0 {
		t.Errorf("again after a restart: %v", h.changed)
	}
	if s, made := h.Made(a.ID, begun.ID); !made || s.EndedAt == 0 {
		t.Errorf("kept: %+v %v", s, made)
	}
	h.now = h.now.Add(25 * time.Hour)
	sweep(nil)
	if _, made := h.Made(a.ID, begun.ID); made {
		t.Error("the book has a session that ended long ago")
	}
}
