package gateway

import (
	"context"
	"errors"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/trial"
	"sekisho/backend/upstream"
)

const tryWithin = 20 * time.Second

// Try starts a server as a session would, asks for its tools, and ends it with all that
// it started. words are the last of its standard error. An error is told to a person
// as it is.
func (g *Gateway) Try(ctx context.Context, server permission.Server) (tools []permission.OfferedTool, words string, err error) {
	if !g.enter() {
		return nil, "", errors.New("the desk is closing")
	}
	defer g.busy.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-g.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	found, err := trial.Run(ctx, tryWithin, func(limit int, to upstream.Listener) (upstream.Server, error) {
		return g.bridges.Connect(server, false, limit, to)
	}, func() upstream.Redactor {
		return upstream.NewRedactor(append(g.knownSecrets(server.ID), upstream.SecretsOf(server)...)) // a token may be renewed meanwhile
	})
	// an environment has ordinary words too
	names := upstream.NewRedactor(append(g.knownSecrets(server.ID), upstream.ValuesOf(server.Headers)...))
	for i := range found.Tools {
		found.Tools[i].Name = names.Text(found.Tools[i].Name)
	}
	return found.Tools, found.Words, err
}
