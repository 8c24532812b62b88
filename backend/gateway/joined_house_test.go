package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

func (d *memory) Servers(context.Context) (all []permission.Server, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b permission.Server) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// joint is a raw client of all servers as one.
type joint struct {
	*house
	agent, session string
	can            string // what the desk said of itself
}

// joinedHouse has two fixtures, "one" and "two", and other servers.
func joinedHouse(t *testing.T, opts gateway.Options, others ...permission.Server) *house {
	t.Helper()
	if opts.Patience == 0 {
		opts.Patience = 20 * time.Second
	}
	opts.Beat = beat
	h := newHouse(t, opts)
	fixture := h.desk.servers[fixtureID]
	fixture.Env[toolsEnv] = fixtureList
	delete(h.desk.servers, fixtureID)
	for _, id := range []string{"one", "two"} {
		fixture.ID = id
		others = append(others, fixture)
	}
	for _, s := range others {
		h.put(s)
	}
	return h
}

// put brings a server into the list.
func (h *house) put(s permission.Server) {
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	s.Enabled = true
	h.desk.servers[s.ID] = s
}

func (h *house) join(agent string) *joint {
	h.t.Helper()
	c := &joint{house: h, agent: agent}
	resp := c.do(context.Background(), http.MethodPost, initialize)
	body := read(h.t, resp)
	before, after, _ := strings.Cut(body, `"capabilities":`)
	c.can, after, _ = strings.Cut(after, `,"serverInfo"`)
	if c.session = resp.Header.Get("Mcp-Session-Id"); c.session == "" ||
		!strings.HasSuffix(before, `"id":"i","result":{"protocolVersion":"2025-06-18",`) || !strings.HasPrefix(after, `:{"name":"sekisho",`) {
		h.t.Fatalf("initialize: %s %s", resp.Status, body)
	}
	c.tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *joint) request(ctx context.Context, method, body string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, c.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.agent)
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25") // not what the servers agree to
	}
	return req
}

func (c *joint) do(ctx context.Context, method, body string) *http.Response {
	c.t.Helper()
	resp, err := http.DefaultClient.Do(c.request(ctx, method, body))
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

func (c *joint) tell(body string) {
	c.t.Helper()
	if resp := c.do(context.Background(), http.MethodPost, body); resp.StatusCode != http.StatusAccepted {
		c.t.Fatalf("%s: %s %s", body, resp.Status, read(c.t, resp))
	}
}

func (c *joint) ask(body string) string {
	c.t.Helper()
	all := messages(c.t, c.do(context.Background(), http.MethodPost, body))
	return all[len(all)-1]
}

func (c *joint) start(ctx context.Context, method, body string) <-chan string {
	got := make(chan string, 4096)
	go func() {
		defer close(got)
		resp, err := http.DefaultClient.Do(c.request(ctx, method, body))
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

// list gives the tools by name, as they are defined.
func (c *joint) list() map[string]string {
	c.t.Helper()
	raw := c.ask(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	var m struct {
		ID     string
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.ID != "l" {
		c.t.Fatalf("tools/list: %s", raw)
	}
	tools := map[string]string{}
	for _, t := range m.Result.Tools {
		var named struct{ Name string }
		json.Unmarshal(t, &named)
		if tools[named.Name] != "" {
			c.t.Errorf("%s is listed twice", named.Name)
		}
		tools[named.Name] = string(t)
	}
	return tools
}

// listen opens the stream of what comes by itself; the test's end closes it.
func (c *joint) listen() <-chan string {
	ctx, cancel := context.WithCancel(context.Background())
	c.t.Cleanup(cancel)
	return c.start(ctx, http.MethodGet, "")
}

// hear waits for a message that contains all the words.
func hear(t *testing.T, c <-chan string, words ...string) string {
	t.Helper()
	for {
		m := next(t, c)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(m, w) }) {
			return m
		}
	}
}

func sortedNames(tools map[string]string) string {
	var names []string
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// httpServer is an entry for a scripted server over HTTP with these tools.
func httpServer(t *testing.T, id, tools string) (permission.Server, *far) {
	f := newFar(t, func(w http.ResponseWriter, r farRequest) {
		if r.method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := fixtureEcho
		if r.Method == "tools/list" {
			result = `{"tools":[` + tools + `]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","result":%s,"id":%s}`, result, r.ID)
	})
	f.lists = true
	return permission.Server{ID: id, Transport: permission.TransportHTTP, URL: f.URL + "/mcp"}, f
}

// awaitNone waits until no server runs.
func (h *house) awaitNone() {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(beat) {
		if !slices.ContainsFunc(h.pids(), runs) {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatal("servers are left behind")
		}
	}
}
