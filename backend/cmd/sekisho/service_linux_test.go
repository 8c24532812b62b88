package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sekisho/backend/operatorkey"
	"sekisho/backend/place"
	"sekisho/backend/proof"
	"sekisho/backend/server"
)

// fakeSystemctl starts and ends what the unit says, and notes how it was called.
const fakeSystemctl = `#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
unit="$XDG_CONFIG_HOME/systemd/user/sekishod.service"
case "$*" in
"--user enable --now sekishod.service")
	test -z "$SYSTEMCTL_FAILS" || { echo "Failed to connect to bus" >&2; exit 1; }
	line=$(sed -n 's/^ExecStart=//p' "$unit")
	eval "setsid $line >/dev/null 2>&1 </dev/null &"
	echo $! > "$HOME/desk.pid" ;;
"--user disable --now sekishod.service")
	test ! -e "$HOME/desk.pid" || { kill -9 "$(cat "$HOME/desk.pid")"; rm "$HOME/desk.pid"; } ;;
esac
`

// withSystemd gives a person a systemctl, and a sekishod in PATH.
func (p *person) withSystemd() {
	p.Helper()
	bin := p.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(fakeSystemctl), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.Symlink(p.program, filepath.Join(bin, "sekishod")); err != nil {
		p.Fatal(err)
	}
	p.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	p.Cleanup(func() {
		exec.Command("systemctl", "--user", "disable", "--now", "sekishod.service").Run()
	})
}

var printedKey = regexp.MustCompile(`skk_[A-Za-z0-9_-]{43}`)

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestServiceInstall: the token is printed once, at the terminal, and is nowhere else; what
// the unit holds decides nothing.
func TestServiceInstall(t *testing.T) {
	p := newPerson(t)
	if err := os.Remove(p.file("operator.pub")); err != nil {
		t.Fatal(err)
	}
	p.withSystemd()
	if out, code := without(nil, "service", "install"); code != 1 || !strings.Contains(out, "run this at one") {
		t.Errorf("without a terminal: %d %s", code, out)
	}
	unit := p.file("config/systemd/user/sekishod.service")
	t.Setenv("SYSTEMCTL_FAILS", "1")
	s := p.at("service", "install")
	s.sees("Failed to connect to bus")
	s.exits(1)
	if _, err := os.Stat(unit); err == nil || printedKey.MatchString(s.text()) {
		t.Errorf("a failed install left something: %s", s.text())
	}
	t.Setenv("SYSTEMCTL_FAILS", "")

	const theirs = "[Service]\nExecStart=/bin/true\n"
	if err := os.WriteFile(unit, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	s = p.at("service", "install")
	s.sees("this command has not written it")
	s.exits(1)
	if out, code := without(nil, "service", "uninstall"); code != 1 || !strings.Contains(out, "nothing was removed") {
		t.Errorf("%d %s", code, out)
	}
	if raw, err := os.ReadFile(unit); err != nil || string(raw) != theirs {
		t.Errorf("a unit of the person's own: %v %s", err, raw)
	}
	if err := os.Remove(unit); err != nil {
		t.Fatal(err)
	}

	listen := freePort(t)
	s = p.at("service", "install", "--listen", listen)
	s.sees("The desk runs at http://" + listen + ", ")
	s.sees("It is shown this once and kept nowhere")
	s.exits(0)
	key, isKey, err := operatorkey.Parse(printedKey.FindString(s.text()))
	if err != nil || !isKey {
		t.Fatalf("%v %s", err, s.text())
	}
	p.key = key
	p.nowhere()
	raw, err := os.ReadFile(unit)
	if err != nil || !strings.Contains(string(raw), "StandardOutput=null") || strings.Contains(string(raw), "skk_") {
		t.Errorf("%v\n%s", err, raw)
	}
	for _, file := range []string{unit, p.file("config/sekisho/operator.pub")} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		cmd := exec.Command(analyze, "verify", "--user", unit)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir()) // it makes a folder in one that is there
		if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("sekishod.service:")) {
			t.Errorf("systemd-analyze: %v\n%s", err, out)
		}
	}
	if out, code := without([]string{"SEKISHO_TOKEN=" + key.Printed()}, "status"); code != 0 || !strings.Contains(out, "Hold     off") {
		t.Errorf("%d %s", code, out)
	}
	s = p.at("service", "install", "--listen", listen)
	s.sees("is there already")
	s.exits(1)

	if out, code := without(nil, "service", "uninstall"); code != 0 || !strings.Contains(out, "data stay") {
		t.Errorf("%d %s", code, out)
	}
	for _, file := range []string{unit, p.file("config/sekisho/operator.pub")} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s stayed", file)
		}
	}
	if _, err := os.Stat(p.file("data/sekisho")); err != nil {
		t.Errorf("the data are gone: %v", err)
	}
	if out, code := without(nil, "service", "uninstall"); code != 1 || !strings.Contains(out, "has installed nothing here") {
		t.Errorf("%d %s", code, out)
	}
	log, _ := os.ReadFile(p.file("systemctl.log"))
	if got := strings.Count(string(log), "--user daemon-reload"); got < 4 {
		t.Errorf("%s", log)
	}
}

// impostor takes the place of a desk and has read all that lies in its folders: it proves
// itself by the public half, gives challenges, and takes whatever is said.
type impostor struct {
	public operatorkey.Public
	mu     sync.Mutex
	heard  bytes.Buffer
	signed []string // bodies of answers to a challenge
	relay  string   // a challenge of the real desk that it passes on, or ""
}

func (i *impostor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	fmt.Fprintf(&i.heard, "%s %s %v %s\n", r.Method, r.URL, r.Header, body)
	switch r.URL.Path {
	case "/healthz":
		io.WriteString(w, `{"ok":true,"version":"x","operator":"token"}`)
	case proof.Path:
		var q proof.Question
		json.Unmarshal(body, &q)
		for _, hash := range []proof.Hash{i.public.Hash(), proof.HashOf("sks_made_up")} {
			if hash.Key() == q.Key {
				json.NewEncoder(w).Encode(proof.Answer{Proof: hash.Of(q.Nonce, q.Address)})
				return
			}
		}
		w.WriteHeader(http.StatusUnauthorized)
	case operatorkey.LoginPath:
		json.NewEncoder(w).Encode(map[string]any{"challenge": i.relay})
	case operatorkey.LoginPath + "/answer":
		i.signed = append(i.signed, string(body))
		json.NewEncoder(w).Encode(map[string]any{"token": "sks_made_up", "seconds": 900})
	default:
		io.WriteString(w, `{"calls":[],"next":null,"on":true}`)
	}
}

// TestAnImpostorLearnsNothing: the desk is down, and a program of the same user that has read
// the public half has its port. It can show what it likes; nothing that it hears is taken by
// the real desk, neither when that is back at its address, nor where it runs meanwhile.
func TestAnImpostorLearnsNothing(t *testing.T) {
	p := newPerson(t)
	p.start()
	ask := func() string {
		resp, err := http.Post(p.url+operatorkey.LoginPath, "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var asked struct{ Challenge string }
		json.NewDecoder(resp.Body).Decode(&asked)
		return asked.Challenge
	}
	rogue := &impostor{public: p.key.Public(), relay: ask()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	posing := &http.Server{Handler: rogue}
	go posing.Serve(l)
	defer posing.Close()
	there := "http://" + l.Addr().String()
	for _, args := range [][]string{{"pending"}, {"hold", "on"}, {"logs"}} {
		without([]string{"SEKISHO_TOKEN=" + p.key.Printed()}, append(args, "--desk", there)...)
	}
	rogue.mu.Lock()
	defer rogue.mu.Unlock()
	if len(rogue.signed) == 0 {
		t.Fatalf("nobody logged in there:\n%s", &rogue.heard)
	}
	if heard := rogue.heard.String(); strings.Contains(heard, strings.TrimPrefix(p.key.Printed(), "skk_")) {
		t.Errorf("it heard the key:\n%s", heard)
	}
	for _, body := range rogue.signed {
		own := strings.Replace(body, l.Addr().String(), strings.TrimPrefix(p.url, "http://"), 1)
		for _, try := range []string{body, own} {
			resp, err := http.Post(p.url+operatorkey.LoginPath+"/answer", "application/json", strings.NewReader(try))
			if err != nil {
				t.Fatal(err)
			}
			if resp.Body.Close(); resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("the desk takes what an impostor heard: %d of %s", resp.StatusCode, try)
			}
		}
	}
}

// TestTheWindowIsTheOperator: at the desk of a window nobody decides at a terminal, whatever
// token they have, and status works.
func TestTheWindowIsTheOperator(t *testing.T) {
	p := newPerson(t)
	data, err := place.Data()
	if err != nil {
		t.Fatal(err)
	}
	desk, err := server.Open(t.Context(), server.Config{Data: data, DeskFile: place.Runtime(data), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	_, token, err := desk.Desk.Catalogue.CreateAgent(t.Context(), "robot")
	if err == nil {
		_, err = place.WriteToken("robot", token)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{nil, {"SEKISHO_TOKEN=" + p.key.Printed()}, {"SEKISHO_TOKEN=" + token}} {
		for _, args := range [][]string{{"pending"}, {"approve", "abcd.1"}, {"hold", "on"}, {"rules", "list"}, {"servers"},
			{"agents"}, {"logs"}, {"login-url"}} {
			if out, code := without(env, args...); code != 1 || !strings.Contains(out, "the window is the operator") {
				t.Errorf("%q: %d %s", args, code, out)
			}
		}
	}
	if out, code := without(nil, "status"); code != 0 || !strings.Contains(out, "its window, which is the operator") ||
		!strings.Contains(out, "robot: 0 calls wait") {
		t.Errorf("%d %s", code, out)
	}
	s := p.at("watch")
	s.sees("the window is the operator")
	s.exits(1)
}

// TestConnectWithoutATerminal changes nothing and exits 1, unless it is told not to ask.
func TestConnectWithoutATerminal(t *testing.T) {
	before := `{"mcpServers": {"dead": {"command": "/bin/false"}}}`
	w := newWired(t, map[string]string{".cursor/mcp.json": before})
	cmd := exec.Command(os.Args[0], "connect", "--client", "cursor")
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "say --yes") || w.read(".cursor/mcp.json") != before {
		t.Errorf("%v\n%s", err, out)
	}
}
