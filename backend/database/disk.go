package database

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"sekisho/backend/permission"
)

// disk brings to the disk what has been committed. SQLite commits into its log and does
// not wait for it (synchronous=NORMAL, https://sqlite.org/pragma.html#pragma_synchronous):
// from then on a commit outlives this process, however it ends, and only a machine that
// loses its power can lose the end of the log. One flush of the log keeps all that was
// committed before it began, while the next group is being committed.
type disk struct {
	log  *os.File
	turn sync.Mutex // held while flushing

	mu     sync.Mutex // guards what follows
	next   group      // committed, and in no flush yet
	taken  sync.Cond  // next has become empty
	kept   int64      // the number of the newest entry that is on disk
	moved  chan struct{}
	broken error // the disk refused: what it had taken by then may be lost
	armed  bool  // lazy is set

	wake  chan struct{}
	lazy  *time.Timer // for what nobody waits for
	quit  chan struct{}
	ended chan struct{}
}

// group is what one flush keeps.
type group struct {
	waiting []*waiting // for it
	events  []permission.Event
	last    int64 // the number of its newest entry
	dirty   bool  // something was committed
}

// waiting is a write that waits to hear how it went.
type waiting struct {
	err  error
	done chan struct{}
}

// release lets a write return. An error is that of all in its group, but for those with
// their own.
func (w *waiting) release(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("commit: %w", err)
	}
	close(w.done)
}

func newDisk(path string) (*disk, error) {
	log, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	d := &disk{log: log, moved: make(chan struct{}), wake: make(chan struct{}, 1), lazy: time.NewTimer(time.Hour),
		quit: make(chan struct{}), ended: make(chan struct{})}
	d.taken.L = &d.mu
	return d, nil
}

// add hands over what was committed. Whoever does so also calls flush or nudge.
func (d *disk) add(g group) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = group{append(d.next.waiting, g.waiting...), append(d.next.events, g.events...), max(d.next.last, g.last), true}
}

// room waits until nobody waits for a flush that has not begun, so that the next group
// gathers meanwhile.
func (d *disk) room() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.next.waiting) > 0 {
		d.taken.Wait()
	}
}

// nudge lets the flusher flush.
func (d *disk) nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// lazily is how long what nobody waits for may stay off the disk: most of it is kept by
// the flush of something else meanwhile.
const lazily = 20 * time.Millisecond

// nudgeLater lets the flusher flush in a while. The timer is left to run out when another
// flush has come first: to set it anew for each write would wake a thread each time.
func (d *disk) nudgeLater() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.armed {
		d.armed = true
		d.lazy.Reset(lazily)
	}
}

// rang notes that the timer has run out.
func (d *disk) rang() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = false
}

// fault is why nothing more can be committed: what a disk once refused to keep may be
// lost although it takes later writes (Rebello et al., "Can Applications Recover from
// fsync Failures?", USENIX ATC 2020).
func (d *disk) fault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.broken
}

// take gives what the next flush keeps.
func (d *disk) take() (group, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.next
	d.next = group{}
	d.taken.Broadcast()
	return g, d.broken
}

// flushed notes how a flush went.
func (d *disk) flushed(g group, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken = err; err == nil {
		d.kept = max(d.kept, g.last)
	}
	close(d.moved)
	d.moved = make(chan struct{})
}

// flush keeps what has been committed, and tells of it: first its events, then those who
// wait for it.
func (d *disk) flush(tell func([]permission.Event)) {
	d.turn.Lock()
	defer d.turn.Unlock()
	g, err := d.take()
	if !g.dirty {
		return
	}
	if err == nil {
		err = flushFile(d.log)
	}
	d.flushed(g, err)
	if err == nil {
		tell(g.events)
	}
	for _, w := range g.waiting {
		w.release(err)
	}
}

// upTo is the number of the newest entry that is on disk.
func (d *disk) upTo() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept
}

// reach waits until the journal is on disk up to an entry.
func (d *disk) reach(ctx context.Context, seq int64) error {
	for {
		d.mu.Lock()
		kept, broken, moved := d.kept, d.broken, d.moved
		d.mu.Unlock()
		switch {
		case kept >= seq:
			return nil
		case broken != nil:
			return fmt.Errorf("keep journal: %w", broken)
		}
		select {
		case <-moved:
		case <-d.ended:
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close ends the flusher. Nobody commits any more.
func (d *disk) close() error {
	close(d.quit)
	<-d.ended
	return d.log.Close()
}
