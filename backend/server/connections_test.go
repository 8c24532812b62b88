package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/rest"
)

const configuration = "{ // mine\n  \"mcpServers\": { \"echo\": { \"command\": \"/bin/cat\", \"env\": { \"KEY\": \"topsecret\" } }, \"odd\": { \"command\": \"/bin/cat\", \"env\": { \"A=B\": \"c\" } } }\n}"

// house is a home folder with Cursor's file in it, and a desk with an operator.
type house struct {
	*testing.T
	home string
	desk *Server
}

func newHouse(t *testing.T) *house {
	h := &house{t, t.TempDir(), nil}
	programs := filepath.Join(h.home, "bin")
	for name, value := range map[string]string{"HOME": h.home, "XDG_CONFIG_HOME": filepath.Join(h.home, ".config"),
		"XDG_DATA_HOME":   filepath.Join(h.home, ".local/share"),
		"XDG_RUNTIME_DIR": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "", "OPENCODE_CONFIG": "", "PATH": programs} {
		t.Setenv(name, value)
	}
	h.write("bin/sekisho", "#!/bin/sh\n")
	h.write(".cursor/mcp.json", configuration)
	var err error
	h.desk, err = Open(t.Context(), Config{Data: filepath.Join(h.home, "desk"), Listen: "127.0.0.1:0",
		Operator: rest.NewOperator("operators-own"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.desk.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) write(name, text string) {
	h.Helper()
	path := filepath.Join(h.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		h.Fatal(err)
	}
}

func (h *house) read(name string) string {
	h.Helper()
	raw, err := os.ReadFile(filepath.Join(h.home, name))
	if err != nil {
		h.Fatal(err)
	}
	return string(raw)
}

// ask makes a request as the operator, and reads the answer into out.
func (h *house) ask(status int, row string, body, out any) string {
	h.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		h.Fatal(err)
	}
	method, path, _ := strings.Cut(row, " ")
	if body == nil {
		raw = nil
	}
	req, err := http.NewRequestWithContext(h.Context(), method, h.desk.URL+path, bytes.NewReader(raw))
	if err != nil {
		h.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer operators-own")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		h.Fatalf("%s: %d, %v: %s", row, resp.StatusCode, err, answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			h.Fatal(err)
		}
	}
	return string(answer)
}

// file is the one file that there is.
func (h *house) file() rest.ClientFile {
	h.Helper()
	var all rest.ClientList
	if answer := h.ask(200, "GET /v1/connections?hooks=false", nil, &all); len(all.Files) != 1 || all.Machine == "" ||
		all.Program != filepath.Join(h.home, "bin/sekisho") || strings.Contains(answer, "topsecret") {
		h.Fatal(answer)
	}
	return all.Files[0]
}

type said struct {
	Shown string `json:"shown"`
	Force bool   `json:"force,omitempty"`
}

// TestAClientIsConnectedFromTheScreen does over REST what a person does, with a real
// desk, and finds the file byte for byte as it was.
func TestAClientIsConnectedFromTheScreen(t *testing.T) {
	h := newHouse(t)
	f := h.file()
	if f.Client != "cursor" || f.State != "direct" || f.Move == nil || f.Back != nil || len(f.Entries) != 2 || f.Move.Difference.Added == 0 {
		t.Fatalf("%+v", f)
	}
	if _, err := os.Stat(filepath.Join(h.home, ".local/share/sekisho")); err == nil {
		t.Error("looking made a folder")
	}
	h.write(".cursor/mcp.json", configuration+"\n")
	if p := h.ask(409, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil); !strings.Contains(p, `"code":"stale"`) ||
		h.read(".cursor/mcp.json") != configuration+"\n" {
		t.Errorf("%s\n%s", p, h.read(".cursor/mcp.json"))
	}
	h.write(".cursor/mcp.json", configuration)

	var done rest.ClientConnected
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, &done)
	if done.Moved != 1 || len(done.Left) != 1 || done.Left[0].Key != "odd" {
		t.Errorf("%+v", done)
	}
	servers, err := h.desk.Desk.Catalogue.Servers(t.Context())
	if err != nil || len(servers) != 1 || servers[0].ID != "echo" || servers[0].Command != "/bin/cat" {
		t.Errorf("%+v %v", servers, err)
	}
	path, err := place.TokenFile("cursor")
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if agent, err := h.desk.Desk.Catalogue.Authenticate(t.Context(), strings.TrimSpace(string(token))); err != nil || agent.Name != "cursor" {
		t.Errorf("%+v %v", agent, err)
	}
	if got := h.read(".cursor/mcp.json"); !strings.Contains(got, `"--server", "echo", "--agent", "cursor"`) ||
		strings.Contains(got, "topsecret") || !strings.Contains(got, `"A=B"`) {
		t.Error(got)
	}
	h.putBack()
}

// putBack disconnects the file, after a try without the force that it takes by now.
func (h *house) putBack() {
	h.Helper()
	if f := h.file(); f.State != "partly" || f.Back == nil || !f.Back.Exact || f.Back.Shown == "" {
		h.Fatalf("%+v", f)
	}
	h.write(".cursor/mcp.json", strings.Replace(h.read(".cursor/mcp.json"), `"--server", "echo"`, `"--server", "other"`, 1))
	f := h.file()
	if b := f.Back; b == nil || !b.Forced || b.Exact || len(b.Entries) != 1 || b.Entries[0].Outcome != "conflict" || b.Theirs.Added == 0 ||
		b.Difference.Added == 0 {
		h.Fatalf("%+v", f.Back)
	}
	row := "POST /v1/connections/" + f.ID + "/disconnect"
	changed := h.read(".cursor/mcp.json")
	if p := h.ask(409, row, said{Shown: f.Back.Shown}, nil); !strings.Contains(p, `"code":"changed_since"`) ||
		h.read(".cursor/mcp.json") != changed {
		h.Error(p)
	}
	var gone rest.ClientDisconnected
	h.ask(200, row, said{f.Back.Shown, true}, &gone)
	if h.read(".cursor/mcp.json") != configuration || len(gone.Removed) != 1 || len(gone.Kept) > 0 {
		h.Errorf("%+v\n%s", gone, h.read(".cursor/mcp.json"))
	}
	if servers, err := h.desk.Desk.Catalogue.Servers(h.Context()); err != nil || len(servers) > 0 {
		h.Errorf("%+v %v", servers, err)
	}
}

// TestConnectingKeepsOtherServers: what others have put on the list keeps its secrets.
func TestConnectingKeepsOtherServers(t *testing.T) {
	h := newHouse(t)
	other := permission.Server{ID: "other", Transport: permission.TransportStdio, Command: "/bin/cat", Args: []string{},
		Env: map[string]string{"KEY": "kept"}, Enabled: true}
	if _, _, err := h.desk.Desk.Catalogue.ReplaceServers(t.Context(), "", []permission.Server{other}); err != nil {
		t.Fatal(err)
	}
	f := h.file()
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil)
	h.ask(200, "POST /v1/connections/"+f.ID+"/disconnect", said{Shown: h.file().Back.Shown}, nil)
	servers, err := h.desk.Desk.Catalogue.Servers(t.Context())
	if err != nil || len(servers) != 1 || servers[0].Env["KEY"] != "kept" || h.read(".cursor/mcp.json") != configuration {
		t.Errorf("%+v %v", servers, err)
	}
}

// TestServersOfAnAppThatIsGoneAreRemoved: its file was put back past this desk.
func TestServersOfAnAppThatIsGoneAreRemoved(t *testing.T) {
	h := newHouse(t)
	h.leaveOver()
	h.removeLeftovers()
}

// TestServersStayLeftOverOnADeskWithNewAgents, whose old ones were all removed.
func TestServersStayLeftOverOnADeskWithNewAgents(t *testing.T) {
	h := newHouse(t)
	h.leaveOver()
	var all struct{ Agents []permission.Agent }
	h.ask(200, "GET /v1/agents", nil, &all)
	if len(all.Agents) != 1 {
		t.Fatalf("%+v", all)
	}
	h.ask(204, "DELETE /v1/agents/"+string(all.Agents[0].ID), nil, nil)
	h.ask(201, "POST /v1/agents", map[string]string{"name": "new"}, nil)
	h.removeLeftovers()
}

// leaveOver connects the file, and puts it back while the desk cannot be asked.
func (h *house) leaveOver() {
	h.Helper()
	f := h.file()
	h.ask(200, "POST /v1/connections/"+f.ID+"/connect", said{Shown: f.Move.Shown}, nil)
	screen, err := newClients(h.desk.Desk, h.desk.URL, nil).screen(true, rest.ClientChoice{})
	if err != nil {
		h.Fatal(err)
	}
	closed := screen.Wiring
	closed.Desk, closed.Away = nil, errors.New("no token")
	all, err := closed.Undos(h.Context(), false)
	if err != nil {
		h.Fatal(err)
	}
	if _, err := closed.Restore(h.Context(), all); err == nil {
		h.Fatal("it reached the desk")
	}
}

// removeLeftovers takes the one server that is left over off the list.
func (h *house) removeLeftovers() {
	h.Helper()
	var list rest.ClientList
	h.ask(200, "GET /v1/connections?hooks=false", nil, &list)
	if !slices.Equal(list.Leftovers, []string{"echo"}) {
		h.Fatalf("left over %q", list.Leftovers)
	}
	const row = "POST /v1/connections/leftovers/remove"
	h.ask(409, row, map[string]any{"servers": []string{"echo", "other"}}, nil)
	var gone rest.ClientDisconnected
	h.ask(200, row, map[string]any{"servers": list.Leftovers}, &gone)
	if servers, err := h.desk.Desk.Catalogue.Servers(h.Context()); err != nil || len(servers) > 0 ||
		!slices.Equal(gone.Removed, []string{"echo"}) {
		h.Errorf("%+v %+v %v", gone, servers, err)
	}
	h.ask(409, row, map[string]any{"servers": list.Leftovers}, nil)
}

// TestWithoutTheProgramNothingIsConnected: the files are shown all the same.
func TestWithoutTheProgramNothingIsConnected(t *testing.T) {
	h := newHouse(t)
	t.Setenv("PATH", h.home)
	var all rest.ClientList
	h.ask(200, "GET /v1/connections?hooks=false", nil, &all)
	if len(all.Files) != 1 || all.Program != "" || all.Files[0].Move != nil || all.Files[0].State != "direct" {
		t.Errorf("%+v", all)
	}
	h.ask(409, "POST /v1/connections/"+all.Files[0].ID+"/connect", said{}, nil)
	h.ask(404, "POST /v1/connections/cursor-0/connect", said{}, nil)
}

// TestErrorsAboutFilesAreTold: with a code to branch on, and in words.
func TestErrorsAboutFilesAreTold(t *testing.T) {
	for _, c := range []struct {
		err  error
		code permission.Code
	}{
		{fmt.Errorf("x: %w", connect.ErrChanged), permission.CodeStale}, {connect.ErrForce, "changed_since"},
		{connect.ErrBusy, permission.CodeUnavailable},
		{permission.NotFound("file"), permission.CodeNotFound}, {os.ErrPermission, notWritten},
	} {
		var e *permission.Error
		if err := told(c.err, notWritten); !errors.As(err, &e) || e.Code != c.code || e.Message != c.err.Error() {
			t.Errorf("%v is told as %v", c.err, err)
		}
	}
	if told(nil, notRead) != nil || told(context.Canceled, notRead) != context.Canceled {
		t.Error("nothing, or the caller's leaving, is told as an error")
	}
}
