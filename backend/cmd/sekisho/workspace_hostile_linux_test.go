package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/tool"
)

// hostile is a script that tries what an approved command must not be able to. It prints the names of
// what it could do.
const hostile = `import os, socket, sys
desk, data, outside, bus, port = sys.argv[1].split('|')
def tries(name, what):
    try:
        what(); print('did', name)
    except Exception as e: pass
def connect(family, kind, to):
    s = socket.socket(family, kind); s.settimeout(2); s.connect(to); s.send(b'x')
tries('read', lambda: open(outside + '/secret.txt').read())
tries('write', lambda: open(outside + '/new.txt', 'w').write('x'))
tries('truncate', lambda: os.truncate(outside + '/secret.txt', 0))
tries('link', lambda: os.link(outside + '/secret.txt', 'hard.txt'))
tries('rename', lambda: os.rename('own.txt', outside + '/moved.txt'))
tries('database', lambda: open(data + '/sekisho.db', 'rb').read())
tries('list', lambda: os.listdir(data))
tries('home', lambda: os.listdir('/root'))
tries('desk', lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', int(desk))))
tries('tcp', lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', int(port))))
tries('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(port))))
tries('bus', lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, bus))
tries('docker', lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, '/var/run/docker.sock'))
tries('abstract', lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, '\0' + bus))
tries('signal', lambda: os.kill(os.getppid(), 0) if os.getppid() > 0 else 1/0)
tries('environment', lambda: [1/0 for k in os.environ if 'SEKISHO' in k or 'TOKEN' in k] == [] and 1/0)
open('inside.txt', 'w').write('x'); print('did inside')
`

// TestAnApprovedCommandStaysInItsFolder lets a person approve a script that tries all else.
func TestAnApprovedCommandStaysInItsFolder(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("there is no python3")
	}
	w := newWorkshop(t)
	here, err := tool.Open(w.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if c := here.Confinement(); c.Level != tool.LevelFull {
		t.Skipf("commands are confined at level %s: no %v", c.Level, c.Missing)
	}
	outside, bus := t.TempDir(), filepath.Join(t.TempDir(), "bus")
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	socket, err := net.Listen("unix", bus)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for file, text := range map[string]string{filepath.Join(outside, "secret.txt"): "secret", filepath.Join(w.folder, "own.txt"): "own",
		filepath.Join(w.folder, "x.py"): hostile} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, desk, _ := strings.Cut(strings.TrimPrefix(w.server.URL, "http://"), ":")
	about := strings.Join([]string{desk, w.data, outside, bus, fmt.Sprint(other.Addr().(*net.TCPAddr).Port)}, "|")
	// What an argument says of folders outside is refused: it comes by a file.
	script := strings.Replace(hostile, "sys.argv[1]", fmt.Sprintf("%q", about), 1)
	if err := os.WriteFile(filepath.Join(w.folder, "x.py"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
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
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
