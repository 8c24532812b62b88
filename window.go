package main

import (
	"sync"
	"time"

	"sekisho/backend/notify"
	"sekisho/backend/permission"
)

// spot is the size and the place of the window.
type spot struct {
	x, y, width, height int
	maximised           bool
}

// standing is how the window stands on the desktop.
type standing struct {
	shown, focused, minimised bool
	spot
}

// screen is the window as the desktop has it. Nothing of it waits for the desktop.
type screen interface {
	appear()           // for the first time
	show(token string) // over what covers it, with the keyboard where that is allowed
	hide()
	minimise()
	shrink(width, height int)
	restore(to spot)
	renew()                // loads the page anew
	ask(q notify.Question) // beside the page; the answer is heard
	end()                  // ends the program
}

// hearing is what is heard of a screen. None of it waits.
type hearing interface {
	stand(now standing)
	pageEnded()
	answered(yes bool)
}

// outside is what the window needs of the program beyond the desktop.
type outside struct {
	compact   func(bool)                 // tells the page
	ping      func()                     // asks the page whether it is there
	connected func() int                 // agents
	explained func() bool                // whether the person knows that the window goes to the tray
	explain   func()                     // the person was told
	slept     func() (all time.Duration) // for how long the machine has
}

// desktop is the rest of the desktop: notification and tray.
type desktop interface {
	Show(notify.State)
	Tray() bool
	Notifications() bool
	Close()
}

// nowhere is both as long as they are not there.
type nowhere struct{}

func (nowhere) appear()             {}
func (nowhere) show(string)         {}
func (nowhere) hide()               {}
func (nowhere) minimise()           {}
func (nowhere) shrink(int, int)     {}
func (nowhere) restore(spot)        {}
func (nowhere) renew()              {}
func (nowhere) ask(notify.Question) {}
func (nowhere) end()                {}
func (nowhere) Show(notify.State)   {}
func (nowhere) Tray() bool          { return false }
func (nowhere) Notifications() bool { return false }
func (nowhere) Close()              {}

const (
	compactWidth, compactHeight = 560, 640

	// settling is how long the window has to get the keyboard before a notification
	// speaks for it.
	settling = 700 * time.Millisecond
	// lingering is how long a small window stays when nothing waits any more: the
	// next call of the same agent shall not make it blink.
	lingering = 1500 * time.Millisecond
	// losing is how long the window stays hidden when there is no way back to it. At
	// the start of a session the tray may come late.
	losing = 3 * time.Second
)

// window decides when the window comes up and goes away, and what the rest of the
// desktop tells. It decides nothing about calls.
type window struct {
	mu       sync.Mutex
	screen   screen
	desktop  desktop
	outside  outside
	page     page
	settings permission.Settings
	waiting  queue
	stands   standing
	full     spot  // size and place of the whole desk
	shrunk   spot  // and of the small window, as far as it is not over
	hidden   bool  // put out of sight, with a way back
	back     *away // the window is small, and goes back there
	up, left time.Time
	heard    int // arrivals that the person was at the window for, or wanted quiet
	quitting bool
	answer   func(yes bool) // what becomes of the question that stands; nil is none
	alarms   map[string]*time.Timer
}

// queue is what waits.
type queue struct {
	count    int
	more     bool
	arrivals int // grows with each call whose caller has come to wait
	newest   *notify.Asked
	high     bool
}

// away is where a small window goes when nothing waits any more.
type away struct {
	spot
	hidden bool // else minimised
}

func newWindow() *window {
	return &window{screen: nowhere{}, desktop: nowhere{}, settings: permission.DefaultSettings(), alarms: map[string]*time.Timer{}}
}

// made takes the window once there is one; hidden says that it shall stay away.
func (w *window) made(s screen, o outside, hidden bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.screen, w.outside = s, o
	if hidden {
		w.hide()
	} else {
		w.screen.appear()
	}
	if w.alarms["page"] == nil { // the page has not said by now that it is there
		w.await(loading)
	}
}

// joined takes the rest of the desktop.
func (w *window) joined(d desktop) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.desktop = d
	w.tell()
}

// end takes away what stands beside the window.
func (w *window) end() {
	w.mu.Lock()
	d := w.desktop
	w.desktop, w.quitting = nowhere{}, true
	w.mu.Unlock()
	d.Close()
}

// stand takes how the window stands now.
func (w *window) stand(now standing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stands.focused && !now.focused {
		w.left = time.Now()
	}
	if !w.stands.focused && now.focused {
		w.ping()
	}
	w.stands = now
	w.measure()
	w.tell()
}

// measure keeps the size and the place of the whole desk. Word of the small window's
// can come late: after that is over, and then it is no news.
func (w *window) measure() {
	now := w.stands.spot
	switch {
	case w.back != nil:
		w.shrunk = now
	case now.width != w.shrunk.width || now.height != w.shrunk.height:
		w.full, w.shrunk = now, spot{}
	}
}

// set takes the settings, and what waits; come says that a caller has come to wait.
func (w *window) set(s permission.Settings, q queue, come bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settings, w.waiting = s, q
	if q.count > 0 {
		w.ping()
	}
	if come && s.Window.PopUp && !s.Window.Quiet && !w.there() {
		w.raise("", true)
	}
	if q.count == 0 && w.back != nil {
		w.after("lingering", lingering, func() {
			if w.waiting.count == 0 {
				w.putBack()
			}
		})
	}
	w.tell()
}

// open brings the window up as it is when nothing waits.
func (w *window) open(token string) { w.bring(token, false) }

// review brings the window up for what waits.
func (w *window) review(token string) { w.bring(token, true) }

func (w *window) bring(token string, small bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.raise(token, small && w.waiting.count > 0)
	if w.page.lost {
		w.renew()
	}
	w.ping()
	w.tell()
}

// raise brings the window up. One that was away comes small for a call, so that it
// is the call that is seen; one that is small grows when the desk is wanted.
func (w *window) raise(token string, small bool) {
	switch gone, known := w.hidden || w.stands.minimised, w.full.width > 0; {
	case small && gone && known && w.back == nil:
		w.back = &away{w.full, w.hidden}
		w.screen.shrink(compactWidth, compactHeight)
		w.outside.compact(true)
	case !small:
		w.grow()
	}
	w.hidden = false
	w.up = time.Now()
	w.screen.show(token)
}

// grow gives a small window its size back.
func (w *window) grow() {
	if w.back == nil {
		return
	}
	w.screen.restore(w.back.spot)
	w.back = nil
	w.outside.compact(false)
}

// putBack takes a small window back to where it came from.
func (w *window) putBack() {
	if w.back == nil {
		return
	}
	if w.back.hidden {
		w.hide()
	} else {
		w.screen.minimise()
		w.grow()
	}
}

func (w *window) hide() {
	w.hidden = true
	w.screen.hide()
	w.grow()
	w.keepReachable()
}

// expand is the person's wish to see the whole desk.
func (w *window) expand() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.grow()
}

// isCompact reports whether the window is small.
func (w *window) isCompact() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.back != nil
}

// offered takes note that a tray or notifications came or went.
func (w *window) offered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keepReachable()
	w.tell()
}

// keepReachable shows a hidden window that nothing leads back to.
func (w *window) keepReachable() {
	if !w.hidden || w.reachable() {
		return
	}
	w.after("losing", losing, func() {
		if w.hidden && !w.reachable() {
			w.raise("", false)
			w.tell()
		}
	})
}

func (w *window) reachable() bool { return w.desktop.Tray() || w.desktop.Notifications() }

// tell lets the rest of the desktop say what there is to say now.
func (w *window) tell() {
	s, q, now := w.settings.Window, w.waiting, time.Now()
	if w.there() || s.Quiet {
		w.heard = q.arrivals
	}
	speak := q.count > 0 && !w.there() && !s.Quiet
	if quiet := later(w.up, w.left).Add(settling).Sub(now); speak && quiet > 0 {
		speak = false // the window itself may be about to
		w.after("settling", quiet, w.tell)
	}
	w.desktop.Show(notify.State{
		Waiting: q.count, More: q.more, Arrivals: q.arrivals, Newest: q.newest, High: q.high,
		Notify: speak, Sound: s.Sound && q.arrivals > w.heard, Quiet: s.Quiet,
		Held: w.settings.Hold, Language: w.settings.Language,
	})
}

// there reports whether the person is at the window, and the page in it.
func (w *window) there() bool {
	return !w.page.lost && w.stands.focused && !w.hidden && !w.stands.minimised
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// after does something a while from now, once for each name.
func (w *window) after(name string, pause time.Duration, do func()) {
	if alarm := w.alarms[name]; alarm != nil {
		alarm.Stop()
	}
	w.alarms[name] = time.AfterFunc(pause, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.quitting {
			do()
		}
	})
}
