//go:build !bindings

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sekisho/backend"
	"sekisho/backend/permission"
)

func TestCommandLine(t *testing.T) {
	app, err := newApp([]string{"--data", "/d", "--listen", "127.0.0.1:1"}, io.Discard, io.Discard)
	if err != nil || app.data != "/d" || app.listen != "127.0.0.1:1" {
		t.Fatalf("got %+v, %v", app, err)
	}
	app, err = newApp(nil, io.Discard, io.Discard)
	if err != nil || app.data != "" || app.listen != "127.0.0.1:7360" || app.hidden {
		t.Fatalf("the defaults: got %+v, %v", app, err)
	}
	if app, err = newApp([]string{"--hidden"}, io.Discard, io.Discard); err != nil || !app.hidden {
		t.Errorf("--hidden: got %+v, %v", app, err)
	}
	for _, args := range [][]string{{"--operator-token-file", "x"}, {"something"}, {"--approve=1"}, {"sekisho://approve/1"}} {
		app, err := newApp(append([]string{"--data", "/d"}, args...), io.Discard, io.Discard)
		if err == nil || errors.Is(err, flag.ErrHelp) || app.data != "/d" {
			t.Errorf("%q was taken: %+v, %v", args, app, err)
		}
	}
	var said strings.Builder
	if _, err := newApp([]string{"--version"}, &said, io.Discard); !errors.Is(err, flag.ErrHelp) ||
		said.String() != "sekisho-desktop "+backend.Version+"\n" {
		t.Errorf("--version said %q, %v", said.String(), err)
	}
}

func TestNoDisplay(t *testing.T) {
	if err := noDisplay(errors.New("failed to init GTK")); err == nil || !strings.Contains(err.Error(), "no display") {
		t.Errorf("got %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("another panic was swallowed")
		}
	}()
	_ = noDisplay("something else")
}

// reply is what a bound method answers, but for Ask.
type reply struct {
	OK    bool            `json:"ok"`
	Value json.RawMessage `json:"value"`
	Error *struct {
		Code, Message, Field string
		Call                 *struct{ Status string }
	} `json:"error"`
}

func replied(t *testing.T, text string) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("answer %q: %v", text, err)
	}
	if r.OK == (r.Error != nil) {
		t.Fatalf("answer %q is neither a value nor an error", text)
	}
	return r
}

// value decodes the value of a good answer.
func value[T any](t *testing.T, text string) (v T) {
	t.Helper()
	r := replied(t, text)
	if !r.OK {
		t.Fatalf("refused: %+v", *r.Error)
	}
	if err := json.Unmarshal(r.Value, &v); err != nil {
		t.Fatalf("value %s: %v", r.Value, err)
	}
	return v
}

func refusal(t *testing.T, text, code string) reply {
	t.Helper()
	r := replied(t, text)
	if r.OK || r.Error.Code != code {
		t.Fatalf("got %s, want the error %s", text, code)
	}
	return r
}

// opened is an App on an open desk, as before the window shows.
func opened(t *testing.T) *App {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	app, err := newApp([]string{"--data", t.TempDir(), "--listen", "127.0.0.1:0"}, io.Discard, io.Discard)
	if err == nil {
		err = app.take()
	}
	if err == nil {
		app.open()
		err = app.isOpen()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.close)
	return app
}

// TestANewDeskAsksTheShell: where no call has come yet and an app starts a server, the user's shell is asked for its
// environment before the page asks for the apps.
func TestANewDeskAsksTheShell(t *testing.T) {
	shell, asked := filepath.Join(t.TempDir(), "bash"), filepath.Join(t.TempDir(), "asked")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\n: > "+asked+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHELL", shell)
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".cursor/mcp.json"), []byte(`{"mcpServers": {"echo": {"command": "/bin/cat"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t)
	began := time.Now()
	for _, err := os.Stat(asked); err != nil; _, err = os.Stat(asked) {
		if time.Since(began) > time.Minute {
			t.Fatal("the shell was not asked")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestADeskThatCannotBeOpened: what the page asks while the window ends is answered with an error.
func TestADeskThatCannotBeOpened(t *testing.T) {
	app, err := newApp(nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	app.failed = errors.New("damaged")
	close(app.opened)
	for _, said := range []string{app.Info(), app.CreateAgent("a"), app.DeleteAgent("a")} {
		refusal(t, said, "internal")
	}
	if said := app.Ask("GET", "/v1/rules", "", ""); !strings.Contains(said, "503") || !strings.Contains(said, "unavailable") {
		t.Error(said)
	}
	app.close()
}

func TestAnswerKeepsCodes(t *testing.T) {
	app, err := newApp(nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r := refusal(t, app.answer(nil, &permission.Error{Code: permission.CodeExpired, Message: "late", Field: "f",
		Call: &permission.Call{Status: permission.Expired}}), "expired")
	if r.Error.Message != "late" || r.Error.Field != "f" || r.Error.Call.Status != "expired" {
		t.Errorf("got %+v", *r.Error)
	}
	refusal(t, app.answer(nil, errors.New("disk full")), "internal")
	refusal(t, app.answer(func() {}, nil), "internal")
}

func TestInfo(t *testing.T) {
	app := opened(t)
	got := value[struct {
		Version, Face, URL string
		CanOperate         bool
	}](t, app.Info())
	if got.Version != backend.Version || got.Face != "window" || !got.CanOperate || !strings.HasPrefix(got.URL, "http://127.0.0.1:") {
		t.Errorf("got %+v", got)
	}
}

func TestAgentsHaveTokenFiles(t *testing.T) {
	app := opened(t)
	made := value[struct {
		Agent            permission.Agent
		Token, TokenFile string
	}](t, app.CreateAgent("scribe"))
	if kept, err := os.ReadFile(made.TokenFile); err != nil || strings.TrimSpace(string(kept)) != made.Token ||
		filepath.Base(made.TokenFile) != "scribe.token" {
		t.Fatalf("the token's file: %q, %v", kept, err)
	}
	refusal(t, app.CreateAgent("scribe"), "already_exists")
	refusal(t, app.CreateAgent(" "), "invalid")
	if gone := replied(t, app.DeleteAgent(string(made.Agent.ID))); !gone.OK {
		t.Errorf("got %+v", gone)
	}
	if _, err := os.Stat(made.TokenFile); err == nil {
		t.Error("the token of a removed agent is still kept")
	}
	refusal(t, app.DeleteAgent(string(made.Agent.ID)), "not_found")
}
