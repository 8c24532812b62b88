package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
)

// late is a library of one tool and one prompt that answers a method only when it is let go.
func late(t *testing.T, method string) (l *library, letGo func()) {
	l = newLibrary(t, "late", map[string][]string{"tools/list": {`{"name":"one"}`}, "prompts/list": {`{"name":"p"}`}})
	l.about = strings.Replace(allOf, `"resources":{"subscribe":true}`, `"tools":{}`, 1)
	goOn := make(chan bool)
	l.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"`+method+`"`) {
			select {
			case <-goOn:
			case <-r.Context().Done():
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		l.ServeHTTP(w, r)
	})
	return l, func() { close(goOn) }
}

// TestJoinedServersThatStartLate: a list waits for them for a while from their start on; the
// client hears when they are there, and they were started once.
func TestJoinedServersThatStartLate(t *testing.T) {
	slow, letGo := late(t, "initialize")
	h, c := playHouse(t, gateway.Options{Patience: 2 * time.Second})
	h.put(slow.entry())
	h.desk.allow["one"] = true
	heard := c.listen()
	if n := len(c.list()); n != 14 {
		t.Errorf("without the late one: %d tools", n)
	}
	hear(t, heard, "the tools of the server late are left out: it has not answered in 2s")
	began := time.Now()
	for range 20 {
		c.list()
		c.entries("prompts/list")
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("40 lists waited %s for a server of which one had given up", took)
	}
	letGo()
	for range 2 { // in either order
		hear(t, heard, "/list_changed")
	}
	if tools := c.list(); tools["late__one"] == "" || len(tools) != 15 {
		t.Errorf("with the late one: %s", sortedNames(tools))
	}
	if got := c.entries("prompts/list"); !strings.Contains(got, `"late__p"`) {
		t.Errorf("prompts: %s", got)
	}
	if m := c.ask(call("2", "late__one", `{}`)); !strings.Contains(m, `{"of":"late"}`) || len(slow.bodies("initialize")) != 1 {
		t.Errorf("it answers %s, and was started %d times", m, len(slow.bodies("initialize")))
	}
}

// TestJoinedServersThatListLate: what a server had the last time stands for it when it is slow
// again, so that the client is not told of a change without end.
func TestJoinedServersThatListLate(t *testing.T) {
	slow, letGo := late(t, "tools/list")
	h := joinedHouse(t, gateway.Options{Patience: time.Second}, slow.entry())
	c := h.join("a")
	heard := c.listen()
	if n := len(c.list()); n != 4 {
		t.Errorf("%d tools", n)
	}
	letGo()
	hear(t, heard, "notifications/tools/list_changed")
	slow.instead("tools/list", hangs)
	if tools := c.list(); tools["late__one"] == "" {
		t.Errorf("tools: %s", sortedNames(tools))
	}
	slow.news <- updatedBoth
	for m := next(t, heard); !strings.Contains(m, "updated"); m = next(t, heard) {
		t.Errorf("the client heard %s", m)
	}
}

// TestJoinedServersThatFailLate: the client's log says why they do not come, and whoever asks
// next starts them anew.
func TestJoinedServersThatFailLate(t *testing.T) {
	broken, letGo := late(t, "initialize")
	h := joinedHouse(t, gateway.Options{Patience: time.Second}, broken.entry())
	c := h.join("a")
	heard := c.listen()
	c.list()
	broken.refuses = http.StatusInternalServerError
	broken.CloseClientConnections()
	hear(t, heard, "the tools of the server late do not come: ")
	letGo()
	c.list()
	hear(t, heard, "the tools of the server late are left out: ", "refused")
}

// TestJoinedEndsWhatStartsStill: nothing is left of a server whose start nobody waits for.
func TestJoinedEndsWhatStartsStill(t *testing.T) {
	for what, end := range map[string]func(h *house, c *joint){
		"DELETE": func(_ *house, c *joint) { c.do(context.Background(), http.MethodDelete, "").Body.Close() },
		"Close":  func(h *house, _ *joint) { h.gate.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			slow, _ := late(t, "initialize")
			h := joinedHouse(t, gateway.Options{Patience: time.Second}, slow.entry())
			c := h.join("a")
			c.list()
			end(h, c)
			h.gate.Close()
			for deadline := time.Now().Add(10 * time.Second); goroutines() > 0; time.Sleep(beat) {
				if time.Now().After(deadline) {
					t.Fatalf("%d goroutines are left", goroutines())
				}
			}
		})
	}
}

// TestJoinedToolsThatAreNotDeclared: a server that lists tools has tools, whatever it says of
// itself; one that does not know the question has none, which is no trouble.
func TestJoinedToolsThatAreNotDeclared(t *testing.T) {
	silent := newLibrary(t, "silent", map[string][]string{"tools/list": {`{"name":"one"}`}})
	none := newLibrary(t, "none", map[string][]string{"prompts/list": {`{"name":"p"}`}})
	none.instead("tools/list", says(`"error":{"code":-32601,"message":"Method not found"}`))
	h := joinedHouse(t, gateway.Options{}, silent.entry(), none.entry())
	h.desk.allow["one"] = true
	c := h.join("a")
	heard := c.listen()
	if got := sortedNames(c.list()); strings.Contains(got, "none__") || !strings.Contains(got, "silent__one") {
		t.Errorf("tools: %q", got)
	}
	if m := c.ask(call("2", "silent__one", `{}`)); !strings.Contains(m, `{"of":"silent"}`) {
		t.Errorf("it answers %s", m)
	}
	silent.news <- updatedBoth
	if m := next(t, heard); !strings.Contains(m, "updated") {
		t.Errorf("the client heard %s", m)
	}
}
