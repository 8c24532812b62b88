package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/notify"
	"sekisho/backend/permission"
)

// fakeScreen writes down what was done to the window, and does it.
type fakeScreen struct {
	w     *window
	did   []string
	asked notify.Question
	size  spot
	ended bool // the program was told to end
}

var normal = spot{10, 20, 1000, 720, false}

func (f *fakeScreen) note(what string, args ...any) {
	f.did = append(f.did, fmt.Sprintf(what, args...))
}

func (f *fakeScreen) appear()           { f.note("appear") }
func (f *fakeScreen) show(token string) { f.note("show%s", token) }
func (f *fakeScreen) hide()             { f.note("hide") }
func (f *fakeScreen) renew()            { f.note("renew") }
func (f *fakeScreen) end()              { f.ended = true }
func (f *fakeScreen) ask(q notify.Question) {
	f.asked = q
	f.note("ask")
}
func (f *fakeScreen) minimise()       { f.note("minimise") }
func (f *fakeScreen) restore(to spot) { f.note("restore %dx%d+%d+%d", to.width, to.height, to.x, to.y) }
func (f *fakeScreen) shrink(width, height int) {
	f.note("shrink %dx%d", width, height)
	f.size = spot{width: width, height: height}
}

// fakeDesktop is the rest of the desktop.
type fakeDesktop struct {
	tray, notifications bool
	told                notify.State
	closed              bool
}

func (f *fakeDesktop) Show(s notify.State) { f.told = s }
func (f *fakeDesktop) Tray() bool          { return f.tray }
func (f *fakeDesktop) Notifications() bool { return f.notifications }
func (f *fakeDesktop) Close()              { f.closed = true }

// room is a window on a desktop that a test sees. What the window does to its fakes
// happens under its lock, so a test looks at them under that, too.
type room struct {
	*window
	t       *testing.T
	screen  *fakeScreen
	desktop *fakeDesktop
	small   []bool // what the page was told of being small
	pings   int    // how often the page was asked whether it is there
	mute    bool   // it does not answer
	agents  int    // are connected
	untold  bool   // the person does not know that the window goes to the tray
	slept   time.Duration
	s       permission.Settings
	arrived int
}

func newRoom(t *testing.T, hidden bool) *room {
	r := &room{window: newWindow(), t: t, desktop: &fakeDesktop{tray: true, notifications: true}, s: permission.DefaultSettings()}
	r.screen = &fakeScreen{w: r.window, size: normal}
	r.stand(standing{shown: !hidden, spot: normal})
	r.made(r.screen, r.around(), hidden)
	r.joined(r.desktop)
	r.screen.did = nil
	r.here()
	return r
}

// around is the program about the window, whose page answers as long as it is not mute.
func (r *room) around() outside {
	return outside{
		compact: func(on bool) { r.small = append(r.small, on) },
		ping: func() {
			r.pings++
			if !r.mute {
				go r.here()
			}
		},
		connected: func() int { return r.agents },
		explained: func() bool { return !r.untold },
		explain:   func() { r.untold = false },
		slept:     func() time.Duration { return r.slept },
	}
}

// change changes what is around the window, under its lock.
func (r *room) change(what func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what()
}

// is wants something to be so, looked at under the window's lock.
func (r *room) is(what string, so func() bool) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !so() {
		r.t.Errorf("it is not so that %s", what)
	}
}

// wait sets how many calls wait; more than before have come just now.
func (r *room) wait(n int) {
	came := n > r.waiting.count
	if came {
		r.arrived++
	}
	r.set(r.s, queue{count: n, arrivals: r.arrived, newest: &notify.Asked{Agent: "a", Tool: "t"}}, came)
}

func (r *room) focus(on bool) { r.stand(standing{shown: true, focused: on, spot: r.screen.size}) }

// pass lets time go by, and what was due then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// told is what the rest of the desktop was told last.
func (r *room) told() notify.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.desktop.told
}

// offers changes what the desktop has.
func (r *room) offers(tray, notifications bool) {
	r.mu.Lock()
	r.desktop.tray, r.desktop.notifications = tray, notifications
	r.mu.Unlock()
	r.offered()
}

// knows wants the page to have been told these.
func (r *room) knows(want ...bool) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.small, want) {
		r.t.Errorf("the page knows %v, want %v", r.small, want)
	}
}

// did wants these things done to the window since it was asked last.
func (r *room) did(want ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.screen.did, want) {
		r.t.Errorf("the window: %q, want %q", r.screen.did, want)
	}
	r.screen.did = nil
}

// says wants a notification to stand, or none.
func (r *room) says(notifies bool) {
	r.t.Helper()
	if got := r.told().Notify; got != notifies {
		r.t.Errorf("a notification is %v, want %v", got, notifies)
	}
}

func bubble(t *testing.T, hidden bool, test func(r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRoom(t, hidden)) })
}

func TestComesUpForACall(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.wait(1)
		r.did("show")
		r.focus(true)
		r.wait(2) // the person is there: nothing moves
		r.did()
		r.focus(false)
		r.wait(3)
		r.did("show")
		r.wait(2)
		r.wait(0)
		pass(time.Minute)
		r.did()
		r.knows()
	})
}

func TestDoesNotComeUp(t *testing.T) {
	for name, set := range map[string]func(*permission.WindowSettings){
		"switched off": func(s *permission.WindowSettings) { s.PopUp = false },
		"quiet":        func(s *permission.WindowSettings) { s.Quiet = true },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, true, func(r *room) {
				set(&r.s.Window)
				r.wait(1)
				r.did()
				r.says(!r.s.Window.Quiet)
				pass(time.Minute)
				r.says(!r.s.Window.Quiet)
				if told := r.told(); told.Quiet != r.s.Window.Quiet || told.Waiting != 1 {
					t.Errorf("told %+v", told)
				}
				r.open("")
				r.did("show")
			})
		})
	}
}

func TestComesUpSmallAndGoesAgain(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.wait(1)
		r.did("shrink 560x640", "show")
		if !r.isCompact() {
			t.Error("the window is not small")
		}
		r.knows(true)
		r.focus(true)
		r.wait(2)
		r.wait(0)
		pass(lingering / 2)
		r.wait(1) // the next call of the same agent
		pass(time.Minute)
		r.did()
		r.wait(0)
		pass(lingering - time.Nanosecond)
		r.did()
		pass(time.Nanosecond)
		r.did("hide", "restore 1000x720+10+20")
		if r.isCompact() {
			t.Error("the window is still small")
		}
		r.knows(true, false)
		r.focus(false)
		r.wait(1)
		r.did("shrink 560x640", "show")
	})
}

// TestTheWholeSizeIsKept: what is told of the small window after that is over is not
// taken for the whole desk's size, and what a person makes of the desk is.
func TestTheWholeSizeIsKept(t *testing.T) {
	bubble(t, true, func(r *room) {
		small := spot{360, 130, 560, 640, false}
		for range 2 {
			r.wait(1)
			r.did("shrink 560x640", "show")
			r.stand(standing{shown: true, focused: true, spot: small})
			r.wait(0)
			pass(lingering)
			r.did("hide", "restore 1000x720+10+20")
			r.stand(standing{shown: true, spot: small}) // on its way before it was hidden
			r.stand(standing{spot: small})
		}
		r.open("")
		larger := spot{5, 5, 1200, 800, true}
		r.stand(standing{shown: true, focused: true, spot: normal})
		r.stand(standing{shown: true, focused: true, spot: larger})
		r.did("show")
		r.s.Window.CloseToTray = true
		r.wait(0)
		r.closing()
		r.wait(1)
		r.expand()
		r.did("hide", "shrink 560x640", "show", "restore 1200x800+5+5")
		r.stand(standing{shown: true, focused: true, spot: larger})
		r.stand(standing{shown: true, focused: true, spot: small}) // the person's own wish
		r.closing()
		r.wait(2)
		r.expand()
		r.did("hide", "shrink 560x640", "show", "restore 560x640+360+130")
	})
}

func TestMinimisedGoesBackThere(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.stand(standing{shown: true, minimised: true, spot: normal})
		r.wait(1)
		r.did("shrink 560x640", "show")
		r.focus(true)
		r.wait(0)
		pass(lingering)
		r.did("minimise", "restore 1000x720+10+20")
	})
}

func TestExpanded(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.expand() // there is nothing to expand
		r.did()
		r.wait(1)
		r.did("shrink 560x640", "show")
		r.expand()
		r.did("restore 1000x720+10+20")
		r.wait(0)
		pass(time.Minute)
		r.did()
		if r.isCompact() {
			t.Error("the window is still small")
		}
		r.knows(true, false)
	})
}

func TestOpenAndReview(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.review("") // what waited was settled just before
		r.did("show")
		r.s.Window.CloseToTray, r.s.Window.PopUp = true, false
		r.wait(1)
		r.closing()
		r.did("hide")
		r.review("-token")
		r.did("shrink 560x640", "show-token")
		r.open("-other")
		r.did("restore 1000x720+10+20", "show-other")
		r.review("")
		r.did("show")
	})
	synctest.Test(t, func(t *testing.T) { // before GTK said how large the window is
		r := &room{window: newWindow(), t: t, screen: &fakeScreen{}, desktop: &fakeDesktop{tray: true}, s: permission.DefaultSettings()}
		r.made(r.screen, r.around(), true)
		r.joined(r.desktop)
		r.wait(1)
		r.did("hide", "show")
		r.change(r.quit)
	})
}

func TestNotification(t *testing.T) {
	bubble(t, false, func(r *room) {
		sounds := func(want bool) {
			t.Helper()
			if r.told().Sound != want {
				t.Errorf("sounds: %v", !want)
			}
		}
		r.wait(1)
		r.says(false) // the window itself comes up
		r.focus(true)
		pass(time.Minute)
		r.says(false)
		r.focus(false)
		r.says(false)
		pass(settling)
		r.says(true) // the person left it
		sounds(false)
		r.focus(true)
		r.says(false)
		r.wait(0)
		r.focus(false)
		pass(time.Minute)
		r.says(false)

		r.wait(1) // it comes up, and the desktop does not let it have the keyboard
		r.says(false)
		pass(settling)
		r.says(true)
		sounds(true)
		r.s.Window.Sound = false
		r.wait(2)
		sounds(false)
		r.s.Window.Quiet = true
		r.wait(3)
		pass(time.Minute)
		r.says(false)
		r.s.Window.Quiet, r.s.Window.Sound = false, true
		r.wait(3)
		r.says(true)
		sounds(false) // it came while quiet was wanted
	})
}

func TestTellsWhatWaits(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.s.Hold, r.s.Language = true, "ru"
		q := queue{count: 7, more: true, arrivals: 3, high: true, newest: &notify.Asked{Tool: "t"}}
		r.set(r.s, q, false)
		want := notify.State{Waiting: 7, More: true, Arrivals: 3, High: true, Newest: q.newest, Notify: true, Sound: true, Held: true,
			Language: "ru"}
		if told := r.told(); told != want {
			t.Errorf("told %+v", told)
		}
	})
}

func TestClosing(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(r *room)
		stays   bool
		ends    bool
		then    []string
	}{
		{"ends the desk", func(r *room) { r.s.Window.CloseToTray = false }, true, true, nil},
		{"to the tray", func(r *room) { r.s.Window.CloseToTray = true }, true, false, []string{"hide"}},
		{"to a tray that is not there", func(r *room) { r.s.Window.CloseToTray, r.desktop.tray = true, false }, true, true, nil},
		{"when the program ends", func(r *room) { r.change(r.quit) }, false, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, false, func(r *room) {
				c.prepare(r)
				r.wait(0)
				if got := r.closing(); got != c.stays {
					t.Errorf("stays: %v", got)
				}
				r.did(c.then...)
				r.is("the desk ends", func() bool { return r.screen.ended == c.ends })
			})
		})
	}
	t.Run("what had been minimised", func(t *testing.T) {
		bubble(t, false, func(r *room) {
			r.stand(standing{shown: true, minimised: true, spot: normal})
			r.wait(1)
			r.s.Window.CloseToTray = false
			r.wait(0)
			r.closing()
			r.is("the desk ends", func() bool { return r.screen.ended })
		})
	})
	t.Run("what had come up by itself", func(t *testing.T) {
		bubble(t, true, func(r *room) {
			r.wait(1)
			r.focus(true)
			if !r.closing() {
				t.Error("the desk ended")
			}
			r.did("shrink 560x640", "show", "hide", "restore 1000x720+10+20")
			r.focus(false)
			pass(settling)
			r.says(true) // what waits still waits
			r.wait(2)
			r.did("shrink 560x640", "show")
		})
	})
}

func TestHiddenWindowStaysReachable(t *testing.T) {
	bubble(t, true, func(r *room) { // the tray comes late
		r.offers(false, false)
		pass(losing - time.Nanosecond)
		r.offers(true, false)
		pass(time.Minute)
		r.did()
		r.offers(false, true) // a notification leads back too
		pass(time.Minute)
		r.did()
		r.offers(false, false)
		pass(losing - time.Nanosecond)
		r.did()
		pass(time.Nanosecond)
		r.did("show")
	})
	bubble(t, false, func(r *room) { // one that is there stays as it is
		r.offers(false, false)
		pass(time.Minute)
		r.did()
	})
	synctest.Test(t, func(t *testing.T) { // nothing ever comes
		r := &room{window: newWindow(), t: t, screen: &fakeScreen{}, desktop: &fakeDesktop{}}
		r.made(r.screen, r.around(), true)
		pass(losing)
		r.did("hide", "show")
	})
}

func TestEndTakesAllAway(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.wait(1)
		r.wait(0)
		r.end()
		r.did("shrink 560x640", "show")
		pass(time.Minute)
		r.did()
		if !r.desktop.closed {
			t.Error("what stands beside the window was not closed")
		}
		r.offered()
		r.focus(true)
	})
}

// TestProgramsDoNotHearOfTheDriver: what tells the web view to load none is in C's environment alone.
func TestProgramsDoNotHearOfTheDriver(t *testing.T) {
	spareDriver()
	if said, err := exec.Command("env").Output(); err != nil || strings.Contains(string(said), "WEBKIT_WEB_RENDER_DEVICE_FILE=/dev/null") {
		t.Errorf("%v\n%s", err, said)
	}
}
