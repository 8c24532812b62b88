package desk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// stateless is a request of a caller without a session, claimed if it is approved.
func (h *house) stateless(tool string, continues permission.CallID) permission.Request {
	r := h.request(tool)
	r.RunID = permission.RunID("run " + r.ToolCallID)
	r.Stateless, r.Held, r.Continues = true, true, continues
	r.Claim = &permission.ClaimRequest{Claimant: "test", Key: r.ToolCallID}
	return r
}

// ran takes a claimed call to its end.
func (h *house) ran(c permission.Call) permission.Call {
	h.Helper()
	c, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true})
	if err != nil {
		h.Fatal(err)
	}
	return c
}

// approvedAndRan is a call that a person approved, and its outcome.
func (h *house) approvedAndRan(tool string) permission.Call {
	h.Helper()
	c := h.askAll(h.stateless(tool, ""))
	if _, err := h.decide(c, true); err != nil {
		h.Fatal(err)
	}
	c, err := h.claim(c)
	if err != nil {
		h.Fatal(err)
	}
	return h.ran(c)
}

func TestARoundIsContinuedByAYes(t *testing.T) {
	h := open(t)
	defer h.close()
	first := h.approvedAndRan("write_file")
	before := first
	for n := int64(1); n <= 100; n++ {
		c := h.askAll(h.stateless("write_file", before.ID))
		d := c.Decision
		if c.Status != permission.Claimed || d.By != permission.ByPerson || d.Scope != permission.ScopeOnce || d.Reason != "because" ||
			*d.Remembered != first.ID || d.Count != n {
			t.Fatalf("round %d: %s, %+v", n, c.Status, d)
		}
		before = h.ran(c)
	}
	h.want(h.askAll(h.stateless("write_file", before.ID)), permission.Pending, false)
	if answers, err := h.store.Answers(ctx, 1000); err != nil || persons(answers) != 1 {
		t.Errorf("one yes counts as %+v, %v", answers, err)
	}
}

// persons counts the answers of persons.
func persons(answers []permission.PastCall) (n int) {
	for _, a := range answers {
		if a.Answer == permission.AnswerApproved || a.Answer == permission.AnswerDeclined {
			n++
		}
	}
	return n
}

func TestWhatIsNoRoundOfACallAsks(t *testing.T) {
	for _, tt := range []struct {
		what   string
		before func(h *house) permission.Call
		change func(h *house, r *permission.Request)
		want   permission.Status
	}{
		{"as it should be", nil, nil, permission.Claimed},
		{"a call that nobody knows", func(*house) permission.Call { return permission.Call{ID: "nowhere"} }, nil, permission.Pending},
		{"a call that waits", func(h *house) permission.Call { return h.askAll(h.stateless("write_file", "")) }, nil, permission.Pending},
		{"a call that failed", func(h *house) permission.Call {
			c := h.askAll(h.stateless("write_file", ""))
			_, _ = h.decide(c, true)
			c, _ = h.claim(c)
			c, _ = h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID})
			return c
		}, nil, permission.Pending},
		{"a call that was declined", func(h *house) permission.Call {
			c, _ := h.decide(h.askAll(h.stateless("write_file", "")), false)
			return c
		}, nil, permission.Pending},
		{"a call that a rule allowed", func(h *house) permission.Call {
			rule := h.rule(permission.Allow, "write_*")
			c := h.ran(h.askAll(h.stateless("write_file", "")))
			if _, _, err := h.DeleteRule(ctx, rule.ID, 0); err != nil {
				h.Fatal(err)
			}
			return c
		}, nil, permission.Pending},
		{"another agent's call", nil, func(h *house, _ *permission.Request) { h.agent.ID = "b" }, permission.Pending},
		{"another input", nil, func(_ *house, r *permission.Request) {
			r.Input = json.RawMessage(`{"n": 9007199254740992}`)
		}, permission.Pending},
		{"another tool", nil, func(_ *house, r *permission.Request) { r.ToolName = "write_files" }, permission.Pending},
		{"a higher risk", func(h *house) permission.Call {
			h.install("npx")
			return h.approvedAndRan("write_file")
		}, func(h *house, _ *permission.Request) {
			h.saw(`{"name":"write_file","annotations":{"destructiveHint":true}}`)
		}, permission.Pending},
		{"a deny rule", nil, func(h *house, _ *permission.Request) { h.rule(permission.Deny, "write_*") }, permission.Denied},
		{"an ask rule", nil, func(h *house, _ *permission.Request) { h.rule(permission.Ask, "write_*") }, permission.Claimed},
		{"hold", nil, func(h *house, _ *permission.Request) { _ = h.Hold(ctx, true) }, permission.Pending},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h := open(t)
			defer h.close()
			if tt.before == nil {
				tt.before = func(h *house) permission.Call { return h.approvedAndRan("write_file") }
			}
			r := h.stateless("write_file", tt.before(h).ID)
			if tt.change != nil {
				tt.change(h, &r)
			}
			c := h.want(h.askAll(r), tt.want, false)
			if tt.want == permission.Claimed {
				return
			}
			if c.Decision != nil && (c.Decision.Approved || c.Decision.Remembered != nil) {
				t.Errorf("decided %+v", c.Decision)
			}
		})
	}
}

// TestARuleThatAllowsARound allows it as any other call, and the journal still tells which
// one it continues.
func TestARuleThatAllowsARound(t *testing.T) {
	h := open(t)
	defer h.close()
	first := h.approvedAndRan("write_file")
	h.rule(permission.Allow, "write_*")
	c := h.askAll(h.stateless("write_file", first.ID))
	if c.Status != permission.Claimed || c.Decision.By != permission.ByRule || c.Decision.Remembered != nil {
		t.Errorf("%s, %+v", c.Status, c.Decision)
	}
	entries, _, err := h.Entries(ctx, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if *callOf(e) == c.ID && e.Kind == permission.CallCreated && !strings.Contains(string(e.Data), `"continues":"`+string(first.ID)+`"`) {
			t.Errorf("the journal says %s", e.Data)
		}
	}
}

func callOf(e permission.Entry) *permission.CallID {
	if e.CallID == nil {
		return new(permission.CallID)
	}
	return e.CallID
}
