package projects

import (
	"context"
	"sync"

	"sekisho/backend/permission"
)

// news wakes those who wait for something to happen to a call. It is safe for use by many goroutines.
type news struct {
	mu sync.Mutex
	of map[permission.CallID][]chan struct{}
}

// listen hears what happens until ctx ends. Where it was too slow and missed something, it wakes all.
func (n *news) listen(ctx context.Context, subscribe func() (<-chan permission.Event, func())) {
	for ctx.Err() == nil {
		events, stop := subscribe()
		n.wake("") // of what happened in between
		n.follow(ctx, events)
		stop()
	}
}

// follow wakes for each event until ctx or the subscription ends.
func (n *news) follow(ctx context.Context, events <-chan permission.Event) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			if e.CallID != "" {
				n.wake(e.CallID)
			}
		case <-ctx.Done():
			return
		}
	}
}

// wake wakes those who wait for a call; "" is for any.
func (n *news) wake(id permission.CallID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id != "" {
		n.end(id)
		return
	}
	for of := range n.of {
		n.end(of)
	}
}

// end closes what waits for a call. The lock is the caller's.
func (n *news) end(id permission.CallID) {
	for _, w := range n.of[id] {
		close(w)
	}
	delete(n.of, id)
}

// next gives what is closed when something happens to a call, and forgets it.
func (n *news) next(id permission.CallID) (woken <-chan struct{}, forget func()) {
	w := make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of[id] = append(n.of[id], w)
	return w, func() { n.drop(id, w) }
}

func (n *news) drop(id permission.CallID, w chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.of[id]
	for i, x := range list {
		if x == w {
			n.of[id] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(n.of[id]) == 0 {
		delete(n.of, id)
	}
}
