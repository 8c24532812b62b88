package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// far is a scripted server over HTTP that notes what it gets.
type far struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	seen    []farRequest
	session string // what it calls the session now; requests of others are 404
	opened  int
	refuses int                                       // the status by which initialize is refused; 0 is not
	about   string                                    // what it answers to initialize; "" is fixtureInit
	lists   bool                                      // play answers tools/list to the desk too; else that is tools, and not noted
	tools   string                                    // "" is fixtureAll
	play    func(w http.ResponseWriter, r farRequest) // what is not initialize, a notification or a DELETE
}

type farRequest struct {
	fixtureMessage
	method string // of HTTP
	body   string
	header http.Header
	ctx    context.Context
}

func newFar(t *testing.T, play func(w http.ResponseWriter, r farRequest)) *far {
	f := &far{t: t, play: play}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *far) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	req := farRequest{method: r.Method, body: string(body), header: r.Header, ctx: r.Context()}
	json.Unmarshal(body, &req.fixtureMessage)
	f.mu.Lock()
	if req.Method == "tools/list" && !f.lists && strings.HasPrefix(string(req.ID), `"sekisho-`) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, cmp.Or(f.tools, fixtureAll))
		f.mu.Unlock()
		return
	}
	if req.Method == "server/discover" && strings.HasPrefix(string(req.ID), `"sekisho-`) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, fixtureDiscover)
		f.mu.Unlock()
		return
	}
	f.seen = append(f.seen, req)
	known := r.Header.Get("Mcp-Session-Id") == f.session
	refuses := f.refuses
	if req.Method == "initialize" && refuses == 0 {
		f.opened++
		f.session = fmt.Sprint("far-", f.opened)
		w.Header().Set("Mcp-Session-Id", f.session)
	}
	f.mu.Unlock()
	switch {
	case req.Method == "initialize" && refuses != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(refuses)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, req.ID, fixtureBad)
	case req.Method == "initialize":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0", "result":%s ,"id":%s}`, cmp.Or(f.about, fixtureInit), req.ID)
	case !known:
		http.Error(w, "no such session", http.StatusNotFound)
	case r.Method == http.MethodDelete:
	case r.Method == http.MethodPost && req.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		f.play(w, req)
	}
}

// requests are those that fulfil a condition.
func (f *far) requests(is func(farRequest) bool) (some []farRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.seen {
		if is(r) {
			some = append(some, r)
		}
	}
	return some
}

func (f *far) calls() []farRequest {
	return f.requests(func(r farRequest) bool { return r.Method == "tools/call" })
}

func (f *far) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = "none"
}

// put puts the server into a house in the place of the fixture.
func (f *far) put(h *house, headers map[string]string) {
	h.desk.servers[fixtureID] = permission.Server{ID: fixtureID, Transport: permission.TransportHTTP, URL: f.URL + "/mcp?x=1",
		Headers: headers, Enabled: true}
}

func newFarHouse(t *testing.T, opts gateway.Options, play func(w http.ResponseWriter, r farRequest)) (*house, *far) {
	f := newFar(t, play)
	h := newHouse(t, opts)
	f.put(h, map[string]string{"Authorization": "Bearer far-secret", "X-Tenant": "a"})
	h.desk.allow["run"] = true
	return h, f
}

func stream(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range parts {
		io.WriteString(w, p)
		http.NewResponseController(w).Flush()
	}
}

func whole(w http.ResponseWriter, r farRequest) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{ "id":%s,"result":%s,"jsonrpc":"2.0"}`, r.ID, fixtureEcho)
}

func TestFarServerGetsAndGivesTheSameBytes(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			http.Error(w, "no stream", http.StatusMethodNotAllowed)
			return
		}
		switch r.Params.Name {
		case "run":
			stream(w, ": hello\r\n\r\n", "event: message\r\ndata: "+strings.Replace(fixtureChanged, "tools/list_changed", "message", 1)+"\r\n\r\n",
				"id: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\ndata: \"params\":{\"progress\":1e0,\"progressToken\":\"t\"}}\n\n",
				fmt.Sprintf("data: {\"result\":%s,\"jsonrpc\":\"2.0\", \"id\":%s}\n\n", fixtureEcho, r.ID))
		default:
			whole(w, r)
		}
	})
	c := h.connect("a")
	sent := callWithToken(`"x\u0041"`, "run", `{"big":12345678901234567890, "a":1e2,"slash":"\/"}`, `"t"`)
	got := c.ask(sent)
	want := []string{
		`{"jsonrpc":"2.0","method":"notifications/message"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress", "params":{"progress":1e0,"progressToken":"t"}}`,
		`{"result":` + fixtureEcho + `,"jsonrpc":"2.0", "id":"x\u0041"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list","x":1.0}`); got[0] != `{ "id":2,"result":`+fixtureEcho+`,"jsonrpc":"2.0"}` {
		t.Errorf("got %s", got)
	}
	calls := f.calls()
	if len(calls) != 1 || calls[0].body != sent {
		t.Fatalf("the server got %+v", calls)
	}
	for name, want := range map[string]string{"Authorization": "Bearer far-secret", "X-Tenant": "a", "Mcp-Session-Id": "far-1",
		"Content-Type": "application/json"} {
		if got := calls[0].header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if c := h.desk.awaitStatus(t, permission.Completed); string(c.Result) != fixtureEcho {
		t.Errorf("kept %s", c.Result)
	}
	h.gate.Close()
	if ended := f.requests(func(r farRequest) bool {
		return r.method == http.MethodDelete
	}); len(ended) != 1 || ended[0].header.Get("Mcp-Session-Id") != "far-1" {
		t.Errorf("told of the end: %+v", ended)
	}
}

func TestFarSessionIsRenewed(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		whole(w, r)
	})
	c := h.connect("a")
	f.forget()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if got := c.ask(call(fmt.Sprint(i), "run", `{}`)); !strings.Contains(got[0], fixtureEcho) {
				t.Errorf("got %s", got)
			}
		})
	}
	all.Wait()
	if f.opened != 2 {
		t.Errorf("opened %d times", f.opened)
	}
	renewed := f.requests(func(r farRequest) bool { return r.Method == "notifications/initialized" })
	if len(renewed) != 2 || renewed[1].header.Get("Mcp-Session-Id") != "far-2" {
		t.Errorf("told of it %+v", renewed)
	}
	ran := map[string]int{}
	for _, r := range f.calls() {
		if r.header.Get("Mcp-Session-Id") == "far-2" {
			ran[string(r.ID)]++
		}
	}
	for id, n := range ran {
		if n != 1 {
			t.Errorf("request %s ran %d times", id, n)
		}
	}
	if len(ran) != 8 {
		t.Errorf("ran %v", ran)
	}
}

func TestFarServerSpeaksByItself(t *testing.T) {
	say := make(chan string, 1)
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.method != http.MethodGet {
			whole(w, r)
			return
		}
		stream(w, "id: e1\nretry: 10\n\n")
		select {
		case words := <-say:
			stream(w, "id: e2\ndata: "+words+"\n\n")
		case <-r.ctx.Done():
		}
	})
	c := h.connect("a")
	heard := make(chan string, 10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp := c.do(c.request(ctx, http.MethodGet, ""))
	go func() {
		defer resp.Body.Close()
		for m := range events(resp) {
			heard <- m
		}
	}()
	for range 2 { // the second on a stream that was opened again
		say <- fixtureChanged
		if m := next(t, heard); m != fixtureChanged {
			t.Fatalf("heard %s", m)
		}
	}
	again := f.requests(func(r farRequest) bool { return r.method == http.MethodGet && r.header.Get("Last-Event-Id") == "e2" })
	if len(again) == 0 {
		t.Error("the stream was not continued after its last event")
	}
}

func TestFarStreamThatBreaksOff(t *testing.T) {
	answer := func(r farRequest) string {
		return fmt.Sprintf("id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", r.ID, fixtureEcho)
	}
	var broken farRequest
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		switch {
		case r.method == http.MethodGet && r.header.Get("Last-Event-Id") == "1":
			stream(w, answer(broken))
		case r.method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Params.Name == "run" && string(r.Params.Arguments) == `{"id":true}`:
			broken = r
			stream(w, "id: 1\nretry: 5\ndata:\n\n")
		default:
			stream(w, "data: "+fixtureChanged+"\n\n")
		}
	})
	c := h.connect("a")
	if got := c.ask(call("1", "run", `{"id":true}`)); !strings.Contains(got[len(got)-1], fixtureEcho) {
		t.Errorf("got %s", got)
	}
	got := c.ask(call("2", "run", `{"id":false}`))
	if _, words := errorCode(t, got[len(got)-1]); !strings.Contains(words, "before it was whole") {
		t.Errorf("got %s", got)
	}
	h.desk.awaitStatus(t, permission.InDoubt)
	if n := len(f.calls()); n != 2 {
		t.Errorf("%d calls reached the server", n)
	}
}

func TestFarServerRefuses(t *testing.T) {
	elsewhere := newFar(t, whole)
	for _, tt := range []struct {
		what   string
		play   func(w http.ResponseWriter, r farRequest)
		says   string
		status permission.Status
	}{
		{"wants a sign-in", func(w http.ResponseWriter, _ farRequest) { w.WriteHeader(401) }, "sign-in", permission.Failed},
		{"is out of order", func(w http.ResponseWriter, _ farRequest) {
			http.Error(w, "<h1>oh</h1>", http.StatusBadGateway)
		}, "HTTP 502 Bad Gateway: <h1>oh", permission.InDoubt},
		{"leads elsewhere", func(w http.ResponseWriter, _ farRequest) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(307)
		}, "HTTP 307", permission.Failed},
		{"gives no answer", func(w http.ResponseWriter, _ farRequest) { w.WriteHeader(202) }, "before it was whole", permission.InDoubt},
		{"gives half an answer", func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "500")
			io.WriteString(w, `{"jsonrpc"`)
		}, "before it was whole", permission.InDoubt},
		{"answers another", func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":77,"result":{}}`)
		}, "before it was whole", permission.InDoubt},
		{"speaks no JSON", func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `<html>`)
		}, "cannot be read", permission.Failed},
		{"says too much", func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":"%s"}`, strings.Repeat("a", 1<<20))
		}, "too long", permission.Failed},
		{"says too much in an event", func(w http.ResponseWriter, r farRequest) {
			stream(w, "data: ", strings.Repeat("a", 1<<20), "\n\n")
		}, "too long", permission.InDoubt},
		{"answers too much in an event", func(w http.ResponseWriter, r farRequest) {
			stream(w, `data: {"jsonrpc":"2.0","id":1,"result":"`, strings.Repeat("a", 1<<20), "\"}\n\n")
		}, "too long", permission.Failed},
		{"says its error beside a status", func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":%s}`, fixtureBad)
		}, `no A`, permission.Failed},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h, _ := newFarHouse(t, gateway.Options{MaxMessage: 64 << 10}, func(w http.ResponseWriter, r farRequest) {
				if r.method == http.MethodGet {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				tt.play(w, r)
			})
			got := h.connect("a").ask(call("1", "run", `{}`))
			if _, words := errorCode(t, got[len(got)-1]); !strings.Contains(words, tt.says) {
				t.Errorf("says %s", words)
			}
			h.desk.awaitStatus(t, tt.status)
		})
	}
	if len(elsewhere.seen) > 0 {
		t.Errorf("a redirect was followed, with %v", elsewhere.seen[0].header)
	}
}

func TestFarServerThatIsNotThere(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		whole(w, r)
	})
	f.Config.SetKeepAlivesEnabled(false) // a connection that is kept may take the call with it: that is in doubt
	c := h.connect("a")
	f.Listener.Close()
	got := c.ask(call("1", "run", `{}`))
	if _, words := errorCode(t, got[0]); !strings.Contains(words, "not executed") {
		t.Errorf("says %s", words)
	}
	if c := h.desk.awaitStatus(t, permission.Failed); len(f.calls()) > 0 {
		t.Errorf("%s: the server got it", c.Status)
	}
}

func TestFarServerIsNotAskedForNobody(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		whole(w, r)
	})
	ctx, cancel := context.WithCancel(context.Background())
	got := h.connect("a").start(ctx, call("1", "asked", `{}`))
	waiting := h.desk.awaitStatus(t, permission.Pending)
	cancel()
	h.desk.awaitGone(t)
	h.desk.decide(waiting.ID, permission.Approved, "")
	last(t, got)
	time.Sleep(50 * time.Millisecond) // for what must not happen
	if n := len(f.calls()); n > 0 {
		t.Errorf("%d calls reached the server", n)
	}
}

func TestFarServerIsTried(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		if r.Method != "tools/list" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, fixtureList)
	})
	tools, _, err := h.gate.Try(t.Context(), h.desk.servers[fixtureID])
	if err != nil || !slices.Equal(namesOf(tools), []string{"echo", "die"}) {
		t.Errorf("%v, %v", tools, err)
	}
	if asked := f.requests(func(r farRequest) bool {
		return r.Method == "tools/list"
	}); len(asked) != 1 || asked[0].header.Get("Mcp-Protocol-Version") != "2025-06-18" {
		t.Errorf("asked %+v", asked)
	}
	s := h.desk.servers[fixtureID]
	s.URL = elsewhereThatRefuses(t)
	if _, words, err := h.gate.Try(t.Context(), s); err == nil || !strings.Contains(err.Error(), "HTTP 403") ||
		!strings.Contains(words, "go away") {
		t.Errorf("%v; %s", err, words)
	}
}

func elsewhereThatRefuses(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "go away", http.StatusForbidden) }))
	t.Cleanup(s.Close)
	return s.URL
}

// TestAServersSecretsAreNotRepeated: one that says what it was given, in its refusal or
// on its standard error, is heard without it.
func TestAServersSecretsAreNotRepeated(t *testing.T) {
	h, _ := newFarHouse(t, gateway.Options{}, func(w http.ResponseWriter, r farRequest) {
		http.Error(w, "no right for "+r.header.Get("Authorization")+" or far-secret", http.StatusForbidden)
	})
	got := strings.Join(h.connect("a").ask(call("1", "run", `{}`)), "\n")
	if strings.Contains(got, "far-secret") || !strings.Contains(got, "no right for ********") {
		t.Errorf("the caller hears %s", got)
	}
	server := permission.Server{ID: "x", Transport: permission.TransportStdio, Command: "/bin/sh",
		Env:  map[string]string{"TOKEN": "a-secret-of-it", "SHORT": "no"},
		Args: []string{"-c", `echo "no token $TOKEN is known here" >&2`}, Enabled: true}
	if _, words, err := h.gate.Try(t.Context(), server); err == nil || !strings.Contains(words, "no token ******** is known") {
		t.Errorf("%q %v", words, err)
	}
}
