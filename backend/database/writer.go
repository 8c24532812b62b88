package database

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sekisho/backend/permission"
)

// ErrClosed is the answer of a writer that has been closed.
var ErrClosed = &permission.Error{Code: permission.CodeUnavailable, Message: "the desk is closing"}

// MaxGroup is how many jobs one commit has, at most.
const MaxGroup = 512

const writeQueue = 1024

// Work is what the jobs of a writer are part of: it knows what they do. T is what a job gets:
// its part of the transaction. One goroutine at a time calls it.
type Work[T any] interface {
	// Tidy is called before each commit, and in pauses.
	Tidy(pause bool) error
	// Begin is told that a transaction has begun.
	Begin() error
	// Run runs a job in its part of the transaction, of which it gives what is the writer's;
	// last is the number of the newest entry after it. When the job fails, Run takes back
	// what it has done in memory.
	Run(part Tx, do func(T) error) (of *Tx, last int64, err error)
	// Seal adds what comes last in the transaction.
	Seal(part Tx) error
	// Committed gives the events of the transaction, and the number of its newest entry.
	Committed() (events []permission.Event, last int64)
	// Undone is told that nothing of the transaction is there, or that it is not certain.
	Undone()
}

// Job is one write.
type Job[T any] struct {
	waiting
	ctx  context.Context
	do   func(T) error
	soon bool  // it does not wait for the disk
	lazy bool  // nor does anybody else
	last int64 // the number of its newest entry, or of an older one
}

// NewJob is a write by do.
func NewJob[T any](ctx context.Context, do func(T) error) *Job[T] {
	return &Job[T]{ctx: ctx, do: do, waiting: waiting{done: make(chan struct{})}}
}

// Err is how it went.
func (j *Job[T]) Err() error { return j.err }

// Writer makes all changes of a database. One goroutine commits whatever queued meanwhile
// (group commit); a write that finds nobody else commits on the spot, which saves two changes
// of goroutine. What was committed is acknowledged when one flush has brought it to the disk;
// see disk.
type Writer[T any] struct {
	work  Work[T]
	conn  *Conn
	jobs  chan *Job[T]
	quit  chan struct{}
	done  chan struct{}
	under atomic.Int64  // writes under way
	woken chan struct{} // a write on the spot was the first since the log was folded

	turn sync.Mutex // held while committing, or tending the log
	log  wal
	last time.Time // when something was committed
	disk *disk

	mu        sync.Mutex
	listeners []func([]permission.Event)
}

// Start starts the writer of a database that is up to date.
func Start[T any](d *DB, work Work[T]) (*Writer[T], error) {
	disk, err := newDisk(d.path + "-wal")
	if err != nil {
		return nil, err
	}
	w := &Writer[T]{
		work: work, conn: d.Conn, disk: disk, log: wal{path: d.path + "-wal", limit: walLimit},
		jobs: make(chan *Job[T], writeQueue), woken: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	w.log.warm()
	go w.run()
	go w.runFlusher()
	return w, nil
}

// Close ends the writer after what is queued has been committed, and then last.
func (w *Writer[T]) Close(last *Job[T]) error {
	close(w.quit)
	<-w.done
	w.Together(last)
	return w.disk.close()
}

// Together commits jobs in one transaction, whatever is queued, and returns when all is on
// disk. How each of them went is its Err.
func (w *Writer[T]) Together(jobs ...*Job[T]) {
	w.turn.Lock() // for a write on the spot
	w.commit(jobs)
	w.turn.Unlock()
	w.flush()
}

// Listen adds a function that hears the events of each commit, in order, after
// it is on disk. No other commit is acknowledged meanwhile: it must not
// block, nor write.
func (w *Writer[T]) Listen(f func([]permission.Event)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners = append(w.listeners, f)
}

// Write runs do in a transaction and returns when it is on disk. Nothing of do
// remains when it returns an error.
func (w *Writer[T]) Write(ctx context.Context, do func(T) error) error {
	return w.submit(NewJob(ctx, do))
}

// WriteSoon is Write that returns when do is committed: it outlives this process, and
// a moment later the loss of power too. See Reach. A lazy one is for what nobody waits
// for: that moment is longer.
func (w *Writer[T]) WriteSoon(ctx context.Context, lazy bool, do func(T) error) (last int64, err error) {
	j := NewJob(ctx, do)
	j.soon, j.lazy = true, lazy
	err = w.submit(j)
	return j.last, err
}

// Reach waits until the journal is on disk up to an entry.
func (w *Writer[T]) Reach(ctx context.Context, last int64) error { return w.disk.reach(ctx, last) }

// Kept is the number of the newest entry that is known to be on disk.
func (w *Writer[T]) Kept() int64 { return w.disk.upTo() }

func (w *Writer[T]) submit(j *Job[T]) error {
	defer w.under.Add(-1)
	if w.under.Add(1) == 1 && w.turn.TryLock() {
		return w.alone(j)
	}
	select {
	case <-w.quit:
		return ErrClosed
	default:
	}
	select {
	case w.jobs <- j:
	case <-w.quit:
		return ErrClosed
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
	select {
	case <-j.done:
		return j.err
	case <-w.done:
		select {
		case <-j.done:
			return j.err
		default:
			return ErrClosed
		}
	}
}

// alone commits one write on the goroutine of its caller, who took the turn.
func (w *Writer[T]) alone(j *Job[T]) error {
	if err := w.onTheSpot(j); err != nil {
		return err
	}
	switch {
	case j.lazy:
		w.disk.nudgeLater()
	case j.soon:
		w.disk.nudge()
	default:
		w.flush()
	}
	<-j.done
	return j.err
}

func (w *Writer[T]) onTheSpot(j *Job[T]) error {
	defer w.turn.Unlock()
	select {
	case <-w.quit:
		return ErrClosed
	case <-j.ctx.Done():
		return j.ctx.Err()
	default:
	}
	if !w.log.used {
		select {
		case w.woken <- struct{}{}:
		default:
		}
	}
	w.commit([]*Job[T]{j})
	return nil
}

// commit writes the jobs together and tends the log. A job that fails is rolled back
// alone; when the commit itself fails, all have. The caller has the turn, and flushes
// when it has given it away.
func (w *Writer[T]) commit(jobs []*Job[T]) {
	g, err := group{}, w.disk.fault()
	if err == nil {
		err = w.work.Tidy(false)
	}
	if err == nil {
		g, err = w.transact(jobs)
		w.log.bound(w.conn)
		w.last = time.Now()
	}
	if err != nil || !g.dirty {
		for _, j := range jobs {
			j.release(err)
		}
		return
	}
	for _, j := range jobs {
		if j.soon {
			close(j.done)
		} else {
			g.waiting = append(g.waiting, &j.waiting)
		}
	}
	w.disk.add(g)
}

// transact runs the jobs in one transaction. The error is that of all; a job's own
// is in the job.
func (w *Writer[T]) transact(jobs []*Job[T]) (g group, err error) {
	err = w.conn.begin.Exec(nil)
	if err == nil {
		err = w.work.Begin()
	}
	for _, j := range jobs {
		if err != nil {
			break
		}
		if err = w.attempt(j, len(jobs) == 1); err == nil && j.err == nil {
			g.dirty = true
		}
	}
	if err == nil && g.dirty {
		err = w.work.Seal(Tx{conn: w.conn, alone: true})
	}
	if err == nil && g.dirty {
		err = w.conn.end.Exec(nil)
	}
	if err != nil || !g.dirty {
		// SQLite may have rolled back by itself, and then there is nothing left to do.
		_ = w.conn.rollback.Exec(nil)
		w.work.Undone()
		return group{}, err
	}
	g.events, g.last = w.work.Committed()
	return g, nil
}

// attempt runs one job. Its own failure is the job's; an error is that of the transaction.
func (w *Writer[T]) attempt(j *Job[T], alone bool) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	of, last, err := w.work.Run(Tx{conn: w.conn, alone: alone}, j.do)
	if j.err = err; err == nil {
		j.last = last
	}
	return of.settle(err)
}

// run is the writer's goroutine. Its pauses are for the log.
func (w *Writer[T]) run() {
	defer close(w.done)
	defer w.flush() // what it committed is on disk when it has ended
	idle := time.NewTimer(walIdle)
	defer idle.Stop()
	for {
		select {
		case j := <-w.jobs:
			w.queued(j)
			idle.Reset(walIdle)
		case <-w.woken:
			idle.Reset(walIdle)
		case <-idle.C:
			if rest := w.rest(); rest > 0 {
				idle.Reset(rest)
			}
		case <-w.quit:
			select {
			case j := <-w.jobs:
				w.queued(j)
			default:
				return
			}
		}
	}
}

// queued commits a write and whatever queued meanwhile.
func (w *Writer[T]) queued(first *Job[T]) {
	w.disk.room()
	w.turn.Lock()
	jobs := w.drain(first)
	w.commit(jobs)
	w.turn.Unlock()
	if slices.ContainsFunc(jobs, func(j *Job[T]) bool { return !j.lazy }) {
		w.disk.nudge()
		return
	}
	w.disk.nudgeLater()
}

func (w *Writer[T]) drain(first *Job[T]) []*Job[T] {
	group := []*Job[T]{first}
	for len(group) < MaxGroup {
		select {
		case j := <-w.jobs:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// rest folds the log when nothing has been committed for a while, and says how
// long to wait when something has.
func (w *Writer[T]) rest() time.Duration {
	w.turn.Lock()
	defer w.turn.Unlock()
	if wait := walIdle - time.Since(w.last); wait > 0 {
		return wait
	}
	_ = w.work.Tidy(true) // what is wrong shows with the next write
	w.log.fold(w.conn)
	return 0
}

// flush keeps what has been committed, and tells those who wait for it.
func (w *Writer[T]) flush() {
	w.disk.flush(func(events []permission.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, f := range w.listeners {
			f(events)
		}
	})
}

// runFlusher flushes for those who do not wait, and for the writer's goroutine.
func (w *Writer[T]) runFlusher() {
	defer close(w.disk.ended)
	for {
		select {
		case <-w.disk.wake:
			w.flush()
		case <-w.disk.lazy.C:
			w.disk.rang()
			w.flush()
		case <-w.disk.quit:
			return
		}
	}
}
