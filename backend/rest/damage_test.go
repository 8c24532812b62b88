package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// What cannot be encoded ends neither the answer nor the connection.
func TestAnAnswerThatCannotBeEncodedIsOne(t *testing.T) {
	for _, c := range []struct{ method, path, token, body string }{
		{"GET", "/v1/calls", tokenA, ""}, {"GET", "/v1/calls", tokenOp, ""}, {"GET", "/v1/calls/call-a", tokenA, ""},
		{"GET", "/v1/calls/call-a?wait=1&rev=1", tokenA, ""},
		{"POST", "/v1/calls/call-a/decision", tokenOp, goodDecision}, {"POST", "/v1/calls/call-a/cancel", tokenA, `{}`},
		{"POST", "/v1/calls/call-a/claim", tokenA, goodClaim},
	} {
		s := newSite(t, nil)
		call := s.desk.calls["call-a"]
		call.Input = json.RawMessage(`{"command":"rm`)
		s.desk.calls["call-a"] = call
		answers := map[string]func() *reply{"over a connection": func() *reply { return s.send(c.method, c.path, c.token, c.body) }}
		if c.token == tokenOp {
			answers["in the window"] = func() *reply { return s.inside(c.method, c.path, c.body) }
		}
		for face, answer := range answers {
			got := answer()
			p := got.problem(t)
			if got.status != 500 || p.Code != codeInternal || p.Detail != internalMessage || strings.Contains(string(got.body), "rm") {
				t.Errorf("%s %s %s: %d %s", c.method, c.path, face, got.status, got.body)
			}
		}
	}
}

// A conflict carries the call as it stands, damaged or not.
func TestAConflictThatCannotBeEncodedIsAnAnswer(t *testing.T) {
	s := newSite(t, nil)
	s.desk.fail = &permission.Error{Code: permission.CodeAlreadyDecided, Message: "too late",
		Call: &permission.Call{ID: "call-a", Input: json.RawMessage(`{`)}}
	if got := s.send("POST", "/v1/calls/call-a/decision", tokenOp, goodDecision); got.status != 500 || got.problem(t).Code != codeInternal {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestAnAnswerThatCannotBeEncodedHasNoETag(t *testing.T) {
	s := newSite(t, nil)
	s.desk.rule.Examples = []permission.Example{{ToolName: "x", Input: json.RawMessage(`{`), Decision: permission.Ask}}
	if got := s.send("GET", "/v1/rules/r1", tokenOp, ""); got.status != 500 || got.problem(t).Code != codeInternal ||
		got.header.Get("ETag") != "" {
		t.Errorf("%d ETag %q %s", got.status, got.header.Get("ETag"), got.body)
	}
}
