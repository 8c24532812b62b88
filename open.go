//go:build !bindings

package main

import (
	"context"

	"sekisho/backend/place"
	"sekisho/backend/server"
)

// open opens the desk before the window, so that a folder which another desk
// holds, or a port that is taken, is said and nothing shows. No operator's
// credential exists here: the window is the operator.
func (a *App) open() (err error) {
	config := server.Config{Data: a.data, Listen: a.listen, Logger: a.log}
	if a.data == "" {
		if config.Data, err = place.Data(); err != nil {
			return err
		}
		config.DeskFile = place.Runtime(config.Data)
	}
	a.server, err = server.Open(context.Background(), config)
	return err
}
