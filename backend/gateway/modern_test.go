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

// modernMeta is what each request of the era without sessions says of itself.
const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func modernCall(id, tool, args, meta string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `,"_meta":{` +
		modernMeta + meta + `}}}`
}

// stateless is a client without a session.
func (h *house) stateless(agent string) *client { return &client{house: h, agent: agent} }

// modern posts a request with the headers that belong to it; change may spoil them.
func (c *client) modern(ctx context.Context, body, method, name string, change func(http.Header)) *http.Response {
	c.t.Helper()
	req := c.request(ctx, http.MethodPost, body)
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	if change != nil {
		change(req.Header)
	}
	return c.do(req)
}

func TestStatelessRequestsAreHeldAgainstTheirHeaders(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["echo"] = true
	c := h.stateless("a")
	good := modernCall("1", "echo", `{}`, "")
	for _, tt := range []struct {
		what, body string
		change     func(http.Header)
		status     int
		code       int
	}{
		{"as it should be", good, nil, 200, 0},
		{"blanks around a name", good, func(h http.Header) { h.Set("Mcp-Name", "  echo\t") }, 200, 0},
		{"a name in base64", good, func(h http.Header) { h.Set("Mcp-Name", "=?base64?ZWNobw==?=") }, 200, 0},
		{"bad base64", good, func(h http.Header) { h.Set("Mcp-Name", "=?base64?ZWNobw?=") }, 400, -32020},
		{"another name", good, func(h http.Header) { h.Set("Mcp-Name", "read") }, 400, -32020},
		{"no name", good, func(h http.Header) { h.Del("Mcp-Name") }, 400, -32020},
		{"two names", good, func(h http.Header) { h.Add("Mcp-Name", "echo") }, 400, -32020},
		{"another method", good, func(h http.Header) { h.Set("Mcp-Method", "tools/list") }, 400, -32020},
		{"a method in capitals", good, func(h http.Header) { h.Set("Mcp-Method", "TOOLS/CALL") }, 400, -32020},
		{"no method", good, func(h http.Header) { h.Del("Mcp-Method") }, 400, -32020},
		{"no version beside it", good, func(h http.Header) { h.Del("Mcp-Protocol-Version") }, 400, -32020},
		{"another version beside it", good, func(h http.Header) { h.Set("Mcp-Protocol-Version", "2025-11-25") }, 400, -32020},
		{"no version in it", strings.Replace(good, "protocolVersion", "x", 1), nil, 400, -32602},
		{"no version of ours", strings.Replace(good, "2026-07-28", "v9", 1), func(h http.Header) {
			h.Set("Mcp-Protocol-Version", "v9")
		}, 400, -32022},
		{"the version twice", strings.Replace(good, `"io.modelcontextprotocol/protocolVersion"`,
			`"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/protocolVersion"`, 1), nil, 400, -32600},
	} {
		resp := c.modern(context.Background(), tt.body, "tools/call", "echo", tt.change)
		body := read(t, resp)
		if resp.StatusCode != tt.status || tt.code != 0 && !strings.Contains(body, fmt.Sprintf(`"error":{"code":%d,`, tt.code)) ||
			strings.Contains(body, `"id":null`) && tt.code != -32600 {
			t.Errorf("%s: %s %s", tt.what, resp.Status, body)
		}
	}
	if n := strings.Count(h.received(), `"tools/call"`); n != 3 {
		t.Errorf("%d calls reached the server", n)
	}
}

// Two callers who give the same id and the same token share a process.
func TestStatelessCallersDoNotMeet(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["flood"], h.desk.allow["deaf"], h.desk.allow["echo"] = true, true, true
	c := h.stateless("a")
	ctx, cancel := context.WithCancel(context.Background())
	deaf := make(chan struct{})
	go func() {
		defer close(deaf)
		req := c.request(ctx, http.MethodPost, modernCall(`"x"`, "deaf", `{}`, `,"progressToken":5`))
		for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "deaf"} {
			req.Header.Set(name, value)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	h.desk.awaitStatus(t, permission.Claimed)
	got := messages(t, c.modern(context.Background(), modernCall(`"x"`, "flood", `{}`, `,"progressToken":5`), "tools/call", "flood", nil))
	if n := len(got); n != 2001 || !strings.Contains(got[n-1], `"id":"x"`) || !strings.Contains(got[n-1], fixtureEcho) {
		t.Fatalf("%d messages, the last: %s", n, got[n-1])
	}
	for i, m := range got[:2000] {
		if want := fmt.Sprintf(
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"total":3.0,"progressToken":5,"x":1e2}}`, i); m != want {
			t.Fatalf("message %d: %s", i, m)
		}
	}
	cancel()
	<-deaf
	if got := messages(t, c.modern(context.Background(), modernCall(`"x"`, "echo", `{}`, ""), "tools/call", "echo", nil)); len(got) != 1 ||
		!strings.Contains(got[0], fixtureEcho) {
		t.Errorf("afterwards: %s", got)
	}
	if n := len(h.pids()); n != 1 {
		t.Errorf("%d processes", n)
	}
}

func TestStatelessCallIsHeld(t *testing.T) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: 20 * beat})
	c := h.stateless("a")
	got := messages(t, c.modern(context.Background(), modernCall("1", "write", `{"a":1}`, `,"progressToken":"p"`), "tools/call", "write", nil))
	if last := got[len(got)-1]; !strings.HasPrefix(toolText(t, last), "PENDING") || !strings.Contains(last, `"resultType":"complete"`) ||
		len(got) < 3 {
		t.Errorf("got %s", got)
	}
	held := h.desk.awaitGone(t)
	if held.SessionID != "" || held.RunID == "" {
		t.Errorf("held as %+v", held)
	}
	h.desk.decide(held.ID, permission.Approved, "")
	got = messages(t, c.modern(context.Background(), modernCall("2", "write", `{"a":1}`, ""), "tools/call", "write", nil))
	if !strings.Contains(got[len(got)-1], fixtureEcho) {
		t.Errorf("repeated: %s", got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*beat)
	defer cancel()
	req := c.request(ctx, http.MethodPost, modernCall("3", "write", `{"a":2}`, ""))
	for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "write"} {
		req.Header.Set(name, value)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		for range events(resp) {
			continue // until the caller gives up
		}
		resp.Body.Close()
	}
	left := h.desk.await(t, "was left", func(c permission.Call) bool { return c.CallerGone && string(c.Input) == `{"a":2}` })
	h.desk.decide(left.ID, permission.Approved, "")
	time.Sleep(5 * beat) // for what must not happen
	if n := strings.Count(h.received(), `"write"`); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestSharedSessionIsNoneOfAClient(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["echo"] = true
	resp := h.stateless("a").modern(context.Background(), modernCall("1", "echo", `{}`, ""), "tools/call", "echo", nil)
	read(t, resp)
	if resp.Header.Get("Mcp-Session-Id") != "" {
		t.Error("a stateless caller was given a session")
	}
	read(t, h.stateless("b").modern(context.Background(), modernCall("1", "echo", `{}`, ""), "tools/call", "echo", nil))
	if n := len(h.pids()); n != 2 {
		t.Errorf("two agents have %d processes", n)
	}
}
