package broker

import (
	"container/heap"
	"slices"

	"sekisho/backend/permission"
)

// deadline is when a call is to be looked at.
type deadline struct {
	due
	lease bool
}

// due is one entry of a queue.
type due struct {
	at  permission.Time
	id  permission.CallID
	rev int64
}

// spare is how many entries of settled calls a queue holds before it looks for them.
const spare = 1024

// queue has the deadlines of calls that wait, the earliest first. It holds 100,000 of
// them: its entries are values, and there is no index to find those of a call that is
// settled. These are noted, and taken out together when there are as many of them as of
// others.
type queue struct {
	heap deadlines
	gone map[permission.CallID]int64 // settled calls, with their rev
}

func (q *queue) push(d due) { heap.Push(&q.heap, d) }

func (q *queue) pop() due { return heap.Pop(&q.heap).(due) }

// forget notes that a call has no deadline any more, as of a rev.
func (q *queue) forget(id permission.CallID, rev int64) {
	if q.gone == nil {
		q.gone = map[permission.CallID]int64{}
	}
	q.gone[id] = max(q.gone[id], rev)
	if len(q.gone) >= spare+len(q.heap)/2 {
		q.sweep()
	}
}

// sweep takes out what belongs to settled calls.
func (q *queue) sweep() {
	q.heap = slices.DeleteFunc(q.heap, func(d due) bool {
		rev, gone := q.gone[d.id]
		return gone && d.rev <= rev
	})
	if len(q.heap) < cap(q.heap)/4 {
		q.heap = slices.Clone(q.heap)
	}
	heap.Init(&q.heap)
	q.gone = nil
}

// deadlines is the heap of a queue, for container/heap.
type deadlines []due

func (h deadlines) Len() int           { return len(h) }
func (h deadlines) Less(i, j int) bool { return h[i].at < h[j].at }
func (h deadlines) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *deadlines) Push(x any)        { *h = append(*h, x.(due)) }

func (h *deadlines) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = due{} // lets its id go
	*h = old[:len(old)-1]
	return last
}

// running is a claim's deadline: it moves with each renewal, and ends with the call.
type running struct {
	due
	place int // in the heap
}

// leases are those of the calls that run, each once.
type leases struct {
	heap byTime
	of   map[permission.CallID]*running
}

// set gives a call its lease. Of two changes of a call that arrive here in the other
// order the newer one stays.
func (l *leases) set(d due) {
	old := l.of[d.id]
	if old == nil {
		old = &running{due: d}
		l.of[d.id] = old
		heap.Push(&l.heap, old)
		return
	}
	if old.rev <= d.rev {
		old.due = d
		heap.Fix(&l.heap, old.place)
	}
}

// unset forgets a call's lease, as of a rev, and reports whether the call had no other
// deadline: one that a rule let run at once was claimed from its first rev on.
func (l *leases) unset(id permission.CallID, rev int64) (alone bool) {
	old := l.of[id]
	if old == nil || old.rev > rev {
		return false
	}
	delete(l.of, id)
	heap.Remove(&l.heap, old.place)
	return old.rev == 1
}

func (l *leases) pop() due {
	first := heap.Pop(&l.heap).(*running)
	delete(l.of, first.id)
	return first.due
}

// byTime is the heap of leases, for container/heap.
type byTime []*running

func (h byTime) Len() int           { return len(h) }
func (h byTime) Less(i, j int) bool { return h[i].at < h[j].at }
func (h byTime) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *byTime) Push(x any) {
	x.(*running).place = len(*h)
	*h = append(*h, x.(*running))
}

func (h *byTime) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil // lets it go
	*h = old[:len(old)-1]
	return last
}
