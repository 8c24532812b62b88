// Package pipetest is a listener whose connections are pipes in memory, for tests: inside a bubble of
// synctest they and their deadlines obey the bubble's clock.
package pipetest

import (
	"context"
	"net"
)

// Listener accepts what is dialled. It is to be closed once.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
}

// New makes a listener.
func New() *Listener { return &Listener{make(chan net.Conn), make(chan struct{})} }

// Dial connects, as http.Transport wants it.
func (l *Listener) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Accept gives the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener, and leaves its connections.
func (l *Listener) Close() error { close(l.done); return nil }

// Addr is an address without meaning.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
