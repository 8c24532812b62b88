package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hookProgram builds sekisho-hook, once.
var hookProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(settings, "sekisho-hook")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "sekisho/backend/cmd/sekisho-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build sekisho-hook: %s", said)
	}
	return path, nil
})

// hooked is what a client gets of its hook.
type hooked struct {
	exit           int
	stdout, stderr string
}

// hook runs the program for an event, as a client does.
func (v visitor) hook(client, event string, args ...string) hooked {
	v.Helper()
	return v.startHook(client, event, args...)()
}

// startHook is hook whose end is waited for later.
func (v visitor) startHook(client, event string, args ...string) (end func() hooked) {
	v.Helper()
	cmd, out, errs := v.hookCommand(client, event, args...)
	if err := cmd.Start(); err != nil {
		v.Fatal(err)
	}
	return func() hooked {
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			v.Fatal(err)
		}
		return hooked{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
	}
}

func (v visitor) hookCommand(client, event string, args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	v.Helper()
	program, err := hookProgram()
	if err != nil {
		v.Fatal(err)
	}
	cmd = exec.Command(program, append([]string{"--client", client, "--desk", v.url}, args...)...)
	cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+v.token)
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(event), out, errs
	return cmd, out, errs
}

// event is one of Claude Code's before it runs a line.
func event(name, session, id, line string, more ...string) string {
	given, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	if id != "" {
		more = append(more, `"tool_use_id":"`+id+`"`)
	}
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":"/t","cwd":"/work","permission_mode":"default","hook_event_name":%q,"tool_name":"Bash",
		"tool_input":{"command":%s,"description":"So"}%s}`, session, name, given, strings.Join(append([]string{""}, more...), ","))
}

func preTool(session, id, line string) string { return event("PreToolUse", session, id, line) }

const allowed = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`

// wantNo is that a hook said no, with a reason.
func (v visitor) wantNo(got hooked, words string) {
	v.Helper()
	if got.exit != 2 || got.stdout != "" || !strings.Contains(got.stderr, words) {
		v.Errorf("got %+v, want a no with %q", got, words)
	}
}

func (v visitor) wantYes(got hooked, stdout string) {
	v.Helper()
	if got != (hooked{0, stdout, ""}) {
		v.Errorf("got %+v, want a yes", got)
	}
}

// row waits for the row of a session that is n-th.
func (v visitor) row(session string, n int) reply {
	v.Helper()
	list := v.until("a row", "GET /v1/calls?sessionId="+session, func(r reply) bool { return len(r.list("calls")) >= n })
	return v.do(200, "GET /v1/calls/"+at(list.body, "calls.0.id").(string), nil)
}

func (v visitor) rowsOf(session string, want int) {
	v.Helper()
	if rows := v.do(200, "GET /v1/calls?sessionId="+session, nil).list("calls"); len(rows) != want {
		v.Errorf("%d rows of %s, want %d", len(rows), session, want)
	}
}

func (v visitor) says(c reply, approved bool, more fields) {
	v.Helper()
	body := fields{"approved": approved, "reason": "as I said", "inputHash": c.text("call.inputHash"), "rev": c.at("call.rev")}
	for name, value := range more {
		body[name] = value
	}
	v.do(200, "POST /v1/calls/"+c.text("call.id")+"/decision", body)
}

// TestContractHooks: the program against a real desk, as a client runs it.
func TestContractHooks(t *testing.T) {
	p := newParty(t)
	in := func(name string, test func(op, a visitor)) {
		t.Run(name, func(t *testing.T) {
			op, a, _ := p.with(t)
			test(op, a)
		})
	}
	p.op.do(201, "POST /v1/rules", fields{"toolName": "Bash", "effect": "allow", "condition": `input.command == "make check"`})
	p.op.do(201, "POST /v1/rules", fields{"toolName": "Bash", "effect": "deny", "priority": 9, "note": "never that",
		"condition": `input.command == "make trouble"`})
	in("a rule allows", func(op, a visitor) {
		a.wantYes(a.hook("claude", preTool("s1", "t1", "make check")), allowed)
		row := op.row("s1", 1).has("call.status", "completed", "call.result.handedOver", true, "call.handedOver", true,
			"call.runId", "s1", "call.toolCallId", "t1",
			"call.serverId", "<nil>", "call.cwd", "/work", "call.agentId", a.do(200, "GET /v1/calls?sessionId=s1", nil).text("calls.0.agentId"))
		a.wantYes(a.hook("claude", preTool("s1", "t1", "make check")), allowed)
		op.rowsOf("s1", 1)
		row.has("call.toolName", "Bash")
	})
	in("a rule denies", func(_, a visitor) {
		a.wantNo(a.hook("claude", preTool("s2", "t1", "make trouble")), "never that")
		a.wantNo(a.hook("codex", preTool("s2", "t2", "make trouble")), "never that")
	})
	in("a helper of the agent", func(op, a visitor) {
		named := func(kind string) string {
			return strings.Replace(preTool("s16", "t1", "make check"), `{`, `{"agent_type":`+kind+`,`, 1)
		}
		a.wantYes(a.hook("claude", named(`"Explore"`)), allowed)
		op.row("s16", 1).has("call.agentSubagent", "Explore", "call.inputFixed", false)
		a.wantNo(a.hook("claude", named(`"`+strings.Repeat("x", 257)+`"`)), "too long")
		a.wantNo(a.hook("claude", named("7")), "no text")
		op.do(200, "GET /v1/calls?q=explore", nil).has("calls.0.agentSubagent", "Explore")
	})
	in("a person approves, and edits", func(op, a visitor) {
		end := a.startHook("claude", preTool("s3", "t1", "touch x"))
		op.says(op.row("s3", 1), true, nil)
		a.wantYes(end(), allowed)
		end = a.startHook("claude", preTool("s3", "t2", "touch x"))
		op.says(op.row("s3", 2), true, fields{"input": fields{"command": "touch y"}})
		a.wantYes(end(), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"touch y"}}}`)
		end = a.startHook("opencode", `{"event":"tool.execute.before","input":{"tool":"bash","sessionID":"s3o","callID":"c"},"output":{"args":{"command":"x"}}}`)
		row := op.row("s3o", 1).has("call.inputFixed", true)
		op.refused(422, "invalid", "POST /v1/calls/"+row.text("call.id")+"/decision", fields{"approved": true,
			"inputHash": row.text("call.inputHash"), "rev": row.at("call.rev"), "input": fields{"command": "y"}})
		op.says(op.row("s3o", 1).has("call.status", "pending"), false, nil)
		a.wantNo(end(), "as I said")
	})
	in("a person declines", func(op, a visitor) {
		end := a.startHook("claude", preTool("s4", "t1", "touch x"))
		op.says(op.row("s4", 1), false, nil)
		a.wantNo(end(), "as I said")
		end = a.startHook("claude", event("PermissionRequest", "s4b", "", "touch x"))
		op.says(op.row("s4b", 1), false, nil)
		if got := end(); got.exit != 0 || !strings.Contains(got.stdout, `"behavior":"deny","message":"Declined by a person: as I said`) {
			t.Errorf("got %+v", got)
		}
	})
	in("nobody answers", func(op, a visitor) {
		op.do(200, "PATCH /v1/settings", `{"deadlines":{"low":1,"medium":1,"high":1}}`)
		defer op.do(200, "PATCH /v1/settings", `{"deadlines":{"low":300,"medium":300,"high":600},"hooks":{"unanswered":"deny"}}`)
		a.wantNo(a.hook("claude", preTool("s5", "t1", "touch x")), "Approval timeout: nobody answered")
		op.row("s5", 1).says("call.decision.reason", "Approval timeout: ")
		op.refused(422, "invalid", "PATCH /v1/settings", `{"hooks":{"unanswered":"allow"}}`)
		op.do(200, "PATCH /v1/settings", `{"hooks":{"unanswered":"client"}}`).has("hooks.unanswered", "client")
		if got := a.hook("claude", preTool("s5", "t2", "touch x")); got.exit != 0 || !strings.Contains(got.stdout, `"permissionDecision":"ask"`) {
			t.Errorf("got %+v", got)
		}
		a.wantNo(a.hook("codex", preTool("s5", "t3", "touch x")), "Approval timeout: nobody answered")
	})
	in("two at once are one row", func(op, a visitor) {
		first, second := a.startHook("claude", preTool("s6", "t1", "touch x")), a.startHook("claude", preTool("s6", "t1", "touch x"))
		op.says(op.row("s6", 1), true, nil)
		a.wantYes(first(), allowed)
		a.wantYes(second(), allowed)
		op.rowsOf("s6", 1)
		noID := `{"session_id":"s6g","cwd":"/w","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"x"}}`
		first, second = a.startHook("gemini", noID), a.startHook("gemini", noID)
		c := op.row("s6g", 1).has("call.toolCallId", "ask:"+hexSHA(`["s6g","run_shell_command",{"command":"x"}]`)[:32]+":0")
		time.Sleep(200 * time.Millisecond) // both are there
		op.says(c, true, nil)
		a.wantYes(first(), `{"decision":"allow"}`)
		a.wantYes(second(), `{"decision":"allow"}`)
		op.rowsOf("s6g", 1)
	})
	in("two one after the other are one row", func(op, a visitor) {
		event := func(at int) string {
			return fmt.Sprintf(`{"sessionId":"s6c","timestamp":%d,"cwd":"/w","toolName":"bash","toolArgs":{"command":"x"}}`, at)
		}
		first := a.startHook("copilot", event(1))
		op.says(op.row("s6c", 1), true, nil)
		a.wantYes(first(), `{"permissionDecision":"allow"}`)
		a.wantYes(a.hook("copilot", event(1)), `{"permissionDecision":"allow"}`)
		op.rowsOf("s6c", 1)
		later := a.startHook("copilot", event(2))
		op.says(op.row("s6c", 2), false, nil)
		for _, got := range []hooked{later(), a.hook("copilot", event(2))} {
			if got.exit != 2 || !strings.Contains(got.stderr, "as I said") {
				t.Errorf("got %+v", got)
			}
		}
		op.rowsOf("s6c", 2)
	})
	in("one of two leaves", func(op, a visitor) {
		cmd, _, _ := a.hookCommand("claude", preTool("s7", "t1", "touch x"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c := op.row("s7", 1)
		other := a.startHook("claude", preTool("s7", "t1", "touch x"))
		time.Sleep(200 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		time.Sleep(300 * time.Millisecond)
		op.says(op.row("s7", 1).has("call.callerGone", false, "call.id", c.text("call.id")), true, nil)
		a.wantYes(other(), allowed)
	})
	in("a yes after the client died", func(op, a visitor) {
		cmd, _, _ := a.hookCommand("claude", preTool("s8", "t1", "touch x"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		op.row("s8", 1)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		c := op.until("gone", "GET /v1/calls?sessionId=s8", func(r reply) bool { return r.at("calls.0.callerGone") == true })
		op.says(op.do(200, "GET /v1/calls/"+c.text("calls.0.id"), nil), true, nil)
		op.row("s8", 1).has("call.status", "approved", "call.result", "<nil>")
		a.wantYes(a.hook("claude", preTool("s8", "t1", "touch x")), allowed) // the client is back
	})
	in("three at once", func(op, a visitor) {
		var ends []func() hooked
		for i := range 3 {
			ends = append(ends, a.startHook("claude", preTool("s9", fmt.Sprint("t", i), fmt.Sprint("touch ", i))))
		}
		op.row("s9", 3)
		for _, c := range op.do(200, "GET /v1/calls?sessionId=s9", nil).list("calls") {
			row := op.do(200, "GET /v1/calls/"+at(c, "id").(string), nil)
			op.says(row, row.text("call.input.command") != "touch 1", nil)
		}
		for i, end := range ends {
			if got := end(); (got.exit == 0) != (i != 1) {
				t.Errorf("%d: %+v", i, got)
			}
		}
	})
	in("one question for two events", func(op, a visitor) {
		end := a.startHook("claude", preTool("s10", "t1", "touch x"))
		op.says(op.row("s10", 1), true, nil)
		a.wantYes(end(), allowed)
		a.wantYes(a.hook("claude", event("PermissionRequest", "s10", "", "touch x")),
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`)
		op.rowsOf("s10", 1)
		end = a.startHook("claude", preTool("s10", "t2", "touch x")) // another call of the same
		op.says(op.row("s10", 2), false, nil)
		a.wantNo(end(), "as I said")
	})
	in("defer", func(op, a visitor) {
		if got := a.hook("claude", preTool("s11", "t1", "touch x"), "--defer", "0.5"); got.exit != 0 || !strings.Contains(got.stdout,
			`"permissionDecision":"defer"`) {
			t.Fatalf("got %+v", got)
		}
		a.wantNo(a.hook("claude", preTool("s11", "t2", "make check"), "--defer", "0.5"), "would be lost")
		op.says(op.row("s11", 1).has("call.callerGone", true), true, nil)
		a.wantYes(a.hook("claude", preTool("s11", "t1", "touch x"), "--defer", "0.5"), allowed)
		a.wantYes(a.hook("claude", preTool("s11", "t2", "make check"), "--defer", "0.5"), allowed)
	})
	in("no opinion", func(op, a visitor) {
		for _, tool := range []string{"AskUserQuestion", "ExitPlanMode"} {
			a.wantYes(a.hook("claude", strings.Replace(preTool("s12", "t1", "x"), `"Bash"`, `"`+tool+`"`, 1)), "{}")
		}
		op.rowsOf("s12", 0)
	})
	in("what is no event", func(_, a visitor) {
		for _, raw := range []string{"", "{}", "[]", "null", preTool("", "t", "x"), preTool("s13", "t", "make check") + "x",
			strings.Replace(preTool("s13", "t", "make check"), "PreToolUse", "PostToolUse", 1),
			strings.Replace(preTool("s13", "t", "make check"), `{"session_id"`, `{"session_id":"other","session_id"`, 1)} {
			a.wantNo(a.hook("claude", raw), "Sekisho")
		}
		a.wantNo(a.hook("zed", preTool("s13", "t", "make check")), "404")
		a.refused(404, "not_found", "POST /v1/hooks/codex/http", "{}")
		a.refused(422, "invalid", "POST /v1/hooks/claude?defer=no", "{}")
		a.wantNo(a.hook("claude", preTool("s13", "t", "make check"), "--help"), "not allowed")
		a.wantNo(a.hook("claude", preTool("s13", "t", "make check"), "word"), "too many")
		p.op.refused(403, "forbidden", "POST /v1/hooks/claude", "{}")
	})
	in("over HTTP", func(op, a visitor) {
		a.do(200, "POST /v1/hooks/claude/http", preTool("s14", "t1", "make check")).has("hookSpecificOutput.permissionDecision", "allow")
		a.do(200, "POST /v1/hooks/claude/http", preTool("s14", "t2", "make trouble")).has("hookSpecificOutput.permissionDecision", "deny").
			says("hookSpecificOutput.permissionDecisionReason", "never that")
		many := strings.Replace(preTool("s14", "t3", "make check"), `"description":"So"`, `"x":[`+strings.Repeat("0,", 2_000_000)+"0]", 1)
		large := preTool("s14", "t4", "make check") + strings.Repeat(" ", 33<<20)
		for what, raw := range map[string]string{"no JSON": `{"a"}`, "many": many, "large": large} { // after any status but 200 the tool runs
			if got := a.do(200, "POST /v1/hooks/claude/http", raw); got.text("hookSpecificOutput.permissionDecision") != "deny" {
				t.Errorf("%s: %s", what, got.body)
			}
		}
		a.do(200, "POST /v1/hooks/claude/http?defer=no", preTool("s14", "t5", "make check")).has("hookSpecificOutput.permissionDecision", "deny")
	})
	in("a tool of a server", func(op, a visitor) {
		end := a.startHook("claude", strings.Replace(preTool("s15", "t1", "x"), `"Bash"`, `"mcp__my_files__read_all"`, 1))
		op.says(op.row("s15", 1).has("call.serverId", "my_files", "call.toolName", "read_all"), true, nil)
		a.wantYes(end(), allowed)
	})
	in("a name that could be of two servers", func(op, a visitor) {
		op.do(201, "POST /v1/rules", fields{"serverId": "weather", "effect": "allow"})
		of := func(name, more string) string {
			event := strings.Replace(preTool("s18", "t"+more, "x"), `"Bash"`, `"`+name+`"`, 1)
			return strings.Replace(event, `"cwd"`, `"mcp_server":{"name":"`+more+`"},"cwd"`, 1)
		}
		a.wantYes(a.hook("claude", of("mcp__weather__x__rm", "weather")), allowed)
		end := a.startHook("claude", of("mcp__weather__x__rm", ""))
		op.says(op.row("s18", 2).has("call.serverId", nil, "call.toolName", "mcp__weather__x__rm"), false, nil)
		a.wantNo(end(), "Declined")
		end = a.startHook("claude", of("mcp__weather__x__rm", "weather__x"))
		op.says(op.row("s18", 3).has("call.serverId", "weather__x", "call.toolName", "rm"), false, nil)
		a.wantNo(end(), "Declined")
	})
	in("another folder", func(op, a visitor) {
		end := a.startHook("claude", preTool("s19", "t1", "x"))
		elsewhere := strings.Replace(preTool("s19", "t1", "x"), `"cwd":"/`, `"cwd":"/else/`, 1)
		op.row("s19", 1)
		a.wantNo(a.hook("claude", elsewhere), "another folder")
		op.says(op.row("s19", 1), true, nil)
		a.wantYes(end(), allowed)
		a.wantNo(a.hook("claude", elsewhere), "another folder")
	})
}

// TestContractHooksTellCopilot: it passes on no words of stderr, so that a no is JSON beside them.
func TestContractHooksTellCopilot(t *testing.T) {
	op, a, _ := newParty(t).with(t)
	op.do(201, "POST /v1/rules", fields{"toolName": "bash", "effect": "deny", "note": "never that"})
	got := a.hook("copilot", `{"sessionId":"`+unique("s")+`","timestamp":1,"cwd":"/work","toolName":"bash","toolArgs":{"command":"make"}}`)
	var said struct{ PermissionDecision, PermissionDecisionReason string }
	if err := json.Unmarshal([]byte(got.stdout), &said); err != nil || got.exit != 2 || !strings.Contains(got.stderr, "never that") ||
		said.PermissionDecision != "deny" || !strings.Contains(said.PermissionDecisionReason, "never that") {
		t.Errorf("%+v %v", got, err)
	}
}

// TestContractHooksFailClosed: nothing but a desk's own yes lets the program exit with 0.
func TestContractHooksFailClosed(t *testing.T) {
	d := start(t, t.TempDir())
	a := d.visit(t, "agent", d.agent("a"))
	d.operate("POST", "/v1/rules", `{"toolName":"Bash","effect":"allow"}`, nil)
	good := preTool("s", "t", "x")
	a.wantYes(a.hook("claude", good), allowed)
	a.wantNo(visitor{T: t, url: a.url, token: "sko_unknown"}.hook("claude", good), "does not know this token")
	a.wantNo(visitor{T: t, url: "https" + strings.TrimPrefix(a.url, "http"), token: a.token}.hook("claude", good), "not allowed")
	cmd, _, errs := a.hookCommand("claude", good)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "SEKISHO_TOKEN") })
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+t.TempDir())
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(errs.String(), "there is no token") {
		t.Errorf("without a token: %v %s", err, errs)
	}
	at := func(serve func(net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go serve(c)
			}
		}()
		return "http://" + l.Addr().String()
	}
	impostor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"exit":0,"stdout":"","stderr":"","proof":"00"}`)
	}))
	defer impostor.Close()
	for name, url := range map[string]string{
		"nobody":      "http://127.0.0.1:1",
		"hangs":       at(func(net.Conn) {}),
		"garbage":     at(func(c net.Conn) { fmt.Fprint(c, "garbage\r\n\r\n"); c.Close() }),
		"hangs up":    at(func(c net.Conn) { c.Close() }),
		"an impostor": impostor.URL,
		"no URL":      "nonsense",
		"says too much": at(func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n"+`{"exit":0,"stdout":"","stderr":""}`)
		}),
	} {
		began := time.Now()
		a.wantNo(visitor{T: t, url: url, token: a.token}.hook("claude", good), "not allowed")
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
	if runtime.GOOS != "windows" { // a client that has closed its ends of the pipes gets an exit code all the same
		for _, client := range []string{"claude", "copilot"} {
			cmd, _, _ := visitor{T: t, url: "http://127.0.0.1:1", token: a.token}.hookCommand(client, good)
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reader.Close()
			cmd.Stdout, cmd.Stderr = writer, writer
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("%s that does not read: %v", client, err)
			}
			writer.Close()
		}
	}
	d.operate("POST", "/v1/hold", `{"on":true}`, nil)
	end := a.startHook("claude", preTool("s", "t2", "x"))
	op := d.visit(t, "operator", operator)
	op.row("s", 2)
	d.kill()
	a.wantNo(end(), "not allowed")
	a.wantNo(a.hook("claude", good), "cannot be reached")
}
