package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// listed is what section 4 lists beside the conflicts.
var listed = strings.Fields("400 401 403 404 412 413 422 429")

// TestContractCodes sees every status and code of the contract's list, each for the
// reason that the contract gives, and fails when one of them was not seen.
func TestContractCodes(t *testing.T) {
	p := newParty(t)
	for name, test := range map[string]func(op, a, b visitor){
		"malformed": malformed, "not let in": notLetIn, "conflicts of a waiting call": waitingConflicts, "conflicts of a claim": claimConflicts,
		"conflicts of a result": resultConflicts, "late": lateConflicts, "a schema that is none": badSchema, "lost updates": lostUpdates,
		"content": badContent, "rules' content": badRules,
		"sizes": tooLarge, "too many": tooMany,
	} {
		t.Run(name, func(t *testing.T) {
			op, a, b := p.with(t)
			test(op, a, b)
		})
	}
	all := append([]string{"403 self_approval_forbidden"}, listed...)
	for _, code := range conflicts {
		all = append(all, "409 "+code)
	}
	for _, code := range all {
		if _, ok := p.op.seen.Load(code); !ok {
			t.Errorf("%s was never seen", code)
		}
	}
}

// asking is a request to ask, with an input as text.
func asking(input string) string {
	return fmt.Sprintf(`{"runId":"run","toolCallId":%q,"toolName":"tool","input":%s}`, unique("t"), input)
}

func malformed(op, a, _ visitor) {
	for _, body := range []string{
		"", "{", "nope", `{} {}`, "\xef\xbb\xbf{}", `{"runId":"r","runId":"r","toolCallId":"t","toolName":"x"}`,
		`{"runId":"r","toolCallId":"t","tool\u004eame":"x","toolName":"y"}`,
		asking(`{"a":1,"a":1}`), asking(`{"a":{"b":1,"\u0062":2}}`), asking(`[{"":1,"":2}]`), asking("\"\xff\""), asking("{\"\xc3\x28\":1}"),
		asking("\"\xed\xa0\x80\""),
		asking(`"\ud800"`), asking(`"\udc00\ud800"`), asking(`{"\udfff":1}`), asking(strings.Repeat("[", 129) + strings.Repeat("]", 129)),
		asking(strings.Repeat(`{"a":`, 129) + "1" + strings.Repeat("}", 129)),
		asking("01"), asking("NaN"), asking("{'a':1}"), asking("[1,]"), asking("\"\t\""), strings.Repeat("[", 100_000),
	} {
		a.do(400, "POST /v1/calls", body)
	}
	for _, input := range []string{strings.Repeat("[", 128) + strings.Repeat("]", 128), `"\ud83d\ude00"`, `{"a":{"b":1},"c":{"b":1}}`, `[]`,
		`1e400`, `null`} {
		a.do(201, "POST /v1/calls", asking(input))
	}
	op.do(400, "POST /v1/rules", `{"note":"a","note":"b"}`)
	op.do(400, "PUT /v1/rules", `{"rules":[{"id":"a"},{"id":"b","note":"\ud800"}]}`)
	op.do(400, "POST /v1/hold", `{"on":true,"on":false}`)
	c := a.ask(201, nil)
	op.do(400, "POST /v1/calls/"+c.text("call.id")+"/decision", `{"approved":false,"approved":true,"inputHash":"`+c.text("call.inputHash")+
		`"}`)
	op.do(200, "GET /v1/calls/"+c.text("call.id"), nil).has("call.status", "pending", "call.rev", 1)
}

func notLetIn(op, a, _ visitor) {
	c := a.ask(201, nil)
	id := c.text("call.id")
	yes := fields{"approved": true, "inputHash": c.text("call.inputHash"), "rev": 1}
	a.refused(403, "self_approval_forbidden", "POST /v1/calls/"+id+"/decision", yes)
	a.refused(403, "self_approval_forbidden", "POST /v1/calls/"+nobodys+"/decision", yes)
	a.refused(403, "self_approval_forbidden", "POST /v1/calls/x/decision", "not even JSON")
	for _, path := range []string{"/resolve", "/extend"} {
		a.do(403, "POST /v1/calls/"+id+path, fields{})
	}
	op.do(403, "POST /v1/calls", fields{"runId": "r", "toolCallId": "t", "toolName": "x"})
	for _, scheme := range []string{"Basic " + a.token, a.token, "Bearer", "Bearer " + strings.ToUpper(a.token),
		"Bearer " + a.token + ", Bearer " + op.token} {
		a.do(401, "GET /v1/calls", nil, "Authorization", scheme)
	}
	a.visitor("").do(401, "GET /v1/calls?token="+a.token, nil)
	a.visitor("").do(401, "GET /v1/events?access_token="+op.token, nil, "Cookie", "token="+op.token)
	for _, origin := range []string{"https://evil.example", "null", "chrome-extension://x", "http://127.0.0.1:1",
		"http://localhost.evil.example"} {
		op.do(403, "GET /v1/rules", nil, "Origin", origin)
		a.do(403, "POST /v1/calls", asking(`{}`), "Origin", origin)
	}
	op.do(200, "GET /v1/rules", nil, "Origin", op.url)
	for _, host := range []string{"evil.example", "127.0.0.1.nip.io", "0.0.0.0", "localhost.evil.example:80", "10.0.0.1"} {
		op.do(403, "GET /v1/rules", nil, "Host", host)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(op.url, "http://"), ":")
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port} {
		op.do(200, "GET /v1/rules", nil, "Host", host)
	}
	op.do(200, "GET /v1/calls/"+id, nil).has("call.status", "pending", "call.rev", 1)
}

func waitingConflicts(op, a, _ visitor) {
	c := a.ask(201, fields{"toolCallId": "same", "input": fields{"n": 1}})
	id, hash := c.text("call.id"), c.text("call.inputHash")
	for _, other := range []fields{{"input": fields{"n": 2}}, {"toolName": "other", "input": fields{"n": 1}},
		{"serverId": "fs", "input": fields{"n": 1}}, nil} {
		body := fields{"toolCallId": "same"}
		for key, value := range other {
			body[key] = value
		}
		a.ask(409, body).has("code", "call_conflict", "call.id", id, "call.status", "pending")
	}
	decision := "POST /v1/calls/" + id + "/decision"
	op.refused(409, "hash_mismatch", decision, fields{"approved": true, "inputHash": "sha256:" + strings.Repeat("0", 64), "rev": 1}).has(
		"call.status", "pending")
	op.refused(409, "stale", decision, fields{"approved": true, "inputHash": hash, "rev": 7}).has("call.status", "pending", "call.rev", 1)
	a.claim(409, c, "k").has("code", "not_approved", "call.status", "pending")
	a.refused(409, "result_conflict", "POST /v1/calls/"+id+"/result", fields{"claimId": nobodys, "ok": true}).has("call.status", "pending")
	op.do(409, "POST /v1/calls/"+id+"/resolve", fields{"action": "retry"}).has("call.status", "pending")
	op.do(200, decision, fields{"approved": false, "reason": "no", "inputHash": hash, "rev": 1})
	op.refused(409, "already_decided", decision, fields{"approved": true, "inputHash": hash, "rev": 1}).has("call.status", "declined",
		"call.decision.reason", "no")
	a.claim(409, c, "k").has("call.status", "declined")
	op.do(409, "POST /v1/calls/"+id+"/extend", fields{"seconds": 5})
}

func claimConflicts(op, a, _ visitor) {
	w := &rowWorld{op: op, a: a}
	c := w.approved()
	id, hash := c.text("call.id"), c.text("call.inputHash")
	op.refused(409, "already_decided", "POST /v1/calls/"+id+"/decision",
		fields{"approved": false, "inputHash": hash, "rev": 1}).has("call.status", "approved")
	a.refused(409, "hash_mismatch", "POST /v1/calls/"+id+"/claim",
		fields{"inputHash": hash + "0", "claimant": "c", "claimKey": "k"}).has("call.status", "approved")
	a.claim(200, c, "mine").has("call.status", "claimed")
	a.claim(409, c, "other").has("code", "already_claimed", "call.status", "claimed")
	op.refused(409, "already_decided", "POST /v1/calls/"+id+"/decision", fields{"approved": false, "inputHash": hash, "rev": 1})

	tool := unique("tool")
	rule := op.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true}).text("rule.id")
	c = a.ask(201, fields{"toolName": tool}).has("call.status", "approved", "call.decision.by", "rule", "call.decision.ruleId", rule)
	op.do(200, "PATCH /v1/rules/"+rule, fields{"effect": "deny", "note": "not any more"})
	a.claim(409, c, "k").has("code", "revoked", "call.status", "revoked")
	a.claim(409, c, "k").has("code", "revoked")
	op.decideRefused("revoked", c)

	c = a.ask(201, fields{"toolName": tool}).has("call.status", "denied", "call.decision.by", "rule", "call.decision.reason", "not any more",
		"call.why.reason", "not any more")
	a.claim(409, c, "k").has("code", "denied", "call.status", "denied")
	op.decideRefused("denied", c)
}

// decideRefused approves what cannot be approved any more.
func (v visitor) decideRefused(code string, call reply) {
	v.Helper()
	v.refused(409, code, "POST /v1/calls/"+call.text("call.id")+"/decision",
		fields{"approved": true, "inputHash": call.text("call.inputHash"), "rev": 1})
}

func resultConflicts(op, a, b visitor) {
	c := (&rowWorld{op: op, a: a}).claimed()
	line := "POST /v1/calls/" + c.text("call.id") + "/result"
	good := fields{"claimId": c.text("call.claimId"), "ok": true, "output": fields{"n": 1}}
	a.refused(409, "result_conflict", line, fields{"claimId": nobodys, "ok": true}).has("call.status", "claimed")
	b.refused(404, "not_found", line, good)
	first := a.do(200, line, good).has("call.status", "completed")
	a.do(200, line, good).has("call.status", "completed", "call.rev", first.at("call.rev"))
	a.refused(409, "result_conflict", line, fields{"claimId": c.text("call.claimId"), "ok": false})
	a.refused(409, "result_conflict", line, fields{"claimId": c.text("call.claimId"), "ok": true, "output": fields{"n": 2}}).has(
		"call.result.n", 1)
}

func lateConflicts(op, a, _ visitor) {
	c := a.ask(201, fields{"timeoutSeconds": 0.15})
	time.Sleep(time.Until(c.time("call.expiresAt")) + 5*time.Millisecond)
	op.decideRefused("expired", c)
	op.do(200, "GET /v1/calls/"+c.text("call.id"), nil).has("call.status", "expired", "call.decision.by", "clock", "call.decision.approved",
		false)
	a.claim(409, c, "k").has("code", "expired")
	c = a.ask(201, nil)
	a.do(200, "POST /v1/calls/"+c.text("call.id")+"/cancel", fields{"reason": "changed my mind"}).has("call.status", "cancelled",
		"call.decision.by", "caller", "call.decision.reason", "changed my mind")
	op.decideRefused("cancelled", c)
	a.claim(409, c, "k").has("code", "cancelled")
}

func lostUpdates(op, _, _ visitor) {
	made := op.do(201, "POST /v1/rules", fields{"toolName": "lost", "effect": "ask"})
	line, seen := "/v1/rules/"+made.text("rule.id"), `"`+made.text("rule.updatedAt")+`"`
	next := op.do(200, "PATCH "+line, fields{"note": "1"}, "If-Match", seen)
	if !next.time("rule.updatedAt").After(made.time("rule.updatedAt")) || next.text("rule.createdAt") != made.text("rule.createdAt") {
		op.Errorf("updatedAt did not grow: %s %s", made.raw, next.raw)
	}
	op.do(412, "PATCH "+line, fields{"note": "2"}, "If-Match", seen)
	op.do(412, "DELETE "+line, nil, "If-Match", seen)
	op.do(200, "GET "+line, nil).has("rule.note", "1")
	list := op.do(200, "GET /v1/rules", nil)
	op.do(412, "PUT /v1/rules", fields{"rules": []any{}}, "If-Match", `"999999"`)
	op.do(200, "PATCH "+line, fields{"note": "3"}, "If-Match", "*")
	op.do(412, "PUT /v1/rules", fields{"rules": []any{}}, "If-Match", list.header.Get("ETag"))
	op.do(200, "DELETE "+line, nil, "If-Match", `"`+op.do(200, "GET "+line, nil).text("rule.updatedAt")+`"`)
	op.do(404, "GET "+line, nil)
}

func badSchema(_, a, _ visitor) {
	a.ask(422, fields{"resumeSchema": fields{"type": "nonsense"}}).says("field", "resumeSchema")
}

// wrong is a request that is refused for a field.
type wrong struct {
	body  any
	field string
}

func badContent(op, a, _ visitor) {
	base := func(more fields) fields {
		body := fields{"runId": "r", "toolCallId": "t", "toolName": "x"}
		for key, value := range more {
			if body[key] = value; value == missing {
				delete(body, key)
			}
		}
		return body
	}
	for _, w := range []wrong{
		{base(fields{"toolName": 1}), "toolName"}, {base(fields{"ToolName": "x"}), "ToolName"}, {base(fields{"risk": "low"}), "risk"},
		{base(fields{"agentId": nobodys}), "agentId"},
		{base(fields{"status": "approved"}), "status"}, {base(fields{"runId": missing}), "runId"}, {base(fields{"toolCallId": ""}), "toolCallId"},
		{base(fields{"toolName": missing}), "toolName"},
		{base(fields{"serverId": 5}), "serverId"}, {base(fields{"timeoutSeconds": 0}), "timeoutSeconds"},
		{base(fields{"timeoutSeconds": -1.5}), "timeoutSeconds"}, {base(fields{"timeoutSeconds": "5"}), "timeoutSeconds"},
		{base(fields{"cwd": []any{}}), "cwd"}, {base(fields{"resumeSchema": fields{"type": 5}}), "resumeSchema"},
		{base(fields{"resumeSchema": "x"}), "resumeSchema"},
	} {
		a.do(422, "POST /v1/calls", w.body).says("field", w.field)
	}
	a.send("POST /v1/calls", `[]`).has("status", 422)
	c := (&rowWorld{op: op, a: a}).pending()
	id, hash := c.text("call.id"), c.text("call.inputHash")
	for _, w := range []wrong{
		{fields{"inputHash": hash, "rev": 1}, "approved"}, {fields{"approved": "yes", "inputHash": hash, "rev": 1}, "approved"},
		{fields{"approved": true, "rev": 1}, "inputHash"}, {fields{"approved": true, "inputHash": hash}, "rev"},
		{fields{"approved": true, "inputHash": hash, "rev": 1, "scope": "always"}, "scope"},
		{fields{"approved": true, "inputHash": hash, "rev": 1, "scope": "class", "forSeconds": 0}, "forSeconds"},
		{fields{"approved": true, "inputHash": hash, "by": "person"}, "by"},
	} {
		op.do(422, "POST /v1/calls/"+id+"/decision", w.body).says("field", w.field)
	}
	for line, w := range map[string]wrong{
		"POST /v1/calls/" + id + "/extend":  {fields{"seconds": 0}, "seconds"},
		"POST /v1/calls/" + id + "/resolve": {fields{"action": "run"}, "action"}, "POST /v1/hold": {fields{"on": 1}, "on"},
		"PATCH /v1/settings": {fields{"deadlines": fields{"low": 0}}, "deadlines.low"}, "POST /v1/agents": {fields{"name": ""}, "name"},
		"PUT /v1/servers":               {fields{"servers": []any{fields{"id": "a__b", "command": "x"}}}, "servers[0].id"},
		"GET /v1/calls?status=nonsense": {nil, "status"}, "GET /v1/journal?limit=x": {nil, "limit"},
		"GET /v1/calls/" + id + "?wait=x": {nil, "wait"},
	} {
		op.do(422, line, w.body).says("field", w.field)
	}
	op.do(200, "GET /v1/calls/"+id, nil).has("call.status", "pending", "call.rev", 1)
}

func badRules(op, _, _ visitor) {
	long := strings.Repeat("x", 257)
	before := op.do(200, "GET /v1/rules", nil)
	for _, w := range []wrong{
		{fields{"serverId": ""}, "serverId"}, {fields{"toolName": ""}, "toolName"}, {fields{"toolPattern": ""}, "toolPattern"},
		{fields{"condition": ""}, "condition"}, {fields{"id": ""}, "id"},
		{fields{"toolPattern": long}, "toolPattern"}, {fields{"toolName": long}, "toolName"}, {fields{"serverId": long}, "serverId"},
		{fields{"id": strings.Repeat("i", 65)}, "id"}, {fields{"id": "a/b"}, "id"},
		{fields{"priority": 1 << 32}, "priority"}, {fields{"priority": -(1 << 32)}, "priority"}, {`{"priority":1.5}`, "priority"},
		{fields{"priority": "high"}, "priority"},
		{fields{"autoApprove": true, "effect": "deny"}, "autoApprove"}, {fields{"autoApprove": false, "effect": "allow"}, "autoApprove"},
		{fields{"autoApprove": 2}, "autoApprove"}, {fields{"effect": "permit"}, "effect"},
		{fields{"condition": "input.a =="}, "condition"}, {fields{"condition": "nosuch(input)"}, "condition"},
		{fields{"condition": "user == 'x'"}, "condition"}, {fields{"condition": "1 + 1"}, "condition"},
		{fields{"toolName": "x", "autoApprove": true, "examples": []any{fields{"toolName": "x", "decision": "deny"}}}, "examples"},
		{fields{"examples": []any{fields{"toolName": "x", "decision": "maybe"}}}, "examples[0].decision"}, {fields{"enabled": "yes"}, "enabled"},
		{fields{"expiresAt": "tomorrow"}, "expiresAt"}, {fields{"toolname": "x"}, "toolname"},
	} {
		op.do(422, "POST /v1/rules", w.body).says("field", w.field)
		op.do(422, "PUT /v1/rules", `{"rules":[{"id":"fine"},`+rawOf(w.body)+`]}`).says("field", "rules[1]."+w.field)
	}
	op.do(200, "GET /v1/rules", nil).has("policyVersion", before.text("policyVersion"), "rules", before.at("rules"))
}

func rawOf(body any) string {
	if text, ok := body.(string); ok {
		return text
	}
	raw, _ := json.Marshal(body)
	return string(raw)
}

// tooLarge sends bodies of more than 32 MiB, with a length and without.
func tooLarge(op, a, _ visitor) {
	a.do(201, "POST /v1/calls", asking(`"`+strings.Repeat("x", 1<<20)+`"`))
	text := asking(`"` + strings.Repeat("x", 32<<20) + `"`)
	a.do(413, "POST /v1/calls", text)
	a.do(413, "POST /v1/calls", io.MultiReader(strings.NewReader(text)))
	op.do(413, "PUT /v1/rules", text)
	op.do(200, "GET /healthz", nil).has("ok", true)
}

// tooMany: only calls that wait are counted, each agent's own, and room comes back.
func tooMany(op, a, b visitor) {
	op.do(200, "PATCH /v1/settings", fields{"limits": fields{"pendingPerAgent": 3}})
	tool := unique("free")
	op.do(201, "POST /v1/rules", fields{"toolName": tool, "autoApprove": true})
	var held []reply
	for range 3 {
		held = append(held, a.ask(201, fields{"input": len(held)}))
	}
	for range 2 {
		a.ask(429, nil).says("detail", "3")
	}
	a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	b.ask(201, nil)
	a.ask(200, fields{"toolCallId": held[0].at("call.toolCallId"), "input": 0})
	op.decide(200, held[0].text("call.id"), fields{"approved": false})
	a.ask(201, nil)
	a.ask(429, nil)
	list := op.do(200, "GET /v1/calls?status=pending", nil).list("calls")
	if n := len(slices.DeleteFunc(list, func(c any) bool { return at(c, "agentId") != held[0].at("call.agentId") })); n != 3 {
		op.Errorf("%d wait", n)
	}
	op.do(200, "PATCH /v1/settings", fields{"limits": fields{"pendingPerAgent": 1000}})
}
