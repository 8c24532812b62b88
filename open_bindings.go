//go:build bindings

package main

// open opens nothing: this build only tells the generator of the bindings which
// methods there are.
func (a *App) open() error { return nil }

func (a *App) misused(err error) error { return err }
