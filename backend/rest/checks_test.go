package rest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

const goodAsk = `{"runId":"r","toolCallId":"t","toolName":"x"}`

func TestHostAndOrigin(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Gateway = http.NotFoundHandler() })
	own := strings.TrimPrefix(s.url, "http://")
	_, port, _ := net.SplitHostPort(own)
	for _, c := range []struct {
		host, origin string // "-" is none
		ok           bool
	}{
		{own, "-", true}, {"localhost:" + port, "-", true}, {"LocalHost", "-", true}, {"[::1]:" + port, "-", true}, {"[::1]", "-", true},
		{"127.9.8.7", "-", true},
		{"127.0.0.1.nip.io:" + port, "-", false}, {"0.0.0.0:" + port, "-", false}, {"evil.example", "-", false},
		{"localhost.evil.example", "-", false},
		{"10.0.0.1:" + port, "-", false}, {"2130706433", "-", false}, {"127.1", "-", false}, {"[::]:" + port, "-", false},
		{"localhost.", "-", false},
		{own, "http://" + own, true}, {"localhost:" + port, "http://localhost:" + port, true},
		{own, "null", false}, {own, "", false}, {own, "chrome-extension://x", false}, {own, "https://" + own, false},
		{own, "http://127.0.0.1:1", false}, {own, "http://localhost:" + port, false},
		{own, "https://evil.example", false}, {own, "http://" + own + "/", false}, {own, "file://", false},
		{"evil.example", "http://evil.example", false},
	} {
		for _, path := range []string{"/v1/calls", "/mcp/fs", "/healthz", "/", "/openapi.json", "/nowhere"} {
			headers := []string{"Host", c.host}
			if c.origin != "-" {
				headers = append(headers, "Origin", c.origin)
			}
			got := s.send("POST", path, tokenA, goodAsk, headers...)
			if (got.status == http.StatusForbidden) == c.ok {
				t.Errorf("Host %q Origin %q %s: %d %s", c.host, c.origin, path, got.status, got.body)
			}
			if !c.ok && s.desk.touched() > 0 {
				t.Fatalf("Host %q Origin %q %s: the desk was asked", c.host, c.origin, path)
			}
		}
		s.desk.counts = map[string]int{}
	}
}

func TestRemoteTakesAnyAddressButNoNameAndNoForeignOrigin(t *testing.T) {
	s := newSite(t, func(o *Options) { o.AllowRemote = true })
	for host, want := range map[string]int{"192.0.2.1:80": 200, "[2001:db8::1]": 200, "localhost:80": 200, "desk.example:80": 403,
		"192.0.2.1.nip.io": 403} {
		if got := s.send("GET", "/v1/calls", tokenA, "", "Host", host); got.status != want {
			t.Errorf("remote Host %s: %d, want %d", host, got.status, want)
		}
	}
	if got := s.send("GET", "/v1/calls", tokenA, "", "Host", "192.0.2.1:80", "Origin", "http://evil.example"); got.status != 403 {
		t.Errorf("foreign Origin: %d", got.status)
	}
}

func TestReplacingRulesGuardsAgainstLostUpdates(t *testing.T) {
	s := newSite(t, nil)
	for value, want := range map[string]int{`"9"`: 200, `*`: 200, `"8"`: 412, `9`: 412, ``: 412, `"8", "9"`: 200, `"7", "8"`: 412,
		`"2020-01-01T00:00:00.000Z"`: 412} {
		if got := s.send("PUT", "/v1/rules", tokenOp, `{"rules":[]}`, "If-Match", value); got.status != want {
			t.Errorf("If-Match %s: %d, want %d", value, got.status, want)
		}
	}
}

func TestNoCORS(t *testing.T) {
	s := newSite(t, nil)
	for _, origin := range []string{"https://evil.example", s.url} {
		got := s.send("OPTIONS", "/v1/calls", "", "", "Origin", origin, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Private-Network", "true")
		if got.status != 403 && got.status != 401 && got.status != 405 {
			t.Errorf("Origin %s: %d", origin, got.status)
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("Origin %s: %s is sent", origin, name)
			}
		}
	}
	if got := s.send("OPTIONS", "/v1/calls", tokenA, ""); got.status != 405 {
		t.Errorf("OPTIONS with a token: %d", got.status)
	}
}

func TestBearer(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Gateway = http.NotFoundHandler() })
	for _, value := range []string{"-", "", "Bearer", "Bearer ", "Bearer x", "Bearer SKA_A", "Bearer ska_a", "Basic ska_A", "ska_A",
		"Bearer eyJhbGciOiJub25lIn0.e30.", "Bearer ska_A ska_A", "Bearer " + strings.Repeat("a", 1000)} {
		for _, c := range [][2]string{{"POST", "/v1/calls"}, {"GET", "/v1/events?token=" + tokenA}, {"GET", "/v1/rules"},
			{"POST", "/v1/calls/x/decision"}, {"GET", "/v1/calls/nope"}, {"POST", "/mcp/fs"}, {"PUT", "/v1/calls"}} {
			headers := []string{}
			if value != "-" {
				headers = []string{"Authorization", value}
			}
			got := s.send(c[0], c[1], "", goodAsk, headers...)
			if got.status != 401 || got.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %s with %.30q: %d %s", c[0], c[1], value, got.status, got.body)
			}
			if body := string(got.body); strings.Contains(body, "ska") || got.problem(t).Code != codeUnauthorized {
				t.Errorf("%s %s with %.30q says %s", c[0], c[1], value, body)
			}
		}
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
	req, _ := http.NewRequest("GET", s.url+"/v1/calls", nil)
	req.Header["Authorization"] = []string{"Bearer " + tokenA, "Bearer " + tokenOp}
	if got := s.do(req); got.status != 401 {
		t.Errorf("two Authorization headers: %d", got.status)
	}
	if got := s.send("GET", "/v1/calls", "", "", "Authorization", "bearer "+tokenA); got.status != 200 {
		t.Errorf("the scheme's name in lower case: %d", got.status)
	}
}

// operatorRows are all rows that are not for agents.
var operatorRows = [][2]string{
	{"GET", "/v1/sessions"},
	{
		"POST",
		"/v1/calls/{id}/decision",
	}, {"POST", "/v1/calls/{id}/extend"}, {"POST", "/v1/calls/{id}/resolve"}, {"POST", "/v1/calls/release"},
	{"DELETE", "/v1/calls/{id}/input"}, {"DELETE", "/v1/calls/{id}/denial"}, {"GET", "/v1/calls/{id}/look"},
	{"GET", "/v1/grants"}, {"DELETE", "/v1/grants/{id}"}, {"POST", "/v1/hold"}, {"GET", "/v1/settings"}, {"PATCH", "/v1/settings"},
	{"GET", "/v1/rules"}, {"POST", "/v1/rules"}, {"PUT", "/v1/rules"}, {"GET", "/v1/rules/{id}"}, {"PATCH", "/v1/rules/{id}"},
	{"DELETE", "/v1/rules/{id}"},
	{
		"POST",
		"/v1/rules/preview",
	}, {"POST", "/v1/rules/lint"}, {"POST", "/v1/rules/move"}, {"POST", "/v1/rules/widen"}, {"POST", "/v1/rules/reach"},
	{"POST", "/v1/rules/wordings"},
	{"GET", "/v1/suggestions"}, {"GET", "/v1/policy"}, {"POST", "/v1/policy/diff"}, {"POST", "/v1/policy/import"},
	{"GET", "/v1/servers"}, {"PUT", "/v1/servers"}, {"POST", "/v1/servers/test"}, {"POST", "/v1/servers/{id}/sign-in"},
	{"GET", "/v1/servers/{id}/sign-in"}, {"DELETE", "/v1/servers/{id}/sign-in"}, {"GET", "/v1/servers/{id}/tools/{name}"},
	{"POST", "/v1/servers/{id}/tools/{name}/accept"}, {"POST", "/v1/servers/{id}/tools/accept"},
	{"PUT", "/v1/servers/{id}/tools/{name}/risk"}, {"POST", "/v1/attention"},
	{"GET", "/v1/insights"}, {"POST", "/v1/presence"}, {"GET", "/v1/pause"}, {"POST", "/v1/pause"}, {"DELETE", "/v1/pause"},
	{"GET", "/v1/arming"}, {"POST", "/v1/history"}, {"GET", "/v1/history"}, {"DELETE", "/v1/history"},
	{"POST", "/v1/demo"}, {"POST", "/v1/agents"}, {"GET", "/v1/agents"}, {"DELETE", "/v1/agents/{id}"}, {"GET", "/v1/journal"},
	{"GET", "/v1/coordination"}, {"PATCH", "/v1/coordination"}, {"GET", "/v1/projects/{id}/tasks"}, {"POST", "/v1/projects/{id}/tasks"},
	{"POST", "/v1/projects/{id}/tasks/{taskId}/assign"}, {"POST", "/v1/projects/{id}/tasks/{taskId}/close"},
	{"PATCH", "/v1/projects/{id}/tasks/{taskId}"},
	{"GET", "/v1/projects/{id}/conversations"}, {"POST", "/v1/projects/{id}/conversations"},
	{"GET", "/v1/projects/{id}/conversations/{conversationId}"}, {"DELETE", "/v1/projects/{id}/conversations/{conversationId}"},
	{"POST", "/v1/projects/{id}/conversations/{conversationId}/messages"}, {"POST", "/v1/projects/{id}/conversations/{conversationId}/end"},
	{"PATCH", "/v1/agents/{id}"}, {"GET", "/v1/projects"}, {"PUT", "/v1/projects/{id}"}, {"POST", "/v1/sessions"},
	{"POST", "/v1/agents/{id}/stop"}, {"POST", "/v1/agents/{id}/resume"},
	{"GET", "/v1/journal/end"}, {"GET", "/v1/differences"}, {"POST", "/v1/differences/settle"}, {"POST", "/v1/login-codes"},
	{"GET", "/v1/connections"}, {"POST", "/v1/connections/{id}/connect"}, {"POST", "/v1/connections/{id}/disconnect"},
	{"POST", "/v1/connections/{id}/check"}, {"POST", "/v1/connections/{id}/try"}, {"POST", "/v1/connections/{id}/prove"},
	{"POST", "/v1/connections/leftovers/remove"}, {"POST", "/v1/executors"}, {"GET", "/v1/executors"}, {"DELETE", "/v1/executors/{id}"},
	{"POST", "/my/projects/{project_id}/approvals/{approval_id}/approve"}, {"POST", "/my/projects/{project_id}/approvals/{approval_id}/reject"},
}

// decidingRows let something run that would not: an agent is told that it cannot
// approve itself.
var decidingRows = []string{"POST /v1/calls/{id}/decision", "POST /v1/calls/{id}/resolve", "POST /v1/calls/release",
	"POST /my/projects/{project_id}/approvals/{approval_id}/approve", "POST /my/projects/{project_id}/approvals/{approval_id}/reject"}

// tokenFor is a token that may use a path.
func tokenFor(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	for _, row := range operatorRows {
		like := regexp.MustCompile("^" + parameter.ReplaceAllString(row[1], "[^/]+") + "$")
		if row[0] == method && like.MatchString(path) && path != "/v1/login" {
			return tokenOp
		}
	}
	return tokenA
}

func TestAnAgentNeverDecidesOrEdits(t *testing.T) {
	for name, change := range map[string]func(*Options){"headless": nil, "window": func(o *Options) { o.Operator = nil }} {
		s := newSite(t, change)
		for _, row := range operatorRows {
			path := parameter.ReplaceAllString(row[1], "call-a")
			want := permission.CodeForbidden
			if slices.Contains(decidingRows, row[0]+" "+row[1]) {
				want = permission.CodeSelfApproval
			}
			for _, body := range []string{"", `{"approved":true,"inputHash":"sha256:00"}`, "not json"} {
				got := s.send(row[0], path, tokenA, body)
				if got.status != 403 || got.problem(t).Code != want {
					t.Errorf("%s: %s %s: %d %s", name, row[0], path, got.status, got.body)
				}
			}
		}
		if got := s.send("GET", "/v1/calls/call-a/decision", tokenA, ""); got.status != 403 {
			t.Errorf("%s: a wrong method on an operator's row: %d", name, got.status)
		}
		if s.desk.touched() > 0 {
			t.Errorf("%s: the desk was asked: %v", name, s.desk.counts)
		}
	}
}

func TestWithoutAnOperatorNoCredentialIsOne(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Operator = nil })
	for _, row := range operatorRows {
		if got := s.send(row[0], strings.ReplaceAll(row[1], "{id}", "x"), tokenOp, "{}"); got.status != 401 {
			t.Errorf("%s %s: %d", row[0], row[1], got.status)
		}
	}
	if got := s.send("POST", "/v1/login", "", `{"code":"x"}`); got.status != 401 {
		t.Errorf("login: %d", got.status)
	}
}

func TestAnOperatorIsNoAgent(t *testing.T) {
	s := newSite(t, func(o *Options) {
		o.Gateway = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the gateway was reached") })
	})
	for _, path := range []string{"/v1/calls", "/v1/calls/call-a/claim", "/v1/calls/call-a/result", "/v1/calls/call-a/cancel", "/mcp/fs",
		"/mcp"} {
		if got := s.send("POST", path, tokenOp, goodAsk); got.status != 403 || got.problem(t).Code != permission.CodeForbidden {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

func TestGatewayIsGivenTheAgent(t *testing.T) {
	var seen permission.Agent
	s := newSite(t, func(o *Options) {
		o.Gateway = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen, _ = restwire.AgentFrom(r) })
	})
	for _, path := range []string{"/mcp", "/mcp/fs", "/mcp/fs/"} {
		seen = permission.Agent{}
		if got := s.send("POST", path, tokenB, "anything"); got.status != 200 || seen.Name != "B" {
			t.Errorf("%s: %d, agent %+v", path, got.status, seen)
		}
	}
	r, _ := http.NewRequest("GET", "/", nil)
	if _, ok := restwire.AgentFrom(r); ok {
		t.Error("a request out of nowhere has an agent")
	}
}

func TestKindOfBody(t *testing.T) {
	s := newSite(t, nil)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.Copy(z, io.LimitReader(zeros{}, 8<<20))
	_ = z.Close()
	for _, c := range []struct {
		name, value, body string
		status            int
	}{
		{"Content-Encoding", "gzip", zipped.String(), 415}, {"Content-Encoding", "identity", goodAsk, 200},
		{"Content-Type", "text/plain", goodAsk, 415},
		{"Content-Type", "application/x-www-form-urlencoded", goodAsk, 415}, {"Content-Type", "", goodAsk, 415},
		{"Content-Type", "application/json; charset=latin1", goodAsk, 415},
		{"Content-Type", "application/json", goodAsk, 200}, {"Content-Type", "Application/JSON; charset=UTF-8", goodAsk, 200},
		{"X-Nothing", "x", goodAsk, 200},
	} {
		before := s.desk.touched()
		if got := s.send("POST", "/v1/calls", tokenA, c.body, c.name, c.value); got.status != c.status {
			t.Errorf("%s: %s: %d %s", c.name, c.value, got.status, got.body)
		}
		if c.status != 200 && s.desk.touched() != before {
			t.Errorf("%s: %s: the desk was asked", c.name, c.value)
		}
	}
	for _, accept := range []string{"text/html", "json", "application/xml", "*/*;q=0"} {
		if got := s.send("GET", "/v1/calls", tokenA, "", "Accept", accept); got.status != 200 ||
			got.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept %s: %d %s", accept, got.status, got.header.Get("Content-Type"))
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestMalformedBodies(t *testing.T) {
	s := newSite(t, nil)
	deep := strings.Repeat("[", 129) + strings.Repeat("]", 129)
	for _, c := range []struct{ body, says string }{
		{"", "syntax error"}, {" ", "syntax error"}, {"{", "syntax error"}, {"{}x", "trailing data"},
		{`{"runId":"a","runId":"b"}`, "duplicate key"}, {`{"input":{"a":1,"\u0061":2}}`, "duplicate key"}, {"{\"a\":\"\xff\"}", "invalid UTF-8"},
		{"\xef\xbb\xbf{}", "syntax error"},
		{`{"a":"\ud800"}`, "lone surrogate"}, {`{"input":` + deep + `}`, "too deep"}, {strings.Repeat("[", 100_000), "too deep"},
		{`{"a":NaN}`, "syntax error"}, {"{'a':1}", "syntax error"},
	} {
		start := time.Now()
		got := s.send("POST", "/v1/calls", tokenA, c.body)
		p := got.problem(t)
		if got.status != 400 || p.Code != permission.CodeMalformed || !strings.Contains(p.Detail, c.says) {
			t.Errorf("%.40q: %d %s", c.body, got.status, got.body)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%.40q took %v", c.body, took)
		}
	}
	for _, other := range []string{`"x"`, `[]`, `null`, `5`} {
		if got := s.send("POST", "/v1/calls", tokenA, other); got.status != 422 || got.problem(t).Code != permission.CodeInvalid {
			t.Errorf("%s: %d %s", other, got.status, got.body)
		}
	}
	if p := s.send("POST", "/v1/calls", tokenA, `{"input":{"a":1,"a":2}}`).problem(t); !strings.Contains(p.Detail, "byte 16") ||
		p.Errors[0].Location != "body.input.a" {
		t.Errorf("the place is not told: %+v", p)
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

func TestBadContentIsToldByItsField(t *testing.T) {
	long := strings.Repeat("é", 40_000)
	ask := func(more string) string { return `{"runId":"r","toolCallId":"t","toolName":"x",` + more + `}` }
	claim := func(more string) string { return `{"inputHash":"h","claimant":"c","claimKey":"k",` + more + `}` }
	decide := func(more string) string { return `{"approved":true,"rev":1,"inputHash":"h",` + more + `}` }
	rows := []struct{ row, body, field string }{
		{
			"POST /v1/calls",
			`{"runId":"r","toolCallId":"t"}`,
			"toolName",
		}, {"POST /v1/calls", `{"toolCallId":"t","toolName":"x"}`, "runId"},
		{
			"POST /v1/calls",
			`{"RunId":"r","toolCallId":"t","toolName":"x"}`,
			"RunId",
		}, {"POST /v1/calls", ask(`"ToolName":"y"`), "ToolName"},
		{"POST /v1/calls", ask(`"risk":"low"`), "risk"},
		{"POST /v1/calls", `{"runId":1,"toolCallId":"t","toolName":"x"}`, "runId"},
		{"POST /v1/calls", `{"runId":null,"toolCallId":"t","toolName":"x"}`, "runId"},
		{"POST /v1/calls", `{"runId":"","toolCallId":"t","toolName":"x"}`, "runId"},
		{"POST /v1/calls", `{"runId":"r","toolCallId":"` + strings.Repeat("é", 200) + `","toolName":"x"}`, "toolCallId"},
		{"POST /v1/calls", ask(`"sessionId":""`), "sessionId"},
		{"POST /v1/calls", `{"runId":"r","toolCallId":"t","toolName":"` + long + `"}`, "toolName"},
		{"POST /v1/calls", ask(`"serverId":"` + long + `"`), "serverId"}, {"POST /v1/calls", ask(`"serverId":5`), "serverId"},
		{"POST /v1/calls", ask(`"description":"` + long + `"`), "description"}, {"POST /v1/calls", ask(`"cwd":"` + long + `"`), "cwd"},
		{"POST /v1/calls", ask(`"description":null`), "description"},
		{
			"POST /v1/calls",
			ask(`"timeoutSeconds":0`),
			"timeoutSeconds",
		}, {"POST /v1/calls", ask(`"timeoutSeconds":-0.5`), "timeoutSeconds"},
		{"POST /v1/calls", ask(`"timeoutSeconds":"5"`), "timeoutSeconds"},
		{
			"POST /v1/calls",
			ask(`"timeoutSeconds":1e999`),
			"timeoutSeconds",
		}, {"POST /v1/calls", ask(`"patienceSeconds":0`), "patienceSeconds"},
		{"POST /v1/calls", ask(`"resumeSchema":5`), "resumeSchema"},
		{"POST /v1/evaluate", `{}`, "toolName"}, {"POST /v1/evaluate", `{"toolName":"` + long + `"}`, "toolName"},
		{"POST /v1/evaluate", `{"toolName":"x","extra":1}`, "extra"},
		{"POST /v1/calls/call-a/claim", claim(`"leaseSeconds":0.5`), "leaseSeconds"},
		{"POST /v1/calls/call-a/claim", claim(`"leaseSeconds":3601`), "leaseSeconds"},
		{"POST /v1/calls/call-a/claim", `{"inputHash":"h","claimant":"c"}`, "claimKey"},
		{"POST /v1/calls/call-a/result", `{"ok":true}`, "claimId"}, {"POST /v1/calls/call-a/result", `{"claimId":"c","ok":"true"}`, "ok"},
		{
			"POST /v1/calls/call-a/cancel",
			`{"reason":5}`,
			"reason",
		}, {"POST /v1/calls/call-a/cancel", `{"reason":"` + long + `"}`, "reason"},
		{"POST /v1/calls/call-a/decision", `{"approved":true,"rev":1}`, "inputHash"},
		{"POST /v1/calls/call-a/decision", `{"approved":true,"inputHash":"h"}`, "rev"},
		{"POST /v1/calls/call-a/decision", `{"approved":true,"inputHash":"h","rev":0}`, "rev"},
		{"POST /v1/calls/call-a/decision", `{"rev":1,"inputHash":"h"}`, "approved"},
		{"POST /v1/calls/call-a/decision", decide(`"scope":"always"`), "scope"},
		{"POST /v1/calls/call-a/decision", decide(`"forSeconds":5`), "forSeconds"},
		{"POST /v1/calls/call-a/decision", decide(`"input":null`), "input"},
		{"POST /v1/calls/call-a/decision", `{"approved":false,"rev":1,"inputHash":"h","input":{}}`, "input"},
		{"POST /v1/calls/call-a/decision", decide(`"scope":"class","forSeconds":0`), "forSeconds"},
		{"POST /v1/calls/call-a/decision", decide(`"scope":"class","forSeconds":86401`), "forSeconds"},
		{"POST /v1/calls/call-a/decision", decide(`"scope":"once","forSeconds":5`), "forSeconds"},
		{"POST /v1/calls/call-a/decision", decide(`"remember":1`), "remember"},
		{"POST /v1/calls/call-a/decision", decide(`"reason":"` + long + `"`), "reason"},
		{"POST /v1/calls/call-a/decision", decide(`"settled":[]`), "settled"},
		{"POST /v1/calls/call-a/extend", `{}`, "seconds"}, {"POST /v1/calls/call-a/extend", `{"seconds":0}`, "seconds"},
		{"POST /v1/calls/call-a/extend", `{"seconds":-1}`, "seconds"}, {"POST /v1/calls/call-a/extend", `{"seconds":null}`, "seconds"},
		{"POST /v1/calls/call-a/extend", `{"seconds":"9"}`, "seconds"},
		{"POST /v1/calls/call-a/resolve", `{}`, "action"}, {"POST /v1/calls/call-a/resolve", `{"action":"again"}`, "action"},
		{"POST /v1/calls/release", `{}`, "ruleId"}, {"POST /v1/calls/release", `{"ruleId":""}`, "ruleId"},
		{"POST /v1/calls/release", `{"ruleId":7}`, "ruleId"},
		{"POST /v1/runs/r/cancel", `{"reason":"x"}`, "reason"}, {"POST /v1/sessions/s/end", `{"x":1}`, "x"},
		{"POST /v1/runs/" + strings.Repeat("r", 257) + "/cancel", "", "runId"},
		{"POST /v1/sessions/" + strings.Repeat("s", 257) + "/end", "", "id"},
		{"POST /v1/hold", `{}`, "on"}, {"POST /v1/hold", `{"on":"yes"}`, "on"}, {"POST /v1/hold", `{"on":null}`, "on"},
		{"POST /v1/calls", ask(`"resumeSchema":"x"`), "resumeSchema"},
		{"POST /v1/calls", ask(`"resumeSchema":{"x":"` + long + `"}`), "resumeSchema"},
		{"POST /v1/evaluate", `{"toolName":"x","cwd":"` + long + `"}`, "cwd"},
		{"POST /v1/evaluate", `{"toolName":"x","sessionId":"` + long + `"}`, "sessionId"},
		{"POST /v1/evaluate", `{"toolName":"x","agentId":5}`, "agentId"},
		{"POST /v1/rules/preview", `{}`, "rules"}, {"POST /v1/rules/widen", `{}`, "callId"},
		{
			"POST /v1/rules/widen",
			`{"callId":null}`,
			"callId",
		}, {"POST /v1/rules/lint", `{"rules":[{},{"priority":"x"}]}`, "rules[1].priority"},
		{
			"POST /v1/rules/lint",
			`{"rules":[{"toolPattern":""}]}`,
			"rules[0].toolPattern",
		}, {"POST /v1/rules/preview", `{"rules":null}`, "rules"},
		{"POST /v1/rules/preview", `{"rules":[{"id":"a"},{"id":"a"}]}`, "rules[1].id"},
		{"POST /v1/rules/preview", `{"rules":[{"effect":"deny","autoApprove":true}]}`, "rules[0].autoApprove"},
		{"POST /v1/policy/diff", `{}`, "document"},
		{"POST /v1/policy/diff", `{"document":{"format":"x","version":1,"rules":[]}}`, "document.format"},
		{"POST /v1/policy/diff", `{"document":{"format":"sekisho.rules","version":2,"rules":[]}}`, "document.version"},
		{
			"POST /v1/policy/diff",
			`{"document":{"format":"sekisho.rules","version":1,"rules":[{"toolName":"x"}]}}`,
			"document.rules[0].id",
		},
		{"POST /v1/policy/diff", `{"document":{"format":"sekisho.rules","version":1,"rules":[{"id":"a","toolName":""}]}}`,
			"document.rules[0].toolName"},
		{"POST /v1/policy/import", `{"document":{"format":"sekisho.rules","version":1,"rules":[{"id":"a","extra":1}]}}`,
			"document.rules[0].extra"}, {"POST /v1/policy/import", strings.Replace(goodDocument, "{", `{"accept":null,`, 1), "accept"},
		{"POST /v1/policy/import", strings.Replace(goodDocument, "{", `{"mode":"both",`, 1), "mode"},
		{"POST /v1/policy/import", strings.Replace(goodDocument, "{", `{"ifVersion":-1,`, 1), "ifVersion"},
		{"POST /v1/policy/import", strings.Replace(goodDocument, "{", `{"accept":[5],`, 1), "accept[0]"},

		{"POST /v1/calls/call-a/decision", `{"approved":true,"inputHash":"h","rev":1.5}`, "rev"},
		{"POST /v1/calls/call-a/decision", `{"approved":true,"inputHash":"h","rev":9223372036854775808}`, "rev"},
		{"POST /v1/calls/call-a/decision", `{"approved":"yes","rev":1,"inputHash":"h"}`, "approved"},
		{"POST /v1/rules", `{"effect":"maybe"}`, "effect"}, {"POST /v1/rules", `{"effect":"deny","autoApprove":true}`, "autoApprove"},
		{"POST /v1/rules", `{"toolName":""}`, "toolName"}, {"POST /v1/rules", `{"priority":4294967296}`, "priority"},
		{"POST /v1/rules", `{"priority":1.5}`, "priority"}, {"POST /v1/rules", `{"priority":null}`, "priority"},
		{"POST /v1/rules", `{"id":"a b"}`, "id"}, {"POST /v1/rules", `{"expiresAt":"soon"}`, "expiresAt"},
		{"POST /v1/rules", `{"expiresAt":"1970-01-01T00:00:00Z"}`, "expiresAt"}, {"POST /v1/rules", `{"condition":""}`, "condition"},
		{"POST /v1/rules", `{"examples":[{}]}`, "examples[0].toolName"},
		{"POST /v1/rules", `{"examples":[{"toolName":"x","decision":"maybe"}]}`, "examples[0].decision"},
		{"POST /v1/rules", `{"toolpattern":"x"}`, "toolpattern"},
		{"PATCH /v1/rules/r1", `{"effect":null}`, "effect"}, {"PATCH /v1/rules/r1", `{"enabled":"no"}`, "enabled"},
		{"PUT /v1/rules", `{}`, "rules"}, {"PUT /v1/rules", `{"rules":null}`, "rules"}, {"PUT /v1/rules", `{"rules":{}}`, "rules"},
		{"PUT /v1/rules", `{"rules":[{},{"priority":"x"}]}`, "rules[1].priority"},
		{"PUT /v1/rules", `{"rules":[{"toolPattern":""}]}`, "rules[0].toolPattern"}, {"PUT /v1/rules", `{"rules":[5]}`, "rules[0]"},
		{"PUT /v1/rules", `{"rules":[{"createdAt":"x"}]}`, "rules[0].createdAt"},
		{"PUT /v1/servers", `{"servers":[{"id":"a","transport":"pipe"}]}`, "servers[0].transport"},
		{"PUT /v1/servers", `{"servers":[{"id":"a","command":"b","url":7}]}`, "servers[0].url"},
		{"PUT /v1/servers", `{"servers":[{"id":"a","command":"b","headers":{"x":7}}]}`, "servers[0].headers.x"},
		{"PUT /v1/servers", `{"servers":[{"id":"a","env":{"K":5}}]}`, "servers[0].env.K"},
		{"PUT /v1/servers", `{"servers":[{"command":"b"}]}`, "servers[0].id"},
		{"POST /v1/agents", `{}`, "name"}, {"POST /v1/agents", `{"name":["x"]}`, "name"}, {"POST /v1/login", `{"code":7}`, "code"},
		{"GET /v1/calls?status=waiting", "", "status"}, {"GET /v1/calls?limit=0", "", "limit"}, {"GET /v1/calls?limit=x", "", "limit"},
		{"GET /v1/calls?order=best", "", "order"}, {"GET /v1/calls?runid=x", "", "runid"},
		{"GET /v1/calls/call-a?wait=soon", "", "wait"}, {"GET /v1/calls/call-a?wait=-1", "", "wait"},
		{
			"GET /v1/calls/call-a?wait=NaN",
			"",
			"wait",
		}, {"GET /v1/calls/call-a?wait=1_0", "", "wait"}, {"GET /v1/calls/call-a?rev=-1", "", "rev"},
		{"GET /v1/journal?after=-1", "", "after"}, {"GET /v1/journal?limit=100000", "", "limit"},
	}
	s := newSite(t, nil)
	for _, c := range rows {
		method, path, _ := strings.Cut(c.row, " ")
		got := s.send(method, path, tokenFor(method, path), c.body)
		p := got.problem(t)
		if got.status != 422 || p.Code != permission.CodeInvalid || p.Field != c.field {
			t.Errorf("%s %.80s: %d field %q, want %q: %.300s", c.row, c.body, got.status, p.Field, c.field, got.body)
		}
		if len(p.Errors) == 0 || !strings.HasSuffix(p.Errors[0].Location, "."+c.field) {
			t.Errorf("%s %.80s: errors %+v", c.row, c.body, p.Errors)
		}
		if len(got.body) > 8<<10 {
			t.Errorf("%s %.80s: an answer of %d bytes echoes the request", c.row, c.body, len(got.body))
		}
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

func TestManyMistakesMakeAShortAnswer(t *testing.T) {
	s := newSite(t, nil)
	many := func(rule string) string { return strings.Repeat(rule+",", 20_000) + "{}" }
	for _, body := range []string{
		`{"rules":[` + many(`{"priority":"x"}`) + `]}`, `{"rules":[` + many(`{"k":1}`) + `]}`, `{"rules":[],"` + strings.Repeat("k", 100_000) +
			`":1}`, `{"rules":[` + many(`5`) + `]}`,
	} {
		got := s.send("PUT", "/v1/rules", tokenOp, body)
		if p := got.problem(t); got.status != 422 || len(p.Errors) > maxDetails || len(got.body) > 16<<10 {
			t.Errorf("%.40s: %d with %d errors in %d bytes", body, got.status, len(p.Errors), len(got.body))
		}
	}
}

func TestLargeBodies(t *testing.T) {
	s := newSite(t, nil)
	body := func(n int) string {
		head := `{"claimId":"c","ok":true,"output":"`
		return head + strings.Repeat("a", n-len(head)-2) + `"}`
	}
	if got := s.send("POST", "/v1/calls/call-a/result", tokenA, body(maxBody)); got.status != 200 ||
		len(s.desk.outcome.Output) < maxBody-100 {
		t.Errorf("32 MiB: %d %.200s", got.status, got.body)
	}
	before := s.desk.touched()
	for _, n := range []int{maxBody + 1, 40 << 20} {
		if got := s.send("POST", "/v1/calls/call-a/result", tokenA, body(n)); got.status != 413 || got.problem(t).Code != codeTooLarge {
			t.Errorf("%d bytes: %d %.200s", n, got.status, got.body)
		}
	}
	req, _ := http.NewRequest("POST", s.url+"/v1/calls", io.NopCloser(io.LimitReader(zeros{}, 40<<20))) // chunked: its length is not said
	req.Header.Set("Authorization", "Bearer "+tokenA)
	if got := s.do(req); got.status != 413 {
		t.Errorf("40 MiB in chunks: %d %.200s", got.status, got.body)
	}
	if s.desk.touched() != before {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
	if got := s.send("GET", "/v1/calls", tokenA, ""); got.status != 200 {
		t.Errorf("after it: %d", got.status)
	}
}

func TestAWebSocketIsNotServed(t *testing.T) {
	s := newSite(t, nil)
	for origin, status := range map[string]int{"https://evil.example": 403, s.url: 404} {
		got := s.send(
			"GET",
			"/ws",
			tokenA,
			"",
			"Origin",
			origin,
			"Connection",
			"Upgrade",
			"Upgrade",
			"websocket",
			"Sec-Websocket-Version",
			"13",
			"Sec-Websocket-Key",
			"AQIDBAUGBwgJCgsMDQ4PEC==",
		)
		if got.status != status {
			t.Errorf("Origin %s: %d", origin, got.status)
		}
	}
}
