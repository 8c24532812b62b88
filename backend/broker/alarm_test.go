package broker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
			a.set(deadline{at: at, id: id, rev: rev, lease: true})
			a.set(deadline{at: 1, id: id, rev: rev - 1, lease: true}) // late
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
		a := newAlarm(b.ring)
		for id, after := range map[permission.CallID]time.Duration{"late": 2 * time.Hour, "first": time.Second, "past": -time.Hour, "stubborn": time.Minute} {
			a.set(deadline{at: permission.TimeOf(b.start.Add(after)), id: id})
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		a.close()
		a.set(deadline{at: now(), id: "after the end"})
		time.Sleep(time.Hour)
		if want := []string{"past 0s", "first 1s", "stubborn 1m0s", "stubborn 1m1s", "stubborn 1m2s", "late 2h0m0s"}; !slices.Equal(b.rung, want) {
			t.Errorf("rung %q", b.rung)
		}
	})
}

// TestTheQueueIsInOrder: what comes out is what went in, the earliest first.
func TestTheQueueIsInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var q queue
	var want []permission.Time
	for i := range 20_000 {
		if random.IntN(3) > 0 || len(q) == 0 {
			at := permission.Time(random.IntN(500))
			q.push(due{at, permission.CallID(fmt.Sprint(at, " ", i))})
			want = append(want, at)
			continue
		}
		first := slices.Min(want)
		d := q.pop()
		if d.at != first || !strings.HasPrefix(string(d.id), fmt.Sprint(first, " ")) {
			t.Fatalf("%v came first, and not one of %d", d, first)
		}
		at := slices.Index(want, first)
		want = slices.Delete(want, at, at+1)
	}
	if len(q) != len(want) {
		t.Errorf("%d are left of %d", len(q), len(want))
	}
}
