//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// used is a data folder that a desk worked on and ended, with the token of its agent.
func used(t *testing.T) (dir, token string) {
	dir = t.TempDir()
	d := start(t, dir)
	d.operate("POST", "/v1/rules", `{"id":"reads","toolPattern":"read_*","autoApprove":true}`, nil)
	token = d.agent("agent")
	for i := range 20 {
		if status := d.ask(token, fmt.Sprint("r", i), "write_file"); status != 201 {
			t.Fatal(status)
		}
	}
	d.end()
	return dir, token
}

// ask asks for a call and gives the status.
func (d *daemon) ask(token, id, tool string) int {
	d.Helper()
	return d.as(token, "POST", "/v1/calls", fmt.Sprintf(`{"runId":"run","toolCallId":%q,"toolName":%q,"input":{"pad":%q}}`, id, tool,
		strings.Repeat("x", 500)), nil)
}

// end is SIGTERM, to its end.
func (d *daemon) end() {
	d.Helper()
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-d.exited; err != nil {
		d.Errorf("ended with %v\n%s", err, d.stderr)
	}
	d.exited <- nil
}

// inTrouble holds a desk that cannot use its folder to what it owes: it says so
// everywhere, everything asks, and nothing is taken in.
func inTrouble(t *testing.T, d *daemon, token, words string) {
	t.Helper()
	if !strings.Contains(d.Trouble, words) || !strings.Contains(d.stderr.String(), words) {
		t.Errorf("the ready line says %q and the log\n%s", d.Trouble, d.stderr)
	}
	var health struct {
		OK      bool
		Trouble string
	}
	d.operate("GET", "/healthz", "", &health)
	if health.OK || health.Trouble != d.Trouble {
		t.Errorf("healthz: %+v", health)
	}
	for _, tool := range []string{"read_file", "write_file"} {
		var verdict permission.Verdict
		d.operate("POST", "/v1/evaluate", fmt.Sprintf(`{"serverId":null,"toolName":%q,"input":{}}`, tool), &verdict)
		if verdict.Decision != permission.Ask || verdict.Rule != nil || !strings.Contains(verdict.Reason, words) ||
			strings.Contains(verdict.Reason, "rule") {
			t.Errorf("evaluate %s: %+v", tool, verdict)
		}
	}
	d.operate("GET", "/v1/servers", "", nil)
	d.operate("GET", "/v1/settings", "", nil)
	for _, request := range []struct{ token, method, path, body string }{
		{token, "POST", "/v1/calls", `{"runId":"run","toolCallId":"new","toolName":"read_file"}`},
		{"ska_unknown-token-of-nobody", "POST", "/v1/calls", `{"runId":"run","toolCallId":"new","toolName":"read_file"}`},
		{token, "GET", "/v1/calls", ""},
		{token, "POST", "/mcp/filesystem", `{}`},
		{operator, "GET", "/v1/calls", ""},
		{operator, "GET", "/v1/rules", ""},
		{operator, "GET", "/v1/policy", ""},
		{operator, "GET", "/v1/grants", ""},
		{operator, "GET", "/v1/agents", ""},
		{operator, "GET", "/v1/journal", ""},
		{operator, "GET", "/v1/suggestions", ""},
		{operator, "POST", "/v1/agents", `{"name":"x"}`},
		{operator, "POST", "/v1/rules", `{"autoApprove":true}`},
		{operator, "PUT", "/v1/servers", `{"servers":[]}`},
		{operator, "GET", "/v1/calls/0190b6e0-0000-7000-8000-000000000000", ""},
	} {
		var problem struct {
			Code   permission.Code
			Detail string
		}
		if status := d.as(request.token, request.method, request.path, request.body, &problem); status != 503 ||
			problem.Code != permission.CodeUnavailable || !strings.Contains(problem.Detail, words) {
			t.Errorf("%s %s: %d %+v", request.method, request.path, status, problem)
		}
	}
}

func TestDamagedDataAreLeftAsTheyAre(t *testing.T) {
	for name, damage := range map[string]func(raw []byte) []byte{
		"text":   func([]byte) []byte { return []byte(strings.Repeat("this is a letter\n", 500)) },
		"header": func(raw []byte) []byte { clear(raw[:100]); return raw },
		"cut":    func(raw []byte) []byte { return raw[:len(raw)/2] },
		"random": func(raw []byte) []byte {
			random := rand.New(rand.NewPCG(3, 4))
			for i := 4096; i < len(raw); i++ {
				raw[i] = byte(random.Uint32())
			}
			return raw
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, token := used(t)
			path := filepath.Join(dir, "sekisho.db")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			d := start(t, dir)
			inTrouble(t, d, token, "its data are damaged")
			out, err := daemonCommand(dir).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "another desk holds") {
				t.Errorf("a second desk: %v %s", err, out)
			}
			d.end()
			if now := contents(t, dir); !maps.Equal(now, before) {
				t.Errorf("the folder changed: %v, before %v", slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(before)))
			}
		})
	}
}

// unprivileged makes cmd one that file modes bind: root is bound by none.
func unprivileged(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	program := filepath.Join(t.TempDir(), "sekishod")
	raw, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, raw, 0o755)
	}
	if err == nil {
		err = os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Dir = program, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func TestReadOnlyFolderIsLeftAsItIs(t *testing.T) {
	for name, files := range map[string]os.FileMode{"folder and files": 0o444, "folder": 0o666} {
		t.Run(name, func(t *testing.T) {
			dir, token := used(t)
			if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{"sekisho.db", "desk.lock"} {
				if err := os.Chmod(filepath.Join(dir, f), files); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
			before := contents(t, dir)
			cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
			unprivileged(t, cmd)
			d := launch(t, cmd)
			inTrouble(t, d, token, "its data folder cannot be written to")
			d.end()
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o555 {
				t.Errorf("the folder's mode is %v, %v", info.Mode(), err)
			}
			if now := contents(t, dir); !maps.Equal(now, before) {
				t.Errorf("the folder changed: %v", slices.Sorted(maps.Keys(now)))
			}
		})
	}
}

// limited lets a command write no file beyond some kilobytes, as a full disk would.
func limited(cmd *exec.Cmd, blocks int) {
	cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

func TestFullDiskAtTheStart(t *testing.T) {
	dir, token := used(t)
	before := contents(t, dir)
	cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
	limited(cmd, 0)
	d := launch(t, cmd)
	inTrouble(t, d, token, "the disk is full")
	d.end()
	if now := contents(t, dir); now["sekisho.db"] != before["sekisho.db"] {
		t.Error("the database changed")
	}
	d = start(t, dir)
	if d.Trouble != "" || len(d.pending(20)) != 20 || d.ask(token, "after", "write_file") != 201 {
		t.Errorf("with space again: %q", d.Trouble)
	}
}

// health is what /healthz says is wrong.
func (d *daemon) health() string {
	d.Helper()
	var said struct {
		OK      bool
		Trouble string
	}
	if d.operate("GET", "/healthz", "", &said); said.OK != (said.Trouble == "") {
		d.Errorf("healthz: %+v", said)
	}
	return said.Trouble
}

// TestFullDiskAtWork: from the first call that cannot be kept on, no door says that
// anything is allowed.
func TestFullDiskAtWork(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	d.operate("POST", "/v1/rules", `{"id":"reads","toolPattern":"read_*","autoApprove":true}`, nil)
	token := d.agent("agent")
	d.end()
	cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
	limited(cmd, 12_000) // 6 to 12 MB for each file
	d = launch(t, cmd)
	allowed := func() (evaluated permission.Effect, opa string) {
		var verdict permission.Verdict
		var answer struct{ Result struct{ Decision string } }
		d.operate("POST", "/v1/evaluate", `{"toolName":"read_a"}`, &verdict)
		d.as(token, "POST", "/v1/data/sekisho/decision", `{"input":{"tool":{"name":"read_a"},"args":{}}}`, &answer)
		return verdict.Decision, answer.Result.Decision
	}
	if a, b := allowed(); d.Trouble != "" || a != permission.Allow || b != "allow" {
		t.Fatalf("%q %s %s", d.Trouble, a, b)
	}
	full := false
	for i := 0; i < 40 && !full; i++ {
		full = d.as(token, "POST", "/v1/calls", fmt.Sprintf(`{"runId":"run","toolCallId":"%d","toolName":"write_file","input":{"pad":%q}}`, i,
			strings.Repeat("x", 1<<20)), nil) == 503
	}
	if a, b := allowed(); !full || a != permission.Ask || b != "requires-approval" || !strings.Contains(d.health(), "the disk is full") {
		t.Errorf("full %v: %s %s, %q", full, a, b, d.health())
	}
}

// change edits the data of a desk that is not there.
func change(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "sekisho.db"))
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestATornLogHoldsEverything: a deny rule may be among what is missing.
func TestATornLogHoldsEverything(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	d.operate("POST", "/v1/rules", `{"id":"reads","toolPattern":"read_*","autoApprove":true}`, nil)
	token := d.agent("agent")
	for i := range 20 {
		d.ask(token, fmt.Sprint("r", i), "write_file")
	}
	d.cmd.Process.Kill()
	<-d.exited
	d.exited <- nil
	log := filepath.Join(dir, "sekisho.db-wal")
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	raw[32+133*4120+2000] ^= 1 // in the page of the 134th frame, which is of a call
	if err := os.WriteFile(log, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	decides := func() permission.Effect {
		var verdict permission.Verdict
		d.operate("POST", "/v1/evaluate", `{"toolName":"read_a"}`, &verdict)
		return verdict.Decision
	}
	for range 2 {
		d = start(t, dir)
		if got := decides(); got != permission.Ask {
			t.Errorf("%s", got)
		}
		if d.Trouble != d.health() || d.Trouble == "" {
			break
		}
		kept := log + ".torn-1"
		if now, err := os.ReadFile(kept); err != nil || !bytes.Equal(now, raw) || !strings.Contains(d.Trouble, kept) {
			t.Errorf("kept: %v; said: %q", err, d.Trouble)
		}
		d.end()
	}
	if d.health() != "" {
		t.Errorf("a second time: %q", d.health())
	}
	d.operate("POST", "/v1/hold", `{"on":false}`, nil)
	if got := decides(); got != permission.Allow {
		t.Errorf("hold ended: %s", got)
	}
}

// TestWhatIsDamagedIsSaid: where a stored rule or the settings cannot be read, everything
// asks; the ready line and /healthz say why.
func TestWhatIsDamagedIsSaid(t *testing.T) {
	for statement, words := range map[string]string{
		"UPDATE tool_permission_rules SET created_at = 'x'": "a stored rule is damaged (reads: ",
		"UPDATE settings SET document = '{'":                "the stored settings are damaged",
		"UPDATE calls SET why = '{'":                        "the stored call ",
	} {
		dir, token := used(t)
		d := start(t, dir)
		d.operate("PATCH", "/v1/settings", `{"denialMemory":true}`, nil)
		d.end()
		change(t, dir, statement)
		d = start(t, dir)
		asks := permission.Ask
		if strings.Contains(statement, "calls") {
			d.operate("GET", "/v1/calls", "", nil)
			asks = permission.Allow
		} else if !strings.Contains(d.Trouble, words) {
			t.Errorf("%s: the ready line says %q", statement, d.Trouble)
		}
		var verdict permission.Verdict
		d.operate("POST", "/v1/evaluate", `{"toolName":"read_a"}`, &verdict)
		if !strings.Contains(d.health(), words) || verdict.Decision != asks {
			t.Errorf("%s: %q, %+v", statement, d.health(), verdict)
		}
		if status := d.ask(token, "after", "write_file"); status != 201 {
			t.Errorf("%s: %d", statement, status)
		}
		var list struct{ Differences []permission.Difference }
		d.operate("GET", "/v1/differences", "", &list)
		for _, p := range list.Differences {
			d.operate("POST", "/v1/differences/settle", fmt.Sprintf(`{"ids":[%q],"take":"table"}`, p.ID), nil)
		}
		if strings.Contains(statement, "rules") {
			d.operate("DELETE", "/v1/rules/reads", "", nil)
		} else if strings.Contains(statement, "settings") {
			d.operate("PATCH", "/v1/settings", `{"denialMemory":false}`, nil)
		}
		if left := d.health(); asks == permission.Ask && left != "" {
			t.Errorf("%s: mended, and still %q", statement, left)
		}
		d.end()
	}
}

func TestFullDiskInANewFolder(t *testing.T) {
	dir := t.TempDir()
	cmd := daemonCommand(dir, "--operator-token-file", "/dev/fd/3")
	limited(cmd, 0)
	d := launch(t, cmd)
	inTrouble(t, d, "ska_any-token-of-any-agent", "the disk is full")
	d.end()
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("left %v", slices.Sorted(maps.Keys(left)))
	}
	if d = start(t, dir); d.Trouble != "" {
		t.Errorf("with space again: %q", d.Trouble)
	}
}

func (d *daemon) calls() int {
	d.Helper()
	var got struct{ Calls []json.RawMessage }
	d.operate("GET", "/v1/calls", "", &got)
	return len(got.Calls)
}

// TestKilledInTheFirstStart: the next goes on where it was.
func TestKilledInTheFirstStart(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		cmd := daemonCommand(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+8*i) * time.Millisecond) // anywhere in its start
		cmd.Process.Kill()
		cmd.Wait()
	}
	d := start(t, dir)
	if d.Trouble != "" {
		t.Fatal(d.Trouble)
	}
	token := d.agent("agent")
	if status := d.ask(token, "1", "write_file"); status != 201 || d.calls() != 1 || d.Trouble != "" {
		t.Errorf("%d, %d calls, %q", status, d.calls(), d.Trouble)
	}
}

// TestDataOfAnotherFormatAreRefusedUnopened: with one sentence, and the folder stays as it is.
func TestDataOfAnotherFormatAreRefusedUnopened(t *testing.T) {
	left, _ := used(t)
	whole, err := os.ReadFile(filepath.Join(left, "sekisho.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		at    int // in the header of the file
		bytes []byte
		words string
	}{
		"newer": {60, []byte{0, 0, 0x27, 0x0f}, "newer Sekisho (format 9999, this one knows 11): use that one"},
		"of an early build": {68, make([]byte, 4),
			"early build of Sekisho, which this one cannot read: move its folder away to begin with a new one"},
	} {
		dir := t.TempDir()
		raw := bytes.Clone(whole)
		copy(raw[c.at:], c.bytes)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "sekisho.db"), raw, 0o644), os.Chmod(dir, 0o755)); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		out, err := daemonCommand(dir).CombinedOutput()
		want := fmt.Sprintf("sekishod: open data folder %s: the data was written by a", dir)
		exit, ended := err.(*exec.ExitError)
		sentence, rest, _ := strings.Cut(string(out), "\n")
		if !ended || exit.ExitCode() != 1 || !strings.HasPrefix(sentence, want) || !strings.HasSuffix(sentence, c.words) || rest != "" {
			t.Errorf("%s: started: %v %s", name, err, out)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 || !maps.Equal(contents(t, dir), before) {
			t.Errorf("%s: the folder changed: %v %v", name, files, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: the folder's mode is %v, %v", name, info.Mode(), err)
		}
	}
}
