package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

func TestAllowedPassesByteForByte(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["write"] = true
	c := h.connect("a")
	for _, body := range []string{
		call(`7`, "write", `{ "z":1.0,"a":[9007199254740993,1e2], "s":"\u0041\/é" }`),
		`{"jsonrpc":"2.0","params":{"x-more":{"b":1,"a":2},"arguments":{} ,"name":"write"},"method":"tools\/call","id":"\u0041"}`,
		`{"jsonrpc":"2.0","id":-3,"method":"tools/call","params":{"name":"wri\u0074e"}}`,
	} {
		got := c.ask(body)
		if len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0", "result":`+fixtureEcho+` ,"id":`) {
			t.Errorf("%s\n got %q", body, got)
		}
		if !strings.Contains(h.received(), body+"\n") {
			t.Errorf("the server did not receive %s but\n%s", body, h.received())
		}
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`); got[0] != `{"jsonrpc":"2.0", "result":`+fixtureAll+` ,"id":8}` {
		t.Errorf("tools/list: %s", got)
	}
	if got := strings.Join(h.gate.Tools(fixtureID), " "); !strings.HasPrefix(got, "echo die ") {
		t.Errorf("Tools = %q", got)
	}
}

func TestServerDiesInMidCall(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["die"], h.desk.allow["write"] = true, true
	c := h.connect("a")
	other := h.connect("b")
	code, words := errorCode(t, c.ask(call("1", "die", `{}`))[0])
	if code != -32603 || !strings.Contains(words, "it is not known whether it ran") || !strings.Contains(words, "out of luck") {
		t.Errorf("%d %s", code, words)
	}
	h.desk.awaitStatus(t, permission.InDoubt)
	resp := c.post(context.Background(), call("2", "write", `{}`))
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("the dead session: %s", resp.Status)
	}
	if body := read(t, resp); !strings.Contains(body, `"id":null,"error":{"code":-32001,`) {
		t.Errorf("the dead session: %s", body)
	}
	for _, alive := range []*client{other, h.connect("a")} {
		if got := alive.ask(call("2", "write", `{}`)); !strings.Contains(got[0], fixtureEcho) {
			t.Errorf("another session: %s", got)
		}
	}
}

func TestOutcomesAreKept(t *testing.T) {
	for _, tt := range []struct {
		tool, args, answer string
		status             permission.Status
		kept               string
		timeout            time.Duration
	}{
		{"fail", `{}`, `"result":{"content":[],"isError":true}`, permission.Failed, `{"content":[],"isError":true}`, 0},
		{"error", `{}`, `"error":` + fixtureBad, permission.Failed, fixtureBad, 0},
		{"long", `{}`, `too long`, permission.Failed, "", 0},
		{"deaf", `{}`, `did not answer`, permission.InDoubt, "", 2 * time.Second}, // time enough for the call after it
	} {
		t.Run(tt.tool, func(t *testing.T) {
			h := newHouse(t, gateway.Options{MaxMessage: 1 << 20, CallTimeout: tt.timeout})
			h.desk.allow[tt.tool] = true
			c := h.connect("a")
			if got := c.ask(call("1", tt.tool, tt.args)); !strings.Contains(got[0], tt.answer) {
				t.Errorf("got %s", got)
			}
			if c := h.desk.awaitStatus(t, tt.status); tt.kept != "" && string(c.Result) != tt.kept {
				t.Errorf("kept %s", c.Result)
			}
			h.desk.allow["write"] = true
			if got := c.ask(call("1", "write", `{}`)); !strings.Contains(got[0], fixtureEcho) {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

func TestGarbageOfTheServer(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["garbage"], h.desk.allow["oldfashioned"] = true, true
	c := h.connect("a")
	if got := c.ask(call("1", "garbage", `{}`)); len(got) != 1 || !strings.Contains(got[0], fixtureEcho) {
		t.Errorf("got %s", got)
	}
	got := c.ask(call("1", "oldfashioned", `{}`))
	if code, words := errorCode(t, got[0]); code != -32603 || !strings.Contains(words, "cannot be read") {
		t.Errorf("got %s", got)
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(got[0], fixtureAll) {
		t.Errorf("afterwards: %s", got)
	}
}

// TestOrder: what the server says before its answer arrives before it, all of it.
func TestOrder(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["flood"] = true
	got := h.connect("a").ask(callWithToken("1", "flood", `{}`, "5"))
	if len(got) != 4001 || !strings.Contains(got[4000], fixtureEcho) {
		t.Fatalf("%d messages, the last: %s", len(got), got[len(got)-1])
	}
	for i := range 2000 {
		progress := fmt.Sprintf(
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"total":3.0,"progressToken":5,"x":1e2}}`, i)
		if got[2*i] != progress || !strings.HasSuffix(got[2*i+1], fmt.Sprintf(`"data":%d}}`, i)) {
			t.Fatalf("message %d: %s, %s", 2*i, got[2*i], got[2*i+1])
		}
	}
}

func TestServerAsksTheClient(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["ask"] = true
	c := h.connect("a")
	got := c.start(context.Background(), call("1", "ask", `{}`))
	if m := next(t, got); m != `{"jsonrpc":"2.0","id":"srv-1","method":"roots/list","params":{"n":1.0}}` {
		t.Fatalf("got %s", m)
	}
	for _, answer := range []string{`{"jsonrpc":"2.0","id":"srv-2","result":{"unknown":1}}`,
		`{"jsonrpc":"2.0", "id":"srv-1","result":{"roots":[ 1e2 ]}}`} {
		if resp := c.post(context.Background(), answer); resp.StatusCode != http.StatusAccepted {
			t.Errorf("%s: %s", answer, resp.Status)
		}
	}
	if m := last(t, got); !strings.Contains(m, `"result":{"roots":[ 1e2 ]} `) || strings.Contains(h.received(), "unknown") {
		t.Errorf("got %s", m)
	}
}

func TestCancelWhileRunning(t *testing.T) {
	for _, hangUp := range []bool{false, true} {
		h := newHouse(t, gateway.Options{})
		h.desk.allow["patient"] = true
		c := h.connect("a")
		ctx, cancel := context.WithCancel(context.Background())
		got := c.start(ctx, call("1", "patient", `{}`))
		h.awaitNote("patient") // until then it is not executed
		if hangUp {
			cancel() // the result is kept nevertheless
			last(t, got)
		}
		withdraw := `{"jsonrpc":"2.0", "method":"notifications/cancelled","params":{"requestId":1}}`
		if resp := c.post(context.Background(), withdraw); resp.StatusCode != http.StatusAccepted {
			t.Errorf("cancel: %s", resp.Status)
		}
		if c := h.desk.awaitStatus(t, permission.Completed); string(c.Result) != fixtureEcho || !strings.Contains(h.received(), withdraw+"\n") {
			t.Errorf("kept %s, received\n%s", c.Result, h.received())
		}
		cancel()
	}
}

func TestGetStream(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["later"] = true
	c := h.connect("a")
	want := fixtureChanged
	hear := func() (<-chan string, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		resp := c.do(c.request(ctx, http.MethodGet, ""))
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("GET: %s", resp.Status)
		}
		got := make(chan string, 16)
		go func() {
			defer close(got)
			for m := range events(resp) {
				got <- m
			}
		}()
		return got, cancel
	}
	c.ask(call("1", "later", `{}`)) // nobody listens: it is kept
	time.Sleep(200 * time.Millisecond)
	first, end := hear()
	defer end()
	if m := next(t, first); m != want {
		t.Fatalf("got %s", m)
	}
	second, end := hear()
	defer end()
	if m := last(t, first); m != "" {
		t.Errorf("the first stream went on: %s", m)
	}
	c.ask(call("2", "later", `{}`))
	if m := next(t, second); m != want {
		t.Errorf("got %s", m)
	}
	c.do(c.request(context.Background(), http.MethodDelete, ""))
	last(t, second)
}

// TestLastWords: what a server says before it ends is not lost.
func TestLastWords(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["swan"] = true
	for range 20 {
		got := h.connect("a").ask(call("1", "swan", `{}`))
		if len(got) != 11 || !strings.Contains(got[10], fixtureEcho) {
			t.Fatalf("got %s", got)
		}
	}
}

// TestPartingWords: what comes after an answer does not go to its stream, which is
// read no more.
func TestPartingWords(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["parting"] = true
	c := h.connect("a")
	const times = 50
	n := 0
	for range times {
		n += len(c.ask(call("1", "parting", `{}`))) - 1 // the words of the one before
	}
	resp := c.do(c.request(context.Background(), http.MethodGet, ""))
	defer resp.Body.Close()
	for m := range events(resp) {
		if n++; m != fixtureChanged {
			t.Fatalf("got %s", m)
		}
		if n == times {
			break
		}
	}
}

func TestLineEndsOfTheServer(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["lineends"] = true
	got := h.connect("a").ask(call("1", "lineends", `{}`))
	if len(got) != 2 || got[0] != `{"jsonrpc":"2.0", "method":"notifications/message"}` {
		t.Errorf("got %q", got)
	}
}
