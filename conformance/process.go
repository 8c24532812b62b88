package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

const (
	stopWithin  = 10 * time.Second // how long a process may take to end when it is asked to
	startWithin = 30 * time.Second // how long it may take until it is of use
)

// gently lets the end of a command's context interrupt it before it is killed.
func gently(c *exec.Cmd) *exec.Cmd {
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = stopWithin
	return c
}

// process runs until end, or until the context is done.
type process struct {
	*exec.Cmd
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	said   *bytes.Buffer // its standard error, to be read after done
}

// prepare makes a command that start will run.
func prepare(ctx context.Context, program string, args ...string) *process {
	ctx, cancel := context.WithCancel(ctx)
	p := &process{Cmd: gently(exec.CommandContext(ctx, program, args...)), cancel: cancel, done: make(chan struct{}), said: &bytes.Buffer{}}
	p.Stderr = p.said
	return p
}

func (p *process) start() error {
	if err := p.Start(); err != nil {
		p.cancel()
		return fmt.Errorf("start %s: %w", p.Path, err)
	}
	go func() {
		p.Wait()
		close(p.done)
	}()
	return nil
}

// end ends the process and waits for it.
func (p *process) end() {
	p.cancel()
	<-p.done
}

// portTries is how many free ports are tried: another program may take the port
// between the moment when it was found free and the server's start.
const portTries = 5

// startServer starts the everything-server over HTTP and gives its address when it
// accepts connections. It cannot choose a port itself.
func startServer(ctx context.Context, program string, args ...string) (address string, end func(), err error) {
	for range portTries {
		if address, err = freeAddress(); err != nil {
			return "", nil, err
		}
		p := prepare(ctx, program, append([]string{"-http", address}, args...)...)
		if err = p.start(); err != nil {
			return "", nil, err
		}
		if err = p.accepts(ctx, address); err == nil {
			return address, p.end, nil
		}
		p.end()
	}
	return "", nil, err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// errEarly is the end of a process that should have stayed.
var errEarly = errors.New("it ended early")

// accepts waits until the process takes connections.
func (p *process) accepts(ctx context.Context, address string) error {
	connected := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(connected)
		for ctx.Err() == nil {
			if c, err := net.Dial("tcp", address); err == nil {
				c.Close()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return p.await(ctx, connected)
}

// await waits for what makes the process of use.
func (p *process) await(ctx context.Context, ready <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	select {
	case <-ready:
		return nil
	case <-p.done:
		return fmt.Errorf("start %s: %w\n%s", p.Path, errEarly, p.said)
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", p.Path, ctx.Err())
	}
}
