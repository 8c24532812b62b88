package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

func TestReadLines(t *testing.T) {
	var got []string
	long := 0
	text := "a\r\n\n" + strings.Repeat("b", 200_000) + "\n" + strings.Repeat("c", 200_001) + "\nd\n" + strings.Repeat("e", 500_000) + "\nlast"
	readLines(strings.NewReader(text), 200_000, func(l []byte) { got = append(got, string(l)) }, func(head []byte) {
		if long++; len(head) != mcpwire.MaxHead {
			t.Errorf("the head of a long line has %d bytes", len(head))
		}
	})
	if len(got) != 4 || got[0] != "a" || len(got[1]) != 200_000 || got[2] != "d" || got[3] != "last" || long != 2 {
		t.Errorf("%d lines, %d too long", len(got), long)
	}
}

func TestEnvironment(t *testing.T) {
	ours := []string{"PATH=/bin:/usr/bin", "SEKISHO_TOKEN=secret", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=x", "HOME=/root", "DISPLAY=:0",
		"DOCKER_HOST=unix:///run/podman.sock"}
	for command, path := range map[string]string{"npx": "/bin:/usr/bin", "/usr/bin/npx": "/bin:/usr/bin",
		"/opt/node/bin/npx": "/opt/node/bin:/bin:/usr/bin"} {
		got := environment(ours, map[string]string{"HOME": "/own"}, command)
		want := []string{"PATH=" + path, "LC_ALL=C", "HOME=/root", "DISPLAY=:0", "DOCKER_HOST=unix:///run/podman.sock", "HOME=/own"}
		if !slices.Equal(got, want) { // the last of two counts
			t.Errorf("%s: got %q", command, got)
		}
	}
}

// TestACommandFindsWhatLiesBesideIt starts a script whose interpreter is found in its own
// folder alone, as that of npx is.
func TestACommandFindsWhatLiesBesideIt(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"speaker": "#!/bin/sh\necho '{\"spoken\":true}'\n", "npx": "#!/usr/bin/env speaker\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	heard := make(chan string, 1)
	c, err := start(permission.Server{Command: filepath.Join(dir, "npx")}, 100, Listener{Heard: func(line []byte, _ Origin) {
		heard <- string(line)
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-c.done
	select {
	case line := <-heard:
		if line != `{"spoken":true}` {
			t.Errorf("heard %q", line)
		}
	default:
		t.Errorf("nothing was said but %q", c.Last())
	}
}

func TestAMissingFolderIsSaidToBeTheFolder(t *testing.T) {
	_, err := start(permission.Server{Command: "true", Cwd: "/nowhere/at-all"}, 100, Listener{})
	if err == nil || !strings.Contains(err.Error(), "folder") || !strings.Contains(err.Error(), "/nowhere/at-all") {
		t.Errorf("got %v", err)
	}
}

// TestTheLastWordsAreTheTelling ones: of a program that prints its stack and its version below
// the error, the error.
func TestTheLastWordsAreTheTelling(t *testing.T) {
	many := strings.Repeat("step\n", maxLast)
	for said, want := range map[string]string{
		"throw err;\n\nError: Cannot find module 'x'\n    at onError (y)\n{ code: 'X' }\n\nNode.js v20.20.2\n": "Error: Cannot find module 'x'",
		"Traceback\n  File x\nKeyError: 'a'\n":                 "KeyError: 'a'",
		"sh: 1: uvx: not found\r\n\n":                          "sh: 1: uvx: not found",
		"starting\nA_TOKEN is not set\n":                       "A_TOKEN is not set",
		"error of long ago\n" + many + "good bye\n":            "good bye",
		"Permission denied\nAccess refused by error policy\nx": "Access refused by error policy",
		"": "",
	} {
		words := tail{veil: strings.NewReplacer()}
		if _, err := words.Write([]byte(said)); err != nil {
			t.Fatal(err)
		}
		if got := words.telling(); got != want {
			t.Errorf("of %q: %q, want %q", said, got, want)
		}
	}
}
