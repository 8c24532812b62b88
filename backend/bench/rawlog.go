package main

import (
	"errors"
	"os"
	"syscall"
)

// rawLog is the least that can be done for durability: one writer appends whatever
// queued during the last fdatasync, in one write.
type rawLog struct {
	file *os.File
	jobs chan *record
	done chan struct{}
}

type record struct {
	bytes []byte
	err   error
	done  chan struct{}
}

func openLog(path string) (*rawLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l := &rawLog{file: file, jobs: make(chan *record, 1024), done: make(chan struct{})}
	go l.run()
	return l, nil
}

func (l *rawLog) append(b []byte) error {
	r := &record{bytes: b, done: make(chan struct{})}
	l.jobs <- r
	<-r.done
	return r.err
}

func (l *rawLog) close() error {
	close(l.jobs)
	<-l.done
	return l.file.Close()
}

func (l *rawLog) run() {
	defer close(l.done)
	var buf []byte
	for first := range l.jobs {
		group := append(make([]*record, 0, 256), first)
		for more := true; more; {
			select {
			case r, open := <-l.jobs:
				if more = open; open {
					group = append(group, r)
				}
			default:
				more = false
			}
		}
		buf = buf[:0]
		for _, r := range group {
			buf = append(buf, r.bytes...)
		}
		_, err := l.file.Write(buf)
		err = errors.Join(err, syscall.Fdatasync(int(l.file.Fd())))
		for _, r := range group {
			r.err = err
			close(r.done)
		}
	}
}
