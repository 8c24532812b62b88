package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// stoppable makes an agent that an operator can stop.
func (v visitor) stoppable() (agent visitor, path string) {
	v.Helper()
	made := v.do(201, "POST /v1/agents", fields{"name": unique("agent")})
	agent = v
	agent.name, agent.token = "agent", made.text("token")
	return agent, "/v1/agents/" + made.text("agent.id")
}

// wantStopped wants a call that was refused because a person stopped its agent.
func (r reply) wantStopped(status string) {
	r.Helper()
	r.has("call.status", status, "call.decision.by", "person", "call.decision.approved", false, "call.decision.code", "agent_stopped",
		"call.decision.reason", "a person stopped this agent", "call.decision.ruleId", nil)
}

// TestContractStop: a person stops an agent, and lets it go on.
func TestContractStop(t *testing.T) {
	p := newParty(t)
	op, _, b := p.with(t)
	a, path := op.stoppable()
	tool, _ := op.allows()
	for _, v := range []visitor{a, b} {
		for _, row := range []string{"/stop", "/resume"} {
			v.refused(403, "forbidden", "POST "+path+row, nil)
		}
	}
	op.refused(404, "not_found", "POST /v1/agents/nobody/stop", nil)
	op.refused(404, "not_found", "POST /v1/agents/nobody/resume", nil)

	wide := a.ask(201, fields{"sessionId": "wide"})
	op.decide(200, wide.id(), fields{"approved": true, "scope": "session"})
	covered := a.ask(201, fields{"sessionId": "wide"})
	covered.has("call.status", "approved", "call.decision.by", "grant")
	waits, approved := a.ask(201, nil), a.ask(201, fields{"toolName": tool})
	claimed := a.claim(200, a.ask(201, fields{"toolName": tool}), "key")
	others := b.ask(201, nil)

	events, _ := a.listen("", "")
	done := op.do(200, "POST "+path+"/stop", fields{})
	done.has("declined", 1, "revoked", 3, "grantsEnded", 1)
	if done.text("agent.stoppedUntil") == "" {
		t.Error("until when is not said")
	}
	heard := map[string]bool{}
	for !heard["agent.stopped"] {
		e, ok := <-events
		if !ok {
			t.Fatalf("the agent did not hear of it, but %v", heard)
		}
		heard[e.name] = true
	}
	later, _ := a.listen("", "") // which is told at once
	a.hear(later, "agent.stopped")
	get := func(c reply) reply { return op.do(200, "GET /v1/calls/"+c.id(), nil) }
	get(waits).wantStopped("declined")
	for _, c := range []reply{wide, covered, approved} {
		get(c).wantStopped("revoked")
	}
	op.stand([]string{"claimed", "pending"}, claimed, others)
	if grants := op.grantsOf("wide"); len(grants) != 0 {
		t.Errorf("grants of the session: %v", grants)
	}
	a.refused(409, "revoked", "POST /v1/calls/"+approved.id()+"/claim",
		fields{"inputHash": approved.text("call.inputHash"), "claimant": "test", "claimKey": "key"})
	op.refused(409, "already_decided", "POST /v1/calls/"+waits.id()+"/decision",
		fields{"approved": true, "inputHash": waits.text("call.inputHash"), "rev": waits.at("call.rev")})
	a.do(200, "POST /v1/calls/"+claimed.id()+"/result", fields{"claimId": claimed.text("call.claimId"), "ok": true})

	denied := unique("denied")
	op.do(201, "POST /v1/rules", fields{"toolName": denied, "effect": "deny"})
	for _, hold := range []bool{false, true} {
		op.do(200, "POST /v1/hold", fields{"on": hold})
		for _, name := range []string{tool, "tool", denied} {
			c := a.ask(201, fields{"toolName": name})
			c.wantStopped("declined")
			c.has("call.why.code", "agent_stopped", "call.why.rule", nil)
		}
		a.do(200, "POST /v1/evaluate", fields{"toolName": tool, "input": fields{}}).
			has("decision", "deny", "code", "agent_stopped")
	}
	op.do(200, "POST /v1/hold", fields{"on": false})
	b.ask(201, fields{"toolName": tool}).has("call.status", "approved")

	op.do(200, "POST "+path+"/resume", fields{}).has("agent.stoppedUntil", nil)
	op.do(200, "POST "+path+"/resume", nil).has("agent.stoppedUntil", nil)
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	a.ask(201, nil).has("call.status", "pending")
	get(waits).wantStopped("declined")
}

// TestContractStopOutlivesAKill: the desk is killed right after the stop was acknowledged, and in
// the middle of others. What stands is all of a stop or nothing.
func TestContractStopOutlivesAKill(t *testing.T) {
	p := newParty(t)
	op, _, _ := p.with(t)
	a, path := op.stoppable()
	waits := a.ask(201, nil)
	until := op.do(200, "POST "+path+"/stop", nil).text("agent.stoppedUntil")
	p.restart()
	op.url, a.url = p.URL, p.URL
	op.do(200, "GET /v1/calls/"+waits.id(), nil).wantStopped("declined")
	a.ask(201, nil).wantStopped("declined")
	all := op.do(200, "GET /v1/agents", nil)
	if !strings.Contains(string(all.raw), `"stoppedUntil":"`+until+`"`) {
		t.Errorf("%s, want %s", all.raw, until)
	}
	op.do(200, "POST "+path+"/resume", nil)
	for range 5 {
		first, second := a.ask(201, nil), a.ask(201, nil)
		var both sync.WaitGroup
		both.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), "POST", op.url+path+"/stop", nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+op.token)
			if resp, err := http.DefaultClient.Do(req); err == nil { // the desk is killed meanwhile
				resp.Body.Close()
			}
		})
		p.kill()
		both.Wait()
		p.daemon = start(t, p.dir())
		op.url, a.url = p.URL, p.URL
		got := op.statuses(first, second)
		stopped := a.ask(201, nil).text("call.status") == "declined"
		want := "pending"
		if stopped {
			want = "declined"
		}
		if got[0] != want || got[1] != want {
			t.Errorf("stopped: %v, and the calls are %v", stopped, got)
		}
		op.do(200, "POST "+path+"/resume", nil)
	}
}

// program starts sekisho for an agent, and gives what its standard output says, line by line.
func (v visitor) program(words ...string) (in io.Writer, line func() string, code func() int) {
	v.Helper()
	path, err := cli()
	if err != nil {
		v.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"--desk", v.url}, words...)...)
	cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+v.token)
	stdin, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		v.Fatal(err1, err2, "it does not start")
	}
	v.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(out)
	return stdin, func() string {
			said, _ := lines.ReadString('\n')
			return strings.TrimSpace(said)
		}, func() int {
			_, _ = io.Copy(io.Discard, lines)
			_ = cmd.Wait()
			return cmd.ProcessState.ExitCode()
		}
}

// TestContractStopInterrupts: an agent that runs a long tool, and asks for nothing, is interrupted at
// once, over Claude Code's control protocol and the Agent Client Protocol.
func TestContractStopInterrupts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agents are shell scripts")
	}
	p := newParty(t)
	op, _, _ := p.with(t)
	const claude = `of() { printf '%s' "$1" | sed 's/.*"request_id":"\([^"]*\)".*/\1/'; }
		answer() { printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s"}}\n' "$(of "$1")"; }
		read -r begin; answer "$begin"; read -r prompt
		echo '{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}'
		read -r stop; printf '{"type":"told","line":%s}\n' "$stop"; answer "$stop"; echo '{"type":"result"}'; exit 4`
	a, path := op.stoppable()
	in, line, code := a.program("run", "--", "sh", "-c", claude)
	_, _ = io.WriteString(in, "work for long\n")
	if got := line(); !strings.Contains(got, `"init"`) {
		t.Fatalf("it began with %q", got)
	}
	op.do(200, "POST "+path+"/stop", nil)
	if got := line(); !strings.Contains(got, `"request":{"subtype":"interrupt"}`) {
		t.Errorf("the client was told %q", got)
	}
	if got := code(); got != 4 {
		t.Errorf("it ended with %d", got)
	}

	a, path = op.stoppable()
	in, line, code = a.program("acp", "--", "sh", "-c", `read -r prompt; echo begun; read -r stop; printf '%s\n' "$stop"; exit 5`)
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s7","prompt":[]}}`+"\n")
	if got := line(); got != "begun" {
		t.Fatalf("it began with %q", got)
	}
	op.do(200, "POST "+path+"/stop", nil)
	if got := line(); got != `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s7"}}` {
		t.Errorf("the agent was told %q", got)
	}
	if got := code(); got != 5 {
		t.Errorf("it ended with %d", got)
	}
}
