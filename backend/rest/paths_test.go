package rest

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func TestPathsAndMethods(t *testing.T) {
	s := newSite(t, nil)
	for _, c := range []struct {
		method, path, token string
		status              int
		allow               string
	}{
		{"GET", "/nowhere", "", 404, ""}, {"GET", "/v1", "", 404, ""}, {"GET", "/v1/calls/", tokenA, 404, ""},
		{"GET", "/v1//calls", tokenA, 404, ""}, {"GET", "/v1/x/../calls", tokenA, 404, ""},
		{"GET", "/mcp/fs", tokenA, 404, ""}, {"GET", "/", "", 404, ""},
		{"DELETE", "/v1/calls", tokenA, 405, "GET, POST"}, {"HEAD", "/v1/calls", tokenA, 405, "GET, POST"},
		{"GET", "/v1/evaluate", tokenOp, 405, "POST"}, {"PUT", "/v1/rules/x", tokenOp, 405, "DELETE, GET, PATCH"},
		{"POST", "/healthz", "", 405, "GET"}, {"GET", "/v1/login", "", 405, "POST"}, {"POST", "/openapi.json", "", 405, "GET, HEAD"},
		{"BREW", "/v1/calls", tokenA, 405, "GET, POST"},
	} {
		got := s.send(c.method, c.path, c.token, "")
		if got.status != c.status || got.header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d Allow %q, want %d %q", c.method, c.path, got.status, got.header.Get("Allow"), c.status, c.allow)
		}
		if c.method != "HEAD" {
			got.problem(t)
		}
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

// A rule may be called as one of the verbs that stand beside it.
func TestAVerbHidesNoRule(t *testing.T) {
	for _, id := range []string{"lint", "preview"} {
		s := newSite(t, nil)
		path := "/v1/rules/" + id
		if got := s.send("GET", path, tokenOp, ""); got.status != 404 || got.problem(t).Code != permission.CodeNotFound {
			t.Errorf("GET %s without such a rule: %d %s", path, got.status, got.body)
		}
		s.desk.rule.ID = permission.RuleID(id)
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			body := map[string]string{"PATCH": `{"note":"x"}`}[method]
			if got := s.send(method, path, tokenOp, body); got.status != 200 || !strings.Contains(string(got.body), `"id":"`+id+`"`) {
				t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
			}
			if got := s.send(method, path, tokenA, body); got.status != 403 {
				t.Errorf("%s %s by an agent: %d", method, path, got.status)
			}
		}
		if got := s.send("PATCH", path, tokenOp, `{"note":"x"}`, "If-Match", oldETag); got.status != 412 {
			t.Errorf("PATCH with an old If-Match: %d", got.status)
		}
		if got := s.send("POST", path, tokenOp, `{"rules":[]}`); got.status != 200 || s.desk.counts["Lint"]+s.desk.counts["Preview"] != 1 {
			t.Errorf("POST %s: %d %s", path, got.status, got.body)
		}
		if got := s.send("PUT", path, tokenOp, `{}`); got.status != 405 || got.header.Get("Allow") != "DELETE, GET, PATCH, POST" {
			t.Errorf("PUT %s: %d Allow %q", path, got.status, got.header.Get("Allow"))
		}
	}
	s := newSite(t, nil)
	if got := s.send("GET", "/v1/calls/release", tokenA, ""); got.status != 404 {
		t.Errorf("GET /v1/calls/release: %d", got.status)
	}
	if got := s.send("PUT", "/v1/calls/release", tokenA, ""); got.status != 405 || got.header.Get("Allow") != "GET, POST" {
		t.Errorf("PUT /v1/calls/release: %d Allow %q", got.status, got.header.Get("Allow"))
	}
	if got := s.send("POST", "/v1/rules/other", tokenOp, `{"rules":[]}`); got.status != 405 ||
		got.header.Get("Allow") != "DELETE, GET, PATCH" {
		t.Errorf("POST /v1/rules/other: %d Allow %q", got.status, got.header.Get("Allow"))
	}
}

// A dot or two are ids like others where the path says them in escapes.
func TestAnIDMayBeDots(t *testing.T) {
	for _, id := range []string{".", ".."} {
		s := newSite(t, nil)
		s.desk.rule.ID = permission.RuleID(id)
		escaped := "/v1/rules/" + strings.ReplaceAll(id, ".", "%2E")
		for _, path := range []string{escaped, strings.ToLower(escaped)} {
			for method, body := range map[string]string{"GET": "", "PATCH": `{"note":"x"}`, "DELETE": ""} {
				if got := s.send(method, path, tokenOp, body); got.status != 200 || !strings.Contains(string(got.body), `"id":"`+id+`"`) {
					t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
				}
			}
		}
		if got := s.send("POST", "/v1/runs/"+strings.ReplaceAll(id, ".", "%2E")+"/cancel", tokenA, `{}`); got.status != 200 ||
			!strings.Contains(s.desk.ended, id) {
			t.Errorf("run %s: %d %s, ended %q", id, got.status, got.body, s.desk.ended)
		}
		if got := s.send("GET", "/v1/rules/"+id, tokenOp, ""); got.status != 404 || got.problem(t).Detail != "no such page" {
			t.Errorf("GET of a literal %s: %d %s", id, got.status, got.body)
		}
	}
}

func TestABodyWithoutATokenIsShort(t *testing.T) {
	s := newSite(t, nil)
	if got := s.send("POST", "/v1/login", "", `{"code":"`+strings.Repeat("x", maxOpenBody)+`"}`); got.status != 413 ||
		got.problem(t).Code != codeTooLarge {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.send("POST", "/v1/login", "", `{"code":"`+strings.Repeat("x", 200)+`"}`); got.status != 401 {
		t.Errorf("a short one: %d %s", got.status, got.body)
	}
}
