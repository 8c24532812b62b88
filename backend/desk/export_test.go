package desk

import "context"

// Reload is what a desk does that finds a call or an edit of its own outdated.
func (d *Desk) Reload(ctx context.Context) error {
	d.Policy.turn.Lock()
	defer d.Policy.turn.Unlock()
	return d.Policy.turn.reload(ctx, false)
}
