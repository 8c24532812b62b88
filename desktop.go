package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"sekisho/backend/desk"
	"sekisho/backend/notify"
	"sekisho/backend/permission"
)

// startup is told when the window is made; handle is Wails' own of it.
func (a *App) startup(handle context.Context) {
	a.choose = func(name string) (string, error) {
		return runtime.SaveFileDialog(handle, runtime.SaveDialogOptions{DefaultFilename: name})
	}
	failed := a.isOpen() != nil // what is heard of the window before it is made is lost
	screen := takeScreen(a.ctx, handle, a.window)
	if failed || a.told.Err() != nil {
		screen.end()
		return
	}
	a.window.made(screen, a.outside(handle), a.hidden)
	runtime.WindowSetMinSize(handle, minWidth, minHeight) // before, a window that is not shown has none
	a.join(handle)
	d := a.server.Desk
	r := &relay{desk: struct {
		*desk.Calls
		*desk.Policy
		*desk.Journal
	}{d.Calls, d.Policy, d.Journal}, window: a.window, log: a.log, autostart: a.autostart,
		hint: func(kind string, call permission.CallID) { runtime.EventsEmit(handle, "desk", kind, call) }}
	go r.run(a.ctx)
	context.AfterFunc(a.told, a.window.leaveNow)
	go func() {
		select {
		case err := <-a.server.Failed():
			a.log.Error("the agents' door broke", "error", err)
		case <-a.ctx.Done():
		}
	}()
}

// outside is what the window needs of the program.
func (a *App) outside(handle context.Context) outside {
	told := filepath.Join(a.folder, "told-of-tray")
	return outside{
		compact:   func(on bool) { runtime.EventsEmit(handle, "compact", on) },
		ping:      func() { runtime.EventsEmit(handle, "ping") },
		connected: a.server.Connected,
		explained: func() bool {
			_, err := os.Stat(told)
			return err == nil
		},
		explain: func() {
			if err := os.WriteFile(told, nil, 0o600); err != nil {
				a.log.Warn("keep that the tray was explained", "error", err)
			}
		},
		slept: slept,
	}
}

// join makes the desk known to the rest of the desktop. Nothing of it can decide.
func (a *App) join(handle context.Context) {
	d, err := notify.Open(notify.Options{
		Folder: a.folder, Icon: icon, Logger: a.log,
		Open: a.window.open, Review: a.window.review, Hold: a.hold, Changed: a.window.offered,
		Quit: a.window.leave,
	})
	if err != nil {
		a.log.Error("join the desktop", "error", err)
		return
	}
	a.window.joined(d)
}

// hold holds everything. It is never ended from outside of the window.
func (a *App) hold() {
	if err := a.server.Desk.Policy.Hold(a.ctx, true); err != nil {
		a.log.Error("hold everything", "error", err)
	}
}

// autostart lets the session start this program on this folder, or no longer.
func (a *App) autostart(on bool) {
	program, err := os.Executable()
	args := []string{"--hidden"}
	if a.data != "" {
		args = append(args, "--data", a.folder)
	}
	if a.listen != usualAddress {
		args = append(args, "--listen", a.listen)
	}
	if err == nil {
		err = notify.Autostart(on, program, args...)
	}
	if err != nil {
		a.log.Error("autostart", "error", err)
	}
}

// beforeClose reports whether the window stays when it was to close: always where not Wails ends the
// program. Wails asks that of a signal that ends it, too: such a signal is on its way here as well.
func (a *App) beforeClose(context.Context) (stays bool) {
	select {
	case <-a.told.Done():
		return endsItself
	case <-time.After(50 * time.Millisecond):
		return a.window.closing() || endsItself
	}
}

func (a *App) shutdown(context.Context) { a.stop() }

// opening is how long a desk that is told to end while it is opened has for that.
const opening = 3 * time.Second

// endUnopened ends the program, as a kill would, where the desk still is not open a while after that was
// told to end: a disk may hang.
func (a *App) endUnopened() {
	select {
	case <-a.opened:
	case <-time.After(opening):
		a.log.Error("told to end while the desk was opened")
		os.Exit(1)
	}
}

// listenToSignals makes told end when the program is told to.
func (a *App) listenToSignals() (stop func()) {
	a.told, stop = signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	return stop
}

// Here is the page's word that it is there. It reports whether the page before it was
// lost.
func (a *App) Here() bool { return a.window.here() }

// Compact reports whether the window is small, for the calls that wait alone.
func (a *App) Compact() bool { return a.window.isCompact() }

// Expand makes a small window as large as it was.
func (a *App) Expand() { a.window.expand() }
