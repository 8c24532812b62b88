package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// tunnel is a way to a desk that breaks without a word to it, as one over another machine does.
type tunnel struct {
	net.Listener
	mu   sync.Mutex
	near []net.Conn
	far  []net.Conn
}

// newTunnel leads to the desk that m starts.
func newTunnel(t *testing.T, m *mortal) *tunnel {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &tunnel{Listener: l}
	m.address = l.Addr().String()
	m.start()
	to := strings.TrimPrefix(*m.url.Load(), "http://")
	through := "http://" + m.address
	m.url.Store(&through)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			u.mu.Lock()
			u.near, u.far = append(u.near, near), append(u.far, far)
			u.mu.Unlock()
			go io.Copy(far, near) // whose end the desk does not hear of
			go io.Copy(near, far)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		u.cut()
		u.mu.Lock()
		defer u.mu.Unlock()
		for _, c := range u.far {
			c.Close()
		}
	})
	return u
}

// cut ends all connections on the side of the client.
func (u *tunnel) cut() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.near {
		c.Close()
	}
	u.near = nil
}

// TestACallWhoseConnectionBreaks without its desk is taken up there, though the desk has not
// noticed: a call that waits, and one that runs.
func TestACallWhoseConnectionBreaks(t *testing.T) {
	for _, at := range []struct{ era, path string }{{eras[0], "/mcp/tally"}, {eras[1], "/mcp/tally"}, {eras[0], "/mcp"}, {eras[1], "/mcp"}} {
		t.Run(at.era+" "+at.path, func(t *testing.T) {
			m := newMortal(t, permission.Ask)
			m.path = at.path
			way := newTunnel(t, m)
			a := m.attend(at.era)
			waiting := a.call("waits", 0)
			m.await(1, waits)
			way.cut()
			a.hears(t, "is not there")
			a.hears(t, "there again")
			m.await(1, waits)
			m.approve()
			if words := <-waiting; words != "noted" {
				t.Errorf("the one that waits: %s", words)
			}
			running := a.call("runs", 3*time.Second)
			m.await(1, waits)
			m.approve()
			until(t, "the call", func() bool { return m.ran()["runs"] == 1 })
			way.cut()
			if words := <-running; words != "noted" {
				t.Errorf("the one that runs: %s", words)
			}
			if ran := m.ran(); ran["waits"] != 1 || ran["runs"] != 1 {
				t.Errorf("ran %v", ran)
			}
		})
	}
}
