package gateway_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// house is a gateway before a desk in memory, with the fixture behind it.
type house struct {
	t    *testing.T
	desk *memory
	gate *gateway.Gateway
	http *httptest.Server
	log  string
}

const fixtureID = "fixture"

// newHouse opens one; the test's end closes it and looks for processes left behind.
func newHouse(t *testing.T, opts gateway.Options) *house {
	t.Helper()
	h := &house{t: t, desk: newMemory(), log: filepath.Join(t.TempDir(), "fixture.log")}
	h.desk.servers[fixtureID] = permission.Server{ID: fixtureID, Transport: permission.TransportStdio, Command: os.Args[0], Enabled: true,
		Env: map[string]string{fixtureEnv: h.log, "GORACE": "atexit_sleep_ms=0"}}
	opts.AgentFrom = func(r *http.Request) (permission.Agent, bool) {
		name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		return permission.Agent{ID: permission.AgentID(name), Name: name}, ok
	}
	opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	h.gate = gateway.New(h.desk, h.desk, opts)
	h.http = httptest.NewServer(h.gate)
	t.Cleanup(h.close)
	return h
}

func (h *house) close() {
	if err := h.gate.Close(); err != nil {
		h.t.Error(err)
	}
	h.http.CloseClientConnections()
	h.http.Close()
	for _, pid := range h.pids() {
		if runs(pid) {
			h.t.Errorf("process %d of the server is still there", pid)
		}
	}
}

func (h *house) url(server string) string { return h.http.URL + "/mcp/" + server }

// received is every line that the fixture got, of all its processes.
func (h *house) received() string {
	raw, err := os.ReadFile(h.log)
	if err != nil && !os.IsNotExist(err) {
		h.t.Error(err)
	}
	return string(raw)
}

func (h *house) pids() (pids []int) {
	for line := range strings.Lines(h.received()) {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			n, _ := strconv.Atoi(pid)
			pids = append(pids, n)
		}
	}
	return pids
}

// client is one raw MCP client.
type client struct {
	*house
	agent   string
	server  string // "" is the fixture
	session string
}

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// connect opens a session for an agent.
func (h *house) connect(agent string) *client {
	h.t.Helper()
	c := &client{house: h, agent: agent}
	resp := c.post(context.Background(), initialize)
	body := read(h.t, resp)
	if want := `{"jsonrpc":"2.0", "result":` + fixtureInit + ` ,"id":"i"}`; body != want {
		h.t.Fatalf("initialize\n got %d %s\nwant %s", resp.StatusCode, body, want)
	}
	if c.session = resp.Header.Get("Mcp-Session-Id"); c.session == "" {
		h.t.Fatal("initialize gave no session")
	}
	if resp = c.post(context.Background(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`); resp.StatusCode != http.StatusAccepted {
		h.t.Fatalf("initialized: %s %s", resp.Status, read(h.t, resp))
	}
	return c
}

func (c *client) request(ctx context.Context, method, body string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, c.url(cmp.Or(c.server, fixtureID)), strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.agent)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return req
}

func (c *client) do(req *http.Request) *http.Response {
	c.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

func (c *client) post(ctx context.Context, body string) *http.Response {
	c.t.Helper()
	return c.do(c.request(ctx, http.MethodPost, body))
}

// ask posts a request and gives its messages, the answer last.
func (c *client) ask(body string) []string {
	c.t.Helper()
	return messages(c.t, c.post(context.Background(), body))
}

// start posts a request in the background. Its messages come on the channel, which
// is closed at the answer's end.
func (c *client) start(ctx context.Context, body string) <-chan string {
	got := make(chan string, 4096)
	go func() {
		defer close(got)
		resp, err := http.DefaultClient.Do(c.request(ctx, http.MethodPost, body))
		if err != nil {
			return
		}
		defer resp.Body.Close()
		for m := range events(resp) {
			got <- m
		}
	}()
	return got
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func messages(t *testing.T, resp *http.Response) (all []string) {
	t.Helper()
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, read(t, resp))
	}
	for m := range events(resp) {
		all = append(all, m)
	}
	return all
}

// events yields each message of an answer, be it JSON or an event stream; comments
// are yielded as they are.
func events(resp *http.Response) func(func(string) bool) {
	return func(yield func(string) bool) {
		if resp.Header.Get("Content-Type") == "application/json" {
			raw, _ := io.ReadAll(resp.Body)
			yield(string(raw))
			return
		}
		r := bufio.NewReader(resp.Body)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSuffix(line, "\n")
			if data, ok := strings.CutPrefix(line, "data: "); ok && !yield(data) || strings.HasPrefix(line, ":") && !yield(line) {
				return
			}
		}
	}
}

func next(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case m, ok := <-c:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return m
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	return ""
}

func last(t *testing.T, c <-chan string) (m string) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case got, ok := <-c:
			if !ok {
				return m
			}
			m = got
		case <-limit:
			t.Fatal("the stream does not end")
		}
	}
}

func call(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

func callWithToken(id, tool, args, token string) string {
	return strings.TrimSuffix(call(id, tool, args), "}}") + `,"_meta":{"progressToken":` + token + `}}}`
}

// toolText is the text of a tools/call result, which must say isError.
func toolText(t *testing.T, raw string) string {
	t.Helper()
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || !m.Result.IsError || len(m.Result.Content) != 1 {
		t.Fatalf("not an isError result: %s", raw)
	}
	return m.Result.Content[0].Text
}

func errorCode(t *testing.T, raw string) (code int, message string) {
	t.Helper()
	var m struct {
		Error struct {
			Code    int
			Message string
		}
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(raw))).Decode(&m); err != nil || m.Error.Code == 0 {
		t.Fatalf("not an error answer: %s", raw)
	}
	return m.Error.Code, m.Error.Message
}

// zombie reports a process that has ended and that its parent has not looked at.
func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(raw), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}
