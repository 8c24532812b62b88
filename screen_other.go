//go:build !linux || bindings

package main

import (
	"context"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"sekisho/backend/notify"
)

// wailsScreen is the window by what Wails offers on every system. That does not tell
// whether the window has the keyboard: it counts as having it.
type wailsScreen struct {
	life   context.Context // ends with the window
	window context.Context // Wails' handle of it
	hearing
}

// spareDriver has nothing to do where the web view is another.
func spareDriver() {}

// withheld reports that hiding the window at first is left to Wails.
func withheld() bool { return false }

func takeScreen(life, window context.Context, h hearing) screen {
	width, height := runtime.WindowGetSize(window)
	x, y := runtime.WindowGetPosition(window)
	h.stand(standing{shown: true, focused: true, spot: spot{x, y, width, height, runtime.WindowIsMaximised(window)}})
	return wailsScreen{life, window, h}
}

// slept is not known: after a sleep the page is loaded anew more often than it needs.
func slept() time.Duration { return 0 }

// appear does nothing: Wails shows the window.
func (s wailsScreen) appear() {}

func (s wailsScreen) show(string) {
	runtime.WindowShow(s.window)
	runtime.WindowUnminimise(s.window)
	runtime.WindowSetAlwaysOnTop(s.window, true)
	time.AfterFunc(time.Second, func() {
		if s.life.Err() == nil {
			runtime.WindowSetAlwaysOnTop(s.window, false)
		}
	})
}

func (s wailsScreen) hide() { runtime.WindowHide(s.window) }

func (s wailsScreen) minimise() { runtime.WindowMinimise(s.window) }

func (s wailsScreen) shrink(width, height int) {
	runtime.WindowUnmaximise(s.window)
	runtime.WindowSetSize(s.window, width, height)
	runtime.WindowCenter(s.window)
}

func (s wailsScreen) restore(to spot) {
	runtime.WindowSetSize(s.window, to.width, to.height)
	runtime.WindowSetPosition(s.window, to.x, to.y)
	if to.maximised {
		runtime.WindowMaximise(s.window)
	}
}

func (s wailsScreen) renew() { runtime.WindowReload(s.window) }

// endsItself is false: Wails' Quit ends the program.
const endsItself = false

// end asks Wails to quit again and again, until the program ends: a request that comes before its main loop
// runs is lost.
func (s wailsScreen) end() {
	go func() {
		for s.life.Err() == nil {
			runtime.Quit(s.window)
			select {
			case <-time.After(200 * time.Millisecond):
			case <-s.life.Done():
			}
		}
	}()
}

func (s wailsScreen) ask(q notify.Question) {
	kind, buttons := runtime.QuestionDialog, []string{q.No, q.Yes}
	if q.No == "" {
		kind, buttons = runtime.InfoDialog, []string{q.Yes}
	}
	go func() {
		said, err := runtime.MessageDialog(s.window, runtime.MessageDialogOptions{Type: kind, Title: q.Title, Message: q.Text, Buttons: buttons})
		s.answered(err == nil && (said == q.Yes || said == "Yes" || said == "Ok")) // Windows has words of its own
	}()
}
