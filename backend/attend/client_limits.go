package attend

import (
	"maps"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of what is learnt of a client.
const (
	leastPatience = 5 * time.Second
	mostPatience  = time.Hour
)

const (
	// backWithin is how soon a client that was told PENDING comes back, if it heard that.
	backWithin = time.Minute
	// wary is how often a client has to come back before it is trusted for longer than it
	// once left after, without a word why: that may have been a person who stopped the agent.
	wary = 4
)

// limits knows how long clients were seen to wait. What is learnt is of an agent's own
// client. It is safe for use by many goroutines.
type limits struct {
	mu     sync.Mutex
	habits map[agentClient]*habit
}

// agentClient is a client as an agent names it: another agent may give the same name to
// something else.
type agentClient struct {
	agent  permission.AgentID
	client string
}

// habit is what was seen of a client.
type habit struct {
	limit time.Duration // as in permission.ClientHabit
	grown time.Duration
	wary  int
	left  *leaving // the last one
	told  *told    // the last one
	fresh bool     // it is another than what is kept
}

// leaving is how a client left a held call.
type leaving struct {
	after    time.Duration
	timedOut bool // as it said
}

// told is a call that a client was told PENDING of.
type told struct {
	at    time.Time
	after time.Duration // it waited so long, or a little less
	hash  string        // of the tool and its input
}

// like reports whether two leavings show a limit: both say so, or came after the same time.
// One alone may be a person who stopped the agent.
func (l leaving) like(o leaving) bool {
	return l.timedOut && o.timedOut || (l.after-o.after).Abs() < l.after/20
}

// remember takes in what was seen before this process began.
func (p *limits) remember(all []permission.ClientHabit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range all {
		h := p.habit(agentClient{k.Agent, k.Client})
		h.limit, h.grown, h.wary = max(k.Limit, 0), min(k.Grown, mostPatience), k.Wary
	}
}

// news is what is to be kept of a client; false where that is kept already.
func (p *limits) news(who agentClient) (permission.ClientHabit, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habits[who]
	if h == nil || !h.fresh {
		return permission.ClientHabit{}, false
	}
	h.fresh = false
	return permission.ClientHabit{Agent: who.agent, Client: who.client, Limit: h.limit, Grown: h.grown, Wary: h.wary}, true
}

// of is how long a client waits, of which known is otherwise known; hard says that signs of
// life do not keep it waiting for longer than that.
func (p *limits) of(who agentClient, known time.Duration, hard bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habits[who]
	if h == nil {
		return known
	}
	if !hard {
		known = max(known, h.grown)
	}
	if h.limit > 0 {
		known = min(known, h.limit)
	}
	return known
}

// habit is that of a client, which is remembered from now on. The caller holds the lock.
func (p *limits) habit(who agentClient) *habit {
	h := p.habits[who]
	if h != nil {
		return h
	}
	if p.habits == nil {
		p.habits = map[agentClient]*habit{}
	}
	own := func(o agentClient, _ *habit) bool { return o.agent == who.agent }
	n := 0
	for o := range p.habits {
		if own(o, nil) {
			n++
		}
	}
	if n >= permission.MaxClientHabits {
		maps.DeleteFunc(p.habits, own) // of no other agent is anything forgotten
	}
	h = &habit{}
	p.habits[who] = h
	return h
}

// note takes note of a client that left a held call after a while. One that does so twice
// in like manner will do it again. One that leaves while it is trusted for longer than it was
// ever seen to wait is not trusted so long any more.
func (p *limits) note(who agentClient, l leaving) {
	if who.client == "" || l.after < leastPatience {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habit(who)
	before := h.left
	h.left = &l
	tried := l.after < h.grown && l.after >= h.grown/2 // it had come back after half of it
	switch limit := l.after; {
	case before != nil && l.like(*before):
		h.limited(max(limit, before.after))
	case tried && l.timedOut:
		h.limited(limit)
	case tried:
		h.grown, h.wary, h.fresh = limit, wary, true
	}
}

// limited notes a limit that a client has shown.
func (h *habit) limited(to time.Duration) {
	if h.limit == 0 || to < h.limit {
		h.limit, h.fresh = to, true
	}
}

// pending takes note of a client that is told PENDING of a request which was held here for a
// while: what it says that it waited elsewhere shows nothing. What it gives is told whether
// anybody heard that.
func (p *limits) pending(req *Request, held time.Duration) (heard func(error)) {
	who := agentClient{req.Agent.ID, req.Client}
	hash, err := rawjson.Hash(req.Call.ServerID, req.Call.ToolName, req.Call.Input)
	if who.client == "" || !req.Lively || err != nil || held < req.Patience/2 {
		return func(error) {}
	}
	this := &told{time.Now(), min(held+margin(req.Patience), req.Patience), hash}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habit(who)
	h.told = this
	return func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil && h.told == this {
			h.told = nil
		}
	}
}

// back takes note of a client that asks for the call that it was just told PENDING of: it had
// waited for that to the end, and is trusted for twice as long.
func (p *limits) back(req *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.habits[agentClient{req.Agent.ID, req.Client}]
	if h == nil || h.told == nil || time.Since(h.told.at) > backWithin {
		return
	}
	if hash, err := rawjson.Hash(req.Call.ServerID, req.Call.ToolName, req.Call.Input); err != nil || hash != h.told.hash {
		return
	}
	stayed := h.told.after
	h.told, h.fresh = nil, true
	if h.wary > 0 {
		h.wary--
		return
	}
	h.grown = max(h.grown, min(2*stayed, mostPatience))
}
