package joined

import (
	"context"
	"fmt"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// reminder tells a member what the client wants of it that it cannot know: its predecessor
// was told, or its session before this one.
type reminder struct {
	log    *clientLog
	subs   *subscriptions
	judge  *judge
	within time.Duration
}

func (r *reminder) remind(ctx context.Context, p *peer) {
	ctx, cancel := context.WithTimeout(ctx, r.within)
	defer cancel()
	r.log.tell(ctx, p)
	r.subscribe(ctx, p)
}

// maxReminders is how often a member is reminded for one session that it has forgotten: it
// may forget the next one meanwhile, and one that forgets every session has to end.
const maxReminders = 3

// renewed reminds a member over HTTP that has forgotten its session.
func (r *reminder) renewed(ctx context.Context, p *peer) {
	state := &p.reminded
	state.mu.Lock()
	defer state.mu.Unlock()
	state.forgot = true
	if state.now {
		return // whoever does so goes on
	}
	state.now = true
	for i := 0; state.forgot && i < maxReminders; i++ {
		state.forgot = false
		state.mu.Unlock()
		r.remind(ctx, p)
		state.mu.Lock()
	}
	state.now = false
}

// subscribe subscribes again to what the client is subscribed to there.
func (r *reminder) subscribe(ctx context.Context, p *peer) {
	server := p.s.Server.ID
	if !p.terms().can.subscribe {
		return
	}
	for _, uri := range r.subs.at(server) {
		if r.judge.decides(ctx, mcpwire.Act{Method: mcpwire.Subscribe}, pair{server, uri}) == permission.Deny {
			r.log.warn("the server %s began anew, and the rules forbid the subscription to %.200s now", server, uri)
			continue
		}
		_, err := p.ask(ctx, mcpwire.Subscribe, fmt.Appendf(nil, `{"uri":%s}`, mcpwire.Quote(uri)))
		switch {
		case ctx.Err() != nil:
			r.log.warn("the server %s began anew, and did not take all subscriptions again in time", server)
			return
		case err != nil:
			r.log.warn("the server %s began anew, and did not take the subscription to %.200s again: %s", server, uri, err)
		}
	}
}
