package main

import (
	"strings"
	"testing"
)

func TestClosingAsksBeforeItEnds(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.offers(false, true) // no tray, whatever the setting
		r.wait(2)
		r.did("show")
		for range 2 {
			if !r.closing() {
				t.Fatal("the desk ended with calls waiting")
			}
		}
		r.did("ask") // once
		if q := r.screen.asked; !strings.Contains(q.Text, "2 calls wait for you") || q.No == "" {
			t.Errorf("asked %+v", q)
		}
		r.answered(false)
		r.is("the desk goes on", func() bool { return !r.screen.ended })
		r.closing()
		r.did("ask")
		r.answered(true)
		r.is("the desk ends", func() bool { return r.screen.ended })
		if r.closing() {
			t.Error("it was asked twice")
		}
	})
}

func TestClosingAsksForAgents(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.s.Window.CloseToTray = false
		r.wait(0)
		r.change(func() { r.agents = 1 })
		if !r.closing() || !strings.Contains(r.screen.asked.Text, "1 agent is connected") {
			t.Errorf("asked %+v", r.screen.asked)
		}
	})
}

func TestTrayIsExplainedOnce(t *testing.T) {
	bubble(t, false, func(r *room) {
		r.change(func() { r.untold = true })
		if !r.closing() {
			t.Fatal("the desk ended")
		}
		r.did("ask")
		if q := r.screen.asked; !strings.Contains(q.Text, "tray") || q.No != "" {
			t.Errorf("asked %+v", q)
		}
		r.answered(true)
		r.did("hide")
		r.open("")
		r.closing()
		r.did("show", "hide")
	})
}

func TestQuitSaysWhatEnds(t *testing.T) {
	bubble(t, true, func(r *room) {
		r.s.Window.PopUp = false
		r.wait(1)
		r.leave()
		r.did("show", "ask")
		r.is("it waits for the answer", func() bool { return !r.screen.ended })
		r.answered(true)
		r.is("the desk ends", func() bool { return r.screen.ended })
	})
	bubble(t, true, func(r *room) {
		r.leave()
		r.is("nothing is asked for nothing", func() bool { return r.screen.ended })
	})
}
