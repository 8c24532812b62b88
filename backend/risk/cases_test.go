package risk_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/risk"
)

// refused are cases that only read, and that a workspace refuses before for something else
// than what they do: links that leave it, the limits of its tool, and its own list of
// programs and forms.
var refused = strings.Fields("CMD-081 CMD-082 CMD-144 CMD-146 CMD-150 CMD-151 CMD-152 CMD-157 CMD-185 CMD-198 CMD-509 CMD-525 CMD-542 " +
	"CMD-529 CMD-530 CMD-532 CMD-533 CMD-552 CMD-553 CMD-554 CMD-556 CMD-557 CMD-662")

// TestWorkspaceCases holds the commands of a workspace tool, which starts them without a
// shell: nothing is low that may not run unasked, and each plain case has its level.
func TestWorkspaceCases(t *testing.T) {
	raw, err := os.ReadFile("../command/testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID, Cls string
		Accept  []string
		Command json.RawMessage
		Args    json.RawMessage
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		input, err := json.Marshal(map[string]json.RawMessage{"command": r.Command, "args": r.Args})
		if err != nil {
			t.Fatal(err)
		}
		level, reasons := risk.Judge(risk.Call{Tool: "execute_command", Own: true, Cwd: "/ws", Input: input})
		takes := slices.Contains(r.Accept, "allowed-"+string(level))
		plain := strings.HasSuffix(r.Cls, "-plain")
		if !takes && (plain || level == permission.RiskLow && !slices.Contains(refused, r.ID)) {
			t.Errorf("%s %s %s (%s): %s %v, want %v", r.ID, r.Command, r.Args, r.Cls, level, codes(reasons), r.Accept)
		}
	}
}
