//go:build unix

package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/rest"
)

// shellFile writes a program that plays a user's shell.
func shellFile(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestShellEnviron reads what a shell's own files set, whatever they write, and gives up on one
// that fails or hangs.
func TestShellEnviron(t *testing.T) {
	const loud = "echo welcome; echo A=no; RC_TOKEN='two\nlines=x'; export RC_TOKEN\n[ \"$1 $2 $3\" = '-l -i -c' ] && exec /bin/sh -c \"$4\"\n"
	got := shellEnviron(shellFile(t, "bash", loud), time.Minute)
	if !slices.Contains(got, "RC_TOKEN=two\nlines=x") || slices.Contains(got, "A=no") || slices.Contains(got, "TERM=dumb") {
		t.Errorf("%q", got)
	}
	// What those files leave running, an agent of keys for one, holds the output open.
	if got := shellEnviron(shellFile(t, "zsh", "sleep 5 &\n"+loud), time.Minute); !slices.Contains(got, "RC_TOKEN=two\nlines=x") {
		t.Errorf("with something left running: %q", got)
	}
	for name, shell := range map[string]string{"fails": shellFile(t, "zsh", "exit 1"), "says nothing": shellFile(t, "sh", "exit 0"),
		"floods":   shellFile(t, "ksh", "head -c 20000000 /dev/zero || exit 1\n"+loud),
		"no shell": shellFile(t, "python3", loud), "relative": "bash", "unset": "", "gone": "/nowhere/bash"} {
		if got := shellEnviron(shell, time.Minute); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	began := time.Now()
	if got := shellEnviron(shellFile(t, "fish", "sleep 600 & wait"), time.Second); got != nil || time.Since(began) > 30*time.Second {
		t.Errorf("%q after %v", got, time.Since(began))
	}
}

// TestAShellThatHangsLetsGo: what a shell's own files had locked, as those of version managers do, is free when
// the shell is ended.
func TestAShellThatHangsLetsGo(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	inner := shellFile(t, "rehash", "trap 'rm "+lock+"; exit 1' HUP\n: > "+lock+"\nsleep 600 & wait\n")
	if got := shellEnviron(shellFile(t, "bash", inner+"\n"), time.Second); got != nil {
		t.Errorf("%q", got)
	}
	for range 100 {
		if _, err := os.Stat(lock); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the lock is there still")
}

// TestTheScreenSeesTheShell: what a user's shell sets is offered on the screen, though the desk
// has it not.
func TestTheScreenSeesTheShell(t *testing.T) {
	t.Setenv("SHELL", shellFile(t, "bash", "RC_TOKEN=topsecret; export RC_TOKEN\nexec /bin/sh -c \"$4\"\n"))
	h := newHouse(t)
	f := h.file()
	if e := f.Entries[0]; !slices.Contains(e.Likely, "RC_TOKEN") {
		t.Fatalf("%+v", e)
	}
	var all rest.ClientList
	said := h.ask(200, "GET /v1/connections?hooks=false&carry=RC_TOKEN", nil, &all)
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", choice{Shown: all.Files[0].Move.Shown, Carry: []string{"RC_TOKEN"}}, nil)
	servers, err := h.desk.Desk.Catalogue.Servers(t.Context())
	if err != nil || servers[0].Env["RC_TOKEN"] != "topsecret" || strings.Contains(said, "topsecret") {
		t.Errorf("%+v, %v", servers, err)
	}
}

// TestTheShellIsAskedAhead: the environment is read before the clients are asked for, where one of them starts a
// server, and once.
func TestTheShellIsAskedAhead(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	t.Setenv("SHELL", shellFile(t, "bash", "echo ran >> "+ran+"\nexec /bin/sh -c \"$4\"\n"))
	h := newHouse(t)
	h.write(".cursor/mcp.json", `{"mcpServers": {"web": {"url": "https://example.com/mcp"}}}`)
	h.ask(200, "GET /v1/connections?hooks=false", nil, nil)
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("for a server that is not started: %q", text)
	}
	h.write(".cursor/mcp.json", configuration)
	h.desk.ListAhead()
	began := time.Now()
	for _, err := os.Stat(ran); err != nil; _, err = os.Stat(ran) {
		if time.Since(began) > time.Minute {
			t.Fatal("the shell was not asked")
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.ask(200, "GET /v1/connections?hooks=false", nil, nil)
	if text, err := os.ReadFile(ran); err != nil || string(text) != "ran\n" {
		t.Errorf("%q, %v", text, err)
	}
}
