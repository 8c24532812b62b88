package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sekisho/backend/permission"
	"sekisho/backend/process"
	"sekisho/backend/tooltest"
)

// TestMain lets this test binary be the daemon, so that kill -9 really kills one, and the
// supervisor of the daemon's servers.
func TestMain(m *testing.M) {
	tooltest.Begin()
	process.Begin()
	if os.Getenv("SEKISHOD_TEST_MAIN") == "1" {
		main()
		os.Exit(0)
	}
	if os.Getenv("SEKISHOD_TEST_LEAVER") != "" {
		leave()
	}
	os.Exit(inSettings(m.Run))
}

// settings is a folder for what daemons keep for their user.
var settings string

func inSettings(run func() int) int {
	dir, err := os.MkdirTemp("", "sekishod-settings-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	settings = dir
	return run()
}

// daemon is a running sekishod in a process of its own.
type daemon struct {
	*testing.T
	ready
	cmd    *exec.Cmd
	stderr *lockedBuffer
	exited chan error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const operator = "the-operators-token-of-the-tests"

func daemonCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"--data", dir, "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "SEKISHOD_TEST_MAIN=1", "HOME="+settings, "XDG_CONFIG_HOME="+settings)
	return cmd
}

// start runs a desk over dir, with the operator's token handed over a pipe.
func start(t *testing.T, dir string) *daemon {
	t.Helper()
	return launch(t, daemonCommand(dir, "--operator-token-file", "/dev/fd/3"))
}

// launch starts a command that becomes a desk, and waits until it is ready.
func launch(t *testing.T, cmd *exec.Cmd) *daemon {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	d := &daemon{T: t, cmd: cmd, stderr: &lockedBuffer{}, exited: make(chan error, 1)}
	d.cmd.ExtraFiles, d.cmd.Stderr = append([]*os.File{read}, d.cmd.ExtraFiles...), d.stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(write, operator)
	write.Close()
	t.Cleanup(d.kill)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("no ready line: %v\n%s", err, d.stderr)
	}
	if err := json.Unmarshal(line, &d.ready); err != nil || d.Event != "ready" || d.OperatorToken != "" {
		t.Fatalf("ready line %s: %v", line, err)
	}
	go func() { d.exited <- d.cmd.Wait() }()
	return d
}

// kill is kill -9.
func (d *daemon) kill() {
	d.cmd.Process.Kill()
	select {
	case <-d.exited:
		d.exited <- nil
	case <-time.After(time.Minute):
		d.Error("the daemon outlived kill -9")
	}
}

// as sends a request with a token and gives the status and the answer.
func (d *daemon) as(token, method, path, body string, out any) int {
	d.Helper()
	req, err := http.NewRequest(method, d.URL+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		d.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			d.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, raw)
		}
	}
	return resp.StatusCode
}

func (d *daemon) operate(method, path, body string, out any) {
	d.Helper()
	if status := d.as(operator, method, path, body, out); status >= 300 {
		d.Fatalf("%s %s: %d", method, path, status)
	}
}

func (d *daemon) agent(name string) string {
	d.Helper()
	var made struct{ Token string }
	d.operate("POST", "/v1/agents", `{"name":"`+name+`"}`, &made)
	return made.Token
}

// fileServer puts the real file server behind the desk, over a folder, and rules
// that allow reading.
func (d *daemon) fileServer() (folder string) {
	d.Helper()
	folder, err := filepath.EvalSymlinks(d.TempDir())
	if err != nil {
		d.Fatal(err)
	}
	d.install(folder)
	d.operate("POST", "/v1/rules", `{"serverId":"filesystem","toolPattern":"read_*","autoApprove":true,"priority":100}`, nil)
	return folder
}

// install puts the file server over folder in the place of all servers.
func (d *daemon) install(folder string) {
	d.Helper()
	script, err := filepath.Abs("../../../frontend/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		d.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		d.Fatalf("npm ci in frontend brings the file server: %v", err)
	}
	servers, _ := json.Marshal(
		map[string]any{"servers": []any{map[string]any{"id": "filesystem", "transport": "stdio", "command": "node",
			"args": []string{script, folder}, "enabled": true}}})
	d.operate("PUT", "/v1/servers", string(servers), nil)
}

func (d *daemon) pending(n int) []permission.Call {
	d.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var got struct{ Calls []permission.Call }
		d.operate("GET", "/v1/calls?status=pending&order=oldest", "", &got)
		if len(got.Calls) == n {
			return got.Calls
		}
	}
	d.Fatalf("there were never %d calls waiting", n)
	return nil
}

func (d *daemon) decide(c permission.Call, yes bool, reason string) {
	d.Helper()
	d.operate("POST", "/v1/calls/"+string(c.ID)+"/decision",
		fmt.Sprintf(`{"approved":%v,"reason":%q,"inputHash":%q,"rev":%d}`, yes, reason, c.InputHash, c.Rev), nil)
}

func (d *daemon) status(id permission.CallID) permission.Call {
	d.Helper()
	var got struct{ Call permission.Call }
	d.operate("GET", "/v1/calls/"+string(id), "", &got)
	return got.Call
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func (d *daemon) connect(ctx context.Context, token string) *mcp.ClientSession {
	d.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: d.URL + "/mcp/filesystem",
		HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		d.Fatalf("connect: %v\n%s", err, d.stderr)
	}
	d.Cleanup(func() { session.Close() })
	return session
}

type answer struct {
	result *mcp.CallToolResult
	err    error
}

func (a answer) text() string {
	var b strings.Builder
	for _, c := range a.result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func call(ctx context.Context, s *mcp.ClientSession, tool string, args map[string]any) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		done <- answer{result, err}
	}()
	return done
}

func absent(t *testing.T, path string, during time.Duration) {
	t.Helper()
	for end := time.Now().Add(during); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s exists", path)
		}
		if time.Now().After(end) {
			return
		}
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

func TestRealFileServerBehindTheDesk(t *testing.T) {
	d := start(t, t.TempDir())
	folder := d.fileServer()
	session := d.connect(t.Context(), d.agent("agent"))
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) < 10 {
		t.Fatalf("tools: %+v %v", tools, err)
	}
	os.WriteFile(filepath.Join(folder, "a.txt"), []byte("inside"), 0o600)
	read := <-call(t.Context(), session, "read_text_file", map[string]any{"path": filepath.Join(folder, "a.txt")})
	if read.err != nil || read.result.IsError || !strings.Contains(read.text(), "inside") {
		t.Fatalf("read: %+v", read)
	}

	one, two := filepath.Join(folder, "one.txt"), filepath.Join(folder, "two.txt")
	first := call(t.Context(), session, "write_file", map[string]any{"path": one, "content": "1"})
	d.pending(1)
	second := call(t.Context(), session, "write_file", map[string]any{"path": two, "content": "2"})
	waiting := d.pending(2)
	absent(t, one, 200*time.Millisecond)
	d.decide(waiting[1], false, "not that file")
	if got := <-second; got.err != nil || !got.result.IsError || !strings.Contains(got.text(), "not that file") {
		t.Errorf("declined: %+v", got)
	}
	absent(t, one, 100*time.Millisecond)
	d.decide(waiting[0], true, "")
	if got := <-first; got.err != nil || got.result.IsError {
		t.Errorf("approved: %+v", got)
	}
	content(t, one, "1")
	absent(t, two, 200*time.Millisecond)
	if c := d.status(waiting[0].ID); c.Status != permission.Completed || c.Decision.By != permission.ByPerson {
		t.Errorf("call: %+v", c)
	}
}

func TestKilledWhileACallIsHeld(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	folder := d.fileServer()
	token := d.agent("agent")
	path := filepath.Join(folder, "late.txt")
	args := map[string]any{"path": path, "content": "late"}
	lost := call(t.Context(), d.connect(t.Context(), token), "write_file", args)
	held := d.pending(1)[0]
	d.kill()
	if got := <-lost; got.err == nil {
		t.Errorf("the dead desk answered %+v", got.result)
	}

	d = start(t, dir)
	again := d.pending(1)[0]
	if again.ID != held.ID || !again.CallerGone || !again.ExpiresAt.IsZero() && again.ExpiresAt != held.ExpiresAt ||
		string(again.Input) != string(held.Input) {
		t.Errorf("after the restart: %+v", again)
	}
	d.decide(again, true, "")
	absent(t, path, 500*time.Millisecond) // nobody waits
	session := d.connect(t.Context(), token)
	if got := <-call(t.Context(), session, "write_file", args); got.err != nil || got.result.IsError {
		t.Fatalf("asked again: %+v", got)
	}
	content(t, path, "late")
	if c := d.status(held.ID); c.Status != permission.Completed {
		t.Errorf("call: %+v", c)
	}
	os.Remove(path)
	third := call(t.Context(), session, "write_file", args)
	d.decide(d.pending(1)[0], false, "once is enough")
	if got := <-third; got.err != nil || !got.result.IsError {
		t.Errorf("a late yes was honoured twice: %+v", got)
	}
	absent(t, path, 100*time.Millisecond)
}

func TestACallerThatLeftIsNeverServed(t *testing.T) {
	d := start(t, t.TempDir())
	folder := d.fileServer()
	token := d.agent("agent")
	for name, leave := range map[string]func(cancel func(), s *mcp.ClientSession){
		"cancelled": func(cancel func(), _ *mcp.ClientSession) { cancel() },
		"session ended": func(_ func(), s *mcp.ClientSession) {
			req, err := http.NewRequest(http.MethodDelete, d.URL+"/mcp/filesystem", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", s.ID())
			resp, err := (&http.Client{Transport: bearer(token)}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name+".txt")
			session := d.connect(t.Context(), token)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			call(ctx, session, "write_file", map[string]any{"path": path, "content": "x"})
			held := d.pending(1)[0]
			leave(cancel, session)
			for i := 0; !d.status(held.ID).CallerGone; i++ {
				if i > 500 {
					t.Fatal("the desk never noticed")
				}
				time.Sleep(20 * time.Millisecond)
			}
			d.decide(held, true, "")
			absent(t, path, 500*time.Millisecond)
			if c := d.status(held.ID); c.Status != permission.Approved {
				t.Errorf("call: %+v", c)
			}
		})
	}
}

func TestWhoIsRemovedIsNotServed(t *testing.T) {
	d := start(t, t.TempDir())
	folder := d.fileServer()
	for name, remove := range map[string]func(agent string){
		"agent":  func(agent string) { d.operate("DELETE", "/v1/agents/"+agent, "", nil) },
		"server": func(string) { d.operate("PUT", "/v1/servers", `{"servers":[]}`, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name+".txt")
			done := call(t.Context(), d.connect(t.Context(), d.agent(name)), "write_file", map[string]any{"path": path, "content": "x"})
			held := d.pending(1)[0]
			remove(string(held.AgentID))
			if got := <-done; got.err == nil && !got.result.IsError {
				t.Errorf("the caller was told %s", got.text())
			}
			decision := fmt.Sprintf(`{"approved":true,"rev":1,"inputHash":%q}`, held.InputHash)
			d.as(operator, "POST", "/v1/calls/"+string(held.ID)+"/decision", decision, nil)
			absent(t, path, 500*time.Millisecond)
			d.install(folder)
		})
	}
}

func TestAServerThatCannotStartHarmsNobody(t *testing.T) {
	d := start(t, t.TempDir())
	d.fileServer()
	var got struct{ Servers []json.RawMessage }
	d.operate("GET", "/v1/servers", "", &got)
	list, _ := json.Marshal(append(got.Servers,
		json.RawMessage(`{"id":"broken","transport":"stdio","command":"/no/such/program","enabled":true}`)))
	d.operate("PUT", "/v1/servers", `{"servers":`+string(list)+`}`, nil)
	token := d.agent("agent")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	_, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: d.URL + "/mcp/broken",
		HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}, nil)
	if err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("connect: %v", err)
	}
	d.operate("PUT", "/v1/servers", `{"servers":`+strings.Replace(string(list), `program","enabled":true`, `program","enabled":false`, 1)+`}`,
		nil)
	var states struct{ Servers []struct{ ID, State string } }
	d.operate("GET", "/v1/servers", "", &states)
	if len(states.Servers) != 2 || states.Servers[1].State != "disabled" {
		t.Errorf("states: %+v", states)
	}
	if tools, err := d.connect(t.Context(), token).ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
		t.Errorf("the other server: %v", err)
	}
}

func TestOneDeskHoldsAFolder(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	out, err := daemonCommand(dir).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 ||
		!strings.Contains(string(out), "another desk holds this data folder") {
		t.Errorf("the second: %v %s", err, out)
	}
	d.kill()
	start(t, dir) // a killed desk lets go
}

func TestDataFolderIsPrivateButNotTakenFromOthers(t *testing.T) {
	mode := func(dir string) os.FileMode {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	dir, shared := t.TempDir(), t.TempDir()
	os.Chmod(dir, 0o755)
	os.Chmod(shared, 0o755)
	os.WriteFile(filepath.Join(shared, "somebody's"), nil, 0o644)
	start(t, dir)
	start(t, shared)
	if mode(dir) != 0o700 || mode(shared) != 0o755 || mode(filepath.Join(shared, "sekisho.db")) != 0o600 {
		t.Errorf("modes: %v, %v", mode(dir), mode(shared))
	}
}

func TestEndsCleanlyOnSIGTERM(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	d.fileServer()
	token := d.agent("agent")
	call(t.Context(), d.connect(t.Context(), token), "write_file", map[string]any{"path": "x", "content": "x"})
	held := d.pending(1)[0]
	if info, err := os.Stat(filepath.Join(dir, "desk.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("desk.json: %v", err)
	}
	begun := time.Now()
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-d.exited; err != nil || time.Since(begun) > 5*time.Second {
		t.Errorf("ended with %v after %v\n%s", err, time.Since(begun), d.stderr)
	}
	d.exited <- nil
	if _, err := os.Stat(filepath.Join(dir, "desk.json")); err == nil {
		t.Error("desk.json outlived the desk")
	}
	d = start(t, dir)
	if again := d.pending(1)[0]; again.ID != held.ID || !again.CallerGone {
		t.Errorf("after the restart: %+v", again)
	}
}

func TestBadStarts(t *testing.T) {
	short := filepath.Join(t.TempDir(), "token")
	token := func(name, content string) []string {
		file := filepath.Join(filepath.Dir(short), name)
		os.WriteFile(file, []byte(content), 0o600)
		return []string{"--operator-token-file", file}
	}
	token("token", "short\n")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"remote":        {[]string{"--listen", "0.0.0.0:0"}, "--insecure-remote"},
		"no port":       {[]string{"--listen", "127.0.0.1"}, "missing port"},
		"no token file": {[]string{"--operator-token-file", "/no/such"}, "/no/such"},
		"short token":   {[]string{"--operator-token-file", short}, "can be guessed"},
		"two lines":     {token("lines", operator+"\n"+operator+"\n"), "more than one line"},
		"a comment":     {token("comment", "# made today\r\n"+operator), "more than one line"},
		"a blank":       {token("blank", "the operator's token"), "blanks"},
		"a tab":         {token("tab", "the-operators\ttoken"), "blanks"},
		"a mark":        {token("mark", "\ufeff"+operator), "ASCII"},
		"a NUL":         {token("nul", operator+"\x00"), "ASCII"},
		"long token":    {token("long", strings.Repeat("x", 513)), "more than 512"},
		"data is file":  {[]string{"--data", short}, "data folder"},
	} {
		out, err := daemonCommand(t.TempDir(), test.args...).CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(string(out), test.want) {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// TestATokenMayEndItsLine: what an editor leaves around a token is no part of it.
func TestATokenMayEndItsLine(t *testing.T) {
	for _, around := range [][2]string{{"", ""}, {"", "\r\n"}, {" \n", " \n\n"}} {
		file := filepath.Join(t.TempDir(), "token")
		os.WriteFile(file, []byte(around[0]+operator+around[1]), 0o600)
		d := launch(t, daemonCommand(t.TempDir(), "--operator-token-file", file))
		var out any
		if got := d.as(operator, "GET", "/v1/rules", "", &out); got != 200 {
			t.Errorf("%q: %d", around, got)
		}
		d.kill()
	}
}

func TestAgentsCannotOperate(t *testing.T) {
	d := start(t, t.TempDir())
	mine, others := d.agent("mine"), d.agent("others")
	var made struct{ Call permission.Call }
	if s := d.as(mine, "POST", "/v1/calls", `{"runId":"r","toolCallId":"1","toolName":"rm"}`, &made); s != 201 {
		t.Fatal(s)
	}
	id := string(made.Call.ID)
	decision := fmt.Sprintf(`{"approved":true,"rev":1,"inputHash":%q}`, made.Call.InputHash)
	for _, test := range []struct {
		token, method, path, body string
		want                      int
		code                      permission.Code
	}{
		{mine, "POST", "/v1/calls/" + id + "/decision", decision, 403, permission.CodeSelfApproval},
		{mine, "POST", "/v1/calls/no-such/decision", decision, 403, permission.CodeSelfApproval},
		{mine, "POST", "/v1/rules", `{"autoApprove":true}`, 403, permission.CodeForbidden},
		{mine, "GET", "/v1/rules", ``, 403, permission.CodeForbidden},
		{mine, "GET", "/v1/journal", ``, 403, permission.CodeForbidden},
		{mine, "POST", "/v1/agents", `{"name":"x"}`, 403, permission.CodeForbidden},
		{mine, "PUT", "/v1/servers", `{"servers":[]}`, 403, permission.CodeForbidden},
		{others, "GET", "/v1/calls/" + id, ``, 404, permission.CodeNotFound},
		{others, "POST", "/v1/calls/" + id + "/cancel", `{"reason":""}`, 404, permission.CodeNotFound},
		{"nobody", "GET", "/v1/calls/" + id, ``, 401, ""},
	} {
		var got struct{ Code permission.Code }
		if status := d.as(test.token, test.method, test.path, test.body, &got); status != test.want ||
			(test.code != "" && got.Code != test.code) {
			t.Errorf("%s %s: %d %s, want %d %s", test.method, test.path, status, got.Code, test.want, test.code)
		}
	}
	if c := d.status(made.Call.ID); c.Status != permission.Pending || c.Rev != 1 {
		t.Errorf("the call moved: %+v", c)
	}
}

// contents gives the mode and the bytes of what is in a folder, but for the lock.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if f.Name() != "desk.lock" {
			seen[f.Name()] = f.Type().String() + string(raw)
		}
	}
	return seen
}

// runs reports whether a process is there.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && (runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil)
}
