package rest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// newWhole is a door over a real desk and store, with one agent.
func newWhole(t *testing.T) (s *site, agent string) {
	t.Helper()
	return newWholeAt(t, t.TempDir())
}

// newWholeAt is newWhole over a data folder.
func newWholeAt(t *testing.T, dir string) (s *site, agent string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	d, err := desk.Open(t.Context(), storetest.Stores(store), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	door := New(deskOf(struct {
		*desk.Calls
		*desk.Policy
		*desk.Catalogue
		*desk.Journal
		*desk.Demonstration
	}{d.Calls, d.Policy, d.Catalogue, d.Journal, d.Demo}), Options{Operator: NewOperator(tokenOp), Logger: slog.New(slog.DiscardHandler)})
	web := httptest.NewServer(door)
	t.Cleanup(web.Close)
	t.Cleanup(door.Close)
	s = &site{t: t, whole: d, door: door, url: web.URL}
	var made struct{ Token string }
	s.send("POST", "/v1/agents", tokenOp, `{"name":"claude"}`).into(t, &made)
	return s, made.Token
}

// ask asks and gives the call.
func (s *site) ask(token, id, tool string) permission.Call {
	s.t.Helper()
	got := s.send("POST", "/v1/calls", token,
		fmt.Sprintf(`{"runId":"r","toolCallId":%q,"serverId":"fs","toolName":%q,"input":{"n": 9007199254740993}}`, id, tool))
	if got.status != http.StatusCreated {
		s.t.Fatalf("ask: %d %s", got.status, got.body)
	}
	return s.call(got)
}

func (s *site) call(got *reply) permission.Call {
	s.t.Helper()
	var body struct{ Call permission.Call }
	got.into(s.t, &body)
	return body.Call
}

func TestACallGoesThroughARealDesk(t *testing.T) {
	s, agent := newWhole(t)
	c := s.ask(agent, "1", "write_file")
	path := "/v1/calls/" + string(c.ID)
	claim := func(hash, key string) string {
		return fmt.Sprintf(`{"inputHash":%q,"claimant":"test","claimKey":%q}`, hash, key)
	}
	yes := fmt.Sprintf(`{"approved":true,"rev":1,"inputHash":%q}`, c.InputHash)
	no := fmt.Sprintf(`{"approved":false,"rev":1,"inputHash":%q}`, c.InputHash)
	for _, step := range []struct {
		row, token, body string
		status           int
		code             permission.Code
	}{
		{"POST /claim", agent, claim(c.InputHash, "k"), 409, permission.CodeNotApproved},
		{"POST /result", agent, `{"claimId":"x","ok":true}`, 409, permission.CodeResultConflict},
		{"POST /decision", agent, yes, 403, permission.CodeSelfApproval},
		{"POST /decision", tokenOp, `{"approved":true,"rev":1,"inputHash":"sha256:00"}`, 409, permission.CodeHashMismatch},
		{"POST /decision", tokenOp, strings.Replace(yes, `"rev":1`, `"rev":9`, 1), 409, permission.CodeStale},
		{"POST /decision", tokenOp, yes, 200, ""},
		{"POST /decision", tokenOp, yes, 200, ""},
		{"POST /decision", tokenOp, no, 409, permission.CodeAlreadyDecided},
		{"POST /claim", agent, claim("sha256:00", "k"), 409, permission.CodeHashMismatch},
		{"POST /claim", agent, claim(c.InputHash, "k"), 200, ""},
		{"POST /claim", agent, claim(c.InputHash, "k"), 200, ""},
		{"POST /claim", agent, claim(c.InputHash, "other"), 409, permission.CodeAlreadyClaimed},
		{"POST /result", agent, `{"claimId":"x","ok":true}`, 409, permission.CodeResultConflict},
	} {
		method, row, _ := strings.Cut(step.row, " ")
		got := s.send(method, path+row, step.token, step.body)
		if got.status != step.status {
			t.Errorf("%s: %d %s, want %d", step.row, got.status, got.body, step.status)
			continue
		}
		if step.code == "" {
			continue
		}
		if p := got.problem(t); p.Code != step.code || (p.Call == nil) == (step.status == 409) {
			t.Errorf("%s: %s, want %s and the call", step.row, got.body, step.code)
		}
	}
	claimed := s.call(s.send("GET", path, agent, ""))
	result := fmt.Sprintf(`{"claimId":%q,"ok":true,"output":{"text": "done"}}`, *claimed.ClaimID)
	for range 2 {
		if got := s.send("POST", path+"/result", agent, result); got.status != 200 || s.call(got).Status != permission.Completed {
			t.Errorf("result: %d %s", got.status, got.body)
		}
	}
	if got := s.send("GET", path+"/input", agent, ""); string(got.body) != `{"n": 9007199254740993}` {
		t.Errorf("input %s", got.body)
	}
	if got := s.send("POST", "/v1/calls", agent, `{"runId":"r","toolCallId":"1","toolName":"other"}`); got.status != 409 ||
		got.problem(t).Code != permission.CodeCallConflict {
		t.Errorf("the same identity with another input: %d %s", got.status, got.body)
	}
}

func TestLimitsOfARealDesk(t *testing.T) {
	s, agent := newWhole(t)
	if got := s.send("PATCH", "/v1/settings", tokenOp, `{"limits":{"pendingPerAgent":3}}`); got.status != 200 {
		t.Fatalf("settings: %d %s", got.status, got.body)
	}
	for i := range 3 {
		s.ask(agent, itoa(i), "write_file")
	}
	got := s.send("POST", "/v1/calls", agent, goodAsk)
	if got.status != 429 || got.header.Get("Retry-After") == "" || got.problem(t).Code != permission.CodeTooMany {
		t.Errorf("one too many: %d %s", got.status, got.body)
	}
	rule := s.send("POST", "/v1/rules", tokenOp, `{"id":"w","toolPattern":"write_*","effect":"allow"}`)
	if rule.status != 201 || !strings.Contains(string(rule.body), `"pendingMatches":3`) {
		t.Errorf("rule: %d %s", rule.status, rule.body)
	}
	if got := s.send("GET", "/v1/rules/w", tokenOp, ""); !strings.Contains(string(got.body), `"pendingMatches":3`) {
		t.Errorf("GET rule: %s", got.body)
	}
	if got := s.send("PATCH", "/v1/rules/w", tokenOp, `{"note":"x"}`, "If-Match", rule.header.Get("ETag")); got.status != 200 ||
		got.header.Get("ETag") == rule.header.Get("ETag") {
		t.Errorf("PATCH: %d %s", got.status, got.body)
	}
	if got := s.send("PATCH", "/v1/rules/w", tokenOp, `{"note":"y"}`, "If-Match", rule.header.Get("ETag")); got.status != 412 {
		t.Errorf("PATCH of what was seen before: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/rules", tokenOp, `{"id":"w"}`); got.status != 409 || got.problem(t).Code != permission.CodeExists {
		t.Errorf("the same id again: %d %s", got.status, got.body)
	}
}

// TestTheStreamOfARealDesk reads events while calls come in, hangs up, and goes
// on where it was: every journal entry is told once and in order.
func TestTheStreamOfARealDesk(t *testing.T) {
	s, _ := newWhole(t)
	if got := s.send("POST", "/v1/rules", tokenOp, `{"effect":"allow"}`); got.status != 201 {
		t.Fatal(string(got.body))
	}
	var made struct{ Token string }
	s.send("POST", "/v1/agents", tokenOp, `{"name":"other"}`).into(t, &made)
	busy := make(chan error, 1)
	go func() { busy <- askMany(s.url, made.Token, 60) }()
	last := int64(0)
	for round := range 6 {
		last = readSome(t, s, last, 20)
		if want := int64(20 * (round + 1)); last != want {
			t.Fatalf("after round %d: event %d, want %d", round, last, want)
		}
	}
	if err := <-busy; err != nil {
		t.Error(err)
	}
}

func askMany(url, token string, n int) error {
	for i := range n {
		body := fmt.Sprintf(`{"runId":"r","toolCallId":"%d","toolName":"read_file","input":{"n":%[1]d}}`, i)
		req, err := http.NewRequest("POST", url+"/v1/calls", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			return fmt.Errorf("ask %d: %s", i, resp.Status)
		}
	}
	return nil
}

// readSome reads n events after last and checks that none is missing.
func readSome(t *testing.T, s *site, last int64, n int) int64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokenOp)
	req.Header.Set("Last-Event-ID", fmt.Sprint(last))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for n > 0 && lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Seq int64 }
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Seq != last+1 {
			t.Fatalf("after %d came %s", last, data)
		}
		last, n = e.Seq, n-1
	}
	return last
}

// TestProtocolOfARealDesk has the rows of testdata/protocol.json that are about
// where a call stands.
func TestProtocolOfARealDesk(t *testing.T) {
	s, agent := newWhole(t)
	result := `{"claimId":"made-up","ok":true,"output":"done"}`
	c := s.ask(agent, "116", "write_file")
	path := "/v1/calls/" + string(c.ID)
	if got := s.send("POST", path+"/result", agent, result); got.status != 409 ||
		s.call(s.send("GET", path, agent, "")).Status != permission.Pending {
		t.Errorf("PRO-116: a result without execution: %d %s", got.status, got.body)
	}
	no := fmt.Sprintf(`{"approved":false,"reason":"no","rev":1,"inputHash":%q}`, c.InputHash)
	if got := s.send("POST", path+"/decision", tokenOp, no); got.status != 200 {
		t.Fatalf("decline: %d %s", got.status, got.body)
	}
	if got := s.send("POST", path+"/result", agent, result); got.status != 409 ||
		s.call(s.send("GET", path, agent, "")).Status != permission.Declined {
		t.Errorf("PRO-118: a result of a declined call: %d %s", got.status, got.body)
	}
}

// TestAPersonsRowsOverARealDesk goes through what a person does beside answering
// once.
func TestAPersonsRowsOverARealDesk(t *testing.T) {
	s, agent := newWhole(t)
	says := func(row, token, body string, status int, parts ...string) *reply {
		t.Helper()
		method, path, _ := strings.Cut(row, " ")
		got := s.send(method, path, token, body)
		if got.status != status {
			t.Errorf("%s %s: %d %s, want %d", row, body, got.status, got.body, status)
		}
		for _, part := range parts {
			if !strings.Contains(string(got.body), part) {
				t.Errorf("%s %s: no %s in %s", row, body, part, got.body)
			}
		}
		return got
	}
	first, sibling := s.ask(agent, "1", "write_file"), s.ask(agent, "2", "write_file")
	decide := func(c permission.Call, more string) string {
		return fmt.Sprintf(`{"inputHash":%q,"rev":%d,%s}`, c.InputHash, c.Rev, more)
	}
	call := "/v1/calls/" + string(first.ID)
	says("POST "+call+"/extend", tokenOp, `{"seconds":60}`, 200, `"status":"pending"`)
	says("POST "+call+"/decision", tokenOp, decide(first, `"approved":true,"scope":"class","forSeconds":60`), 200,
		`"settled":["`+string(sibling.ID)+`"]`)
	var grants struct{ Grants []permission.Grant }
	says("GET /v1/grants", tokenOp, "", 200, `"scope":"class"`).into(t, &grants)
	says("DELETE /v1/grants/"+string(grants.Grants[0].ID), tokenOp, "", 204)
	says("POST "+call+"/resolve", tokenOp, `{"action":"retry"}`, 409, `"call":{`)
	says("POST /v1/sessions/r/end", agent, "", 200, `"cancelled":`, `"grantsEnded":0`)
	says("POST /v1/runs/r/cancel", agent, "", 200, `{"cancelled":0`)

	declined := s.ask(agent, "3", "erase")
	says("POST /v1/calls/"+string(declined.ID)+"/decision", tokenOp, decide(declined, `"approved":false,"reason":"no"`), 200,
		`"status":"declined"`)
	says("DELETE /v1/calls/"+string(declined.ID)+"/denial", tokenOp, "", 200, `"status":"declined"`)
	says("DELETE /v1/calls/"+string(declined.ID)+"/input", tokenOp, "", 200, `"inputWiped":true`, declined.InputHash)
	says("GET /v1/calls/"+string(declined.ID)+"/input", agent, "", 404)

	says("POST /v1/rules/lint", tokenOp, `{"rules":[{"toolName":"a","effect":"allow"},{"toolName":"a","effect":"allow"}]}`, 200,
		`"ruleId":"rules[1]"`, `"by":"rules[0]"`)
	says("POST /v1/rules/preview", tokenOp, `{"rules":[{"effect":"deny"}]}`, 200, `"total":`)
	says("GET /v1/suggestions", tokenOp, "", 200, `"suggestions":[`)
	waiting := s.ask(agent, "4", "read_file")
	says("POST /v1/rules", tokenOp, `{"id":"lint","toolPattern":"read_*","effect":"allow"}`, 201, `"pendingMatches":1`)
	says("GET /v1/rules/lint", tokenOp, "", 200, `"id":"lint"`)
	says("POST /v1/calls/release", tokenOp, `{"ruleId":"lint"}`, 200, `{"released":1}`)
	says("GET /v1/calls/"+string(waiting.ID), agent, "", 200, `"status":"approved"`)
	says("POST /v1/data/sekisho/decision", agent, `{"input":{"tool":{"name":"read_x"}}}`, 200, `{"result":{"decision":"allow","reason":"`)
	doc := string(says("GET /v1/policy", tokenOp, "", 200, `"format":"sekisho.rules"`).body)
	more := strings.Replace(doc, `"rules":[`, `"rules":[{"id":"new","toolName":"x","effect":"allow"},`, 1)
	says("POST /v1/policy/diff", tokenOp, `{"document":`+more+`}`, 200, `"allows":["new"]`, `"same":1`)
	says("POST /v1/policy/import", tokenOp, `{"document":`+more+`}`, 422, `"field":"accept"`)
	says("POST /v1/policy/import", tokenOp, `{"document":`+more+`,"ifVersion":1,"accept":["new"]}`, 412)
	says("POST /v1/policy/import", tokenOp, `{"document":`+more+`,"accept":["new"]}`, 200, `"id":"new"`)
	says("POST /v1/hold", tokenOp, `{"on":true}`, 200)
	says("POST /v1/data/sekisho/decision", agent, `{"input":{"tool":{"name":"read_x"}}}`, 200, `"requires-approval"`)
	says("PATCH /v1/settings", tokenOp, `{"deadlines":{"low":null}}`, 200, `"low":null`, `"hold":true`)
	says("GET /v1/settings", tokenOp, "", 200, `"low":null`)
}
