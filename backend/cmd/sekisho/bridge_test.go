package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// script is a desk that answers as its test says, and remembers what it was told.
type script struct {
	mu     sync.Mutex
	told   []string
	answer func(w http.ResponseWriter, r *http.Request, body string) bool // false: the usual answer
	close  func()                                                         // nobody listens then
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	body := string(raw)
	s.mu.Lock()
	s.told = append(s.told, r.Method+" "+r.Header.Get("Mcp-Session-Id")+" "+body)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil && answer(w, r, body) {
		return
	}
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case strings.Contains(body, `"initialize"`):
		w.Header().Set("Mcp-Session-Id", "s1")
		io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
	case strings.Contains(body, `"id"`):
		l, _ := parse(raw)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"echo":1.0}}`, l.ID)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func (s *script) heard(want string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Index(s.told, want)
}

// wire is a client's end of a bridge.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	stop context.CancelFunc
	done chan error
}

func newWire(t *testing.T, find func() (endpoint, error)) *wire {
	t.Helper()
	return newWireTo(t, way{find: find, told: io.Discard})
}

func newWireTo(t *testing.T, to way) *wire {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	w := &wire{t: t, in: stdin, out: bufio.NewReader(stdout), stop: stop, done: make(chan error, 1)}
	go func() {
		w.done <- bridge(ctx, to, in, out)
		out.Close()
	}()
	t.Cleanup(func() {
		stop()
		stdin.Close()
		stdout.Close()
	})
	return w
}

func scripted(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body string) bool) (*script, *wire) {
	t.Helper()
	return scriptedTo(t, io.Discard, answer)
}

// scriptedTo is scripted with the one that the bridge tells of the desk.
func scriptedTo(t *testing.T, told io.Writer, answer func(w http.ResponseWriter, r *http.Request, body string) bool) (*script, *wire) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	s := &script{answer: answer, close: func() {
		server.Listener.Close()
		server.CloseClientConnections()
	}}
	server.Config.Handler = proving(s, "tok")
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return s, newWireTo(t, way{told: told, find: func() (endpoint, error) {
		return endpoint{desk: server.URL, url: server.URL + "/mcp/x", token: "tok"}, nil
	}})
}

func (w *wire) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// hear gives the next line of the bridge.
func (w *wire) hear() string {
	w.t.Helper()
	got := make(chan string, 1)
	go func() {
		line, err := w.out.ReadString('\n')
		if err != nil {
			line = err.Error()
		}
		got <- strings.TrimSuffix(line, "\n")
	}()
	select {
	case line := <-got:
		return line
	case <-time.After(10 * time.Second):
		w.t.Fatal("the bridge says nothing")
	}
	return ""
}

// end closes the bridge's input and waits for its end.
func (w *wire) end() {
	w.t.Helper()
	w.in.Close()
	w.ended()
}

func (w *wire) ended() {
	w.t.Helper()
	go io.Copy(io.Discard, w.out)
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Error(err)
		}
	case <-time.After(10 * time.Second):
		w.t.Fatal("the bridge does not end")
	}
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func TestBridgeKeepsOrderAndBytes(t *testing.T) {
	exact := `{"jsonrpc":"2.0","id":"A","result":{"big":9007199254740993, "bad":"` + "\xff" + `"}}`
	s, w := scripted(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
		switch {
		case r.Header.Get("Authorization") != "Bearer tok":
			w.WriteHeader(http.StatusUnauthorized)
		case strings.Contains(body, `"initialize"`):
			time.Sleep(50 * time.Millisecond) // what follows waits for it
			return false
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": hi\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"from/server\"}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case strings.Contains(body, "special"):
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"before\"}\n\ndata: "+exact[:1]+"\nid: 7\ndata: "+exact[1:]+
				"\n\n")
		default:
			return false
		}
		return true
	})
	w.say(hello)
	w.say(ready)
	if got := w.hear(); got != `{"jsonrpc":"2.0","id":0,"result":{}}` {
		t.Errorf("got %s", got)
	}
	if got := w.hear(); got != `{"jsonrpc":"2.0","method":"from/server"}` {
		t.Errorf("got %s", got)
	}
	special := `{"jsonrpc":"2.0", "id":"\u0041","method":"special","x":1.0}`
	w.say(special)
	if got := w.hear() + w.hear(); got != `{"jsonrpc":"2.0","method":"before"}`+exact[:1]+" "+exact[1:] {
		t.Errorf("got %q", got)
	}
	w.say(hello)
	if got := w.hear(); got != `{"jsonrpc":"2.0","id":0,"result":{}}` {
		t.Errorf("got %s", got)
	}
	w.end()
	for i, want := range []string{"POST  " + hello, "POST s1 " + ready, "GET s1 ", "POST s1 " + special, "POST s1 " + hello, "DELETE s1 "} {
		if s.heard(want) != i {
			t.Errorf("%q is not number %d of %q", want, i, s.told)
		}
	}
}

func TestBridgeSaysWhatIsWrong(t *testing.T) {
	problem := func(status int, body string) func(http.ResponseWriter, *http.Request, string) bool {
		return func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			io.WriteString(w, body)
			return true
		}
	}
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, string) bool
		want   string
	}{
		{"401", problem(401, `{"title":"Unauthorized","detail":"no such token"}`),
			`"code":-32603,"message":"Sekisho does not know this agent's token: check --agent, --token-file or SEKISHO_TOKEN (no such token)"`},
		{"404", problem(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"there is no server \"x\"", "data":1.0}}`),
			`"error":{"code":-32002,"message":"there is no server \"x\"", "data":1.0}`},
		{"redirect", problem(307, ``), `the desk answered 307`},
		{"nonsense", problem(200, `<html>`), `the desk's answer is none of MCP`},
		{"nothing", problem(200, ``), `the desk's answer is none of MCP`},
		{"closing", problem(503, ``), `the desk answered 503`},
		{"broken off", func(http.ResponseWriter, *http.Request, string) bool {
			panic(http.ErrAbortHandler)
		}, `Sekisho is not running at http://127`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, w := scripted(t, tt.answer)
			w.say(hello)
			got := w.hear()
			if tt.name == "nonsense" {
				got = w.hear() // what the desk says is handed on; then comes the error
			}
			if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"error":{`) || !strings.Contains(got, tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			w.end()
		})
	}
}

// TestBridgeAnswersWhatIsNoRequest: a message that is refused is answered, so that
// its client does not wait for ever.
func TestBridgeAnswersWhatIsNoRequest(t *testing.T) {
	_, w := scripted(t, func(rw http.ResponseWriter, _ *http.Request, _ string) bool {
		rw.WriteHeader(http.StatusBadRequest)
		io.WriteString(rw, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"neither a request nor"}}`)
		return true
	})
	for _, tt := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":7,"METHOD":"tools/call","params":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":9}`, `{"jsonrpc":"2.0","id":9,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{`{"jsonrpc":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
	} {
		w.say(tt.line)
		if got := w.hear(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s\ngot %s", tt.line, got)
		}
	}
	w.end()
}

func TestBridgeWithoutDesk(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	w := newWire(t, func() (endpoint, error) { return endpoint{desk: gone.URL, url: gone.URL + "/mcp/x"}, nil })
	w.say(hello)
	if got := w.hear(); !strings.Contains(got, `"id":0,"error":{"code":-32603,"message":"Sekisho is not running at `+gone.URL+
		`: start it, then try again`) {
		t.Errorf("got %s", got)
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/x"}`)
	w.say(`{"jsonrpc":"2.0",`)
	if got := w.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`) {
		t.Errorf("got %s", got)
	}
	w.end()
	w = newWire(t, func() (endpoint, error) { return endpoint{}, errors.New("Sekisho is not running: \"start\" it") })
	w.say(hello)
	if got := w.hear(); !strings.Contains(got, `"message":"Sekisho is not running: \"start\" it"`) {
		t.Errorf("got %s", got)
	}
	w.stop()
	w.ended()
}

// TestBridgeLeaves: in each way of leaving the connection of a held call closes, and
// the session is ended.
func TestBridgeLeaves(t *testing.T) {
	for name, leave := range map[string]func(*wire){
		"input ends": func(w *wire) { w.in.Close() },
		"signal":     func(w *wire) { w.stop() },
		"cancelled": func(w *wire) {
			w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"x"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			held, left := make(chan struct{}), make(chan struct{})
			s, w := scripted(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
				if !strings.Contains(body, "tools/call") {
					return false
				}
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, ": waiting\n\n")
				w.(http.Flusher).Flush()
				close(held)
				<-r.Context().Done()
				close(left)
				return true
			})
			w.say(hello)
			w.hear()
			w.say(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{}}`)
			<-held
			leave(w)
			select {
			case <-left:
			case <-time.After(time.Second):
				t.Fatal("the held call's connection is still there")
			}
			if name == "cancelled" {
				w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				if got := w.hear(); !strings.Contains(got, `"id":2`) {
					t.Errorf("got %s", got)
				}
				w.in.Close()
			}
			w.ended()
			if s.heard("DELETE s1 ") < 0 {
				t.Errorf("the session was not ended: %q", s.told)
			}
		})
	}
}

// TestBridgeFinishesWhatCannotBeHeld: a client may close its output after its last
// request, and still read.
func TestBridgeFinishesWhatCannotBeHeld(t *testing.T) {
	s, w := scripted(t, func(_ http.ResponseWriter, _ *http.Request, body string) bool {
		if strings.Contains(body, "tools/list") {
			time.Sleep(100 * time.Millisecond)
		}
		return false
	})
	w.say(hello)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	w.in.Close()
	if got := w.hear() + w.hear(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("got %s", got)
	}
	w.ended()
	if s.heard("DELETE s1 ") < 0 {
		t.Errorf("told %q", s.told)
	}
}

// TestBridgeEndsItsGoroutines: with the end of its input nothing of it is left.
func TestBridgeEndsItsGoroutines(t *testing.T) {
	_, w := scripted(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
		if r.Method != http.MethodGet && !strings.Contains(body, "tools/call") {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	w.say(hello)
	w.hear()
	w.say(ready)
	for i := range 10 {
		w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, i+1))
	}
	w.end()
	until(t, "the end of its goroutines", func() bool {
		buf := make([]byte, 1<<20)
		all := string(buf[:runtime.Stack(buf, true)])
		return !strings.Contains(all, "sekisho.(*relay)") && !strings.Contains(all, "sekisho.read") && !strings.Contains(all, "sekisho.bridge")
	})
}

func TestBridgeBeginsAgainAfterARestart(t *testing.T) {
	sessions := 0
	s, w := scripted(t, nil)
	answered := make(chan struct{})
	s.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		if r.Method == http.MethodGet && r.Header.Get("Mcp-Session-Id") == "s2" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-answered
			time.Sleep(20 * time.Millisecond)
			io.WriteString(w, "data: {\"said\":2}\n\n")
			return true
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if strings.Contains(body, `"initialize"`) {
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("s%d", sessions))
			io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
			return true
		}
		if sessions == 1 && strings.Contains(body, "tools/call") {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such session"}}`)
			return true
		}
		return false
	}
	w.say(hello)
	w.hear()
	w.say(ready)
	again := `{"jsonrpc":"2.0","id":5,"method":"tools/call"}`
	w.say(again)
	if got := w.hear(); got != `{"jsonrpc":"2.0","id":5,"result":{"echo":1.0}}` {
		t.Errorf("got %s", got)
	}
	close(answered)
	if got := w.hear(); got != `{"said":2}` {
		t.Errorf("the stream of the new session says %s", got)
	}
	w.end()
	at := -1
	for _, want := range []string{"POST s1 " + again, "POST  " + hello, "POST s2 " + ready, "POST s2 " + again, "DELETE s2 "} {
		i := s.heard(want)
		if want == "POST  "+hello {
			continue // the first of the two is found
		}
		if i <= at {
			t.Errorf("%q is number %d after %d of %q", want, i, at, s.told)
		}
		at = i
	}
}

// TestBridgeGoesOnWhileItBeginsAgain: what comes meanwhile waits for the new session.
func TestBridgeGoesOnWhileItBeginsAgain(t *testing.T) {
	const first, second = `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":6,"method":"tools/list"}`
	s, w := scripted(t, nil)
	var begun atomic.Int32
	beginning, came := make(chan struct{}), make(chan struct{}, 10)
	s.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		session := r.Header.Get("Mcp-Session-Id")
		switch {
		case body == hello:
			n := begun.Add(1)
			if n == 2 {
				close(beginning)
				<-came
			}
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("s%d", n))
			io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		case r.Method == http.MethodPost && session != "s2" && body != ready:
			if body == second {
				came <- struct{}{}
			}
			status := http.StatusNotFound
			if session == "" {
				status = http.StatusBadRequest
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"no session"}}`, map[int]int{404: -32001, 400: -32600}[status])
		default:
			return false
		}
		return true
	}
	w.say(hello)
	w.hear()
	w.say(ready)
	w.say(first)
	<-beginning
	w.say(second)
	for range 2 {
		if got := w.hear(); !strings.Contains(got, `"result":{"echo":1.0}`) {
			t.Errorf("got %s", got)
		}
	}
	w.end()
}

// TestBridgeWritesHeaders: what a message on stdio has no place for, and HTTP wants.
func TestBridgeWritesHeaders(t *testing.T) {
	headers := make(chan http.Header, 10)
	_, w := scripted(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
		if r.Method == http.MethodPost {
			headers <- r.Header
		}
		if !strings.Contains(body, `"initialize"`) {
			return false
		}
		w.Header().Set("Mcp-Session-Id", "s1")
		io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`)
		return true
	})
	for _, tt := range []struct{ line, version, method, name, session string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "2026-07-28", "tools/call", "=?base64?Z3LDtsOfZQ==?=", ""},
		{`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a:b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "2026-07-28", "resources/read", "a:b", ""},
		{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, "", "", "", ""},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`, "2025-06-18", "", "", "s1"},
	} {
		w.say(tt.line)
		w.hear()
		h := <-headers
		if h.Get("Mcp-Protocol-Version") != tt.version || h.Get("Mcp-Method") != tt.method || h.Get("Mcp-Name") != tt.name ||
			h.Get("Mcp-Session-Id") != tt.session || strings.Contains(h.Get("Sekisho-Stdio"), "call=") != strings.Contains(tt.line, "tools/call") {
			t.Errorf("%s: %v", tt.line, h)
		}
	}
}
