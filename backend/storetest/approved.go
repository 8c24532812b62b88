package storetest

import (
	"context"
	"testing"

	"sekisho/backend/permission"
)

func approved(t *testing.T, s Store) {
	ctx := context.Background()
	answer := func(at permission.Time, yes bool, change func(*permission.Call), id string) permission.Call {
		c := NewCall(id)
		if change != nil {
			change(&c)
		}
		keep(t, s, c)
		r := reply(id, yes, nil)
		r.Transition.At, r.Transition.Decision.DecidedAt = at, at
		c, _, err := s.Reply(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	wants := func(c permission.Call, id permission.CallID) {
		t.Helper()
		last, ok, err := s.LastApproved(ctx, c)
		if err != nil || ok != (id != "") || last.ID != id {
			t.Errorf("before %s: %q %v %v, want %q", c.ID, last.ID, ok, err, id)
		}
	}
	shell := "shell"
	asked := keep(t, s, NewCall("asked"))
	wants(asked, "")
	for id, change := range map[string]func(*permission.Call){
		"other agent":  func(c *permission.Call) { c.AgentID = "b" },
		"other tool":   func(c *permission.Call) { c.ToolName = "WRITE_FILE" },
		"other server": func(c *permission.Call) { c.ServerID = &shell },
		"no server":    func(c *permission.Call) { c.ServerID = nil },
	} {
		answer(1_100_000, true, change, id)
		wants(asked, "")
	}
	answer(1_100_000, false, nil, "declined")
	ruled := NewCall("ruled")
	ruled.Status, ruled.Decision = permission.Approved, &permission.Decision{By: permission.ByRule, Approved: true, DecidedAt: 1_100_000}
	keep(t, s, ruled)
	wants(asked, "")

	second, first := answer(1_300_000, true, nil, "second"), answer(1_200_000, true, nil, "first")
	wants(asked, "second") // by when it was approved, not by when it came
	wants(second, "first")
	wants(first, "")
	expire := step("second", permission.Expired, permission.Approved)
	expire.Decision = &permission.Decision{By: permission.ByClock, DecidedAt: 1_400_000}
	if _, err := s.Transit(ctx, expire); err != nil {
		t.Fatal(err)
	}
	wants(asked, "first")
	if _, err := s.Transit(ctx, step("first", permission.Claimed, permission.Approved)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Transit(ctx, step("first", permission.Completed, permission.Claimed)); err != nil {
		t.Fatal(err)
	}
	wants(asked, "first")
	if last, _, err := s.LastApproved(ctx, asked); err != nil || string(last.Input) != `{"path" : "a"}` ||
		last.Decision.By != permission.ByPerson {
		t.Errorf("%+v %v", last, err)
	}
	if _, err := s.WipeInputs(ctx, 0, []permission.CallID{"first"}); err != nil {
		t.Fatal(err)
	}
	if last, ok, err := s.LastApproved(ctx, asked); err != nil || !ok || !last.InputWiped {
		t.Errorf("without its input: %+v %v %v", last, ok, err)
	}

	serverless := NewCall("serverless")
	serverless.ServerID = nil
	wants(keep(t, s, serverless), "no server")
}
