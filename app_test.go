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

	"sekisho/backend"
	"sekisho/backend/permission"
)

func TestCommandLine(t *testing.T) {
	app, err := newApp([]string{"--data", "/d", "--listen", "127.0.0.1:1"}, io.Discard, io.Discard)
	if err != nil || app.data != "/d" || app.listen != "127.0.0.1:1" {
		t.Fatalf("got %+v, %v", app, err)
	}
	app, err = newApp(nil, io.Discard, io.Discard)
	if err != nil || app.data != "" || app.listen != "127.0.0.1:7360" {
		t.Fatalf("the defaults: got %+v, %v", app, err)
	}
	for _, args := range [][]string{{"--operator-token-file", "x"}, {"something"}} {
		if _, err := newApp(args, io.Discard, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q was taken: %v", args, err)
		}
	}
	var said strings.Builder
	if _, err := newApp([]string{"--version"}, &said, io.Discard); !errors.Is(err, flag.ErrHelp) || said.String() != "sekisho-desktop "+backend.Version+"\n" {
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

// reply is what a bound method answers.
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
		err = app.open()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.close)
	return app
}

func TestAnswerKeepsCodes(t *testing.T) {
	app, err := newApp(nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r := refusal(t, app.answer(nil, &permission.Error{Code: permission.CodeExpired, Message: "late", Field: "f", Call: &permission.Call{Status: permission.Expired}}), "expired")
	if r.Error.Message != "late" || r.Error.Field != "f" || r.Error.Call.Status != "expired" {
		t.Errorf("got %+v", *r.Error)
	}
	refusal(t, app.answer(nil, errors.New("disk full")), "internal")
	refusal(t, app.answer(func() {}, nil), "internal")
}

func TestRules(t *testing.T) {
	app := opened(t)
	type saved struct {
		Rule struct{ ID, UpdatedAt, Effect, Note, ToolName string }
	}
	made := value[saved](t, app.CreateRule(`{"toolName":"run","effect":"allow","priority":3}`)).Rule
	if made.Effect != "allow" || made.ToolName != "run" {
		t.Fatalf("got %+v", made)
	}
	edited := value[saved](t, app.UpdateRule(made.ID, made.UpdatedAt, `{"effect":"deny","note":"no"}`)).Rule
	if edited.Effect != "deny" || edited.Note != "no" || edited.ToolName != "run" {
		t.Fatalf("got %+v", edited)
	}
	refusal(t, app.UpdateRule(made.ID, made.UpdatedAt, `{"note":"late"}`), "lost_update")
	refusal(t, app.DeleteRule(made.ID, made.UpdatedAt), "lost_update")
	refusal(t, app.UpdateRule(made.ID, "yesterday", `{}`), "invalid")
	refusal(t, app.UpdateRule(made.ID, edited.UpdatedAt, `{"priority":"high"}`), "invalid")
	refusal(t, app.CreateRule(`{"toolName":""}`), "invalid")
	refusal(t, app.Release(made.ID), "invalid")
	refusal(t, app.Release("no-such-rule"), "not_found")
	value[saved](t, app.UpdateRule(made.ID, "", `{"note":"whatever it is now"}`))
	value[saved](t, app.DeleteRule(made.ID, ""))
	if all := value[struct{ Rules []any }](t, app.Rules()); len(all.Rules) != 0 {
		t.Errorf("left: %v", all.Rules)
	}
}

// TestWhatAnEditLeavesOut: a form that does not know of a field cannot lose it.
func TestWhatAnEditLeavesOut(t *testing.T) {
	app := opened(t)
	type saved struct{ Rule permission.Rule }
	const form = `{"toolName":"run","effect":"deny","condition":"input.n > 1","expiresAt":"2099-01-02T03:04:05.000Z","examples":[{"toolName":"run","input":{"n":9007199254740993},"decision":"deny"}]}`
	made := value[saved](t, app.CreateRule(form)).Rule
	edited := value[saved](t, app.UpdateRule(string(made.ID), made.UpdatedAt.String(), `{"note":"mine"}`)).Rule
	if edited.Note != "mine" || *edited.Condition != "input.n > 1" || edited.ExpiresAt != made.ExpiresAt || edited.ExpiresAt.IsZero() || string(edited.Examples[0].Input) != `{"n":9007199254740993}` {
		t.Errorf("got %+v", edited)
	}
}

func TestHold(t *testing.T) {
	app := opened(t)
	for _, on := range []bool{false, true, false} {
		if got := value[struct{ On bool }](t, app.Hold(on)).On; got != on {
			t.Errorf("hold %v answered %v", on, got)
		}
		if got := value[permission.Settings](t, app.Settings()); got.Hold != on || got.Deadlines.High == nil {
			t.Errorf("after hold %v: %+v", on, got)
		}
	}
}

func TestReleaseAndResolve(t *testing.T) {
	app := opened(t)
	agent := value[struct{ Agent permission.Agent }](t, app.CreateAgent("scribe")).Agent
	call, _, err := app.server.Desk.Ask(t.Context(), agent, permission.Request{Identity: permission.Identity{RunID: "r", ToolCallID: "c"}, ToolName: "run"})
	if err != nil {
		t.Fatal(err)
	}
	refusal(t, app.Resolve(string(call.ID), "retry"), "already_decided")
	refusal(t, app.Resolve(string(call.ID), "again"), "invalid")
	rule := value[struct {
		Rule           permission.Rule
		PendingMatches int
	}](t, app.CreateRule(`{"toolName":"run","effect":"allow"}`))
	if rule.PendingMatches != 1 {
		t.Fatalf("matches %d waiting calls", rule.PendingMatches)
	}
	if now, err := app.server.Desk.Call(t.Context(), permission.Operator(), call.ID); err != nil || now.Status != permission.Pending {
		t.Fatalf("a rule let go by itself: %s, %v", now.Status, err)
	}
	for _, want := range []int{1, 0} {
		if got := value[struct{ Released int }](t, app.Release(string(rule.Rule.ID))).Released; got != want {
			t.Errorf("released %d, want %d", got, want)
		}
	}
	if now, err := app.server.Desk.Call(t.Context(), permission.Operator(), call.ID); err != nil || now.Status != permission.Approved {
		t.Errorf("got %s, %v", now.Status, err)
	}
}

func TestServersKeepTheirSecrets(t *testing.T) {
	app := opened(t)
	type list struct {
		Servers []struct {
			ID, State string
			Env       map[string]string
		}
	}
	first := value[list](t, app.SaveServers(`{"servers":[{"id":"fs","transport":"stdio","command":"cat","env":{"KEY":"secret"},"enabled":true}]}`))
	if len(first.Servers) != 1 || first.Servers[0].Env["KEY"] != permission.Mask || first.Servers[0].State != "idle" {
		t.Fatalf("got %+v", first)
	}
	value[list](t, app.SaveServers(`{"servers":[{"id":"fs","transport":"stdio","command":"cat","env":{"KEY":"`+permission.Mask+`"},"enabled":true}]}`))
	kept, err := app.server.Desk.Server(t.Context(), "fs")
	if err != nil || kept.Env["KEY"] != "secret" {
		t.Errorf("got %+v, %v", kept, err)
	}
	refusal(t, app.SaveServers(`[]`), "invalid")
	refusal(t, app.SaveServers(`{"servers":[{"id":"a b"}]}`), "invalid")
	if now := value[list](t, app.Servers()); len(now.Servers) != 1 {
		t.Errorf("a refused list changed what is kept: %+v", now)
	}
}

func TestAgentAndCall(t *testing.T) {
	app := opened(t)
	made := value[struct {
		Agent            permission.Agent
		Token, TokenFile string
	}](t, app.CreateAgent("scribe"))
	if kept, err := os.ReadFile(made.TokenFile); err != nil || strings.TrimSpace(string(kept)) != made.Token || filepath.Base(made.TokenFile) != "scribe.token" {
		t.Fatalf("the token's file: %q, %v", kept, err)
	}

	const input = `{"n": 9007199254740993, "at": 5.0}`
	server := "fs"
	call, _, err := app.server.Desk.Ask(t.Context(), made.Agent, permission.Request{
		Identity: permission.Identity{RunID: "r", ToolCallID: "c"}, ServerID: &server, ToolName: "run", Input: json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	waiting := value[struct{ Items []permission.Call }](t, app.Pending()).Items
	if len(waiting) != 1 || waiting[0].ID != call.ID || string(waiting[0].Input) != "null" {
		t.Fatalf("got %+v", waiting)
	}
	if raw := value[string](t, app.Input(string(call.ID))); raw != input {
		t.Errorf("the input came as %s", raw)
	}
	refusal(t, app.Decide(string(call.ID), `{"approved":true,"inputHash":"sha256:other"}`), "hash_mismatch")
	refusal(t, app.Decide(string(call.ID), `yes`), "invalid")
	yes := `{"approved":true,"inputHash":"` + call.InputHash + `"}`
	for i, repeated := range []bool{false, true} {
		if got := value[struct{ Repeated bool }](t, app.Decide(string(call.ID), yes)); got.Repeated != repeated {
			t.Errorf("answer %d: repeated is %v", i, got.Repeated)
		}
	}
	if late := refusal(t, app.Decide(string(call.ID), strings.Replace(yes, "true", "false", 1)), "already_decided"); late.Error.Call.Status != "approved" {
		t.Errorf("got %+v", *late.Error)
	}
	if all := value[struct{ Calls []permission.Call }](t, app.Calls("")).Calls; len(all) != 1 || all[0].Status != permission.Approved {
		t.Errorf("got %+v", all)
	}
	refusal(t, app.Calls("-"), "invalid")
	if gone := replied(t, app.DeleteAgent(string(made.Agent.ID))); !gone.OK {
		t.Errorf("got %+v", gone)
	}
	if _, err := os.Stat(made.TokenFile); err == nil {
		t.Error("the token of a removed agent is still kept")
	}
	if left := value[struct{ Agents []any }](t, app.Agents()).Agents; len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
