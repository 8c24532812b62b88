package desk_test

import (
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// guarded is a folder with an allow rule, a deny rule over it that ends in an hour, and an
// old journal that would be trimmed.
func guarded(t *testing.T) (dir string, entries int) {
	dir = t.TempDir()
	h := openAt(t, dir)
	defer h.close()
	h.set(func(s *permission.Settings) { s.Retention.JournalDays, s.Retention.InputDays = 365, 365 })
	h.rule(permission.Allow, "write_*")
	pattern, allow, deny := "write_*", false, permission.Deny
	form := permission.RuleForm{ToolPattern: &pattern, AutoApprove: &allow, Effect: &deny, Enabled: true, Priority: 500,
		ExpiresAt: h.Now().Add(time.Hour)}
	if _, _, err := h.CreateRule(ctx, form); err != nil {
		t.Fatal(err)
	}
	h.ask("write_file")
	return dir, len(h.entries())
}

// TestADamagedTimeEndsNoGuard: one turned bit in the journal's last time lets no deny rule
// lapse, and erases nothing.
func TestADamagedTimeEndsNoGuard(t *testing.T) {
	dir, before := guarded(t)
	meddled(t, dir, `UPDATE journal SET at = at | (1<<42) WHERE seq = (SELECT MAX(seq) FROM journal)`)
	h := openAt(t, dir)
	defer h.close()
	stands(t, h, before)
	if h.store.Damage() == "" {
		t.Error("nothing is said")
	}
}

// TestATimeFarAheadEndsNoGuard: nor does a sound entry of a time that is days ahead of the
// computer's clock, which is said. Such a time ends what allows.
func TestATimeFarAheadEndsNoGuard(t *testing.T) {
	dir, before := guarded(t)
	h := openAt(t, dir)
	pattern, effect := "read_*", permission.Allow
	if _, _, err := h.CreateRule(ctx, permission.RuleForm{ToolPattern: &pattern, Effect: &effect, Enabled: true,
		ExpiresAt: h.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Note(ctx, permission.Entry{At: h.Now().Add(400 * 24 * time.Hour), Kind: permission.SettingsChanged,
		Actor: permission.ActorDesk}); err != nil {
		t.Fatal(err)
	}
	h.close()
	h = openAt(t, dir)
	defer h.close()
	stands(t, h, before+2)
	if !strings.Contains(h.Trouble(), " days ahead of the computer's clock") {
		t.Errorf("%q", h.Trouble())
	}
	if v, err := h.Evaluate(ctx, permission.Query{ToolName: "read_file"}); err != nil || v.Decision != permission.Ask {
		t.Errorf("%+v %v", v, err)
	}
}

// stands says that the guard of a guarded folder is in force and its journal is all there.
func stands(t *testing.T, h *house, entries int) {
	t.Helper()
	v, err := h.Evaluate(ctx, permission.Query{ToolName: "write_file"})
	if err != nil || v.Decision != permission.Deny {
		t.Errorf("%s %v", v.Decision, err)
	}
	if err := h.Retain(ctx); err != nil {
		t.Fatal(err)
	}
	if got := len(h.entries()); got < entries {
		t.Errorf("%d entries of %d are left", got, entries)
	}
}
