package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/place"
)

// serveOdd is a server whose tools depend on its environment: without ODD_TOKEN it has none and
// ends, and ODD_MODE changes them.
func serveOdd() {
	token := os.Getenv("ODD_TOKEN")
	if token == "" {
		fmt.Fprintln(os.Stderr, "starting\nODD_TOKEN is not set")
		os.Exit(3)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "odd", Version: "1"}, nil)
	add := func(name, about string) {
		write := func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, os.WriteFile(os.Args[1], []byte(token), 0o600)
		}
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: about}, write)
	}
	add("always", "mode "+os.Getenv("ODD_MODE"))
	if os.Getenv("ODD_MODE") == "full" {
		add("only\u200bhere", "")
	} else {
		add("instead", "")
	}
	s.Run(context.Background(), &mcp.StdioTransport{})
}

const oddSecret = "odd-secret-value-1"

// oddEntry starts the odd server, with further variables of its own.
func oddEntry(file, env string) string {
	return fmt.Sprintf(`{ "command": %q, "args": [%q], "env": { %q: "odd", "GORACE": "atexit_sleep_ms=0"%s } }`, os.Args[0], file, roleEnv, env)
}

// runApart runs the command and keeps what it says on standard error apart.
func runApart(t *testing.T, args ...string) (out, warnings string, err error) {
	t.Helper()
	c := root()
	var o, e strings.Builder
	c.SetOut(&o)
	c.SetErr(&e)
	c.SetArgs(args)
	err = c.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// noSecret fails when a secret stands in what was said, or in a file that is kept or written.
func (w *wired) noSecret(said ...string) {
	w.t.Helper()
	for _, text := range said {
		if strings.Contains(text, oddSecret) {
			w.t.Errorf("the secret was shown:\n%s", text)
		}
	}
	data, err := place.Data()
	if err != nil {
		w.t.Fatal(err)
	}
	err = filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(data, "secrets")) {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), oddSecret) {
			w.t.Errorf("the secret stands in %s", path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestConnectCarriesVariables: a variable of the client's shell that a server needs is named
// before anything is written, and reaches it behind the desk when it is asked for.
func TestConnectCarriesVariables(t *testing.T) {
	t.Setenv("ODD_TOKEN", "")
	file := filepath.Join(t.TempDir(), "seen")
	before := `{"mcpServers": {"odd": ` + oddEntry(file, `, "ODD_MODE": "x"`) + `}}`
	w := newWired(t, map[string]string{".claude.json": before})
	home := []string{"--client", "claude-code", "--hooks=false"}

	if out, _, err := runApart(t, append(home, "connect", "--yes", "--carry", "PATH,ODD_TOKEN")...); err == nil ||
		!strings.Contains(err.Error(), "ODD_TOKEN cannot be carried to the desk: it is not set here") || w.read(".claude.json") != before || len(w.servers()) > 0 {
		t.Errorf("a variable that is not set: %v\n%s", err, out)
	}
	if _, _, err := runApart(t, append(home, "connect", "--yes", "--carry", "SEKISHO_TOKEN")...); err == nil ||
		!strings.Contains(err.Error(), "SEKISHO_TOKEN cannot be carried to the desk: it is Sekisho's own") {
		t.Errorf("a variable of Sekisho: %v", err)
	}
	// The desk of this test has this process's environment: it hands none of these on.
	t.Setenv("ODD_TOKEN", oddSecret)
	t.Setenv("ODD_THING", "1")
	out, warned, err := runApart(t, append(home, "connect")...)
	if err == nil || err.Error() != "nothing was changed: say --yes to do it" ||
		!strings.Contains(out, "Behind the desk odd of Claude Code would miss: ") ||
		!strings.Contains(out, "ODD_TOKEN") ||
		w.read(".claude.json") != before {
		t.Errorf("only looking: %v\n%s%s", err, out, warned)
	}
	if _, _, err := runApart(t, append(home, "connect", "--yes", "--carry", "HOME")...); err == nil ||
		!strings.Contains(err.Error(), "HOME") ||
		w.read(".claude.json") != before {
		t.Errorf("a variable that no server would miss: %v", err)
	}
	out, warned, err = runApart(t, append(home, "connect", "--yes", "--carry", "ODD_TOKEN")...)
	if err != nil || !strings.Contains(out, "odd of Claude Code: 2 tools, starts in ") ||
		!strings.Contains(out, ", the same behind the desk\n") ||
		strings.Contains(warned, "ODD_TOKEN") || !strings.Contains(warned, "odd of Claude Code would miss: ") {
		t.Fatalf("%v\n%s%s", err, out, warned)
	}
	if s := w.servers()["odd"]; s.Env["ODD_TOKEN"] != oddSecret || s.Env["ODD_THING"] != "" {
		t.Errorf("%+v", s.Env)
	}
	c := w.through(os.Args[0], "mcp", "--server", "odd", "--agent", "claude-code")
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "always", Arguments: map[string]any{}}); err != nil || r.IsError {
		t.Fatalf("%v, %+v", err, r)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != oddSecret {
		t.Errorf("the server had %q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	w.noSecret(out, warned, w.mustRun("connect", "--list", "--json"))
	w.mustRun("disconnect", "--yes")
	if got := w.read(".claude.json"); got != before || len(w.servers()) > 0 {
		t.Errorf("%s\n%v", got, w.servers())
	}
	secrets, _ := filepath.Glob(filepath.Join(w.home, ".local/share/sekisho/secrets*"))
	for _, kept := range secrets {
		if raw, err := os.ReadFile(kept); err != nil || strings.Contains(string(raw), oddSecret) {
			t.Errorf("the secret stays in %s, %v", kept, err)
		}
	}
	if len(secrets) == 0 {
		t.Error("no file of secrets was found")
	}
}

// TestConnectNamesWhatDiffers: a server that answers differently behind the desk is named with
// the difference, and so is one that does not start there; nothing is undone by itself.
func TestConnectNamesWhatDiffers(t *testing.T) {
	t.Setenv("ODD_TOKEN", oddSecret)
	t.Setenv("ODD_MODE", "full")
	file := filepath.Join(t.TempDir(), "seen")
	before := `{"mcpServers": {"differs": ` + oddEntry(file, fmt.Sprintf(`, "ODD_TOKEN": %q`, oddSecret)) + `, "lost": ` + oddEntry(file, "") +
		`, "same": ` + oddEntry(file, fmt.Sprintf(`, "ODD_TOKEN": %q, "ODD_MODE": "full"`, oddSecret)) + `, "dead": {"command": "/bin/false"}}}`
	w := newWired(t, map[string]string{".cursor/mcp.json": before})
	out, warned, err := runApart(t, "connect", "--yes", "--client", "cursor", "--hooks=false")
	if err == nil || !strings.Contains(err.Error(), `2 of 3 servers are not behind the desk what they were`) ||
		!strings.Contains(err.Error(), "sekisho disconnect --client cursor") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"other tools behind the desk: missing: only⟦U+200B⟧here; added: instead; defined otherwise: always\n",
		"lost of Cursor: starts directly, and not behind the desk: ", "same of Cursor: 2 tools, starts in ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if !strings.Contains(warned, "dead of Cursor does not start even without the desk: ") || !strings.Contains(warned, "lost, dead of Cursor would miss: ") ||
		!strings.Contains(warned, "ODD_TOKEN") ||
		strings.Index(out, "differs of Cursor: 2 tools, starts") > strings.Index(out, "behind the desk. Restart") {
		t.Errorf("%s\n%s", out, warned)
	}
	if servers := w.servers(); len(servers) != 4 || !strings.Contains(w.read(".cursor/mcp.json"), `"--server", "dead"`) {
		t.Errorf("%v", servers)
	}
	for _, said := range []string{out, warned, err.Error()} {
		if strings.Contains(said, oddSecret) {
			t.Errorf("the secret was shown:\n%s", said)
		}
	}
	w.mustRun("disconnect", "--yes")
	if got := w.read(".cursor/mcp.json"); got != before || len(w.servers()) > 0 {
		t.Errorf("%s\n%v", got, w.servers())
	}
}

// TestConnectProvesURLs: a server at a URL is asked with its headers, directly and behind the
// desk, and one that is another there is named. With --check=false none is asked.
func TestConnectProvesURLs(t *testing.T) {
	var asked, sessions atomic.Int32
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
		add := func(name string) {
			mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
		}
		if add("steady"); sessions.Load() > 1 {
			add("later")
		}
		return s
	}, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1); r.Header.Get("X-Key") != oddSecret {
			http.Error(w, "which key? not "+oddSecret, http.StatusForbidden)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			sessions.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	before := fmt.Sprintf(`{"mcpServers": {"web": {"type": "http", "url": %q, "headers": {"X-Key": %q}}}}`, web.URL, oddSecret)
	w := newWired(t, map[string]string{".claude.json": before})
	if out := w.mustRun("connect", "--yes", "--hooks=false", "--check=false"); asked.Load() > 0 || strings.Contains(out, "Starting") {
		t.Errorf("asked %d times:\n%s", asked.Load(), out)
	}
	w.mustRun("disconnect", "--yes")
	out, warned, err := runApart(t, "connect", "--yes", "--hooks=false")
	if err == nil || !strings.Contains(out, "web of Claude Code: 1 tool, starts in ") || !strings.Contains(out, "added: later\n") {
		t.Errorf("%v\n%s%s", err, out, warned)
	}
	w.mustRun("disconnect", "--yes")
	if got := w.read(".claude.json"); got != before {
		t.Error(got)
	}
	w.write(".claude.json", strings.Replace(before, oddSecret, "another-secret-value", 1))
	out, warned, err = runApart(t, "connect", "--yes", "--hooks=false")
	if err != nil || !strings.Contains(warned, "web of Claude Code does not start even without the desk: ") ||
		strings.Contains(warned, "another-secret-value") {
		t.Errorf("%v\n%s%s", err, out, warned)
	}
}
