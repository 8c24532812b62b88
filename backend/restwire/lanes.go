package restwire

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// What one agent may have under way at once. Each bound is an agent's own, so that
// a flood stands in its own way and in nobody else's.
const (
	// turns are the requests at work; one with a body takes as many as it has MiB.
	// So the bodies of an agent take 64 MiB at most: two of the largest, or as many
	// small asks as fill a commit of the store.
	turns    = 64
	turnSize = 1 << 20
	// turnMembers is how many members and elements of a body are parsed for one more of
	// as many turns: what a text costs in memory goes by them and not by its bytes. A
	// body with fewer takes none.
	turnMembers = 4096
	// maxQueued requests wait for a turn, for turnWithin at most: a burst goes through,
	// a flood is answered at once. One that waits costs its connection and no body.
	maxQueued  = 1024
	turnWithin = 10 * time.Second
	// maxPolls long polls: one for each call that an agent may have pending, unless
	// the settings raise that; then the stream tells with one connection.
	maxPolls = 1024
	// maxStreams of events: each is told of every event, so that they cost more than
	// a poll, and a program needs one.
	maxStreams = 64
)

// Held is a kind of request that waits for what happens.
type Held int

// The kinds.
const (
	Polls Held = iota
	Streams
	kindsHeld
)

// most of a kind an agent may have, and what it is told beyond.
func (k Held) most() (n int, said string) {
	if k == Polls {
		return maxPolls, "this agent has %d long polls open, the most that one may: follow /v1/events instead"
	}
	return maxStreams, "this agent has %d streams open, the most that one may"
}

// Lanes counts what every agent has under way. An agent with nothing has no lane.
// They go by the token and not by who has it, since to find that out is work too.
type Lanes struct {
	mu sync.Mutex
	of map[laneKey]*lane
}

// laneKey is the hash of an agent's token; the zero key is a person's, who has no
// lane.
type laneKey [sha256.Size]byte

func laneOf(token string) laneKey { return sha256.Sum256([]byte(token)) }

// lane is that of an authenticated request.
func (c Caller) lane() laneKey {
	if c.IsOperator() {
		return laneKey{}
	}
	return laneOf(c.Token)
}

// stage is what turns are taken for: a request at work takes those of its bytes before
// its body is read, and then those of its members before it is parsed. Nobody takes them
// in the other order, so that no two requests wait for each other.
type stage int

const (
	reading stage = iota
	parsing
	stages
)

type lane struct {
	lines [stages]line
	held  [kindsHeld]int
}

// line is the queue of one stage.
type line struct {
	used  int // turns taken
	queue []*turn
}

// turn is a place in a queue.
type turn struct {
	weight int
	mine   chan struct{} // closed when its time has come
}

func newLanes() *Lanes { return &Lanes{of: map[laneKey]*lane{}} }

// enter waits for turns of an agent at a stage. It is not ok when too many wait already, or
// when it took too long. A person has no lane: leave is then to be called as well.
func (l *Lanes) enter(ctx context.Context, who laneKey, at stage, weight int) (leave func(), ok bool) {
	if who == (laneKey{}) || weight == 0 {
		return func() {}, true
	}
	t := l.line(who, at, weight)
	if t == nil {
		return nil, false
	}
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	select {
	case <-t.mine:
		return func() { l.end(who, at, t) }, true
	case <-ctx.Done():
	case <-late.C:
	}
	l.end(who, at, t)
	return nil, false
}

// line puts a turn at the end of its queue, which may be the front; nil is no room.
func (l *Lanes) line(who laneKey, at stage, weight int) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	in := &l.lane(who).lines[at]
	if len(in.queue) >= maxQueued {
		return nil
	}
	t := &turn{weight, make(chan struct{})}
	in.queue = append(in.queue, t)
	in.advance()
	return t
}

// end gives a turn back, whether its time had come or not.
func (l *Lanes) end(who laneKey, at stage, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in := &l.lane(who).lines[at]
	if i := slices.Index(in.queue, t); i >= 0 {
		in.queue = slices.Delete(in.queue, i, i+1)
	} else {
		in.used -= t.weight
	}
	in.advance()
	l.tidy(who)
}

// Wait counts one more request of a caller that waits for what happens; an error is too many.
func (l *Lanes) Wait(c Caller, kind Held) (leave func(), err error) {
	who := c.lane()
	if who == (laneKey{}) {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.lane(who)
	if most, said := kind.most(); at.held[kind] >= most {
		return nil, busy(fmt.Sprintf(said, most))
	}
	at.held[kind]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		at.held[kind]--
		l.tidy(who)
	}, nil
}

func (l *Lanes) lane(who laneKey) *lane {
	at := l.of[who]
	if at == nil {
		at = &lane{}
		l.of[who] = at
	}
	return at
}

func (l *Lanes) tidy(who laneKey) {
	at := l.of[who]
	for i := range at.lines {
		if at.lines[i].used > 0 || len(at.lines[i].queue) > 0 {
			return
		}
	}
	if at.held == [kindsHeld]int{} {
		delete(l.of, who)
	}
}

// advance lets those in front go, in their order: a large one is not passed by
// small ones for ever.
func (l *line) advance() {
	for len(l.queue) > 0 && l.used+l.queue[0].weight <= turns {
		l.used += l.queue[0].weight
		close(l.queue[0].mine)
		l.queue = slices.Delete(l.queue, 0, 1)
	}
}

// weightOf says how many turns a request takes. One that does not say its length
// may be of any.
func weightOf(r *http.Request) int {
	size := min(r.ContentLength, maxBody)
	if size < 0 {
		size = maxBody
	}
	return max(1, int((size+turnSize-1)/turnSize))
}

func (l *Lanes) takeReading(r *http.Request, who laneKey, weight int) (leave func(), p *Problem) {
	leave, ok := l.enter(r.Context(), who, reading, weight)
	if !ok {
		return nil, tooMuch()
	}
	return sync.OnceFunc(leave), nil
}

// takeParsing holds a body that was read back until there is room for what it has in it.
func (l *Lanes) takeParsing(ctx context.Context, who laneKey, members int) (leave func(), p *Problem) {
	leave, ok := l.enter(ctx, who, parsing, min(members/turnMembers, turns))
	if !ok {
		return nil, tooMuch()
	}
	return leave, nil
}

func tooMuch() *Problem {
	return busy(
		fmt.Sprintf(
			"this agent has too much under way: %d requests at once, %d MiB of bodies, or %d members and elements in these, and %d that wait",
			turns, turns*turnSize>>20, turns*turnMembers, maxQueued))
}
