package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// told is an event of a stream.
type told struct {
	id         int64
	name, data string
}

// listen opens the stream of events and reads it until the test ends or until stop.
func (v visitor) listen(query, last string) (events <-chan told, stop func()) {
	v.Helper()
	ctx, cancel := context.WithCancel(v.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", v.url+"/v1/events"+query, nil)
	if err != nil {
		v.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		v.Fatalf("events: %v %v", resp, err)
	}
	out := make(chan told, 1000)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		var e told
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
			case "id":
				e.id, _ = strconv.ParseInt(value, 10, 64)
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					out <- e
				}
				e = told{}
			}
		}
	}()
	return out, cancel
}

// hear takes events until their names are these, in their order.
func (v visitor) hear(events <-chan told, names ...string) (all []told) {
	v.Helper()
	for len(all) < len(names) {
		select {
		case e, ok := <-events:
			if !ok {
				v.Fatalf("the stream ended after %v", all)
			}
			all = append(all, e)
		case <-time.After(time.Minute):
			v.Fatalf("heard %v only, not %v", all, names)
		}
	}
	for i, e := range all {
		if e.name != names[i] || i > 0 && e.id <= all[i-1].id {
			v.Errorf("heard %v, want %v", all, names)
		}
	}
	return all
}

// quiet wants no event of a call more.
func (v visitor) quiet(events <-chan told) {
	v.Helper()
	select {
	case e, ok := <-events:
		if ok {
			v.Errorf("heard %v as well", e)
		}
	case <-time.After(100 * time.Millisecond):
	}
}

// TestContractEvents follows the stream over kill -9, and recomputes the journal.
func TestContractEvents(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	op := d.visit(t, "operator", operator)
	a, b := d.visit(t, "agent", d.agent("a")), d.visit(t, "agent", d.agent("b"))
	all, stop := op.listen("", "")
	mine, _ := a.listen("", "")
	theirs, _ := b.listen("", "")
	byRun, _ := a.listen("?runId=other", "")
	bySession, _ := op.listen("?sessionId=sr", "")
	life := []string{"call.created", "call.decided", "call.claimed", "call.finished"}
	live := func(run string) {
		c := a.ask(201, fields{"runId": run, "sessionId": "s" + run, "input": unique("x")})
		op.decide(200, c.id(), fields{"approved": true})
		got := a.claim(200, c, "k")
		a.do(200, "POST /v1/calls/"+c.id()+"/result", fields{"claimId": got.at("call.claimId"), "ok": true})
	}
	live("r")
	op.do(201, "POST /v1/rules", fields{"toolName": "x", "effect": "ask"})
	op.do(200, "PUT /v1/servers", fields{"servers": []any{}})
	heard := op.hear(all, slices.Concat(life, []string{"rules.changed", "servers.changed"})...)
	a.hear(mine, life...)
	op.hear(bySession, life...)
	b.quiet(theirs)
	a.quiet(byRun)
	entries := op.journal()
	for _, e := range heard {
		if entry := entries[e.id-1]; at(entry, "kind") != e.name || fmt.Sprint(at(entry, "seq")) != fmt.Sprint(e.id) {
			t.Errorf("event %v is %v in the journal", e, entry)
		}
	}
	stop()
	last := fmt.Sprint(heard[1].id)
	live("other")
	a.hear(byRun, life...)
	d.kill()

	d = start(t, dir)
	op, a, b = d.visit(t, "operator", operator), d.visit(t, "agent", a.token), d.visit(t, "agent", b.token)
	live("third")
	again, _ := op.listen("", last)
	op.hear(again, slices.Concat(life[2:], []string{"rules.changed", "servers.changed"}, life, life)...)
	own, _ := a.listen("", last)
	a.hear(own, slices.Concat(life[2:], life, life)...)
	none, _ := b.listen("", last)
	b.quiet(none)
	for _, bad := range []string{"999999999", "-1", "x"} {
		events, end := op.listen("", bad)
		op.hear(events, "reset")
		end()
	}
	chain(op)
}

// chain recomputes the journal from the contract's words.
func chain(op visitor) {
	op.Helper()
	prev, kinds := "", map[string]bool{}
	entries := op.journal()
	for i, e := range entries {
		entry := e.(fields)
		fits(op.T, "entry", entry, entryShape)
		hash := entry["hash"]
		delete(entry, "hash")
		if got := hexSHA(canonical(entry)); got != hash || entry["prevHash"] != prev || fmt.Sprint(entry["seq"]) != fmt.Sprint(i+1) {
			op.Fatalf("the chain breaks at %v: computed %s, it says %s", entry, got, hash)
		}
		prev = fmt.Sprint(hash)
		kinds[fmt.Sprint(entry["kind"])] = true
	}
	for _, kind := range []string{"call.created", "call.decided", "call.claimed", "call.finished", "rules.changed", "servers.changed"} {
		if !kinds[kind] {
			op.Errorf("the journal has no %s", kind)
		}
	}
	var paged []any
	for after := "0"; after != "<nil>"; {
		page := op.do(200, "GET /v1/journal?limit=3&after="+after, nil)
		paged = append(paged, page.list("entries")...)
		after = page.text("next")
	}
	if len(paged) < len(entries) {
		op.Errorf("%d entries by pages, %d at once", len(paged), len(entries))
	}
}

// TestContractKilled: what was acknowledged is there after kill -9, in its state or
// a later one, and can go on.
func TestContractKilled(t *testing.T) {
	dir := t.TempDir()
	d := start(t, dir)
	op, a := d.visit(t, "operator", operator), d.visit(t, "agent", d.agent("a"))
	w := &rowWorld{op: op, a: a}
	waiting, short, approved := w.pending(), a.ask(201, fields{"timeoutSeconds": 0.3}), w.approved()
	taken := w.approved()
	leased := a.do(200, "POST /v1/calls/"+taken.id()+"/claim",
		fields{"inputHash": taken.at("call.inputHash"), "claimant": "t", "claimKey": "k", "leaseSeconds": 1})
	done := w.claimed()
	a.do(200, "POST /v1/calls/"+done.id()+"/result", fields{"claimId": done.at("call.claimId"), "ok": true, "output": 7})
	op.decide(200, a.ask(201, fields{"sessionId": "s"}).id(), fields{"approved": true, "scope": "class"})
	d.kill()
	for name, text := range contents(t, dir) {
		if strings.Contains(text, a.token) || strings.Contains(text, operator) {
			t.Errorf("a token is in %s", name)
		}
	}
	time.Sleep(time.Until(short.time("call.expiresAt")))

	d = start(t, dir)
	op, a = d.visit(t, "operator", operator), d.visit(t, "agent", a.token)
	op.do(200, "GET /v1/calls/"+waiting.id(), nil).has("call.status", "pending", "call.expiresAt", waiting.at("call.expiresAt"), "call.input",
		waiting.at("call.input"))
	op.decideRefused("expired", short)
	op.decide(200, waiting.id(), fields{"approved": true}).has("call.status", "approved")
	a.claim(200, waiting, "k")
	a.claim(200, approved, "k").has("call.decision.by", "person")
	op.do(200, "GET /v1/calls/"+done.id(), nil).has("call.status", "completed", "call.result", 7)
	op.until("in doubt", "GET /v1/calls/"+taken.id(), func(r reply) bool { return r.text("call.status") == "in_doubt" })
	a.do(200, "POST /v1/calls/"+taken.id()+"/result", fields{"claimId": leased.at("call.claimId"), "ok": true}).has("call.status", "completed")
	a.ask(201, fields{"sessionId": "s", "input": "later"}).has("call.status", "pending") // its grant ended with the process
}
