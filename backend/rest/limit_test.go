package rest

import (
	"testing"

	"sekisho/backend/permission"
)

// TestNullInALimit: a null in a limit or the brake is refused, and is not what was there before.
func TestNullInALimit(t *testing.T) {
	s := newSite(t, nil)
	s.desk.rule = permission.Rule{ID: "r", Effect: permission.Allow, AutoApprove: true, Enabled: true,
		Limit: &permission.Limit{Calls: 5, Seconds: 60}}
	s.desk.settings.Brake = &permission.Limit{Calls: 5, Seconds: 60}
	for _, limit := range []string{`{"calls":null,"seconds":1}`, `{"calls":1,"seconds":null}`, `{"calls":null,"seconds":null}`} {
		if got := s.send("PATCH", "/v1/rules/r", tokenOp, `{"limit":`+limit+`}`); got.status != 422 {
			t.Errorf("limit %s: %d %s", limit, got.status, got.body)
		}
		if got := s.send("PATCH", "/v1/settings", tokenOp, `{"brake":`+limit+`}`); got.status != 422 {
			t.Errorf("brake %s: %d %s", limit, got.status, got.body)
		}
	}
	for _, limit := range []string{`{"calls":2,"seconds":1}`, "null"} {
		if got := s.send("PATCH", "/v1/rules/r", tokenOp, `{"limit":`+limit+`}`); got.status != 200 {
			t.Errorf("limit %s: %d %s", limit, got.status, got.body)
		}
		s.desk.rule.Limit = &permission.Limit{Calls: 5, Seconds: 60}
	}
}
