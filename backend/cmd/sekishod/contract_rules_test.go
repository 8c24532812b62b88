package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestContractRules holds the rules to section 2, and their rows to section 4.
func TestContractRules(t *testing.T) {
	p := newParty(t)
	for _, test := range []struct {
		name string
		of   func(op, a, b visitor)
	}{
		{"cases", ruleCases}, {"wildcards", wildcardCases}, {"order", ruleOrder}, {"effects", ruleEffects}, {"conditions", conditions},
		{"bad names", badNames},
		{"hits", ruleHits}, {"examples", examples}, {"trace", traces}, {"parts", parts}, {"preview", previews}, {"lint", lints},
		{"moves", moves}, {"edits", edits}, {"widening", widenings}, {"OPA", opaRows},
	} {
		t.Run(test.name, func(t *testing.T) {
			op, a, b := p.with(t)
			op.rules()
			test.of(op, a, b)
		})
	}
}

// rules puts these in the place of all.
func (v visitor) rules(rules ...any) reply {
	v.Helper()
	return v.do(200, "PUT /v1/rules", fields{"rules": append([]any{}, rules...)})
}

// judge evaluates; more is laid over a call of the agent's own program.
func (v visitor) judge(tool string, more fields) reply {
	v.Helper()
	body := fields{"serverId": nil, "toolName": tool, "input": fields{}}
	for key, value := range more {
		body[key] = value
	}
	return v.do(200, "POST /v1/evaluate", body)
}

func readCases[T any](v visitor, path string) (rows []T) {
	v.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &rows)
	}
	if err != nil || len(rows) == 0 {
		v.Fatalf("%s: %d rows, %v", path, len(rows), err)
	}
	return rows
}

// generated is a string of the cases, or what makes a long one.
func generated(value any) any {
	if list, ok := at(value, "$repeat").([]any); ok {
		return strings.Repeat(list[0].(string), int(list[1].(float64)))
	}
	if list, ok := at(value, "$concat").([]any); ok {
		var b strings.Builder
		for _, part := range list {
			fmt.Fprint(&b, generated(part))
		}
		return b.String()
	}
	return value
}

// ruleCases: a rule that is refused is not there, and nothing is allowed in its
// stead.
func ruleCases(op, a, _ visitor) {
	for _, row := range readCases[struct {
		ID, Cls, Decision, Reason string
		Rule                      *string
		Rules                     []fields
		Call                      fields
	}](op, "../../policy/testdata/rules.json") {
		op.rules()
		var kept []any
		for _, r := range row.Rules {
			for key, value := range r {
				r[key] = generated(value)
			}
			if answer := op.send("POST /v1/rules/lint", fields{"rules": []any{r}}); answer.status == 200 {
				kept = append(kept, r)
			} else if row.Cls != "bad-row" && row.Cls != "empty-field" || answer.status != 422 {
				op.Errorf("%s: %v is refused: %d %s", row.ID, r, answer.status, answer.raw)
			}
		}
		op.rules(kept...)
		got := a.judge(fmt.Sprint(row.Call["toolName"]), fields{"serverId": row.Call["serverId"]})
		allowed := got.text("decision") == "allow"
		if allowed != (row.Decision == "auto") || allowed && got.text("rule.id") != *row.Rule || !allowed && row.Rule != nil &&
			got.text("rule.id") != *row.Rule {
			op.Errorf("%s (%s): %s, want %s", row.ID, row.Reason, got.raw, row.Decision)
		}
	}
}

// wildcardCases are all tried at once: each has a server of its own.
func wildcardCases(op, a, _ visitor) {
	type wildcard struct {
		ID, Cls, Reason string
		Pattern, Tool   any
		Expected        bool
		MayRefuse       bool `json:"may_refuse_at_save"`
	}
	rows := readCases[wildcard](op, "../../pattern/testdata/wildcards.json")
	var rules []any
	for i, row := range rows {
		// a deny looks at bad names too
		rule := fields{"id": row.ID, "serverId": fmt.Sprint("server", i), "toolPattern": generated(row.Pattern), "effect": "deny"}
		if r := op.send("POST /v1/rules/lint", fields{"rules": []any{rule}}); r.status == 200 {
			rules = append(rules, rule)
		} else if !row.MayRefuse && row.Cls != "empty" && len(fmt.Sprint(rule["toolPattern"])) <= 256 {
			op.Errorf("%s: the pattern is refused: %s", row.ID, r.raw)
		}
	}
	op.rules(rules...)
	tried := 0
	for i, row := range rows {
		if !slices.ContainsFunc(rules, func(r any) bool { return at(r, "id") == row.ID }) {
			continue
		}
		got := a.judge(fmt.Sprint(generated(row.Tool)), fields{"serverId": fmt.Sprint("server", i)})
		if tried++; (got.text("decision") == "deny") != row.Expected {
			op.Errorf("%s (%s): %s, want match %v", row.ID, row.Reason, got.raw, row.Expected)
		}
	}
	op.Logf("%d of %d", tried, len(rows))
}

// ruleOrder: priority, then deny, ask, allow, then the elder, then the id.
func ruleOrder(op, a, _ visitor) {
	old, young := "2024-01-01T00:00:00.000Z", "2024-01-02T00:00:00.000Z"
	rule := func(id string, priority int, effect, created string) fields {
		return fields{"id": id, "priority": priority, "effect": effect, "createdAt": created}
	}
	all := []any{
		rule("b.young", 5, "allow", young), rule("c.old", 5, "allow", old), rule("b.old", 5, "allow", old), rule("ask", 5, "ask", young),
		rule("deny", 5, "deny", young),
		rule("higher", 6, "allow", young), fields{"id": "over", "priority": 9, "effect": "deny", "expiresAt": old},
		fields{"id": "off", "priority": 9, "effect": "deny", "enabled": false},
	}
	for _, first := range []string{"higher", "deny", "ask", "b.old", "c.old", "b.young"} {
		op.rules(all...)
		a.judge("x", nil).has("rule.id", first)
		all = slices.DeleteFunc(all, func(r any) bool { return at(r, "id") == first })
	}
	op.rules(all...)
	a.judge("x", nil).has("rule", nil, "decision", "ask")
}

func ruleEffects(op, a, _ visitor) {
	make := func(rule fields, effect string, auto bool) string {
		op.Helper()
		return op.do(201, "POST /v1/rules", rule).has("rule.effect", effect, "rule.autoApprove", auto, "rule.enabled", true, "rule.hits", 0,
			"rule.note", "").text("rule.id")
	}
	make(fields{"autoApprove": true}, "allow", true)
	make(fields{"autoApprove": false}, "ask", false)
	make(fields{"effect": "allow"}, "allow", true)
	make(fields{}, "ask", false)
	id := make(fields{"id": "my.Rule_1-x", "effect": "deny"}, "deny", false)
	op.do(409, "POST /v1/rules", fields{"id": id})
	patch := "PATCH /v1/rules/" + id
	op.do(200, patch, fields{"autoApprove": false}).has("rule.id", "my.Rule_1-x", "rule.effect", "deny")
	op.do(200, patch, fields{"autoApprove": true}).has("rule.effect", "allow")
	op.do(200, patch, fields{"autoApprove": false}).has("rule.effect", "ask")
	op.do(200, patch, fields{"effect": "deny"}).has("rule.autoApprove", false)
	op.do(422, patch, fields{"effect": "deny", "autoApprove": true}).says("field", "autoApprove")
	op.do(200, patch, fields{"toolPattern": "a*", "serverId": "s"}).has("rule.toolPattern", "a*", "rule.toolName", nil)
	op.do(200, patch, fields{"serverId": nil}).has("rule.serverId", nil, "rule.toolPattern", "a*")
	for _, priority := range []int{1<<31 - 1, -(1 << 31) + 1} {
		op.do(200, patch, fields{"priority": priority}).has("rule.priority", priority)
	}
	list := op.do(200, "GET /v1/rules", nil)
	again := op.do(200, "PUT /v1/rules", fields{"rules": list.at("rules")}) // what was read can be written
	again.has("rules.0.id", list.at("rules.0.id"), "rules.0.createdAt", list.at("rules.0.createdAt"), "rules.4.examples",
		list.at("rules.4.examples"))
	op.rules()
	make(fields{"toolName": "exact", "toolPattern": "nothing*", "effect": "deny"}, "deny", false)
	a.judge("exact", nil).has("decision", "deny")
	a.judge("nothing1", nil).has("decision", "ask", "rule", nil)
	a.judge("Exact", nil).has("decision", "ask", "rule", nil)
}

func conditions(op, a, _ visitor) {
	me := op.do(200, "GET /v1/agents", nil).list("agents")
	mine := fmt.Sprint(at(me[len(me)-2], "id"))
	for _, test := range []struct {
		condition string
		more      fields
		want      string // of an allow, an ask and a deny rule
	}{
		{"input.n == 9007199254740993", fields{"input": json.RawMessage(`{"n":9007199254740993}`)}, "allow ask deny"},
		{"input.n == 9007199254740993", fields{"input": json.RawMessage(`{"n":9007199254740992}`)}, "none none none"},
		{"type(input.n) == int", fields{"input": json.RawMessage(`{"n":5}`)}, "allow ask deny"},
		{"type(input.n) == double", fields{"input": json.RawMessage(`{"n":5.0}`)}, "allow ask deny"},
		{"type(input.n) == double", fields{"input": json.RawMessage(`{"n":9223372036854775808}`)}, "allow ask deny"},
		{"input.path.startsWith('/tmp/')", fields{"input": fields{"path": "/tmp/x"}}, "allow ask deny"},
		{"input.path.startsWith('/tmp/')", fields{"input": fields{"path": "/etc"}}, "none none none"},
		{"input.path.startsWith('/tmp/')", nil, "none ask deny"}, // what fails never allows, and always guards
		{"input.n > 1", fields{"input": fields{"n": "two"}}, "none ask deny"},
		{"1 / input.n > 0", fields{"input": fields{"n": 0}}, "none ask deny"},
		{"serverId == 'fs' && toolName == 'x'", fields{"serverId": "fs"}, "allow ask deny"},
		{"sessionId == 's1'", fields{"sessionId": "s1"}, "allow ask deny"},
		{"cwd == '/work'", fields{"cwd": "/work"}, "allow ask deny"},
		{"agent.id == '" + mine + "' && agent.name != ''", nil, "allow ask deny"},
		{"agent.id == 'somebody'", nil, "none none none"},
		{"has(input.a) && input.a.b[1] == 'c'", fields{"input": fields{"a": fields{"b": []any{1, "c"}}}}, "allow ask deny"},
	} {
		for i, effect := range []string{"allow", "ask", "deny"} {
			want := strings.Fields(test.want)[i]
			op.rules(fields{"id": "r", "effect": effect, "condition": test.condition, "note": "by condition"})
			got := a.judge("x", test.more)
			if rule := got.text("rule.id"); (rule == "r") != (want != "none") || want != "none" && got.text("decision") != want || want == "none" &&
				got.text("decision") != "ask" {
				op.Errorf("%s %s of %v: %s, want %s", effect, test.condition, test.more, got.raw, want)
			}
		}
	}
	op.rules(fields{"id": "r", "effect": "allow", "condition": "agent.id == '" + mine + "'"})
	op.judge("x", fields{"agentId": mine}).has("decision", "allow")
	op.judge("x", nil).has("decision", "ask")
	op.rules()
	c := a.ask(201, fields{"sessionId": "s1", "toolName": "t", "cwd": "/work", "input": fields{"path": "/tmp/x"}}).has("call.status",
		"pending")
	op.do(201, "POST /v1/rules", fields{"toolName": "t", "effect": "deny",
		"condition": "input.path == '/tmp/x' && sessionId == 's1' && cwd == '/work' && agent.name == '" + c.text("call.agentName") + "'",
		"note":      "by all"})
	op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.status", "denied", "call.decision.reason", "by all")
}

func badNames(op, a, _ visitor) {
	op.rules(fields{"id": "all", "autoApprove": true},
		fields{"id": "guard", "serverId": "s\u200b", "effect": "deny", "priority": 9, "note": "that one"})
	for _, name := range []string{"", " x", "x ", "a\u0000b", "a\nb", "a\u202eb", "a\u200bb", "d\u0435lete_all", strings.Repeat("x", 257)} {
		if got := a.judge(name, nil).has("decision", "ask", "rule", nil); got.text("reason") == "" {
			a.Errorf("%q: no reason", name)
		}
		a.judge("x", fields{"serverId": name}).has("decision", "ask", "rule", nil)
	}
	a.judge("x", fields{"serverId": "s\u200b"}).has("decision", "deny", "rule.id", "guard", "reason", "that one")
	a.judge("x", nil).has("decision", "allow", "rule.id", "all") // no server is no bad name
	op.rules(fields{"id": "of", "serverId": "fs", "effect": "deny"})
	a.judge("x", nil).has("decision", "ask", "rule", nil)
	a.judge("x", fields{"serverId": "FS"}).has("rule", nil)
	a.ask(201, fields{"toolName": "a\u202eb", "serverId": "fs"}).has("call.status", "denied")
	a.ask(201, fields{"toolName": "a\u202eb"}).has("call.status", "pending", "call.toolName", "a\u202eb")
}

func ruleHits(op, a, _ visitor) {
	made := op.do(201, "POST /v1/rules", fields{"id": "hit", "autoApprove": true}).has("rule.lastHitAt", nil)
	for range 3 {
		a.ask(201, nil)
	}
	a.judge("x", nil)
	got := op.until("three hits", "GET /v1/rules/hit", func(r reply) bool { return r.text("rule.hits") == "3" })
	got.has("rule.updatedAt", made.at("rule.updatedAt")).time("rule.lastHitAt")
	op.do(200, "PATCH /v1/rules/hit", fields{"note": "n"}, "If-Match", `"`+got.text("rule.updatedAt")+`"`).has("rule.hits", 3)
	last := made.time("rule.updatedAt")
	for i := range 20 {
		next := op.do(200, "PATCH /v1/rules/hit", fields{"note": fmt.Sprint(i)}).time("rule.updatedAt")
		if !next.After(last) {
			op.Fatalf("updatedAt stands still at %v", last)
		}
		last = next
	}
}

func examples(op, _, _ visitor) {
	rule := fields{"id": "reads", "serverId": "fs", "toolPattern": "read_*", "autoApprove": true, "examples": []any{
		fields{"serverId": "fs", "toolName": "read_file", "decision": "allow"},
		fields{"serverId": "fs", "toolName": "write_file", "decision": "ask"},
	}}
	op.do(201, "POST /v1/rules", rule)
	guard := fields{"id": "guard", "serverId": "fs", "toolPattern": "*file", "effect": "deny", "priority": 5}
	got := op.do(422, "POST /v1/rules", guard)
	if !strings.Contains(string(got.raw), "reads") || !strings.Contains(string(got.raw), "examples") {
		op.Errorf("it does not say which example breaks: %s", got.raw)
	}
	op.do(422, "PATCH /v1/rules/reads", fields{"toolPattern": "list_*"}).says("field", "examples[0]")
	op.do(422, "PUT /v1/rules", fields{"rules": []any{guard, rule}}).says("field", "rules[1].examples[0]")
	op.do(200, "GET /v1/rules", nil).has("rules.0.id", "reads", "rules.1", missing)
	op.do(200, "PATCH /v1/rules/reads", fields{"examples": []any{}})
	op.do(201, "POST /v1/rules", guard)
}

func traces(op, a, _ visitor) {
	op.rules(fields{"id": "off", "priority": 9, "effect": "deny", "enabled": false},
		fields{"id": "other", "priority": 8, "effect": "deny", "serverId": "web"},
		fields{"id": "named", "priority": 7, "effect": "deny", "toolName": "y"},
		fields{"id": "when", "priority": 6, "effect": "deny", "condition": "input.n == 1"},
		fields{"id": "this", "priority": 5, "autoApprove": true, "toolPattern": "x*"}, fields{"id": "later", "effect": "ask"})
	got := a.judge("x1", fields{"serverId": "fs", "input": fields{"n": 2}}).has("decision", "allow", "rule.id", "this", "rule.priority", 5,
		"inputHash", "sha256:"+hexSHA(`["fs","x1",{"n":2}]`), "policyVersion", op.do(200, "GET /v1/rules", nil).at("policyVersion"))
	for i, id := range []string{"off", "other", "named", "when", "this", "later"} {
		path := fmt.Sprint("trace.", i)
		if got.has(path+".ruleId", id); got.text(path+".why") == "" || id != "later" && got.text(path+".applies") != fmt.Sprint(id == "this") {
			a.Errorf("%s: %s", id, got.raw)
		}
	}
	op.do(200, "PATCH /v1/rules/this", fields{"effect": "deny", "note": "because"})
	next := a.judge("x1", fields{"serverId": "fs", "input": fields{"n": 2}}).has("decision", "deny", "reason", "because")
	if next.text("policyVersion") == got.text("policyVersion") {
		a.Error("the policy's version stands still")
	}
}

// parts: a shell line is judged part by part, and each row of the trace says of what.
func parts(op, a, _ visitor) {
	op.rules(fields{"id": "rm", "priority": 9, "effect": "deny", "condition": `input.command.startsWith("rm ")`},
		fields{"id": "git", "priority": 5, "effect": "allow", "condition": `input.command.startsWith("git ")`},
		fields{"id": "low", "priority": 1, "effect": "deny", "condition": `risk == "none" || under("/a/../b", "/a")`})
	judge := func(line string) reply {
		return a.judge("run", fields{"serverId": "shell", "input": fields{"command": line}})
	}
	judge("git status && git log").has("decision", "allow", "rule.id", "git", "parts.0.name", "git status", "parts.1.rule.id", "git")
	got := judge("git status; make").has("decision", "ask", "rule", nil, "parts.0.decision", "allow", "parts.1.decision", "ask",
		"parts.1.rule", nil, "trace.0.part", nil, "trace.1.part", 0, "trace.2.part", 1)
	if len(got.list("parts")) != 2 || len(got.list("trace")) != 9 {
		a.Errorf("%s", got.raw)
	}
	judge("git status; echo done; echo $HOME").has("decision", "allow")
	judge("git status; echo $GITHUB_TOKEN").has("decision", "ask", "risk", "high", "parts.1.rule", nil) // it prints a secret
	judge("echo $GITHUB_TOKEN; git status; echo ü").has("decision", "ask", "parts.0.decision", "ask", "parts.2.decision", "allow")
	judge("git status | rm x").has("decision", "deny", "rule.id", "rm", "parts.0.decision", "allow", "parts.1.decision", "deny")
	if none := a.judge("run", fields{"serverId": "shell"}); len(none.list("parts")) != 0 {
		a.Errorf("%s", none.raw)
	}
	c := a.ask(201, fields{"serverId": "shell", "toolName": "run", "input": fields{"command": "git status; make"}})
	c.has("call.status", "pending", "call.why.parts.0.rule.id", "git", "call.why.parts.1.decision", "ask")
}

func previews(op, a, _ visitor) {
	tool := unique("seen")
	c := a.ask(201, fields{"toolName": tool, "input": fields{"n": 1}})
	d := a.ask(201, fields{"toolName": tool, "input": fields{"n": 2}})
	op.decide(200, d.id(), fields{"approved": false})
	find := func(r reply, c reply) any {
		for _, e := range r.list("changed") {
			if at(e, "callId") == c.at("call.id") {
				return e
			}
		}
		return nil
	}
	got := op.do(200, "POST /v1/rules/preview", fields{"rules": []any{fields{"id": "p", "toolName": tool, "autoApprove": true}}})
	for _, call := range []reply{c, d} {
		if e := find(got, call); at(e, "before") != "ask" || at(e, "after") != "allow" {
			op.Errorf("preview: %v in %s", e, got.raw)
		}
	}
	got = op.do(200, "POST /v1/rules/preview",
		fields{"rules": []any{fields{"id": "p", "toolName": tool, "effect": "deny", "condition": "input.n == 1"}}})
	if e := find(got, c); at(e, "after") != "deny" || find(got, d) != nil {
		op.Errorf("preview with a condition: %s", got.raw)
	}
	if n := len(op.do(200, "POST /v1/rules/preview", fields{"rules": []any{}}).list("changed")); n != 0 {
		op.Errorf("the same rules change %d", n)
	}
	op.do(422, "POST /v1/rules/preview", fields{"rules": []any{fields{"id": "p", "condition": "?"}}}).says("field", "rules[0].condition")
	op.do(200, "GET /v1/rules", nil).has("rules", "[]")
	op.do(200, "GET /v1/calls/"+c.id(), nil).has("call.status", "pending")
}

func lints(op, _, _ visitor) {
	got := op.do(200, "POST /v1/rules/lint", fields{"rules": []any{
		fields{"id": "a.wide", "toolPattern": "read_*", "effect": "ask", "priority": 9},
		fields{"id": "never", "toolPattern": "read_file*", "autoApprove": true, "priority": 5},
		fields{"id": "twin", "toolPattern": "read_*", "effect": "ask", "priority": 9},
		fields{"id": "fight", "toolPattern": "*_x", "effect": "deny", "priority": 3},
		fields{"id": "foe", "toolPattern": "a_*", "autoApprove": true, "priority": 3},
		fields{"id": "plain", "toolPattern": "nostar", "effect": "ask", "priority": 2},
		fields{"id": "both", "toolName": "n", "toolPattern": "m*", "effect": "ask", "priority": 2},
		fields{"id": "all", "autoApprove": true, "priority": -1},
	}})
	found := map[string]bool{}
	for _, f := range got.list("findings") {
		found[fmt.Sprint(at(f, "ruleId"), " ", at(f, "kind"), " ", at(f, "by"))] = true
	}
	for _, want := range []string{"never unreachable a.wide", "twin duplicate a.wide", "plain no_star <nil>", "both name_and_pattern <nil>",
		"all allows_all <nil>"} {
		if !found[want] {
			op.Errorf("lint does not say %q: %v", want, found)
		}
	}
	if !found["foe conflict fight"] && !found["fight conflict foe"] {
		op.Errorf("lint does not say the conflict: %v", found)
	}
	if n := len(op.do(200, "POST /v1/rules/lint", fields{"rules": []any{fields{"id": "fine", "toolPattern": "a*", "effect": "ask"}}}).list(
		"findings")); n != 0 {
		op.Errorf("%d findings of a good rule", n)
	}
}

// opaRows are in the dialect of OPA's data API: never 200 without a result.
func opaRows(op, a, _ visitor) {
	op.rules(fields{"toolName": "ok", "autoApprove": true}, fields{"toolName": "no", "effect": "deny", "note": "never", "priority": 1},
		fields{"toolName": "sometimes", "effect": "deny", "condition": "input.n == 1"})
	for tool, want := range map[string]string{"ok": "allow", "no": "deny", "other": "requires-approval", "": "requires-approval"} {
		for _, v := range []visitor{a, op} {
			v.do(200, "POST /v1/data/sekisho/decision",
				fields{"input": fields{"tool": fields{"name": tool}, "args": fields{"x": 1}, "messages": []any{}}}).has("result.decision", want)
		}
	}
	a.do(200, "POST /v1/data/sekisho/decision", fields{"input": fields{"tool": fields{"name": "no"}}}).has("result.reason", "never")
	a.do(200, "POST /v1/data/sekisho/decision", fields{"input": fields{"tool": fields{"name": "sometimes"}, "args": fields{"n": 1}}}).has(
		"result.decision", "deny")
	for _, body := range []string{`{}`, `{"input":{}}`, `{"input":{"tool":"ok"}}`, `{"input":null}`, `[]`} {
		if r := a.send("POST /v1/data/sekisho/decision", body); r.status != 422 {
			a.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
	a.do(400, "POST /v1/data/sekisho/decision", `{"input":{"tool":{"name":"ok","name":"no"}}}`)
	a.visitor("").do(401, "POST /v1/data/sekisho/decision", fields{"input": fields{"tool": fields{"name": "ok"}}})
	got := a.do(200, "POST /v1/data/sekisho/tools", fields{"input": fields{"tools": []any{"ok", "no", "other", "sometimes"}}})
	if fmt.Sprint(got.list("result")) != "[ok other sometimes]" {
		a.Errorf("tools: %s", got.raw)
	}
	before := len(op.do(200, "GET /v1/calls", nil).list("calls"))
	a.judge("other", nil)
	if after := len(op.do(200, "GET /v1/calls", nil).list("calls")); after != before {
		a.Error("a question made a call")
	}
}
