package signin

import "sync"

// disk does what is written, one after the other in the order in which it was asked for.
// Whoever asks does not wait, and may hold the book's lock, which is free while something is
// written: a slow disk holds up no request to a server. The zero value works.
type disk struct {
	mu      sync.Mutex
	waiting []func()
	busy    bool
	idle    chan struct{} // closed when nothing is left; nil when nobody waits for that
}

// write asks for something to be written. Its error can be waited for, without the lock.
func (d *disk) write(what func() error) <-chan error {
	done := make(chan error, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, func() { done <- what() })
	if !d.busy {
		d.busy = true
		go d.work()
	}
	return done
}

func (d *disk) work() {
	for what := d.next(); what != nil; what = d.next() {
		what()
	}
}

// next is nil when nothing is left.
func (d *disk) next() func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) > 0 {
		what := d.waiting[0]
		d.waiting = d.waiting[1:]
		return what
	}
	d.busy = false
	if d.idle != nil {
		close(d.idle)
		d.idle = nil
	}
	return nil
}

// settle waits until all is written.
func (d *disk) settle() {
	d.mu.Lock()
	if !d.busy {
		d.mu.Unlock()
		return
	}
	if d.idle == nil {
		d.idle = make(chan struct{})
	}
	idle := d.idle
	d.mu.Unlock()
	<-idle
}

// nothing is what was written where there was nothing to write.
func nothing() <-chan error {
	done := make(chan error, 1)
	done <- nil
	return done
}
