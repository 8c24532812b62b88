package rest

import (
	"strings"
	"testing"
)

// TestWordings: conditions are said in clauses, and made of them.
func TestWordings(t *testing.T) {
	s := newSite(t, nil)
	for body, want := range map[string]string{
		`{"asked":[]}`: `{"wordings":[]}`,
		`{"asked":[{"condition":"input.a > 1"}]}`:   `{"wordings":[{"condition":"input.a > 1","clauses":[],"advanced":true}]}`,
		`{"asked":[{"condition":"risk==\"low\""}]}`: `{"wordings":[{"condition":"risk==\"low\"","clauses":[{"code":"risk","key":"","texts":["low"]}],"advanced":false}]}`,
		`{"asked":[{"clauses":[{"code":"equals","key":"path","texts":["a\"b"]}]}]}`: `{"wordings":[{"condition":"input.path == \"a\\\"b\"",` +
			`"clauses":[{"code":"equals","key":"path","texts":["a\"b"]}],"advanced":false}]}`,
	} {
		if got := s.send("POST", "/v1/rules/wordings", tokenOp, body); got.status != 200 || strings.TrimSpace(string(got.body)) != want {
			t.Errorf("%s: %d\n%s\nwant\n%s", body, got.status, got.body, want)
		}
	}
	s.refused("POST", "/v1/rules/wordings", `{"asked":[{}]}`, "asked[0]")
	s.refused("POST", "/v1/rules/wordings", `{"asked":[{"condition":"true","clauses":[]}]}`, "asked[0]")
	s.refused("POST", "/v1/rules/wordings", `{"asked":[{"clauses":[]}]}`, "asked[0].clauses")
	s.refused("POST", "/v1/rules/wordings", `{"asked":[{"clauses":[{"code":"risk","key":"","texts":[]}]}]}`, "asked[0].clauses")
	s.refused("POST", "/v1/rules/wordings", `{"asked":[{"clauses":[{"code":"has","key":"a b","texts":[]}]}]}`, "asked[0].condition")
}
