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

// ringTogether bounds how many deadlines one ring tells of.
const ringTogether = 256

// alarm rings once for each deadline, from one goroutine over one heap, for those
// that are due together at once. A deadline that moved on rings for nothing: the
// transition's guard decides.
type alarm struct {
	ring func(context.Context, permission.Time, []permission.CallID) error

	mu    sync.Mutex
	due   deadlines
	nudge chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
}

func newAlarm(ring func(context.Context, permission.Time, []permission.CallID) error) *alarm {
	ctx, cancel := context.WithCancel(context.Background())
	a := &alarm{ring: ring, nudge: make(chan struct{}, 1), stop: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

func (a *alarm) close() {
	a.stop()
	<-a.done
}

func (a *alarm) set(list ...deadline) {
	a.mu.Lock()
	for _, d := range list {
		a.due.add(d)
	}
	a.mu.Unlock()
	select {
	case a.nudge <- struct{}{}:
	default:
	}
}

func (a *alarm) run(ctx context.Context) {
	defer close(a.done)
	for ctx.Err() == nil {
		at := now() // wall clock, also for those who are rung: it could step back
		ids, nap := a.next(at)
		if len(ids) > 0 {
			a.tell(ctx, at, ids)
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

// tell rings, and once more later when that did no good.
func (a *alarm) tell(ctx context.Context, at permission.Time, ids []permission.CallID) {
	if a.ring(ctx, at, ids) == nil {
		return
	}
	again := now().Add(retryAfter)
	for _, id := range ids {
		a.set(deadline{again, id})
	}
}

// next takes the deadlines that are due at a time, or says how long to sleep.
func (a *alarm) next(at permission.Time) (ids []permission.CallID, nap time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.due) > 0 && a.due[0].at <= at && len(ids) < ringTogether {
		ids = append(ids, heap.Pop(&a.due).(deadline).id)
	}
	if len(a.due) == 0 {
		return ids, maxNap
	}
	return ids, min(a.due[0].at.Std().Sub(at.Std()), maxNap)
}

type deadline struct {
	at permission.Time
	id permission.CallID
}

type deadlines []deadline

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at < d[j].at }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)        { *d = append(*d, x.(deadline)) }

// add is heap.Push for one type: thousands of deadlines can be set at once.
func (d *deadlines) add(x deadline) {
	*d = append(*d, x)
	list := *d
	at := len(list) - 1
	for at > 0 {
		up := (at - 1) / 2
		if list[up].at <= x.at {
			break
		}
		list[at] = list[up]
		at = up
	}
	list[at] = x
}

func (d *deadlines) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = deadline{} // lets the id go
	*d = old[:len(old)-1]
	return last
}
