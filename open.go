//go:build !bindings

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/journalkey"
	"sekisho/backend/notify"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/server"
)

// take takes the folder and the port before there is a window, so that it is said when another has
// one of them, and nothing shows. No operator's credential exists here: the window is the operator.
func (a *App) take() (err error) {
	if err := a.findFolder(); err != nil {
		return err
	}
	config := server.Config{Data: a.folder, Listen: a.listen, Logger: a.log}
	if keys, err := journalkey.Folder(); err == nil {
		config.JournalKey = keys + "/"
	} else {
		a.log.Warn("the journal is not signed: there is no settings folder for its key", "err", err)
	}
	if a.data == "" {
		config.DeskFile = place.Runtime(a.folder)
	}
	a.server, err = server.Take(context.Background(), config)
	if errors.Is(err, server.ErrHeld) {
		return a.presentOther(err)
	}
	return err
}

// open opens the desk while the window is made, which takes longer. What needs the desk waits.
func (a *App) open() {
	defer close(a.opened)
	if a.failed = a.server.Open(context.Background()); a.failed != nil {
		return
	}
	calls, _, _, err := a.server.Desk.Calls.List(context.Background(), permission.Operator(), permission.CallFilter{Limit: 1, Brief: true})
	if err == nil && len(calls) == 0 {
		a.server.ListAhead() // the window of a new desk begins with the apps that could be connected
	}
	settings, err := a.server.Desk.Policy.Settings(context.Background())
	a.hidden = a.hidden || err == nil && settings.Window.StartHidden
}

// isOpen waits until the desk is open, and gives the error where it cannot be opened.
func (a *App) isOpen() error {
	<-a.opened
	return a.failed
}

// findFolder settles where the data are.
func (a *App) findFolder() (err error) {
	if a.folder = a.data; a.folder == "" {
		a.folder, err = place.Data()
	}
	return err
}

// presentOther asks the desk that runs on the folder already to bring its window up,
// which is all that a second start can do to it. One that has just started gets a
// moment to be found, and a message bus that says nothing no more than that.
func (a *App) presentOther(held error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for range 5 {
		if notify.Present(ctx, a.folder) {
			return errPresented
		}
		time.Sleep(200 * time.Millisecond)
	}
	return held
}

// misused asks the same when the command line makes no sense: whoever wrote it wants
// something of the desk, and gets to see it.
func (a *App) misused(err error) error {
	if a.findFolder() == nil && notify.Present(context.Background(), a.folder) {
		return fmt.Errorf("%w (a desk already runs there, and its window was asked to come up)", err)
	}
	return err
}
