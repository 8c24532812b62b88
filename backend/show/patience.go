package show

import (
	"context"
	"time"
)

const (
	patience = 2 * time.Second // for the disk
	hands    = 8               // that wait for it at once
)

// waiter is one who waits for the disk.
type waiter struct {
	ctx   context.Context
	free  chan struct{} // holds one for each hand that is busy
	limit time.Duration
}

// patiently asks the disk something that it may never answer: a file system can hang,
// and one that an agent has mounted is the agent's to let hang. Then ok is false, and
// the hand that asked is lost until the disk answers, so there are only a few; when all
// are lost, nobody asks any more.
func patiently[T any](w waiter, ask func() T) (answer T, ok bool) {
	over := time.NewTimer(w.limit)
	defer over.Stop()
	select {
	case w.free <- struct{}{}:
	case <-over.C:
		return answer, false
	case <-w.ctx.Done():
		return answer, false
	}
	said := make(chan T, 1)
	go func() {
		defer func() { <-w.free }()
		said <- ask()
	}()
	select {
	case answer = <-said:
		return answer, true
	case <-over.C:
	case <-w.ctx.Done():
	}
	return answer, false
}
