package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestContractAgain: what is said twice, and what is almost the same as something good.
func TestContractAgain(t *testing.T) {
	p := newParty(t)
	for name, test := range map[string]func(op, a, b visitor){
		"decisions": decidedAgain, "a decision with data": dataAgain, "a call that is answered once only": onceAgain, "results": resultAgain,
		"numbers": plainNumbers, "more time for ever": extendForever, "large lists": largeLists, "a name that is a slash": slashes,
		"a body as it is": identityEncoding, "retention": retentionAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			op, a, b := p.with(t)
			test(op, a, b)
		})
	}
}

// decidedAgain: less than what stands is the same again, more is not.
func decidedAgain(op, a, _ visitor) {
	scopes := []string{"once", "class", "session"}
	for given, first := range scopes {
		c := a.ask(201, fields{"sessionId": unique("s"), "input": unique("x")})
		rev := op.decide(200, c.id(), fields{"approved": true, "scope": first}).has("call.decision.scope", first).at("call.rev")
		// as a click or a request that is sent twice
		op.decide(200, c.id(), fields{"approved": true, "scope": first, "rev": 1}).has("repeated", true, "call.rev", rev)
		op.decide(200, c.id(), fields{"approved": true}).has("repeated", true, "call.rev", rev)
		for other, second := range scopes {
			if other == given || second == "once" {
				continue
			}
			op.decide(409, c.id(), fields{"approved": true, "scope": second}).has("code", "already_decided", "call.decision.scope", first,
				"call.rev", rev)
		}
		if grants := op.grantsOf(c.text("call.sessionId")); len(grants) != min(given, 1) {
			op.Errorf("%s: %d grants", first, len(grants))
		}
		op.decide(409, c.id(), fields{"approved": false, "scope": first}).has("code", "already_decided")
	}
}

func dataAgain(op, a, _ visitor) {
	c := a.ask(201, fields{"resumeSchema": fields{"type": "object"}})
	answer := func(want int, data string) reply {
		body := `{"approved":true,"rev":1,"inputHash":"` + c.text("call.inputHash") + `"` + data + `}`
		return op.do(want, "POST /v1/calls/"+c.id()+"/decision", body)
	}
	answer(200, `,"resumeData":{"a":1,"b":"é"}`).has("call.status", "approved", "repeated", missing)
	for _, same := range []string{``, `,"resumeData":{"a":1,"b":"é"}`, `,"resumeData":{ "b":"\u00e9", "a":1 }`} {
		answer(200, same).has("repeated", true)
	}
	for _, other := range []string{`{"a":2,"b":"é"}`, `{"a":1.0,"b":"é"}`, `{}`} {
		answer(409, `,"resumeData":`+other).has("code", "already_decided", "call.status", "approved", "call.resumeData.a", 1)
	}
	none := a.ask(201, fields{"resumeSchema": fields{"type": "object"}})
	op.decide(200, none.id(), fields{"approved": true})
	op.decide(409, none.id(), fields{"approved": true, "resumeData": fields{"a": 1}}).has("code", "already_decided")
}

// onceAgain: what was taken as once the first time is so the second time.
func onceAgain(op, a, _ visitor) {
	c := a.ask(201, fields{"toolName": "shell", "input": fields{"command": "ls | sh"}})
	yes := fields{"approved": true, "scope": "session"}
	op.decide(200, c.id(), yes).has("call.decision.scope", "once", "repeated", missing)
	op.decide(200, c.id(), yes).has("repeated", true)
}

func resultAgain(op, a, _ visitor) {
	c := (&rowWorld{op: op, a: a}).claimed()
	result := func(want int, output string) reply {
		return a.do(want, "POST /v1/calls/"+c.id()+"/result", `{"claimId":"`+c.text("call.claimId")+`","ok":true`+output+`}`)
	}
	first := result(200, `,"output":{"n":1,"text":"a/é"}`).has("call.status", "completed")
	for _, same := range []string{`{"n":1,"text":"a/é"}`, "{ \"text\" : \"a\\/\\u00e9\",\n\"n\":1 }"} {
		result(200, `,"output":`+same).has("call.rev", first.at("call.rev"), "call.result.n", 1)
	}
	for _, other := range []string{``, `,"output":{"n":1.0,"text":"a/é"}`, `,"output":{"n":1}`, `,"output":null`} {
		result(409, other).has("code", "result_conflict", "call.result.n", 1)
	}
	a.do(409, "POST /v1/calls/"+c.id()+"/result", `{"claimId":"`+c.text("call.claimId")+`","ok":false,"output":{"n":1,"text":"a/é"}}`)
	a.do(409, "POST /v1/calls/"+c.id()+"/result", `{"claimId":"`+nobodys+`","ok":true,"output":{"text":"a/é","n":1}}`)
	empty := (&rowWorld{op: op, a: a}).claimed()
	for _, none := range []string{``, `,"output":null`, ``} {
		a.do(200, "POST /v1/calls/"+empty.id()+"/result", `{"claimId":"`+empty.text("call.claimId")+`","ok":true`+none+`}`).has("call.result",
			nil)
	}
}

func plainNumbers(op, a, _ visitor) {
	c := a.ask(201, nil)
	line := "GET /v1/calls/" + c.id() + "?rev=7&wait="
	for _, bad := range []string{"-1", "-0", "NaN", "nan", "Inf", "Infinity", "-Infinity", "1_0", "0x1p2", "1e1", "%2B1", ".5", "5.", "1.2.3",
		"1,5", "%205", "99999999999999999999999999999e999"} {
		a.do(422, line+bad, nil).has("field", "wait")
	}
	for _, good := range []string{"", "0", "0.0", "0.001", "1.5", "007", "3600", "99999999999999999999999"} {
		a.do(200, line+good, nil) // at once: the rev is another
	}
	claim := (&rowWorld{op: op, a: a}).approved()
	for _, bad := range []string{"-1", "0", "-0", "1e999", "-1e999", `"1"`, "1e-999"} {
		for _, field := range []string{"patienceSeconds", "timeoutSeconds"} {
			a.do(422, "POST /v1/calls", `{"runId":"r","toolCallId":"`+unique("t")+`","toolName":"t","`+field+`":`+bad+`}`).has("field", field)
		}
		a.do(422, "POST /v1/calls/"+claim.id()+"/claim", `{"inputHash":"`+claim.text("call.inputHash")+
			`","claimant":"t","claimKey":"k","leaseSeconds":`+bad+`}`).has("field", "leaseSeconds")
		op.do(422, "POST /v1/calls/"+c.id()+"/decision", `{"approved":true,"rev":1,"scope":"class","inputHash":"`+c.text("call.inputHash")+
			`","forSeconds":`+bad+`}`).has("field", "forSeconds")
		op.do(422, "POST /v1/calls/"+c.id()+"/extend", `{"seconds":`+bad+`}`).has("field", "seconds")
	}
	for _, bad := range []string{"NaN", "Infinity", "1_0", "+1", ".5"} {
		op.do(400, "POST /v1/calls/"+c.id()+"/extend", `{"seconds":`+bad+`}`)
	}
	op.stand([]string{"pending", "approved"}, c, claim)
}

func extendForever(op, a, _ visitor) {
	op.do(200, "PATCH /v1/settings", fields{"deadlines": fields{"medium": nil}})
	defer op.do(200, "PATCH /v1/settings", fields{"deadlines": fields{"medium": 300}})
	c := a.ask(201, nil).has("call.expiresAt", nil)
	op.do(422, "POST /v1/calls/"+c.id()+"/extend", fields{"seconds": 60}).has("field", "seconds").says("detail", "never expires")
	op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.rev", c.at("call.rev"))
	op.decide(200, c.id(), fields{"approved": false})
	op.do(409, "POST /v1/calls/"+c.id()+"/extend", fields{"seconds": 60}).has("code", "already_decided")
}

// largeLists: a page is cut by what it carries, and next goes on.
func largeLists(op, a, _ visitor) {
	run, want := unique("run"), ""
	for _, size := range []int{1, 1, 5, 3, 2} { // MiB
		want = a.ask(201, fields{"runId": run, "input": strings.Repeat("x", size<<20)}).id() + " " + want
	}
	for _, v := range []visitor{op, a} {
		sizes, seen := []int{}, ""
		for cursor := ""; cursor != "<nil>"; {
			page := v.do(200, "GET /v1/calls?runId="+run+"&cursor="+cursor, nil)
			if cursor = page.text("next"); len(page.raw) > 6<<20 {
				v.Errorf("a page of %d bytes", len(page.raw))
			}
			for _, c := range page.list("calls") {
				seen += fmt.Sprint(at(c, "id"), " ")
			}
			sizes = append(sizes, len(page.list("calls")))
		}
		if seen != want || fmt.Sprint(sizes) != "[1 1 1 2]" {
			v.Errorf("pages of %v: %s, want %s", sizes, seen, want)
		}
		v.do(200, "GET /v1/calls?brief=true&runId="+run, nil).has("next", nil, "calls.4.input", nil)
	}
	a.do(200, "POST /v1/runs/"+run+"/cancel", nil).has("cancelled", 5)
}

func slashes(op, a, _ visitor) {
	for escaped, name := range map[string]string{"%2F": "/", "%2f": "/", "a%2Fb": "a/b", "%252F": "%2F", "slash": "slash"} {
		a.ask(201, fields{"runId": name})
		a.do(200, "POST /v1/runs/"+escaped+"/cancel", nil).has("cancelled", 1)
		a.ask(201, fields{"sessionId": name})
		op.do(200, "POST /v1/sessions/"+escaped+"/end", nil).has("cancelled", 1)
	}
	for _, line := range []string{"GET /v1/calls/%2F", "GET /%2F", "GET /v1/%2F/x", "POST /v1/runs/%2F/%2F"} {
		op.do(404, line, nil)
	}
	op.visitor("").do(401, "POST /v1/sessions/%2F/end", nil)
	op.do(405, "GET /v1/sessions/%2F/end", nil)
}

func identityEncoding(_, a, _ visitor) {
	for encoding, want := range map[string]int{"identity": 201, "Identity": 201, "gzip": 415, "identity, gzip": 415} {
		a.do(want, "POST /v1/calls", fields{"runId": "r", "toolCallId": unique("t"), "toolName": "t"}, "Content-Encoding", encoding)
	}
}

// retentionAtOnce: what is not kept any more goes when that is said, not an hour later.
func retentionAtOnce(op, a, _ visitor) {
	for range 90 {
		op.decide(200, a.ask(201, fields{"input": unique("x")}).id(), fields{"approved": false, "reason": strings.Repeat("no ", 5000)})
	}
	op.do(200, "GET /v1/journal?limit=1", nil).has("entries.0.seq", 1)
	op.do(200, "PATCH /v1/settings", fields{"retention": fields{"journalMegabytes": 1}})
	defer op.do(200, "PATCH /v1/settings", fields{"retention": fields{"journalMegabytes": 0}})
	op.until("trimmed", "GET /v1/journal?limit=1", func(r reply) bool { return r.text("entries.0.seq") != "1" })
}
