package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestASessionThatExpiresIsEnded without anybody asking: the page is told, the call that waits in it is
// withdrawn, and the journal names the clock.
func TestASessionThatExpiresIsEnded(t *testing.T) {
	h := newHouse(t)
	events, leave := h.desk.Desk.Journal.Subscribe()
	defer leave()
	var agent struct {
		Agent permission.Agent
		Token string
	}
	h.ask(201, "POST /v1/agents", map[string]any{"name": "scribe"}, &agent)
	var asked struct{ Call permission.Call }
	for ttl := 1.0; asked.Call.ID == ""; ttl *= 2 { // longer, where it expired before the call came
		var made struct{ Passkey string }
		h.ask(201, "POST /v1/sessions", map[string]any{"agentId": agent.Agent.ID, "role": "worker", "purpose": "task", "projectId": "p",
			"ttlSeconds": ttl}, &made)
		var begun struct{ SessionToken string }
		h.as(agent.Token, "POST /v1/sessions/authenticate", `{"passkey":"`+made.Passkey+`"}`, &begun)
		h.as(begun.SessionToken, "POST /v1/calls", `{"runId":"r","toolCallId":"c","serverId":"x","toolName":"y","input":{}}`, &asked)
	}
	var now struct{ Call permission.Call }
	for now.Call.Status != permission.Cancelled || !strings.Contains(h.ask(200, "GET /v1/journal?limit=1000", nil, nil), "session_expired") {
		for e := range events {
			if e.Kind == permission.AgentsChanged {
				break
			}
		}
		h.ask(200, "GET /v1/calls/"+string(asked.Call.ID), nil, &now)
	}
}

// as makes a request with a token, and reads into out what is answered, if the token is good.
func (h *house) as(token, row, body string, out any) {
	h.Helper()
	method, path, _ := strings.Cut(row, " ")
	req, err := http.NewRequestWithContext(h.Context(), method, h.desk.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		h.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		return
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil || resp.StatusCode >= 300 {
		h.Fatal(row, resp.Status, err)
	}
}
