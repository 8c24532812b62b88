package rest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

func TestAskPassesOnWhatWasSaid(t *testing.T) {
	s := newSite(t, nil)
	s.desk.created = true
	before := time.Now()
	got := s.send("POST", "/v1/calls", tokenA,
		`{"runId":"r","toolCallId":"t","sessionId":"s","serverId":"fs","toolName":"write","input":{"b": 9007199254740993, "a":1e999},
		"description":"d","cwd":"/x","timeoutSeconds":0.25,"patienceSeconds":1.5}`)
	if got.status != http.StatusCreated {
		t.Fatalf("status = %d, %s", got.status, got.body)
	}
	r := s.desk.request
	if string(r.Input) != `{"b": 9007199254740993, "a":1e999}` {
		t.Errorf("input = %s, not as sent", r.Input)
	}
	if r.RunID != "r" || r.ToolCallID != "t" || r.SessionID != "s" || *r.ServerID != "fs" || r.ToolName != "write" || r.Description != "d" ||
		*r.Cwd != "/x" || r.Held {
		t.Errorf("request = %+v", r)
	}
	if r.Timeout != 250*time.Millisecond {
		t.Errorf("timeout = %v", r.Timeout)
	}
	if until := r.Patience.Std(); until.Before(before.Add(time.Second)) || until.After(time.Now().Add(2*time.Second)) {
		t.Errorf("patience until %v", until)
	}
	s.desk.created = false
	if got := s.send("POST", "/v1/calls", tokenA, `{"runId":"r","toolCallId":"t","toolName":""}`); got.status != http.StatusOK {
		t.Errorf("a call that is there already: status = %d, %s", got.status, got.body)
	}
	if r := s.desk.request; r.Input != nil || r.ServerID != nil || r.SessionID != "" || r.Timeout != 0 || !r.Patience.IsZero() {
		t.Errorf("what was left out came as %+v", r)
	}
}

func TestAskTakesAnyInput(t *testing.T) {
	for _, input := range []string{`null`, `"x"`, `[1,2]`, `5.0`, `true`,
		strings.Repeat("[", permission128) + strings.Repeat("]", permission128)} {
		s := newSite(t, nil)
		got := s.send("POST", "/v1/calls", tokenA, `{"runId":"r","toolCallId":"t","toolName":"x","input":`+input+`}`)
		if got.status != http.StatusOK || string(s.desk.request.Input) != input {
			t.Errorf("%.20s: status %d, input %.20s", input, got.status, s.desk.request.Input)
		}
	}
}

func TestAskTakesAResumeSchema(t *testing.T) {
	for given, want := range map[string]string{`{"type": "string"}`: `{"type": "string"}`, ` true `: `true`, `false`: `false`, `null`: ``,
		`{"x":"` + strings.Repeat("a", 65_000) + `"}`: `{"x":"` + strings.Repeat("a", 65_000) + `"}`} {
		s := newSite(t, nil)
		got := s.send("POST", "/v1/calls", tokenA, `{"runId":"r","toolCallId":"t","toolName":"x","resumeSchema":`+given+`}`)
		if got.status != 200 || string(s.desk.request.ResumeSchema) != want {
			t.Errorf("%.30s: %d, handed on as %.30s", given, got.status, s.desk.request.ResumeSchema)
		}
	}
}

func TestEvaluateIsForOneself(t *testing.T) {
	for _, c := range []struct {
		token, more string
		status      int
		id, name    string
	}{
		{tokenA, ``, 200, "agent-a", "A"}, {tokenA, `,"agentId":"agent-a","agentName":"A"`, 200, "agent-a", "A"},
		{tokenA, `,"agentId":null`, 200, "agent-a", "A"},
		{tokenA, `,"agentId":"agent-b"`, 403, "", ""}, {tokenA, `,"agentId":"nobody"`, 403, "", ""}, {tokenA, `,"agentName":"B"`, 403, "", ""},
		{tokenOp, ``, 200, "", ""}, {tokenOp, `,"agentId":"agent-b"`, 200, "agent-b", "B"}, {tokenOp, `,"agentId":"nobody"`, 200, "nobody", ""},
		{tokenOp, `,"agentId":"agent-b","agentName":"C"`, 200, "agent-b", "C"},
	} {
		s := newSite(t, nil)
		s.desk.known = []permission.Agent{{ID: "agent-a", Name: "A"}, {ID: "agent-b", Name: "B"}}
		got := s.send("POST", "/v1/evaluate", c.token, `{"toolName":"x","serverId":"fs","sessionId":"s","cwd":"/x","input":[1.0]`+c.more+`}`)
		if got.status != c.status {
			t.Errorf("%s %s: %d %s", c.token, c.more, got.status, got.body)
			continue
		}
		if c.status != 200 {
			if got.problem(t).Code != permission.CodeForbidden || s.desk.touched() > 0 {
				t.Errorf("%s %s: %s; the desk did %v", c.token, c.more, got.body, s.desk.counts)
			}
			continue
		}
		q := s.desk.query
		if string(q.AgentID) != c.id || q.AgentName != c.name || *q.ServerID != "fs" || q.SessionID != "s" || *q.Cwd != "/x" ||
			string(q.Input) != `[1.0]` {
			t.Errorf("%s %s: asked %+v", c.token, c.more, q)
		}
	}
}

func TestWhatAPersonDoesWithCalls(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct{ row, body, says string }{
		{"POST /v1/calls/call-a/extend", `{"seconds":0.25}`, `"id":"call-a"`},
		{"POST /v1/calls/call-a/resolve", `{"action":"close"}`, `"id":"call-a"`}, {"POST /v1/calls/release", `{"ruleId":"r1"}`, `{"released":3}`},
		{"DELETE /v1/calls/call-a/denial", ``, `{"call":{"id":"call-a"`}, {"DELETE /v1/calls/call-a/input", ``, `"input":null`},
		{"DELETE /v1/calls/call-a/input", ``, `"inputHash":"sha256:00"`},
		{"POST /v1/hold", `{"on":true}`, `{"on":true}`}, {"GET /v1/grants", ``, `{"grants":[]}`},
		{"GET /v1/differences", ``, `"key":"r","journal":{"id":"r"},"table":null`},
		{"POST /v1/differences/settle", `{"ids":["d"],"take":"table"}`, `{"differences":[]}`},
		{"GET /v1/journal/end", ``, `"kind":"checkpoint"`},
	} {
		method, path, _ := strings.Cut(c.row, " ")
		if got := s.send(method, path, tokenOp, c.body); got.status != 200 || !strings.Contains(string(got.body), c.says) {
			t.Errorf("%s: %d %s", c.row, got.status, got.body)
		}
	}
	if s.desk.extended != 250*time.Millisecond || s.desk.resolved != permission.Close || s.desk.released != "r1" || !*s.desk.held {
		t.Errorf("the desk was asked for %v, %q, %q, %v", s.desk.extended, s.desk.resolved, s.desk.released, *s.desk.held)
	}
	if got := s.send("GET", "/v1/calls/call-a/input", tokenA, ""); got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
		t.Errorf("an input that was removed: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/hold", tokenOp, `{"on":false}`); string(got.body) != "{\"on\":false}\n" || *s.desk.held {
		t.Errorf("hold off: %s", got.body)
	}
	if got := s.send("POST", "/v1/calls/call-a/extend", tokenOp, `{"seconds":1e300}`); got.status != 200 || s.desk.extended != longest {
		t.Errorf("a long time: %d, %v", got.status, s.desk.extended)
	}
}

func TestRunsAndSessionsEnd(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct{ path, token, body, ended, says string }{
		{"/v1/runs/r-1/cancel", tokenA, ``, "r-1 by agent-a", `{"cancelled":2,"grantsEnded":1}`},
		{"/v1/runs/r/cancel", tokenOp, `{}`, "r by person", `{"cancelled":2,"grantsEnded":1}`},
		{"/v1/runs/a%2Fb%20c/cancel", tokenB, ``, "a/b c by agent-b", `{"cancelled":2,"grantsEnded":1}`},
		{"/v1/sessions/s%3F/end", tokenA, ``, "s? by agent-a", `{"cancelled":5,"grantsEnded":4}`},
		{"/v1/sessions/s/end", tokenOp, `{}`, "s by person", `{"cancelled":5,"grantsEnded":4}`},
	} {
		got := s.send("POST", c.path, c.token, c.body)
		if got.status != 200 || strings.TrimSpace(string(got.body)) != c.says || s.desk.ended != c.ended {
			t.Errorf("%s: %d %s, ended %q", c.path, got.status, got.body, s.desk.ended)
		}
	}
}

// permission128 is how deep an input may be.
const permission128 = 128

func TestSecondsNeverVanish(t *testing.T) {
	for in, want := range map[float64]time.Duration{
		1e-12: time.Millisecond, 0.0005: time.Millisecond, 1: time.Second, 1.0005: 1001 * time.Millisecond, 1e300: longest,
		300: 300 * time.Second,
	} {
		if got := seconds(in); got != want {
			t.Errorf("seconds(%v) = %v, want %v", in, got, want)
		}
	}
}

func TestCallsAreShownToThoseWhoMaySee(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		path, token string
		status      int
	}{
		{"/v1/calls/call-a", tokenA, 200}, {"/v1/calls/call-a", tokenOp, 200}, {"/v1/calls/call-b", tokenA, 404}, {"/v1/calls/nope", tokenA, 404},
		{"/v1/calls/call-a/input", tokenA, 200}, {"/v1/calls/call-b/input", tokenA, 404}, {"/v1/calls/call-b?wait=1", tokenA, 404},
	} {
		got := s.send("GET", c.path, c.token, "")
		if got.status != c.status {
			t.Errorf("GET %s by %s: %d, want %d: %s", c.path, c.token, got.status, c.status, got.body)
		}
	}
	a, b := s.send("GET", "/v1/calls/call-b", tokenA, ""), s.send("GET", "/v1/calls/nope", tokenA, "")
	if string(a.body) != string(b.body) {
		t.Errorf("another agent's id differs from an unknown one:\n%s\n%s", a.body, b.body)
	}
}

func TestInputIsGivenByteForByte(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("GET", "/v1/calls/call-a/input", tokenOp, "")
	if string(got.body) != string(rawInput) || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s as %s", got.body, got.header.Get("Content-Type"))
	}
	if got := s.send("GET", "/v1/calls/call-a", tokenOp, ""); !strings.Contains(string(got.body),
		`"input":{"b":9007199254740993,"a":5.0,"html":"<&>"}`) {
		t.Errorf("the input inside a call is changed: %s", got.body)
	}
}

func TestAnswersAreNotKeptAndHoldNoSchemaLinks(t *testing.T) {
	s := newSite(t, nil)
	for _, got := range []*reply{s.send("GET", "/v1/calls", tokenA, ""), s.send("GET", "/v1/calls/nope", tokenA, "")} {
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Link") != "" {
			t.Errorf("headers %v", got.header)
		}
		if strings.Contains(string(got.body), "$schema") {
			t.Errorf("$schema in %s", got.body)
		}
	}
}

func TestListCalls(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("GET", "/v1/calls?status=pending,approved&runId=r&sessionId=s&q=50%25+of_%C3%A9&cursor=7&limit=3&order=oldest", tokenA, "")
	f := s.desk.filter
	if got.status != 200 || len(f.Statuses) != 2 || f.RunID != "r" || f.SessionID != "s" || f.Text != "50% of_é" || f.Before != 7 ||
		f.Limit != 3 || !f.Oldest || f.Agent != "agent-a" {
		t.Fatalf("%d %s with %+v", got.status, got.body, f)
	}
	var body struct {
		Calls []json.RawMessage
		Next  *int64
		Rev   int64
	}
	got.into(t, &body)
	if len(body.Calls) != 1 || body.Next != nil || body.Rev != 42 {
		t.Errorf("answer %s", got.body)
	}
	if got := s.send("GET", "/v1/calls?status=&runId=&cursor=&q=", tokenOp, ""); got.status != 200 || s.desk.filter.Limit != 100 ||
		s.desk.filter.Oldest || s.desk.filter.Text != "" {
		t.Errorf("empty parameters: %d with %+v", got.status, s.desk.filter)
	}
	s.desk.calls = nil
	if got := s.send("GET", "/v1/calls", tokenA, ""); !strings.Contains(string(got.body), `"calls":[]`) {
		t.Errorf("an empty list is %s", got.body)
	}
}

func TestExecution(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("POST", "/v1/calls/call-a/claim", tokenA, `{"inputHash":"h","claimant":"c","claimKey":"k","leaseSeconds":1.5}`)
	if want := (permission.ClaimRequest{InputHash: "h", Claimant: "c", Key: "k", Lease: 1500 * time.Millisecond}); got.status != 200 ||
		s.desk.claim != want {
		t.Errorf("claim: %d %+v", got.status, s.desk.claim)
	}
	got = s.send("POST", "/v1/calls/call-a/result", tokenA, `{"claimId":"c","ok":true,"output":{"x": 1.0}}`)
	if o := s.desk.outcome; got.status != 200 || o.ClaimID != "c" || !o.OK || string(o.Output) != `{"x": 1.0}` {
		t.Errorf("result: %d %+v", got.status, o)
	}
	if got = s.send("POST", "/v1/calls/call-a/result", tokenA, `{"claimId":"c","ok":false}`); got.status != 200 ||
		s.desk.outcome.Output != nil {
		t.Errorf("result without output: %d %+v", got.status, s.desk.outcome)
	}
	for _, body := range []string{"", "{}", `{"reason":"done"}`} {
		if got = s.send("POST", "/v1/calls/call-a/cancel", tokenA, body); got.status != 200 {
			t.Errorf("cancel %q: %d %s", body, got.status, got.body)
		}
	}
	for _, row := range []string{"claim", "result", "cancel"} {
		body := map[string]string{"claim": `{"inputHash":"h","claimant":"c","claimKey":"k"}`, "result": `{"claimId":"c","ok":true}`}[row]
		if got := s.send("POST", "/v1/calls/call-b/"+row, tokenA, body); got.status != 404 {
			t.Errorf("%s on another agent's call: %d", row, got.status)
		}
	}
}

func TestDecision(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("POST", "/v1/calls/call-a/decision", tokenOp,
		`{"approved":false,"reason":"no","scope":"once","inputHash":"sha256:00","rev":3}`)
	if want := (permission.Answer{Reason: "no", Scope: permission.ScopeOnce, InputHash: "sha256:00", Rev: 3,
		Door: "rest"}); got.status != 200 ||
		!reflect.DeepEqual(s.desk.answer, want) {
		t.Fatalf("%d %s with %+v", got.status, got.body, s.desk.answer)
	}
	if body := string(got.body); !strings.Contains(body, `"settled":[]`) || strings.Contains(body, "repeated") {
		t.Errorf("answer %s", body)
	}
	s.desk.repeat = true
	if got := s.send("POST", "/v1/calls/call-a/decision", tokenOp,
		`{"approved":true,"rev":3,"inputHash":"sha256:00"}`); !strings.Contains(string(got.body), `"repeated":true`) {
		t.Errorf("the same again: %s", got.body)
	}
	s.desk.settled = []permission.CallID{"call-c", "call-d"}
	got = s.send("POST", "/v1/calls/call-a/decision", tokenOp,
		`{"approved":true,"rev":1,"scope":"class","forSeconds":0.5,"inputHash":"h","input": {"n": 9007199254740993} ,"resumeData": [1.0] ,"remember":false}`)
	a, no := s.desk.answer, false
	if want := (permission.Answer{Approved: true, Scope: permission.ScopeClass, ForSeconds: 0.5, InputHash: "h", Rev: 1, Door: "rest",
		Input: json.RawMessage(`{"n": 9007199254740993}`), ResumeData: json.RawMessage(`[1.0]`), Remember: &no}); got.status != 200 ||
		!reflect.DeepEqual(a, want) {
		t.Errorf("all of it: %d with %+v, input %q", got.status, a, a.Input)
	}
	if !strings.Contains(string(got.body), `"settled":["call-c","call-d"]`) {
		t.Errorf("settled: %s", got.body)
	}
	for _, body := range []string{`{"approved":true,"rev":1,"inputHash":"h","forSeconds":null,"remember":null}`,
		`{"approved":true,"rev":1,"inputHash":"h","scope":"session","forSeconds":86400}`,
		`{"approved":true,"rev":1,"inputHash":"h","resumeData":null}`} {
		if got := s.send("POST", "/v1/calls/call-a/decision", tokenOp, body); got.status != 200 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestRules(t *testing.T) {
	s := newSite(t, nil)
	got := s.send("GET", "/v1/rules/r1", tokenOp, "")
	if want := `"2023-11-14T22:13:20.123Z"`; got.header.Get("ETag") != want {
		t.Errorf("ETag = %s, want %s", got.header.Get("ETag"), want)
	}
	var body struct {
		Rule           json.RawMessage
		PendingMatches int
	}
	if got.into(t, &body); body.PendingMatches != 4 {
		t.Errorf("pendingMatches = %d", body.PendingMatches)
	}

	t.Run("what was read can be written", func(t *testing.T) {
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", "/v1/rules", string(body.Rule), 201}, {"PATCH", "/v1/rules/r1", string(body.Rule), 200},
			{"PUT", "/v1/rules", `{"rules":[` + string(body.Rule) + `]}`, 200},
		} {
			if got := s.send(c.method, c.path, tokenOp, c.body); got.status != c.status {
				t.Errorf("%s: %d %s", c.method, got.status, got.body)
			}
		}
		if r := s.desk.rules[0]; r.ID != "r1" || *r.ServerID != "filesystem" || r.Effect != permission.Deny || r.CreatedAt != 1_700_000_000_000 {
			t.Errorf("PUT handed on %+v", r)
		}
		if f := s.desk.form; f.ID == nil || *f.ID != "r1" {
			t.Errorf("the id of a rule is lost: %+v", f)
		}
	})
	t.Run("a change leaves the rest", func(t *testing.T) {
		got := s.send("PATCH", "/v1/rules/r1", tokenOp, `{"priority":-3,"serverId":"other","autoApprove":false}`, "If-Match",
			`"2023-11-14T22:13:20.123Z"`)
		if f := s.desk.form; got.status != 200 || f.Priority != -3 || *f.ServerID != "other" || f.Note != "no <b>" || !f.Enabled {
			t.Errorf("%d %s with %+v", got.status, got.body, f)
		}
		if *s.desk.rule.ServerID != "filesystem" {
			t.Error("the change wrote into the stored rule")
		}
		if !strings.Contains(string(got.body), `"effect":"deny"`) || !strings.Contains(string(got.body), `"pendingMatches":1`) ||
			s.desk.ifMatch != 1_700_000_000_123 {
			t.Errorf("answer %s, If-Match %d", got.body, s.desk.ifMatch)
		}
		if got := s.send("PATCH", "/v1/rules/r1", tokenOp, `{"serverId":null}`); got.status != 200 || s.desk.form.ServerID != nil {
			t.Errorf("null is not any: %d %+v", got.status, s.desk.form)
		}
	})
	t.Run("a rule without an id is named by the desk", func(t *testing.T) {
		got := s.send("PUT", "/v1/rules", tokenOp, `{"rules":[{"toolName":"x","autoApprove":true}]}`)
		if r := s.desk.rules[0]; got.status != 200 || r.ID != "" || r.Effect != permission.Allow || !r.Enabled {
			t.Errorf("%d %s with %+v", got.status, got.body, r)
		}
	})
	t.Run("delete answers the rule", func(t *testing.T) {
		if got := s.send("DELETE", "/v1/rules/r1", tokenOp, ""); got.status != 200 || !strings.Contains(string(got.body), `"id":"r1"`) {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestIfMatch(t *testing.T) {
	s := newSite(t, nil)
	for value, status := range map[string]int{
		`"2023-11-14T22:13:20.123Z"`: 200, `*`: 200, `"2023-11-14T22:13:20.124Z"`: 412, `2023-11-14T22:13:20.123Z`: 412,
		`W/"2023-11-14T22:13:20.123Z"`: 412,
		`"x"`:                          412, `"1970-01-01T00:00:00.000Z"`: 412, `null`: 412, ``: 412, ` `: 412, `""`: 412, `,`: 412, `"*"`: 412,
		// Any of a list will do.
		`"2023-11-14T22:13:20.123Z", "x"`: 200, `"x" ,, "2023-11-14T22:13:20.123Z",`: 200, `"x","y"`: 412,
		`"a,b", W/"z","2023-11-14T22:13:20.123Z"`: 200,
		`"x", W/"2023-11-14T22:13:20.123Z"`:       412, `"x" "2023-11-14T22:13:20.123Z"`: 412, `"x", 2023-11-14T22:13:20.123Z`: 412,
		`*, "2023-11-14T22:13:20.123Z"`: 412, `"x", "2023`: 412, `W/`: 412,
	} {
		if got := s.send("PATCH", "/v1/rules/r1", tokenOp, `{"note":"x"}`, "If-Match", value); got.status != status {
			t.Errorf("If-Match %s: %d, want %d", value, got.status, status)
		} else if status == 412 && got.problem(t).Code != permission.CodeLostUpdate {
			t.Errorf("If-Match %s: %s", value, got.body)
		}
	}
	before := s.desk.touched()
	if got := s.send("DELETE", "/v1/rules/r1", tokenOp, "", "If-Match", "nonsense"); got.status != 412 || s.desk.touched() != before {
		t.Errorf("DELETE with a bad If-Match: %d", got.status)
	}
	req, _ := http.NewRequest("DELETE", s.url+"/v1/rules/r1", nil)
	req.Header = http.Header{"Authorization": {"Bearer " + tokenOp}, "If-Match": {`"x"`, `"2023-11-14T22:13:20.123Z"`}}
	if got := s.do(req); got.status != 200 {
		t.Errorf("two lines of If-Match: %d %s", got.status, got.body)
	}
	if got := s.send("PATCH", "/v1/rules/nope", tokenOp, `{"note":"x"}`, "If-Match", `"x","y"`); got.status != 404 {
		t.Errorf("a list of ETags of no rule: %d", got.status)
	}
}

func TestServers(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.ServerState = func(s permission.Server) (string, []string) { return "running", []string{s.ID + "-tool"} }
	})
	s.desk.servers = []permission.Server{{ID: "fs", Transport: permission.TransportStdio, Command: "npx",
		Env: map[string]string{"KEY": "hidden-value"}, Enabled: true}}
	got := s.send("GET", "/v1/servers", tokenOp, "")
	if strings.Contains(string(got.body), "hidden-value") || !strings.Contains(string(got.body), permission.Mask) ||
		s.desk.servers[0].Env["KEY"] != "hidden-value" {
		t.Errorf("masking: %s", got.body)
	}
	flagged := `{"toolName":"read` + "\u200b" + `","flags":[{"at":"/name","kind":"hidden","count":1,"characters":["U+200B"],"looksLike":""}]}`
	if want :=
		`{"id":"fs","transport":"stdio","command":"npx","args":[],"env":{"KEY":"********"},"cwd":"","url":null,"headers":{},"enabled":true,"toolPermissions":null,"state":"running","trouble":"","signIn":{"state":"none","issuer":"","url":"","error":"","wants":[]},"tools":["fs-tool"],"changedTools":[],"toolLevels":[],"flaggedTools":[` + flagged + `],"endsChildren":false,"revision":""}],"secrets":{"where":"/data/secrets.json","trouble":""},"inherited":[]}`; !strings.Contains(string(got.body), want) {
		t.Errorf("answer %s", got.body)
	}
	if back := s.send("PUT", "/v1/servers", tokenOp, string(got.body)); back.status != 200 {
		t.Errorf("what was read cannot be written: %d %s", back.status, back.body)
	}
	if got := s.desk.servers[0]; got.Env["KEY"] != permission.Mask || got.Command != "npx" {
		t.Errorf("the desk was given %+v", got)
	}
	if got := s.send("PUT", "/v1/servers", tokenOp, `{"servers":[{"id":"a","command":"b"}]}`); got.status != 200 ||
		!s.desk.servers[0].Enabled || s.desk.servers[0].Transport != "stdio" {
		t.Errorf("defaults: %d %+v", got.status, s.desk.servers)
	}
}

func TestAgentsAndJournal(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("POST", "/v1/agents", tokenOp, `{"name":"claude"}`); got.status != 201 ||
		!strings.Contains(string(got.body), `"token":"ska_C"`) {
		t.Errorf("create: %d %s", got.status, got.body)
	}
	if got := s.send("DELETE", "/v1/agents/x", tokenOp, ""); got.status != 204 || len(got.body) != 0 {
		t.Errorf("delete: %d %s", got.status, got.body)
	}
	if got := s.send("DELETE", "/v1/agents/unknown", tokenOp, ""); got.status != 404 {
		t.Errorf("delete unknown: %d", got.status)
	}
	if got := s.send("GET", "/v1/journal?after=10&limit=5", tokenOp, ""); !strings.Contains(string(got.body), `"seq":11`) ||
		!strings.Contains(string(got.body), `"next":15`) || !strings.Contains(string(got.body), `"data":{"a":1.0}`) {
		t.Errorf("journal: %s", got.body)
	}
}

func TestHealth(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("GET", "/healthz", "", ""); got.status != 200 || strings.TrimSpace(string(got.body)) != `{"ok":true,"version":"1.2.3","operator":"token"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	s = newSite(t, func(o *Options) { o.Trouble = func() string { return "the disk is full" } })
	if got := s.send("GET", "/healthz", "", ""); got.status != 200 ||
		strings.TrimSpace(string(got.body)) != `{"ok":false,"version":"1.2.3","operator":"token","trouble":"the disk is full"}` {
		t.Errorf("in trouble: %d %s", got.status, got.body)
	}
}
