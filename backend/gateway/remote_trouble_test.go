package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// withoutStream is how most servers play: nothing to say by themselves.
func withoutStream(play func(w http.ResponseWriter, r farRequest)) func(w http.ResponseWriter, r farRequest) {
	return func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		play(w, r)
	}
}

// TestFarServerThatIsDown: every request is answered, without a secret of the entry.
func TestFarServerThatIsDown(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, withoutStream(whole))
	entry := h.desk.servers[fixtureID]
	entry.URL = f.URL + "/mcp?key=hush-hush"
	h.desk.servers[fixtureID] = entry
	f.Config.SetKeepAlivesEnabled(false)
	c := h.connect("a")
	f.Listener.Close()
	fresh := &client{house: h, agent: "a"}
	discover := make(chan string, 1)
	go func() {
		defer close(discover)
		discover <- read(t, fresh.modern(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{`+modernMeta+`}}}`,
			"server/discover", "", nil))
	}()
	for what, got := range map[string]<-chan string{
		"initialize":      fresh.start(t.Context(), initialize),
		"tools/list":      c.start(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
		"server/discover": discover,
	} {
		if code, words := errorCode(t, last(t, got)); code != -32603 || !strings.Contains(words, "did not reach the server") ||
			strings.Contains(words, "hush") {
			t.Errorf("%s: %d %s", what, code, words)
		}
	}
}

// TestASecretIsHiddenBeforeWordsAreCut: else its beginning stays.
func TestASecretIsHiddenBeforeWordsAreCut(t *testing.T) {
	for _, kind := range []string{"text/plain", "application/json"} {
		h, _ := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, strings.Repeat("x", 294)+"far-secret")
		}))
		got := h.connect("a").ask(call("1", "run", `{}`))
		if _, words := errorCode(t, got[0]); strings.Contains(words, "far-") || !strings.Contains(words, "xx") {
			t.Errorf("%s: %s", kind, words)
		}
	}
}

// TestFarServerRepeatsASecret: it does not reach the agent.
func TestFarServerRepeatsASecret(t *testing.T) {
	h, _ := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		http.Error(w, "not with "+r.header.Get("Authorization")+" or far-secret", http.StatusForbidden)
	}))
	got := h.connect("a").ask(call("1", "run", `{}`))
	if _, words := errorCode(t, got[0]); strings.Contains(words, "far-secret") || !strings.Contains(words, "not with "+permission.Mask) {
		t.Errorf("says %s", words)
	}
}

// TestFarServerDoesNotTakeANote: the session goes on.
func TestFarServerDoesNotTakeANote(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		if r.Method == "" { // a response
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		stream(w, `data: {"jsonrpc":"2.0","id":"q","method":"ping"}`+"\n\n")
		<-r.ctx.Done()
	}))
	c := h.connect("a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next(t, c.start(ctx, `{"jsonrpc":"2.0","id":1,"method":"completion/complete"}`))
	resp := c.post(t.Context(), `{"jsonrpc":"2.0","id":"q","result":{}}`)
	if code, words := errorCode(t, read(t, resp)); resp.StatusCode != http.StatusBadGateway || code != -32603 ||
		!strings.Contains(words, "503") {
		t.Errorf("%s: %d %s", resp.Status, code, words)
	}
	if f.opened != 1 {
		t.Errorf("%d sessions", f.opened)
	}
}

// TestFarPostsEnd: a request that nobody waits for keeps no connection.
func TestFarPostsEnd(t *testing.T) {
	const ask = `{"jsonrpc":"2.0","id":1,"method":"completion/complete"}`
	const withdraw = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	for what, leave := range map[string]func(h *house){
		"left, then cancelled": func(h *house) {
			c := h.connect("a")
			ctx, cancel := context.WithCancel(t.Context())
			next(t, c.start(ctx, ask))
			cancel()
			time.Sleep(beat) // the gateway hears of it
			c.post(t.Context(), withdraw).Body.Close()
		},
		"cancelled, then left": func(h *house) {
			c := h.connect("a")
			ctx, cancel := context.WithCancel(t.Context())
			next(t, c.start(ctx, ask))
			c.post(t.Context(), withdraw).Body.Close()
			cancel()
		},
		"no answer in time": func(h *house) { h.connect("a").ask(call("1", "run", `{}`)) },
		"no list, and its session ends": func(h *house) {
			c := h.join("a")
			c.list() // which goes on in the background
			c.do(context.Background(), http.MethodDelete, "").Body.Close()
		},
	} {
		t.Run(what, func(t *testing.T) {
			ended := make(chan struct{}, 10)
			h, f := newFarHouse(t, gateway.Options{CallTimeout: 300 * time.Millisecond, Patience: 300 * time.Millisecond},
				withoutStream(func(w http.ResponseWriter, r farRequest) {
					stream(w, "data: "+fixtureChanged+"\n\n")
					<-r.ctx.Done()
					ended <- struct{}{}
				}))
			f.lists = strings.Contains(what, "list")
			leave(h)
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Fatal("the connection is still there")
			}
			if !f.lists { // the end of a session needs no other word
				h.awaitFar(f, "notifications/cancelled")
			}
		})
	}
}

// TestFarPostOfNoSessionEnds: its end is all that is said, since this era has no other word.
func TestFarPostOfNoSessionEnds(t *testing.T) {
	ended := make(chan struct{}, 1)
	h, f := newFarHouse(t, gateway.Options{CallTimeout: 100 * time.Millisecond}, func(w http.ResponseWriter, r farRequest) {
		stream(w, ": hello\n\n")
		<-r.ctx.Done()
		ended <- struct{}{}
	})
	got := read(t, h.stateless("a").modern(t.Context(), modernCall("1", "run", `{}`, ""), "tools/call", "run", nil))
	if !strings.Contains(got, "did not answer within") {
		t.Errorf("got %s", got)
	}
	<-ended
	h.gate.Close()
	if notes := f.requests(func(r farRequest) bool { return r.ID == nil }); len(notes) > 0 {
		t.Errorf("the server got %+v", notes)
	}
}

// awaitFar waits until the server has got a message of a method.
func (h *house) awaitFar(f *far, method string) {
	h.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); len(f.requests(func(r farRequest) bool {
		return r.Method == method
	})) == 0; time.Sleep(beat) {
		if time.Now().After(deadline) {
			h.t.Fatalf("the server got no %s", method)
		}
	}
}

// TestFarIDIsUsedAgain: what is left of one stream does not settle the next request.
func TestFarIDIsUsedAgain(t *testing.T) {
	second, answered := make(chan struct{}), make(chan struct{})
	h, _ := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		answer := fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":%s}`+"\n\n", r.ID, r.Params.Arguments)
		switch string(r.Params.Arguments) {
		case `{"n":1}`:
			stream(w, answer)
			<-second
			stream(w, answer) // once more, to whom it may concern
			defer close(answered)
		default:
			close(second)
			<-answered
			time.Sleep(beat) // the end of the first stream is heard, too
			stream(w, answer)
		}
	}))
	c := h.connect("a")
	for _, args := range []string{`{"n":1}`, `{"n":2}`} {
		if m := last(t, c.start(t.Context(), call("1", "run", args))); !strings.Contains(m, `"result":`+args) {
			t.Errorf("%s: %s", args, m)
		}
	}
}

// TestFarAnswerThatCannotBeRead fails the request on whose stream it came, and no other
// that has its id for a name.
func TestFarAnswerThatCannotBeRead(t *testing.T) {
	asked, go1 := make(chan struct{}), make(chan struct{})
	h, _ := newFarHouse(t, gateway.Options{}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		if string(r.ID) != "1" {
			close(asked)
			<-go1
			whole(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`)
	}))
	c := h.stateless("a")
	other := make(chan string, 1)
	go func() {
		other <- read(t, c.modern(t.Context(), modernCall(`"x"`, "run", `{}`, ""), "tools/call", "run", nil))
	}()
	<-asked
	if got := read(t, c.modern(t.Context(), modernCall("1", "run", `{}`, ""), "tools/call", "run", nil)); !strings.Contains(got,
		`"id":1,"error"`) || !strings.Contains(got, "cannot be read") {
		t.Errorf("its own caller is told %s", got)
	}
	close(go1)
	if got := next(t, other); !strings.Contains(got, fixtureEcho) {
		t.Errorf("another is told %s", got)
	}
}

// TestFarLongNoteIsOnlyDropped: the answer that comes after it arrives.
func TestFarLongNoteIsOnlyDropped(t *testing.T) {
	h, _ := newFarHouse(t, gateway.Options{MaxMessage: 64 << 10}, withoutStream(func(w http.ResponseWriter, r farRequest) {
		stream(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":"`+strings.Repeat("a", 1<<20)+"\"}\n\n",
			fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":%s}`+"\n\n", r.ID, fixtureEcho))
	}))
	if got := h.connect("a").ask(call("1", "run", `{}`)); !strings.Contains(got[len(got)-1], fixtureEcho) {
		t.Errorf("got %.300s", got)
	}
}

// TestFarSecondInitialize: one that is refused changes nothing, another ends the session
// before.
func TestFarSecondInitialize(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, withoutStream(whole))
	c := h.connect("a")
	for _, status := range []int{http.StatusOK, http.StatusBadRequest, 0} {
		f.mu.Lock()
		f.refuses = status
		f.mu.Unlock()
		c.ask(initialize)
		if got := c.ask(call("1", "run", `{}`)); !strings.Contains(got[0], fixtureEcho) {
			t.Errorf("after it was answered %d: %s", status, got)
		}
	}
	if f.opened != 2 {
		t.Errorf("%d sessions were begun", f.opened)
	}
	if ended := f.requests(func(r farRequest) bool {
		return r.method == http.MethodDelete
	}); len(ended) != 1 || ended[0].header.Get("Mcp-Session-Id") != "far-1" {
		t.Errorf("ended %+v", ended)
	}
}

// TestFarRequestIsSentOnce, whatever header its entry has.
func TestFarRequestIsSentOnce(t *testing.T) {
	h, f := newFarHouse(t, gateway.Options{}, withoutStream(func(_ http.ResponseWriter, r farRequest) { panic(http.ErrAbortHandler) }))
	f.put(h, map[string]string{"Idempotency-Key": "always", "X-Idempotency-Key": "always"})
	c := h.connect("a")
	c.ask(call("1", "run", `{}`))
	h.desk.awaitStatus(t, permission.InDoubt)
	if n := len(f.calls()); n != 1 {
		t.Errorf("%d calls reached the server", n)
	}
}
