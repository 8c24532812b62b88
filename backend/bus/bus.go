// Package bus fans events out to windows and streams. A subscriber that does
// not keep up is dropped, never waited for.
package bus

import (
	"sync"

	"sekisho/backend/permission"
)

// Buffer is how many events a subscriber may lag behind.
const Buffer = 1024

// Bus is a fan-out. The zero value is not ready: use New.
type Bus struct {
	mu     sync.Mutex
	subs   map[chan permission.Event]struct{}
	closed bool
}

// New makes an empty bus.
func New() *Bus { return &Bus{subs: map[chan permission.Event]struct{}{}} }

// Publish hands the events to every subscriber without waiting. One whose buffer
// is full is dropped: its channel is closed.
func (b *Bus) Publish(events []permission.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.subs {
		if !offer(c, events) {
			delete(b.subs, c)
			close(c)
		}
	}
}

func offer(c chan permission.Event, events []permission.Event) bool {
	for _, e := range events {
		select {
		case c <- e:
		default:
			return false
		}
	}
	return true
}

// Subscribe gives events from now on. The channel is closed when the subscriber
// was dropped, called stop, or the bus was closed.
func (b *Bus) Subscribe() (<-chan permission.Event, func()) {
	c := make(chan permission.Event, Buffer)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		close(c)
		return c, func() {}
	}
	b.subs[c] = struct{}{}
	return c, func() { b.drop(c) }
}

func (b *Bus) drop(c chan permission.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.subs[c]; ok {
		delete(b.subs, c)
		close(c)
	}
}

// Close ends every subscription.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for c := range b.subs {
		delete(b.subs, c)
		close(c)
	}
}
