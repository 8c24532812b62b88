package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
)

const manyPending = 100_000

// waiters is how many callers wait on a live connection while all is answered.
const waiters = 1000

// quick is a store that can answer at once, without a commit, so that what is
// measured then is the broker's own work.
type quick struct {
	*sqlite.Store
	tell    func([]permission.Event)
	answer  []permission.Call // the rows as the store would read them back
	status  atomic.Pointer[permission.Status]
	waiting sync.WaitGroup
}

// Call is what a waiter looks at.
func (q *quick) Call(_ context.Context, id permission.CallID) (permission.Call, error) {
	c := permission.Call{ID: id, Rev: 1, Status: *q.status.Load()}
	if c.Status == permission.Pending {
		q.waiting.Done()
	}
	return c, nil
}

// TransitAll says that the changes were made, a commit's worth at a time.
func (q *quick) TransitAll(_ context.Context, list []permission.Transition) ([]permission.Call, error) {
	q.status.Store(&list[0].To)
	for part := range slices.Chunk(q.answer, 256) {
		events := make([]permission.Event, len(part))
		for i := range part {
			events[i].CallID = part[i].ID
		}
		q.tell(events)
	}
	return q.answer, nil
}

// Reply says that the answer was taken.
func (q *quick) Reply(_ context.Context, r permission.Reply) (permission.Call, []permission.Call, error) {
	t := &r.Transition
	return permission.Call{ID: t.ID, Rev: 2, Status: t.To, Decision: t.Decision, InputHash: t.Hash, ExpiresAt: *t.ExpiresAt}, nil, nil
}

// pending measures what 100,000 waiting calls cost beside their rows, and what the
// broker does to answer them all beside the commits: it wakes who waits, names the
// calls and sets their new deadlines. Composing the rows and their journal entries
// belongs to the commits; the last row shows it, for answers that come one by one.
func pending(ctx context.Context, _ settings, dir string) (rows []row, err error) {
	dir = filepath.Join(dir, "pending")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	_, version, _, err := store.Rules(ctx)
	if err != nil {
		return nil, err
	}
	over := &quick{Store: store}
	b := broker.New(over)
	defer b.Close()
	store.Listen(b.Committed)
	over.tell = b.Committed

	before := heap()
	began := time.Now()
	if err := fill(ctx, b, version); err != nil {
		return nil, err
	}
	took := time.Since(began)
	each := float64(int64(heap())-int64(before)) / manyPending
	calls, err := list(ctx, store)
	if err != nil {
		return nil, err
	}
	together, err := answerTogether(ctx, b, over, calls)
	if err != nil {
		return nil, err
	}
	began = time.Now()
	for _, c := range calls {
		if _, _, _, err := b.Decide(ctx, c.id, permission.Answer{Approved: true, Scope: permission.ScopeOnce, InputHash: c.hash},
			permission.Reply{}); err != nil {
			return nil, err
		}
	}
	single := time.Since(began)
	return []row{
		{fmt.Sprintf("%s pending: Go heap each, beside the row", thousands(manyPending)), fmt.Sprintf("%.0f B", each), "", "≤ 200 B",
			each <= 200},
		{what: "suspending them, 256 at once", figure: fmt.Sprintf("%.0f/s", manyPending/took.Seconds())},
		{fmt.Sprintf("answering them all, %s of them waited for: the broker's work beside the commits", thousands(waiters)),
			duration(float64(together.Nanoseconds())), "", "≤ 20 ms", together <= 20*time.Millisecond},
		{what: "answering them one by one: the same, and composing rows and entries", figure: duration(float64(single.Nanoseconds()))},
	}, nil
}

// answerTogether answers all calls, and is done when everyone who waits has heard.
func answerTogether(ctx context.Context, b *broker.Broker, over *quick, calls []waitingCall) (time.Duration, error) {
	pending, until := permission.Pending, permission.TimeOf(time.Now()).Add(broker.ClaimWithin)
	over.status.Store(&pending)
	answers := make([]permission.Transition, len(calls))
	for i, c := range calls {
		answers[i] = permission.Transition{ID: c.id, To: permission.Approved}
		over.answer = append(over.answer, permission.Call{ID: c.id, Rev: 2, Status: permission.Approved, ExpiresAt: until})
	}
	var heard sync.WaitGroup
	faults := make([]error, waiters)
	over.waiting.Add(waiters)
	for i := range waiters {
		heard.Go(func() { _, faults[i] = b.Wait(ctx, calls[i*len(calls)/waiters].id, 0) })
	}
	over.waiting.Wait()
	began := time.Now()
	_, err := b.Settle(ctx, answers)
	heard.Wait()
	return time.Since(began), errors.Join(append(faults, err)...)
}

func fill(ctx context.Context, b *broker.Broker, version int64) error {
	var last atomic.Int64
	var all sync.WaitGroup
	faults := make([]error, 256)
	for r := range faults {
		all.Go(func() {
			for i := last.Add(1); i <= manyPending && faults[r] == nil; i = last.Add(1) {
				_, _, faults[r] = b.Suspend(ctx, newSuspension(r, i, version))
			}
		})
	}
	all.Wait()
	return errors.Join(faults...)
}

type waitingCall struct {
	id   permission.CallID
	hash string
}

func list(ctx context.Context, store *sqlite.Store) (all []waitingCall, err error) {
	f := permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Oldest: true, Brief: true, Limit: 1000}
	for {
		calls, next, err := store.Calls(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			all = append(all, waitingCall{c.ID, c.InputHash})
		}
		if f.Before = next; next == 0 {
			return all, nil
		}
	}
}

// heap is what lives in Go's heap.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
