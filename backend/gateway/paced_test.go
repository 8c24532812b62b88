package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// oneConn is a listener of a single connection.
type oneConn struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error {
	close(l.done)
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{} }

// pensive is a desk that takes its time, and looks at the connection's limit then.
type pensive struct {
	away
	conn *limited
}

func (d pensive) Server(ctx context.Context, id string) (permission.Server, error) {
	if !d.conn.until.IsZero() {
		return permission.Server{}, errors.New("the connection has a limit while its caller waits")
	}
	return d.away.Server(ctx, id)
}

// limited is a connection that tells its limit.
type limited struct {
	net.Conn
	until time.Time
}

func (c *limited) SetReadDeadline(t time.Time) error {
	c.until = t
	return c.Conn.SetReadDeadline(t)
}

// TestASlowMessage is refused, unless it comes on; and who waits for an answer is not slow.
func TestASlowMessage(t *testing.T) {
	for _, tt := range []struct {
		what   string
		bytes  int // that come at once
		then   time.Duration
		status string
	}{
		{"nothing more comes", 10, time.Hour, "408"},
		{"the rest comes in time", 10, 19 * time.Second, "404"},
		{"the rest comes too late", 10, 21 * time.Second, "408"},
		{"much came, so that the rest may come later", 640 << 10, 29 * time.Second, "404"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				conn := &limited{Conn: far}
				g := New(pensive{conn: conn}, Options{AgentFrom: func(*http.Request) (permission.Agent, bool) { return permission.Agent{ID: "a"}, true }})
				l := &oneConn{make(chan net.Conn, 1), make(chan struct{})}
				l.conns <- conn
				server := &http.Server{Handler: g}
				go server.Serve(l)
				body := `{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
				go func() {
					fmt.Fprintf(near, "POST /mcp/x HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: none\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:tt.bytes])
					time.Sleep(tt.then)
					io.WriteString(near, body[tt.bytes:])
				}()
				resp, err := http.ReadResponse(bufio.NewReader(near), nil)
				if err != nil || !strings.HasPrefix(resp.Status, tt.status) {
					t.Errorf("answered %+v, %v", resp, err)
				}
				if body, _ := io.ReadAll(resp.Body); tt.status == "404" && !strings.Contains(string(body), "no server") {
					t.Errorf("answered %s", body)
				}
				near.Close()
				server.Close()
				time.Sleep(2 * time.Hour) // for the goroutines of both ends
			})
		})
	}
}
