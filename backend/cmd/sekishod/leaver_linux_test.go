package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// running gives the processes whose command line has all of some words.
func running(words ...string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		line := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
		if err != nil || slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(line, w) }) {
			continue
		}
		if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))); pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// leaver puts the leaving server behind the desk. Its word is in the command lines of the
// server and of what that leaves behind.
func (d *daemon) leaver(word, found string) (token string) {
	d.Helper()
	servers, _ := json.Marshal(map[string]any{"servers": []any{map[string]any{"id": "leaver", "command": os.Args[0], "args": []string{word},
		"env": map[string]string{"SEKISHOD_TEST_LEAVER": word, "SEKISHOD_TEST_FOUND": found, "GORACE": "atexit_sleep_ms=0"}}}})
	d.operate("PUT", "/v1/servers", string(servers), nil)
	return d.agent("leaver")
}

// begin opens a session with the server, whose process then runs.
func (d *daemon) begin(token string) (session string) {
	d.Helper()
	resp := d.speak(token, "POST", "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(raw), `"leaver"`) {
		d.Fatalf("%v %s", err, raw)
	}
	return resp.Header.Get("Mcp-Session-Id")
}

func (d *daemon) speak(token, method, session, body string) *http.Response {
	d.Helper()
	req, err := http.NewRequest(method, d.URL+"/mcp/leaver", strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	return resp
}

// TestWhatAServerLeavesBehindEnds with the session, with the server, with the desk, and
// with a desk that is killed, though it has gone into a session of its own.
func TestWhatAServerLeavesBehindEnds(t *testing.T) {
	for i, c := range []struct {
		name string
		end  func(d *daemon, token, session, word string)
	}{
		{"session", func(d *daemon, token, session, _ string) { d.speak(token, "DELETE", session, "").Body.Close() }},
		{"server", func(d *daemon, _, _, word string) {
			for _, pid := range running(os.Args[0], word) {
				if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.HasPrefix(string(line), os.Args[0]) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}},
		{"desk", func(d *daemon, _, _, _ string) { d.cmd.Process.Signal(syscall.SIGTERM) }},
		{"killed desk", func(d *daemon, _, _, _ string) { d.kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			word := fmt.Sprintf("8639%d.%d", i, os.Getpid())
			d := start(t, t.TempDir())
			token := d.leaver(word, "")
			t.Cleanup(func() {
				for _, pid := range running(word) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			session := d.begin(token)
			eventually(t, "the server has left something behind", func() bool { return len(running("sleep", word)) == 1 })
			c.end(d, token, session, word)
			eventually(t, "all has ended", func() bool { return len(running(word)) == 0 })
		})
	}
}

// TestOneSessionsEndIsNotAnothers: of two processes of one server, one goes on.
func TestOneSessionsEndIsNotAnothers(t *testing.T) {
	word := fmt.Sprintf("86398.%d", os.Getpid())
	d := start(t, t.TempDir())
	token := d.leaver(word, "")
	first := d.begin(token)
	d.begin(token)
	eventually(t, "both have left something behind", func() bool { return len(running("sleep", word)) == 2 })
	d.speak(token, "DELETE", first, "").Body.Close()
	eventually(t, "one has ended", func() bool { return len(running("sleep", word)) <= 1 })
	time.Sleep(200 * time.Millisecond)
	if n := len(running("sleep", word)); n != 1 {
		t.Errorf("%d are left", n)
	}
	var list struct {
		Servers []struct{ EndsChildren *bool }
	}
	if d.operate("GET", "/v1/servers", "", &list); list.Servers[0].EndsChildren == nil || !*list.Servers[0].EndsChildren {
		t.Error("the desk does not say that children end")
	}
}

// TestNoDescriptorIsHandedDown: what the desk has inherited stays with it.
func TestNoDescriptorIsHandedDown(t *testing.T) {
	found := filepath.Join(t.TempDir(), "found")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	cmd := daemonCommand(t.TempDir(), "--operator-token-file", "/dev/fd/3")
	cmd.ExtraFiles = make([]*os.File, 60)
	cmd.ExtraFiles[1], cmd.ExtraFiles[59] = read, read
	d := launch(t, cmd)
	link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/63", d.cmd.Process.Pid))
	if err != nil || !strings.HasPrefix(link, "pipe:") {
		t.Fatalf("the desk itself did not inherit it: %s %v", link, err)
	}
	d.begin(d.leaver("86397."+strconv.Itoa(os.Getpid()), found))
	raw, err := os.ReadFile(found)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(raw), "\n") {
		if fd, _, _ := strings.Cut(line, " "); len(fd) > 1 || fd > "2" {
			t.Errorf("the server has %s", line)
		}
	}
}
