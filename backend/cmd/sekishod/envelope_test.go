package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// callAt is a tools/call with more members in its params, which begin with a comma; meta
// is more of _meta, likewise.
func (s *speaker) callAt(id, arguments, more, meta string) string {
	if s.session == "" {
		meta = `,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}` + meta
	}
	if meta != "" {
		meta = `,"_meta":{` + meta[1:] + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%secho","arguments":%s%s%s}}`, id, s.named, arguments,
		more, meta)
}

// leaves sends a call that waits for a person, whose caller then leaves, and gives the
// call. One that is answered instead fails the test.
func (s *speaker) leaves(t *testing.T, body string) reply {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	answered := make(chan string, 1)
	go func() { answered <- s.post(ctx, body) }()
	op := s.op
	op.T = t
	var id string
	for deadline := time.Now().Add(time.Minute); id == ""; time.Sleep(10 * time.Millisecond) {
		select {
		case got := <-answered:
			t.Fatalf("it did not wait for a person: %s", got)
		default:
		}
		for _, c := range op.do(200, "GET /v1/calls?status=pending", nil).list("calls") {
			if at(c, "callerGone") == false {
				id = at(c, "id").(string)
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no call waits")
		}
	}
	leave()
	<-answered
	return op.until("left", "GET /v1/calls/"+id, func(c reply) bool { return c.at("call.callerGone") == true })
}

// post sends a message and gives all that comes back; an error where the caller left.
func (s *speaker) post(ctx context.Context, body string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+s.path, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	headers := map[string]string{"Content-Type": "application/json", "Accept": bothKinds, "Authorization": "Bearer " + s.token,
		"Mcp-Session-Id": s.session}
	if s.session == "" {
		delete(headers, "Mcp-Session-Id")
		headers["Mcp-Protocol-Version"], headers["Mcp-Method"], headers["Mcp-Name"] = "2026-07-28", "tools/call", s.named+"echo"
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// yes approves a call as it was shown.
func (r *recorder) yes(call reply) reply {
	r.Helper()
	return r.op.do(200, "POST /v1/calls/"+call.text("call.id")+"/decision",
		fields{"approved": true, "inputHash": call.text("call.inputHash"), "rev": call.at("call.rev")})
}

// TestAnswersBeforeTheQuestionAsk: a first call that brings answers to a server's question
// waits for a person, whatever the rules allow, who is shown them.
func TestAnswersBeforeTheQuestionAsk(t *testing.T) {
	r := newRecorder(t)
	r.op.rules(fields{"id": "all", "autoApprove": true})
	const early = `,"inputResponses":{"confirm":{"action":"accept","content":{"delete_everything":true}}}`
	for i, s := range r.speakers(t) {
		t.Run(s.what, func(t *testing.T) {
			s.visitor.T = t
			arguments := fmt.Sprintf(`{"repo":"prod%d"}`, i)
			call := s.leaves(t, s.callAt("7", arguments, early, ""))
			if r.reached(s.server, fmt.Sprint("prod", i)) {
				t.Fatal("it ran unasked")
			}
			call.has("call.risk", "high", "call.class", "<nil>", "call.why.code", "first_round_answers",
				"call.envelope.inputResponses.confirm.content.delete_everything", "true").
				says("call.why.reason", "inputResponses").says("call.riskReasons.0.text", "inputResponses").says("call.envelopeHash", "sha256:")
			r.yes(call)
			if got := s.ask(s.callAt("8", arguments, early, "")); got.at("result.content") == missing {
				t.Fatalf("after the yes: %s", got.raw)
			}
			if !r.reached(s.server, `"delete_everything":true`) {
				t.Errorf("what was approved did not arrive")
			}
		})
	}
	journaled := 0
	for _, e := range r.op.do(200, "GET /v1/journal?limit=1000", nil).list("entries") {
		if at(e, "kind") == "call.created" {
			journaled++
			if fmt.Sprint(at(e, "data.envelopeMembers")) != "[inputResponses]" ||
				!strings.HasPrefix(fmt.Sprint(at(e, "data.envelopeHash")), "sha256:") {
				t.Errorf("the journal says %v", e)
			}
		}
	}
	if journaled == 0 {
		t.Error("no call is in the journal")
	}
}

// TestTheApprovedEnvelopeRuns: a caller that comes back with the same arguments and
// another _meta takes up the yes, and what runs is what was shown; with another member of
// params it is another call.
func TestTheApprovedEnvelopeRuns(t *testing.T) {
	r := newRecorder(t)
	r.op.rules(fields{"id": "all", "effect": "ask"})
	for i, s := range r.speakers(t) {
		t.Run(s.what, func(t *testing.T) {
			s.visitor.T = t
			arguments := fmt.Sprintf(`{"same":%d}`, i)
			r.yes(s.leaves(t, s.callAt("1", arguments, `,"x":{"kept":1}`, `,"note":"harmless","progressToken":"p1"`)).has("call.envelope._meta.note",
				"harmless", "call.envelope.x.kept", 1, "call.envelope._meta.progressToken", missing))

			other := s.leaves(t, s.callAt("2", arguments, `,"x":{"kept":1},"task":{"ttl":5}`, `,"note":"harmless"`)).has("call.envelope.task.ttl", 5)
			r.op.do(200, "POST /v1/calls/"+other.text("call.id")+"/decision",
				fields{"approved": false, "inputHash": other.text("call.inputHash"), "rev": other.at("call.rev")})

			got := s.ask(s.callAt("3", arguments, `,"x":{"kept":1}`, `,"note":"EVIL","as":"admin","progressToken":"p2"`))
			if got.at("result.content") == missing || strings.Contains(string(got.raw), "PENDING") {
				t.Fatalf("the yes is not taken up: %s", got.raw)
			}
			raw := r.ran(t, s.server, arguments)
			if !strings.Contains(raw, `"note":"harmless"`) || !strings.Contains(raw, `"kept":1`) || strings.Contains(raw, "EVIL") ||
				strings.Contains(raw, "admin") || strings.Contains(raw, "p1") {
				t.Errorf("the server ran %s", raw)
			}
		})
	}
}

// ran is the one message with some words that a server got.
func (r *recorder) ran(t *testing.T, server, words string) (found string) {
	t.Helper()
	raw, err := os.ReadFile(r.logs[server])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if !strings.Contains(line, words) {
			continue
		}
		if found != "" {
			t.Errorf("it ran twice: %s and %s", found, line)
		}
		found = line
	}
	if found == "" {
		t.Fatalf("%s never arrived", words)
	}
	return found
}

// TestConditionsReadTheEnvelope: rules see what is beside the arguments, in evaluate and
// when it is asked for.
func TestConditionsReadTheEnvelope(t *testing.T) {
	r := newRecorder(t)
	r.op.rules(fields{"id": "all", "autoApprove": true, "condition": `method == "tools/call" && envelope == {}`},
		fields{"id": "no", "effect": "deny", "priority": 5, "condition": `has(envelope.task)`, "note": "no tasks here"})
	for envelope, want := range map[string]string{`{}`: "allow", `null`: "allow", `{"x":1}`: "ask", `{"task":{}}`: "deny",
		`{"requestState":"s"}`: "ask", `{"InputResponses":1}`: "ask"} {
		r.a.do(200, "POST /v1/evaluate", fields{"serverId": "child", "toolName": "echo", "envelope": json.RawMessage(envelope)}).has("decision",
			want)
	}
	r.a.do(200, "POST /v1/evaluate", fields{"serverId": "child", "toolName": "echo", "envelope": json.RawMessage(`{"inputResponses":1}`)}).has(
		"risk", "high", "decision", "ask")
	r.a.refused(422, "invalid", "POST /v1/evaluate", fields{"serverId": "child", "toolName": "echo", "envelope": []any{}})
	r.a.do(400, "POST /v1/evaluate", `{"serverId":"child","toolName":"echo","envelope":{"a":1,"a":2}}`)
	s := r.speakers(t)[0]
	if got := s.ask(s.callAt("1", `{"n":1}`, `,"task":{"ttl":1}`, "")); !strings.Contains(string(got.raw), "no tasks here") {
		t.Errorf("a task: %s", got.raw)
	}
	if got := s.ask(s.callAt("2", `{"n":2}`, "", `,"progressToken":7`)); r.ran(t, "child", `"n":2`) == "" {
		t.Errorf("without an envelope: %s", got.raw)
	}
}

// TestNothingBesideParams: what stands beside the params of a call, and headers that say
// what nobody has seen, reach no server.
func TestNothingBesideParams(t *testing.T) {
	r := newRecorder(t)
	r.op.rules(fields{"id": "all", "autoApprove": true})
	for _, s := range r.speakers(t) {
		got := s.ask(strings.Replace(s.callAt("1", `{"marker":"beside"}`, "", ""), `"jsonrpc"`, `"extra":{"as":"admin"},"jsonrpc"`, 1))
		if got.text("error.code") != "-32600" {
			t.Errorf("%s: %s", s.what, got.raw)
		}
		if r.reached(s.server, "beside") {
			t.Errorf("%s: it ran", s.what)
		}
	}
	s := r.speakers(t)[4]
	got := s.visitor.send("POST "+s.path, s.callAt("1", `{"marker":"headed"}`, "", ""), "Accept", bothKinds,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo", "Mcp-Param-As", "admin")
	if r.reached("far", "headed") {
		t.Errorf("a call with a header that no argument says ran: %s", got.raw)
	}
}
