package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestContractScopes holds answers of wider scope to sections 3 and 6.
func TestContractScopes(t *testing.T) {
	p := newParty(t)
	for name, test := range map[string]func(op, a, b visitor){
		"class": classScope, "session": sessionScope, "commands": commandScope, "declined": declinedScope, "ends": grantEnds, "risk": grantRisk,
		"a line declined": lineDeclined, "questions": questions, "folders": folders, "printed": printed,
	} {
		t.Run(name, func(t *testing.T) {
			op, a, b := p.with(t)
			test(op, a, b)
		})
	}
}

// statuses are those of calls, as the operator sees them.
func (v visitor) statuses(calls ...reply) (all []string) {
	v.Helper()
	for _, c := range calls {
		all = append(all, v.do(200, "GET /v1/calls/"+c.id(), nil).text("call.status"))
	}
	return all
}

func (v visitor) stand(want []string, calls ...reply) {
	v.Helper()
	if got := v.statuses(calls...); !slices.Equal(got, want) {
		v.Errorf("they stand %v, want %v", got, want)
	}
}

// settles wants exactly these calls, beside the one that was answered.
func (r reply) settles(calls ...reply) reply {
	r.Helper()
	got, want := []string{}, []string{}
	for _, id := range r.list("settled") {
		got = append(got, fmt.Sprint(id))
	}
	for _, c := range calls {
		want = append(want, c.id())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.Errorf("settled %v, want %v", got, want)
	}
	return r
}

// grantsOf are the grants of one session.
func (v visitor) grantsOf(session string) (mine []any) {
	v.Helper()
	for _, g := range v.do(200, "GET /v1/grants", nil).list("grants") {
		if fmt.Sprint(at(g, "sessionId")) == session {
			mine = append(mine, g)
		}
	}
	return mine
}

func classScope(op, a, b visitor) {
	ask := func(v visitor, session, tool string, server any) reply {
		return v.ask(201, fields{"sessionId": session, "runId": unique("run"), "toolName": tool, "serverId": server, "input": unique("x")})
	}
	first, second, third := ask(a, "class", "tool", "fs"), ask(a, "class", "tool", "fs"), ask(a, "class", "tool", "fs")
	others := []reply{ask(a, "class", "other", "fs"), ask(a, "class", "tool", nil), ask(a, "class", "tool", "web"),
		ask(a, "class2", "tool", "fs"), ask(b, "class", "tool", "fs"), ask(a, "class", "Tool", "fs")}
	op.decide(200, second.id(), fields{"approved": true, "scope": "class", "reason": "go on"}).settles(first, third).has("call.decision.scope",
		"class", "call.decision.by", "person")
	grants := op.grantsOf("class")
	if len(grants) != 1 {
		op.Fatalf("grants: %v", grants)
	}
	grant := at(grants[0], "id")
	op.do(200, "GET /v1/calls/"+first.id(), nil).has("call.status", "approved", "call.decision.by", "grant", "call.decision.grantId", grant,
		"call.decision.approved", true)
	op.stand([]string{"pending", "pending", "pending", "pending", "pending", "pending"}, others...)
	later := ask(a, "class", "tool", "fs").has("call.status", "approved", "call.decision.by", "grant", "call.decision.grantId", grant)
	ask(a, "class2", "tool", "fs").has("call.status", "pending")
	a.claim(200, later, "k")
	op.sayJournal(grant, first, third, later)
}

// sayJournal wants the journal to say of each call that the grant settled it.
func (v visitor) sayJournal(grant any, calls ...reply) {
	v.Helper()
	said := map[string]bool{}
	for _, e := range v.journal() {
		if at(e, "kind") == "call.decided" && at(e, "actor") == fmt.Sprint("grant:", grant) {
			said[fmt.Sprint(at(e, "callId"))] = true
		}
	}
	for _, c := range calls {
		if !said[c.id()] {
			v.Errorf("the journal does not say that a grant settled %s", c.id())
		}
	}
}

func sessionScope(op, a, _ visitor) {
	ask := func(tool string) reply {
		return a.ask(201, fields{"sessionId": "whole", "toolName": tool, "input": unique("x")})
	}
	one, two, high := ask("tool"), ask("other"), ask("delete_all")
	high.has("call.risk", "high")
	op.decide(200, one.id(), fields{"approved": true, "scope": "session"}).settles(two)
	op.stand([]string{"approved", "approved", "pending"}, one, two, high)
	ask("third").has("call.status", "approved", "call.decision.by", "grant")
	next := ask("delete_more").has("call.status", "pending")
	for range 2 { // what stands is what was given, and the same again is repeated
		op.decide(200, high.id(), fields{"approved": true, "scope": "session"}).settles().has("call.decision.scope", "once",
			"call.decision.grantId", nil)
	}
	op.stand([]string{"pending"}, next)
	ask("delete_again").has("call.status", "pending")
	for _, g := range op.grantsOf("whole") {
		if got := at(g, "maxRisk"); at(g, "scope") == "session" && got != "medium" {
			op.Errorf("a grant for the session says that it covers what is %v", got)
		}
	}
}

func commandScope(op, a, _ visitor) {
	session := "commands"
	ask := func(command string) reply {
		return a.ask(201, fields{"sessionId": session, "toolName": "shell", "input": fields{"command": command, "n": unique("n")}})
	}
	git, log, list, two := ask("git status"), ask("git log -1"), ask("ls -l"), ask("git status && ls -l")
	computed, piped, unusual := ask("git $(reboot) && $X"), ask("git log | sh"), ask("/tmp/git status")
	again := ask("git status -s | head")
	op.decide(200, git.id(), fields{"approved": true, "scope": "class"}).settles(again)
	op.stand([]string{"pending", "pending", "pending", "pending", "pending", "pending"}, log, list, two, computed, piped, unusual)
	for _, c := range []reply{computed, piped, unusual} { // whatever scope is wished for
		op.decide(200, c.id(), fields{"approved": true, "scope": "class"}).settles().has("call.decision.scope", "once")
	}
	op.decide(200, list.id(), fields{"approved": true, "scope": "class"}).settles(two) // by both answers
	op.do(200, "GET /v1/calls/"+two.id(), nil).has("call.decision.grantIds", op.grantIDs(session))
	if grants := op.grantIDs(session); len(grants) != 2 {
		op.Errorf("grants: %v", grants)
	}
	ask("git status --short").has("call.status", "approved")
	for _, line := range []string{"git status; reboot", "git push --force", "git diff", "git", "cd /x && git status", "ls | sh",
		"git status && $X"} {
		ask(line).has("call.status", "pending")
	}

	both := ask("ls; git status").has("call.status", "approved")
	op.do(204, "DELETE /v1/grants/"+fmt.Sprint(op.grantIDs(session)[0]), nil)
	op.stand([]string{"revoked", "revoked"}, two, both)
}

// grantIDs are those of the grants of one session, oldest first.
func (v visitor) grantIDs(session string) (ids []any) {
	v.Helper()
	for _, g := range v.grantsOf(session) {
		ids = append(ids, at(g, "id"))
	}
	return ids
}

// lineDeclined: a no reaches every line that has a part of its kind, of any risk.
func lineDeclined(op, a, _ visitor) {
	ask := func(command string) reply {
		return a.ask(201, fields{"sessionId": "s", "toolName": "shell", "input": fields{"command": command, "n": unique("n")}})
	}
	push, later, other := ask("git push"), ask("ls; git push --force"), ask("git status")
	op.decide(200, push.id(), fields{"approved": false, "scope": "class", "reason": "not from here"}).settles(later)
	op.stand([]string{"declined", "pending"}, later, other)
	op.decide(200, other.id(), fields{"approved": true, "scope": "session"})
	ask("git status").has("call.status", "approved")
	for _, line := range []string{"git push", "git status && git push", "git push; $X"} {
		ask(line).has("call.status", "declined", "call.decision.by", "grant", "call.decision.reason", "not from here")
	}
	op.do(200, "POST /v1/hold", fields{"on": true})
	defer op.do(200, "POST /v1/hold", fields{"on": false})
	ask("git push").has("call.status", "declined")
	ask("git status").has("call.status", "pending")
}

// questions: a yes answers what was asked, not what another rule asks.
func questions(op, a, _ visitor) {
	rule := op.do(201, "POST /v1/rules", fields{"serverId": "pay", "toolName": "transfer", "effect": "ask", "priority": 1000})
	ask := func(tool string, server any) reply {
		return a.ask(201, fields{"sessionId": "s", "serverId": server, "toolName": tool, "input": unique("x")})
	}
	balance, transfer := ask("balance", "pay"), ask("transfer", "pay")
	balance.has("call.questions", []any{"default"})
	transfer.has("call.questions", []any{rule.at("rule.id")})
	op.decide(200, balance.id(), fields{"approved": true, "scope": "session"}).settles()
	ask("balance", "pay").has("call.status", "approved")
	ask("transfer", "pay").has("call.status", "pending")
	ask("list", "fs").has("call.status", "pending")
	ask("list", nil).has("call.status", "pending")

	// A rule that comes while calls wait asks about them too.
	list, move := ask("list", "fs"), ask("move", "fs")
	op.do(201, "POST /v1/rules", fields{"serverId": "fs", "toolName": "move", "effect": "ask", "priority": 1000})
	op.decide(200, list.id(), fields{"approved": true, "scope": "session"})
	op.stand([]string{"pending"}, move)

	// Of two rules of one priority both ask, whichever is older: a yes to the one is none to the other.
	all := op.do(201, "POST /v1/rules", fields{"serverId": "bank", "effect": "ask", "priority": 7})
	large := op.do(201, "POST /v1/rules", fields{"serverId": "bank", "effect": "ask", "priority": 7, "condition": "input.sum > 100"})
	sum := func(n int) reply {
		return a.ask(201, fields{"sessionId": "sums", "serverId": "bank", "toolName": "book", "input": fields{"sum": n}})
	}
	small := sum(5).has("call.questions", []any{all.at("rule.id")})
	op.decide(200, small.id(), fields{"approved": true, "scope": "class"}).settles()
	sum(6).has("call.status", "approved")
	huge := sum(5000).has("call.status", "pending", "call.questions", []any{all.at("rule.id"), large.at("rule.id")})
	op.decide(200, huge.id(), fields{"approved": true, "scope": "class"}).settles()
	sum(6000).has("call.status", "approved")
	sum(7).has("call.status", "approved")
}

// folders: a yes of scope class stays in the folder of the call, and those below.
func folders(op, a, _ visitor) {
	ask := func(cwd any, input any) reply {
		return a.ask(201, fields{"sessionId": "s", "toolName": "shell", "cwd": cwd, "input": input})
	}
	c := ask("/w", fields{"command": "make check"})
	op.decide(200, c.id(), fields{"approved": true, "scope": "class"})
	for _, inside := range []reply{ask("/w/sub", fields{"command": "make check"}), ask("/w", fields{"command": "cd sub && make check"}),
		ask("/x", fields{"command": "make check", "workdir": "/w"})} {
		inside.has("call.status", "approved")
	}
	for _, outside := range []reply{ask("/", fields{"command": "make check"}), ask(nil, fields{"command": "make check"}),
		ask("/w", fields{"command": "cd .. && make check"}), ask("/w", fields{"command": "make check", "cwd": "/x"}),
		ask("/w", fields{"command": "cd $X; make check"})} {
		outside.has("call.status", "pending")
	}
}

// printed: what an answer reaches is said before it is given, of the grant, and in the journal.
func printed(op, a, _ visitor) {
	c := a.ask(201, fields{"sessionId": "printed", "serverId": "box", "toolName": "shell", "cwd": "/w",
		"input": fields{"command": "make check && make lint | head"}})
	text := c.has("call.covers.class.code", "commands", "call.covers.session.code", "server", "call.covers.class.params.parts",
		[]any{fields{"name": "make check", "folder": "/w"}, fields{"name": "make lint", "folder": "/w"}}).text("call.covers.class.text")
	if want := "make check, make lint in /w by shell on box"; !strings.HasPrefix(text, want) {
		op.Errorf("%s, want %s", text, want)
	}
	op.decide(200, c.id(), fields{"approved": true, "scope": "class"})
	if said := at(at(op.grantsOf("printed")[0], "covers"), "text"); said != text {
		op.Errorf("the grant says %v, and before it was %s", said, text)
	}
	for _, e := range op.journal() {
		if at(e, "kind") == "grants.changed" && at(e, "data.grant.covers.text") == text {
			return
		}
	}
	op.Error("the journal does not say what the grant reaches")
}

func declinedScope(op, a, _ visitor) {
	ask := func(more any) reply { return a.ask(201, fields{"sessionId": "s", "input": more}) }
	one, two := ask(1), ask(2)
	op.decide(200, one.id(), fields{"approved": false, "scope": "class", "reason": "none of these"}).settles(two)
	op.do(200, "GET /v1/calls/"+two.id(), nil).has("call.status", "declined", "call.decision.by", "grant", "call.decision.reason",
		"none of these")
	ask(3).has("call.status", "declined", "call.decision.by", "grant", "call.decision.approved", false)
}

func grantEnds(op, a, _ visitor) {
	grant := func(session string, more fields) fields {
		c := a.ask(201, fields{"sessionId": session, "input": unique("x")})
		body := fields{"approved": true, "scope": "class"}
		for key, value := range more {
			body[key] = value
		}
		op.decide(200, c.id(), body)
		return op.grantsOf(session)[0].(fields)
	}
	ask := func(session, want string) {
		a.Helper()
		a.ask(201, fields{"sessionId": session, "input": unique("x")}).has("call.status", want)
	}
	grant("ended", nil)
	ask("ended", "approved")
	a.do(200, "POST /v1/sessions/ended/end", nil).has("grantsEnded", 1)
	ask("ended", "pending")
	if left := op.grantsOf("ended"); len(left) > 0 {
		op.Errorf("left: %v", left)
	}

	removed := grant("removed", nil)
	ask("removed", "approved")
	op.do(204, "DELETE /v1/grants/"+fmt.Sprint(removed["id"]), nil)
	op.do(404, "DELETE /v1/grants/"+fmt.Sprint(removed["id"]), nil)
	ask("removed", "pending")

	timed := grant("timed", fields{"forSeconds": 1.5})
	over, err := time.Parse(time.RFC3339, fmt.Sprint(timed["expiresAt"]))
	if err != nil {
		op.Fatal(err)
	}
	time.Sleep(time.Until(over) + 10*time.Millisecond)
	ask("timed", "pending")
	if lasting := grant("lasting", nil); lasting["expiresAt"] != nil {
		op.Errorf("a grant to the session's end: %v", lasting)
	}
}

func grantRisk(op, a, _ visitor) {
	ask := func(tool string, input any) reply {
		return a.ask(201, fields{"sessionId": "s", "toolName": tool, "input": input})
	}
	high := ask("delete_file", 1).has("call.risk", "high")
	alike, medium := ask("delete_file", 2), ask("tool", 1)
	op.decide(200, high.id(), fields{"approved": true, "scope": "class"}).settles().has("call.decision.scope", "once")
	ask("delete_file", 3).has("call.status", "pending", "call.onlyOnce", "high_risk", "call.covers", nil)
	op.stand([]string{"pending", "pending"}, medium, alike)
	op.decide(200, alike.id(), fields{"approved": false, "scope": "class"}).has("call.decision.scope", "class")
	ask("delete_file", 4).has("call.status", "declined")
	ask("delete_dir", 3).has("call.status", "pending")
}

// no declines a call with a reason.
func (v visitor) no(c reply, more fields) {
	v.Helper()
	body := fields{"approved": false, "reason": "not here"}
	for key, value := range more {
		body[key] = value
	}
	v.decide(200, c.id(), body)
}

func denialMemory(op, a, b visitor) {
	ask := func(v visitor, session string, input any) reply {
		v.Helper()
		return v.ask(201, fields{"sessionId": session, "runId": unique("run"), "input": input})
	}
	first := ask(a, "s", 1)
	op.no(first, nil)
	for range 2 {
		ask(a, "s", 1).has("call.status", "declined", "call.decision.by", "person", "call.decision.approved", false, "call.decision.reason",
			"not here")
	}
	ask(a, "s", 2).has("call.status", "pending")
	ask(a, "s2", 1).has("call.status", "pending")
	ask(b, "s", 1).has("call.status", "pending")
	op.do(200, "DELETE /v1/calls/"+first.id()+"/denial", nil).has("call.status", "declined")
	again := ask(a, "s", 1).has("call.status", "pending")
	op.no(again, fields{"remember": false})
	ask(a, "s", 1).has("call.status", "pending")
}

// denialSetting: the setting is for all, and a decision may say otherwise.
func denialSetting(op, a, _ visitor) {
	op.do(200, "PATCH /v1/settings", fields{"denialMemory": false})
	defer op.do(200, "PATCH /v1/settings", fields{"denialMemory": true})
	op.no(a.ask(201, fields{"input": 3}), nil)
	a.ask(201, fields{"input": 3}).has("call.status", "pending")
	op.no(a.ask(201, fields{"input": 4}), fields{"remember": true})
	a.ask(201, fields{"input": 4}).has("call.status", "declined", "call.decision.reason", "not here")
}

func runsAndSessions(op, a, b visitor) {
	tool, _ := op.allows()
	s, r1, r2 := unique("session"), unique("r"), unique("r")
	ask := func(v visitor, run, session, tool string) reply {
		return v.ask(201, fields{"runId": run, "sessionId": session, "toolName": tool, "input": unique("x")})
	}
	p1, p2, free, other, theirs := ask(a, r1, s, "tool"), ask(a, r1, s, "tool"), ask(a, r1, s, tool), ask(a, r2, s, "tool"),
		ask(b, r1, s, "tool")
	taken := ask(a, r1, s, tool)
	a.claim(200, taken, "k")
	a.do(200, "POST /v1/runs/"+r1+"/cancel", nil).has("cancelled", 3)
	op.stand([]string{"cancelled", "cancelled", "cancelled", "pending", "pending", "claimed"}, p1, p2, free, other, theirs, taken)
	op.do(200, "GET /v1/calls/"+p1.id(), nil).has("call.decision.by", "caller")
	a.do(200, "POST /v1/runs/"+r1+"/cancel", nil).has("cancelled", 0, "grantsEnded", 0)
	a.claim(409, free, "k").has("code", "cancelled")
	a.do(200, "POST /v1/sessions/"+s+"/end", fields{}).has("cancelled", 1)
	op.stand([]string{"cancelled", "pending"}, other, theirs)
	op.do(200, "POST /v1/sessions/"+s+"/end", nil).has("cancelled", 1)
	op.stand([]string{"cancelled"}, theirs)
}

func risks(op, a, _ visitor) {
	for tool, want := range map[string]string{"tool": "medium", "frobnicate": "medium", "delete_file": "high", "drop_table": "high",
		"deleteFile": "high"} {
		c := a.ask(201, fields{"toolName": tool}).has("call.risk", want)
		if want == "high" && len(c.list("call.riskReasons")) == 0 {
			a.Errorf("%s is high for no reason", tool)
		}
		op.do(200, "POST /v1/evaluate", fields{"serverId": nil, "toolName": tool, "input": fields{}}).has("risk", want)
	}
}

func holding(op, a, _ visitor) {
	tool, rule := op.allows()
	denied := unique("denied")
	op.do(201, "POST /v1/rules", fields{"toolName": denied, "effect": "deny"})
	op.decide(200, a.ask(201, fields{"sessionId": "granted"}).id(), fields{"approved": true, "scope": "class"})
	early := a.ask(201, fields{"toolName": tool}).has("call.status", "approved")
	yes := (&rowWorld{op: op, a: a}).approved()
	op.do(200, "POST /v1/hold", fields{"on": true}).has("on", true)
	defer op.do(200, "POST /v1/hold", fields{"on": false})
	held := a.ask(201, fields{"toolName": tool, "input": 1}).has("call.status", "pending")
	a.ask(201, fields{"sessionId": "granted", "input": 5}).has("call.status", "pending")
	a.ask(201, fields{"toolName": denied}).has("call.status", "denied")
	op.do(200, "POST /v1/evaluate", fields{"serverId": nil, "toolName": tool, "input": fields{}}).has("decision", "ask")
	a.claim(409, early, "k").has("code", "not_approved", "call.status", "pending")
	a.claim(200, yes, "k")
	op.decide(200, held.id(), fields{"approved": true})
	a.claim(200, held, "k")
	op.do(200, "POST /v1/hold", fields{"on": false}).has("on", false)
	a.ask(201, fields{"toolName": tool, "input": 2}).has("call.status", "approved", "call.decision.ruleId", rule)
}

// journal reads all of it, as the operator.
func (v visitor) journal() (all []any) {
	v.Helper()
	for after := "0"; after != "<nil>"; {
		page := v.do(200, "GET /v1/journal?limit=500&after="+after, nil)
		all = append(all, page.list("entries")...)
		after = page.text("next")
	}
	return all
}
