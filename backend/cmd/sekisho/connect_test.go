package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// wired is a home folder with clients' files, and a real desk with an operator.
type wired struct {
	t    *testing.T
	home string
	desk *server.Server

	handedOn []string // variables that the client hands on
}

const operatorToken = "operators-own"

func newWired(t *testing.T, files map[string]string) *wired {
	t.Helper()
	w := &wired{t: t, home: t.TempDir(), handedOn: []string{"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}}
	for name, value := range map[string]string{"HOME": w.home, "XDG_CONFIG_HOME": filepath.Join(w.home, ".config"),
		"XDG_DATA_HOME":   filepath.Join(w.home, ".local", "share"),
		"XDG_RUNTIME_DIR": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "", "OPENCODE_CONFIG": "", "SEKISHO_URL": "",
		"SEKISHO_TOKEN": operatorToken} {
		t.Setenv(name, value)
	}
	project := filepath.Join(w.home, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	for name, text := range files {
		w.write(name, text)
	}
	w.open()
	return w
}

func (w *wired) open() {
	w.t.Helper()
	data, err := place.Data()
	if err != nil {
		w.t.Fatal(err)
	}
	desk, err := server.Open(context.Background(), server.Config{Data: data, Listen: "127.0.0.1:0", Operator: rest.NewOperator(operatorToken)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.desk = desk
	w.t.Cleanup(func() {
		if err := desk.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *wired) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wired) read(name string) string {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// servers gives the desk's servers by id, with their secrets.
func (w *wired) servers() map[string]permission.Server {
	w.t.Helper()
	list, err := w.desk.Desk.Catalogue.Servers(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]permission.Server{}
	for _, s := range list {
		out[s.ID] = s
	}
	return out
}

func (w *wired) agents() (names []string) {
	w.t.Helper()
	agents, err := w.desk.Desk.Catalogue.Agents(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, a := range agents {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

func (w *wired) mustRun(args ...string) string {
	w.t.Helper()
	out, err := run(w.t, args...)
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return out
}

// notesEntry starts the notes server of this test's program.
func notesEntry(file string) string {
	return fmt.Sprintf(`{ "command": %q, "args": [%q], "env": { %q: "server", "GORACE": "atexit_sleep_ms=0" } }`, os.Args[0], file, roleEnv)
}

// TestConnectedClientsWork connects files of three clients, starts what Cursor's then
// names as Cursor would, calls the tool through the desk, and disconnects.
func TestConnectedClientsWork(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note.txt")
	files := map[string]string{
		".cursor/mcp.json":   "{\n  // notes\n  \"mcpServers\": {\n    \"notes\": " + notesEntry(note) + ",\n  },\n}\n",
		".codex/config.toml": "model = \"x\"\n\n[mcp_servers.echo]\ncommand = \"/bin/echo\" # loud\nargs = [\"a\"]\n\n[mcp_servers.echo.env]\nKEY = \"topsecret\"\n",
		"project/.mcp.json":  "{\"mcpServers\":{\"echo\":{\"command\":\"/bin/cat\"},\"notes\":" + notesEntry(note) + "}}",
	}
	w := newWired(t, files)
	out := w.mustRun("connect", "--yes")
	if strings.Contains(out, "topsecret") || !strings.Contains(out, "-command = \"/bin/echo\" # loud") ||
		!strings.Contains(out, `KEY = "********"`) {
		t.Errorf("shown:\n%s", out)
	}
	servers := w.servers()
	if s := servers["echo-2"]; len(servers) != 4 || s.Command != "/bin/echo" || s.Env["KEY"] != "topsecret" ||
		!slices.Equal(s.Args, []string{"a"}) {
		t.Errorf("servers %v", servers)
	}
	if s := servers["echo"]; s.Command != "/bin/cat" || s.Cwd != filepath.Join(w.home, "project") {
		t.Errorf("servers %v", servers)
	}
	if names := w.agents(); !slices.Equal(names, []string{"claude-code", "codex", "cursor"}) {
		t.Errorf("agents %v", names)
	}
	w.call(note)

	connected := w.read(".cursor/mcp.json")
	if out := w.mustRun("connect", "--yes"); !strings.Contains(out, "Nothing is to be moved") || w.read(".cursor/mcp.json") != connected {
		t.Errorf("a second time: %s", out)
	}
	out = w.mustRun("disconnect", "--client", "codex", "--yes")
	if w.read(".codex/config.toml") != files[".codex/config.toml"] || w.read(".cursor/mcp.json") != connected || len(w.servers()) != 3 ||
		!strings.Contains(out, "echo-2 left") {
		t.Errorf("one client:\n%s%s%v", out, w.read(".codex/config.toml"), w.servers())
	}
	w.mustRun("disconnect", "--yes")
	for name, text := range files {
		if got := w.read(name); got != text {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if left := w.servers(); len(left) != 0 {
		t.Errorf("left on the desk: %v", left)
	}
	if out := w.mustRun("disconnect"); !strings.Contains(out, "Nothing is connected") {
		t.Error(out)
	}
}

// call starts what Cursor's file names, and writes a note through the desk.
func (w *wired) call(note string) {
	w.t.Helper()
	var file struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	text := strings.Replace(strings.Replace(strings.Replace(w.read(".cursor/mcp.json"), "// notes", "", 1), ",\n  },", "\n  }", 1), "},\n}",
		"}\n}", 1)
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		w.t.Fatalf("%v in %s", err, text)
	}
	entry := file.MCPServers["notes"]
	if entry.Args[0] != "mcp" || entry.Command != os.Args[0] {
		w.t.Fatalf("the entry is %+v", entry)
	}
	c := w.through(entry.Command, entry.Args...)
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"text": "through the desk"}})
	if err != nil || r.IsError {
		w.t.Fatalf("%v, %+v", err, r)
	}
	if raw, err := os.ReadFile(note); err != nil || string(raw) != "through the desk" {
		w.t.Errorf("%q, %v", raw, err)
	}
}

// through allows all calls, and starts a line that connect has written.
func (w *wired) through(command string, args ...string) *mcp.ClientSession {
	w.t.Helper()
	allow := permission.Allow
	if _, _, err := w.desk.Desk.Policy.CreateRule(context.Background(), permission.RuleForm{Effect: &allow, Enabled: true}); err != nil {
		w.t.Fatal(err)
	}
	bridge := exec.Command(command, args...)
	for _, v := range os.Environ() { // what SDKs hand on, not the operator's token
		if name, _, _ := strings.Cut(v, "="); slices.Contains(w.handedOn, name) {
			bridge.Env = append(bridge.Env, v)
		}
	}
	bridge.Env = append(bridge.Env, roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0")
	bridge.Stderr = os.Stderr
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(context.Background(),
		&mcp.CommandTransport{Command: bridge}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

// TestConnectAsksAboutOwnTools, where that is known, unless it is told not to; disconnecting
// takes what was made away.
func TestConnectAsksAboutOwnTools(t *testing.T) {
	const text = "{\n  \"model\": \"opus\"\n}\n" // a longer line would be shown in part
	w := newWired(t, map[string]string{".claude/settings.json": text, ".codex/config.toml": "model = \"x\"\n"})
	w.mustRun("connect", "--yes", "--hooks=false")
	if w.read(".claude/settings.json") != text || len(w.agents()) > 0 {
		t.Errorf("with --hooks=false: %s, %v", w.read(".claude/settings.json"), w.agents())
	}
	out := w.mustRun("connect", "--yes")
	for _, want := range []string{"hooks: the desk is not asked about its own tools; it would be", "say /hooks", `"onFailure"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	for name, door := range map[string]string{".claude/settings.json": "claude", ".codex/hooks.json": "codex"} {
		if want := " hook --client " + door + " --agent "; !strings.Contains(w.read(name), want) {
			t.Errorf("%s: %s", name, w.read(name))
		}
	}
	if out := w.mustRun("connect", "--list"); !strings.Contains(out, "hooks: the desk is asked about its own tools") {
		t.Errorf("%s", out)
	}
	if got := w.agents(); !slices.Equal(got, []string{"claude-code", "codex"}) {
		t.Errorf("agents %q", got)
	}
	w.mustRun("disconnect", "--yes")
	if _, err := os.Stat(filepath.Join(w.home, ".codex/hooks.json")); w.read(".claude/settings.json") != text || err == nil {
		t.Errorf("%s, %v", w.read(".claude/settings.json"), err)
	}
}

// TestConnectOnlyShows: without --yes and a terminal nothing is changed, nor with
// --list; --json is for programs.
func TestConnectOnlyShows(t *testing.T) {
	files := map[string]string{
		".cursor/mcp.json":      `{"mcpServers":{"a":{"command":"/bin/cat","env":{"K":"topsecret"}}}}`,
		".gemini/settings.json": "{",
	}
	w := newWired(t, files)
	for _, args := range [][]string{{"connect"}, {"connect", "--list"}, {"connect", "--list", "--json"}} {
		out, err := run(t, append(args, "--hooks=false")...)
		if (err == nil) != (len(args) == 3) || strings.Contains(out, "topsecret") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		if len(args) == 3 {
			var got listed
			if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Files) != 2 || got.Files[0].Entries[0].ServerID != "a" ||
				got.Files[0].Entries[0].State != "direct" || got.Files[1].Error == nil {
				t.Errorf("%v: %+v", err, got)
			}
		} else if !strings.Contains(out, "it would be as a") || !strings.Contains(out, "left alone: line 1, column 2") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	for name, text := range files {
		if w.read(name) != text {
			t.Errorf("%s was changed", name)
		}
	}
	if len(w.servers()) != 0 || len(w.agents()) != 0 {
		t.Errorf("%v %v", w.servers(), w.agents())
	}
	if _, err := run(t, "connect", "--client", "emacs"); err == nil || !strings.Contains(err.Error(), "emacs") {
		t.Error(err)
	}
	// A file that cannot be used does not keep the others back, and is not passed over.
	if _, err := run(t, "connect", "--yes"); err == nil || !strings.Contains(w.read(".cursor/mcp.json"), "--server") {
		t.Errorf("%v\n%s", err, w.read(".cursor/mcp.json"))
	}
}

// TestConnectWithoutADesk shows what it can and changes nothing.
func TestConnectWithoutADesk(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"/bin/cat"}}}`
	w := newWired(t, map[string]string{".cursor/mcp.json": text})
	for name, f := range map[string]func(){
		"no operator": func() { t.Setenv("SEKISHO_TOKEN", "wrong") },
		"no token":    func() { t.Setenv("SEKISHO_TOKEN", "") },
		"no desk":     func() { t.Setenv("SEKISHO_URL", "http://127.0.0.1:1") },
	} {
		t.Run(name, func(t *testing.T) {
			f()
			out, err := run(t, "connect", "--yes")
			if err == nil || !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(out, `+{"mcpServers"`) ||
				w.read(".cursor/mcp.json") != text {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestConnectRefused: what the desk does not take stays as it is, and is said; the
// rest moves.
func TestConnectRefused(t *testing.T) {
	w := newWired(t, map[string]string{".cursor/mcp.json": `{"mcpServers":{
  "web": {"url":"https://example.com/mcp","headers":{"Authorization":"Bearer topsecret"}},
  "bad": {"command":"/bin/cat","env":{"A=B":"c"}},
  "a": {"command":"/bin/cat"}
}}`})
	out := w.mustRun("connect", "--yes")
	got := w.read(".cursor/mcp.json")
	if strings.Count(got, "--server") != 1 && strings.Count(got, "--server") != 2 ||
		!strings.Contains(got, `"bad": {"command":"/bin/cat","env":{"A=B":"c"}}`) {
		t.Errorf("%s\n%s", out, got)
	}
	if !strings.Contains(out, "bad is left as it is: the desk does not take it") || strings.Contains(out, "topsecret") {
		t.Error(out)
	}
	servers := w.servers()
	if _, ok := servers["web"]; ok != !strings.Contains(got, "example.com") {
		t.Errorf("servers %v, file\n%s", servers, got)
	}
	if !strings.Contains(got, `"--server", "a"`) || servers["a"].Command != "/bin/cat" {
		t.Errorf("servers %v, file\n%s", servers, got)
	}
}

// TestConnectOnlyWhatWasShown: between the look and the yes one file is changed and the
// desk gets a server of another's name. Neither is done; the third file is, but for what
// the desk refuses.
func TestConnectOnlyWhatWasShown(t *testing.T) {
	entry := func(id string) string { return `{"mcpServers":{"` + id + `":{"command":"/bin/cat","env":{"K":"v"}}}}` }
	w := newWired(t, map[string]string{".cursor/mcp.json": entry("a"), ".gemini/settings.json": entry("b"),
		"project/.mcp.json": strings.Replace(entry("c"), "{\"c\"", `{"bad":{"command":"/bin/cat","env":{"A=B":"c"}},"c"`, 1)})
	c := newConnectCommand(&finder{})
	c.SetOut(io.Discard)
	wiring := &wiring{finder: &finder{}, yes: true}
	if err := wiring.open(c); err != nil {
		t.Fatal(err)
	}
	shown, err := wiring.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(entry("a"), "{", "{ ", 1)
	w.write(".cursor/mcp.json", changed)
	if _, _, err := w.desk.Desk.Catalogue.ReplaceServers(t.Context(), "",
		[]permission.Server{{ID: "b", Transport: permission.TransportStdio, Command: "/bin/else", Enabled: true}}); err != nil {
		t.Fatal(err)
	}
	err = wiring.connect(t.Context(), shown, io.Discard)
	if err == nil || strings.Count(err.Error(), "changed meanwhile") != 2 {
		t.Errorf("error %v", err)
	}
	if w.read(".cursor/mcp.json") != changed || w.read(".gemini/settings.json") != entry("b") ||
		strings.Count(w.read("project/.mcp.json"), "--server") != 1 {
		t.Errorf("%s\n%s\n%s", w.read(".cursor/mcp.json"), w.read(".gemini/settings.json"), w.read("project/.mcp.json"))
	}
	if servers := w.servers(); len(servers) != 2 || servers["c"].Command == "" || !slices.Equal(w.agents(), []string{"claude-code"}) {
		t.Errorf("servers %v, agents %v", servers, w.agents())
	}
}

// TestDisconnectKeepsWhatOthersUse: a server stays while a connected file elsewhere, or
// an entry that a person wrote, uses it, and one that was changed on the desk stays.
func TestDisconnectKeepsWhatOthersUse(t *testing.T) {
	const shared = `"shared":{"command":"/bin/cat","env":{"K":"v"},"cwd":"/"}`
	w := newWired(t, map[string]string{".cursor/mcp.json": `{"mcpServers":{` + shared + `,"mine":{"command":"/bin/echo"}}}`,
		"project/.mcp.json": `{"mcpServers":{` + shared + `}}`})
	w.mustRun("connect", "--yes")
	servers := w.servers()
	if len(servers) != 2 {
		t.Fatalf("servers %v", servers)
	}
	mine := servers["mine"]
	mine.Args = []string{"changed"}
	if _, _, err := w.desk.Desk.Catalogue.ReplaceServers(context.Background(), "", []permission.Server{servers["shared"], mine}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(w.home) // where the project's file is not found
	if out := w.mustRun("disconnect", "--client", "cursor", "--yes"); len(w.servers()) != 2 || !strings.Contains(out, "mine stays") {
		t.Errorf("servers %v\n%s", w.servers(), out)
	}
	w.write(".gemini/settings.json", `{"mcpServers":{"x":{"command":"sekisho","args":["mcp","--server","shared"]}}}`)
	w.mustRun("disconnect", "--yes")
	if len(w.servers()) != 2 {
		t.Errorf("servers %v", w.servers())
	}
	w.write(".gemini/settings.json", "{}")
	w.write("project/.mcp.json", `{"mcpServers":{"shared":{"command":"/bin/cat"}}}`)
	t.Chdir(filepath.Join(w.home, "project"))
	w.mustRun("connect", "--yes", "--client", "claude-code")
	w.mustRun("disconnect", "--yes")
	if now := w.servers(); len(now) != 2 || now["shared-2"].Command != "" {
		t.Errorf("servers %v", now)
	}
}

// TestConnectTakenNames: another agent's name is not taken over.
func TestConnectTakenNames(t *testing.T) {
	w := newWired(t, map[string]string{".cursor/mcp.json": `{"mcpServers":{"a":{"command":"/bin/cat"}}}`})
	if _, _, err := w.desk.Desk.Catalogue.CreateAgent(context.Background(), "cursor"); err != nil {
		t.Fatal(err)
	}
	w.mustRun("connect", "--yes")
	if got := w.read(".cursor/mcp.json"); !strings.Contains(got, `"--agent", "cursor-2"`) ||
		!slices.Equal(w.agents(), []string{"cursor", "cursor-2"}) {
		t.Errorf("%v %s", w.agents(), got)
	}
	path, err := place.TokenFile("cursor-2")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
