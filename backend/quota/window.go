package quota

import "slices"

// before is the time that lies some seconds before another.
func before(at, seconds int64) int64 { return at - seconds*1000 }

// window has the times of counts, oldest first. The nil one is empty.
type window struct{ times []int64 }

// full reports whether a limit leaves no place at a time: whether as many counts as it has
// calls are younger than it has seconds. Counts that come after the time, which others
// brought in while it was on its way, are among them. So no stretch of time as long as the
// limit's ever has more counts than it says.
func (w *window) full(limit Limit, at int64) bool {
	if w == nil || int64(len(w.times)) < limit.Calls {
		return false
	}
	return w.times[int64(len(w.times))-limit.Calls] > before(at, limit.Seconds)
}

// add takes in a time, which most often is the newest.
func (w *window) add(at int64) {
	i := len(w.times)
	for i > 0 && w.times[i-1] > at {
		i--
	}
	w.times = slices.Insert(w.times, i, at)
}

// remove takes out one count of a time.
func (w *window) remove(at int64) {
	if w == nil {
		return
	}
	if i := slices.Index(w.times, at); i >= 0 {
		w.times = slices.Delete(w.times, i, i+1)
	}
}

// forget drops the counts until a time, and the oldest of more than most.
func (w *window) forget(until int64, most int) {
	for w != nil && len(w.times) > 0 && (w.times[0] <= until || len(w.times) > most) {
		w.times = w.times[1:]
	}
}
