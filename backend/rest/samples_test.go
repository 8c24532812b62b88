package rest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/keylogin"
	"sekisho/backend/operatorkey"
	"sekisho/backend/permission"
	"sekisho/backend/proof"
	"sekisho/backend/restwire"
)

// sample is a good request of one row.
type sample struct {
	row, path, token, body string
	status                 int
	unknown                string // the path with an id that nobody has; "" where there is no id
	pure                   bool   // the desk has no part in it
	open                   bool   // unknown fields are passed over
	etag                   string // an If-Match that is not the one that is
}

const (
	goodNonce    = "0123456789abcdef0123456789abcdef"
	goodDecision = `{"approved":true,"rev":3,"inputHash":"h"}`
	goodClaim    = `{"inputHash":"h","claimant":"c","claimKey":"k"}`
	goodDocument = `{"document":{"format":"sekisho.rules","version":1,"rules":[{"id":"x"}]}}`
	goodTool     = `{"tool_name":"tool_read_file","tool_params":{"path":"a"}}`
	oldETag      = `"2001-01-01T00:00:00.000Z"`
)

// samples has every row that is served; TestEveryRowHasASample sees to it.
var samples = []sample{
	{row: "POST /v1/evaluate", token: tokenA, body: `{"toolName":"x"}`, status: 200},
	{row: "POST /v1/canaries", token: tokenA, status: 201},
	{row: "POST /v1/calls", token: tokenA, body: goodAsk, status: 200},
	{row: "GET /v1/calls", token: tokenA, status: 200},
	{row: "GET /v1/calls/{id}", path: "/v1/calls/call-a", token: tokenA, status: 200, unknown: "/v1/calls/nope"},
	{row: "GET /v1/calls/{id}/input", path: "/v1/calls/call-a/input", token: tokenA, status: 200, unknown: "/v1/calls/nope/input"},
	{row: "GET /v1/calls/{id}/envelope", path: "/v1/calls/call-a/envelope", token: tokenA, status: 200, unknown: "/v1/calls/nope/envelope"},
	{row: "GET /v1/calls/{id}/look", path: "/v1/calls/call-a/look", token: tokenOp, status: 200, unknown: "/v1/calls/nope/look"},
	{row: "DELETE /v1/calls/{id}/input", path: "/v1/calls/call-b/input", token: tokenOp, status: 200, unknown: "/v1/calls/nope/input"},
	{row: "DELETE /v1/calls/{id}/denial", path: "/v1/calls/call-a/denial", token: tokenOp, status: 200, unknown: "/v1/calls/nope/denial"},
	{row: "POST /v1/calls/{id}/claim", path: "/v1/calls/call-a/claim", token: tokenA, body: goodClaim, status: 200,
		unknown: "/v1/calls/nope/claim"},
	{row: "POST /v1/calls/{id}/result", path: "/v1/calls/call-a/result", token: tokenA, body: `{"claimId":"c","ok":true}`, status: 200,
		unknown: "/v1/calls/nope/result"},
	{row: "POST /v1/calls/{id}/cancel", path: "/v1/calls/call-a/cancel", token: tokenA, body: `{}`, status: 200,
		unknown: "/v1/calls/nope/cancel"},
	{row: "POST /v1/calls/{id}/decision", path: "/v1/calls/call-a/decision", token: tokenOp, body: goodDecision, status: 200,
		unknown: "/v1/calls/nope/decision"},
	{row: "POST /v1/attention", token: tokenOp, body: `{"callId":"call-a","rev":3}`, status: 204},
	{row: "POST /v1/calls/{id}/extend", path: "/v1/calls/call-a/extend", token: tokenOp, body: `{"seconds":60}`, status: 200,
		unknown: "/v1/calls/nope/extend"},
	{row: "POST /v1/calls/{id}/resolve", path: "/v1/calls/call-a/resolve", token: tokenOp, body: `{"action":"retry"}`, status: 200,
		unknown: "/v1/calls/nope/resolve"},
	{row: "POST /v1/calls/release", token: tokenOp, body: `{"ruleId":"r1"}`, status: 200},
	{row: "POST /v1/runs/{runId}/cancel", path: "/v1/runs/r/cancel", token: tokenA, body: `{}`, status: 200,
		unknown: "/v1/runs/unknown/cancel"},
	{row: "POST /v1/sessions/{id}/end", path: "/v1/sessions/s/end", token: tokenA, body: `{}`, status: 200,
		unknown: "/v1/sessions/unknown/end"},
	{row: "GET /v1/sessions", token: tokenOp, status: 200},
	{row: "GET /v1/events", token: tokenA, status: 200},
	{row: "GET /v1/grants", token: tokenOp, status: 200},
	{row: "DELETE /v1/grants/{id}", path: "/v1/grants/g", token: tokenOp, status: 204, unknown: "/v1/grants/unknown"},
	{row: "POST /v1/hold", token: tokenOp, body: `{"on":true}`, status: 200},
	{row: "GET /v1/settings", token: tokenOp, status: 200},
	{row: "PATCH /v1/settings", token: tokenOp, body: `{"undoSeconds":5}`, status: 200},
	{row: "GET /v1/rules", token: tokenOp, status: 200},
	{row: "POST /v1/rules", token: tokenOp, body: `{}`, status: 201},
	{row: "PUT /v1/rules", token: tokenOp, body: `{"rules":[]}`, status: 200, etag: `"8"`},
	{row: "GET /v1/rules/{id}", path: "/v1/rules/r1", token: tokenOp, status: 200, unknown: "/v1/rules/nope"},
	{row: "PATCH /v1/rules/{id}", path: "/v1/rules/r1", token: tokenOp, body: `{"note":"x"}`, status: 200, unknown: "/v1/rules/nope",
		etag: oldETag},
	{row: "DELETE /v1/rules/{id}", path: "/v1/rules/r1", token: tokenOp, status: 200, unknown: "/v1/rules/nope", etag: oldETag},
	{row: "POST /v1/rules/preview", token: tokenOp, body: `{"rules":[{}]}`, status: 200},
	{row: "POST /v1/rules/lint", token: tokenOp, body: `{"rules":[{}]}`, status: 200},
	{row: "POST /v1/rules/move", token: tokenOp, body: `{"ruleId":"r1","before":null}`, status: 200},
	{row: "POST /v1/rules/widen", token: tokenOp, body: `{"callId":"call-a"}`, status: 200},
	{row: "POST /v1/rules/reach", token: tokenOp, body: `{"toolName":"x","names":["git push"]}`, status: 200},
	{row: "POST /v1/rules/wordings", token: tokenOp, status: 200, pure: true,
		body: `{"asked":[{"condition":"true"},{"clauses":[{"code":"risk","key":"","texts":["low"]}]}]}`},
	{row: "GET /v1/suggestions", token: tokenOp, status: 200},
	{row: "POST /v1/history", token: tokenOp, status: 200, pure: true},
	{row: "GET /v1/history", token: tokenOp, status: 200, pure: true},
	{row: "DELETE /v1/history", token: tokenOp, status: 200, pure: true},
	{row: "GET /v1/insights", token: tokenOp, status: 200, pure: true},
	{row: "POST /v1/presence", token: tokenOp, status: 200, pure: true},
	{row: "GET /v1/pause", token: tokenOp, status: 200, pure: true},
	{row: "POST /v1/pause", token: tokenOp, body: `{"minutes":5}`, status: 200, pure: true},
	{row: "DELETE /v1/pause", token: tokenOp, status: 204, pure: true},
	{row: "GET /v1/arming", token: tokenOp, status: 200, pure: true},
	{row: "GET /v1/policy", token: tokenOp, status: 200},
	{row: "POST /v1/policy/diff", token: tokenOp, body: goodDocument, status: 200},
	{row: "POST /v1/policy/import", token: tokenOp, body: goodDocument, status: 200},
	{row: "POST /v1/data/sekisho/decision", token: tokenA, body: `{"input":{"tool":{"name":"x"}}}`, status: 200, open: true},
	{row: "POST /v1/data/sekisho/tools", token: tokenA, body: `{"input":{}}`, status: 200, open: true},
	{row: "GET /v1/servers", token: tokenOp, status: 200},
	{row: "PUT /v1/servers", token: tokenOp, body: `{"servers":[{"id":"a","command":"b"}]}`, status: 200, etag: `"v8"`},
	{row: "POST /v1/servers/test", token: tokenOp, body: `{"server":{"id":"a","command":"b"}}`, status: 200},
	{row: "GET /v1/servers/{id}/tools/{name}", path: "/v1/servers/pinned/tools/a%2Fb", token: tokenOp, status: 200,
		unknown: "/v1/servers/pinned/tools/nope"},
	{row: "PUT /v1/servers/{id}/tools/{name}/risk", path: "/v1/servers/pinned/tools/a%2Fb/risk", token: tokenOp,
		body: `{"risk":"low"}`, status: 200, unknown: "/v1/servers/nope/tools/a/risk"},
	{row: "POST /v1/servers/{id}/tools/accept", path: "/v1/servers/pinned/tools/accept", token: tokenOp,
		body: `{"tools":[{"name":"a/b","definition":"h2","launch":""}]}`, status: 200, unknown: "/v1/servers/nope/tools/accept"},
	{row: "POST /v1/servers/{id}/tools/{name}/accept", path: "/v1/servers/pinned/tools/a%2Fb/accept", token: tokenOp,
		body: `{"definition":"h2"}`, status: 200, unknown: "/v1/servers/pinned/tools/nope/accept"},
	{row: "POST /v1/servers/{id}/sign-in", path: "/v1/servers/far/sign-in", token: tokenOp, body: `{"client":{"id":"mine"}}`, status: 200,
		unknown: "/v1/servers/nope/sign-in"},
	{row: "GET /v1/servers/{id}/sign-in", path: "/v1/servers/far/sign-in", token: tokenOp, status: 200, unknown: "/v1/servers/nope/sign-in"},
	{row: "DELETE /v1/servers/{id}/sign-in", path: "/v1/servers/far/sign-in", token: tokenOp, status: 200,
		unknown: "/v1/servers/nope/sign-in"},
	{row: "POST /v1/demo", token: tokenOp, status: 200},
	{row: "POST /v1/agents", token: tokenOp, body: `{"name":"x"}`, status: 201},
	{row: "GET /v1/agents", token: tokenOp, status: 200},
	{row: "DELETE /v1/agents/{id}", path: "/v1/agents/agent-b", token: tokenOp, status: 204, unknown: "/v1/agents/unknown"},
	{row: "POST /v1/agents/{id}/stop", path: "/v1/agents/agent-b/stop", token: tokenOp, body: `{}`, status: 200,
		unknown: "/v1/agents/unknown/stop"},
	{row: "POST /v1/agents/{id}/resume", path: "/v1/agents/agent-b/resume", token: tokenOp, body: `{}`, status: 200,
		unknown: "/v1/agents/unknown/resume"},
	{row: "PATCH /v1/agents/{id}", path: "/v1/agents/agent-b", token: tokenOp, body: `{"role":"coordinator"}`, status: 200,
		unknown: "/v1/agents/unknown", pure: true},
	{row: "GET /v1/coordination", token: tokenOp, status: 200, pure: true},
	{row: "PATCH /v1/coordination", token: tokenOp, body: `{"on":true}`, status: 200, pure: true},
	{row: "GET /v1/projects/{id}/tasks", path: "/v1/projects/p/tasks", token: tokenOp, status: 200, pure: true,
		unknown: "/v1/projects/nope/tasks"},
	{row: "POST /v1/projects/{id}/tasks", path: "/v1/projects/p/tasks", token: tokenOp, body: `{"title":"x"}`, status: 201, pure: true,
		unknown: "/v1/projects/nope/tasks"},
	{row: "PATCH /v1/projects/{id}/tasks/{taskId}", path: "/v1/projects/p/tasks/t", token: tokenOp,
		body: `{"title":"y"}`, status: 200, pure: true,
		etag: `"2001-01-01T00:00:00Z"`, unknown: "/v1/projects/p/tasks/nope"},
	{row: "POST /v1/projects/{id}/tasks/{taskId}/assign", path: "/v1/projects/p/tasks/t/assign", token: tokenOp,
		body: `{"assigneeId":"agent-a"}`, status: 200, pure: true, unknown: "/v1/projects/p/tasks/nope/assign"},
	{row: "POST /v1/projects/{id}/tasks/{taskId}/close", path: "/v1/projects/p/tasks/t/close", token: tokenOp, body: `{"result":"success"}`,
		status: 200, pure: true, unknown: "/v1/projects/p/tasks/nope/close"},
	{row: "GET /v1/projects/{id}/conversations", path: "/v1/projects/p/conversations", token: tokenOp, status: 200, pure: true,
		unknown: "/v1/projects/nope/conversations"},
	{row: "POST /v1/projects/{id}/conversations", path: "/v1/projects/p/conversations", token: tokenOp,
		body: `{"agentId":"agent-a","message":"hello"}`, status: 201, pure: true, unknown: "/v1/projects/nope/conversations"},
	{row: "GET /v1/projects/{id}/conversations/{conversationId}", path: "/v1/projects/p/conversations/c", token: tokenOp, status: 200, pure: true,
		unknown: "/v1/projects/p/conversations/nope"},
	{row: "POST /v1/projects/{id}/conversations/{conversationId}/messages", path: "/v1/projects/p/conversations/c/messages", token: tokenOp,
		body: `{"message":"hello"}`, status: 201, pure: true, unknown: "/v1/projects/p/conversations/nope/messages"},
	{row: "POST /v1/projects/{id}/conversations/{conversationId}/end", path: "/v1/projects/p/conversations/c/end", token: tokenOp, body: `{}`,
		status: 200, pure: true, unknown: "/v1/projects/p/conversations/nope/end"},
	{row: "DELETE /v1/projects/{id}/conversations/{conversationId}", path: "/v1/projects/p/conversations/ended", token: tokenOp, status: 204,
		pure: true, unknown: "/v1/projects/p/conversations/nope"},
	{row: "GET /v1/projects", token: tokenOp, status: 200, pure: true},
	{row: "PUT /v1/projects/{id}", path: "/v1/projects/p", token: tokenOp, body: `{"members":{"agent-a":"worker"}}`, status: 200, pure: true,
		etag: `"2001-01-01T00:00:00Z"`},
	{row: "POST /v1/sessions", token: tokenOp, body: `{"agentId":"agent-a","role":"worker","purpose":"task","projectId":"p"}`, status: 201,
		pure: true},
	{row: "POST /v1/sessions/authenticate", token: tokenA, body: `{"agentId":"agent-a","passkey":"skp_good","projectId":"p"}`, status: 200,
		pure: true},
	{row: "POST /v1/executors", token: tokenOp, body: `{"name":"x","projectIds":["p"]}`, status: 201, pure: true},
	{row: "GET /v1/executors", token: tokenOp, status: 200, pure: true},
	{row: "DELETE /v1/executors/{id}", path: "/v1/executors/x", token: tokenOp, status: 204, pure: true, unknown: "/v1/executors/nope"},
	{row: "GET /my/projects", token: tokenA, status: 200, pure: true},
	{row: "POST /my/projects/{project_id}/tools/execute", path: "/my/projects/p/tools/execute", token: tokenA, body: goodTool, status: 200,
		pure: true, unknown: "/my/projects/nope/tools/execute"},
	{row: "GET /my/projects/{project_id}/tools/{tool_id}", path: "/my/projects/p/tools/call-a", token: tokenA, status: 200, pure: true,
		unknown: "/my/projects/p/tools/nope"},
	{row: "GET /my/projects/{project_id}/tools/available", path: "/my/projects/p/tools/available", token: tokenA, status: 200, pure: true,
		unknown: "/my/projects/nope/tools/available"},
	{row: "POST /my/projects/{project_id}/tools/{tool_id}/result", path: "/my/projects/p/tools/call-a/result", token: tokenX,
		body: `{"claim_id":"c","success":true}`, status: 200, pure: true, unknown: "/my/projects/p/tools/nope/result"},
	{row: "POST /my/projects/{project_id}/approvals/{approval_id}/approve", path: "/my/projects/p/approvals/call-a/approve", token: tokenOp,
		body: `{"input_hash":"h","rev":3}`, status: 200, unknown: "/my/projects/p/approvals/nope/approve"},
	{row: "POST /my/projects/{project_id}/approvals/{approval_id}/reject", path: "/my/projects/p/approvals/call-a/reject", token: tokenOp,
		body: `{"input_hash":"h","rev":3}`, status: 200, unknown: "/my/projects/p/approvals/nope/reject"},
	{row: "GET /my/projects/{project_id}/events", path: "/my/projects/p/events", token: tokenOp, status: 200, pure: true,
		unknown: "/my/projects/nope/events"},
	{row: "GET /v1/connections", token: tokenOp, status: 200, pure: true},
	{row: "POST /v1/connections/{id}/connect", path: "/v1/connections/cursor-1/connect", token: tokenOp, body: `{"shown":"s1"}`, status: 200,
		unknown: "/v1/connections/nope/connect", pure: true},
	{row: "POST /v1/connections/{id}/try", path: "/v1/connections/cursor-1/try", token: tokenOp, body: `{"shown":"s1"}`, status: 200,
		unknown: "/v1/connections/nope/try", pure: true},
	{row: "POST /v1/connections/{id}/prove", path: "/v1/connections/cursor-1/prove", token: tokenOp, status: 200,
		unknown: "/v1/connections/nope/prove", pure: true},
	{row: "POST /v1/connections/{id}/check", path: "/v1/connections/cursor-1/check", token: tokenOp, status: 200,
		unknown: "/v1/connections/nope/check", pure: true},
	{row: "POST /v1/connections/leftovers/remove", token: tokenOp, body: `{"servers":["old"]}`, status: 200, pure: true},
	{row: "POST /v1/connections/{id}/disconnect", path: "/v1/connections/cursor-1/disconnect", token: tokenOp, body: `{"shown":"s2"}`,
		status: 200, unknown: "/v1/connections/nope/disconnect", pure: true},
	{row: "GET /v1/journal", token: tokenOp, status: 200},
	{row: "GET /v1/journal/end", token: tokenOp, status: 200},
	{row: "GET /v1/differences", token: tokenOp, status: 200},
	{row: "POST /v1/differences/settle", token: tokenOp, body: `{"ids":["d"],"take":"journal"}`, status: 200},
	{row: "POST /v1/login", body: `{"code":"CODE"}`, status: 200, pure: true},
	{row: "POST /v1/login-codes", token: tokenOp, status: 201, pure: true},
	{row: "POST /v1/proof", body: `{"key":"` + proof.HashOf(tokenOp).Key() + `","nonce":"` + goodNonce + `"}`, status: 200, pure: true},
	{row: "POST /v1/operator/challenge", status: 200, pure: true},
	{row: "POST /v1/operator/challenge/answer", body: `{"challenge":"c","address":"127.0.0.1:1","signature":"s"}`, status: 200, pure: true},
	{row: "GET /healthz", status: 200, pure: true},
}

func (c *sample) method() string { return strings.Fields(c.row)[0] }

func (c *sample) pattern() string { return strings.Fields(c.row)[1] }

func (c *sample) url() string {
	if c.path != "" {
		return c.path
	}
	return c.pattern()
}

// send sends the sample with another token or body.
func (c *sample) send(s *site, token, body string, headers ...string) *reply {
	return s.send(c.method(), c.url(), token, body, headers...)
}

// operation is what the door says of a row.
func operation(t *testing.T, door *Handler, c *sample) *huma.Operation {
	t.Helper()
	at := door.api.OpenAPI().Paths[c.pattern()]
	if at == nil {
		t.Fatalf("%s is not served", c.row)
	}
	return map[string]*huma.Operation{"GET": at.Get, "POST": at.Post, "PUT": at.Put, "PATCH": at.Patch, "DELETE": at.Delete}[c.method()]
}

// eachRow runs a test for every row, over a desk of its own behind one door.
func eachRow(t *testing.T, test func(t *testing.T, s *site, c *sample, op *huma.Operation)) {
	key := operatorkey.New()
	door := newSite(t, func(o *Options) { o.Operator.keys = keylogin.New(key.Public()) })
	for i := range samples {
		c := samples[i]
		t.Run(c.row, func(t *testing.T) {
			s := door
			if c.pattern() == "/v1/demo" { // what plays it may outlast the row
				s = newSite(t, nil)
			}
			s.t, s.desk = t, newFake()
			s.behind.fakeDesk = s.desk
			if c.pattern() == "/v1/login" {
				c.body = fmt.Sprintf(`{"code":%q}`, code(t, s.door.opts.Operator.LoginURL("", s.door.opts.Now())))
			}
			if c.pattern() == operatorkey.LoginPath+"/answer" {
				var asked struct{ Challenge string }
				s.send("POST", operatorkey.LoginPath, "", "").into(t, &asked)
				here := strings.TrimPrefix(s.url, "http://")
				c.body = fmt.Sprintf(`{"challenge":%q,"address":%q,"signature":%q}`, asked.Challenge, here, key.Sign(asked.Challenge, here))
			}
			test(t, s, &c, operation(t, s.door, &c))
		})
	}
}

func TestEveryRowHasASample(t *testing.T) {
	var sampled []string
	served := served(New(deskOf(newFake()), Options{}))
	for _, c := range samples {
		sampled = append(sampled, c.row)
	}
	slices.Sort(served)
	slices.Sort(sampled)
	if !slices.Equal(served, sampled) {
		t.Errorf("served:\n%s\nsampled:\n%s", strings.Join(served, "\n"), strings.Join(sampled, "\n"))
	}
}

func TestEveryRowServes(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if strings.HasSuffix(c.pattern(), "/events") {
			return // a stream does not end: events_test.go reads it
		}
		got := c.send(s, c.token, c.body)
		if got.status != c.status || (s.desk.touched() == 0) != c.pure {
			t.Errorf("%d %.300s, want %d; the desk did %v", got.status, got.body, c.status, s.desk.counts)
		}
		if op.Responses[fmt.Sprint(c.status)] == nil {
			t.Errorf("%d is not in the document", c.status)
		}
	})
}

func TestEveryRowKnowsItsCaller(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if len(op.Security) == 0 {
			return
		}
		for _, token := range []string{"", "nobody's"} {
			if got := c.send(s, token, c.body); got.status != 401 || got.problem(t).Code != codeUnauthorized {
				t.Errorf("token %q: %d %s", token, got.status, got.body)
			}
		}
		for role, token := range map[restwire.Who]string{restwire.Agents: tokenA, restwire.Operators: tokenOp} {
			if admits(op, role) {
				continue
			}
			want := permission.CodeForbidden
			if slices.Contains(decidingRows, c.row) {
				want = permission.CodeSelfApproval
			}
			for _, body := range []string{c.body, "", "{"} {
				if got := c.send(s, token, body); got.status != 403 || got.problem(t).Code != want {
					t.Errorf("as %s with %q: %d %s", role, body, got.status, got.body)
				}
			}
		}
		for _, headers := range [][]string{{"Host", "evil.example"}, {"Origin", "https://evil.example"}} {
			if got := c.send(s, c.token, c.body, headers...); got.status != 403 || got.problem(t).Code != permission.CodeForbidden {
				t.Errorf("%v: %d %s", headers, got.status, got.body)
			}
		}
		if s.desk.touched() > 0 {
			t.Errorf("the desk was asked: %v", s.desk.counts)
		}
	})
}

func TestEveryRowRefusesBadBodies(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if op.RequestBody == nil {
			return
		}
		deep := `{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`
		bodies400 := []string{"{", `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", deep, `{"a":"\ud800"}`, "\xef\xbb\xbf{}"}
		if c.open {
			bodies400 = slices.DeleteFunc(bodies400, func(b string) bool { return b == deep || b == `{"a":"\ud800"}` })
		}
		for _, body := range bodies400 {
			if got := c.send(s, c.token, body); got.status != 400 || got.problem(t).Code != permission.CodeMalformed {
				t.Errorf("%.20q: %d %s", body, got.status, got.body)
			}
		}
		if got := c.send(s, c.token, c.body, "Content-Type", "text/plain"); got.status != 415 || got.problem(t).Code != codeMediaType {
			t.Errorf("as text: %d %s", got.status, got.body)
		}
		bodies := map[string]string{"[]": "", strings.Replace(c.body, "{", `{"surprise":1,`, 1): "surprise"}
		if c.open || c.body == `{}` {
			bodies = map[string]string{"[]": "", `"x"`: ""}
		}
		for body, field := range bodies {
			body = strings.Replace(body, ",}", "}", 1)
			if got := c.send(s, c.token, body); got.status != 422 || got.problem(t).Code != permission.CodeInvalid || got.problem(t).Field != field {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
		if got := tooLong(t, s, c); !strings.HasPrefix(got, "HTTP/1.1 413 ") || !strings.Contains(got, `"code":"too_large"`) {
			t.Errorf("999 MB: %.300s", got)
		}
		if s.desk.touched() > 0 {
			t.Errorf("the desk was asked: %v", s.desk.counts)
		}
	})
}

// tooLong says that a huge body follows, and gives the answer.
func tooLong(t *testing.T, s *site, c *sample) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, head(c.method(), c.url(), c.token, "Content-Length: 999000000", "Connection: close")); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestEveryPathKnowsItsMethods(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		got := s.send("BREW", c.url(), c.token, "")
		if got.status != 405 || got.problem(t).Code != codeMethod || !slices.Contains(strings.Split(got.header.Get("Allow"), ", "), c.method()) {
			t.Errorf("%d Allow %q: %s", got.status, got.header.Get("Allow"), got.body)
		}
	})
}

func TestEveryUnknownIDIs404(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		makes := c.row == "PUT /v1/projects/{id}" // what it is asked for
		if !makes && strings.Contains(c.pattern(), "{") != (c.unknown != "") {
			t.Fatal("the sample has no path with an unknown id")
		}
		if c.unknown == "" {
			return
		}
		if got := s.send(c.method(), c.unknown, c.token, c.body); got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	s := newSite(t, nil)
	for row, body := range map[string]string{
		"/v1/calls/release": `{"ruleId":"nope"}`, "/v1/rules/move": `{"ruleId":"nope","before":null}`, "/v1/rules/widen": `{"callId":"nope"}`,
	} {
		if got := s.send("POST", row, tokenOp, body); got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
			t.Errorf("%s of an unknown id: %d %s", row, got.status, got.body)
		}
	}
}

func TestEveryRowGuardsAgainstLostUpdates(t *testing.T) {
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		guarded := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "If-Match" })
		if guarded != (c.etag != "") {
			t.Fatalf("If-Match is taken: %v", guarded)
		}
		if c.etag == "" {
			return
		}
		if got := c.send(s, c.token, c.body, "If-Match", c.etag); got.status != 412 || got.problem(t).Code != permission.CodeLostUpdate {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	s := newSite(t, nil)
	if got := s.send("POST", "/v1/policy/import", tokenOp, strings.Replace(goodDocument, "{", `{"ifVersion":8,`, 1)); got.status != 412 {
		t.Errorf("import over another version: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/rules/move", tokenOp, `{"ruleId":"r1","before":null,"policyVersion":8}`); got.status != 412 ||
		got.problem(t).Code != permission.CodeLostUpdate {
		t.Errorf("move over another version: %d %s", got.status, got.body)
	}
}

// TestEveryRowTellsWhatTheDeskSaid has the desk refuse with each code, and fail.
func TestEveryRowTellsWhatTheDeskSaid(t *testing.T) {
	call := permission.Call{ID: "call-a", Status: permission.Declined}
	eachRow(t, func(t *testing.T, s *site, c *sample, op *huma.Operation) {
		if c.pure {
			return
		}
		for code, status := range statusOfCodes {
			e := &permission.Error{Code: code, Message: "because", Field: ""}
			if status == http.StatusConflict {
				e.Call = &call
			}
			s.desk.fail = fmt.Errorf("doing it: %w", e)
			got := c.send(s, c.token, c.body)
			p := got.problem(t)
			if got.status != status || p.Code != code || p.Detail != "because" || (p.Call != nil) != (status == 409) {
				t.Errorf("%s: %d %s", code, got.status, got.body)
			}
			if (got.header.Get("Retry-After") != "") != (status == 429 || status == 503) {
				t.Errorf("%s: Retry-After %q", code, got.header.Get("Retry-After"))
			}
		}
		s.desk.fail = fmt.Errorf("open /home/someone/secret.db: disk on fire")
		if got := c.send(s, c.token, c.body); got.status != 500 || got.problem(t).Code != codeInternal ||
			strings.Contains(string(got.body), "secret") {
			t.Errorf("fault: %d %s", got.status, got.body)
		}
	})
}

// statusOfCodes is the table of CONTRACT section 4.
var statusOfCodes = map[permission.Code]int{
	permission.CodeInvalid: 422, permission.CodeMalformed: 400, permission.CodeNotFound: 404, permission.CodeForbidden: 403,
	permission.CodeSelfApproval: 403,
	permission.CodeCallConflict: 409, permission.CodeAlreadyDecided: 409, permission.CodeExpired: 409, permission.CodeCancelled: 409,
	permission.CodeDenied: 409, permission.CodeRevoked: 409,
	permission.CodeNotApproved: 409, permission.CodeAlreadyClaimed: 409, permission.CodeHashMismatch: 409, permission.CodeStale: 409,
	permission.CodeResultConflict: 409,
	permission.CodeLostUpdate:     412, permission.CodeExists: 409, permission.CodeTooMany: 429, permission.CodeUnavailable: 503,
}
