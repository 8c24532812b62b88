package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// TestServersOfOneAgentShareASession: two processes find the passkey in one file, and both ask in
// its session; a server's table lets them in, and keeps out who has no session.
func TestServersOfOneAgentShareASession(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) { shareSession(t, era) })
	}
}

func shareSession(t *testing.T, era string) {
	ctx := context.Background()
	desk, err := server.Open(ctx, server.Config{Data: filepath.Join(t.TempDir(), "desk"), Listen: "127.0.0.1:0",
		Operator: rest.NewOperator(operatorToken)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	op := newClient(desk.URL, operatorToken)
	do := func(method, path string, body, out any) {
		t.Helper()
		if err := op.Do(ctx, method, path, body, out); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "note.txt")
	do(http.MethodPut, "/v1/servers", map[string]any{"servers": []any{map[string]any{"id": "notes", "command": os.Args[0],
		"args": []string{path}, "env": map[string]string{roleEnv: "server", "GORACE": "atexit_sleep_ms=0"},
		"toolPermissions": map[string]string{"write": "task_only"}}}}, nil)
	do(http.MethodPost, "/v1/rules", map[string]any{"serverId": "notes", "effect": "allow"}, nil)
	var made struct {
		Agent permission.Agent
		Token string
	}
	do(http.MethodPost, "/v1/agents", map[string]string{"name": "tester"}, &made)
	var session struct {
		Session permission.Session
		Passkey string
	}
	do(http.MethodPost, "/v1/sessions", map[string]string{"agentId": string(made.Agent.ID), "role": "worker", "purpose": "task",
		"projectId": "p"}, &session)
	file := filepath.Join(t.TempDir(), "session")
	if err := os.WriteFile(file, []byte(session.Passkey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := []*mcp.ClientSession{bridgeAs(t, desk.URL, made.Token, era, "--session-file", file),
		bridgeAs(t, desk.URL, made.Token, era, "--session-file", file)}
	for _, client := range in {
		tools, err := client.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 2 { // its own and help
			t.Errorf("in the session: %v %v", tools, err)
		}
		got, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "write", Arguments: note{"x"}})
		if err != nil || got.IsError {
			t.Errorf("in the session: %v %v", got, err)
		}
	}
	without := bridgeAs(t, desk.URL, made.Token, era)
	if tools, err := without.ListTools(ctx, nil); err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "help" {
		t.Errorf("without a session: %v %v", tools, err)
	}
	got, err := without.CallTool(ctx, &mcp.CallToolParams{Name: "write", Arguments: note{"y"}})
	if err != nil || !got.IsError || got.Content[0].(*mcp.TextContent).Text != "Tool 'write' requires authentication. Call 'authenticate' first." {
		t.Errorf("without a session: %v %v", got, err)
	}
	var calls struct{ Calls []permission.Call }
	do(http.MethodGet, "/v1/calls?sessionId="+string(session.Session.ID), nil, &calls)
	if len(calls.Calls) != 2 {
		t.Errorf("%d calls are of the session", len(calls.Calls))
	}
	raw, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(raw), "sks_") || strings.Contains(string(raw), session.Passkey) {
		t.Errorf("the file has %.4q, %v", raw, err)
	}
}

// bridgeAs starts the bridge as an agent, with a client that talks to it.
func bridgeAs(t *testing.T, desk, token, era string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp", "--desk", desk, "--server", "notes"}, args...)...)
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "SEKISHO_TOKEN="+token, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(context.Background(),
		&mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}
