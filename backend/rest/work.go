package rest

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// work is what goes on beside requests, or waits, and ends with the door.
type work struct {
	run     string // an id of this start of the desk: readers begin anew with another
	done    chan struct{}
	once    sync.Once
	closing sync.Mutex     // guards what begins against close
	playing sync.WaitGroup // demonstrations, and tries that are counted
}

func newWork() *work { return &work{run: uuid.NewString(), done: make(chan struct{})} }

// close ends all of it, and waits.
func (w *work) close() {
	w.once.Do(func() {
		w.closing.Lock()
		defer w.closing.Unlock()
		close(w.done)
	})
	w.playing.Wait()
}

// begin counts something in that close waits for; false once the door is closed.
func (w *work) begin() bool {
	w.closing.Lock()
	defer w.closing.Unlock()
	select {
	case <-w.done:
		return false
	default:
		w.playing.Add(1)
		return true
	}
}

// waiting gives a context that also ends with the door.
func (w *work) waiting(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	go func() {
		select {
		case <-w.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
