package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/rest"
	"sekisho/backend/server"
)

// How a program that has taken a desk's port answers a request for the desk's proof.
const (
	knowsNothing = "not found" // as any program that is no desk does
	forges       = "forged"    // a proof of its own making
	silent       = "silent"
	passesOn     = "passes on" // what the real desk, elsewhere by now, answers to the same question
	cutsIn       = "cuts in"   // a word more than the answer, before anything was asked
)

// serveAttacker is a program that listens where a desk was and answers everything as the
// desk would. All that it hears it writes to its standard output.
func serveAttacker() {
	address, kind, desk := os.Args[1], os.Args[2], os.Args[3]
	var l net.Listener
	var err error
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if l, err = net.Listen("tcp", address); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attacker:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, "listening as uid", os.Getuid())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/proof", func(w http.ResponseWriter, r *http.Request) {
		switch kind {
		case knowsNothing:
			w.WriteHeader(http.StatusNotFound)
		case forges:
			fmt.Fprintf(w, `{"proof":"%064x"}`, 7)
		case silent:
			<-r.Context().Done()
		case passesOn, cutsIn:
			pass(w, r, desk)
		}
		if hijacker, ok := w.(http.Hijacker); ok && kind == cutsIn {
			conn, _, _ := hijacker.Hijack()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"calls":[],"next":null,"entries":[],"servers":[],"agents":[],"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	http.Serve(overheard{l}, mux)
}

// pass asks the real desk what the attacker was asked.
func pass(w http.ResponseWriter, r *http.Request, desk string) {
	resp, err := http.Post(desk+"/v1/proof", "application/json", r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

type overheard struct{ net.Listener }

func (o overheard) Accept() (net.Conn, error) {
	c, err := o.Listener.Accept()
	return overheardConn{c}, err
}

type overheardConn struct{ net.Conn }

func (c overheardConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	os.Stdout.Write(b[:n])
	return n, err
}

// attacker is such a program in a process of its own; another user's, where the test may.
type attacker struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	heard bytes.Buffer
}

func (a *attacker) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.heard.Write(p)
}

func (a *attacker) all() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.heard.String()
}

func attack(t *testing.T, deskURL, kind, realDesk string) *attacker {
	t.Helper()
	a := &attacker{cmd: exec.Command("/proc/self/exe", strings.TrimPrefix(deskURL, "http://"), kind, realDesk)}
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		a.cmd.Path = os.Args[0]
	}
	a.cmd.Env = []string{roleEnv + "=attacker", "GORACE=atexit_sleep_ms=0"}
	a.cmd.Dir, a.cmd.Stdout, a.cmd.Stderr = "/", a, os.Stderr
	want := os.Getuid()
	if want == 0 {
		want = 65534
		asNobody(a.cmd)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.end)
	until(t, "the attacker listens", func() bool { return strings.Contains(a.all(), fmt.Sprintln("listening as uid", want)) })
	return a
}

func (a *attacker) end() {
	a.cmd.Process.Kill()
	a.cmd.Wait()
}

// victim is a desk that ends, with the tokens that are for it alone.
type victim struct {
	*testing.T
	data, url, agent string
	desk             *server.Server
}

const victimOperator = "Operators-Own_Token.0123456789ab-ef"

func newVictim(t *testing.T) *victim {
	v := &victim{T: t, data: filepath.Join(t.TempDir(), "desk")}
	v.open("127.0.0.1:0")
	var err error
	if _, v.agent, err = v.desk.Desk.Catalogue.CreateAgent(t.Context(), "victim"); err != nil {
		t.Fatal(err)
	}
	_, _, err = v.desk.Desk.Catalogue.ReplaceServers(t.Context(), "",
		[]permission.Server{{ID: "notes", Transport: permission.TransportStdio, Command: os.Args[0], Args: []string{"/dev/null"},
			Env: map[string]string{roleEnv: "server", "GORACE": "atexit_sleep_ms=0"}, Enabled: true}})
	if err != nil {
		t.Fatal(err)
	}
	v.url = v.desk.URL
	t.Cleanup(v.close)
	return v
}

func (v *victim) open(listen string) {
	v.Helper()
	until(v.T, "the desk listens on "+listen, func() (ok bool) {
		var err error
		v.desk, err = server.Open(context.Background(), server.Config{Data: v.data, Listen: listen, Operator: rest.NewOperator(victimOperator)})
		return err == nil
	})
}

func (v *victim) close() {
	if v.desk == nil {
		return
	}
	if err := v.desk.Close(); err != nil {
		v.Error(err)
	}
	v.desk = nil
}

// program is our own, with the operator's token.
func program(input string, args ...string) (out string, code int) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0")
	cmd.Stdin = strings.NewReader(input)
	raw, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(raw), exit.ExitCode()
	}
	return string(raw), 0
}

// secrets says which token an attacker has heard, or "".
func (v *victim) secrets(heard string) string {
	for _, token := range []string{victimOperator, v.agent, "Authorization", "Bearer"} {
		if strings.Contains(heard, token) {
			return token
		}
	}
	return ""
}

// TestAnAttackerOnThePortGetsNoToken: the desk is gone, and another program, of another
// user where the test may make one, has taken its port. Whatever that answers, none of
// our programs tells it a token, and each ends with 1.
func TestAnAttackerOnThePortGetsNoToken(t *testing.T) {
	v := newVictim(t)
	v.close()
	v.open("127.0.0.1:0") // the real desk is elsewhere now: it can be asked, by the attacker too
	file := filepath.Join(t.TempDir(), "token")
	for name, value := range map[string]string{"SEKISHO_URL": "", "SEKISHO_TOKEN": victimOperator, "HOME": t.TempDir(), "XDG_DATA_HOME": "",
		"XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": ""} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(file, []byte(victimOperator+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{
		{"pending"}, {"approve", firstID}, {"decline", firstID}, {"login-url"}, {"journal", "export"},
		{"connect", "--yes"}, {"connect", "--list"}, {"disconnect", "--yes"},
	}
	for _, kind := range []string{knowsNothing, forges, passesOn, cutsIn, silent} {
		a := attack(t, v.url, kind, v.desk.URL)
		if kind == silent {
			commands = commands[:1]
		}
		for _, words := range commands {
			for _, how := range [][]string{{"--desk", v.url, "--token-file", file},
				{"--desk", strings.Replace(v.url, "127.0.0.1", "localhost", 1)}} {
				out, code := program("", append(how, words...)...)
				told := code == 1 && strings.Contains(out, "did not prove that it is the desk") || code == 1 && kind == passesOn || kind == silent
				// these look at files, and need no desk for that
				if looks := words[0] == "connect" || words[0] == "disconnect"; !told && !(looks && code == 0) {
					t.Errorf("%s of one that %s: exit %d\n%s", words, kind, code, out)
				}
			}
		}
		out, _ := program(hello+"\n", "--desk", v.url, "mcp", "--server", "notes")
		if !strings.Contains(out, `"error"`) && kind != silent { // who says nothing is not waited for when the client leaves
			t.Errorf("mcp with one that %s: %s", kind, out)
		}
		if token := v.secrets(a.all()); token != "" {
			t.Errorf("one that %s heard %q", kind, token)
		}
		if !strings.Contains(a.all(), "POST /v1/proof") {
			t.Errorf("one that %s was not asked: this shows nothing", kind)
		}
		a.end()
	}
}

// TestAnAttackerBetweenTwoRunsOfTheDesk: a client of the bridge stays while its desk
// ends, an attacker holds the port, and the desk comes back.
func TestAnAttackerBetweenTwoRunsOfTheDesk(t *testing.T) {
	v := newVictim(t)
	v.bridged(v.url, v.agent, []string{"mcp", "--server", "notes", "--desk", v.url}, nil)
}

// bridged holds one client's bridge through three desks: the real one, an attacker, and
// the real one again.
func (v *victim) bridged(url, token string, args, env []string) {
	v.Helper()
	bridge := exec.Command(os.Args[0], args...)
	bridge.Env = append(append(os.Environ(), roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0", "SEKISHO_TOKEN="+token), env...)
	in, err1 := bridge.StdinPipe()
	out, err2 := bridge.StdoutPipe()
	if err := errors.Join(err1, err2, bridge.Start()); err != nil {
		v.Fatal(err)
	}
	defer bridge.Wait()
	defer in.Close()
	answers := json.NewDecoder(out)
	ask := func(id int, method string) {
		fmt.Fprintf(in,
			`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n", id, method)
	}
	answer := func(id int) (says string) {
		v.Helper()
		for {
			var raw json.RawMessage
			if err := answers.Decode(&raw); err != nil {
				v.Fatal(err)
			}
			var got struct{ ID *int }
			if json.Unmarshal(raw, &got); got.ID != nil && *got.ID == id {
				return string(raw)
			}
		}
	}
	ask(1, "initialize")
	if got := answer(1); !strings.Contains(got, `"serverInfo"`) {
		v.Fatalf("the real desk: %s", got)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	v.close()
	a := attack(v.T, url, forges, url)
	ask(10, "tools/list")
	until(v.T, "the attacker is asked again and again", func() bool { return strings.Count(a.all(), "/v1/proof") > 2 })
	if heard := a.all(); v.secrets(heard) != "" || strings.Contains(heard, token) {
		v.Errorf("the attacker heard %q:\n%s", cmp.Or(v.secrets(heard), token), heard)
	}
	a.end()
	v.open(strings.TrimPrefix(url, "http://"))
	if got := answer(10); !strings.Contains(got, `"write"`) {
		v.Errorf("the attacker's word is the desk's: %s", got)
	}
}

// TestAnAttackerAndAConnectedClient: what connect wrote into a client's file starts a
// bridge that tells the attacker nothing, by the desk's own word of where it is too.
func TestAnAttackerAndAConnectedClient(t *testing.T) {
	w := newWired(t, map[string]string{".cursor/mcp.json": `{"mcpServers":{"notes":` + notesEntry("/dev/null") + `}}`})
	w.mustRun("connect", "--yes")
	var file struct {
		MCPServers map[string]struct{ Args []string } `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(w.read(".cursor/mcp.json")), &file); err != nil {
		t.Fatal(err)
	}
	path, err := place.TokenFile("cursor")
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := place.Data()
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{T: t, data: data, desk: w.desk, url: w.desk.URL, agent: strings.TrimSpace(string(token))}
	// A desk that was killed leaves its address, and its process id may be another's by now.
	stale := place.Desk{URL: v.url, PID: os.Getpid(), Version: "1"}
	t.Cleanup(v.close)
	go func() {
		for t.Context().Err() == nil {
			if _, err := place.FindDesk(); errors.Is(err, place.ErrNoDesk) {
				place.WriteDesk(data, stale)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	v.bridged(v.url, v.agent, file.MCPServers["notes"].Args, nil)
}
