package broker

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// retryAfter is how soon an expiry is tried again when the store did not take it.
const retryAfter = time.Second

// maxNap bounds one sleep of the alarm. Deadlines are wall-clock times, while a
// timer counts monotonic time, which stands still while a machine is suspended.
const maxNap = 30 * time.Second

// alarm rings once for each deadline, from one goroutine over one heap. A
// deadline that moved on rings for nothing: the transition's guard decides.
type alarm struct {
	ring func(context.Context, permission.CallID) error

	mu    sync.Mutex
	due   deadlines
	nudge chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
}

func newAlarm(ring func(context.Context, permission.CallID) error) *alarm {
	ctx, cancel := context.WithCancel(context.Background())
	a := &alarm{ring: ring, nudge: make(chan struct{}, 1), stop: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

func (a *alarm) close() {
	a.stop()
	<-a.done
}

func (a *alarm) set(at time.Time, id permission.CallID) {
	a.mu.Lock()
	heap.Push(&a.due, deadline{at, id})
	a.mu.Unlock()
	select {
	case a.nudge <- struct{}{}:
	default:
	}
}

func (a *alarm) run(ctx context.Context) {
	defer close(a.done)
	for ctx.Err() == nil {
		id, nap := a.next()
		if id != "" {
			if err := a.ring(ctx, id); err != nil {
				a.set(time.Now().Add(retryAfter), id)
			}
			continue
		}
		timer := time.NewTimer(nap)
		select {
		case <-timer.C:
		case <-a.nudge:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// next takes a deadline that is due, or says how long to sleep.
func (a *alarm) next() (permission.CallID, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.due) == 0 {
		return "", maxNap
	}
	// Round(0) compares wall clocks.
	if wait := a.due[0].at.Sub(time.Now().Round(0)); wait > 0 {
		return "", min(wait, maxNap)
	}
	return heap.Pop(&a.due).(deadline).id, 0
}

type deadline struct {
	at time.Time
	id permission.CallID
}

type deadlines []deadline

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)        { *d = append(*d, x.(deadline)) }
func (d *deadlines) Pop() any {
	old := *d
	last := old[len(old)-1]
	*d = old[:len(old)-1]
	return last
}
