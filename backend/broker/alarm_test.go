package broker

import (
	"container/heap"
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

// TestDeadlinesComeInOrder: whatever the order in which they are set and taken.
func TestDeadlinesComeInOrder(t *testing.T) {
	var due deadlines
	var want []permission.Time
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		if at := permission.Time(random.IntN(300)); random.IntN(3) > 0 || len(want) == 0 {
			due.add(deadline{at: at})
			want = append(want, at)
			slices.Sort(want)
			continue
		}
		if got := heap.Pop(&due).(deadline).at; got != want[0] {
			t.Fatalf("%d came before %d", got, want[0])
		}
		want = want[1:]
	}
}

func TestAlarmRingsOnceForEachDeadlineInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{start: time.Now(), fails: map[permission.CallID]int{"stubborn": 2}}
		a := newAlarm(b.ring)
		for id, after := range map[permission.CallID]time.Duration{"late": 2 * time.Hour, "first": time.Second, "past": -time.Hour, "stubborn": time.Minute} {
			a.set(deadline{permission.TimeOf(b.start.Add(after)), id})
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		a.close()
		a.set(deadline{now(), "after the end"})
		time.Sleep(time.Hour)
		if want := []string{"past 0s", "first 1s", "stubborn 1m0s", "stubborn 1m1s", "stubborn 1m2s", "late 2h0m0s"}; !slices.Equal(b.rung, want) {
			t.Errorf("rung %q", b.rung)
		}
	})
}
