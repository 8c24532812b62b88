package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
)

// again gives a library another entry, so that it is opened anew.
func (h *house) again(l *library) {
	moved := l.entry()
	moved.Headers = map[string]string{"X": "y"}
	h.put(moved)
}

const updatedBoth = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///both","x":1.0}}`

func TestJoinedSubscriptions(t *testing.T) {
	h, a, b := libraries(t, gateway.Options{})
	a.has = "c://a"
	c := h.join("a")
	heard := c.listen()
	c.entries("resources/list")
	// Without a subscription: by the URI in the list.
	b.news <- updatedBoth
	hear(t, heard, strings.Replace(updatedBoth, "file:", "sekisho:b/file:", 1))
	a.news <- updatedBoth
	hear(t, heard, updatedBoth)
	for _, tt := range []struct{ method, uri, got string }{
		{"resources/subscribe", "Sekisho:b/file:///both", `b:{"uri":"file:///both"}`},
		{"resources/subscribe", "SEKISHO:a/file:///both", `a:{"uri":"file:///both"}`},
		{"resources/subscribe", "c://a", `a:{"uri":"c://a"}`},
		{"resources/subscribe", "c://nobody", `a:{"uri":"c://nobody"} b:{"uri":"c://nobody"}`},
		{"resources/unsubscribe", "Sekisho:b/file:///both", `b:{"uri":"file:///both"}`},
	} {
		if _, got := sent(c, tt.method, `{"uri":"`+tt.uri+`"}`, a, b); got != tt.got {
			t.Errorf("%s %s: %s", tt.method, tt.uri, got)
		}
	}
	a.news <- updatedBoth
	hear(t, heard, strings.Replace(updatedBoth, "file:", "SEKISHO:a/file:", 1)) // as the client called it
	b.news <- updatedBoth
	hear(t, heard, strings.Replace(updatedBoth, "file:", "sekisho:b/file:", 1)) // as it is listed again
	b.news <- strings.Replace(updatedBoth, "file:///both", "c://new", 1)
	hear(t, heard, strings.Replace(updatedBoth, "file:///both", "c://new", 1))
	for _, what := range []string{"prompts", "resources"} {
		changed := `{"jsonrpc":"2.0","method":"notifications/` + what + `/list_changed"}`
		b.news <- changed
		hear(t, heard, changed)
	}
	// A server that begins anew is told again.
	before := len(a.bodies("resources/subscribe"))
	h.again(a)
	c.entries("resources/list")
	var again string
	for _, body := range a.bodies("resources/subscribe")[before:] {
		again += body
	}
	if strings.Count(again, "subscribe") != 2 || !strings.Contains(again, `"params":{"uri":"file:///both"}`) ||
		!strings.Contains(again, `"params":{"uri":"c://a"}`) {
		t.Errorf("subscribed again: %s", again)
	}
	if _, got := sent(c, "resources/unsubscribe", `{"uri":"c://a"}`, a, b); got != `a:{"uri":"c://a"}` {
		t.Errorf("unsubscribed: %s", got)
	}
}

// TestJoinedNamesOfOneSubscription: it lasts until the client has ended it by all names
// that it used, and is told by each.
func TestJoinedNamesOfOneSubscription(t *testing.T) {
	h, _, b := libraries(t, gateway.Options{})
	c := h.join("a")
	heard := c.listen()
	c.entries("resources/list")
	const news = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"b://one"}}`
	for _, step := range []struct {
		method, uri, got string
		told             []string
	}{
		{"resources/subscribe", "b://one", `b:{"uri":"b://one"}`, []string{"b://one"}},
		{"resources/unsubscribe", "sekisho:b/b://one", ``, []string{"b://one"}},
		{"resources/subscribe", "sekisho:b/b://one", `b:{"uri":"b://one"}`, []string{"sekisho:b/b://one", "b://one"}},
		{"resources/unsubscribe", "sekisho:b/b://one", ``, []string{"b://one"}},
	} {
		answer, got := sent(c, step.method, `{"uri":"`+step.uri+`"}`, b)
		if got != step.got || !strings.Contains(answer, `"result":{`) {
			t.Errorf("%s %s: %s by %s", step.method, step.uri, answer, got)
		}
		b.news <- news
		for _, uri := range step.told {
			if m := next(t, heard); m != strings.Replace(news, "b://one", uri, 1) {
				t.Errorf("after %s %s: told %s", step.method, step.uri, m)
			}
		}
	}
	before := len(b.bodies("resources/subscribe"))
	h.again(b)
	c.entries("resources/list")
	if n := len(b.bodies("resources/subscribe")) - before; n != 1 {
		t.Errorf("the server that began anew was told %d times", n)
	}
	if _, got := sent(c, "resources/unsubscribe", `{"uri":"b://one"}`, b); got != `b:{"uri":"b://one"}` {
		t.Errorf("the last one ended: %s", got)
	}
}

// TestJoinedSubscriptionsThatAreNotTakenAgain: one warning tells of all of them.
func TestJoinedSubscriptionsThatAreNotTakenAgain(t *testing.T) {
	a := unlisted(t, "a", "")
	a.instead("resources/subscribe", says(`"result":{}`))
	h := joinedHouse(t, gateway.Options{Patience: time.Second}, a.entry())
	c := h.join("a")
	heard := c.listen()
	c.entries("resources/list")
	for i := range 20 {
		sent(c, "resources/subscribe", fmt.Sprintf(`{"uri":"s://%d"}`, i))
	}
	a.instead("resources/subscribe", hangs)
	h.again(a)
	c.entries("resources/list")
	hear(t, heard, "did not take all subscriptions")
	a.news <- `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
	warned := 1
	for m := next(t, heard); !strings.Contains(m, "list_changed"); m = next(t, heard) {
		warned += strings.Count(m, "subscription")
	}
	if warned != 1 {
		t.Errorf("%d warnings", warned)
	}
}

// TestJoinedRenewedSessionsAreReminded: a server over HTTP that has forgotten its session
// has forgotten what it was told in it.
func TestJoinedRenewedSessionsAreReminded(t *testing.T) {
	h, a, b := libraries(t, gateway.Options{})
	b.about = strings.Replace(allOf, `"prompts"`, `"logging":{},"prompts"`, 1)
	told := make(chan string, 100)
	for _, method := range []string{"resources/subscribe", "logging/setLevel"} {
		b.instead(method, func(w http.ResponseWriter, r farRequest) {
			says(`"result":{}`)(w, r)
			told <- r.Method
		})
	}
	c := h.join("a")
	c.entries("resources/list")
	sent(c, "resources/subscribe", `{"uri":"b://one"}`, a, b)
	sent(c, "logging/setLevel", `{"level":"error"}`, a, b)
	for _, renewed := range []bool{false, true, true} {
		if renewed {
			b.forget()
			c.entries("resources/list")
		}
		got := map[string]bool{next(t, told): true, next(t, told): true}
		if !got["resources/subscribe"] || !got["logging/setLevel"] {
			t.Errorf("renewed %v: it was told of %v", renewed, got)
		}
	}
	if level := b.bodies("logging/setLevel"); len(level) != 3 || !strings.Contains(level[2], `"params":{"level":"error"}`) {
		t.Errorf("levels: %s", level)
	}
	if n := len(a.bodies("resources/subscribe")); n != 0 {
		t.Errorf("its neighbour was told %d times", n)
	}
}
