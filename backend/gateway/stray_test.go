package gateway_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// awaitNote waits until the fixture has got some words.
func (h *house) awaitNote(words string) {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(h.received(), words); time.Sleep(beat) {
		if time.Now().After(deadline) {
			h.t.Fatalf("the server did not get %s but\n%s", words, h.received())
		}
	}
}

// TestServerAsksWhoIsThere: what a server says while two calls run is not brought to the
// one whose caller has left, though it is the newer.
func TestServerAsksWhoIsThere(t *testing.T) {
	const withdraw = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	for name, leave := range map[string]func(c *client, hangUp func()){
		"cancelled": func(c *client, _ func()) { c.post(context.Background(), withdraw).Body.Close() },
		"hung up": func(c *client, hangUp func()) {
			hangUp()
			c.post(context.Background(), `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`).Body.Close()
		},
		"both": func(c *client, hangUp func()) {
			hangUp()
			c.post(context.Background(), withdraw).Body.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, gateway.Options{})
			h.desk.allow["asklater"], h.desk.allow["deaf"] = true, true
			c := h.connect("a")
			heard := make(chan string, 16)
			resp := c.do(c.request(t.Context(), http.MethodGet, ""))
			live := c.start(t.Context(), call("1", "asklater", `{}`))
			for _, from := range []func(func(string) bool){events(resp), func(yield func(string) bool) {
				for m := range live {
					if !yield(m) {
						return
					}
				}
			}} {
				go func() {
					for m := range from {
						heard <- m
					}
				}()
			}
			h.awaitNote("asklater")
			ctx, hangUp := context.WithCancel(t.Context())
			left := c.start(ctx, call("2", "deaf", `{}`))
			h.awaitNote("deaf")
			leave(c, func() {
				hangUp()
				last(t, left)
			})
			if m := next(t, heard); !strings.Contains(m, "roots/list") {
				t.Fatalf("got %s", m)
			}
			c.post(context.Background(), `{"jsonrpc":"2.0","id":"srv-1","result":{"roots":[]}}`).Body.Close()
			if m := next(t, heard); !strings.Contains(m, `{"roots":[]}`) {
				t.Errorf("got %s", m)
			}
			hangUp()
		})
	}
}

// TestALongLineIsOnlyDropped: two wait, and it was the answer of neither.
func TestALongLineIsOnlyDropped(t *testing.T) {
	h := newHouse(t, gateway.Options{MaxMessage: 1 << 20})
	h.desk.allow["longnote"], h.desk.allow["echo"] = true, true
	c := h.connect("a")
	one := c.start(t.Context(), call("1", "longnote", `{}`))
	h.awaitNote("longnote")
	two := c.start(t.Context(), call("2", "echo", `{}`))
	for _, got := range []<-chan string{one, two} {
		if m := last(t, got); !strings.Contains(m, fixtureEcho) {
			t.Errorf("got %s", m)
		}
	}
	if h.desk.await(t, "is completed", func(c permission.Call) bool {
		return c.Status == permission.Completed
	}); strings.Contains(h.desk.String(), string(permission.InDoubt)) {
		t.Error(h.desk)
	}
}

// TestServerAsksUnderAnIDOfItsClient: such a message is no answer, however odd it is.
func TestServerAsksUnderAnIDOfItsClient(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["oddask"] = true
	if got := h.connect("a").ask(call("1", "oddask", `{}`)); !strings.Contains(got[0], fixtureEcho) {
		t.Errorf("got %s", got)
	}
}

// TestServerThatDoesNotReadWhileItWrites: its input is full, and a request that waits to be
// written takes its words meanwhile.
func TestServerThatDoesNotReadWhileItWrites(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["chatterbox"] = true
	c := h.connect("a")
	talks := c.start(t.Context(), call("1", "chatterbox", `{}`))
	next(t, talks)
	fills := c.start(t.Context(), `{"jsonrpc":"2.0","id":2,"method":"resources/templates/list","params":{"x":"`+strings.Repeat("x", 300<<10)+
		`"}}`)
	next(t, fills) // it is the newest that the server has
	waits := c.start(t.Context(), `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	next(t, waits)
	if err := os.WriteFile(h.log+".enough", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for got, want := range map[<-chan string]string{talks: fixtureEcho, fills: "method not found", waits: fixtureAll} {
		if m := last(t, got); !strings.Contains(m, want) {
			t.Errorf("got %.200s, want %s", m, want)
		}
	}
}

// TestACallerThatDoesNotReadHoldsUpNobody of those that share its server.
func TestACallerThatDoesNotReadHoldsUpNobody(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["torrent"], h.desk.allow["echo"] = true, true
	c := h.stateless("a")
	stopped := c.modern(t.Context(), modernCall("1", "torrent", `{}`, `,"io.modelcontextprotocol/logLevel":"info"`), "tools/call", "torrent",
		nil)
	defer stopped.Body.Close()
	began := time.Now()
	got := messages(t, c.modern(t.Context(), modernCall("2", "echo", `{}`, ""), "tools/call", "echo", nil))
	if took := time.Since(began); !strings.Contains(got[len(got)-1], fixtureEcho) || took > 20*time.Second {
		t.Errorf("after %s: %s", took, got)
	}
}

// TestServersWordsHideSecrets: what a server says at its end does not tell an agent what
// the server was given.
func TestServersWordsHideSecrets(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.servers[fixtureID].Env["TOKEN"] = "out of luck" // die says so
	h.desk.allow["die"] = true
	if _, words := errorCode(t, h.connect("a").ask(call("1", "die", `{}`))[0]); strings.Contains(words, "luck") ||
		!strings.Contains(words, "(its last words: "+permission.Mask) {
		t.Errorf("says %s", words)
	}
}

// TestAllAgentsKnowTheMarkedParameters: a session of one hears of them, all are held
// against them.
func TestAllAgentsKnowTheMarkedParameters(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.servers[fixtureID].Env[toolsEnv] =
		`{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`
	h.desk.allow["echo"] = true
	body := modernCall("2", "echo", `{"region":"eu"}`, "")
	post := func(change func(http.Header)) (int, string) {
		resp := h.stateless("b").modern(t.Context(), body, "tools/call", "echo", change)
		return resp.StatusCode, read(t, resp)
	}
	h.connect("a").ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if status, got := post(nil); status != http.StatusBadRequest || !strings.Contains(got, `"code":-32020`) {
		t.Errorf("without the header: %d %s", status, got)
	}
	if _, got := post(func(h http.Header) { h.Set("Mcp-Param-Region", "eu") }); !strings.Contains(got, fixtureEcho) {
		t.Errorf("with the header: %s", got)
	}
	if status, got := post(func(h http.Header) {
		h.Set("Mcp-Param-Region", "eu")
		h.Set("Mcp-Param-Other", "us")
	}); status != http.StatusBadRequest || !strings.Contains(got, `"code":-32020`) {
		t.Errorf("with another header: %d %s", status, got)
	}
	entry := h.desk.servers[fixtureID]
	entry.Args = []string{"other"} // another server, for all that is known
	h.desk.servers[fixtureID] = entry
	if _, got := post(nil); !strings.Contains(got, fixtureEcho) {
		t.Errorf("after its entry changed: %s", got)
	}
}
