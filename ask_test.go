//go:build !bindings

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// ask asks the desk as the page does and wants a status.
func (a *App) ask(t *testing.T, status int, method, path, body string) string {
	t.Helper()
	return a.askIf(t, status, method, path, "", body)
}

func (a *App) askIf(t *testing.T, status int, method, path, ifMatch, body string) string {
	t.Helper()
	var got struct {
		Status int
		Body   string
	}
	text := a.Ask(method, path, ifMatch, body)
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&got); err != nil || d.More() {
		t.Fatalf("answer %.200q: %v", text, err)
	}
	if got.Status != status {
		t.Errorf("%s %s: %d %.500s, want %d", method, path, got.Status, got.Body, status)
	}
	return got.Body
}

// from decodes the body of an answer.
func from[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("body %.200s: %v", body, err)
	}
	return v
}

// wants asks and wants a refusal with a code.
func (a *App) wants(t *testing.T, status int, code, method, path, body string) {
	t.Helper()
	if got := from[struct{ Code string }](t, a.ask(t, status, method, path, body)); got.Code != code {
		t.Errorf("%s %s: code %q, want %q", method, path, got.Code, code)
	}
}

const bigInput = `{"n": 9007199254740993, "at": 5.0, "html": "<b>&\u2028</b>"}`

// waiting has an agent ask for a call that waits.
func waiting(t *testing.T, app *App, input string) permission.Call {
	t.Helper()
	agent := value[struct{ Agent permission.Agent }](t, app.CreateAgent(fmt.Sprint("agent-", time.Now().UnixNano()))).Agent
	server := "fs"
	call, _, err := app.server.Desk.Calls.Ask(t.Context(), agent, permission.Request{
		Identity: permission.Identity{RunID: "r", ToolCallID: "c"}, ServerID: &server, ToolName: "run", Input: json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func TestAskReadsAndEdits(t *testing.T) {
	app := opened(t)
	made := from[struct{ Rule permission.Rule }](t, app.ask(t, 201, "POST", "/v1/rules", `{"toolName":"run","effect":"ask","note":"関所"}`)).Rule
	if made.Note != "関所" {
		t.Fatalf("got %+v", made)
	}
	path, seen := "/v1/rules/"+string(made.ID), `"`+made.UpdatedAt.String()+`"`
	app.askIf(t, 200, "PATCH", path, seen, `{"note":"mine"}`)
	app.askIf(t, 412, "PATCH", path, seen, `{"note":"late"}`)
	app.askIf(t, 412, "DELETE", path, seen, "")
	app.ask(t, 200, "DELETE", path, "")
	if all := from[struct{ Rules []any }](t, app.ask(t, 200, "GET", "/v1/rules", "")); len(all.Rules) > 0 {
		t.Errorf("left: %v", all.Rules)
	}
	app.wants(t, 422, "invalid", "POST", "/v1/rules", `{"toolName":""}`)
	app.wants(t, 400, "malformed", "POST", "/v1/rules", `{`)
	app.ask(t, 200, "GET", "/healthz", "")
	app.ask(t, 204, "POST", "/v1/attention", `{"callId":null,"rev":0}`)
	for _, row := range [][2]string{{"POST", "/v1/login-codes"}, {"POST", "/v1/login"}, {"GET", "/v1/events"}, {"GET", "/"},
		{"GET", "/mcp/fs"}, {"GET", "/openapi.json"}, {"GET", "/v1//rules"}} {
		app.wants(t, 404, "not_found", row[0], row[1], "")
	}
	app.wants(t, 403, "forbidden", "POST", "/v1/calls", `{"runId":"r","toolCallId":"t","toolName":"x"}`)
	for _, row := range [][2]string{{"GET", ""}, {"GET", "v1/rules"}, {"GET", "http://127.0.0.1/v1/rules"}, {"GET", "//127.0.0.1/v1/rules"},
		{"G T", "/v1/rules"}, {"GET", "/v1/rules\n"}, {"GET", "/%zz"}} {
		app.wants(t, 400, "malformed", row[0], row[1], "")
	}
}

// TestAskDecidesWhatWasInView: the window is a face, and waits like one.
func TestAskDecidesWhatWasInView(t *testing.T) {
	app := opened(t)
	call := waiting(t, app, bigInput)
	path := "/v1/calls/" + string(call.ID)
	if raw := app.ask(t, 200, "GET", path+"/input", ""); raw != bigInput {
		t.Errorf("the input came as %s", raw)
	}
	yes := `{"approved":true,"rev":1,"inputHash":"` + call.InputHash + `"}`
	app.wants(t, 409, "not_armed", "POST", path+"/decision", yes)
	app.ask(t, 204, "POST", "/v1/attention", fmt.Sprintf(`{"callId":%q,"rev":%d}`, call.ID, call.Rev))
	app.wants(t, 409, "not_armed", "POST", path+"/decision", yes)
	time.Sleep(700 * time.Millisecond)
	for i, repeated := range []bool{false, true} {
		if got := from[struct{ Repeated bool }](t, app.ask(t, 200, "POST", path+"/decision", yes)); got.Repeated != repeated {
			t.Errorf("answer %d: repeated is %v", i, got.Repeated)
		}
	}
	late := from[struct {
		Code string
		Call permission.Call
	}](t, app.ask(t, 409, "POST", path+"/decision", strings.Replace(yes, "true", "false", 1)))
	if late.Code != "already_decided" || late.Call.Status != permission.Approved {
		t.Errorf("got %+v", late)
	}
	if all := from[struct{ Calls []permission.Call }](t, app.ask(t, 200, "GET", "/v1/calls?status=approved&q=RUN", "")).Calls; len(all) != 1 {
		t.Errorf("got %+v", all)
	}
	declined := waiting(t, app, "{}")
	app.ask(t, 200, "POST", "/v1/calls/"+string(declined.ID)+"/decision", `{"approved":false,"rev":1,"inputHash":"`+declined.InputHash+`"}`)
}

// TestAskMakesOnlyNewProjects where the page says so.
func TestAskMakesOnlyNewProjects(t *testing.T) {
	app := opened(t)
	app.askIf(t, 200, "PUT", "/v1/projects/site", onlyNew, `{"members":{}}`)
	app.askIf(t, 412, "PUT", "/v1/projects/site", onlyNew, `{"members":{}}`)
	app.ask(t, 200, "PUT", "/v1/projects/site", `{"members":{}}`)
}

// TestAskOfALargeInput is about time: 10 MB are to open within 200 ms, of which this
// is one part.
func TestAskOfALargeInput(t *testing.T) {
	app := opened(t)
	large := `{"text":"` + strings.Repeat(`a line of text with \"quotes\" and <tags>\n`, 240_000) + `"}`
	call := waiting(t, app, large)
	path := "/v1/calls/" + string(call.ID) + "/input"
	begun := time.Now()
	answer := app.Ask("GET", path, "", "")
	t.Logf("%d bytes in %s", len(answer), time.Since(begun))
	if app.ask(t, 200, "GET", path, "") != large {
		t.Error("it is another input")
	}
}

func TestAskTriesAServerAndDemonstrates(t *testing.T) {
	app := opened(t)
	tried := from[struct {
		OK            bool
		Error, Stderr string
	}](t, app.ask(t, 200, "POST", "/v1/servers/test", `{"server":{"id":"fs","command":"sh","args":["-c","echo words >&2; exit 3"]}}`))
	if tried.OK || !strings.Contains(tried.Error, "exit status 3") || tried.Stderr != "words\n" {
		t.Errorf("got %+v", tried)
	}
	call := from[struct{ Call permission.Call }](t, app.ask(t, 200, "POST", "/v1/demo", "")).Call
	if call.Status != permission.Pending || call.AgentName != "sekisho-demo" {
		t.Errorf("got %+v", call)
	}
}

// TestServersKeepTheirSecrets on the way to the page and back.
func TestServersKeepTheirSecrets(t *testing.T) {
	app := opened(t)
	first := app.ask(t, 200, "PUT", "/v1/servers", `{"servers":[{"id":"fs","command":"cat","env":{"KEY":"secret"}}]}`)
	if strings.Contains(first, `"secret"`) || !strings.Contains(first, permission.Mask) {
		t.Fatalf("got %s", first)
	}
	app.ask(t, 200, "PUT", "/v1/servers", first)
	if kept, err := app.server.Desk.Catalogue.Server(t.Context(), "fs"); err != nil || kept.Env["KEY"] != "secret" {
		t.Errorf("got %+v, %v", kept, err)
	}
}

func TestAnAnswerThatBreaksOffIsNone(t *testing.T) {
	app := opened(t)
	for _, reason := range []any{http.ErrAbortHandler, "anything"} {
		got := app.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write([]byte(`{"half":`))
			panic(reason)
		}), &http.Request{})
		if !strings.HasPrefix(got, `{"status":500,`) || strings.Contains(got, "half") || !strings.Contains(got, "internal") {
			t.Errorf("got %s", got)
		}
	}
	if got := app.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}),
		&http.Request{}); got != `{"status":200,"body":""}` {
		t.Errorf("nothing is %s", got)
	}
	if got := app.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<b>\u2028\x00\"\\</b>"))
		w.WriteHeader(http.StatusTeapot)
	}), &http.Request{}); from[struct {
		Status int
		Body   string
	}](t, got) != (struct {
		Status int
		Body   string
	}{200, "<b>\u2028\x00\"\\</b>"}) {
		t.Errorf("got %s", got)
	}
}

func TestSaveFile(t *testing.T) {
	app := opened(t)
	folder := t.TempDir()
	asked := ""
	app.choose = func(name string) (string, error) {
		asked = name
		return filepath.Join(folder, name), nil
	}
	const text = "{\"a\": 1}\n関所"
	for _, name := range []string{"rules.json", "../../rules.json", "/etc/rules.json"} { // new, and again
		if !value[bool](t, app.SaveFile(name, text)) || asked != "rules.json" {
			t.Errorf("%s: asked for %q", name, asked)
		}
	}
	path := filepath.Join(folder, "rules.json")
	if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
		t.Errorf("kept %q, %v", raw, err)
	}
	if err := errors.Join(os.WriteFile(path, bytes.Repeat([]byte("old"), 100), 0o644), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	value[bool](t, app.SaveFile("rules.json", text))
	if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
		t.Errorf("over an old one: %q, %v", raw, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
	app.choose = func(string) (string, error) { return "", nil }
	if value[bool](t, app.SaveFile("other.json", text)) {
		t.Error("saved nowhere")
	}
	app.choose = func(string) (string, error) { return filepath.Join(folder, "no", "such", "folder"), nil }
	refusal(t, app.SaveFile("other.json", text), "internal")
	app.choose = func(string) (string, error) { return "", errors.New("no dialog") }
	refusal(t, app.SaveFile("other.json", text), "internal")
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
