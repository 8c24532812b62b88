package projects

import (
	"context"
	"time"

	"sekisho/backend/permission"
)

// leastUnclaimed is how long a caller that comes back to an approved call waits at least for a client.
const leastUnclaimed = 15 * time.Second

// Executed waits for the end of an approved call that a client executes; see attend.Elsewhere.
func (d *Door) Executed(ctx context.Context, agent permission.Agent, id permission.CallID, since time.Time) (permission.Call, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.closing, cancel)()
	c, err := d.calls.Call(context.WithoutCancel(ctx), permission.Party{Agent: &agent}, id)
	if err != nil {
		return c, err
	}
	if c.Status == permission.Approved {
		until := since.Add(min(leastUnclaimed, d.opts.Unclaimed))
		if c.Decision != nil {
			if yes := c.Decision.DecidedAt.Std().Add(d.opts.Unclaimed); yes.After(until) {
				until = yes
			}
		}
		within, stop := context.WithDeadline(ctx, until)
		defer stop()
		c, err = d.wait(within, agent, id, func(c *permission.Call) bool { return c.Status != permission.Approved })
		switch {
		case ctx.Err() != nil:
			return c, nil
		case within.Err() != nil && c.Status == permission.Approved:
			return d.calls.Unclaimed(context.WithoutCancel(ctx), id)
		case err != nil:
			return c, err
		}
	}
	c, err = d.wait(ctx, agent, id, func(c *permission.Call) bool { return c.Status != permission.Claimed })
	if ctx.Err() != nil {
		err = nil
	}
	return c, err
}
