package handover

import (
	"context"
	"time"

	"sekisho/backend/permission"
)

// listenAgain is how long after a stream of events that broke off another one is asked for.
const listenAgain = 2 * time.Second

// agentStopped is the kind of event that tells an agent that a person stopped it.
const agentStopped permission.EntryKind = "agent.stopped"

// HearStops says on stops that a person stopped the agent that follow is told of. Follow tells
// of events to the end of one stream, and whether another one may be had. HearStops ends with
// ctx, or where none may.
func HearStops(ctx context.Context, follow func(ctx context.Context, happened func(permission.EntryKind)) (again bool),
	stops chan<- struct{}) {
	heard := func(kind permission.EntryKind) {
		if kind != agentStopped {
			return
		}
		select {
		case stops <- struct{}{}:
		default: // it is known already
		}
	}
	for follow(ctx, heard) {
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
			return
		}
	}
}
