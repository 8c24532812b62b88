package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// cli builds sekisho, once.
var cli = sync.OnceValues(func() (string, error) {
	path := filepath.Join(settings, "sekisho-cli")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "sekisho/backend/cmd/sekisho")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build sekisho: %s", said)
	}
	return path, nil
})

// acp starts an agent behind the desk that asks once, tells its editor the answer and ends with
// the exit code 3. The editor hears it by end.
func (v visitor) acp(session, id, line string) (end func() string) {
	v.Helper()
	program, err := cli()
	if err != nil {
		v.Fatal(err)
	}
	asks := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"%s","toolCall":{"toolCallId":"%s",`+
		`"title":"Run it","kind":"Bash","rawInput":{"command":"%s","description":"So"}},"options":[{"optionId":"always","kind":"allow_always"},`+
		`{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}`, session, id, line)
	agent := `read -r first; printf '%s\n' "$1"; read -r answer; printf '%s %s\n' "$first" "$answer"; exit 3`
	cmd := exec.Command(program, "--desk", v.url, "acp", "--", "sh", "-c", agent, "agent", asks)
	cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+v.token)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		v.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		v.Fatal(err)
	}
	fmt.Fprintf(in, `{"id":9,"method":"session/load","params":{"sessionId":"%s","cwd":"/work"}}`+"\n", session)
	return func() string {
		said, _ := bufio.NewReader(out).ReadString('\n')
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
			v.Errorf("ended with %v", err)
		}
		_, answer, _ := strings.Cut(strings.TrimSpace(said), "} {")
		return answer
	}
}

// TestContractACP: an agent of the Agent Client Protocol before a real desk.
func TestContractACP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a shell script")
	}
	p := newParty(t)
	op, a, _ := p.with(t)
	p.op.do(201, "POST /v1/rules", fields{"toolName": "Bash", "effect": "allow",
		"condition": `input.command == "make check" && cwd == "/work"`})
	p.op.do(201, "POST /v1/rules", fields{"toolName": "Bash", "effect": "deny", "priority": 9, "condition": `input.command == "make trouble"`})
	want := func(what, got, option string) {
		t.Helper()
		if got != `"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"`+option+`"}}}` {
			t.Errorf("%s: %q", what, got)
		}
	}
	want("a rule allows", a.acp("acp1", "t1", "make check")(), "yes")
	op.row("acp1", 1).has("call.status", "completed", "call.handedOver", true, "call.inputFixed", true, "call.toolCallId", "t1",
		"call.cwd", "/work", "call.serverId", "<nil>", "call.runId", "acp1")
	want("a rule denies", a.acp("acp2", "t1", "make trouble")(), "no")
	end := a.acp("acp3", "t1", "touch x")
	op.says(op.row("acp3", 1), true, nil)
	want("a person approves", end(), "yes")
	end = a.acp("acp4", "t1", "touch x") // the same id is another call in another session
	row := op.row("acp4", 1)
	op.refused(422, "invalid", "POST /v1/calls/"+row.text("call.id")+"/decision", fields{"approved": true,
		"inputHash": row.text("call.inputHash"), "rev": row.at("call.rev"), "input": fields{"command": "y"}})
	op.says(row, false, nil)
	want("a person declines", end(), "no")
	hook := a.startHook("claude", preTool("acp5", "t1", "touch x"))
	op.row("acp5", 1)
	end = a.acp("acp5", "t1", "touch x")
	op.says(op.row("acp5", 1), true, nil)
	want("beside a hook", end(), "yes")
	a.wantYes(hook(), allowed)
	op.rowsOf("acp5", 1)
}
