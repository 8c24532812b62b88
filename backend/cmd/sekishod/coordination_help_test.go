package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// at connects an agent to a path of the desk.
func (t *team) at(path, bearerToken string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: t.url.Load().(string) + path,
		HTTPClient: &http.Client{Transport: bearer(bearerToken)}, MaxRetries: -1, DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func words(t *team, s *mcp.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	result, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	return answer{result: result}.text()
}

func (t *team) rows() int {
	var list struct{ Calls []any }
	t.ask(operator, "GET", "/v1/calls?limit=200", nil, &list)
	return len(list.Calls)
}

// TestCoordinationAtTheDoor: help and what reaches nothing outside the desk keep no row, and hold does
// not stop them; a refusal has its row; an argument that holds a token is in no row.
func TestCoordinationAtTheDoor(t *testing.T) {
	w := &wreck{T: t, dir: t.TempDir()}
	d := w.launch()
	team := newTeam(t, w, d)
	d.operate("POST", "/v1/hold", `{"on":true}`, nil)
	own := team.at("/mcp/coordination", team.tokens["worker-1"])
	if said := words(team, own, "help", nil); !strings.Contains(said, `"caller_type":"unauthenticated"`) || !strings.Contains(said,
		`"total_available":2`) {
		t.Errorf("help without a session: %s", said)
	}
	if said := words(team, own, "help", map[string]any{"tool_name": "assign_task"}); strings.Contains(said, "assignee_id") ||
		!strings.Contains(said, "Tool 'assign_task' requires authentication. Call 'authenticate' first.") {
		t.Errorf("help about what it may not use: %s", said)
	}
	boss := team.at("/mcp/coordination", team.tokens["boss"])
	if said := words(team, boss, "health_check", nil); said != `{"ok":true}` {
		t.Errorf("health_check: %s", said)
	}
	if n := team.rows(); n != 0 {
		t.Errorf("%d rows are kept", n)
	}
	if said := words(team, own, "get_next_action", nil); said != "Tool 'get_next_action' requires authentication. Call 'authenticate' first." {
		t.Errorf("without a session: %s", said)
	}
	if n := team.rows(); n != 1 {
		t.Errorf("%d rows are kept of a refusal", n)
	}
	d.operate("POST", "/v1/hold", `{"on":false}`, nil)
	var made struct{ Passkey string }
	d.operate("POST", "/v1/sessions", fmt.Sprintf(`{"agentId":%q,"role":"worker","purpose":"chat","projectId":"p"}`,
		team.ids["worker-1"]), &made)
	team.secret(made.Passkey)
	pass := map[string]any{"agent_id": team.ids["worker-1"], "passkey": made.Passkey, "project_id": "p"}
	if said := words(team, team.at("/mcp/coordination", team.tokens["worker-2"]), "authenticate", pass); !strings.HasPrefix(said,
		"forbidden: ") {
		t.Errorf("another agent's passkey: %s", said)
	}
	if said := words(team, own, "authenticate", pass); !strings.Contains(said, `"session_token":"sks_`) {
		t.Fatalf("authenticate: %s", said)
	}
	if said := words(team, own, "authenticate", pass); strings.Contains(said, "sks_") {
		t.Errorf("a passkey works twice: %s", said)
	}
	if said := words(team, own, "help", nil); !strings.Contains(said, `"session_purpose":"chat"`) || strings.Contains(said, "sks_") {
		t.Errorf("help over the connection that has the session: %s", said)
	}
	if said := words(team, own, "send_message", map[string]any{"message": "I am the person", "from": "person"}); !strings.Contains(said,
		"message_id") {
		t.Errorf("send_message: %s", said)
	}
	var talks struct {
		Conversations []struct{ ID, LastFrom string }
	}
	team.ask(operator, "GET", "/v1/projects/p/conversations", nil, &talks)
	if len(talks.Conversations) != 1 || talks.Conversations[0].LastFrom != team.ids["worker-1"] {
		t.Errorf("the desk names another sender: %+v", talks)
	}
	forged := "sks_" + strings.Repeat("A", 43)
	team.secret(forged)
	if said := words(team, own, "send_message", map[string]any{"message": "x", "Session_Token": forged}); !strings.Contains(said,
		"not that of the session in force") {
		t.Errorf("a forged session_token: %s", said)
	}
	if said := words(team, own, "assign_task", map[string]any{"title": "x", "assignee_id": "y", "role": "manager"}); said !=
		"Tool 'assign_task' requires manager privilege." {
		t.Errorf("a worker assigns: %s", said)
	}
	team.hidden(d)
}

// TestHelpOfAServerWithATable: beside its own tools, at its own endpoint and at the joined one.
func TestHelpOfAServerWithATable(t *testing.T) {
	w := &wreck{T: t, dir: t.TempDir()}
	d := w.launch()
	team := newTeam(t, w, d)
	d.fileServer()
	var list struct{ Servers []map[string]any }
	d.operate("GET", "/v1/servers", "", &list)
	for _, s := range list.Servers {
		if s["id"] == "filesystem" {
			s["toolPermissions"] = map[string]string{"read_text_file": "unauthenticated", "write_file": "chat_only"}
		}
		for _, shown := range []string{"state", "trouble", "signIn", "tools", "changedTools", "toolLevels", "flaggedTools", "endsChildren",
			"revision"} {
			delete(s, shown)
		}
	}
	if status := team.ask(operator, "PUT", "/v1/servers", map[string]any{"servers": list.Servers}, nil); status != http.StatusOK {
		t.Fatalf("put servers: %d", status)
	}
	for path, name := range map[string]string{"/mcp/filesystem": "help", "/mcp": "filesystem__help"} {
		agent := team.at(path, team.tokens["worker-1"])
		tools, err := agent.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, tool := range tools.Tools {
			listed[tool.Name] = true
		}
		if !listed[name] || listed[strings.Replace(name, "help", "write_file", 1)] {
			t.Errorf("%s lists %v", path, listed)
		}
		if said := words(team, agent, name, nil); !strings.Contains(said, `"total_available":2`) ||
			!strings.Contains(said, `"permission":"allowed"`) {
			t.Errorf("%s: %s", path, said)
		}
		if said := words(team, agent, name, map[string]any{"tool_name": "write_file"}); strings.Contains(said, "parameters") ||
			!strings.Contains(said, `"category":"chat_only","available":false,"reason":"Tool 'write_file' requires authentication.`) {
			t.Errorf("%s: %s", path, said)
		}
		if said := words(team, agent, name, map[string]any{"tool_name": "read_text_file"}); !strings.Contains(said,
			`"parameters":[{"name":"path"`) {
			t.Errorf("%s: %s", path, said)
		}
	}
	if n := team.rows(); n != 0 {
		t.Errorf("%d rows are kept", n)
	}
}
