package sessionbook_test

import (
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
)

// TestAConnectionIsBoundToASession until that ends, but none that is shared, or that came
// with another session.
func TestAConnectionIsBoundToASession(t *testing.T) {
	agent, within := permission.Agent{ID: "a"}, permission.Agent{ID: "a", Session: "own"}
	whole := sessionbook.NewBearer(agent, true)
	shared, bearer := sessionbook.NewBearer(agent, false), sessionbook.NewBearer(within, true)
	for _, b := range []*sessionbook.Bearer{whole, shared, bearer} {
		b.Bind("s")
	}
	for name, c := range map[string]struct {
		b    *sessionbook.Bearer
		want permission.SessionID
	}{"its own": {whole, "s"}, "shared": {shared, ""}, "with a token": {bearer, "own"}} {
		if got := c.b.Who(); got.ID != "a" || got.Session != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if whole.Unbind("another"); whole.Who().Session != "s" {
		t.Error("the end of another session unbinds it")
	}
	if whole.Unbind("s"); whole.Who().Session != "" {
		t.Error("it is bound to a session that ended")
	}
}
