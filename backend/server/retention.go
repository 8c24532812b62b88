package server

import (
	"context"
	"log/slog"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
)

// retainEvery is how often the desk forgets what its settings do not keep, beside when
// they change.
const retainEvery = time.Hour

// retaining lets a desk forget, now and then, until stop is called.
func retaining(d *desk.Desk, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		retain(ctx, d, log)
	}()
	return func() { cancel(); <-done }
}

func retain(ctx context.Context, d *desk.Desk, log *slog.Logger) {
	every := time.NewTicker(retainEvery)
	defer every.Stop()
	var kept permission.Retention
	for due := true; ctx.Err() == nil; {
		events, leave := d.Journal.Subscribe() // before the settings are read: no change is missed
		s, err := d.Policy.Settings(ctx)
		if err == nil && (due || s.Retention != kept) {
			kept = s.Retention
			err = d.Policy.Retain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			log.Error("forget what is not kept", "error", err)
		}
		due = resting(ctx, events, every.C)
		leave()
	}
}

// resting ends when the time has come or settings were saved, which is due, when they may
// have been, and with ctx.
func resting(ctx context.Context, events <-chan permission.Event, every <-chan time.Time) (due bool) {
	for {
		select {
		case e, open := <-events:
			if !open { // it is closed to who falls behind
				return false
			}
			if e.Kind == permission.SettingsChanged {
				return true
			}
		case <-every:
			return true
		case <-ctx.Done():
			return false
		}
	}
}
