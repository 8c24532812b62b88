//go:build bindings

package main

import "sekisho/backend/server"

// take and open make a desk with nothing in it: this build only tells the generator of the
// bindings which methods there are.
func (a *App) take() error {
	a.server = &server.Server{}
	return nil
}

func (a *App) open() { close(a.opened) }

func (a *App) isOpen() error { return nil }

func (a *App) misused(err error) error { return err }
