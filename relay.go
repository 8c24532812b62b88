package main

import (
	"context"
	"log/slog"
	"time"

	"sekisho/backend/notify"
	"sekisho/backend/permission"
)

// counted is up to how many waiting calls are counted, and lookEvery how often at
// most they are.
const (
	counted   = 1000
	lookEvery = 100 * time.Millisecond
)

// waitingDesk is what a relay needs of the desk.
type waitingDesk interface {
	List(ctx context.Context, who permission.Party, f permission.CallFilter) (calls []permission.Call, next, rev int64, err error)
	Settings(ctx context.Context) (permission.Settings, error)
	Subscribe() (events <-chan permission.Event, stop func())
}

// relay carries word of the desk to the window: hints to the page of what changed,
// and what waits to whatever brings the window up. The page also asks by itself, so
// a hint that gets lost costs it nothing.
type relay struct {
	desk      waitingDesk
	window    *window
	hint      func(kind string, call permission.CallID) // call is "" where it is about none, or about many
	autostart func(on bool)                             // the setting changed
	log       *slog.Logger

	callers    map[permission.CallID]bool // calls whose callers wait
	arrivals   int
	autostarts *bool // the setting as last seen
}

func (r *relay) run(ctx context.Context) {
	for ctx.Err() == nil {
		events, stop := r.desk.Subscribe()
		r.hint("reset", "") // whatever came before was not told
		r.follow(ctx, events)
		stop()
		select { // dropped for being slow, or closing
		case <-time.After(lookEvery):
		case <-ctx.Done():
		}
	}
}

// follow looks at once when something happens, and not again for a while.
func (r *relay) follow(ctx context.Context, events <-chan permission.Event) {
	r.look(ctx)
	var early <-chan time.Time // while it is too early to look again
	stale := false
	for {
		select {
		case e, open := <-events:
			if !open {
				return
			}
			r.hint(string(e.Kind), e.CallID)
			stale = true
		case <-early:
			early = nil
		case <-ctx.Done():
			return
		}
		if stale && early == nil {
			r.look(ctx)
			stale, early = false, time.After(lookEvery)
		}
	}
}

// look tells the window what waits, and whether a caller has come to wait: with a new
// call, or again for an old one.
func (r *relay) look(ctx context.Context) {
	settings, err := r.desk.Settings(ctx)
	if err == nil {
		r.heedAutostart(settings.Window.Autostart)
	}
	calls, next, _, err2 := r.desk.List(ctx, permission.Operator(),
		permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Brief: true, Limit: counted})
	if err != nil || err2 != nil {
		if ctx.Err() == nil {
			r.log.Error("look at what waits", "settings", err, "calls", err2)
		}
		return
	}
	q, came := queue{count: len(calls), more: next != 0}, 0
	callers := map[permission.CallID]bool{}
	for i := range calls {
		q.high = q.high || calls[i].Risk.Rank() == permission.RiskHigh.Rank()
		if !calls[i].CallerGone {
			callers[calls[i].ID] = true
			if !r.callers[calls[i].ID] {
				came++
			}
		}
	}
	if len(calls) > 0 {
		q.newest = notify.About(&calls[0])
	}
	r.callers = callers
	r.arrivals += came
	q.arrivals = r.arrivals
	r.window.set(settings, q, came > 0)
}

// heedAutostart acts when the setting changes. As it is found, it is left.
func (r *relay) heedAutostart(on bool) {
	if r.autostarts != nil && *r.autostarts != on {
		r.autostart(on)
	}
	r.autostarts = &on
}
