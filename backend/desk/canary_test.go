package desk_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// TestACanaryIsDeniedBeforeAllElse: whatever the rules allow, and whatever a person granted
// the session, a call with a live nonce is refused by the guard and asks nobody.
func TestACanaryIsDeniedBeforeAllElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		h.rule(permission.Allow, "read_*")
		canary, err := h.NewCanary(ctx, h.agent)
		if err != nil {
			t.Fatal(err)
		}
		withNonce := func(tool, escaped string) permission.Request {
			r := h.request(tool)
			r.Input = json.RawMessage(`{"args":{"command":"touch ` + escaped + canary.Nonce[1:] + `"}}`)
			return r
		}
		granted := h.ask("write_file")
		if _, _, _, err := h.Decide(ctx, granted.ID, permission.Answer{Approved: true, InputHash: granted.InputHash, Rev: granted.Rev,
			Scope: permission.ScopeSession}); err != nil {
			t.Fatal(err)
		}
		refused := func(r permission.Request) {
			t.Helper()
			c := h.askAll(r)
			if c.Status != permission.Denied || c.Decision.By != permission.ByGuard || c.Decision.Code != permission.ReasonCanary ||
				c.Why.Code != permission.ReasonCanary || c.Why.Rule != nil {
				t.Errorf("%s: %s, why %+v, decision %+v", r.ToolName, c.Status, c.Why, c.Decision)
			}
			for _, brief := range []bool{false, true} {
				v, err := h.Evaluate(ctx, permission.Query{ServerID: r.ServerID, ToolName: r.ToolName, Input: r.Input, Brief: brief})
				if err != nil || v.Decision != permission.Deny || v.Code != permission.ReasonCanary || v.Rule != nil {
					t.Errorf("%s: evaluate, brief %v: %+v %v", r.ToolName, brief, v, err)
				}
			}
		}
		for _, tool := range []string{"read_file", "write_file", "anything"} {
			refused(withNonce(tool, "s"))
			refused(withNonce(tool, `\u0073`))
		}
		if err := h.Hold(ctx, true); err != nil {
			t.Fatal(err)
		}
		refused(withNonce("read_file", "s"))
		if err := h.Hold(ctx, false); err != nil {
			t.Fatal(err)
		}
		later := withNonce("read_file", "S")
		if c := h.askAll(later); c.Status != permission.Approved {
			t.Errorf("another nonce: %s", c.Status)
		}
		later = withNonce("read_file", "s")
		time.Sleep(10 * time.Minute)
		if c := h.askAll(later); c.Status != permission.Approved {
			t.Errorf("after its time: %s", c.Status)
		}
	})
}

// TestCanariesOfOneAgentAreBounded: the oldest gives way, and those of others stay.
func TestCanariesOfOneAgentAreBounded(t *testing.T) {
	h := open(t)
	defer h.close()
	denied := func(c permission.Canary) bool {
		r := h.request("x")
		r.Input = json.RawMessage(`["` + c.Nonce + `"]`)
		return h.askAll(r).Status == permission.Denied
	}
	others, err := h.NewCanary(ctx, permission.Agent{ID: "b"})
	if err != nil {
		t.Fatal(err)
	}
	var made []permission.Canary
	for range 101 {
		c, err := h.NewCanary(ctx, h.agent)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, c)
	}
	for i, want := range []bool{false, true, true} {
		if got := denied([]permission.Canary{made[0], made[1], made[100]}[i]); got != want {
			t.Errorf("%d: denied %v", i, got)
		}
	}
	if !denied(others) {
		t.Error("the canary of another agent is gone")
	}
}
