package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/gateway"
)

// unlisted is a library that has resources which are in no list.
func unlisted(t *testing.T, id, has string) *library {
	l := newLibrary(t, id, map[string][]string{"resources/list": {``}, "resources/templates/list": {``}})
	l.has = has
	return l
}

// instead lets a library answer a method in another way.
func (l *library) instead(method string, answer func(w http.ResponseWriter, r farRequest)) {
	play := l.far.play
	l.far.play = func(w http.ResponseWriter, r farRequest) {
		if r.Method == method {
			answer(w, r)
			return
		}
		play(w, r)
	}
}

// says answers every request with this member of JSON-RPC.
func says(member string) func(w http.ResponseWriter, r farRequest) {
	return func(w http.ResponseWriter, r farRequest) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, r.ID, member)
	}
}

func hangs(_ http.ResponseWriter, r farRequest) { <-r.ctx.Done() }

// relisted tells the gateway that the list of servers is another.
func (h *house) relisted() {
	servers, _ := h.desk.Servers(h.t.Context())
	h.gate.Reinstall(servers)
}

// TestJoinedPlacesDoNotHideOthers: a server that took a subscription need not have the
// resource, and one that had it may be broken.
func TestJoinedPlacesDoNotHideOthers(t *testing.T) {
	a, b := unlisted(t, "a", "c://moves"), unlisted(t, "b", "c://dyn c://moves")
	a.instead("resources/subscribe", says(`"result":{}`))
	h := joinedHouse(t, gateway.Options{}, a.entry(), b.entry())
	c := h.join("a")
	c.entries("resources/list")
	if _, got := sent(c, "resources/subscribe", `{"uri":"c://dyn"}`, a, b); got != `a:{"uri":"c://dyn"}` {
		t.Errorf("subscribed at %s", got)
	}
	if answer, got := sent(c, "resources/read", `{"uri":"c://dyn"}`, a, b); !strings.Contains(answer, `{"of":"b"}`) {
		t.Errorf("behind a subscription: %s by %s", answer, got)
	}
	if answer, got := sent(c, "resources/read", `{"uri":"c://moves"}`, a, b); !strings.Contains(answer, `{"of":"a"}`) {
		t.Errorf("at first: %s by %s", answer, got)
	}
	a.mu.Lock()
	a.refuses = http.StatusInternalServerError
	a.mu.Unlock()
	h.again(a)
	c.entries("resources/list")
	opened := len(a.bodies("initialize"))
	if answer, got := sent(c, "resources/read", `{"uri":"c://moves"}`, a, b); !strings.Contains(answer, `{"of":"b"}`) {
		t.Errorf("after its server broke: %s by %q", answer, got)
	}
	if n := len(a.bodies("initialize")) - opened; n != 0 {
		t.Errorf("who waits for a resource waits for a server that is not there, %d times", n)
	}
}

// TestJoinedNamedURIsGoToWhoNamedThem: a URI that stands in a server's result is asked for
// there, and nobody who stands before it gets to see it.
func TestJoinedNamedURIsGoToWhoNamedThem(t *testing.T) {
	for what, tt := range map[string]struct{ method, params, result string }{
		"a link of a tool": {"tools/call", `{"name":"b__t","arguments":{}}`,
			`{"content":[{"type":"text","text":"x"},{"type":"resource_link","uri":"b:\/\/two?token=1","name":"n"}]}`},
		"embedded by a tool": {"tools/call", `{"name":"b__t","arguments":{}}`,
			`{"content":[7,{"type":"resource","resource":{"uri":"b://two?token=1","text":"x"}}]}`},
		"embedded in a prompt": {"prompts/get", `{"name":"b__p"}`,
			`{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"b://two?token=1","text":"x"}}}]}`},
		"the contents of another": {"resources/read", `{"uri":"b://one"}`, `{"contents":[{"uri":"b://two?token=1","text":"x"}]}`},
	} {
		t.Run(what, func(t *testing.T) {
			a, b := unlisted(t, "a", "b://two?token=1"), unlisted(t, "b", "b://two?token=1")
			b.pages = map[string][]string{"resources/list": {`{"uri":"b://one"}`}, "tools/list": {`{"name":"t"}`}, "prompts/list": {`{"name":"p"}`}}
			b.about = strings.Replace(allOf, `"prompts"`, `"tools":{},"prompts"`, 1)
			var once sync.Once
			play := b.far.play
			b.instead(tt.method, func(w http.ResponseWriter, r farRequest) {
				again := true
				if once.Do(func() { says(`"result":`+tt.result)(w, r); again = false }); again {
					play(w, r)
				}
			})
			h := joinedHouse(t, gateway.Options{}, a.entry(), b.entry())
			h.desk.allow["t"] = true
			c := h.join("a")
			c.entries("resources/list")
			if answer, _ := sent(c, tt.method, tt.params); !strings.HasSuffix(answer, `"result":`+tt.result+`}`) {
				t.Fatalf("its result is %s", answer)
			}
			if answer, got := sent(c, "resources/read", `{"uri":"b://two?token=1"}`, a, b); got != `b:{"uri":"b://two?token=1"}` ||
				!strings.Contains(answer, `{"of":"b"}`) {
				t.Errorf("%s by %s", answer, got)
			}
		})
	}
}

// TestJoinedSearchEnds: servers that do not answer take the time of one.
func TestJoinedSearchEnds(t *testing.T) {
	b := unlisted(t, "b", "c://0 c://1")
	h := joinedHouse(t, gateway.Options{Patience: time.Second}, b.entry())
	for i := range 4 {
		l := unlisted(t, fmt.Sprint("a", i), "")
		l.instead("resources/read", hangs)
		l.instead("resources/subscribe", hangs)
		h.put(l.entry())
	}
	c := h.join("a")
	c.entries("resources/list")
	for _, tt := range []struct{ method, uri, want string }{
		{"resources/read", "c://0", `{"of":"b"}`},
		{"resources/subscribe", "c://1", `{"of":"b"}`},
		{"resources/read", "c://nowhere", `"message":"not in b"`},
	} {
		began := time.Now()
		answer, _ := sent(c, tt.method, `{"uri":"`+tt.uri+`"}`, b)
		if took := time.Since(began); took > 1900*time.Millisecond || !strings.Contains(answer, tt.want) {
			t.Errorf("%s %s: %s after %s, with a patience of 1 s", tt.method, tt.uri, answer, took)
		}
	}
}

// TestJoinedLikelyServersHaveHalfOfTheTime: one that hangs keeps a resource from nobody.
func TestJoinedLikelyServersHaveHalfOfTheTime(t *testing.T) {
	a, b := unlisted(t, "a", ""), unlisted(t, "b", "c://dyn")
	a.instead("resources/subscribe", says(`"result":{}`))
	a.instead("resources/read", hangs)
	h := joinedHouse(t, gateway.Options{Patience: time.Second}, a.entry(), b.entry())
	c := h.join("a")
	c.entries("resources/list")
	sent(c, "resources/subscribe", `{"uri":"c://dyn"}`)
	if answer, got := sent(c, "resources/read", `{"uri":"c://dyn"}`, a, b); !strings.Contains(answer, `{"of":"b"}`) {
		t.Errorf("%s by %s", answer, got)
	}
}
