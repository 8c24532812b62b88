package terminal

import (
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestWhatIsAgreedToIsShownWhole: no part of a condition is left out, and two that differ look different.
func TestWhatIsAgreedToIsShownWhole(t *testing.T) {
	condition := `shell(input.command).names.all(n, n in ["git status", "git log", "git diff", "git show", "git branch"]) ` +
		strings.Repeat("&& true ", 20) + `|| input.command.contains("rm -rf")`
	tool, method := "Bash", permission.ReadResource
	before := permission.Rule{ID: "r", ToolName: &tool, Effect: permission.Allow, Enabled: true, Condition: &condition}
	if got := diffText(permission.RuleDiff{Added: []permission.Rule{before}}); !strings.Contains(got, condition) {
		t.Errorf("an end that nobody sees:\n%s", got)
	}
	for what, change := range map[string]func(*permission.Rule){
		"method": func(r *permission.Rule) { r.Method = &method },
		"limit":  func(r *permission.Rule) { r.Limit = &permission.Limit{Calls: 5, Seconds: 60} },
		"time":   func(r *permission.Rule) { r.ExpiresAt = 1_900_000_000_000 },
		"note":   func(r *permission.Rule) { r.Note = "not\x1b[2Jed" },
	} {
		after := before
		change(&after)
		got := diffText(permission.RuleDiff{Changed: []permission.RulePair{{Before: before, After: after}}})
		lines := strings.Split(got, "\n")
		if strings.TrimPrefix(lines[0], "~ ") == strings.TrimPrefix(lines[1], "  now ") || strings.Contains(got, "\x1b") {
			t.Errorf("another %s:\n%s", what, got)
		}
	}
}
