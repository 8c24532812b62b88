package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// quiet lets the page answer no more.
func (r *room) quiet() { r.change(func() { r.mute = true }) }

func TestPageIsAskedWhileCallsWait(t *testing.T) {
	bubble(t, false, func(r *room) {
		pass(time.Hour)
		r.is("a page for which nothing waits is left alone", func() bool { return r.pings == 0 })
		r.wait(1)
		pass(time.Minute)
		r.is("it is asked again and again", func() bool { return r.pings > 20 })
		r.wait(0)
		pass(pingEvery)
		before := r.pings
		pass(time.Hour)
		r.is("and then no more", func() bool { return r.pings == before })
		r.did("show")
	})
}

func TestPageThatDoesNotAnswerIsNotThere(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.focus(true)
		r.wait(1)
		pass(0)
		r.quiet()
		pass(pingEvery + patience - time.Nanosecond)
		r.says(false)
		r.did()
		pass(time.Nanosecond)
		r.says(true) // though the window has the keyboard
		r.did("renew")
		r.wait(2)
		r.did("show")
		r.open("")
		r.did("show", "renew") // a second start helps
		r.change(func() { r.mute = false })
		if !r.here() {
			t.Error("the page does not know that the one before it was lost")
		}
		if r.here() {
			t.Error("it is lost no more")
		}
		r.says(false)
		pass(time.Hour)
		r.did()
	})
}

func TestPageOutOfSightHasMoreTime(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.s.Window.PopUp = false
		r.quiet()
		r.wait(1)
		pass(hiddenPatience - time.Nanosecond)
		r.did()
		pass(time.Nanosecond)
		r.did("renew")
	})
	bubble(t, false, func(r *room) { // the machine slept
		r.focus(true)
		r.wait(1)
		pass(0)
		r.quiet()
		pass(pingEvery)
		r.change(func() { r.slept = time.Hour })
		pass(patience)
		r.did()
		pass(hiddenPatience)
		r.did("renew")
	})
}

func TestSlowPageGetsMoreTimeEachTime(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.quiet()
		r.wait(1)
		begin := time.Now()
		var at []time.Duration
		for range 4000 {
			pass(time.Second)
			r.change(func() {
				for _, did := range r.screen.did {
					if did == "renew" {
						at = append(at, time.Since(begin))
					}
				}
				r.screen.did = nil
			})
		}
		for i := 2; i < len(at); i++ {
			if was, is := at[i-1]-at[i-2], at[i]-at[i-1]; is < was || is > 64*hiddenPatience {
				t.Errorf("renewed after %v", at)
			}
		}
		if len(at) < 5 || len(at) > 12 {
			t.Errorf("renewed after %v", at)
		}
	})
}

func TestPageThatEndedIsLoadedAtOnce(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.focus(true)
		r.wait(1)
		pass(0)
		r.pageEnded()
		r.did("renew")
		r.says(true)
		r.here()
		r.says(false)
		r.pageEnded() // again, at once
		r.did()
		r.says(true)
		pass(2 * time.Second)
		r.did("renew")
		r.here()
		pass(2 * afterwards)
		r.pageEnded()
		r.did("renew") // it had been there for long
	})
}

// TestAPageThatIsThereBeforeTheWindow: the desk may take longer to open than its page to load.
func TestAPageThatIsThereBeforeTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{window: newWindow(), t: t, screen: &fakeScreen{}, desktop: &fakeDesktop{}}
		if !r.closing() {
			t.Error("what is not made was closed")
		}
		r.here()
		r.made(r.screen, r.around(), false)
		pass(2 * loading)
		r.did("appear")
		r.wait(1)
		pass(2 * pingEvery)
		r.is("the page is asked", func() bool { return r.pings > 0 })
		r.change(r.quit)
	})
}

func TestPageMayTakeLongToLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{window: newWindow(), t: t, screen: &fakeScreen{}, desktop: &fakeDesktop{}, mute: true}
		r.made(r.screen, r.around(), false)
		pass(loading - time.Nanosecond)
		r.here()
		pass(time.Millisecond)
		r.did("appear")
		r.change(r.quit)
	})
}
