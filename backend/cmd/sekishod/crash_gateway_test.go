package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// TestCrashBehindTheGateway kills a desk with -9 while agents call what a rule allows,
// over MCP. What ran is in the journal, at most once, and what an agent has the answer
// of has that outcome.
func TestCrashBehindTheGateway(t *testing.T) {
	ran := &counted{times: map[string]int{}}
	server := httptest.NewServer(ran)
	defer server.Close()
	w := &wreck{T: t, dir: t.TempDir(), ledger: map[permission.CallID]*ledger{}, stop: make(chan struct{})}
	d := w.launch()
	d.operate("PUT", "/v1/servers", `{"servers":[{"id":"far","transport":"http","url":"`+server.URL+`"}]}`, nil)
	d.operate("POST", "/v1/rules", `{"serverId":"far","effect":"allow"}`, nil)
	var crew sync.WaitGroup
	answered := make([]map[string]bool, 4)
	for i := range answered {
		answered[i] = map[string]bool{}
		token := d.agent(fmt.Sprint("agent-", i))
		crew.Go(func() { w.caller(i, token, answered[i]) })
	}
	for range 10 {
		d = w.crash(d, 10+rand.IntN(20), 100*time.Millisecond)
	}
	close(w.stop)
	crew.Wait()
	rows := map[string]permission.Status{}
	for _, c := range w.calls(d) {
		var input struct{ Name string }
		if err := json.Unmarshal(c.Input, &input); err != nil || rows[input.Name] != "" {
			t.Fatalf("a row twice, or of nobody: %s", c.Input)
		}
		rows[input.Name] = c.Status
	}
	told := 0
	for _, names := range answered {
		for name := range names {
			if told++; rows[name] != permission.Completed {
				t.Errorf("%s was answered, and is %q", name, rows[name])
			}
		}
	}
	for name, times := range ran.times {
		if status := rows[name]; times > 1 || status != permission.Completed && status != permission.InDoubt {
			t.Errorf("%s ran %d times, and is %q", name, times, status)
		}
	}
	w.journal(d)
	t.Logf("%d calls ran, %d were answered, %d rows", len(ran.times), told, len(rows))
	if told < 100 {
		t.Error("too little ran: this shows nothing")
	}
}

// counted is a server over HTTP that counts how often each call runs.
type counted struct {
	mu    sync.Mutex
	times map[string]int
}

func (s *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Arguments struct{ Name string } }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	result := `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"counted","version":"1"}}`
	switch m.Method {
	case "initialize":
	case "tools/call":
		s.mu.Lock()
		s.times[m.Params.Arguments.Name]++
		s.mu.Unlock()
		result = `{"content":[]}`
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// caller calls over and over, and notes what was answered. What a dead desk swallowed
// it does not ask again.
func (w *wreck) caller(n int, token string, answered map[string]bool) {
	session := ""
	for i := 0; !w.stopped(); i++ {
		if session == "" {
			_, session,
				_ = w.mcp(token, "",
				`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		}
		name := fmt.Sprint(n, "-", i)
		body, _, status := w.mcp(token, session,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{"name":%q}}}`, i+1, name))
		switch {
		case strings.Contains(body, `"result":{"content":[]}`):
			answered[name] = true
			w.got.Add(1)
		case status != http.StatusOK:
			session = ""
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// mcp posts one message; status is 0 when no desk answered.
func (w *wreck) mcp(token, session, message string) (body, newSession string, status int) {
	req, err := http.NewRequest(http.MethodPost, w.url.Load().(string)+"/mcp/far", strings.NewReader(message))
	if err != nil {
		w.Error(err)
		return "", "", 0
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + token}}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", 0
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", "", 0
	}
	return string(raw), resp.Header.Get("Mcp-Session-Id"), resp.StatusCode
}

// calls lists all.
func (w *wreck) calls(d *daemon) (all []permission.Call) {
	for cursor := ""; ; {
		var page struct {
			Calls []permission.Call
			Next  *int64
		}
		d.operate("GET", "/v1/calls?limit=200"+cursor, "", &page)
		all = append(all, page.Calls...)
		if page.Next == nil {
			return all
		}
		cursor = fmt.Sprint("&cursor=", *page.Next)
	}
}
