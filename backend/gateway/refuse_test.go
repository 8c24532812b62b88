package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// TestRefusedEnvelopes: what two readers could read differently reaches nobody.
func TestRefusedEnvelopes(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["write"] = true
	c := h.connect("a")
	for _, tt := range []struct {
		name, body string
		code       int
	}{
		{"duplicate method", `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"write"}}`, -32600},
		{"method in other case", `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`, -32600},
		{"method with a long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"x"},"params":{"name":"write"}}`, -32600},
		{"escaped method", `{"jsonrpc":"2.0","id":1,"\u006dethod":"tools/call","params":{"name":"write"}}`, -32600},
		{"duplicate name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","name":"rm"}}`, -32600},
		{"name in other case", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","NAME":"rm"}}`, -32600},
		{"escaped arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","\u0061rguments":{}}}`, -32600},
		{"token in other case", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","_meta":{"progresstoken":1}}}`, -32600},
		{"duplicate in arguments", call("1", "write", `{"a":1,"a":2}`), -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, -32600},
		{"id object", `{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}`, -32600},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`, -32600},
		{"id with exponent", `{"jsonrpc":"2.0","id":1e2,"method":"tools/list"}`, -32600},
		{"id boolean", `{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, -32600},
		{"version 1", `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, -32600},
		{"no version", `{"id":1,"method":"tools/list"}`, -32600},
		{"batch", `[` + call("1", "write", `{}`) + `]`, -32600},
		{"request and response", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"},"result":{}}`, -32600},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, -32600},
		{"nothing", `{"jsonrpc":"2.0","id":1}`, -32600},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":1}`, -32600},
		{"call as notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{}}}`, -32600},
		{"call as escaped notification", `{"jsonrpc":"2.0","method":"tools\/call","params":{"name":"write","arguments":{}}}`, -32600},
		{"text", `"hello"`, -32600},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700},
		{"not JSON", `{"jsonrpc":`, -32700},
		{"bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"x\":\"\xff\"}}", -32700},
		{"empty", ``, -32700},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := c.post(context.Background(), tt.body)
			status := resp.StatusCode
			if code, _ := errorCode(t, read(t, resp)); code != tt.code || (status != http.StatusBadRequest && status != http.StatusOK) {
				t.Errorf("%d, code %d, want %d", status, code, tt.code)
			}
		})
	}
	for _, tt := range []struct{ name, body string }{
		{"params missing", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`},
		{"params a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["write"]}`},
		{"no name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`},
		{"name a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`},
		{"arguments null", call("1", "write", `null`)},
		{"arguments a list", call("1", "write", `[]`)},
		{"arguments too deep", call("1", "write", `{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`)},
	} {
		if code, _ := errorCode(t, c.ask(tt.body)[0]); code != -32602 {
			t.Errorf("%s: code %d", tt.name, code)
		}
	}
	if r := h.received(); strings.Contains(r, "tools/call") {
		t.Errorf("the server got\n%s", r)
	}
	if s := h.desk.String(); s != "" {
		t.Errorf("the desk was asked: %s", s)
	}
}

// TestOneLine: line ends in a body are white space, and cannot become a second line
// of the server's input.
func TestOneLine(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["write"] = true
	c := h.connect("a")
	got := c.ask(
		"{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"method\":\"tools/call\",\"params\":{\"name\":\"write\",\n\"arguments\":{\r\"a\":\"\\n\"}}}")
	want := "{\"jsonrpc\":\"2.0\",  \"id\":1, \"method\":\"tools/call\",\"params\":{\"name\":\"write\", \"arguments\":{ \"a\":\"\\n\"}}}\n"
	if !strings.Contains(got[0], fixtureEcho) || !strings.Contains(h.received(), want) {
		t.Errorf("%s\n%s", got, h.received())
	}
}

func TestSameIDTwice(t *testing.T) {
	h, c := holding(t)
	got := c.start(context.Background(), call(`"x"`, "write", `{}`))
	waiting := h.desk.awaitStatus(t, permission.Pending)
	if code, words := errorCode(t, c.ask(call(`"\u0078"`, "other", `{}`))[0]); code != -32600 || !strings.Contains(words, "in flight") {
		t.Errorf("%d %s", code, words)
	}
	h.desk.decide(waiting.ID, permission.Approved, "")
	if m := last(t, got); !strings.Contains(m, fixtureEcho) {
		t.Errorf("got %s", m)
	}
}

func TestHeaders(t *testing.T) {
	h := newHouse(t, gateway.Options{MaxMessage: 1 << 20})
	c := h.connect("a")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, tt := range []struct {
		name   string
		method string
		body   string
		set    func(*http.Request)
		status int
		code   int
	}{
		{"another agent's session", "POST", list, func(r *http.Request) { r.Header.Set("Authorization", "Bearer b") }, 404, -32001},
		{"another agent listens", "GET", "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer b") }, 404, -32001},
		{"another agent ends", "DELETE", "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer b") }, 404, -32001},
		{"unknown session", "POST", list, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "x") }, 404, -32001},
		{"no session", "POST", list, func(r *http.Request) { r.Header.Del("Mcp-Session-Id") }, 400, -32600},
		{"no session to end", "DELETE", "", func(r *http.Request) { r.Header.Del("Mcp-Session-Id") }, 400, -32600},
		{"nobody", "POST", list, func(r *http.Request) { r.Header.Del("Authorization") }, 403, -32600},
		{"unknown version", "POST", list, func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "1999-01-01") }, 400, -32022},
		{"later version", "POST", list, func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2026-07-28") }, 400, -32022},
		{"unknown version listens", "GET", "", func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "1") }, 400, -32022},
		{"known version", "POST", list, func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2024-11-05") }, 200, 0},
		{"any answer", "POST", list, func(r *http.Request) { r.Header.Set("Accept", "*/*") }, 200, 0},
		{"does not say", "POST", list, func(r *http.Request) { r.Header.Del("Accept") }, 200, 0},
		{"wants a page", "POST", list, func(r *http.Request) { r.Header.Set("Accept", "text/html") }, 406, -32600},
		{"wants no events", "POST", list, func(r *http.Request) { r.Header.Set("Accept", "application/json") }, 406, -32600},
		{"GET without events", "GET", "", func(r *http.Request) { r.Header.Set("Accept", "application/json") }, 406, -32600},
		{"a form", "POST", list, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, -32600},
		{"another verb", "PUT", list, func(*http.Request) {}, 405, -32600},
		{"another server", "POST", initialize, func(r *http.Request) { r.URL.Path = "/mcp/nowhere" }, 404, -32002},
		{"session at another server", "POST", list, func(r *http.Request) { r.URL.Path = "/mcp/off" }, 404, -32002},
		{"too large", "POST", call("1", "write", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`), func(*http.Request) {}, 413, -32600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.desk.servers["off"] = permission.Server{ID: "off", Command: "true"}
			req := c.request(context.Background(), tt.method, tt.body)
			tt.set(req)
			resp := c.do(req)
			body := read(t, resp)
			if resp.StatusCode != tt.status {
				t.Errorf("%s: %s", resp.Status, body)
			}
			if tt.code != 0 {
				if code, _ := errorCode(t, body); code != tt.code {
					t.Errorf("code %d: %s", code, body)
				}
			}
		})
	}
	if n := len(h.pids()); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestDefaultLimitOfBodies(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	c := h.connect("a")
	resp := c.post(context.Background(), call("1", "write", `{"x":"`+strings.Repeat("x", 33<<20)+`"}`))
	if code, _ := errorCode(t, read(t, resp)); resp.StatusCode != http.StatusRequestEntityTooLarge || code != -32600 {
		t.Errorf("%s, code %d", resp.Status, code)
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got[0], fixtureAll) {
		t.Errorf("afterwards: %s", got)
	}
}

func TestCommandDoesNotExist(t *testing.T) {
	moved := make(chan bool, 8)
	h := newHouse(t, gateway.Options{Moved: func() { moved <- true }})
	s := h.desk.servers[fixtureID]
	s.Command = "/nowhere/at-all"
	h.desk.servers[fixtureID] = s
	c := &client{house: h, agent: "a"}
	resp := c.post(context.Background(), initialize)
	code, words := errorCode(t, read(t, resp))
	if code != -32603 || !strings.HasPrefix(words, "start server fixture: ") || !strings.Contains(words, "/nowhere/at-all") ||
		resp.StatusCode != 200 || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%s: %d %s", resp.Status, code, words)
	}
	if s := h.gate.State(fixtureID); s != permission.ServerFailed || len(moved) != 1 {
		t.Errorf("State = %s, told of %d times", s, len(moved))
	}
}

func TestChangedEntryEndsTheSession(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	c := h.connect("a")
	s := h.desk.servers[fixtureID]
	s.Args = []string{"other"}
	h.desk.servers[fixtureID] = s
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if resp := c.post(context.Background(), list); resp.StatusCode != http.StatusNotFound {
		t.Errorf("%s", resp.Status)
	}
	if got := h.connect("a").ask(list); !strings.Contains(got[0], fixtureAll) {
		t.Errorf("a new session: %s", got)
	}
}

func TestWhatTheDeskRefuses(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	c := h.connect("a")
	h.desk.refuse = &permission.Error{Code: permission.CodeTooMany, Message: "1000 calls wait already"}
	if words := toolText(t, c.ask(call("1", "write", `{}`))[0]); !strings.Contains(words, "1000 calls wait already") {
		t.Errorf("got %s", words)
	}
	h.desk.refuse = errors.New("disk on fire at /secret/place")
	if code, words := errorCode(t, c.ask(call("2", "write", `{}`))[0]); code != -32603 || strings.Contains(words, "secret") {
		t.Errorf("%d %s", code, words)
	}
	h.desk.refuse = nil
	h.desk.allow["write"], h.desk.granted = true, true
	h.desk.claimed = &permission.Error{Code: permission.CodeExpired, Message: "too late", Call: &permission.Call{Status: permission.Expired}}
	if words := toolText(t, c.ask(call("4", "write", `{"n":4}`))[0]); !strings.Contains(words, "not a judgement") {
		t.Errorf("got %s", words)
	}
	h.desk.claimed = errors.New("disk on fire at /secret/place")
	if code, words := errorCode(t, c.ask(call("5", "write", `{"n":5}`))[0]); code != -32603 || strings.Contains(words, "secret") {
		t.Errorf("%d %s", code, words)
	}
	h.desk.claimed = nil
	asked := len(h.desk.calls)
	if got := c.ask(call("6", "write", `{"n":5}`)); !strings.Contains(got[0], fixtureEcho) || len(h.desk.calls) != asked {
		t.Errorf("the yes was lost: %s", got)
	}
	if n := strings.Count(h.received(), "tools/call"); n != 1 {
		t.Errorf("%d calls were executed", n)
	}
	h.desk.allow["write"], h.desk.broken = true, errors.New("no")
	if got := c.ask(call("3", "write", `{}`)); !strings.Contains(got[0], fixtureEcho) {
		t.Errorf("a result that cannot be kept is answered nevertheless: %s", got)
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	moved := make(chan bool, 8)
	h := newHouse(t, gateway.Options{IdleTimeout: 100 * time.Millisecond, Beat: beat, Patience: 10 * time.Second,
		Moved: func() { moved <- true }})
	c := h.connect("a")
	if len(moved) == 0 {
		t.Error("nobody is told that the server runs")
	}
	got := c.start(context.Background(), call("1", "write", `{}`))
	waiting := h.desk.awaitStatus(t, permission.Pending)
	time.Sleep(300 * time.Millisecond)
	h.desk.decide(waiting.ID, permission.Approved, "")
	if m := last(t, got); !strings.Contains(m, fixtureEcho) {
		t.Fatalf("a session with a held call is not idle: %s", m)
	}
	for deadline := time.Now().Add(5 * time.Second); h.gate.State(fixtureID) != permission.ServerIdle; time.Sleep(beat) {
		if time.Now().After(deadline) {
			t.Fatal("the session does not end")
		}
	}
	if len(moved) < 2 {
		t.Error("nobody is told that it does not any more")
	}
	if resp := c.post(context.Background(), `{"jsonrpc":"2.0","id":2,"method":"ping"}`); resp.StatusCode != http.StatusNotFound {
		t.Errorf("%s", resp.Status)
	}
}

func TestTooManySessions(t *testing.T) {
	h := newHouse(t, gateway.Options{MaxSessions: 2, Beat: beat, Patience: 10 * time.Second})
	busy := h.connect("a")
	got := busy.start(context.Background(), call("1", "write", `{}`))
	next(t, got)
	idle := h.connect("a")
	h.connect("b")
	third := h.connect("a") // in the place of the idle one
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if resp := idle.post(context.Background(), list); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the idle session: %s", resp.Status)
	}
	next(t, third.start(context.Background(), call("1", "other", `{}`)))
	c := &client{house: h, agent: "a"}
	if code, _ := errorCode(t, c.ask(initialize)[0]); code != -32603 {
		t.Errorf("code %d", code)
	}
	h.desk.decide("call-1", permission.Approved, "")
	if m := last(t, got); !strings.Contains(m, fixtureEcho) {
		t.Errorf("the session in use: %s", m)
	}
}

// TestNoGrandchildSurvives: whatever a server has started ends with it.
func TestNoGrandchildSurvives(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, gateway.Options{})
	h.desk.allow["spawn"] = true
	c := h.connect("a")
	_, rest, _ := strings.Cut(c.ask(call("1", "spawn", `{}`))[0], `"result":`)
	pid, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil || !runs(pid) {
		t.Fatalf("no grandchild: %s", rest)
	}
	c.do(c.request(context.Background(), http.MethodDelete, ""))
	for deadline := time.Now().Add(3 * time.Second); runs(pid) && !zombie(pid); time.Sleep(beat) {
		if time.Now().After(deadline) {
			t.Fatalf("grandchild %d survives", pid)
		}
	}
}

func TestClosedGatewayTakesNothing(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	c := h.connect("a")
	begun := time.Now()
	if err := h.gate.Close(); err != nil || time.Since(begun) > 2*time.Second {
		t.Errorf("%v after %s", err, time.Since(begun))
	}
	if resp := c.post(context.Background(), initialize); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s", resp.Status)
	}
}

// TestCloseWaitsForNoHalfMessage: an agent that does not send the rest keeps nothing open.
func TestCloseWaitsForNoHalfMessage(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn,
		"POST /mcp/fixture HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q %v", line, err)
	}
	io.WriteString(conn, `{"jsonrpc"`)
	if err := h.gate.Close(); err != nil {
		t.Error(err)
	}
}
