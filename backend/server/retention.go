package server

import (
	"context"
	"log/slog"
	"time"

	"sekisho/backend/desk"
)

// retainEvery is how often the desk forgets what its settings do not keep.
const retainEvery = time.Hour

// retaining lets a desk forget, now and then, until stop is called.
func retaining(d *desk.Desk, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := d.Retain(ctx); err != nil && ctx.Err() == nil {
				log.Error("forget what is not kept", "error", err)
			}
			select {
			case <-time.After(retainEvery):
			case <-ctx.Done():
			}
		}
	}()
	return func() { cancel(); <-done }
}
