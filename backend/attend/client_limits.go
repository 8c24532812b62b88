package attend

import (
	"sync"
	"time"

	"sekisho/backend/permission"
)

// Bounds of what is learnt of a client.
const (
	leastPatience = 5 * time.Second
	maxClients    = 1000 // names that are remembered
)

// limits knows how long clients were seen to wait. What is learnt is of an agent's own
// client, and only shortens its patience. It is safe for use by many goroutines.
type limits struct {
	mu      sync.Mutex
	learnt  map[agentClient]time.Duration
	suspect map[agentClient]leaving // the last one of each
}

// agentClient is a client as an agent names it: another agent may give the same name to
// something else.
type agentClient struct {
	agent  permission.AgentID
	client string
}

// leaving is how a client left a held call.
type leaving struct {
	after    time.Duration
	timedOut bool // as it said
}

// like reports whether two leavings show a limit: both say so, or came after the same time.
// One alone may be a person who stopped the agent.
func (l leaving) like(o leaving) bool {
	return l.timedOut && o.timedOut || (l.after-o.after).Abs() < l.after/20
}

// of is how long a client waits, of which known is otherwise known.
func (p *limits) of(who agentClient, known time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if learnt, ok := p.learnt[who]; ok {
		return min(known, learnt)
	}
	return known
}

// note takes note of a client that left a held call after a while. One that does so twice
// in like manner will do it again.
func (p *limits) note(who agentClient, l leaving) {
	if who.client == "" || l.after < leastPatience {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before, again := p.suspect[who]
	if len(p.suspect) >= maxClients {
		p.suspect = nil
	}
	if p.suspect == nil {
		p.suspect, p.learnt = map[agentClient]leaving{}, map[agentClient]time.Duration{}
	}
	p.suspect[who] = l
	if !again || !l.like(before) {
		return
	}
	limit := max(l.after, before.after)
	if old, ok := p.learnt[who]; !ok || limit < old {
		p.learnt[who] = limit
	}
}
