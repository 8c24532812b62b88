package broker

import (
	"container/heap"

	"sekisho/backend/permission"
)

// deadline is when a call is to be looked at.
type deadline struct {
	at    permission.Time
	id    permission.CallID
	rev   int64 // of the call that it is a deadline of
	lease bool
}

// due is one entry of a queue.
type due struct {
	at permission.Time
	id permission.CallID
}

// queue is a heap of what is never moved or taken out. It holds 100,000 waiting calls:
// its entries are values, and no interface stands between, which container/heap asks for.
type queue []due

func (q *queue) push(d due) {
	*q = append(*q, d)
	h := *q
	at := len(h) - 1
	for at > 0 {
		up := (at - 1) / 2
		if h[up].at <= d.at {
			break
		}
		h[at] = h[up]
		at = up
	}
	h[at] = d
}

func (q *queue) pop() due {
	h := *q
	first, last := h[0], h[len(h)-1]
	h[len(h)-1] = due{} // lets its id go
	h = h[:len(h)-1]
	*q = h
	at := 0
	for {
		down := 2*at + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].at < h[down].at {
			down++
		}
		if last.at <= h[down].at {
			break
		}
		h[at] = h[down]
		at = down
	}
	if len(h) > 0 {
		h[at] = last
	}
	return first
}

// running is a claim's deadline: it moves with each renewal, and ends with the call.
type running struct {
	due
	rev   int64
	place int // in the heap
}

// leases are those of the calls that run, each once.
type leases struct {
	heap byTime
	of   map[permission.CallID]*running
}

// set gives a call its lease. Of two changes of a call that arrive here in the other
// order the newer one stays.
func (l *leases) set(d *deadline) {
	old := l.of[d.id]
	if old == nil {
		old = &running{due: due{d.at, d.id}, rev: d.rev}
		l.of[d.id] = old
		heap.Push(&l.heap, old)
		return
	}
	if old.rev <= d.rev {
		old.at, old.rev = d.at, d.rev
		heap.Fix(&l.heap, old.place)
	}
}

// unset forgets a call's lease, as of a rev.
func (l *leases) unset(id permission.CallID, rev int64) {
	if old := l.of[id]; old != nil && old.rev <= rev {
		delete(l.of, id)
		heap.Remove(&l.heap, old.place)
	}
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
