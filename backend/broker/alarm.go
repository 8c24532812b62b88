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
// that are due together at once. A call has one lease, which is forgotten when the call
// is settled, since calls that run come by the thousand. Another deadline that moved on
// rings for nothing: the transition's guard decides.
type alarm struct {
	ring func(context.Context, permission.Time, []permission.CallID) error

	mu    sync.Mutex
	due   deadlines
	of    map[permission.CallID]*deadline // leases
	nudge chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
}

func newAlarm(ring func(context.Context, permission.Time, []permission.CallID) error) *alarm {
	ctx, cancel := context.WithCancel(context.Background())
	a := &alarm{ring: ring, of: map[permission.CallID]*deadline{}, nudge: make(chan struct{}, 1), stop: cancel, done: make(chan struct{})}
	go a.run(ctx)
	return a
}

func (a *alarm) close() {
	a.stop()
	<-a.done
}

// set gives calls their deadlines, in the place of earlier ones.
func (a *alarm) set(list ...deadline) {
	a.mu.Lock()
	for _, d := range list {
		a.put(d)
	}
	sooner := len(a.due) > 0 && a.due[0].fresh
	if sooner {
		a.due[0].fresh = false
	}
	a.mu.Unlock()
	if !sooner {
		return
	}
	select {
	case a.nudge <- struct{}{}:
	default:
	}
}

// put gives a call its deadline. The caller holds the lock.
func (a *alarm) put(d deadline) {
	d.fresh = true
	if !d.lease {
		heap.Push(&a.due, &d)
		return
	}
	if old := a.of[d.id]; old != nil {
		if old.rev > d.rev {
			return // two changes of a call can arrive here in the other order
		}
		d.place = old.place
		*old = d
		heap.Fix(&a.due, old.place)
		return
	}
	a.of[d.id] = &d
	heap.Push(&a.due, &d)
}

// unset forgets a call's lease, as of a rev.
func (a *alarm) unset(id permission.CallID, rev int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.of[id]; d != nil && d.rev <= rev {
		delete(a.of, id)
		heap.Remove(&a.due, d.place)
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
		a.set(deadline{at: again, id: id})
	}
}

// next takes the deadlines that are due at a time, or says how long to sleep.
func (a *alarm) next(at permission.Time) (ids []permission.CallID, nap time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.due) > 0 && a.due[0].at <= at && len(ids) < ringTogether {
		d := heap.Pop(&a.due).(*deadline)
		if d.lease {
			delete(a.of, d.id)
		}
		ids = append(ids, d.id)
	}
	if len(a.due) == 0 {
		return ids, maxNap
	}
	a.due[0].fresh = false
	return ids, min(a.due[0].at.Std().Sub(at.Std()), maxNap)
}

type deadline struct {
	at    permission.Time
	id    permission.CallID
	rev   int64 // of the call that it is a deadline of
	lease bool
	place int  // in the heap
	fresh bool // the goroutine sleeps without knowing of it
}

type deadlines []*deadline

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at < d[j].at }
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = i, j
}

func (d *deadlines) Push(x any) {
	x.(*deadline).place = len(*d)
	*d = append(*d, x.(*deadline))
}

func (d *deadlines) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = nil // lets it go
	*d = old[:len(old)-1]
	return last
}
