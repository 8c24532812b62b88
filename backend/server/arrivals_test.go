package server

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestAClientThatSpeaksIsTold: once, of each agent, and of the desk's own programs never.
func TestAClientThatSpeaksIsTold(t *testing.T) {
	told := 0
	a := &arrivals{tell: func() { told++ }}
	for _, who := range []struct{ agent, client string }{{"a", ownName}, {"a", "cursor"}, {"a", "cursor"}, {"b", ""}, {"a", ownName}} {
		a.note(permission.AgentID(who.agent), who.client)
	}
	if told != 2 || !a.has("a") || !a.has("b") || a.has("c") {
		t.Errorf("told %d times", told)
	}
}

// TestAnAppHasSpokenOnceItsClientDid: with the token of its agent, in either era, and an event
// without a place in the journal tells of it.
func TestAnAppHasSpokenOnceItsClientDid(t *testing.T) {
	for era, meta := range map[string]string{
		"sessions": `"clientInfo":{"name":"NAME","version":"1"},"protocolVersion":"2025-06-18","capabilities":{}`,
		"stateless": `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"NAME","version":"1"}}`,
	} {
		t.Run(era, func(t *testing.T) {
			h := newHouse(t)
			token := h.connectCursor()
			events, stop := h.desk.Desk.Journal.Subscribe()
			defer stop()
			speak := func(client string) {
				header := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
				method := "initialize"
				if era == "stateless" {
					method = "tools/list"
					header["Mcp-Protocol-Version"], header["Mcp-Method"] = []string{"2026-07-28"}, []string{method}
				}
				h.mcp(token, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+strings.ReplaceAll(meta, "NAME", client)+`}}`, header)
			}
			speak(ownName)
			if h.app("cursor").Spoken {
				t.Error("the desk's own program counts")
			}
			speak("cursor-vscode")
			speak("cursor-vscode")
			if a := h.app("cursor"); !a.Spoken || a.FirstAt != nil {
				t.Errorf("%+v", a)
			}
			arrived := 0
			for len(events) > 0 {
				if e := <-events; e.Kind == agentArrived {
					arrived++
				}
			}
			if arrived != 1 {
				t.Errorf("told %d times", arrived)
			}
		})
	}
}

// connectCursor puts Cursor's file behind the desk, and gives its token.
func (h *house) connectCursor() string {
	h.Helper()
	h.connectAll()
	h.ask(200, "PUT /v1/servers", map[string]any{"servers": []any{}}, nil) // none that would not answer
	return strings.TrimSpace(h.read(".config/sekisho/agents/cursor.token"))
}

// mcp sends a message to all servers as one.
func (h *house) mcp(token, body string, header http.Header) {
	h.Helper()
	req, err := http.NewRequestWithContext(h.Context(), "POST", h.desk.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	req.Header = header
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	if said, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode >= 300 {
		h.Fatal(resp.Status, string(said), err)
	}
}
