package server

import (
	"context"
	"log/slog"
	"time"

	"sekisho/backend/insights"
)

// pausing ends breaks of a person when they are over, also those of a desk before, and puts old
// counts together, until stop is called.
func pausing(of *insights.Insights, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			rest, err := of.Keep(ctx)
			if err != nil && ctx.Err() == nil {
				log.Error("keep counts and breaks", "error", err)
			}
			timer := time.NewTimer(rest)
			select {
			case <-ctx.Done():
			case <-timer.C:
			case <-of.Changed():
			}
			timer.Stop()
		}
	}()
	return func() { cancel(); <-done }
}
