package session

import (
	"slices"
	"sync"
)

// backlog is what waits for a session's GET stream. It is safe for use by many goroutines.
type backlog struct {
	wake chan struct{} // for the GET stream: there is more

	mu     sync.Mutex
	list   []waiting
	kept   int           // bytes in it
	getter chan struct{} // closed when another GET stream takes over
}

// add keeps a message of a member of a joined session, or of none (nil). It drops the oldest
// message of the member that has most over the limits.
func (b *backlog) add(member *Session, raw []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, waiting{raw, member})
	b.kept += len(raw)
	for len(b.list) > maxBacklog || (b.kept > maxKept && len(b.list) > 1) {
		i := crowded(b.list)
		b.kept -= len(b.list[i].raw)
		b.list = slices.Delete(b.list, i, i+1)
	}
	b.nudge()
}

// nudge tells the GET stream to look.
func (b *backlog) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take gives the oldest message, or nil.
func (b *backlog) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) == 0 {
		return nil
	}
	raw := b.list[0].raw
	b.list, b.kept = b.list[1:], b.kept-len(raw)
	return raw
}

// putBack puts a message back that could not be delivered.
func (b *backlog) putBack(raw []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list, b.kept = append([]waiting{{raw: raw}}, b.list...), b.kept+len(raw)
}

// listen makes the caller the one GET stream; replaced is closed when another one takes
// over, which a client opens when it believes the first one lost.
func (b *backlog) listen() (replaced <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.getter != nil {
		close(b.getter)
	}
	b.getter = make(chan struct{})
	return b.getter
}

// waiting is a message that waits for the GET stream.
type waiting struct {
	raw []byte
	of  *Session // the member that said it; nil where there is none
}

// crowded gives the oldest message of the one that fills most of a backlog, which has a
// bound of messages and one of bytes: what a member floods shall not cost the others' words.
func crowded(backlog []waiting) (oldest int) {
	alone := true
	for _, w := range backlog {
		alone = alone && w.of == backlog[0].of
	}
	if alone {
		return 0
	}
	fills := map[*Session]int{}
	for _, w := range backlog {
		fills[w.of] += len(w.raw) + maxKept/maxBacklog
	}
	for i, w := range backlog {
		if fills[w.of] > fills[backlog[oldest].of] {
			oldest = i
		}
	}
	return oldest
}
