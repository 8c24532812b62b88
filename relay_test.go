package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// fakeDesk is as much of a desk as a relay looks at.
type fakeDesk struct {
	mu       sync.Mutex
	settings permission.Settings
	calls    []permission.Call
	more     int64
	broken   error
	looked   int
	events   chan permission.Event
}

func (f *fakeDesk) List(_ context.Context, who permission.Party, filter permission.CallFilter) ([]permission.Call, int64, int64, error) {
	if !who.IsOperator() || !filter.Brief || !slices.Equal(filter.Statuses, []permission.Status{permission.Pending}) || filter.Oldest {
		return nil, 0, 0, errors.New("asked for something else")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked++
	return slices.Clone(f.calls), f.more, 0, f.broken
}

func (f *fakeDesk) Settings(context.Context) (permission.Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settings, f.broken
}

// looks counts how often the relay looked.
func (f *fakeDesk) looks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looked
}

func (f *fakeDesk) Subscribe() (<-chan permission.Event, func()) {
	f.events = make(chan permission.Event, 100)
	return f.events, func() {}
}

// followed runs a relay over a desk, and gives what the window was told last.
func followed(t *testing.T, test func(d *fakeDesk, r *room, relay *relay, hints *[]string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d, room, hints := &fakeDesk{settings: permission.DefaultSettings()}, newRoom(t, true), &[]string{}
		relay := &relay{desk: d, window: room.window, log: slog.New(slog.NewTextHandler(t.Output(), nil)),
			hint: func(kind string, _ permission.CallID) { *hints = append(*hints, kind) }, autostart: func(bool) {}}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { relay.run(ctx); close(done) }()
		synctest.Wait()
		test(d, room, relay, hints)
		stop()
		<-done
		room.end()
	})
}

// say changes the desk and lets it tell of that, and the relay look.
func (f *fakeDesk) say(kind permission.EntryKind, change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	f.events <- permission.Event{Kind: kind}
	pass(2 * lookEvery)
}

func call(id string, gone bool, risk permission.Risk) permission.Call {
	return permission.Call{ID: permission.CallID(id), Caller: permission.Caller{AgentName: "scribe"}, ToolName: "tool_" + id,
		CallerGone: gone, Risk: risk}
}

func TestRelayTellsWhatWaits(t *testing.T) {
	followed(t, func(d *fakeDesk, r *room, _ *relay, hints *[]string) {
		if !slices.Equal(*hints, []string{"reset"}) {
			t.Errorf("hints %q", *hints)
		}
		r.did()
		d.say(permission.CallCreated, func() {
			d.calls, d.more = []permission.Call{call("b", false, permission.RiskLow), call("a", true, permission.RiskHigh)}, 9
		})
		if got := r.told(); got.Waiting != 2 || !got.More || !got.High || got.Newest.Tool != "tool_b" || got.Newest.Agent != "scribe" ||
			got.Arrivals != 1 {
			t.Errorf("told %+v", got)
		}
		r.did("shrink 560x640", "show")
		d.say(permission.CallDecided, func() { d.calls, d.more = d.calls[:1], 0 })
		if got := r.told(); got.Waiting != 1 || got.More || got.High || got.Arrivals != 1 {
			t.Errorf("told %+v", got)
		}
		r.did()
		d.say(permission.SettingsChanged, func() { d.calls, d.settings.Hold = nil, true })
		if got := r.told(); got.Waiting != 0 || !got.Held || got.Newest != nil {
			t.Errorf("told %+v", got)
		}
		if want := []string{"reset", string(permission.CallCreated), string(permission.CallDecided),
			string(permission.SettingsChanged)}; !slices.Equal(*hints, want) {
			t.Errorf("hints %q", *hints)
		}
	})
}

func TestACallerThatComesBack(t *testing.T) {
	followed(t, func(d *fakeDesk, r *room, _ *relay, _ *[]string) {
		gone := func(is bool) func() {
			return func() { d.calls = []permission.Call{call("a", is, permission.RiskLow)} }
		}
		d.say(permission.CallCreated, gone(true))
		r.did() // nobody waits for it
		d.say(permission.CallChanged, gone(false))
		r.did("shrink 560x640", "show")
		d.say(permission.CallChanged, gone(false))
		r.did()
		d.say(permission.CallChanged, gone(true))
		d.say(permission.CallChanged, gone(false))
		r.did("show")
		if got := r.told().Arrivals; got != 2 {
			t.Errorf("%d arrivals", got)
		}
	})
}

func TestAFloodIsLookedAtNowAndThen(t *testing.T) {
	followed(t, func(d *fakeDesk, _ *room, _ *relay, hints *[]string) {
		before := d.looks()
		d.events <- permission.Event{Kind: permission.CallCreated}
		synctest.Wait()
		if d.looks() != before+1 {
			t.Error("the first was not looked at at once")
		}
		for range 50 {
			d.events <- permission.Event{Kind: permission.CallCreated}
			synctest.Wait()
		}
		if got := d.looks(); got != before+1 {
			t.Errorf("looked %d times", got-before)
		}
		pass(time.Minute)
		if got := d.looks(); got != before+2 || len(*hints) != 52 {
			t.Errorf("looked %d times, %d hints", got-before, len(*hints))
		}
	})
}

func TestARelayThatWasDropped(t *testing.T) {
	followed(t, func(d *fakeDesk, r *room, _ *relay, hints *[]string) {
		d.mu.Lock()
		d.calls = []permission.Call{call("a", false, permission.RiskLow)}
		d.mu.Unlock()
		close(d.events)
		pass(2 * lookEvery)
		if got := r.told(); got.Waiting != 1 || !slices.Equal(*hints, []string{"reset", "reset"}) {
			t.Errorf("told %+v, hints %q", got, *hints)
		}
		r.did("shrink 560x640", "show")
	})
}

func TestADeskInTrouble(t *testing.T) {
	followed(t, func(d *fakeDesk, r *room, _ *relay, hints *[]string) {
		d.say(permission.CallCreated, func() { d.calls = []permission.Call{call("a", false, permission.RiskLow)} })
		r.did("shrink 560x640", "show")
		d.say(permission.CallCreated, func() { d.broken = errors.New("the disk is full") })
		if got := r.told(); got.Waiting != 1 || !strings.HasPrefix((*hints)[len(*hints)-1], "call.") {
			t.Errorf("told %+v", got)
		}
	})
}

func TestAutostartFollowsItsSetting(t *testing.T) {
	followed(t, func(d *fakeDesk, _ *room, relay *relay, _ *[]string) {
		var said []bool
		d.say(permission.SettingsChanged, func() { relay.autostart = func(on bool) { said = append(said, on) } })
		for _, on := range []bool{false, true, true, false} {
			d.say(permission.SettingsChanged, func() { d.settings.Window.Autostart = on })
		}
		if !slices.Equal(said, []bool{true, false}) {
			t.Errorf("said %v", said)
		}
	})
}
