package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a page that a login link was opened in.
func (d *daemon) browser(op visitor) visitor {
	d.Helper()
	_, code, ok := strings.Cut(op.do(201, "POST /v1/login-codes", nil).text("loginUrl"), "#login=")
	if !ok {
		d.Fatal("a login link without a code")
	}
	page := op
	page.name, page.token = "browser", op.do(200, "POST /v1/login", fields{"code": code}).text("token")
	return page
}

func (v visitor) attend(c reply) {
	v.Helper()
	v.do(204, "POST /v1/attention", fields{"callId": c.text("call.id"), "rev": c.at("call.rev")})
}

func (v visitor) away() {
	v.Helper()
	v.do(204, "POST /v1/attention", fields{"callId": nil, "rev": 0})
}

// approving is the request that approves a call.
func approving(c reply) (line string, body fields) {
	return "POST /v1/calls/" + c.text("call.id") + "/decision",
		fields{"approved": true, "inputHash": c.text("call.inputHash"), "rev": c.at("call.rev")}
}

func (v visitor) unarmed(c reply) {
	v.Helper()
	line, body := approving(c)
	v.refused(409, "not_armed", line, body).has("call.status", "pending", "call.id", c.text("call.id"))
}

func (v visitor) approves(c reply) {
	v.Helper()
	line, body := approving(c)
	v.do(200, line, body).has("call.status", "approved")
}

// TestContractFaces: a page approves what it had in view, by the desk's clock.
func TestContractFaces(t *testing.T) {
	p := newParty(t)
	op, a, _ := p.with(t)
	page, other := p.browser(op), p.browser(op)
	ask := func(tool string, input any) reply {
		return a.do(201, "POST /v1/calls", fields{"runId": unique("run"), "toolCallId": "1", "toolName": tool, "input": input})
	}
	medium, high := ask("write_file", fields{"n": 1}), ask("delete_file", fields{"n": 1})
	for _, c := range []reply{medium, high} {
		page.unarmed(c)
	}
	page.attend(medium)
	page.unarmed(medium)
	other.attend(high)
	time.Sleep(750 * time.Millisecond)
	other.unarmed(medium)
	other.unarmed(high)
	twin, changed := ask("write_file", fields{"n": 1}), ask("write_file", fields{"n": 2})
	page.away()
	page.approves(medium)
	page.approves(twin)
	page.unarmed(changed)
	time.Sleep(800 * time.Millisecond)
	other.approves(high)

	page.attend(changed)
	time.Sleep(750 * time.Millisecond)
	later := op.do(200, "POST /v1/calls/"+changed.text("call.id")+"/extend", fields{"seconds": 60})
	page.refused(409, "stale", "POST /v1/attention", fields{"callId": changed.text("call.id"), "rev": 9})
	page.approves(later)                           // what is shown is the same
	op.approves(ask("write_file", fields{"n": 3})) // the person's own programs
	a.do(403, "POST /v1/attention", fields{"callId": nil, "rev": 0})
	page.refused(404, "not_found", "POST /v1/attention", fields{"callId": nobodys, "rev": 1})
	page.refused(422, "invalid", "POST /v1/attention", fields{"callId": nil})
}

// TestContractSearch: a text in a name, with several states, beside the desk's clock.
func TestContractSearch(t *testing.T) {
	p := newParty(t)
	op, a, b := p.with(t)
	tool := unique("Search_Me%")
	for i, v := range []visitor{a, b} {
		v.do(201, "POST /v1/calls", fields{"runId": "r", "toolCallId": fmt.Sprint(i), "toolName": tool})
	}
	line := "GET /v1/calls?status=pending,declined&q=" + strings.NewReplacer("%", "%25", "S", "s").Replace(tool)
	if found := op.do(200, line, nil); len(found.list("calls")) != 2 || time.Since(found.time("now")).Abs() > 5*time.Second {
		t.Errorf("found %s", found.raw)
	}
	if found := a.do(200, line, nil); len(found.list("calls")) != 1 {
		t.Errorf("an agent found %s", found.raw)
	}
	if found := op.do(200, strings.Replace(line, "earch_", "earchx", 1), nil); len(found.list("calls")) != 0 {
		t.Errorf("_ stands for another letter: %s", found.raw)
	}
}

// TestContractTrials: a server is started, asked and ended, with the secret that is
// kept.
func TestContractTrials(t *testing.T) {
	p := newParty(t)
	op, _, _ := p.with(t)
	kept := fields{"id": "kept", "command": "true", "env": fields{"KEY": "secret-of-mine"}, "enabled": false}
	op.do(200, "PUT /v1/servers", fields{"servers": []any{kept}})
	mark := filepath.Join(t.TempDir(), "pid")
	try := func(script string) reply {
		masked := fields{"id": "kept", "command": "sh", "args": []any{"-c", script}, "env": fields{"KEY": "********"}}
		return op.do(200, "POST /v1/servers/test", fields{"server": masked})
	}
	try(`echo $$ >`+mark+
		`; read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{}}}'
		read line; read line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"'$KEY'"}]}}'; sleep 100`).has("ok", true, "tools.0", "secret-of-mine", "error", "", "stderr", "")
	try(`echo "no luck" >&2; exit 3`).has("ok", false, "stderr", "no luck\n").says("error", "exit status 3")
	var pid int
	if raw, err := os.ReadFile(mark); err != nil {
		t.Fatal(err)
	} else if _, err := fmt.Sscan(string(raw), &pid); err != nil || runs(pid) {
		t.Errorf("process %d is left, %v", pid, err)
	}
	op.do(200, "GET /v1/servers", nil).has("servers.0.command", "true", "servers.0.tools", "[]", "servers.0.state", "disabled")
	op.refused(422, "invalid", "POST /v1/servers/test",
		fields{"server": fields{"id": "new", "command": "true", "env": fields{"KEY": "********"}}}).has("field", "server.env.KEY")
}

// TestContractDemo: the desk's own call, across kill -9.
func TestContractDemo(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	op := d.visit(t, "operator", operator)
	c := op.do(200, "POST /v1/demo", nil).has("call.status", "pending", "call.agentName", "sekisho-demo", "call.callerGone", false)
	fits(t, "demo", c.body, oneCall)
	op.approves(c)
	op.until("completed", "GET /v1/calls/"+c.text("call.id"), func(r reply) bool {
		return r.text("call.status") == "completed"
	}).says("call.result.greeting", "Hello")
	left := op.do(200, "POST /v1/demo", nil)
	d.kill()

	op = start(t, dir).visit(t, "operator", operator)
	line := "GET /v1/calls/" + left.text("call.id")
	now := op.do(200, line, nil).has("call.status", "pending", "call.callerGone", true)
	op.approves(now)
	op.do(200, "POST /v1/demo", nil).has("call.status", "pending", "call.agentId", c.text("call.agentId"))
	op.do(200, line, nil).has("call.status", "approved", "call.result", nil)
	op.do(422, "POST /v1/agents", fields{"name": "sekisho-demo"})
}
