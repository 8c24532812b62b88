package joined

import (
	"context"
	"fmt"
	"sync"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// calls are the client's requests that are on their way to a member, or there.
type calls struct {
	mu sync.Mutex
	of map[string]*onward // by the key of the client's id

	serial int // of the last name
}

// onward is a call on its way to a member.
type onward struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
	peer   *peer // nil while it is opened
}

// name is what a request is known by: its id's key, or where many clients share the session, which
// may give the same, a name of its own.
func (c *calls) name(client *session.Session, key string) string {
	if !client.Shared {
		return key
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serial++
	return fmt.Sprint("#", c.serial)
}

// begin notes a request of the client; false when its id is taken.
func (c *calls) begin(key string, o *onward) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[key] != nil {
		return false
	}
	o.ended = make(chan struct{})
	c.of[key] = o
	return true
}

// give notes to which member a call goes.
func (c *calls) give(o *onward, p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.peer = p
}

func (c *calls) done(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.of[key].ended)
	delete(c.of, key)
}

// replace ends a call that the client sends again, since the connection broke on which its answer
// was to come, and waits for its end.
func (c *calls) replace(ctx context.Context, key string) {
	c.mu.Lock()
	o := c.of[key]
	c.mu.Unlock()
	if o == nil {
		return
	}
	o.cancel(session.ErrGone)
	select {
	case <-o.ended:
	case <-ctx.Done():
	}
}

// cancel brings the client's cancellation to where its call is: on the way to a member that
// is being opened, held, or at the member.
func (c *calls) cancel(ctx context.Context, m mcpwire.Message) {
	target, _ := mcpwire.Member(m.Params, "requestId")
	key, _ := mcpwire.IDKey(target)
	c.mu.Lock()
	var p *peer
	if o := c.of[key]; o != nil {
		if p = o.peer; p == nil || p.s.Admitted(key) == nil {
			o.cancel(session.CauseOf(m))
			p = nil
		}
	}
	c.mu.Unlock()
	if p != nil && p.s.CancelRequest(m) {
		p.hand(ctx, upstream.MessageOf(m))
	}
}
