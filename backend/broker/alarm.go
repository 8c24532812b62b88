package broker

import (
	"context"
	"math"
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

// never is later than any deadline.
const never = permission.Time(math.MaxInt64)

// alarm rings once for each deadline, from one goroutine, for those that are due together
// at once. A call has one lease, which moves; another deadline that moved on may ring for
// nothing: the transition's guard decides. A settled call's are forgotten.
type alarm struct {
	now  func() permission.Time
	ring func(context.Context, permission.Time, []permission.CallID) error

	mu     sync.Mutex
	due    queue
	leases leases
	wakes  permission.Time // when the goroutine looks again, as far as it was told
	nudge  chan struct{}
	stop   context.CancelFunc
	done   chan struct{}
}

func newAlarm(now func() permission.Time, ring func(context.Context, permission.Time, []permission.CallID) error) *alarm {
	ctx, cancel := context.WithCancel(context.Background())
	a := &alarm{now: now, ring: ring, leases: leases{of: map[permission.CallID]*running{}}, wakes: never, nudge: make(chan struct{}, 1),
		stop: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

func (a *alarm) close() {
	a.stop()
	<-a.done
}

// set gives calls their deadlines; a lease takes the place of the one before.
func (a *alarm) set(list ...deadline) {
	a.mu.Lock()
	for i := range list {
		if d := &list[i]; d.lease {
			a.leases.set(d.due)
		} else {
			a.due.push(d.due)
		}
	}
	first := a.first()
	sooner := first < a.wakes
	a.wakes = min(a.wakes, first)
	a.mu.Unlock()
	if !sooner {
		return
	}
	select {
	case a.nudge <- struct{}{}:
	default:
	}
}

// first is the next deadline. The caller holds the lock.
func (a *alarm) first() permission.Time {
	first := never
	if len(a.due.heap) > 0 {
		first = a.due.heap[0].at
	}
	if len(a.leases.heap) > 0 {
		first = min(first, a.leases.heap[0].at)
	}
	return first
}

// unset forgets a call's deadlines, as of a rev.
func (a *alarm) unset(id permission.CallID, rev int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.leases.unset(id, rev) {
		a.due.forget(id, rev)
	}
}

func (a *alarm) run(ctx context.Context) {
	defer close(a.done)
	for ctx.Err() == nil {
		at := a.now()
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
	again := a.now().Add(retryAfter)
	for _, id := range ids {
		a.set(deadline{due: due{at: again, id: id}})
	}
}

// next takes the deadlines that are due at a time, or says how long to sleep.
func (a *alarm) next(at permission.Time) (ids []permission.CallID, nap time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(ids) < ringTogether {
		switch first := a.first(); {
		case first > at:
			a.wakes = first
			return ids, min(first.Std().Sub(at.Std()), maxNap)
		case len(a.due.heap) > 0 && a.due.heap[0].at == first:
			ids = append(ids, a.due.pop().id)
		default:
			ids = append(ids, a.leases.pop().id)
		}
	}
	return ids, 0
}
