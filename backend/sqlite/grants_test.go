package sqlite

import (
	"context"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// grantOf keeps a yes to all of a session, and lets another hand change it. It gives the store
// without looking at what changed.
func grantOf(t *testing.T, change string) *Store {
	s, err := Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	asked := permission.Call{ID: "c", Caller: permission.Caller{AgentID: "a", SessionID: "s"}, Risk: permission.RiskMedium,
		Asking: permission.Asking{Class: &permission.Class{Method: permission.CallTool, ToolName: "write"}, Questions: []string{"r"}}}
	err = s.write(context.Background(), func(t *tx) error {
		for _, scope := range []permission.Scope{permission.ScopeSession, permission.ScopeClass} {
			g := permission.Grant{ID: permission.GrantID(scope), Scope: scope, Approved: true, CreatedAt: 1}
			if err := addGrant(t, &g, &asked); err != nil {
				return err
			}
		}
		_, err := t.Exec("UPDATE grants SET " + change + " WHERE id = 'class'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAGrantOfAnOlderForm: of one whose words are of an older desk nobody knows what it
// reaches. No yes of its session stands beside it, and a start ends it and says so.
func TestAGrantOfAnOlderForm(t *testing.T) {
	s := grantOf(t, `class = '{"serverId":null,"toolName":"write","command":"git"}'`)
	if list, err := s.Grants(t.Context(), 2); err != nil || len(list) != 1 {
		t.Errorf("listed: %+v, %v", list, err)
	}
	later := permission.Call{ID: "later", Rev: 1, ShownRev: 1, RunID: "r", ToolCallID: "t",
		Caller: permission.Caller{AgentID: "a", SessionID: "s"},
		Method: permission.CallTool, ToolName: "write", Input: []byte(`{}`), Risk: permission.RiskLow, Status: permission.Pending, CreatedAt: 2,
		Asking: permission.Asking{Questions: []string{"r"}}}
	c, _, err := s.Suspend(t.Context(), permission.Suspension{Call: later, PolicyVersion: 1, ClaimBy: 9})
	if err != nil || c.Status != permission.Pending {
		t.Errorf("a call beside it is %s, %v", c.Status, err)
	}
	if _, err := s.Recover(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	entries, _, err := s.Journal(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for _, e := range entries {
		if e.Kind == permission.GrantsChanged && strings.Contains(string(e.Data), `"what":"ended"`) {
			ended++
		}
	}
	if list, err := s.Grants(t.Context(), 4); err != nil || len(list) != 0 || ended != 2 {
		t.Errorf("left: %+v, %v; the journal says of %d that they ended", list, err, ended)
	}
}

// TestAnIntactGrantStands: what the test above finds is the fault of the words.
func TestAnIntactGrantStands(t *testing.T) {
	s := grantOf(t, "hits = 0")
	if list, err := s.Grants(t.Context(), 2); err != nil || len(list) != 2 {
		t.Errorf("listed: %+v, %v", list, err)
	}
}

// TestTheModeEndsWithTheDesk: what the mode that asks nothing approved, and nobody claimed, is
// not to be had from the next process; a person's yes to one call is.
func TestTheModeEndsWithTheDesk(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	decisions := map[permission.CallID]permission.Decision{
		"plan":  {By: permission.ByPerson, Scope: permission.ScopeMode},
		"later": {By: permission.ByGrant, Scope: permission.ScopeMode},
		"once":  {By: permission.ByPerson, Scope: permission.ScopeOnce},
	}
	for id, d := range decisions {
		d.Approved = true
		c := permission.Call{ID: id, Rev: 1, ShownRev: 1, RunID: "r", ToolCallID: string(id),
			Caller: permission.Caller{AgentID: "a", SessionID: "s"}, Method: permission.CallTool, ToolName: "write", Input: []byte(`{}`),
			Risk: permission.RiskLow, Status: permission.Approved, Decision: &d, CreatedAt: 2, ExpiresAt: 90}
		if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Recover(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	for id, d := range decisions {
		want := permission.Revoked
		if d.Scope == permission.ScopeOnce {
			want = permission.Approved
		}
		c, err := s.Call(t.Context(), id)
		if err != nil || c.Status != want || want == permission.Revoked && c.Decision.Code != permission.ReasonGrantEnded {
			t.Errorf("%s: %s, %+v, %v", id, c.Status, c.Decision, err)
		}
	}
}

// TestWhatAnExecutorRunsOutlivesTheDesk: of the calls that were claimed when the desk's process ended, that
// which the process ran is in doubt, and those which others run are theirs until the lease is over.
func TestWhatAnExecutorRunsOutlivesTheDesk(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keys := map[permission.CallID]string{"desk": "k", "none": "", "within": "k" + permission.ExecutorClaims,
		"executor": permission.ExecutorClaims + "k", permission.ExecutorClaims + "own": permission.ExecutorClaims + "own", "agent": "k"}
	for id, key := range keys {
		claim := permission.ClaimID("claim-" + id)
		c := permission.Call{ID: id, Rev: 1, ShownRev: 1, RunID: "r", ToolCallID: string(id), Held: id != "agent", ClaimID: &claim,
			ClaimKey: key, LeaseExpiresAt: 90, Caller: permission.Caller{AgentID: "a", SessionID: "s"}, Method: permission.CallTool,
			ToolName: "write", Input: []byte(`{}`), Risk: permission.RiskLow, Status: permission.Claimed, CreatedAt: 2}
		if _, _, err := s.Suspend(t.Context(), permission.Suspension{Call: c, PolicyVersion: 1}); err != nil {
			t.Fatal(err)
		}
	}
	open, err := s.Recover(t.Context(), 3)
	if err != nil || len(open) != 2 {
		t.Errorf("with a lease: %d, %v", len(open), err)
	}
	for id := range keys {
		want := permission.InDoubt
		if id == "executor" || id == "agent" {
			want = permission.Claimed
		}
		if c, err := s.Call(t.Context(), id); err != nil || c.Status != want {
			t.Errorf("%s: %s, %v", id, c.Status, err)
		}
	}
}
