package main

import (
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/place"
	"sekisho/backend/tool"
)

// hostile is a script that tries what an approved command must not be able to. It prints the names of
// what it could do. What it is about stands in about.json, since an argument that names a folder outside
// would be refused.
const hostile = `import json, os, socket, urllib.request
about = json.load(open('about.json'))
outside = about['outside']
def tries(name, what):
    try:
        what(); print('did', name)
    except Exception as e: pass
def connect(family, kind, to):
    s = socket.socket(family, kind); s.settimeout(2); s.connect(to); s.send(b'x')
def approve():
    token = open(about['operator']).read().strip()
    urllib.request.urlopen(urllib.request.Request(about['url'] + '/v1/rules', headers={'Authorization': 'Bearer ' + token}), timeout=5)
def environment():
    assert any('SEKISHO' in k or 'TOKEN' in k for k in os.environ)
tries('read', lambda: open(outside + '/secret.txt').read())
tries('write', lambda: open(outside + '/new.txt', 'w').write('x'))
tries('truncate', lambda: os.truncate(outside + '/empty.txt', 0))
tries('link', lambda: os.link(outside + '/secret.txt', 'hard.txt'))
tries('rename', lambda: os.rename('own.txt', outside + '/moved.txt'))
tries('token', lambda: open(about['token']).read())
tries('operator', lambda: open(about['operator']).read())
tries('database', lambda: open(about['data'] + '/sekisho.db', 'rb').read())
tries('list', lambda: os.listdir(about['data']))
tries('home', lambda: os.listdir(about['home']))
tries('approve', approve)
for name in ('desk', 'tcp'):
    tries(name, lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', about[name])))
tries('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', about['udp'])))
for name in ('bus', 'docker'):
    tries(name, lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, about[name]))
tries('abstract', lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, '\0' + about['abstract']))
tries('signal', lambda: os.kill(about['pid'], 0))
tries('environment', environment)
open('inside.txt', 'w').write('x'); print('did inside')
`

// listening is where something listens for the script.
func listening(t *testing.T, network, address string) net.Addr {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr()
}

// scene is all that the script is about, outside of a folder that it runs in.
func (w *workshop) scene(folder string) {
	t := w.t
	t.Helper()
	outside, home := t.TempDir(), t.TempDir()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	token, err := place.TokenFile("tester")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{filepath.Join(outside, "secret.txt"): "secret", filepath.Join(outside, "empty.txt"): "", token: w.token,
		filepath.Join(home, "operator.token"): operatorToken, filepath.Join(folder, "own.txt"): "own", filepath.Join(folder, "x.py"): hostile}
	about := map[string]any{"outside": outside, "token": token, "operator": filepath.Join(home, "operator.token"),
		"data": w.data, "home": home, "url": w.server.URL, "pid": os.Getpid(), "udp": udp.LocalAddr().(*net.UDPAddr).Port,
		"tcp": listening(t, "tcp", "127.0.0.1:0").(*net.TCPAddr).Port, "bus": listening(t, "unix", filepath.Join(outside, "bus")).String(),
		"docker":   listening(t, "unix", filepath.Join(outside, "docker.sock")).String(),
		"abstract": strings.TrimPrefix(listening(t, "unix", "@"+outside).String(), "@")}
	_, port, _ := strings.Cut(strings.TrimPrefix(w.server.URL, "http://"), ":")
	about["desk"] = json.Number(port)
	raw, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	files[filepath.Join(folder, "about.json")] = string(raw)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(files[file]), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnApprovedCommandStaysInItsFolder lets a person approve a script that tries all else. The same script
// without the tools can do all of it, or this would show nothing.
func TestAnApprovedCommandStaysInItsFolder(t *testing.T) {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("SEKISHO_TOKEN", "x")
	w := newWorkshop(t)
	here, err := tool.Open(w.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if c := here.Confinement(); c.Level != tool.LevelFull {
		t.Skipf("commands are confined at level %s: no %v", c.Level, c.Missing)
	}
	w.scene(w.folder)
	got := w.call(guard.ExecuteCommand, map[string]any{"command": "python", "args": []string{"x.py"}})
	call := w.last(permission.Pending)
	if call.OnlyOnce != permission.OnceCode || call.Risk != permission.RiskMedium {
		t.Errorf("a script is answered %q, at %s", call.OnlyOnce, call.Risk)
	}
	w.approve(call, permission.Answer{Scope: permission.ScopeSession}) // which reaches this call alone
	a := <-got
	if a.bad || a.result.Stdout == nil || *a.result.Stdout != "did inside\n" {
		t.Errorf("the script: %+v\n%v\n%v", a, deref(a.result.Stdout), deref(a.result.Stderr))
	}
	again := w.call(guard.ExecuteCommand, map[string]any{"command": "python", "args": []string{"x.py"}})
	w.approve(w.last(permission.Pending), permission.Answer{})
	<-again

	free := t.TempDir()
	w.scene(free)
	cmd := exec.Command(python, "x.py")
	cmd.Dir = free
	out, err := cmd.CombinedOutput()
	if tried := strings.Count(hostile, "tries(") - 1 + 2; err != nil || strings.Count(string(out), "did ") != tried+1 { // two are tried twice
		t.Errorf("without the tools: %v\n%s", err, out)
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
