package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/process"
	"sekisho/backend/server"
	"sekisho/backend/tool"
	"sekisho/backend/tooltest"
)

// roleEnv makes the test binary be one of the programs of the test.
const roleEnv = "SEKISHO_TEST_ROLE"

func TestMain(m *testing.M) {
	tooltest.Begin()
	if os.Args[0] == "sekisho-supervisor" { // of a program that the command starts
		process.Begin()
	}
	tool.Begin() // of a command that the workspace tools start
	role := os.Getenv(roleEnv)
	if role == "" && len(os.Args) > 1 && os.Args[1] == "mcp" { // a line that connect has written
		role = "sekisho"
	}
	switch role {
	case "sekisho":
		main()
	case "server":
		serveNotes()
	case "tally":
		serveTally()
	case "canaries":
		serveCanaries()
	case "desk":
		serveDesk()
	case "odd":
		serveOdd()
	case "claude":
		reportPlaying(playClaude())
	case "attacker":
		serveAttacker()
	default:
		os.Exit(m.Run())
	}
}

type note struct {
	Text string `json:"text"`
}

// serveNotes is the server behind the desk: it writes what it is called with to the
// file that is its argument.
func serveNotes() {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "write"}, func(_ context.Context, _ *mcp.CallToolRequest, in note) (*mcp.CallToolResult, any, error) {
		err := os.WriteFile(os.Args[1], []byte(in.Text), 0o600)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "written"}}}, nil, err
	})
	s.Run(context.Background(), &mcp.StdioTransport{})
}

// stdioHouse is a real desk with the notes server, and a client that talks to it
// through the bridge's own process.
type stdioHouse struct {
	t      *testing.T
	server *server.Server
	file   string
	bridge *exec.Cmd
	stdin  io.WriteCloser
	client *mcp.ClientSession
}

// eras are a version of MCP with sessions, and one without.
var eras = []string{"2025-11-25", "2026-07-28"}

func newStdioHouse(t *testing.T, era string) *stdioHouse {
	t.Helper()
	return newStdioHouseOf(t, era, "--server", "notes")
}

// newStdioHouseOf is newStdioHouse with other arguments of the bridge.
func newStdioHouseOf(t *testing.T, era string, args ...string) *stdioHouse {
	t.Helper()
	ctx := context.Background()
	s, err := server.Open(ctx, server.Config{Data: filepath.Join(t.TempDir(), "desk"), Listen: "127.0.0.1:0", Patience: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &stdioHouse{t: t, server: s, file: filepath.Join(t.TempDir(), "note.txt")}
	_, _, err = s.Desk.Catalogue.ReplaceServers(ctx, "",
		[]permission.Server{{ID: "notes", Transport: permission.TransportStdio, Command: os.Args[0], Args: []string{h.file},
			Env: map[string]string{roleEnv: "server", "GORACE": "atexit_sleep_ms=0"}, Enabled: true}})
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := s.Desk.Catalogue.CreateAgent(ctx, "tester")
	if err != nil {
		t.Fatal(err)
	}
	h.bridge = exec.Command(os.Args[0], append([]string{"mcp", "--desk", s.URL}, args...)...)
	h.bridge.Env = append(os.Environ(), roleEnv+"=sekisho", "SEKISHO_TOKEN="+token, "GORACE=atexit_sleep_ms=0")
	h.bridge.Stderr = os.Stderr
	stdout, err := h.bridge.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if h.stdin, err = h.bridge.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := h.bridge.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.stdin.Close()
		h.bridge.Wait()
	})
	h.client, err = mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx,
		&mcp.IOTransport{Reader: stdout, Writer: h.stdin}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *stdioHouse) write(text string) <-chan *mcp.CallToolResult {
	got := make(chan *mcp.CallToolResult, 1)
	go func() {
		r, err := h.client.CallTool(context.Background(), &mcp.CallToolParams{Name: "write", Arguments: note{text}})
		if err == nil {
			got <- r
		}
		close(got)
	}()
	return got
}

// await waits for a call in a state.
func (h *stdioHouse) await(is func(permission.Call) bool) (found permission.Call) {
	h.t.Helper()
	until(h.t, "a call", func() bool {
		calls, _, _, err := h.server.Desk.Calls.List(context.Background(), permission.Operator(), permission.CallFilter{Limit: 10})
		if err != nil {
			h.t.Fatal(err)
		}
		for _, c := range calls {
			if is(c) {
				found = c
				return true
			}
		}
		return false
	})
	return found
}

func (h *stdioHouse) pending() permission.Call {
	h.t.Helper()
	return h.await(func(c permission.Call) bool { return c.Status == permission.Pending && !c.CallerGone })
}

func (h *stdioHouse) decide(c permission.Call, yes bool, reason string) {
	h.t.Helper()
	if _, _, _, err := h.server.Desk.Calls.Decide(context.Background(), c.ID,
		permission.Answer{Approved: yes, Reason: reason, InputHash: c.InputHash, Rev: c.Rev}); err != nil {
		h.t.Error(err)
	}
}

func (h *stdioHouse) content() string {
	raw, err := os.ReadFile(h.file)
	if err != nil && !os.IsNotExist(err) {
		h.t.Error(err)
	}
	return string(raw)
}

func TestStdioClientThroughARealDesk(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) { writeOverStdio(t, era) })
	}
}

func writeOverStdio(t *testing.T, era string) {
	h := newStdioHouse(t, era)
	if v := h.client.InitializeResult().ProtocolVersion; v != era {
		t.Errorf("speaks %s", v)
	}
	tools, err := h.client.ListTools(context.Background(), nil)
	if err != nil || len(tools.Tools) != 1 {
		t.Fatalf("tools: %v, %v", tools, err)
	}
	got := h.write("no")
	h.decide(h.pending(), false, "not this one")
	if r := <-got; r == nil || !r.IsError || !strings.Contains(text(r), "Declined by a person: not this one") || h.content() != "" {
		t.Errorf("declined: %+v, file %q", r, h.content())
	}
	got = h.write("yes")
	waiting := h.pending()
	if h.content() != "" {
		t.Error("written before the yes")
	}
	h.decide(waiting, true, "")
	if r := <-got; r == nil || r.IsError || text(r) != "written" || h.content() != "yes" {
		t.Errorf("approved: %+v, file %q", r, h.content())
	}
	h.await(func(c permission.Call) bool { return c.ID == waiting.ID && c.Status == permission.Completed })
}

// TestAllServersOverStdio: without --server the bridge is all of them as one.
func TestAllServersOverStdio(t *testing.T) {
	h := newStdioHouseOf(t, eras[0])
	tools, err := h.client.ListTools(context.Background(), nil)
	if err != nil || len(tools.Tools) != 1 {
		t.Fatalf("tools: %v, %v", tools, err)
	}
	got := make(chan *mcp.CallToolResult)
	go func() {
		r, _ := h.client.CallTool(context.Background(), &mcp.CallToolParams{Name: tools.Tools[0].Name, Arguments: note{"joined"}})
		got <- r
	}()
	h.decide(h.pending(), true, "")
	if r := <-got; r == nil || r.IsError || h.content() != "joined" {
		t.Errorf("approved: %+v, file %q", r, h.content())
	}
}

// TestABridgeWithoutADesk ends its wait as it is told.
func TestABridgeWithoutADesk(t *testing.T) {
	t.Setenv("SEKISHO_URL", "http://127.0.0.1:9")
	t.Setenv("SEKISHO_TOKEN", "t")
	for set, args := range map[string][]string{"500ms": {"mcp"}, "1h": {"mcp", "--wait", "0s"}} {
		t.Setenv("SEKISHO_WAIT", set)
		c := root()
		var out, told strings.Builder
		c.SetOut(&out)
		c.SetErr(&told)
		c.SetIn(strings.NewReader(hello + "\n"))
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "Sekisho is not running at http://127.0.0.1:9") {
			t.Errorf("%s: %v; printed %q", set, err, out.String())
		}
		if want := set == "500ms"; strings.Contains(told.String(), "waiting for it") != want {
			t.Errorf("%s: told %q", set, told.String())
		}
	}
	t.Setenv("SEKISHO_WAIT", "soon")
	c := root()
	c.SetArgs([]string{"mcp"})
	if err := c.ExecuteContext(t.Context()); code(err) != 2 || !strings.Contains(err.Error(), "SEKISHO_WAIT") {
		t.Errorf("%v", err)
	}
}

// TestStdioClientLeaves: closed or killed, the call stays and a late yes writes
// nothing.
func TestStdioClientLeaves(t *testing.T) {
	for name, leave := range map[string]func(*stdioHouse){
		"closed": func(h *stdioHouse) { h.stdin.Close() },
		"killed": func(h *stdioHouse) { h.bridge.Process.Kill() },
		"told":   func(h *stdioHouse) { h.bridge.Process.Signal(syscall.SIGTERM) },
	} {
		for _, era := range eras {
			t.Run(name+" "+era, func(t *testing.T) {
				h := newStdioHouse(t, era)
				h.write("late")
				h.pending()
				leave(h)
				left := h.await(func(c permission.Call) bool { return c.CallerGone })
				if err := h.bridge.Wait(); (err == nil) != (name != "killed") {
					t.Errorf("the bridge ended with %v", err)
				}
				h.decide(left, true, "")
				time.Sleep(200 * time.Millisecond)
				if now := h.await(func(c permission.Call) bool { return c.ID == left.ID }); now.Status != permission.Approved || h.content() != "" {
					t.Errorf("the call is %s, file %q", now.Status, h.content())
				}
			})
		}
	}
}
