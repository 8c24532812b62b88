package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Shapes of the contract's answers. A string names a type, "?" behind it takes null
// as well, "=" before it lists words; a list has one shape for all it holds. Fields
// that the contract does not name may be there beside these.
var (
	whyShape      = fields{"rule": orNull{fields{"id": "string", "priority": "int"}}, "reason": "string"}
	decisionShape = fields{"by": "=rule|grant|person|clock|caller|guard", "approved": "bool", "reason": "string", "scope": "string",
		"ruleId": "string?", "grantId": "uuid?", "decidedAt": "time"}
	riskReasonShape = fields{"code": "string", "params": "any", "text": "string",
		"at": orNull{fields{"pointer": "string", "start": "int", "end": "int"}}}
	callShape = fields{"id": "uuid", "rev": "int", "shownRev": "int", "runId": "string", "toolCallId": "string", "sessionId": "string",
		"agentId": "uuid", "agentName": "string",
		"serverId": "string?", "method": "string", "toolName": "string", "input": "any", "inputHash": "hash", "envelope": "any",
		"envelopeHash": "hash?", "description": "string", "cwd": "string?",
		"status": "=pending|approved|denied|declined|expired|cancelled|claimed|completed|failed|revoked|in_doubt",
		"why":    whyShape, "decision": orNull{decisionShape}, "risk": "=low|medium|high", "riskReasons": []any{riskReasonShape},
		"callerGone": "bool",
		"createdAt":  "time", "expiresAt": "time?", "patienceUntil": "time?", "claimId": "uuid?", "leaseExpiresAt": "time?", "result": "any"}
	verdictShape = fields{"decision": "=allow|ask|deny", "reason": "string", "rule": orNull{fields{"id": "string", "priority": "int"}},
		"risk":        "=low|medium|high",
		"riskReasons": []any{riskReasonShape}, "inputHash": "hash", "envelopeHash": "hash?", "policyVersion": "int",
		"parts": []any{fields{"name": "string", "decision": "=allow|ask|deny", "rule": orNull{fields{"id": "string", "priority": "int"}}}},
		"trace": []any{fields{"ruleId": "string", "part": "int?", "applies": "bool", "why": "string"}}}
	ruleShape = fields{"id": "string", "serverId": "string?", "toolName": "string?", "toolPattern": "string?", "autoApprove": "bool",
		"priority":  "int",
		"createdAt": "time", "updatedAt": "time", "effect": "=allow|ask|deny", "condition": "string?", "enabled": "bool", "note": "string",
		"expiresAt": "time?", "examples": []any{fields{"toolName": "string", "decision": "=allow|ask|deny"}}, "hits": "int", "lastHitAt": "time?"}
	entryShape = fields{"seq": "int", "at": "time", "kind": "string", "callId": "uuid?", "actor": "string", "data": "any",
		"prevHash": "string", "hash": "string"}
	grantShape = fields{"id": "uuid", "agentId": "uuid", "sessionId": "string", "scope": "=class|session", "approved": "bool",
		"callId": "uuid", "createdAt": "time", "expiresAt": "time?"}
	agentShape = fields{"id": "uuid", "name": "string", "createdAt": "time"}
	// serverShape is that of a stdio server: url is null.
	serverShape = fields{"id": "string", "transport": "=stdio|http", "command": "string", "args": []any{"string"}, "env": fields{},
		"cwd": "string",
		"url": "string?", "headers": fields{}, "enabled": "bool", "state": "string", "tools": []any{"string"}}
	settingsShape = fields{"deadlines": fields{"low": "number?", "medium": "number?", "high": "number?"},
		"limits":       fields{"pendingPerAgent": "int"},
		"denialMemory": "bool", "undoSeconds": "int", "retention": fields{}, "patience": fields{}, "language": "string"}
	proposalShape = fields{"serverId": "string?", "toolName": "string?", "toolPattern": "string?", "effect": "=allow", "priority": "int",
		"condition": "string?", "enabled": "bool", "note": "string", "expiresAt": "time?"}
	oneCall, oneRule = fields{"call": callShape}, fields{"rule": ruleShape, "pendingMatches": "int"}
	ended            = fields{"cancelled": "int", "grantsEnded": "int"}
	ruleList         = fields{"rules": []any{ruleShape}, "policyVersion": "int"}
)

// orNull is a shape that may be null.
type orNull struct{ shape any }

func fits(t *testing.T, what string, value, shape any) {
	t.Helper()
	switch want := shape.(type) {
	case orNull:
		if value != nil {
			fits(t, what, value, want.shape)
		}
	case []any:
		list, ok := value.([]any)
		if !ok {
			t.Errorf("%s is no list: %v", what, value)
		}
		for i, e := range list {
			fits(t, fmt.Sprint(what, ".", i), e, want[0])
		}
	case fields:
		object, ok := value.(fields)
		if !ok {
			t.Errorf("%s is no object: %v", what, value)
			return
		}
		for key, part := range want {
			if got, ok := object[key]; ok {
				fits(t, what+"."+key, got, part)
			} else {
				t.Errorf("%s has no %s", what, key)
			}
		}
	case string:
		if kind, null := strings.CutSuffix(want, "?"); !(null && value == nil) && !isA(kind, value) {
			t.Errorf("%s is %v, not %s", what, value, want)
		}
	}
}

var plainInt = regexp.MustCompile(`^-?\d+$`)

func isA(kind string, value any) bool {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	_, isBool := value.(bool)
	switch kind {
	case "any":
		return true
	case "bool":
		return isBool
	case "int":
		return isNumber && plainInt.MatchString(number.String())
	case "number":
		return isNumber
	case "string":
		return isText
	case "time":
		return isText && utcMillis.MatchString(text)
	case "uuid":
		return isText && uuid7.MatchString(text)
	case "hash":
		return isText && hashForm.MatchString(text)
	}
	words, ok := strings.CutPrefix(kind, "=")
	return ok && isText && slices.Contains(strings.Split(words, "|"), text)
}

// nobodys is an id that no call, rule, grant or agent has.
const nobodys = "0190b6e0-0000-7000-8000-000000000000"

// contractRow is a row of section 4's table. ID in its path is the id of what make
// made; text in its body is written with %s where the id or the hash belongs.
type contractRow struct {
	line  string
	who   string // "agent", "operator", both, or "anyone"
	make  func(w *rowWorld) (id string, body any)
	want  int
	shape fields
}

// rowWorld is where a row is tried.
type rowWorld struct{ op, a, b visitor }

// ask asks for a call that waits; more is laid over the request.
func (v visitor) ask(want int, more fields) reply {
	v.Helper()
	body := fields{"runId": "run", "toolCallId": unique("call"), "toolName": "tool"}
	for key, value := range more {
		body[key] = value
	}
	return v.do(want, "POST /v1/calls", body)
}

func (v visitor) decide(want int, id string, body fields) reply {
	v.Helper()
	if body["inputHash"] == nil {
		body["inputHash"] = v.do(200, "GET /v1/calls/"+id, nil).text("call.inputHash")
	}
	if body["rev"] == nil {
		body["rev"] = v.do(200, "GET /v1/calls/"+id, nil).at("call.rev")
	}
	return v.do(want, "POST /v1/calls/"+id+"/decision", body)
}

func (v visitor) claim(want int, call reply, key string) reply {
	v.Helper()
	return v.do(want, "POST /v1/calls/"+call.text("call.id")+"/claim",
		fields{"inputHash": call.text("call.inputHash"), "claimant": "test", "claimKey": key, "leaseSeconds": 30})
}

func (w *rowWorld) pending() reply { return w.a.ask(201, fields{"input": fields{"x": 1}}) }

func (w *rowWorld) approved() reply {
	c := w.pending()
	w.op.decide(200, c.text("call.id"), fields{"approved": true})
	return c
}

func (w *rowWorld) claimed() reply { return w.a.claim(200, w.approved(), "key") }

func (w *rowWorld) rule() string {
	return w.op.do(201, "POST /v1/rules", fields{"toolName": unique("rule"), "effect": "ask", "examples": []any{}}).text("rule.id")
}

func (w *rowWorld) grant() string {
	c := w.a.ask(201, fields{"sessionId": unique("s")})
	w.op.decide(200, c.text("call.id"), fields{"approved": true, "scope": "session"})
	list := w.op.do(200, "GET /v1/grants", nil).list("grants")
	return fmt.Sprint(at(list, fmt.Sprint(len(list)-1, ".id")))
}

// of makes a row's id with a body that does not depend on it.
func of(id func(w *rowWorld) string, body any) func(w *rowWorld) (string, any) {
	return func(w *rowWorld) (string, any) { return id(w), body }
}

func nothingMade(*rowWorld) string { return "" }

func aPending(w *rowWorld) string { return w.pending().text("call.id") }

// contractRows is section 4's table, but for the acceptance of changed tool
// definitions and the streams, which have tests of their own.
var contractRows = []contractRow{
	{"POST /v1/evaluate", "agent operator", of(nothingMade, fields{"serverId": nil, "toolName": "x", "input": fields{}}), 200, verdictShape},
	{"POST /v1/calls", "agent", func(*rowWorld) (string, any) {
		return "", fields{"runId": "r", "toolCallId": unique("t"), "sessionId": "s", "serverId": "fs", "toolName": "x", "input": fields{},
			"description": "d", "cwd": "/", "timeoutSeconds": 60, "patienceSeconds": 5, "resumeSchema": true}
	}, 201, oneCall},
	{"GET /v1/calls/ID", "agent operator", of(aPending, nil), 200, oneCall},
	{"GET /v1/calls/ID?wait=25&rev=99", "agent operator", of(aPending, nil), 200, oneCall},
	{"GET /v1/calls", "agent operator", of(aPending, nil), 200, fields{"calls": []any{callShape}, "next": "any"}},
	{"POST /v1/calls/ID/claim", "agent", func(w *rowWorld) (string, any) {
		c := w.approved()
		return c.text("call.id"), fields{"inputHash": c.text("call.inputHash"), "claimant": "c", "claimKey": "k"}
	}, 200, oneCall},
	{"POST /v1/calls/ID/result", "agent", func(w *rowWorld) (string, any) {
		c := w.claimed()
		return c.text("call.id"), fields{"claimId": c.text("call.claimId"), "ok": true, "output": fields{"a_b": 1}}
	}, 200, oneCall},
	{"POST /v1/calls/ID/cancel", "agent", of(aPending, fields{"reason": "no need"}), 200, oneCall},
	{"POST /v1/runs/run/cancel", "agent operator", of(aPending, nil), 200, ended},
	{"POST /v1/sessions/run/end", "agent operator", of(aPending, nil), 200, ended},
	{"POST /v1/calls/ID/decision", "operator", func(w *rowWorld) (string, any) {
		c := w.pending()
		return c.text("call.id"), fields{"approved": true, "reason": "fine", "scope": "once", "inputHash": c.text("call.inputHash"),
			"rev": c.at("call.rev"), "input": fields{"y": 2}}
	}, 200, fields{"call": callShape, "settled": []any{"uuid"}}},
	{"POST /v1/calls/ID/extend", "operator", of(aPending, fields{"seconds": 30}), 200, oneCall},
	{"POST /v1/calls/ID/resolve", "operator", func(w *rowWorld) (string, any) {
		c := w.approved()
		id := c.text("call.id")
		w.a.do(200, "POST /v1/calls/"+id+"/claim", fields{"inputHash": c.text("call.inputHash"), "claimant": "c", "claimKey": "k",
			"leaseSeconds": 1})
		w.op.until("in doubt", "GET /v1/calls/"+id, func(r reply) bool { return r.text("call.status") == "in_doubt" })
		return id, fields{"action": "close"}
	}, 200, oneCall},
	{"POST /v1/calls/release", "operator", func(w *rowWorld) (string, any) {
		rule := w.op.do(201, "POST /v1/rules", fields{"toolName": unique("rule"), "autoApprove": true})
		return "", fields{"ruleId": rule.text("rule.id")}
	}, 200, fields{"released": "any"}},
	{"GET /v1/rules", "operator", of((*rowWorld).rule, nil), 200, ruleList},
	{"POST /v1/rules", "operator", of(nothingMade, fields{"toolName": "nothing", "autoApprove": true}), 201, oneRule},
	{"GET /v1/rules/ID", "operator", of((*rowWorld).rule, nil), 200, oneRule},
	{"PATCH /v1/rules/ID", "operator", of((*rowWorld).rule, fields{"note": "n"}), 200, oneRule},
	{"DELETE /v1/rules/ID", "operator", of((*rowWorld).rule, nil), 200, oneRule},
	{"PUT /v1/rules", "operator",
		of(nothingMade,
			fields{"rules": []any{fields{"id": "kept.id-1", "toolName": "t", "effect": "deny",
				"examples": []any{fields{"toolName": "t", "decision": "deny"}}}}}), 200, ruleList},
	{"POST /v1/rules/preview", "operator", of(aPending, fields{"rules": []any{fields{"id": "p", "effect": "deny"}}}), 200,
		fields{"changed": []any{fields{"callId": "uuid", "createdAt": "time", "before": "=allow|ask|deny", "after": "=allow|ask|deny"}},
			"total":  "int",
			"counts": fields{"ask>deny": "int"}, "matched": "int", "matchedDeclined": "int"}},
	{"POST /v1/rules/lint", "operator", of(nothingMade, fields{"rules": []any{fields{"id": "p", "autoApprove": true}}}), 200,
		fields{"findings": []any{fields{"ruleId": "string", "kind": "string", "by": "string?", "message": "string"}}}},
	{"POST /v1/rules/move", "operator", func(w *rowWorld) (string, any) {
		return "", fields{"ruleId": w.rule(), "before": nil}
	}, 200, ruleList},
	{"POST /v1/rules/widen", "operator", func(w *rowWorld) (string, any) {
		return "", fields{"callId": aPending(w)}
	}, 200, fields{"rules": []any{proposalShape}, "choices": []any{fields{"covers": fields{"code": "string", "text": "string"},
		"past": fields{"calls": "int", "maxRisk": "=low|medium|high"}, "first": "bool"}}}},
	{"POST /v1/rules/reach", "operator", of((*rowWorld).rule, fields{"toolName": "no_such_tool", "names": []string{"git push"}}), 200,
		fields{"answer": "=yes|no|undecided", "total": "int", "policyVersion": "int",
			"rules": []any{fields{"ruleId": "string", "answer": "=yes|no|undecided", "code": "string", "message": "string"}}}},
	{"GET /v1/grants", "operator", of((*rowWorld).grant, nil), 200, fields{"grants": []any{grantShape}}},
	{"DELETE /v1/grants/ID", "operator", of((*rowWorld).grant, nil), 204, nil},
	{"POST /v1/hold", "operator", of(nothingMade, fields{"on": false}), 200, fields{"on": "bool"}},
	{"GET /v1/servers", "operator", of(nothingMade, nil), 200, fields{"servers": []any{serverShape}}},
	{"PUT /v1/servers", "operator",
		of(nothingMade,
			fields{"servers": []any{fields{"id": "s", "transport": "stdio", "command": "true", "env": fields{"KEY": "secret-of-mine"},
				"enabled": false}}}), 200, fields{"servers": []any{serverShape}}},
	{"POST /v1/agents", "operator", of(nothingMade, fields{"name": "made"}), 201, fields{"agent": agentShape, "token": "string"}},
	{"GET /v1/agents", "operator", of(nothingMade, nil), 200, fields{"agents": []any{agentShape}}},
	{"DELETE /v1/agents/ID", "operator", func(w *rowWorld) (string, any) {
		return w.op.do(201, "POST /v1/agents", fields{"name": unique("gone")}).text("agent.id"), nil
	}, 204, nil},
	{"GET /v1/journal?after=0&limit=5", "operator", of(nothingMade, nil), 200, fields{"entries": []any{entryShape}, "next": "int?"}},
	{"GET /v1/journal/end", "operator", of(nothingMade, nil), 200, fields{"entry": entryShape}},
	{"GET /v1/differences", "operator", of(nothingMade, nil), 200, fields{"differences": []any{}}},
	{"GET /v1/settings", "operator", of(nothingMade, nil), 200, settingsShape},
	{"PATCH /v1/settings", "operator", of(nothingMade, fields{"undoSeconds": 4}), 200, settingsShape},
	{"GET /healthz", "anyone", of(nothingMade, nil), 200, fields{"ok": "bool", "version": "string"}},
	{"GET /openapi.json", "anyone", of(nothingMade, nil), 200, fields{"openapi": "string", "paths": fields{}}},
}

// TestContractRows holds every row of the table to its success, its shape and to
// who may use it, with an id and without.
func TestContractRows(t *testing.T) {
	p := newParty(t)
	for _, row := range contractRows {
		t.Run(row.line, func(t *testing.T) {
			op, a, b := p.with(t)
			w := &rowWorld{op, a, b}
			for _, v := range []visitor{a, op} {
				if !strings.Contains(row.who, v.name) && row.who != "anyone" {
					row.forbidden(w, v)
					continue
				}
				id, body := row.make(w)
				r := v.do(row.want, strings.ReplaceAll(row.line, "ID", id), body)
				if row.shape != nil {
					fits(t, v.name, r.body, row.shape)
				}
			}
			row.strangers(w)
		})
	}
	op, _, _ := p.with(t)
	if r := op.do(200, "GET /v1/servers", nil); strings.Contains(string(r.raw), "secret-of-mine") {
		t.Errorf("a secret is shown: %s", r.raw)
	}
	op.do(200, "GET /v1/rules/kept.id-1", nil).has("rule.examples.0.decision", "deny", "rule.autoApprove", false)
}

// forbidden tries a row as one whose it is not: no id is looked up, no body read.
func (row *contractRow) forbidden(w *rowWorld, v visitor) {
	v.Helper()
	code := "forbidden"
	if strings.HasSuffix(row.line, "/decision") {
		code = "self_approval_forbidden"
	}
	id, body := row.make(w)
	for _, line := range []string{strings.ReplaceAll(row.line, "ID", id), strings.ReplaceAll(row.line, "ID", nobodys)} {
		r := v.do(403, line, body)
		if code != r.text("code") && !(v.name == "agent" && r.text("code") == "self_approval_forbidden") {
			v.Errorf("%s: code %s, want %s", line, r.text("code"), code)
		}
	}
}

// strangers tries a row without a token, with an unknown one, with an unknown id,
// and with another agent's.
func (row *contractRow) strangers(w *rowWorld) {
	w.a.Helper()
	if row.who == "anyone" {
		return
	}
	id, body := row.make(w)
	mine := strings.ReplaceAll(row.line, "ID", id)
	for _, token := range []string{"", "ska_unknown-token-of-nobody", w.a.token + "x"} {
		w.a.visitor(token).do(401, mine, body)
	}
	if !strings.Contains(row.line, "ID") {
		return
	}
	unknown := strings.ReplaceAll(row.line, "ID", nobodys)
	if strings.Contains(row.who, "operator") {
		w.op.refused(404, "not_found", unknown, body)
		w.op.refused(404, "not_found", strings.ReplaceAll(row.line, "ID", "x"), body)
	}
	if strings.Contains(row.who, "agent") {
		one, other := w.b.refused(404, "not_found", unknown, body), w.b.refused(404, "not_found", mine, body)
		if string(one.raw) != string(other.raw) {
			w.b.Errorf("%s: another agent's id is told from an unknown one:\n%s%s", row.line, one.raw, other.raw)
		}
	}
}

// visitor is v with another token.
func (v visitor) visitor(token string) visitor {
	v.token = token
	return v
}
