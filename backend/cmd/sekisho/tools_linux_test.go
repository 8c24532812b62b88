package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/guard"
	"sekisho/backend/tool"
)

// toolsFor connects the official client to a server of the workspace tools.
func toolsFor(t *testing.T, folder string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "tools", "--root", folder)
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, cmd
}

func TestToolsAreThoseOfTheWorkspace(t *testing.T) {
	folder := t.TempDir()
	s, _ := toolsFor(t, folder)
	listed, err := s.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != len(guard.Tools) {
		t.Fatalf("%v: %v", listed, err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, d := range listed.Tools {
		raw, _ := json.Marshal(d.OutputSchema)
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if schemas[d.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		input map[string]any
		want  string // in the result's JSON
		bad   bool
	}{
		{guard.WriteFile, map[string]any{"path": "a.txt", "content": "one\n"}, `"size":4`, false},
		{guard.WriteFile, map[string]any{"path": "a.txt", "content": "two\n", "mode": "append"}, `"size":8`, false},
		{guard.WriteFile, map[string]any{"path": "empty.txt", "content": ""}, `"size":0`, false},
		{guard.ReadFile, map[string]any{"path": "a.txt"}, `"content":"one\ntwo\n"`, false},
		{guard.ReadFile, map[string]any{"path": "empty.txt"}, `"content":""`, false},
		{guard.ReadFile, map[string]any{"path": "../a.txt"}, `Path outside workspace: `, true},
		{guard.ListDirectory, map[string]any{"path": "."}, `"total_count":2`, false},
		{guard.ListDirectory, map[string]any{"path": ".", "pattern": "z*"}, `"files":[]`, false},
		{guard.ExecuteCommand, map[string]any{"command": "wc", "args": []string{"-l", "a.txt"}}, `"stdout":"2 a.txt\n"`, false},
		{guard.ExecuteCommand, map[string]any{"command": "rm", "args": []string{"-rf", "/"}}, `Command not allowed: `, true},
		{guard.ExecuteCommand, map[string]any{"command": "ls", "timeout": 301}, `Timeout too long: `, true},
	} {
		answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: c.name, Arguments: c.input})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(answer.StructuredContent)
		if !strings.Contains(string(raw), c.want) || answer.IsError != c.bad {
			t.Errorf("%s %v says %s, want %s", c.name, c.input, raw, c.want)
		}
		if err := schemas[c.name].Validate(answer.StructuredContent); err != nil {
			t.Errorf("%s %v says %s, against its own schema: %s", c.name, c.input, raw, err)
		}
	}
}

// TestNoCommandOutlivesItsServer kills the server while a command has a child in another session.
func TestNoCommandOutlivesItsServer(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("there is no python3")
	}
	folder := t.TempDir()
	w, err := tool.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if c := w.Confinement(); c.Level != tool.LevelFull {
		t.Skipf("commands are confined at level %s: no %v", c.Level, c.Missing)
	}
	script := "import os, time\nif os.fork() == 0: os.setsid()\nwhile True:\n  open('alive.txt', 'a').write('x'); time.sleep(0.01)\n"
	if err := os.WriteFile(filepath.Join(folder, "x.py"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	s, cmd := toolsFor(t, folder)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.CallTool(t.Context(), &mcp.CallToolParams{Name: guard.ExecuteCommand,
			Arguments: map[string]any{"command": "python", "args": []string{"x.py"}}})
	}()
	alive := filepath.Join(folder, "alive.txt")
	size := func() int64 {
		info, err := os.Stat(alive)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for size() == 0 {
		select {
		case <-ended:
			t.Fatal("the command has ended")
		case <-time.After(5 * time.Millisecond):
		}
	}
	cmd.Process.Kill()
	<-ended
	for range 200 { // until it has not grown for a while
		before := size()
		time.Sleep(50 * time.Millisecond)
		if size() == before {
			return
		}
	}
	t.Error("a child of the command lives on")
}

func TestToolsNeedAFolder(t *testing.T) {
	for _, args := range [][]string{{"tools"}, {"tools", "--root", "relative"}, {"tools", "--root", "/"},
		{"tools", "--root", "/nowhere/at/all"}} {
		c := root()
		c.SetArgs(args)
		if err := c.Execute(); err == nil {
			t.Errorf("%v starts", args)
		}
	}
}
