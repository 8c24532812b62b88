package main

import (
	"strings"
	"testing"
	"time"
)

// TestContractInsights: what a person was asked is counted when it happens, and kept over kill -9.
func TestContractInsights(t *testing.T) {
	p := newParty(t)
	op, a, _ := p.with(t)
	tool, rule := op.allows()
	denied := unique("denied")
	op.do(201, "POST /v1/rules", fields{"toolName": denied, "effect": "deny"})
	page := p.browser(op)
	long := fields{"text": strings.Repeat("word ", 1000)} // which takes minutes to read
	quick, slow := a.ask(201, fields{"input": long}), a.ask(201, fields{"input": fields{"n": 2}})
	page.attend(quick)
	op.decide(200, slow.id(), fields{"approved": true})
	op.decide(200, a.ask(201, fields{"input": fields{"n": 3}}).id(), fields{"approved": false, "remember": false})
	page.decide(200, quick.id(), fields{"approved": false, "remember": false, "reason": "unread"})
	expires := a.ask(201, fields{"input": fields{"n": 4}, "timeoutSeconds": 1})
	withdrawn := a.ask(201, fields{"input": fields{"n": 5}})
	a.do(200, "POST /v1/calls/"+withdrawn.id()+"/cancel", fields{})
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	a.ask(201, fields{"toolName": denied}).has("call.status", "denied")
	op.until("expires", "GET /v1/calls/"+expires.id(), func(r reply) bool { return r.text("call.status") == "expired" })

	counted := []any{"total.calls", 7, "total.questions", 5, "total.allowed", 1, "total.denied", 1, "total.granted", 0, "total.approved", 1,
		"total.declined", 2, "total.unread", 1, "total.expired", 1, "total.cancelled", 1, "total.settled", 0, "inDoubt", 0,
		"rules.0.ruleId", rule, "rules.0.calls", 1, "fatigue", "[]"}
	got := op.do(200, "GET /v1/insights", nil).has(counted...)
	if since := got.time("since"); since.Second() != 0 || time.Since(since) > time.Hour {
		t.Errorf("counted since %s", since)
	}
	other, path := op.stoppable()
	other.ask(201, fields{"input": fields{"n": 6}})
	op.do(200, "POST "+path+"/stop", nil)
	op.do(200, "GET /v1/insights?bucket=hour&zone=Asia/Kathmandu", nil).has("total.calls", 8, "total.declined", 2, "total.settled", 1)
	p.restart()
	op.url, a.url = p.URL, p.URL
	op.do(200, "GET /v1/insights", nil).has("total.calls", 8, "total.approved", 1, "total.expired", 1)

	for query, field := range map[string]string{"from=yesterday": "from", "to=9999-12-31T23:59:59Z": "to", "zone=Mars": "zone",
		"from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z":             "to",
		"bucket=hour&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z": "from"} {
		op.refused(422, "invalid", "GET /v1/insights?"+query, nil).has("field", field)
	}
	for _, row := range []string{"GET /v1/insights", "POST /v1/presence", "GET /v1/pause", "POST /v1/pause",
		"DELETE /v1/pause", "GET /v1/arming"} {
		a.refused(403, "forbidden", row, nil)
	}
}

// TestContractPause: a break decides nothing, moves no deadline, and is kept over kill -9.
func TestContractPause(t *testing.T) {
	p := newParty(t)
	op, a, _ := p.with(t)
	op.do(200, "GET /v1/pause", nil).has("until", nil)
	waits := a.ask(201, nil)
	until := op.do(200, "POST /v1/pause", fields{"minutes": 240}).time("until")
	if left := time.Until(until); left < 239*time.Minute || left > 240*time.Minute {
		t.Errorf("a break of %v", left)
	}
	op.do(200, "GET /v1/settings", nil).has("window.quiet", true)
	op.do(200, "GET /v1/calls/"+waits.id(), nil).has("call.status", "pending", "call.rev", waits.at("call.rev"), "call.expiresAt",
		waits.at("call.expiresAt"))
	a.ask(201, nil).has("call.status", "pending")
	tool, _ := op.allows()
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	expires := a.ask(201, fields{"timeoutSeconds": 1})
	op.until("expires", "GET /v1/calls/"+expires.id(), func(r reply) bool { return r.text("call.status") == "expired" })
	op.decide(200, waits.id(), fields{"approved": false})
	op.refused(422, "invalid", "POST /v1/pause", fields{"minutes": 241})

	p.restart()
	op.url = p.URL
	op.do(200, "GET /v1/pause", nil).has("until", until.Format("2006-01-02T15:04:05.000Z"))
	op.do(204, "DELETE /v1/pause", nil)
	op.do(204, "DELETE /v1/pause", nil)
	op.do(200, "GET /v1/pause", nil).has("until", nil)
	op.do(200, "GET /v1/settings", nil).has("window.quiet", false)
}

// TestContractArming: ten answers after less than a second make calls be in view for longer.
func TestContractArming(t *testing.T) {
	p := newParty(t)
	op, a, _ := p.with(t)
	page := p.browser(op)
	page.do(200, "GET /v1/arming", nil).has("ms", 700, "highMs", 1500, "until", nil)
	slow := page.do(200, "GET /v1/arming", nil)
	for n := 0; n < 10 || n < 100 && slow.text("ms") == "700"; n++ { // a busy machine may take a second for one
		slow.has("ms", 700)
		c := a.ask(201, fields{"input": fields{"n": n}})
		page.attend(c)
		page.decide(200, c.id(), fields{"approved": false, "remember": false})
		slow = page.do(200, "GET /v1/arming", nil)
	}
	slow.has("ms", 2100, "highMs", 4500)
	if left := time.Until(slow.time("until")); left < 14*time.Minute || left > 15*time.Minute {
		t.Errorf("for %v", left)
	}
	c := a.ask(201, fields{"input": fields{"n": "later"}})
	page.attend(c)
	time.Sleep(800 * time.Millisecond)
	page.unarmed(c)
}
