package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// listens opens a stream of news of the era without sessions, and gives its messages.
func (s *staff) listens(token, door string) <-chan string {
	s.Helper()
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}`
	ctx, cancel := context.WithCancel(context.Background())
	s.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+door, strings.NewReader(`{"jsonrpc":"2.0","id":"news","method":"subscriptions/listen",`+
		`"params":{"_meta":{`+meta+`},"notifications":{"toolsListChanged":true}}}`))
	if err != nil {
		s.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.Fatalf("listen at %s: %v %+v", door, err, resp)
	}
	said := make(chan string, 100)
	go func() {
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				said <- data
			}
		}
		close(said)
	}()
	return said
}

// hears waits for a message of a method, of the request that listens.
func (s *staff) hears(what string, said <-chan string, method string) (params map[string]json.RawMessage) {
	s.Helper()
	for late := time.After(time.Minute); ; {
		select {
		case raw, open := <-said:
			var m struct {
				Method string
				Params map[string]json.RawMessage
			}
			if !open || json.Unmarshal([]byte(raw), &m) != nil {
				s.Fatalf("%s: the stream ends, or has %s", what, raw)
			}
			if m.Method != method {
				continue
			}
			if !strings.Contains(string(m.Params["_meta"]), `"io.modelcontextprotocol/subscriptionId":"news"`) {
				s.Errorf("%s: %s names no request", what, raw)
			}
			return m.Params
		case <-late:
			s.Fatalf("%s: nothing is said", what)
		}
	}
}

// TestContractListChanged: in both eras, at the server, joined and at coordination, clients hear that
// their list of tools is another when a session of their agent begins, ends or expires, when it becomes a
// coordinator, and when a table changes or goes.
func TestContractListChanged(t *testing.T) {
	const changed = "notifications/tools/list_changed"
	s := newStaff(t)
	s.op.do(200, "PATCH /v1/coordination", fields{"on": true})
	id, token := s.ids["no session"], s.tokens["no session"]
	modern := map[string]<-chan string{}
	older := map[string]chan bool{}
	for _, door := range []string{"/mcp/filesystem", "/mcp/coordination", "/mcp"} {
		modern[door] = s.listens(token, door)
		agreed := s.hears(door, modern[door], "notifications/subscriptions/acknowledged")
		if !strings.Contains(string(agreed["notifications"]), `"toolsListChanged":true`) {
			t.Errorf("%s agrees to %s", door, agreed["notifications"])
		}
		heard := make(chan bool, 100)
		older[door] = heard
		client := s.client(token, door, func() { heard <- true })
		if can := client.InitializeResult().Capabilities; can.Tools == nil || !can.Tools.ListChanged {
			t.Errorf("%s does not say that its list changes", door)
		}
		found := s.as("no session").stateless(door, "server/discover", "", fields{})
		if !strings.Contains(string(found.raw), `"listChanged":true`) {
			t.Errorf("%s does not say that its list changes: %s", door, found.raw)
		}
	}
	tell := func(what string, doors ...string) {
		t.Helper()
		for _, door := range doors {
			s.hears(what+", "+door, modern[door], changed)
			select {
			case <-older[door]:
			case <-time.After(time.Minute):
				t.Errorf("%s, %s: nothing is said", what, door)
			}
		}
	}
	all := []string{"/mcp/filesystem", "/mcp/coordination", "/mcp"}
	_, session := s.session(s.as("no session"), id, "worker", "task")
	tell("a session begins", all...)
	s.op.do(200, "POST /v1/sessions/"+session+"/end", fields{})
	tell("a session ends", all...)
	short, _ := s.passkey(id, "manager", "chat", fields{"ttlSeconds": 1})
	begun := s.as("no session").do(200, "POST /v1/sessions/authenticate", fields{"agentId": id, "passkey": short, "projectId": "p1"})
	tell("a session of a second begins", all...)
	tell("it expires by the clock", all...)
	s.op.visitor(begun.text("sessionToken")).do(401, "GET /v1/calls", nil)
	s.op.do(200, "PATCH /v1/agents/"+id, fields{"role": "coordinator"})
	tell("a role", all...)
	s.table(fields{"*": "chat_only"})
	tell("another table", "/mcp/filesystem", "/mcp")
	s.table(nil)
	tell("no table", "/mcp/filesystem", "/mcp")
}
