package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestContractCalls holds the life of one call to section 3, promise by promise.
func TestContractCalls(t *testing.T) {
	p := newParty(t)
	for name, test := range map[string]func(op, a, b visitor){
		"identity": identity, "the hash": theHash, "answers": answers, "deadlines": deadlines, "settings' deadlines": settingsDeadlines,
		"claim": claims, "in doubt": inDoubt, "judged again at the claim": judgedAgain, "rules over what waits": rulesOverPending,
		"resume data": resumeData, "edited input": editedInput, "long poll": longPoll, "a rev of 0": revOfNothing, "lists": lists,
		"denial memory": denialMemory, "denial memory's setting": denialSetting, "runs and sessions": runsAndSessions, "risk": risks,
		"hold": holding,
	} {
		t.Run(name, func(t *testing.T) {
			op, a, b := p.with(t)
			test(op, a, b)
		})
	}
}

func (r reply) id() string { return r.text("call.id") }

// allows adds a rule that allows a new tool.
func (v visitor) allows() (tool, rule string) {
	v.Helper()
	tool = unique("tool")
	return tool, v.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true, "priority": 7}).text("rule.id")
}

func identity(op, a, b visitor) {
	ask := fields{"runId": "r", "toolCallId": "1", "input": fields{"n": 1, "m": "x"}}
	c := a.ask(201, ask).has("call.status", "pending", "call.sessionId", "r", "call.serverId", nil, "call.cwd", nil, "call.why.rule", nil,
		"call.risk", "medium", "call.rev", 1)
	a.ask(200, ask).has("call.id", c.id(), "call.rev", 1)
	a.do(200, "POST /v1/calls", `{"runId":"r","toolCallId":"1","toolName":"tool","serverId":null,"input": { "m" : "\u0078", "n":1 } }`).has(
		"call.id", c.id())
	for _, other := range []string{`{"n":1.0,"m":"x"}`, `{"n":1,"m":"X"}`, `{"n":1}`, `null`} {
		a.do(409, "POST /v1/calls", `{"runId":"r","toolCallId":"1","toolName":"tool","input":`+other+`}`).has("code", "call_conflict", "call.id",
			c.id())
	}
	if other := b.ask(201, ask); other.id() == c.id() {
		b.Error("two agents share a call")
	}
	if other := a.ask(201, fields{"runId": "r", "toolCallId": "2", "input": fields{"n": 1, "m": "x"}}); other.id() == c.id() {
		a.Error("two live identical calls are one row")
	}
	op.decide(200, c.id(), fields{"approved": false})
	a.ask(200, ask).has("call.id", c.id(), "call.status", "declined")
}

// theHash is computed here from the contract's words, over the bytes that were sent.
func theHash(op, a, _ visitor) {
	for sent, want := range map[string]string{
		``:                             `[null,"tool",{}]`,
		`{"b":5.0,"a":[1e2, -0,0.10]}`: `[null,"tool",{"a":[1e2,-0,0.10],"b":5.0}]`,
		`9007199254740993`:             `[null,"tool",9007199254740993]`,
		`"\u0041\/\u00e9<&>\u001f\n"`:  `[null,"tool","A/é<&>\u001f\n"]`,
		"{\"\ue000\":1,\"\U0001f600\":2,\"\\u00e9\":3,\"e\":4,\"\":5}": "[null,\"tool\",{\"\":5,\"e\":4,\"é\":3,\"\U0001f600\":2,\"\ue000\":1}]",
	} {
		body := `{"runId":"r","toolCallId":"` + unique("t") + `","toolName":"tool"}`
		if sent != "" {
			body = strings.TrimSuffix(body, "}") + `,"input":` + sent + "}"
		}
		c := a.do(201, "POST /v1/calls", body).has("call.inputHash", "sha256:"+hexSHA(want))
		op.do(200, "POST /v1/evaluate", `{"serverId":null,"toolName":"tool","input":`+cmp.Or(sent, "{}")+`}`).has("inputHash",
			c.text("call.inputHash"))
	}
	c := a.do(201, "POST /v1/calls",
		`{"runId":"r","toolCallId":"bytes","serverId":"fs","toolName":"tool","input":{"z":9007199254740993,"a":5.0,"e":1E3,"s":"<&>\u003c"}}`)
	c.has("call.inputHash", "sha256:"+hexSHA(`["fs","tool",{"a":5.0,"e":1E3,"s":"<&><","z":9007199254740993}]`))
	op.decide(200, c.id(), fields{"approved": true})
	if got := a.claim(200, c, "k"); !strings.Contains(string(got.raw), `"input":{"z":9007199254740993,"a":5.0,"e":1E3,"s":"<&>\u003c"}`) {
		a.Errorf("what is executed is not what was sent: %s", got.raw)
	}
}

func answers(op, a, _ visitor) {
	c := a.ask(201, nil)
	yes := fields{"approved": true, "reason": "fine", "inputHash": c.text("call.inputHash"), "rev": 1}
	first := op.do(200, "POST /v1/calls/"+c.id()+"/decision", yes).has("call.status", "approved", "call.decision.by", "person",
		"call.decision.approved", true,
		"call.decision.reason", "fine", "call.decision.scope", "once", "call.decision.ruleId", nil, "call.decision.grantId", nil, "settled", "[]",
		"repeated", missing)
	if left := first.time("call.expiresAt").Sub(first.time("call.decision.decidedAt")).Seconds(); left < 599 || left > 601 {
		op.Errorf("it may be claimed for %v s", left)
	}
	op.decide(200, c.id(), fields{"approved": true}).has("repeated", true, "call.rev", first.at("call.rev"))
	op.decide(409, c.id(), fields{"approved": false}).has("code", "already_decided", "call.status", "approved", "call.rev",
		first.at("call.rev"))
	no := a.ask(201, nil)
	op.decide(200, no.id(), fields{"approved": false, "reason": "not today"}).has("call.status", "declined", "call.decision.reason",
		"not today")
	op.decide(200, no.id(), fields{"approved": false}).has("repeated", true, "call.decision.reason", "not today")
	op.decide(409, no.id(), fields{"approved": true}).has("code", "already_decided", "call.status", "declined")
}

func lasts(r reply) float64 { return r.time("call.expiresAt").Sub(r.time("call.createdAt")).Seconds() }

func deadlines(op, a, _ visitor) {
	for _, ask := range []struct {
		given any
		tool  string
		want  float64
	}{{nil, "tool", 300}, {0.25, "tool", 0.25}, {7.5, "tool", 7.5}, {1e6, "tool", 300}, {1e300, "tool", 300}, {nil, "delete_it", 600},
		{1e6, "delete_it", 600}, {450, "delete_it", 450}} {
		body := fields{"toolName": ask.tool}
		if ask.given != nil {
			body["timeoutSeconds"] = ask.given
		}
		if got := lasts(a.ask(201, body)); got < ask.want-0.01 || got > ask.want+0.01 {
			a.Errorf("%v of %s lasts %v s, want %v", ask.given, ask.tool, got, ask.want)
		}
	}
	c := a.ask(201, fields{"timeoutSeconds": 0.2})
	begun := time.Now()
	gone := a.do(200, "GET /v1/calls/"+c.id()+"?wait=20&rev=1", nil).has("call.status", "expired", "call.decision.by", "clock",
		"call.decision.approved", false, "call.claimId", nil)
	if time.Since(begun) > 15*time.Second || !strings.Contains(gone.text("call.decision.reason"), "not a judgement") &&
		!strings.Contains(gone.text("call.decision.reason"), "no judgement") {
		a.Errorf("after %v: %s", time.Since(begun), gone.raw)
	}
	c = a.ask(201, fields{"timeoutSeconds": 5})
	longer := op.do(200, "POST /v1/calls/"+c.id()+"/extend", fields{"seconds": 60}).has("call.status", "pending")
	if more := longer.time("call.expiresAt").Sub(c.time("call.expiresAt")).Seconds(); more < 54 || more > 61 {
		op.Errorf("extended by %v s", more)
	}
}

func settingsDeadlines(op, a, _ visitor) {
	op.do(200, "PATCH /v1/settings", fields{"deadlines": fields{"medium": nil, "high": 20.5}}).has("deadlines.low", 300, "deadlines.medium",
		nil, "deadlines.high", 20.5)
	a.ask(201, nil).has("call.expiresAt", nil)
	if got := lasts(a.ask(201, fields{"timeoutSeconds": 400})); got < 399 || got > 401 {
		a.Errorf("of never, 400 s are %v", got)
	}
	if got := lasts(a.ask(201, fields{"toolName": "delete_it"})); got < 20.4 || got > 20.6 {
		a.Errorf("high lasts %v", got)
	}
	for _, bad := range []any{0, -1, "5", true} {
		op.do(422, "PATCH /v1/settings", fields{"deadlines": fields{"medium": bad}}).says("field", "deadlines.medium")
	}
	op.do(200, "PATCH /v1/settings", fields{"deadlines": fields{"medium": 300, "high": 600}})
	op.do(200, "GET /v1/settings", nil).has("deadlines.low", 300, "deadlines.medium", 300, "deadlines.high", 600)
}

func claims(op, a, _ visitor) {
	c := (&rowWorld{op: op, a: a}).approved()
	body := fields{"inputHash": c.text("call.inputHash"), "claimant": "test", "claimKey": "k"}
	begun := time.Now()
	got := a.do(200, "POST /v1/calls/"+c.id()+"/claim", body).has("call.status", "claimed")
	if lease := got.time("call.leaseExpiresAt").Sub(begun).Seconds(); lease < 59 || lease > 75 {
		a.Errorf("a lease of %v s", lease)
	}
	body["leaseSeconds"] = 120
	again := a.do(200, "POST /v1/calls/"+c.id()+"/claim", body).has("call.claimId", got.at("call.claimId"))
	if !again.time("call.leaseExpiresAt").After(got.time("call.leaseExpiresAt")) {
		a.Errorf("not renewed: %s", again.raw)
	}
	body["claimKey"] = "other"
	a.refused(409, "already_claimed", "POST /v1/calls/"+c.id()+"/claim", body).has("call.claimId", got.at("call.claimId"))
	a.do(200, "POST /v1/calls/"+c.id()+"/result", fields{"claimId": got.at("call.claimId"), "ok": false, "output": "it broke"}).has(
		"call.status", "failed", "call.result", "it broke", "call.decision.by", "person")
	body["claimKey"] = "k"
	a.do(409, "POST /v1/calls/"+c.id()+"/claim", body).has("call.status", "failed")
}

// doubtful is a claimed call whose lease is over.
func doubtful(op, a visitor) (call reply, claim any) {
	c := (&rowWorld{op: op, a: a}).approved()
	claim = a.do(200, "POST /v1/calls/"+c.id()+"/claim",
		fields{"inputHash": c.at("call.inputHash"), "claimant": "t", "claimKey": "k", "leaseSeconds": 1}).at("call.claimId")
	return op.until("in doubt", "GET /v1/calls/"+c.id(), func(r reply) bool { return r.text("call.status") == "in_doubt" }), claim
}

func inDoubt(op, a, _ visitor) {
	late, claim := doubtful(op, a)
	a.do(200, "POST /v1/calls/"+late.id()+"/result", fields{"claimId": claim, "ok": true}).has("call.status", "completed")
	op.do(409, "POST /v1/calls/"+late.id()+"/resolve", fields{"action": "retry"})

	again, old := doubtful(op, a)
	a.claim(409, again, "new")
	op.do(200, "POST /v1/calls/"+again.id()+"/resolve", fields{"action": "retry"}).has("call.status", "approved", "call.claimId", nil)
	a.refused(409, "result_conflict", "POST /v1/calls/"+again.id()+"/result", fields{"claimId": old, "ok": true}).has("call.status",
		"approved")
	if fresh := a.claim(200, again, "k").at("call.claimId"); fresh == old {
		a.Errorf("the old claim lives on: %v", fresh)
	} else {
		a.refused(409, "result_conflict", "POST /v1/calls/"+again.id()+"/result", fields{"claimId": old, "ok": true})
		a.do(200, "POST /v1/calls/"+again.id()+"/result", fields{"claimId": fresh, "ok": true}).has("call.status", "completed")
	}
	closed, _ := doubtful(op, a)
	op.do(200, "POST /v1/calls/"+closed.id()+"/resolve", fields{"action": "close"}).has("call.status", "failed")
	a.claim(409, closed, "k")
}

func judgedAgain(op, a, _ visitor) {
	tool, rule := op.allows()
	c := a.ask(201, fields{"toolName": tool}).has("call.status", "approved", "call.why.rule.id", rule, "call.why.rule.priority", 7)
	op.do(200, "PATCH /v1/rules/"+rule, fields{"enabled": false})
	a.claim(409, c, "k").has("code", "not_approved", "call.status", "pending", "call.decision", nil, "call.claimId", nil)
	op.decide(200, c.id(), fields{"approved": true})
	op.do(201, "POST /v1/rules", fields{"toolName": tool, "effect": "ask", "priority": 8})
	a.claim(200, c, "k").has("call.decision.by", "person") // a person's yes falls only to a deny

	c = (&rowWorld{op: op, a: a}).approved()
	rule = op.do(201, "POST /v1/rules", fields{"toolName": "tool", "effect": "deny", "note": "too late"}).text("rule.id")
	a.claim(409, c, "k").has("code", "revoked", "call.status", "revoked")
	op.do(200, "DELETE /v1/rules/"+rule, nil)
	a.claim(409, c, "k").has("code", "revoked", "call.status", "revoked")
}

func rulesOverPending(op, a, b visitor) {
	tool := unique("tool")
	mine, theirs := a.ask(201, fields{"toolName": tool}), b.ask(201, fields{"toolName": tool, "input": 2})
	other := a.ask(201, nil)
	rule := op.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true}).has("pendingMatches", 2).text("rule.id")
	op.do(200, "GET /v1/rules/"+rule, nil).has("pendingMatches", 2)
	op.do(200, "GET /v1/calls/"+mine.id(), nil).has("call.status", "pending")
	a.claim(409, mine, "k").has("code", "not_approved", "call.status", "pending")
	op.do(200, "POST /v1/calls/release", fields{"ruleId": rule}).has("released", 2)
	for _, c := range []reply{mine, theirs} {
		op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.status", "approved", "call.decision.by", "rule", "call.decision.ruleId", rule)
	}
	a.claim(200, mine, "k")
	third := a.ask(201, fields{"toolName": tool + "_more"})
	op.do(201, "POST /v1/rules", fields{"toolPattern": tool + "_*", "effect": "deny", "note": "use the other one"})
	op.do(200, "GET /v1/calls/"+third.id(), nil).has("call.status", "denied", "call.decision.by", "rule", "call.decision.reason",
		"use the other one")
	op.do(200, "GET /v1/calls/"+other.id(), nil).has("call.status", "pending", "call.rev", 1)
}

func resumeData(op, a, _ visitor) {
	schema := fields{"type": "object", "required": []any{"n"}, "properties": fields{"n": fields{"type": "integer"}}}
	c := a.ask(201, fields{"resumeSchema": schema}).has("call.resumeSchema.type", "object")
	for _, bad := range []any{fields{"n": "1"}, fields{}, "x", []any{}} {
		op.decide(422, c.id(), fields{"approved": true, "resumeData": bad}).says("field", "resumeData")
	}
	op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.status", "pending", "call.rev", 1)
	op.decide(200, c.id(), fields{"approved": true, "resumeData": fields{"n": 5}})
	a.claim(200, c, "k").has("call.resumeData.n", 5)
}

func editedInput(op, a, _ visitor) {
	c := a.ask(201, fields{"input": fields{"path": "/etc"}})
	edited := "sha256:" + hexSHA(`[null,"tool",{"path":"/tmp"}]`)
	op.decide(200, c.id(), fields{"approved": true, "input": fields{"path": "/tmp"}}).has("call.input.path", "/tmp", "call.inputHash", edited,
		"call.original.input.path", "/etc", "call.original.inputHash", c.at("call.inputHash"))
	a.claim(409, c, "k").has("code", "hash_mismatch", "call.status", "approved")
	a.do(200, "POST /v1/calls/"+c.id()+"/claim", fields{"inputHash": edited, "claimant": "t", "claimKey": "k"}).has("call.input.path", "/tmp")
	a.ask(200, fields{"toolCallId": c.at("call.toolCallId"), "input": fields{"path": "/etc"}}).has("call.id", c.id())
	a.ask(409, fields{"toolCallId": c.at("call.toolCallId"), "input": fields{"path": "/else"}}).has("code", "call_conflict")
}

func longPoll(op, a, _ visitor) {
	c := a.ask(201, nil)
	within := func(most time.Duration, query string) reply {
		begun := time.Now()
		r := a.do(200, "GET /v1/calls/"+c.id()+query, nil)
		if took := time.Since(begun); took > most {
			a.Errorf("%s took %v", query, took)
		}
		return r
	}
	within(10*time.Second, "?wait=25&rev=2").has("call.rev", 1)
	begun := time.Now()
	within(10*time.Second, "?wait=0.3&rev=1").has("call.status", "pending")
	if took := time.Since(begun); took < 300*time.Millisecond {
		a.Errorf("it waited for %v only", took)
	}
	done := make(chan struct{})
	go func() { // either order of the two is right
		defer close(done)
		op.send("POST /v1/calls/"+c.id()+"/decision", fields{"approved": true, "inputHash": c.at("call.inputHash"), "rev": 1})
	}()
	within(10*time.Second, "?wait=25&rev=1").has("call.status", "approved")
	<-done
	within(10*time.Second, "?wait=25&rev=2").has("call.status", "approved")
}

// revOfNothing: a rev that differs is answered at once, whatever it is.
func revOfNothing(_, a, _ visitor) {
	c := a.ask(201, nil)
	begun := time.Now()
	a.do(200, "GET /v1/calls/"+c.id()+"?wait=8&rev=0", nil)
	if took := time.Since(begun); took > 6*time.Second {
		a.Errorf("rev 0 is not %s, and the answer took %v", c.text("call.rev"), took)
	}
}

func lists(op, a, b visitor) {
	run, session := unique("run"), unique("session")
	var ids []string
	for i := range 7 {
		ids = append(ids, a.ask(201, fields{"runId": run, "sessionId": session, "input": i}).id())
	}
	b.ask(201, fields{"runId": run, "sessionId": session})
	op.decide(200, ids[3], fields{"approved": false})
	var got []string
	for cursor := ""; cursor != "<nil>"; {
		page := a.do(200, "GET /v1/calls?limit=3&runId="+run+"&cursor="+cursor, nil)
		for _, c := range page.list("calls") {
			got = append(got, fmt.Sprint(at(c, "id")))
		}
		if cursor = page.text("next"); len(got) > 20 {
			a.Fatal("the pages never end")
		}
	}
	for i := range ids {
		if len(got) != 7 || got[6-i] != ids[i] {
			a.Fatalf("listed %v, made %v", got, ids)
		}
	}
	for query, want := range map[string]int{"status=pending&runId=" + run: 6, "status=declined,approved&runId=" + run: 1,
		"sessionId=" + session: 7, "sessionId=nope": 0, "runId=" + run + "&sessionId=nope": 0} {
		if n := len(a.do(200, "GET /v1/calls?"+query, nil).has("next", nil).list("calls")); n != want {
			a.Errorf("%s lists %d, want %d", query, n, want)
		}
	}
	if n := len(op.do(200, "GET /v1/calls?runId="+run, nil).list("calls")); n != 8 {
		op.Errorf("the operator sees %d", n)
	}
}
