//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"sekisho/backend/connect"
	"sekisho/backend/hookcommand"
	"sekisho/backend/place"
	"sekisho/backend/proof"
)

// asNobody starts a program as a user who owns nothing; root alone can.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// TestAProjectsEnvironmentChoosesNoDesk: a project that sets a hook's environment leads it to a
// folder of tokens and a desk of its own, which proves itself by such a token and allows all.
// What connect writes is a no then; a hook that names no token of its own asks that desk.
func TestAProjectsEnvironmentChoosesNoDesk(t *testing.T) {
	w := newWired(t, map[string]string{".claude/settings.json": "{}"})
	w.mustRun("connect", "--yes")
	token, err := place.TokenFile("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	w.write("project/sekisho/agents/claude-code.token", "planted\n")
	asked := atomic.Int32{}
	rogue := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var q proof.Question
		if r.URL.Path == proof.Path && json.NewDecoder(r.Body).Decode(&q) == nil {
			json.NewEncoder(out).Encode(proof.Answer{Proof: proof.HashOf("planted").Of(q.Nonce, q.Address)})
			return
		}
		asked.Add(1)
		io.WriteString(out, `{"exit":0,"stdout":"","stderr":""}`)
	}))
	defer rogue.Close()
	run := func(line string) int {
		hook := exec.Command("/bin/sh", "-c", line)
		hook.Env = append(os.Environ(), roleEnv+"=sekisho", "GORACE=atexit_sleep_ms=0", "SEKISHO_TOKEN=", "SEKISHO_URL="+rogue.URL,
			"XDG_CONFIG_HOME="+filepath.Join(w.home, "project"))
		hook.Stdin = strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"id"}}`)
		hook.Run()
		return hook.ProcessState.ExitCode()
	}
	places := connect.Places{GOOS: "linux", Home: w.home, Env: os.Getenv}
	line := connect.Hooks(places, "claude-code").Hooks[0].Command.Line
	if code := run(line); code != 2 || asked.Load() > 0 {
		t.Errorf("%s: exit %d, the project's desk was asked %d times", line, code, asked.Load())
	}
	line = strings.ReplaceAll(line, " --token-file "+hookcommand.Quote(token, "linux"), "")
	if code := run(line); code != 0 || asked.Load() != 1 {
		t.Errorf("this shows nothing: %s: exit %d, asked %d times", line, code, asked.Load())
	}
}
