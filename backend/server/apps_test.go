package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/rest"
)

func (h *house) app(client string) rest.ClientApp {
	h.Helper()
	var all rest.ClientList
	h.ask(200, "GET /v1/connections", nil, &all)
	i := slices.IndexFunc(all.Apps, func(a rest.ClientApp) bool { return a.Client == client })
	if i < 0 || len(all.Apps) != 9 {
		h.Fatalf("%+v", all.Apps)
	}
	return all.Apps[i]
}

// TestAnAppIsTickedOnlyForWhatHappened: wired by its file, at the desk by its own call alone.
func TestAnAppIsTickedOnlyForWhatHappened(t *testing.T) {
	h := newHouse(t)
	if a := h.app("zed"); a.Found || len(a.Unasked) > 0 {
		t.Errorf("%+v", a)
	}
	want := []string{"runs_commands", "edits_files", "hooks_missing", "servers_past_desk"}
	if a := h.app("cursor"); !a.Found || a.Wired || a.Spoken || a.FirstAt != nil || !slices.Equal(a.Unasked, want) {
		t.Errorf("%+v", a)
	}
	h.ask(200, "POST /v1/demo", nil, nil)
	var made struct{ Token string }
	h.ask(201, "POST /v1/agents", map[string]string{"name": "other"}, &made)
	h.call(made.Token)
	if a := h.app("cursor"); a.Spoken || a.FirstAt != nil {
		t.Errorf("of other agents: %+v", a)
	}
	h.connectAll()
	if a := h.app("cursor"); !a.Wired || a.Spoken || a.FirstAt != nil || slices.Contains(a.Unasked, "hooks_missing") {
		t.Errorf("connected: %+v", a)
	}
	h.call(strings.TrimSpace(h.read(".config/sekisho/agents/cursor.token")))
	if a := h.app("cursor"); !a.Spoken || a.FirstAt == nil {
		t.Errorf("after its call: %+v", a)
	}
}

// TestServersOfAFileThatCannotBeRead: they are taken to be called past the desk, since nobody knows.
func TestServersOfAFileThatCannotBeRead(t *testing.T) {
	h := newHouse(t)
	h.write(".cursor/mcp.json", "{ broken")
	want := []string{"runs_commands", "edits_files", "hooks_missing", "servers_past_desk", "file_unreadable"}
	if a := h.app("cursor"); !slices.Equal(a.Unasked, want) {
		t.Errorf("%+v", a)
	}
}

// TestHooksInAFileThatCannotBeRead: connecting would not make the app ask.
func TestHooksInAFileThatCannotBeRead(t *testing.T) {
	h := newHouse(t)
	h.write(".cursor/hooks.json", "{ broken")
	want := []string{"runs_commands", "edits_files", "file_unreadable", "servers_past_desk"}
	if a := h.app("cursor"); !slices.Equal(a.Unasked, want) {
		t.Errorf("%+v", a)
	}
}

// connectAll puts all files behind the desk.
func (h *house) connectAll() {
	h.Helper()
	var all rest.ClientList
	h.ask(200, "GET /v1/connections", nil, &all)
	for _, f := range all.Files {
		h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil)
	}
}

// call asks for a call as an agent.
func (h *house) call(token string) {
	h.Helper()
	body, err := json.Marshal(map[string]any{"toolName": "x", "input": map[string]any{}, "runId": "r", "toolCallId": token[len(token)-6:]})
	if err != nil {
		h.Fatal(err)
	}
	req, err := http.NewRequestWithContext(h.Context(), "POST", h.desk.URL+"/v1/calls", strings.NewReader(string(body)))
	if err != nil {
		h.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		h.Fatal(resp.Status)
	}
}
