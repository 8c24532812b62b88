package quota_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"sekisho/backend/quota"
)

// model is the sliding window as plain as it can be said: all times, looked at one by one.
type model []int64

func (m model) full(l quota.Limit, at int64) bool {
	n := int64(0)
	for _, t := range m {
		if t+l.Seconds*1000 > at {
			n++
		}
	}
	return n >= l.Calls
}

// most is how many times lie in one stretch of a length, at most.
func (m model) most(seconds int64) (most int) {
	for _, from := range m {
		n := 0
		for _, t := range m {
			if t >= from && t < from+seconds*1000 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestWindow holds counts against the model, with times that come out of order, counts that
// are given back, and limits that are edited; and no stretch has more counts than its limit.
func TestWindow(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit := quota.Limit{Calls: 1 + r.Int64N(5), Seconds: 1 + r.Int64N(3)}
		edits, now := r.IntN(3) == 0, int64(1_000_000)
		counts, plain := quota.New(), model{}
		for range 200 {
			now += r.Int64N(600)
			at := now - r.Int64N(50)
			if edits && r.IntN(20) == 0 {
				limit = quota.Limit{Calls: 1 + r.Int64N(5), Seconds: 1 + r.Int64N(3)}
			}
			got, want := counts.Full("r", limit, at), plain.full(limit, at)
			if got != want {
				t.Fatalf("seed %d: at %d of %v in %v: full is %v", seed, at, limit, plain, got)
			}
			if counts.Full("other", limit, at) {
				t.Fatal("rules are counted together")
			}
			switch {
			case !got:
				counts.Take("r", at)
				plain = append(plain, at)
			case r.IntN(10) == 0:
				i := r.IntN(len(plain))
				counts.GiveBack("r", plain[i])
				plain = slices.Delete(plain, i, i+1)
			}
		}
		if !edits && plain.most(limit.Seconds) > int(limit.Calls) {
			t.Fatalf("seed %d: %v has more than %v", seed, plain, limit)
		}
	}
}

// TestBrake holds the counts of calls against the model, with yeses between them.
func TestBrake(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		limit := quota.Limit{Calls: 1 + r.Int64N(5), Seconds: 1 + r.Int64N(3)}
		counts, plain, now := quota.New(), map[quota.Call]model{}, int64(1_000_000)
		counts.SetBrake(&limit)
		for range 300 {
			now += r.Int64N(200)
			call := quota.Call{Agent: "a", Session: fmt.Sprint(r.IntN(2)), InputHash: fmt.Sprint(r.IntN(3))}
			more := r.Int64N(3)
			left := quota.Limit{Calls: limit.Calls - more, Seconds: limit.Seconds}
			want := plain[call].full(left, now)
			if got := counts.Braked(call, more, now); (got != nil) != want || got != nil && *got != limit {
				t.Fatalf("seed %d: at %d of %v and %d in %v: %v", seed, now, limit, more, plain[call], got)
			}
			switch r.IntN(10) {
			case 0:
				undo, before := counts.Anew(call), plain[call]
				if plain[call] = nil; r.IntN(2) == 0 {
					undo()
					plain[call] = before
				}
			case 1:
				counts.Allowed(call, now)
				counts.Disallowed(call, now)
			default:
				if counts.Braked(call, 0, now) == nil {
					counts.Allowed(call, now)
					plain[call] = append(plain[call], now)
				}
			}
		}
	}
	counts := quota.New()
	counts.Allowed(quota.Call{}, 1)
	if counts.Braked(quota.Call{}, 100, 1) != nil {
		t.Error("no brake brakes")
	}
}

// TestTogether: many goroutines look while one counts, as the store does.
func TestTogether(t *testing.T) {
	counts, limit := quota.New(), quota.Limit{Calls: 5, Seconds: 1}
	counts.SetBrake(&limit)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for at := range int64(2000) {
				counts.Full("r", limit, at)
				counts.Braked(quota.Call{Agent: "a"}, 0, at)
			}
		})
	}
	for at := range int64(2000) {
		counts.Take("r", at)
		counts.Allowed(quota.Call{Agent: "a"}, at)
	}
	wg.Wait()
	if !counts.Full("r", limit, 2000) || counts.Braked(quota.Call{Agent: "a"}, 0, 2000) == nil || counts.Full("r", limit, 3000) {
		t.Error("not as it was counted")
	}
}
