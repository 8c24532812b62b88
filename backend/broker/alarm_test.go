package broker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// bell notes what rings, and when.
type bell struct {
	mu    sync.Mutex
	start time.Time
	rung  []string
	fails map[permission.CallID]int // how often it is not taken
}

func (b *bell) ring(_ context.Context, _ permission.Time, ids []permission.CallID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	for _, id := range ids {
		b.rung = append(b.rung, fmt.Sprint(id, " ", time.Since(b.start)))
		if b.fails[id]--; b.fails[id] >= 0 {
			err = errors.New("the store did not take it")
		}
	}
	return err
}

// TestDeadlinesComeInOrder: whatever the order in which they are set, moved, forgotten
// and taken.
func TestDeadlinesComeInOrder(t *testing.T) {
	a := &alarm{leases: leases{of: map[permission.CallID]*running{}}, wakes: never, nudge: make(chan struct{}, 1)}
	want := map[permission.CallID]permission.Time{}
	rev := int64(0)
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		id, at := permission.CallID(fmt.Sprint(random.IntN(200))), permission.Time(1+random.IntN(300))
		rev++
		switch random.IntN(5) {
		case 0, 1, 2:
			a.set(deadline{due{at, id, rev}, true})
			a.set(deadline{due{1, id, rev - 1}, true}) // late
			a.unset(id, rev-1)
			want[id] = at
		case 3:
			a.unset(id, rev)
			delete(want, id)
		case 4:
			until := permission.Time(random.IntN(30))
			ids, _ := a.next(until)
			for i, id := range ids {
				if want[id] > until || i > 0 && want[ids[i-1]] > want[id] {
					t.Fatalf("%s of %d came by %d, in %v", id, want[id], until, ids)
				}
			}
			for _, id := range ids {
				delete(want, id)
			}
			for id, at := range want {
				if at <= until {
					t.Fatalf("%s of %d did not come by %d", id, at, until)
				}
			}
		}
		if len(a.leases.heap) != len(want) || len(a.leases.of) != len(want) {
			t.Fatalf("%d deadlines and %d calls are kept of %d", len(a.leases.heap), len(a.leases.of), len(want))
		}
	}
}

func TestAlarmRingsOnceForEachDeadlineInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{start: time.Now(), fails: map[permission.CallID]int{"stubborn": 2}}
		a := newAlarm(wallTime, b.ring)
		for id, after := range map[permission.CallID]time.Duration{"late": 2 * time.Hour, "first": time.Second, "past": -time.Hour,
			"stubborn": time.Minute} {
			a.set(deadline{due{at: permission.TimeOf(b.start.Add(after)), id: id}, false})
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		a.close()
		a.set(deadline{due{at: wallTime(), id: "after the end"}, false})
		time.Sleep(time.Hour)
		if want := []string{"past 0s", "first 1s", "stubborn 1m0s", "stubborn 1m1s", "stubborn 1m2s", "late 2h0m0s"}; !slices.Equal(b.rung,
			want) {
			t.Errorf("rung %q", b.rung)
		}
	})
}

// TestTheQueueIsInOrder: what comes out is what went in, the earliest first, but for what
// was forgotten, which comes in its time or not at all; and it does not stay.
func TestTheQueueIsInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var q queue
	live := map[permission.CallID]due{}
	for i := range int64(50_000) {
		id := permission.CallID(fmt.Sprint(random.IntN(3000)))
		switch random.IntN(8) {
		case 0, 1, 2:
			d := due{permission.Time(random.IntN(1_000_000)), id, i}
			if _, twice := live[id]; !twice { // a call has one deadline at a time
				q.push(d)
				live[id] = d
			}
		case 3, 4, 5, 6:
			q.forget(id, i)
			q.forget(id, i-1) // what comes late changes nothing
			delete(live, id)
			if len(q.gone) > spare+len(q.heap)/2 {
				t.Fatalf("%d marks beside %d entries", len(q.gone), len(q.heap))
			}
		case 7:
			if len(q.heap) == 0 {
				continue
			}
			d := q.pop()
			for _, other := range live {
				if other.at < d.at {
					t.Fatalf("%v came before %v", d, other)
				}
			}
			if live[d.id] == d {
				delete(live, d.id)
			}
		}
		if stale := len(q.heap) - len(live); stale < 0 || stale > 2*spare+len(live) {
			t.Fatalf("%d entries for %d calls", len(q.heap), len(live))
		}
	}
}

// TestANewDeadlineOutlivesAnOlderEnd: a call that was settled and is approved again keeps
// its deadline, whichever of the two is heard of first.
func TestANewDeadlineOutlivesAnOlderEnd(t *testing.T) {
	for _, late := range []bool{false, true} {
		var q queue
		if late {
			q.push(due{5, "back", 6})
		}
		q.forget("back", 5)
		if !late {
			q.push(due{5, "back", 6})
		}
		for i := range 3 * spare {
			q.forget(permission.CallID(fmt.Sprint(i)), 1)
		}
		if len(q.heap) != 1 || q.pop().id != "back" {
			t.Errorf("late %v: the deadline is lost", late)
		}
	}
}

func wallTime() permission.Time { return permission.TimeOf(time.Now()) }
