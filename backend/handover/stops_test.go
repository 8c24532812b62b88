package handover_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
)

// TestStopsAreHeard over streams that end, until no other may be had. No other event is taken
// for a stop.
func TestStopsAreHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams := [][]permission.EntryKind{{permission.CallDecided, "agent.stopped", "agent.stopped"}, nil, {permission.CallDecided},
			{"agent.stopped"}, {""}}
		began, at, stops := time.Now(), 0, make(chan struct{}, 10)
		handover.HearStops(t.Context(), func(_ context.Context, happened func(permission.EntryKind)) bool {
			for _, kind := range streams[at] {
				happened(kind)
			}
			at++
			return at < len(streams)
		}, stops)
		if len(stops) != 3 || at != len(streams) {
			t.Errorf("%d stops were heard over %d streams", len(stops), at)
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestStopsOfALeaver: nobody is waited for who does not listen, and hearing ends with its context.
func TestStopsOfALeaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Minute)
		defer leave()
		handover.HearStops(ctx, func(_ context.Context, happened func(permission.EntryKind)) bool {
			happened("agent.stopped")
			return true
		}, make(chan struct{}))
	})
}
