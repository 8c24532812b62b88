package rest

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/pipetest"
)

// dial connects, and says a request's beginning.
func dial(t *testing.T, p *pipetest.Listener, text string) net.Conn {
	t.Helper()
	client, err := p.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(client, text); err != nil {
		t.Fatal(err)
	}
	return client
}

// inBubble serves a door inside a bubble.
func inBubble(t *testing.T, test func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler)) {
	t.Helper()
	inBubbleWith(t, Options{}, test)
}

// inBubbleWith takes the gateway from opts.
func inBubbleWith(t *testing.T, opts Options, test func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.waiting, f.wake = make(chan struct{}, 8), make(chan struct{})
		door := New(deskOf(f), Options{Operator: NewOperator(tokenOp), Gateway: opts.Gateway, Logger: slog.New(slog.DiscardHandler)})
		door.work.run = "the run"
		p := pipetest.New()
		web := door.Server()
		served := make(chan struct{})
		go func() { _ = web.Serve(p); close(served) }()
		test(t, p, f, door)
		door.Close()
		_ = web.Close()
		<-served
	})
}

func head(method, path, token string, more ...string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n" +
		strings.Join(append(more, ""), "\r\n") + "\r\n"
}

func TestASlowBodyIsCut(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		start := time.Now()
		conn := dial(t, p, head("POST", "/v1/calls", tokenA, "Content-Length: 1000"))
		gone := make(chan struct{})
		go func() { // one byte each 5 s
			defer close(gone)
			for {
				if _, err := io.WriteString(conn, " "); err != nil {
					return
				}
				time.Sleep(5 * time.Second)
			}
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); resp.StatusCode != http.StatusRequestTimeout || took > 30*time.Second || took < 15*time.Second {
			t.Errorf("status %d after %v", resp.StatusCode, took)
		}
		if !resp.Close {
			t.Error("the connection is kept")
		}
		_ = conn.Close()
		<-gone
		if f.touched() > 0 {
			t.Errorf("the desk was asked: %v", f.counts)
		}
	})
}

// An answer before the body was read waits for the body, but not for long.
func TestABodyThatNobodyReadsIsCut(t *testing.T) {
	const short, chunked = "Content-Length: 1000", "Transfer-Encoding: chunked"
	for _, c := range []struct {
		method, path, token, length string
		status                      int
	}{
		{"POST", "/v1/calls", "nobody's", short, 401}, {"POST", "/v1/hold", tokenA, short, 403}, {"POST", "/nowhere", "", chunked, 404},
		{"PUT", "/v1/calls", tokenA, "Content-Length: 200000", 405},
		{"POST", "/v1/calls/call-a/cancel", tokenOp, short, 403}, {"DELETE", "/v1/agents/x", tokenOp, short, 204},
		{"GET", "/v1/calls", tokenA, chunked, 200}, {"GET", "/healthz", "", short, 200},
	} {
		inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
			start := time.Now()
			conn := dial(t, p, head(c.method, c.path, c.token, c.length))
			_ = conn.SetReadDeadline(start.Add(time.Hour))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("%s %s: %v", c.method, c.path, err)
			}
			if took := time.Since(start); resp.StatusCode != c.status || took > bodyGrace {
				t.Errorf("%s %s: %d after %v", c.method, c.path, resp.StatusCode, took)
			}
			_ = conn.Close()
		})
	}
}

// A call that the gateway holds outlives the time that a body has.
func TestTheGatewayMayHoldARequest(t *testing.T) {
	gateway := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		select {
		case <-time.After(10 * bodyGrace):
			_, _ = io.WriteString(w, "held "+string(body))
		case <-r.Context().Done():
			t.Errorf("the request ended: %v, %v", r.Context().Err(), err)
		}
	})
	inBubbleWith(t, Options{Gateway: gateway}, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		conn := dial(t, p, head("POST", "/mcp/fs", tokenA, "Content-Length: 2")+"{}")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != "held {}" {
			t.Errorf("got %q", body)
		}
		_ = conn.Close()
	})
}

// A body on its way to the gateway has the time of any other, and who waits for the
// gateway's answer has no limit.
func TestABodyForTheGatewayIsPaced(t *testing.T) {
	gateway := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, err := io.ReadAll(r.Body); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.WriteHeader(http.StatusRequestTimeout)
		case err != nil || len(body) != 1<<20:
			t.Errorf("%d bytes, %v", len(body), err)
		default:
			time.Sleep(10 * bodyGrace)
			if _, err := w.Write([]byte("held")); err != nil || r.Context().Err() != nil {
				t.Errorf("%v, %v", err, r.Context().Err())
			}
		}
	})
	for _, tt := range []struct {
		what   string
		bytes  int // that come at once
		then   time.Duration
		status int
	}{
		{"nothing more comes", 10, time.Hour, 408},
		{"the rest comes in time", 10, 19 * time.Second, 200},
		{"the rest comes too late", 10, 21 * time.Second, 408},
		{"much came, so that the rest may come later", 640 << 10, 29 * time.Second, 200},
	} {
		inBubbleWith(t, Options{Gateway: gateway}, func(t *testing.T, p *pipetest.Listener, _ *fakeDesk, _ *Handler) {
			body := strings.Repeat("x", 1<<20)
			conn := dial(t, p, head("POST", "/mcp/fs", tokenA, "Content-Length: "+itoa(len(body))))
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				_, _ = io.WriteString(conn, body[:tt.bytes])
				time.Sleep(tt.then)
				_, _ = io.WriteString(conn, body[tt.bytes:]) // it may be cut
			}()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != tt.status {
				t.Errorf("%s: %+v, %v", tt.what, resp, err)
			}
			_ = conn.Close()
			<-sent
		})
	}
}

func TestABodyThatKeepsComingIsTaken(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		input := `{"runId":"r","toolCallId":"t","toolName":"x","input":"` + strings.Repeat("a", 4<<20) + `"}`
		conn := dial(t, p, head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(input))))
		go func() { // 128 KiB each second: 33 s in all
			for i := 0; i < len(input); i += 128 << 10 {
				time.Sleep(time.Second)
				_, _ = io.WriteString(conn, input[i:min(i+128<<10, len(input))])
			}
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = conn.Close()
	})
}

func TestAWaitAfterTheBodyIsNotSlowness(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		f.slow = time.Minute
		conn := dial(t, p, head("POST", "/v1/calls", tokenA, "Content-Length: "+itoa(len(goodAsk)))+goodAsk)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = conn.Close()
	})
}

func TestABodyThatBreaksOffDoesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		conn := dial(t, p, head("POST", "/v1/calls", tokenA, "Content-Length: 1000")+goodAsk)
		_ = conn.Close()
		synctest.Wait()
		if f.touched() > 0 {
			t.Errorf("the desk was asked: %v", f.counts)
		}
	})
}

func TestWhatIsNotHTTP(t *testing.T) {
	hello := "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 160)
	for _, text := range []string{hello, hello + "\n\n", "\x00\r\n\r\n", "GET /v1/calls HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: localh"} {
		inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
			start := time.Now()
			conn := dial(t, p, text)
			answer, err := io.ReadAll(conn)
			_ = conn.Close()
			if took := time.Since(start); err != nil || took > 10*time.Second {
				t.Errorf("%.20q: closed after %v, %v", text, took, err)
			}
			if s := string(answer); s != "" && !strings.Contains(s, " 400 ") && !strings.Contains(s, " 403 ") {
				t.Errorf("%.20q: %.100q", text, s)
			}
			if f.touched() > 0 {
				t.Errorf("the desk was asked: %v", f.counts)
			}
		})
	}
}

func TestALongPollWaits(t *testing.T) {
	for _, c := range []struct {
		name, query string
		after       time.Duration
		asked       string
	}{
		{"until its seconds are over", "?wait=25", 25 * time.Second, "Wait"},
		{"no longer than a minute", "?wait=1000000000", time.Minute, "Wait"},
		{"fractions of seconds", "?wait=0.5&rev=3", 500 * time.Millisecond, "Wait"},
		{"not without wait", "", 0, "Call"}, {"not for nothing", "?wait=0", 0, "Call"}, {"not when rev differs", "?wait=25&rev=2", 0, "Wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
				start := time.Now()
				conn := dial(t, p, head("GET", "/v1/calls/call-a"+c.query, tokenA))
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || resp.StatusCode != 200 {
					t.Fatalf("%v %v", resp, err)
				}
				if took := time.Since(start); took != c.after || f.counts[c.asked] != 1 {
					t.Errorf("after %v, want %v; %v", took, c.after, f.counts)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = conn.Close()
			})
		})
	}
}

func TestALongPollWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, _ *Handler) {
		start := time.Now()
		conn := dial(t, p, head("GET", "/v1/calls/call-a?wait=50&rev=3", tokenA))
		go func() {
			<-f.waiting
			time.Sleep(7 * time.Second)
			close(f.wake)
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if took := time.Since(start); took != 7*time.Second || !strings.Contains(string(body), `"status":"approved"`) {
			t.Errorf("after %v: %s", took, body)
		}
		_ = conn.Close()
	})
}

func TestALongPollEndsWithItsClientAndWithTheDoor(t *testing.T) {
	for name, end := range map[string]func(net.Conn, *Handler){
		"client": func(c net.Conn, _ *Handler) { _ = c.Close() },
		"door":   func(_ net.Conn, h *Handler) { h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pipetest.Listener, f *fakeDesk, door *Handler) {
				start := time.Now()
				conn := dial(t, p, head("GET", "/v1/calls/call-a?wait=50", tokenA))
				<-f.waiting
				end(conn, door)
				<-f.waiting // Wait came back because its context ended
				if took := time.Since(start); took != 0 {
					t.Errorf("it went on for %v", took)
				}
				_ = conn.Close()
			})
		})
	}
}
