package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/doctor"
	"sekisho/backend/permission"
)

// playClaude is Claude Code as the doctor starts it: it asks the model, then the first hook of
// its settings, and obeys that.
func playClaude() error {
	turn := func(messages string) (string, error) {
		resp, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "application/json",
			strings.NewReader(`{"model":"m","tools":[{"name":"Bash"}],"messages":[`+messages+`]}`))
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		return string(raw), err
	}
	said, err := turn("")
	if err != nil {
		return err
	}
	nonce := regexp.MustCompile(`sekisho-canary-\w+`).FindString(said)
	s := connect.Hooks(connect.Places{GOOS: "linux", Home: os.Getenv("HOME")}, "claude-code")
	hook := exec.Command("/bin/sh", "-c", s.Hooks[0].Command.Line)
	hook.Env = append(os.Environ(), roleEnv+"=sekisho")
	hook.Stdin = strings.NewReader(`{"session_id":"` + nonce + `","tool_use_id":"t","hook_event_name":"PreToolUse","tool_name":"Bash",` +
		`"tool_input":{"command":"touch ` + nonce + `"}}`)
	if _ = hook.Run(); hook.ProcessState.ExitCode() != 2 {
		if err := os.WriteFile(nonce, nil, 0o600); err != nil {
			return err
		}
	}
	_, err = turn(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_call_doctor","content":"no"}]}`)
	return err
}

// newPatient is a home with Claude Code, which is connected to a real desk and is a program of
// the test.
func newPatient(t *testing.T) *wired {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the client of the test is a shell script")
	}
	w := newWired(t, map[string]string{".claude/settings.json": "{}\n",
		"bin/claude": "#!/bin/sh\n" + roleEnv + "=claude exec '" + os.Args[0] + "'\n"})
	if err := os.Chmod(filepath.Join(w.home, "bin/claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(w.home, "bin")+":/usr/bin:/bin")
	w.mustRun("connect", "--yes")
	return w
}

// doctor starts the program in a process of its own; gives its exit code and what it said.
func (w *wired) doctor(args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"doctor"}, args...)...)
	cmd.Env = append(os.Environ(), roleEnv+"=sekisho")
	var said strings.Builder
	cmd.Stderr = &said
	raw, err := cmd.Output()
	ended := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &ended) {
		w.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(raw), said.String()
}

// report reads the only client of a JSON answer.
func (w *wired) report(code int) doctor.Report {
	w.t.Helper()
	got, out, stderr := w.doctor("--json")
	var said struct{ Clients []doctor.Report }
	if err := json.Unmarshal([]byte(out), &said); err != nil || got != code || len(said.Clients) != 1 {
		w.t.Fatalf("exit %d, %v\n%s\n%s", got, err, out, stderr)
	}
	return said.Clients[0]
}

// TestDoctorThroughTheDoor: closed is exit code 0, and the desk has a refused row for each proof.
func TestDoctorThroughTheDoor(t *testing.T) {
	w := newPatient(t)
	if r := w.report(0); r.State != doctor.Closed || !r.Command || !r.Whole || r.Client != "claude-code" || len(r.Reasons) > 0 {
		t.Errorf("%+v", r)
	}
	if code, out, said := w.doctor("--client", "claude-code"); code != 0 || !strings.Contains(out, "Claude Code: closed") ||
		!strings.Contains(said, "bin/claude) is started with its own settings, and so with its other hooks") {
		t.Errorf("exit %d: %s%s", code, out, said)
	}
	calls, _, _, err := w.desk.Desk.Calls.List(t.Context(), permission.Operator(),
		permission.CallFilter{Statuses: []permission.Status{permission.Denied}, Limit: 100})
	if err != nil || len(calls) != 6 {
		t.Errorf("%d rows, %v", len(calls), err)
	}
	for _, misuse := range []string{"cursors", "zed"} {
		if code, _, said := w.doctor("--client", misuse); code != 2 || !strings.Contains(said, misuse) {
			t.Errorf("--client %s: exit %d: %s", misuse, code, said)
		}
	}
	if code, _, said := w.doctor("--client", "codex"); code != 1 {
		t.Errorf("a client that is not there: exit %d: %s", code, said)
	}
}

// TestDoctorSaysWhyNot: open with why and what to do, and not proved without a desk.
func TestDoctorSaysWhyNot(t *testing.T) {
	w := newPatient(t)
	right := w.read(".claude/settings.json")
	w.write(".claude/settings.json", strings.Replace(right, `"timeout": 660`, `"timeout": 6`, 1))
	if r := w.report(1); r.State != doctor.Open || len(r.Reasons) != 1 || r.Reasons[0].Code != doctor.Timeout || r.Reasons[0].Repair == "" {
		t.Errorf("%+v", r)
	}
	if code, out, said := w.doctor(); code != 1 || !strings.Contains(out, "Claude Code: open") ||
		!strings.Contains(out, "run sekisho connect") || !strings.Contains(said, "not every client") {
		t.Errorf("exit %d: %s%s", code, out, said)
	}
	w.write(".claude/settings.json", strings.ReplaceAll(right, "claude-code.token", "nobody.token"))
	if r := w.report(1); r.State != doctor.NotProved || r.Reasons[0].Code != doctor.NoDesk {
		t.Errorf("without a token: %+v", r)
	}
	w.write(".claude/settings.json", strings.ReplaceAll(right, "claude-code.token", "claude-code.token --desk http://127.0.0.1:9"))
	if r := w.report(1); r.State != doctor.Open || len(r.Reasons) != 1 || r.Reasons[0].Code != doctor.DeskNotAsked ||
		!strings.Contains(r.Reasons[0].Detail, "asks another desk: http://127.0.0.1:9") {
		t.Errorf("with another desk: %+v", r)
	}
	w.write(".claude/settings.json", right)
	if err := w.desk.Close(); err != nil {
		t.Fatal(err)
	}
	if r := w.report(1); r.State != doctor.NotProved || r.Command || r.Whole {
		t.Errorf("without a desk: %+v", r)
	}
}

// reportPlaying ends the program of the test as the client that it was.
func reportPlaying(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
