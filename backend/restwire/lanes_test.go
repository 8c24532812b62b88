package restwire

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes()
		first, ok := l.enter(t.Context(), laneOf("a"), reading, turns-1)
		if !ok {
			t.Fatal("an idle agent waits")
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		ask := func(name string, weight int) {
			all.Go(func() {
				leave, ok := l.enter(t.Context(), laneOf("a"), reading, weight)
				if !ok {
					t.Errorf("%s did not come in", name)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(time.Second)
				leave()
			})
			synctest.Wait()
		}
		ask("large", 32)
		ask("small", 1) // has room, and waits behind the large one
		if other, ok := l.enter(t.Context(), laneOf("b"), reading, turns); !ok {
			t.Error("another agent waits")
		} else {
			other()
		}
		if len(order) != 0 {
			t.Errorf("came in early: %q", order)
		}
		first()
		all.Wait()
		if len(order) != 2 || len(l.of) != 0 {
			t.Errorf("came in: %q, lanes left: %d", order, len(l.of))
		}
	})
}

func TestAQueueEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes()
		leave, _ := l.enter(t.Context(), laneOf("a"), reading, turns)
		start := time.Now()
		var late, gone, full atomic.Int64
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range maxQueued {
			all.Go(func() {
				mine := t.Context()
				if i%2 == 0 {
					mine = ctx
				}
				if _, ok := l.enter(mine, laneOf("a"), reading, 1); ok {
					t.Error("came in")
				} else if took := time.Since(start); took == turnWithin {
					late.Add(1)
				} else if took == time.Second {
					gone.Add(1)
				}
			})
		}
		synctest.Wait()
		if _, ok := l.enter(t.Context(), laneOf("a"), reading, 1); !ok && time.Since(start) == 0 {
			full.Add(1)
		}
		time.Sleep(time.Second)
		cancel()
		all.Wait()
		if late.Load() != maxQueued/2 || gone.Load() != maxQueued/2 || full.Load() != 1 {
			t.Errorf("%d late, %d gone, %d refused at once", late.Load(), gone.Load(), full.Load())
		}
		leave()
		if len(l.of) != 0 {
			t.Errorf("%d lanes are left", len(l.of))
		}
	})
}

// TestLanesNeverOverflow has many requests of a few agents come, wait, give up and
// go at random.
func TestLanesNeverOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, random := newLanes(), rand.New(rand.NewPCG(1, 2))
		var used [3]atomic.Int64
		var came, gave atomic.Int64
		var all sync.WaitGroup
		for range 3000 {
			agent, weight := random.IntN(3), 1+random.IntN(40)
			stay, patience := time.Duration(random.IntN(500))*time.Millisecond, time.Duration(random.IntN(3000))*time.Millisecond
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				leave, ok := l.enter(ctx, laneOf(string(rune('a'+agent))), reading, weight)
				if !ok {
					gave.Add(1)
					return
				}
				came.Add(1)
				if n := used[agent].Add(int64(weight)); n > turns {
					t.Errorf("%d turns at once", n)
				}
				time.Sleep(stay)
				used[agent].Add(-int64(weight))
				leave()
			})
			time.Sleep(time.Duration(random.IntN(2)) * time.Millisecond)
		}
		all.Wait()
		if len(l.of) != 0 || came.Load() == 0 || gave.Load() == 0 {
			t.Errorf("%d lanes are left; %d came in, %d gave up", len(l.of), came.Load(), gave.Load())
		}
	})
}

func TestWeight(t *testing.T) {
	for length, want := range map[int64]int{-1: 32, 0: 1, 1: 1, turnSize: 1, turnSize + 1: 2, maxBody: 32, maxBody + 1: 32, 1 << 40: 32} {
		if got := weightOf(&http.Request{ContentLength: length}); got != want {
			t.Errorf("a body of %d bytes takes %d turns, want %d", length, got, want)
		}
	}
}
