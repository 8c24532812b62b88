package broker

import (
	"context"
	"errors"
	"fmt"
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

func (b *bell) ring(_ context.Context, ids []permission.CallID) error {
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

func TestAlarmRingsOnceForEachDeadlineInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{start: time.Now(), fails: map[permission.CallID]int{"stubborn": 2}}
		a := newAlarm(b.ring)
		for id, after := range map[permission.CallID]time.Duration{"late": 2 * time.Hour, "first": time.Second, "past": -time.Hour, "stubborn": time.Minute} {
			a.set(permission.TimeOf(b.start.Add(after)), id)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		a.close()
		a.set(now(), "after the end")
		time.Sleep(time.Hour)
		if want := []string{"past 0s", "first 1s", "stubborn 1m0s", "stubborn 1m1s", "stubborn 1m2s", "late 2h0m0s"}; !slices.Equal(b.rung, want) {
			t.Errorf("rung %q", b.rung)
		}
	})
}
