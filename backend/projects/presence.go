package projects

import (
	"context"
	"errors"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
)

// presence is an agent that waits for a call: it is there while it has a request open, and for a
// minute after each. What it waits for goes on as long.
type presence struct {
	asks  int // requests that are open
	timer *time.Timer
}

// enter says that the agent of a call asks now; leave, that it has its answer. Where nobody waited
// before, attend begins. A call that is past waiting needs nobody.
func (d *Door) enter(agent permission.Agent, s permission.Server, c *permission.Call) (leave func()) {
	if c.Status != permission.Pending && c.Status != permission.Approved {
		return func() {}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.there[c.ID]
	if p == nil {
		if d.closing.Err() != nil {
			return func() {}
		}
		p = d.begin(agent, s, c)
	}
	p.asks++
	p.timer.Stop()
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if p.asks--; p.asks == 0 && d.there[c.ID] == p {
			p.timer.Reset(d.opts.Gone)
		}
	}
}

// begin lets what an agent waits for go on, until it is gone. The lock is the caller's.
func (d *Door) begin(agent permission.Agent, s permission.Server, c *permission.Call) *presence {
	ctx, cancel := context.WithCancelCause(d.closing)
	p := &presence{timer: time.AfterFunc(time.Hour, func() { cancel(attend.ErrGone) })}
	p.timer.Stop()
	d.there[c.ID] = p
	again := requestOf(c)
	d.busy.Go(func() {
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			p.timer.Stop()
			delete(d.there, c.ID)
			cancel(nil)
		}()
		d.attend(ctx, agent, s, again, c.ID)
	})
	return p
}

// requestOf is what a call was asked for with.
func requestOf(c *permission.Call) permission.Request {
	r := permission.Request{Identity: permission.Identity{RunID: c.RunID, ToolCallID: c.ToolCallID, Held: true}, ServerID: c.ServerID,
		Method: c.Method, ToolName: c.ToolName, Input: c.Input, Cwd: c.Cwd}
	if c.Original != nil {
		r.Input = c.Original.Input
	}
	if permission.RunID(c.SessionID) != c.RunID {
		r.SessionID = c.SessionID
	}
	r.Stateless = c.RunID == noSession
	return r
}

// attend takes a call, for its agent, to where it is claimed or settled.
func (d *Door) attend(ctx context.Context, agent permission.Agent, s permission.Server, r permission.Request, id permission.CallID) {
	for {
		c, created, err := d.calls.Ask(context.WithoutCancel(ctx), agent, r) // which says that its caller is there
		if err == nil && (created || c.ID != id) {
			err = errors.New("the call is gone")
		}
		if err == nil {
			c, err = d.wait(ctx, agent, id, func(c *permission.Call) bool { return c.Status != permission.Pending })
		}
		switch {
		case err != nil && ctx.Err() == nil:
			d.opts.Logger.Error("attend to a call of a workspace", "call", id, "error", err)
			d.goAway(agent, id)
			return
		case ctx.Err() != nil:
			d.goAway(agent, id)
			return
		case c.Status != permission.Approved:
			return
		case s.RunsHere():
			d.runHere(ctx, agent, s, r)
		default:
			d.awaitClient(ctx, agent, id)
		}
		c, err = d.calls.Call(context.WithoutCancel(ctx), permission.Party{Agent: &agent}, id)
		if err != nil || c.Status != permission.Pending && c.Status != permission.Approved {
			return
		}
		if ctx.Err() != nil {
			d.goAway(agent, id)
			return
		}
	}
}

// awaitClient waits until a client claims the call, and lets it expire where none does.
func (d *Door) awaitClient(ctx context.Context, agent permission.Agent, id permission.CallID) {
	within, cancel := context.WithTimeout(ctx, d.opts.Unclaimed)
	defer cancel()
	_, err := d.wait(within, agent, id, func(c *permission.Call) bool { return c.Status != permission.Approved })
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, context.DeadlineExceeded):
		_, err = d.calls.Unclaimed(context.WithoutCancel(ctx), id)
		fallthrough
	case err != nil:
		if err != nil {
			d.opts.Logger.Error("wait for a client", "call", id, "error", err)
		}
	}
}

// leaveWithin bounds what is told to the desk of an agent that is gone.
const leaveWithin = 5 * time.Second

// goAway says that the agent of a call is gone: the call stays, and nothing executes it until the
// agent is back.
func (d *Door) goAway(agent permission.Agent, id permission.CallID) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	if _, err := d.calls.Leave(ctx, agent, id); err != nil {
		d.opts.Logger.Error("leave a call of a workspace", "call", id, "error", err)
	}
}

// wait waits until a call is as it should be, or ctx ends: that is an error.
func (d *Door) wait(ctx context.Context, agent permission.Agent, id permission.CallID,
	enough func(*permission.Call) bool) (permission.Call, error) {
	for {
		woken, forget := d.news.next(id)
		c, err := d.calls.Call(context.WithoutCancel(ctx), permission.Party{Agent: &agent}, id)
		if err != nil || enough(&c) {
			forget()
			return c, err
		}
		select {
		case <-woken:
		case <-ctx.Done():
			forget()
			return c, ctx.Err()
		}
	}
}
