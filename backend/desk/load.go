package desk

import (
	"context"
	"errors"
)

// load reads the whole catalogue.
func (d *Catalogue) load(ctx context.Context) error {
	d.pinning.Lock()
	defer d.pinning.Unlock()
	for _, step := range []func(context.Context) error{d.readServers, d.loadAgents, d.loadTools} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// resettle lets settle change what is stored, and reads the catalogue anew: nobody pins a
// tool between the two.
func (d *Catalogue) resettle(ctx context.Context, settle func() error) error {
	d.pinning.Lock()
	defer d.pinning.Unlock()
	if err := settle(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return errors.Join(d.readServers(ctx), d.loadAgents(ctx), d.loadTools(ctx))
}
