package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// TestJoinedServersAsk: both ask with the same id, and each gets its own answer.
func TestJoinedServersAsk(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	h.desk.allow["ask"] = true
	type asked struct {
		got <-chan string
		id  json.RawMessage
	}
	var all []asked
	for i, server := range []string{"one", "two"} {
		got := c.start(t.Context(), http.MethodPost, call(fmt.Sprint(i+1), server+"__ask", `{}`))
		m := next(t, got)
		var q fixtureMessage
		if json.Unmarshal([]byte(m), &q); !strings.HasSuffix(m, `,"method":"roots/list","params":{"n":1.0}}`) || string(q.ID) == `"srv-1"` {
			t.Fatalf("asked: %s", m)
		}
		all = append(all, asked{got, q.ID})
	}
	if string(all[0].id) == string(all[1].id) {
		t.Fatalf("both ask as %s", all[0].id)
	}
	c.tell(`{"jsonrpc":"2.0","id":99,"result":{"of":"nobody"}}`)
	for i, word := range []string{"second", "first"} {
		a := all[1-i]
		c.tell(`{"jsonrpc":"2.0","id":` + string(a.id) + `,"result":{"of":"` + word + `", "n":1.0}}`)
		if m := last(t, a.got); !strings.Contains(m, `"result":{"of":"`+word+`", "n":1.0}`) {
			t.Errorf("%s: %s", word, m)
		}
	}
	if log := h.received(); strings.Count(log, `{"jsonrpc":"2.0","id":"srv-1","result":{"of":`) != 2 || strings.Contains(log, "nobody") {
		t.Errorf("the servers got %s", log)
	}
}

func TestJoinedMembersComeAndGo(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	h.desk.allow["die"], h.desk.allow["echo"], h.desk.allow["later"] = true, true, true
	c.list()
	heard := c.listen()
	c.ask(call("1", "one__later", `{}`))
	hear(t, heard, fixtureChanged)
	if code, words := errorCode(t, c.ask(call("2", "one__die", `{}`))); code != -32603 || !strings.Contains(words, "out of luck") {
		t.Errorf("the end of a server: %d %s", code, words)
	}
	if m := c.ask(call("3", "two__echo", `{}`)); !strings.Contains(m, fixtureEcho) {
		t.Errorf("its neighbour: %s", m)
	}
	h.awaitEnd(3)
	if m := c.ask(call("4", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) || len(h.pids()) != 3 {
		t.Errorf("opened again: %s, %d processes", m, len(h.pids()))
	}
	// Another list of servers: the client is told, and what left it is gone.
	h.desk.mu.Lock()
	delete(h.desk.servers, "two")
	h.desk.mu.Unlock()
	servers, _ := h.desk.Servers(t.Context())
	h.gate.Reinstall(servers)
	hear(t, heard, fixtureChanged)
	if code, words := errorCode(t, c.ask(call("5", "two__echo", `{}`))); code != -32603 || !strings.Contains(words, `no server \"two\"`) &&
		!strings.Contains(words, `no server "two"`) {
		t.Errorf("a server that left: %d %s", code, words)
	}
	if names := sortedNames(c.list()); strings.Contains(names, "two__") || !strings.Contains(names, "one__echo") {
		t.Errorf("tools: %s", names)
	}
	h.gate.Reinstall(servers) // nothing has changed
	if m := c.ask(call("6", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) || len(h.pids()) != 3 {
		t.Errorf("after nothing changed: %s", m)
	}
	select {
	case m := <-heard:
		if m == fixtureChanged {
			t.Error("told of a change that was none")
		}
	default:
	}
	h.playing("two")
	h.desk.mu.Lock()
	one := h.desk.servers["one"]
	one.Args = []string{"other"}
	h.desk.servers["one"] = one
	h.desk.mu.Unlock()
	if m := c.ask(call("7", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) || len(h.pids()) != 4 {
		t.Errorf("after its entry changed: %s, %d processes", m, len(h.pids()))
	}
}

// awaitEnd waits until one of the processes has ended.
func (h *house) awaitEnd(processes int) {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(beat) {
		alive := 0
		for _, pid := range h.pids() {
			if runs(pid) {
				alive++
			}
		}
		if alive < processes && h.gate.State("one") != permission.ServerRunning {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d processes are there", alive)
		}
	}
}

func TestJoinedSessionsEndWithTheirMembers(t *testing.T) {
	for what, end := range map[string]func(h *house, c *joint){
		"DELETE":  func(_ *house, c *joint) { c.do(context.Background(), http.MethodDelete, "").Body.Close() },
		"Dismiss": func(h *house, _ *joint) { h.gate.Dismiss("a") },
		"idle":    func(*house, *joint) {},
		"room":    func(h *house, _ *joint) { h.join("a"); h.join("a") },
	} {
		t.Run(what, func(t *testing.T) {
			opts := gateway.Options{}
			switch what {
			case "idle":
				opts.IdleTimeout = 200 * time.Millisecond
			case "room":
				opts.MaxSessions = 4 // a joined session and its two members count as three
			}
			h, c := playHouse(t, opts)
			if n := len(c.list()); n != 14 || len(h.pids()) != 2 {
				t.Fatalf("%d tools of %d processes", n, len(h.pids()))
			}
			end(h, c)
			h.awaitNone()
			if resp := c.do(context.Background(), http.MethodPost,
				`{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != http.StatusNotFound {
				t.Errorf("afterwards: %s", resp.Status)
			}
		})
	}
}

func TestJoinedRefuses(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	for _, tt := range []struct {
		what, body, version string
		status, code        int
	}{
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "2025-06-18", 200, 0},
		{"a log level", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`, "2025-06-18", 200, 0},
		{"no log level", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{}}`, "2025-06-18", 200, -32602},
		{"no such log level", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, "2025-06-18", 200, -32602},
		{"a cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, "2025-06-18", 200, -32602},
		{"what is not joined", `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`, "2025-06-18", 200, -32601},
		{"a name in two spellings", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__echo","Name":"two__echo"}}`,
			"2025-06-18", 200, -32600},
		{"no name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, "2025-06-18", 200, -32602},
		{"no version of ours", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "v9", 400, -32022},
	} {
		req := c.request(t.Context(), http.MethodPost, tt.body)
		req.Header.Set("Mcp-Protocol-Version", tt.version)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body := read(t, resp)
		if resp.StatusCode != tt.status || (tt.code != 0) != strings.Contains(body, `"error"`) || tt.code != 0 &&
			!strings.Contains(body, fmt.Sprintf(`"code":%d,`, tt.code)) {
			t.Errorf("%s: %s %s", tt.what, resp.Status, body)
		}
	}
	other := &joint{house: h, agent: "b", session: c.session}
	if resp := other.do(t.Context(), http.MethodPost,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another agent: %s", resp.Status)
	}
	fresh := &joint{house: h, agent: "a"}
	for _, version := range []string{"2026-07-28", ""} { // the second says so in its body alone
		req := fresh.request(t.Context(), http.MethodPost, modernCall("1", "one__echo", `{}`, ""))
		req.Header.Set("Mcp-Protocol-Version", version)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if body := read(t, resp); resp.StatusCode != 400 || !strings.Contains(body, `"code":-32020,`) {
			t.Errorf("the era without sessions, without its headers, %q: %s %s", version, resp.Status, body)
		}
	}
	if strings.Contains(h.received(), "tools/call") {
		t.Errorf("the servers got %s", h.received())
	}
}

// TestJoinedSDK: the SDK's client, in both eras.
func TestJoinedSDK(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) { joinSDK(t, version) })
	}
}

func joinSDK(t *testing.T, version string) {
	h := joinedHouse(t, gateway.Options{})
	for _, id := range []string{"sdk", "sdk.2"} {
		h.put(permission.Server{ID: id, Transport: permission.TransportStdio, Command: os.Args[0],
			Env: map[string]string{sdkEnv: "1", "GORACE": "atexit_sleep_ms=0"}})
	}
	h.desk.allow["greet"], h.desk.allow["asks"] = true, true
	changes := make(chan struct{}, 100)
	agent := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changes <- struct{}{} },
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	session, err := agent.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: h.http.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearer("a")}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if is := session.InitializeResult(); is.ProtocolVersion != version || is.ServerInfo.Name != "sekisho" {
		t.Errorf("it is %+v", is)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 2+2+2+2 {
		t.Fatalf("tools: %+v, %v", tools, err)
	}
	for _, tool := range tools.Tools {
		switch {
		case strings.Contains(tool.Name, "__greet"):
			r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: greeting{"you"}})
			if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != "hello you" {
				t.Errorf("%s: %+v, %v", tool.Name, r, err)
			}
		case strings.Contains(tool.Name, "__asks"):
			r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name})
			if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != "you decline" {
				t.Errorf("%s: %+v, %v", tool.Name, r, err)
			}
		}
	}
	h.desk.mu.Lock()
	delete(h.desk.servers, "sdk")
	h.desk.mu.Unlock()
	for len(changes) > 0 { // of the servers' own
		<-changes
	}
	servers, _ := h.desk.Servers(ctx)
	h.gate.Reinstall(servers)
	select {
	case <-changes:
	case <-time.After(10 * time.Second):
		t.Error("not told of another list of servers")
	}
}

func TestJoinedCloseLeavesNothing(t *testing.T) {
	h, c := playHouse(t, gateway.Options{Patience: time.Minute})
	h.desk.allow["deaf"] = true
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.list()
	held := c.start(ctx, http.MethodPost, call("1", "one__echo", `{}`))
	next(t, held)
	c.start(ctx, http.MethodPost, call("2", "two__deaf", `{}`))
	c.listen()
	h.desk.await(t, "runs", func(c permission.Call) bool { return c.ToolName == "deaf" && c.Status == permission.Claimed })
	begun := time.Now()
	if err := h.gate.Close(); err != nil || time.Since(begun) > 2*time.Second {
		t.Errorf("Close: %v after %s", err, time.Since(begun))
	}
	h.desk.awaitGone(t)
	for deadline := time.Now().Add(5 * time.Second); goroutines() > 0; time.Sleep(beat) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left", goroutines())
		}
	}
}

// TestJoinedLogLevel: it is set at the servers that have one, now and when they are opened.
func TestJoinedLogLevel(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	level := `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`
	c.ask(level)
	if log := h.received(); log != "" {
		t.Errorf("started for a log level: %s", log)
	}
	h.desk.allow["echo"] = true
	c.list()
	if m := c.ask(call("2", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) ||
		strings.Count(h.received(), `"params":{"level":"error"}`) != 2 {
		t.Errorf("%s; the servers got %s", m, h.received())
	}
	c.ask(strings.Replace(level, "error", "debug", 1))
	if n := strings.Count(h.received(), `"params":{"level":"debug"}`); n != 2 {
		t.Errorf("%d servers have heard of it", n)
	}
}

// TestJoinedListBrokenOff: a client that leaves while servers are asked leaves no half of a
// list behind.
func TestJoinedListBrokenOff(t *testing.T) {
	h, c := playHouse(t, gateway.Options{})
	h.desk.allow["echo"] = true
	h.desk.mu.Lock()
	slow := h.desk.servers["one"]
	h.desk.mu.Unlock()
	slow.Command, slow.Args = "sh", []string{"-c", `sleep 1; exec "$0"`, slow.Command}
	h.put(slow)
	ctx, cancel := context.WithCancel(t.Context())
	left := c.start(ctx, http.MethodPost, call("1", "one__echo", `{}`))
	h.awaitReceived("tools/list") // by the other one
	cancel()
	last(t, left)
	if m := c.ask(call("2", "one__echo", `{}`)); !strings.Contains(m, fixtureEcho) {
		t.Errorf("afterwards: %s", m)
	}
}

// TestJoinedMembersAreNotIdle: they last as long as their session is in use.
func TestJoinedMembersAreNotIdle(t *testing.T) {
	h, c := playHouse(t, gateway.Options{IdleTimeout: 100 * time.Millisecond, Patience: 1500 * time.Millisecond})
	h.desk.allow["log"] = true
	heard := c.listen()
	c.list()
	c.ask(call("1", "one__log", `{}`))
	if words := toolText(t, c.ask(call("2", "two__echo", `{}`))); !strings.HasPrefix(words, "PENDING") {
		t.Errorf("held: %s", words)
	}
	if m := c.ask(call("3", "one__log", `{}`)); !strings.Contains(m, fixtureEcho) || len(h.pids()) != 2 {
		t.Errorf("after a while: %s, %d processes", m, len(h.pids()))
	}
	select {
	case m, ok := <-heard:
		if !ok {
			t.Error("the stream has ended: " + m)
		}
	default:
	}
}

// leaves is a desk that notes which sessions left it.
type leaves struct {
	*memory
	left chan permission.SessionID
}

func (l *leaves) LeaveSession(_ context.Context, _ permission.AgentID, id permission.SessionID) error {
	l.left <- id
	return nil
}

// TestJoinedSessionLeavesTheDeskOnce: what a person said for the session goes with it, not
// with one of its members.
func TestJoinedSessionLeavesTheDeskOnce(t *testing.T) {
	h := joinedHouse(t, gateway.Options{})
	desk := &leaves{memory: h.desk, left: make(chan permission.SessionID, 10)}
	h.http.Close()
	if err := h.gate.Close(); err != nil {
		t.Fatal(err)
	}
	h.gate = gateway.New(desk, desk, gateway.Options{AgentFrom: func(*http.Request) (permission.Agent, bool) {
		return permission.Agent{ID: "a"}, true
	}})
	h.http = httptest.NewServer(h.gate)
	h.playing("one")
	h.desk.allow["die"] = true
	c := h.join("a")
	c.ask(call("1", "one__die", `{}`))
	h.awaitEnd(2)
	c.do(context.Background(), http.MethodDelete, "").Body.Close()
	h.awaitNone()
	if err := h.gate.Close(); err != nil { // it waits for what is told to the desk
		t.Error(err)
	}
	if len(desk.left) != 1 || string(<-desk.left) != c.session {
		t.Errorf("%d more sessions left the desk than the client's", len(desk.left))
	}
}
