package main

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/executor"
	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// operatorsOwn is the token of the person at a desk of these tests.
const operatorsOwn = "operators-own"

// newFarWorkshop is a desk with a workspace that a client executes, and the official client before it, through
// sekisho mcp.
func newFarWorkshop(t *testing.T, config server.Config) *workshop {
	t.Helper()
	asSekisho(t)
	config.Operator = rest.NewOperator(operatorsOwn)
	config.Data, config.Listen = filepath.Join(t.TempDir(), "desk"), "127.0.0.1:0"
	s, err := server.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{t: t, server: s, data: config.Data, folder: folder}
	far := workspaceAt("ws", folder)
	far.Execution = permission.ExecutionClient
	w.add(far)
	if _, w.token, err = s.Desk.Catalogue.CreateAgent(t.Context(), "tester"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "--desk", s.URL, "mcp", "--server", "ws")
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "SEKISHO_TOKEN="+w.token, "GORACE=atexit_sleep_ms=0")
	w.client, err = mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd},
		&mcp.ClientSessionOptions{ProtocolVersion: eras[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.client.Close() })
	return w
}

// execute starts an executor of the workspace.
func (w *workshop) execute() {
	w.t.Helper()
	var made struct {
		Token string `json:"token"`
	}
	wanted := map[string]any{"name": "laptop", "projectIds": []string{"ws"}}
	err := newClient(w.server.URL, operatorsOwn).Do(w.t.Context(), "POST", "/v1/executors", wanted, &made)
	if err != nil {
		w.t.Fatal(err)
	}
	program, err := exec.LookPath("sekisho")
	if err != nil {
		w.t.Fatal(err)
	}
	desk := newClient(w.server.URL, made.Token)
	ctx, cancel := context.WithCancel(w.t.Context())
	x := executor.Executor{Desk: desk.Client, Project: "ws", Run: runIn(program, w.folder), Logger: slog.New(slog.DiscardHandler)}
	serving, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- x.Serve(ctx, sync.OnceFunc(func() { close(serving) })) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			w.t.Error(err)
		}
		desk.Close()
	})
	<-serving
}

// TestAClientWorkspaceOverStandardIO: sekisho mcp tells a client that nobody came to run what was approved.
func TestAClientWorkspaceOverStandardIO(t *testing.T) {
	w := newFarWorkshop(t, server.Config{Patience: 30 * time.Second, Unclaimed: 50 * time.Millisecond})
	got := w.call(guard.WriteFile, map[string]any{"path": "a.txt", "content": "x"})
	w.approve(w.last(permission.Pending), permission.Answer{})
	if a := <-got; !a.bad || !strings.Contains(a.text, "no client holds this workspace") || strings.Contains(a.text, "nobody answered") {
		t.Errorf("nobody came: %+v", a)
	}
	if c := w.last(permission.Expired); c.Decision.By != permission.ByClock || c.Decision.Code != permission.ReasonNoClient {
		t.Errorf("it is expired by %+v", c.Decision)
	}
	if a := <-w.call(guard.ReadFile, map[string]any{"path": "a.txt"}); !a.bad || !strings.Contains(a.text, "no client holds this workspace") {
		t.Errorf("a read that a rule allows: %+v", a)
	}
}

// TestAClientWorkspaceIsTakenUp: what was told PENDING over sekisho mcp runs at an executor once it is repeated,
// and what was cancelled does not.
func TestAClientWorkspaceIsTakenUp(t *testing.T) {
	w := newFarWorkshop(t, server.Config{Patience: time.Second})
	input := map[string]any{"path": "a.txt", "content": "x"}
	if a := <-w.call(guard.WriteFile, input); !a.bad || !strings.HasPrefix(a.text, "PENDING") || !strings.Contains(a.text, "person") {
		t.Fatalf("at first: %+v", a)
	}
	w.approve(w.last(permission.Pending), permission.Answer{})
	if a := <-w.call(guard.WriteFile, input); !a.bad || !strings.HasPrefix(a.text, "PENDING") || !strings.Contains(a.text, "no client") {
		t.Fatalf("approved: %+v", a)
	}
	w.execute()
	if w.read("a.txt") == "x" {
		t.Error("it ran while nobody waited")
	}
	a := answer{text: "PENDING"}
	for strings.HasPrefix(a.text, "PENDING") && t.Context().Err() == nil {
		a = <-w.call(guard.WriteFile, input)
	}
	if a.bad || !a.result.Success || w.read("a.txt") != "x" {
		t.Errorf("at last: %+v", a)
	}

	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.client.CallTool(ctx, &mcp.CallToolParams{Name: guard.WriteFile, Arguments: map[string]any{"path": "b.txt", "content": "x"}})
	}()
	call := w.last(permission.Pending)
	cancel()
	<-over
	until(t, "the caller has gone", func() bool {
		c, err := w.server.Desk.Calls.Call(t.Context(), permission.Operator(), call.ID)
		call = c
		return err == nil && c.CallerGone
	})
	w.approve(call, permission.Answer{})
	if got := <-w.call(guard.ReadFile, map[string]any{"path": "b.txt"}); !got.bad { // after which the executor has heard of the yes
		t.Errorf("a call that was cancelled has run: %+v", got)
	}
}
