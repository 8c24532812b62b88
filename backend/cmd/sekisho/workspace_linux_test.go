package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/desk"
	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/rest"
	"sekisho/backend/server"
	"sekisho/backend/show"
	"sekisho/backend/tool"
)

// workshop is a desk with a workspace, and the official client before it.
type workshop struct {
	t      *testing.T
	server *server.Server
	data   string
	folder string
	token  string
	client *mcp.ClientSession
}

// asSekisho puts this test's binary into the PATH as the program sekisho, which the desk starts.
func asSekisho(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=sekisho GORACE=atexit_sleep_ms=0 exec %q \"$@\"\n", roleEnv, os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "sekisho"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	asSekisho(t)
	data := filepath.Join(t.TempDir(), "desk")
	s, err := server.Open(t.Context(), server.Config{Data: data, Listen: "127.0.0.1:0", Operator: rest.NewOperator(operatorToken),
		Patience: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &workshop{t: t, server: s, data: data, folder: t.TempDir()}
	w.add(workspaceAt("ws", w.folder))
	if _, w.token, err = s.Desk.Catalogue.CreateAgent(t.Context(), "tester"); err != nil {
		t.Fatal(err)
	}
	if w.client, err = w.connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.client.Close() })
	return w
}

// workspaceAt is the entry of a workspace that the desk executes.
func workspaceAt(id, folder string) permission.Server {
	return permission.Server{ID: id, Transport: permission.TransportWorkspace, Cwd: folder, Execution: permission.ExecutionDesk, Enabled: true}
}

func (w *workshop) connect() (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(w.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: w.server.URL + "/mcp/ws", HTTPClient: &http.Client{Transport: bearing(w.token)}},
		&mcp.ClientSessionOptions{ProtocolVersion: eras[0]})
}

func (w *workshop) add(servers ...permission.Server) {
	w.t.Helper()
	if _, _, err := w.server.Desk.Catalogue.ReplaceServers(w.t.Context(), "", servers); err != nil {
		w.t.Fatal(err)
	}
}

// answer is what came of a call.
type answer struct {
	result tool.Result
	text   string
	bad    bool
}

func (w *workshop) call(name string, input map[string]any) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		defer close(got)
		r, err := w.client.CallTool(context.WithoutCancel(w.t.Context()), &mcp.CallToolParams{Name: name, Arguments: input})
		if err != nil {
			got <- answer{text: err.Error(), bad: true}
			return
		}
		a := answer{bad: r.IsError}
		for _, c := range r.Content {
			if text, is := c.(*mcp.TextContent); is {
				a.text += text.Text
			}
		}
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			_ = json.Unmarshal(raw, &a.result) // a refusal has none
		}
		got <- a
	}()
	return got
}

// last is the newest call in a state.
func (w *workshop) last(status permission.Status) (found permission.Call) {
	w.t.Helper()
	until(w.t, "a call that is "+string(status), func() bool {
		calls, _, _, err := w.server.Desk.Calls.List(w.t.Context(), permission.Operator(),
			permission.CallFilter{Statuses: []permission.Status{status}, Limit: 1})
		if err != nil {
			w.t.Fatal(err)
		}
		if len(calls) > 0 {
			found = calls[0]
		}
		return len(calls) > 0
	})
	return found
}

func (w *workshop) approve(c permission.Call, a permission.Answer) {
	w.t.Helper()
	a.Approved, a.InputHash, a.Rev = true, c.InputHash, c.Rev
	if _, _, _, err := w.server.Desk.Calls.Decide(w.t.Context(), c.ID, a); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workshop) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func TestAWorkspaceReadsByItsRuleAndAsksToWrite(t *testing.T) {
	w := newWorkshop(t)
	if err := os.WriteFile(filepath.Join(w.folder, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rule, err := w.server.Desk.Policy.Rule(t.Context(), "ws-low")
	if err != nil || rule.Effect != permission.Allow || rule.Priority != 1 || *rule.Condition != `risk == "low"` || *rule.ServerID != "ws" {
		t.Fatalf("the rule of the workspace: %+v, %v", rule, err)
	}
	if a := <-w.call(guard.ReadFile, map[string]any{"path": "a.txt"}); a.bad || *a.result.Content != "one\n" {
		t.Fatalf("read: %+v", a)
	}
	if c := w.last(permission.Completed); c.Why.Rule == nil || c.Why.Rule.ID != "ws-low" || c.Risk != permission.RiskLow {
		t.Errorf("read: %+v %s", c.Why, c.Risk)
	}

	got := w.call(guard.WriteFile, map[string]any{"path": "a.txt", "content": "two\n"})
	c := w.last(permission.Pending)
	if c.Risk != permission.RiskMedium || len(c.RiskReasons) == 0 || c.RiskReasons[0].At == nil || c.RiskReasons[0].At.Pointer != "/path" {
		t.Errorf("write: %s %+v", c.Risk, c.RiskReasons)
	}
	if wait := c.ExpiresAt.Std().Sub(c.CreatedAt.Std()); wait != 300*time.Second {
		t.Errorf("a write waits %s", wait)
	}
	if w.read("a.txt") != "one\n" {
		t.Error("something was written before a yes")
	}
	w.approve(c, permission.Answer{})
	if a := <-got; a.bad || w.read("a.txt") != "two\n" {
		t.Errorf("write: %+v", a)
	}
	w.last(permission.Completed)

	// Without the rule a read asks.
	if _, _, err := w.server.Desk.Policy.DeleteRule(t.Context(), "ws-low", 0); err != nil {
		t.Fatal(err)
	}
	got = w.call(guard.ReadFile, map[string]any{"path": "a.txt"})
	w.approve(w.last(permission.Pending), permission.Answer{})
	if a := <-got; a.bad || *a.result.Content != "two\n" {
		t.Errorf("read after a yes: %+v", a)
	}
}

func TestAWorkspaceRefusesBeforeItAsks(t *testing.T) {
	w := newWorkshop(t)
	outside := t.TempDir()
	if err := errors.Join(os.Symlink(outside, filepath.Join(w.folder, "out")), syscall.Mkfifo(filepath.Join(w.folder, "pipe.txt"), 0o600),
		os.WriteFile(filepath.Join(outside, "a.txt"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(w.folder, ".env"), []byte{0, 1, 2}, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		{guard.ExecuteCommand, map[string]any{"command": "rm", "args": []string{"-rf", "/"}}, "Command not allowed: "},
		{guard.ExecuteCommand, map[string]any{"command": "ls", "timeout": 301}, "Timeout too long: "},
		{guard.WriteFile, map[string]any{"path": "../a.txt", "content": ""}, "Path outside workspace: "},
		{guard.WriteFile, map[string]any{"path": "a.EXE ", "content": ""}, "File type not allowed: "},
		{guard.WriteFile, map[string]any{"path": "a.txt", "content": "", "risk_level": "low"}, "Invalid input: "},
		// what only the disk tells, of calls that would ask
		{guard.WriteFile, map[string]any{"path": "out/a.txt", "content": "y"}, "Path outside workspace: "},
		{guard.WriteFile, map[string]any{"path": "pipe.txt", "content": "y"}, "File type not allowed: "},
		{guard.ReadFile, map[string]any{"path": ".env"}, "File type not allowed: "},
		{guard.ExecuteCommand, map[string]any{"command": "gcc", "args": []string{"out/a.txt"}}, "Path outside workspace: "},
	} {
		began := time.Now()
		a := <-w.call(c.tool, c.input)
		if !a.bad || !strings.Contains(a.text, c.want) {
			t.Errorf("%s %v: %+v, want %s", c.tool, c.input, a, c.want)
		}
		if took := time.Since(began); took > 20*time.Second { // it waited for nobody
			t.Errorf("%s %v took %s", c.tool, c.input, took)
		}
		if said := w.last(permission.Denied); said.Decision.By != permission.ByGuard || !strings.HasPrefix(said.Decision.Reason, c.want) ||
			said.Decision.Code == "" || said.ToolName != c.tool {
			t.Errorf("%s %v is decided by %+v", c.tool, c.input, said.Decision)
		}
		v, err := w.server.Desk.Calls.Evaluate(t.Context(), permission.Query{ServerID: new("ws"), ToolName: c.tool, Input: rawOf(t, c.input)})
		if err != nil || v.Decision != permission.Deny || !strings.HasPrefix(v.Reason, c.want) {
			t.Errorf("the tester says of %s %v: %s %s (%v)", c.tool, c.input, v.Decision, v.Reason, err)
		}
	}
	entries, err := os.ReadDir(w.folder)
	if err != nil || len(entries) != 3 {
		t.Errorf("the folder has %v (%v)", entries, err)
	}
	calls, _, _, err := w.server.Desk.Calls.List(t.Context(), permission.Operator(),
		permission.CallFilter{Statuses: []permission.Status{permission.Pending}})
	if err != nil || len(calls) > 0 {
		t.Errorf("%d calls wait (%v)", len(calls), err)
	}
}

func rawOf(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// book is the desk as it is asked for what a call would do.
type book struct {
	*desk.Calls
	*desk.Catalogue
}

// TestAWriteIsOverWhatWasShown: between what a person was shown and the write another hand was at the file.
func TestAWriteIsOverWhatWasShown(t *testing.T) {
	w := newWorkshop(t)
	glass := show.New(book{w.server.Desk.Calls, w.server.Desk.Catalogue}, show.Options{})
	for _, mode := range []string{"write", "append"} {
		for _, c := range []struct{ before, then, want string }{
			{"one\n", "one\n", ""}, {"one\n", "other\n", "changed: "}, {"one\n", "", "changed: "}, {"", "", ""}, {"", "other\n", "changed: "},
		} {
			put := func(text string) {
				t.Helper()
				var err error
				if file := filepath.Join(w.folder, "a.txt"); text == "" {
					err = os.RemoveAll(file)
				} else {
					err = os.WriteFile(file, []byte(text), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			put(c.before)
			got := w.call(guard.WriteFile, map[string]any{"path": "./a.txt", "content": "two\n", "mode": mode})
			call := w.last(permission.Pending)
			look, err := glass.Look(t.Context(), call)
			if err != nil || look.File == nil || look.File.Version == "" || look.Workspace == nil || look.Workspace.Folder != w.folder {
				t.Fatalf("%+v: %v", look, err)
			}
			if wants := map[bool]int{true: 0, false: 1}[mode == "append" || c.before == ""]; look.File.Added != 1 || look.File.Removed != wants {
				t.Errorf("%s over %q shows +%d -%d", mode, c.before, look.File.Added, look.File.Removed)
			}
			put(c.then)
			w.approve(call, permission.Answer{FileVersion: look.File.Version})
			a := <-got
			if a.bad != (c.want != "") || !strings.HasPrefix(a.result.Error, c.want) {
				t.Errorf("%s, %q that becomes %q: %+v", mode, c.before, c.then, a)
			}
			if c.want != "" && c.then != "" && w.read("a.txt") != c.then {
				t.Errorf("%s wrote over %q: %q", mode, c.then, w.read("a.txt"))
			}
		}
	}
}

func TestAFolderThatIsNoWorkspaceIsRefused(t *testing.T) {
	w := newWorkshop(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.folder, link); err != nil {
		t.Fatal(err)
	}
	other := workspaceAt("other", link)
	_, _, err := w.server.Desk.Catalogue.ReplaceServers(t.Context(), "", []permission.Server{other})
	var e *permission.Error
	if !errors.As(err, &e) || e.Fault != permission.FieldFolderLink || e.Field != "servers[0].cwd" {
		t.Errorf("a link is taken: %v", err)
	}
	if _, err := w.server.Desk.Policy.Rule(t.Context(), "other-low"); err == nil {
		t.Error("a rule came with what was refused")
	}

	// A folder that becomes a link later is not started.
	if err := errors.Join(os.Rename(w.folder, w.folder+"-moved"), os.Symlink(t.TempDir(), w.folder)); err != nil {
		t.Fatal(err)
	}
	if again, err := w.connect(); err == nil {
		again.Close()
		t.Error("a folder that is a link by now is started")
	}
}

func TestAWorkspaceTakesItsRuleWithIt(t *testing.T) {
	w := newWorkshop(t)
	rule := func() error {
		_, err := w.server.Desk.Policy.Rule(t.Context(), "ws-low")
		return err
	}
	if w.add(); rule() == nil {
		t.Error("the rule stays without its workspace")
	}
	ws := workspaceAt("ws", w.folder)
	if w.add(ws); rule() != nil {
		t.Error("the rule does not come again with its workspace")
	}
	if _, _, err := w.server.Desk.Policy.DeleteRule(t.Context(), "ws-low", 0); err != nil {
		t.Fatal(err)
	}
	ws.Enabled = false
	if w.add(ws); rule() == nil {
		t.Error("a rule that a person deleted comes back with an edit")
	}
	ask, id := permission.Ask, permission.RuleID("ws-low")
	form := permission.NewRuleForm()
	form.ID, form.Effect = &id, &ask
	if _, _, err := w.server.Desk.Policy.CreateRule(t.Context(), form); err != nil {
		t.Fatal(err)
	}
	if w.add(); rule() != nil {
		t.Error("a rule of a person's own goes with the workspace")
	}
}
