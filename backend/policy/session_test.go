package policy_test

import (
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// TestConditionsSeeTheSession that the desk made: its role, purpose and project, which are empty
// without one.
func TestConditionsSeeTheSession(t *testing.T) {
	worker := permission.Standing{Role: permission.RoleWorker, Purpose: permission.PurposeTask, ProjectID: "p"}
	for _, c := range []struct {
		condition string
		standing  permission.Standing
		applies   bool
	}{
		{`session.role == "worker" && session.purpose == "task" && session.projectId == "p"`, worker, true},
		{`session["role"] in ["manager", "worker"]`, worker, true},
		{`session.role == "worker"`, permission.Standing{}, false},
		{`session.role == "" && session.purpose == "" && session.projectId == ""`, permission.Standing{}, true},
		{`session.role == "coordinator" && session.purpose == ""`, permission.Standing{Role: permission.RoleCoordinator}, true},
		{`session.unknown == ""`, worker, false},
		{`size(session) == 3`, worker, true},
	} {
		rule := permission.Rule{ID: "r", Effect: permission.Allow, AutoApprove: true, Enabled: true, Condition: &c.condition}
		if err := policy.CheckRule(&rule); err != nil {
			t.Errorf("%s: %v", c.condition, err)
			continue
		}
		set := policy.Compile([]permission.Rule{rule}, 1)
		call := policy.Call{ToolName: "x", Caller: permission.Caller{SessionID: "s", Standing: c.standing}}
		if got := set.Decide(call, 1).Effect == permission.Allow; got != c.applies {
			t.Errorf("%s for %+v: %v", c.condition, c.standing, got)
		}
	}
}
