package projects

import (
	"testing"

	"sekisho/backend/permission"
)

// TestByExecutor: the id that an agent gave its call is no executor's key, whatever it begins with.
func TestByExecutor(t *testing.T) {
	x := permission.Executor{ID: "x"}
	for key, want := range map[string]bool{claimsOf(&x) + "k": true, "k": false, "": false, permission.ExecutorClaims + "own": false} {
		if c := (permission.Call{ToolCallID: permission.ExecutorClaims + "own", ClaimKey: key}); ByExecutor(&c) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
}
