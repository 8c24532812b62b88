package desk_test

import (
	"testing"

	"sekisho/backend/permission"
)

// TestWhoHearsOfSettingsGetsThem: a change is told of as soon as it is on the disk,
// and whoever asks then must not get the settings before it.
func TestWhoHearsOfSettingsGetsThem(t *testing.T) {
	h := open(t)
	defer h.close()
	events, stop := h.Subscribe()
	defer stop()
	for i := range int64(100) {
		seen := make(chan int64)
		go func() {
			for e := range events {
				if e.Kind == permission.SettingsChanged {
					s, _ := h.Settings(ctx)
					seen <- s.UndoSeconds
					return
				}
			}
		}()
		want := i%60 + 1
		if _, err := h.ChangeSettings(ctx, func(s *permission.Settings) error { s.UndoSeconds = want; return nil }); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got != want {
			t.Fatalf("change %d: heard of it, and got %d", i, got)
		}
	}
}
