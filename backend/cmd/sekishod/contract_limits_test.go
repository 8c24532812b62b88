package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestContractLimits holds the limits of rules and the brake to section 6.
func TestContractLimits(t *testing.T) {
	p := newParty(t)
	for name, test := range map[string]func(op, a, b visitor){
		"limit": limits, "places": places, "lines": limitedLines, "edits": limitEdits, "bad limits": badLimits, "release": limitedRelease,
		"wide answers": limitedAnswers,
	} {
		t.Run(name, func(t *testing.T) {
			op, a, b := p.with(t)
			op.rules()
			test(op, a, b)
		})
	}
}

// limit makes an allow rule with a limit for a new tool.
func (v visitor) limit(calls, seconds int, more fields) (tool, rule string) {
	v.Helper()
	tool = unique("tool")
	body := fields{"toolName": tool, "autoApprove": true, "priority": 7, "limit": fields{"calls": calls, "seconds": seconds}}
	for key, value := range more {
		body[key] = value
	}
	return tool, v.do(201, "POST /v1/rules", body).has("rule.limit.calls", calls, "rule.limit.seconds", seconds).text("rule.id")
}

// limits: over all agents, beyond it the rule does not apply, and the reason says so.
func limits(op, a, b visitor) {
	tool, rule := op.limit(2, 3600, nil)
	of := fields{"toolName": tool, "input": unique("x")}
	op.judge(tool, nil).has("decision", "allow")
	first := a.ask(201, of).has("call.status", "approved", "call.decision.by", "rule", "call.decision.ruleId", rule,
		"call.decision.places", []any{rule}, "call.why.code", "rule_allows")
	op.judge(tool, nil).has("decision", "allow") // it takes no place
	b.ask(201, of).has("call.status", "approved")
	a.ask(201, of).has("call.status", "pending", "call.why.code", "limit_reached", "call.why.rule", nil, "call.why.params.ruleId", rule,
		"call.why.params.calls", 2, "call.why.params.seconds", 3600)
	op.judge(tool, nil).has("decision", "ask", "code", "limit_reached", "trace.0.code", "limit_reached", "trace.0.applies", false,
		"trace.0.params.calls", 2)
	a.claim(200, first, "k").has("call.status", "claimed") // it keeps the place that it took

	tool, _ = op.limit(1, 1, nil)
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if op.judge(tool, nil).text("decision") == "allow" {
			break
		}
		if time.Now().After(deadline) {
			op.Fatal("the window does not slide")
		}
	}
	b.ask(201, fields{"toolName": tool}).has("call.status", "approved")

	tool, rule = op.limit(1, 3600, nil)
	other := op.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true, "priority": 6}).text("rule.id")
	a.ask(201, fields{"toolName": tool}).has("call.decision.ruleId", rule)
	a.ask(201, fields{"toolName": tool}).has("call.decision.ruleId", other, "call.decision.places", missing, "call.why.code", "rule_allows")
	op.do(200, "PATCH /v1/rules/"+other, fields{"effect": "ask"})
	a.ask(201, fields{"toolName": tool}).has("call.status", "pending", "call.why.rule.id", other, "call.why.code", "limit_reached")
	op.do(200, "PATCH /v1/rules/"+other, fields{"effect": "deny"})
	a.ask(201, fields{"toolName": tool}).has("call.status", "denied", "call.why.code", "rule_denies")
}

// places: what takes one, and what gives none back.
func places(op, a, _ visitor) {
	tool, _ := op.limit(1, 3600, nil)
	same := fields{"toolName": tool, "runId": "r", "toolCallId": "1"}
	c := a.ask(201, same).has("call.status", "approved")
	a.ask(200, same).has("call.id", c.id(), "call.status", "approved")
	a.do(200, "POST /v1/calls/"+c.id()+"/cancel", fields{"reason": "no need"})
	a.ask(201, fields{"toolName": tool}).has("call.status", "pending") // a cancelled call keeps its place

	tool, rule := op.limit(1, 3600, nil)
	c = a.ask(201, fields{"toolName": tool})
	op.do(200, "PATCH /v1/rules/"+rule, fields{"note": "edited"})
	a.claim(200, c, "k").has("call.status", "claimed")

	// A call whose rule goes is another rule's at its claim, and takes a place of that.
	tool, rule = op.limit(1, 3600, nil)
	c = a.ask(201, fields{"toolName": tool})
	op.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true, "limit": fields{"calls": 1, "seconds": 3600}})
	op.do(200, "DELETE /v1/rules/"+rule, nil)
	a.claim(200, c, "k")
	a.ask(201, fields{"toolName": tool}).has("call.status", "pending", "call.why.code", "limit_reached")

	// What a person approves takes none.
	tool, _ = op.limit(1, 3600, nil)
	ask := op.do(201, "POST /v1/rules", fields{"toolName": tool, "effect": "ask", "priority": 9}).text("rule.id")
	op.decide(200, a.ask(201, fields{"toolName": tool}).id(), fields{"approved": true})
	op.do(200, "DELETE /v1/rules/"+ask, nil)
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved", "call.decision.by", "rule")
}

// limitedLines: a line takes one place of each rule that allows a part.
func limitedLines(op, a, _ visitor) {
	rule := func(id, program string, calls int) {
		op.do(201, "POST /v1/rules", fields{"id": id, "serverId": "shell", "autoApprove": true, "limit": fields{"calls": calls, "seconds": 3600},
			"condition": fmt.Sprintf("shell(input.command).names == [%q]", program)})
	}
	line := func(command string) reply {
		return a.ask(201, fields{"serverId": "shell", "toolName": "execute_command", "input": fields{"command": command, "n": unique("n")}})
	}
	rule("status", "git status", 3)
	rule("log", "git log", 2)
	line("git status && git log -1 && git status -s").has("call.status", "approved", "call.decision.places", []any{"status", "log"})
	line("git status && git log -1").has("call.status", "approved")
	line("git status && git log -1").has("call.status", "pending", "call.why.code", "limit_reached", "call.why.params.ruleId", "log",
		"call.why.parts.0.decision", "allow", "call.why.parts.1.decision", "ask")
	line("git status").has("call.status", "approved") // what asked took no place of the other rule
	line("git status").has("call.status", "pending", "call.why.params.ruleId", "status")
}

// limitEdits: an edited rule keeps its counts, and a document has limits too.
func limitEdits(op, a, _ visitor) {
	tool, rule := op.limit(1, 3600, nil)
	of := fields{"toolName": tool}
	a.ask(201, of).has("call.status", "approved")
	a.ask(201, of).has("call.status", "pending")
	op.do(200, "PATCH /v1/rules/"+rule, fields{"limit": fields{"calls": 2, "seconds": 60}}).has("rule.limit.calls", 2)
	a.ask(201, of).has("call.status", "approved")
	a.ask(201, of).has("call.status", "pending")
	document := op.do(200, "GET /v1/policy", nil).body
	op.do(200, "PATCH /v1/rules/"+rule, fields{"limit": nil}).has("rule.limit", nil)
	a.ask(201, of).has("call.status", "approved", "call.decision.places", missing)
	diff := op.do(200, "POST /v1/policy/diff", fields{"document": document, "mode": "merge"})
	diff.has("diff.allows", []any{}, "diff.changed.0.before.limit", nil, "diff.changed.0.after.limit.calls", 2)
	op.do(200, "POST /v1/policy/import", fields{"document": document, "mode": "merge"})
	a.ask(201, of).has("call.status", "pending")
	op.do(200, "PATCH /v1/rules/"+rule, fields{"limit": fields{"calls": 1, "seconds": 60}})
	op.do(200, "POST /v1/policy/diff", fields{"document": document, "mode": "merge"}).has("diff.allows", []any{rule}) // it allows more
	var said any
	for _, e := range op.journal() {
		if at(e, "kind") == any("rules.changed") {
			said = at(e, "data.rule.limit.calls")
		}
	}
	if fmt.Sprint(said) != "1" {
		op.Errorf("the journal says %v", said)
	}
}

// badLimits are refused with the field and its code.
func badLimits(op, _, _ visitor) {
	for body, want := range map[string]string{
		`{"effect":"ask","limit":{"calls":1,"seconds":1}}`:              "limit limit_effect",
		`{"effect":"deny","limit":{"calls":1,"seconds":1}}`:             "limit limit_effect",
		`{"autoApprove":true,"limit":{"calls":0,"seconds":1}}`:          "limit.calls out_of_range",
		`{"autoApprove":true,"limit":{"calls":1000001,"seconds":1}}`:    "limit.calls out_of_range",
		`{"autoApprove":true,"limit":{"calls":1,"seconds":0}}`:          "limit.seconds out_of_range",
		`{"autoApprove":true,"limit":{"calls":1,"seconds":2592001}}`:    "limit.seconds out_of_range",
		`{"autoApprove":true,"limit":{"calls":1.5,"seconds":1}}`:        "limit.calls wrong_type",
		`{"autoApprove":true,"limit":{"calls":1}}`:                      "limit.seconds required",
		`{"autoApprove":true,"limit":{"calls":1,"seconds":1,"days":1}}`: "limit.days unknown_field",
		`{"autoApprove":true,"limit":3}`:                                "limit wrong_type",
	} {
		op.badField(want, "POST /v1/rules", body)
	}
	_, rule := op.limit(1, 1, nil)
	op.badField("limit limit_effect", "PATCH /v1/rules/"+rule, `{"effect":"ask"}`)
	op.do(200, "PATCH /v1/rules/"+rule, fields{"effect": "ask", "limit": nil})
	first := fields{"toolName": "x", "autoApprove": true, "limit": fields{"calls": 1, "seconds": 1}} // it does not cover the second
	op.do(200, "POST /v1/rules/lint", fields{"rules": []any{first, fields{"toolName": "x", "autoApprove": true, "priority": -1}}}).has(
		"findings", []any{})
	for body, want := range map[string]string{
		`{"brake":{"calls":0,"seconds":60}}`:     "brake.calls out_of_range",
		`{"brake":{"calls":10001,"seconds":60}}`: "brake.calls out_of_range",
		`{"brake":{"calls":50,"seconds":3601}}`:  "brake.seconds out_of_range",
		`{"brake":true}`:                         "brake wrong_type",
	} {
		op.badField(want, "PATCH /v1/settings", body)
	}
	op.do(200, "GET /v1/settings", nil).has("brake.calls", 50, "brake.seconds", 60)
}

// badField wants one field to be refused, named with its code.
func (v visitor) badField(want, line, body string) {
	v.Helper()
	r := v.do(422, line, body)
	field, code, _ := strings.Cut(want, " ")
	if r.text("field") == field && strings.Contains(string(r.raw), `"`+code+`"`) {
		return
	}
	for _, e := range r.list("errors") {
		if strings.HasSuffix(fmt.Sprint(at(e, "location")), field) && fmt.Sprint(at(e, "code")) == code {
			return
		}
	}
	v.Errorf("%s %s: %s, want %s", line, body, r.raw, want)
}

// limitedRelease: a person lets as many go as the limit has places.
func limitedRelease(op, a, _ visitor) {
	tool := unique("tool")
	for range 5 {
		a.ask(201, fields{"toolName": tool}).has("call.status", "pending")
	}
	body := fields{"toolName": tool, "autoApprove": true, "limit": fields{"calls": 3, "seconds": 3600}}
	rule := op.do(201, "POST /v1/rules", body).text("rule.id")
	op.do(200, "POST /v1/calls/release", fields{"ruleId": rule}).has("released", 3)
	op.do(200, "POST /v1/calls/release", fields{"ruleId": rule}).has("released", 0)
	op.judge(tool, nil).has("decision", "ask", "code", "limit_reached")
}

// limitedAnswers: beyond a limit the call is answered for itself alone.
func limitedAnswers(op, a, _ visitor) {
	tool, _ := op.limit(1, 3600, nil)
	of := func() reply { return a.ask(201, fields{"toolName": tool, "sessionId": "s", "input": unique("x")}) }
	of().has("call.status", "approved")
	c := of().has("call.status", "pending", "call.covers", nil)
	op.decide(200, c.id(), fields{"approved": true, "scope": "session"}).has("call.decision.scope", "once", "settled", []any{})
	of().has("call.status", "pending")
}

// TestContractBrake: the same call that is allowed again and again asks.
func TestContractBrake(t *testing.T) {
	p := newParty(t)
	op, a, b := p.with(t)
	op.rules()
	op.do(200, "PATCH /v1/settings", fields{"brake": fields{"calls": 3, "seconds": 3600}}).has("brake.calls", 3)
	tool, _ := op.allows()
	same := func(v visitor, session string) reply {
		return v.ask(201, fields{"toolName": tool, "sessionId": session, "input": fields{"n": 1}})
	}
	for range 3 {
		same(a, "s").has("call.status", "approved")
	}
	held := same(a, "s").has("call.status", "pending", "call.why.code", "brake", "call.why.rule", nil, "call.why.params.calls", 3,
		"call.why.params.seconds", 3600, "call.covers", nil)
	same(a, "other").has("call.status", "approved")
	same(b, "s").has("call.status", "approved")
	a.ask(201, fields{"toolName": tool, "sessionId": "s", "input": fields{"n": 2}}).has("call.status", "approved")

	op.decide(200, held.id(), fields{"approved": true, "scope": "session"}).has("call.decision.scope", "once")
	for range 3 { // a yes starts the count anew
		same(a, "s").has("call.status", "approved")
	}
	held = same(a, "s").has("call.why.code", "brake")

	// No grant answers it, and what a grant allows counts.
	granted := func() reply { return a.ask(201, fields{"toolName": "granted", "sessionId": "g", "input": fields{}}) }
	op.decide(200, granted().id(), fields{"approved": true, "scope": "session"})
	for range 3 {
		granted().has("call.status", "approved", "call.decision.by", "grant")
	}
	granted().has("call.status", "pending", "call.why.code", "brake", "call.onlyOnce", "own_question")

	// Where each request is a session of its own, the agent's count.
	alone := func() reply {
		id := unique("id")
		return a.ask(201, fields{"toolName": tool, "runId": id, "toolCallId": id, "input": fields{"n": 3}})
	}
	for range 3 {
		alone().has("call.status", "approved")
	}
	alone().has("call.why.code", "brake")

	p.restart()
	op.url, a.url, b.url = p.URL, p.URL, p.URL
	same(a, "s").has("call.why.code", "brake")
	granted().has("call.why.code", "brake")
	alone().has("call.why.code", "brake")
	same(b, "s").has("call.status", "approved")
	op.decide(200, held.id(), fields{"approved": true})
	p.restart()
	op.url, a.url, b.url = p.URL, p.URL, p.URL
	same(a, "s").has("call.status", "approved")

	op.do(200, "PATCH /v1/settings", fields{"brake": nil}).has("brake", nil)
	alone().has("call.status", "approved")
	op.do(200, "PATCH /v1/settings", fields{"brake": fields{"calls": 4, "seconds": 3600}})
	alone().has("call.why.code", "brake") // what was allowed lately counts
}

// restart ends the desk by force, and starts it again over its folder.
func (p *party) restart() {
	p.Helper()
	p.kill()
	p.daemon = start(p.T, p.dir())
}

func (d *daemon) dir() string {
	for i, arg := range d.cmd.Args {
		if arg == "--data" {
			return d.cmd.Args[i+1]
		}
	}
	return ""
}

// TestContractLimitsAreExact: 16 connections ask at once for fewer places than they are, the
// desk is killed meanwhile again and again, and in the end exactly as many calls were allowed
// as the limit says; no caller was told of more.
func TestContractLimitsAreExact(t *testing.T) {
	const connections, rounds, limit = 16, 5, 200
	p := newParty(t)
	op, a, b := p.with(t)
	op.rules()
	tool, rule := op.limit(limit, 3600, nil)
	var told sync.Map // the calls of which an answer said that they are approved
	for round := range rounds {
		var wg sync.WaitGroup
		for i := range connections {
			v := []visitor{a, b}[i%2]
			wg.Go(func() {
				for n := range 30 { // together more than there are places
					body := fmt.Sprintf(`{"runId":"r%d","toolCallId":"%d.%d","toolName":%q,"input":{"n":%d}}`, round, i, n, tool, n*connections+i)
					for range 1 + rand.IntN(2) { // some ask twice
						req, _ := http.NewRequestWithContext(t.Context(), "POST", v.url+"/v1/calls", strings.NewReader(body))
						req.Header.Set("Authorization", "Bearer "+v.token)
						req.Header.Set("Content-Type", "application/json")
						resp, err := http.DefaultClient.Do(req)
						if err != nil {
							return // it is killed
						}
						var answer struct{ Call struct{ ID, Status string } }
						if json.NewDecoder(resp.Body).Decode(&answer) == nil && answer.Call.Status == "approved" {
							told.Store(answer.Call.ID, true)
						}
						resp.Body.Close()
					}
				}
			})
		}
		if round < rounds-1 {
			time.Sleep(time.Duration(10+rand.IntN(30)) * time.Millisecond)
			p.kill()
		}
		wg.Wait()
		if round < rounds-1 {
			p.daemon = start(t, p.dir())
			op.url, a.url, b.url = p.URL, p.URL, p.URL
		}
		t.Logf("after round %d %d are allowed", round, len(op.allowedBy(rule)))
	}
	allowed := op.allowedBy(rule)
	told.Range(func(id, _ any) bool {
		if !allowed[id.(string)] {
			t.Errorf("call %s was told to be allowed, and is not", id)
		}
		return true
	})
	p.restart()
	op.url, a.url = p.URL, p.URL
	a.ask(201, fields{"toolName": tool}).has("call.status", "pending", "call.why.code", "limit_reached")
	if n := len(op.allowedBy(rule)); n != limit || len(allowed) != limit {
		t.Errorf("%d calls were allowed, the limit is %d", n, limit)
	}
}

// allowedBy are the calls that a rule allowed, by their ids.
func (v visitor) allowedBy(rule string) map[string]bool {
	v.Helper()
	allowed := map[string]bool{}
	for path := "/v1/calls?limit=100"; ; {
		page := v.do(200, "GET "+path, nil)
		for _, c := range page.list("calls") {
			if at(c, "decision.ruleId") == any(rule) && at(c, "decision.approved") == any(true) {
				allowed[fmt.Sprint(at(c, "id"))] = true
			}
		}
		if page.at("next") == nil {
			return allowed
		}
		path = "/v1/calls?limit=100&cursor=" + page.text("next")
	}
}
