package doctor

import (
	"slices"
	"testing"
)

// TestWhatAClientMayDoUnasked is read out of its files alone.
func TestWhatAClientMayDoUnasked(t *testing.T) {
	for name, c := range map[string]struct {
		client string
		past   bool
		change func(b *bed)
		want   []Unasked
	}{
		"nothing":       {"claude-code", false, func(*bed) {}, []Unasked{}},
		"servers alone": {"claude-code", true, func(*bed) {}, []Unasked{ServersPast}},
		"no hook":       {"claude-code", false, func(b *bed) { b.write(b.settings, "{}") }, []Unasked{RunsCommands, EditsFiles, HooksMissing}},
		"bypass": {"claude-code", false, func(b *bed) {
			b.write("project/.claude/settings.local.json", `{"permissions":{"defaultMode":"bypassPermissions"}}`)
		}, []Unasked{RunsCommands, EditsFiles, BypassSet}},
		"narrow": {"claude-code", false, edits(`"matcher": "*"`, `"matcher": "Bash"`),
			[]Unasked{RunsCommands, EditsFiles, HooksFaulty}},
		"no JSON": {"claude-code", false, func(b *bed) { b.write(b.settings, "{") },
			[]Unasked{RunsCommands, EditsFiles, Unread}},
		"Codex, by files alone": {"codex", false, func(*bed) {}, []Unasked{TrustUnread}},
		"policy alone": {"gemini", false, func(b *bed) {
			b.write(b.settings, "{}")
			b.write(".gemini/policies/sekisho.toml", "")
		}, []Unasked{RunsCommands, EditsFiles, HooksMissing, SideDoor}},
	} {
		t.Run(name, func(t *testing.T) {
			b := lie(t, c.client)
			c.change(b)
			b.doctor.Trust = nil
			if got := b.doctor.Unasked(t.Context(), c.client, c.past); !slices.Equal(got, c.want) {
				t.Errorf("%v, not %v", got, c.want)
			}
		})
	}
	b := lie(t, "codex")
	for client, want := range map[string][]Unasked{"zed": {RunsCommands, EditsFiles, HooksNone}, "claude-desktop": {},
		"vscode": {RunsCommands, EditsFiles, HooksMissing}} {
		if got := b.doctor.Unasked(t.Context(), client, false); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", client, got, want)
		}
	}
}
