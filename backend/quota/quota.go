// Package quota counts what was allowed, in sliding windows of time: by rule, for the limits
// of rules, and by call, for the brake of loops (CONTRACT section 6). It knows no clock and
// keeps nothing: the store, which alone says what was allowed, counts it in the transaction
// that it is written in, takes back what came to nothing, and at a start counts what is
// stored. So looking whether a place is left and taking it are one step, whoever else asks
// at the same time; whoever only looks may be told of a place that is gone a moment later.
package quota

import (
	"hash/maphash"
	"sync"
)

// Limit is how many counts there may be in a sliding window. Times are in milliseconds.
type Limit struct{ Calls, Seconds int64 }

// What is kept at most of one rule.
const (
	maxTimes = 1_000_000
	maxAge   = 30 * 24 * 3600 // seconds
)

// Counts is what was allowed lately. It is safe for use by many goroutines.
type Counts struct {
	mu    sync.RWMutex
	rules map[string]*window
	brake *Limit // nil counts no calls
	same  map[uint64]*window
	order []mark // of same, in the order of counting
	seed  maphash.Seed
}

// mark is one count of a call.
type mark struct {
	call uint64
	at   int64
}

// New makes empty counts, with the brake off.
func New() *Counts {
	return &Counts{rules: map[string]*window{}, seed: maphash.MakeSeed()}
}

// Full reports whether a rule has allowed as many calls as its limit says, before a time.
func (c *Counts) Full(rule string, limit Limit, at int64) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.rules[rule].full(limit, at)
}

// Take counts a call for a rule. GiveBack is its opposite.
func (c *Counts) Take(rule string, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.rules[rule]
	if w == nil {
		w = new(window)
		c.rules[rule] = w
	}
	w.add(at)
	w.forget(before(at, maxAge), maxTimes)
}

// GiveBack takes a count of a rule away again.
func (c *Counts) GiveBack(rule string, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules[rule].remove(at)
}

// SetBrake says how often the same call is allowed, and begins to count anew.
func (c *Counts) SetBrake(limit *Limit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brake, c.same, c.order = limit, map[uint64]*window{}, nil
}

// Call is what the brake takes for the same call: one of a session or, where each request
// is a session of its own, of an agent.
type Call struct{ Agent, Session, InputHash string }

func (c *Counts) key(call Call) uint64 {
	return (maphash.String(c.seed, call.InputHash)*31+maphash.String(c.seed, call.Session))*31 +
		maphash.String(c.seed, call.Agent)
}

// Braked gives the brake where a call was allowed as often as it says, and more would be
// allowed with others, before a time; nil is none.
func (c *Counts) Braked(call Call, more int64, at int64) *Limit {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.brake == nil {
		return nil
	}
	left := Limit{Calls: c.brake.Calls - more, Seconds: c.brake.Seconds}
	if left.Calls > 0 && !c.same[c.key(call)].full(left, at) {
		return nil
	}
	return c.brake
}

// Allowed counts a call for the brake. Disallowed is its opposite.
func (c *Counts) Allowed(call Call, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.brake == nil {
		return
	}
	c.sweep(before(at, c.brake.Seconds))
	key := c.key(call)
	w := c.same[key]
	if w == nil {
		w = new(window)
		c.same[key] = w
	}
	w.add(at)
	c.order = append(c.order, mark{key, at})
}

// Disallowed takes a count of a call away again.
func (c *Counts) Disallowed(call Call, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.same[c.key(call)].remove(at)
}

// Anew begins to count a call anew, and gives what puts its counts back.
func (c *Counts) Anew(call Call) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := c.key(call)
	w := c.same[key]
	delete(c.same, key)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if w != nil {
			c.same[key] = w
		}
	}
}

// sweep forgets calls that were counted until a time.
func (c *Counts) sweep(until int64) {
	for len(c.order) > 0 && c.order[0].at <= until {
		key := c.order[0].call
		c.order = c.order[1:]
		w := c.same[key]
		w.forget(until, maxTimes)
		if w != nil && len(w.times) == 0 {
			delete(c.same, key)
		}
	}
}
