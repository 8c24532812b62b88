package desk_test

import (
	"strings"
	"testing"
)

// TestFlaggedToolsAreKept: what deceives in a list is told and journaled, known after a
// restart, and gone with the definition that it stood in.
func TestFlaggedToolsAreKept(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("fs")
	const plain, deceiving = `{"name":"read","description":"Reads."}`, `{"name":"read","description":"Reads.\u200b"}`
	flagged := func(want int) {
		t.Helper()
		if got := h.FlaggedTools("filesystem"); len(got) != want {
			t.Errorf("flagged %+v, not %d", got, want)
		}
	}
	h.saw(plain)
	flagged(0)
	h.saw(deceiving)
	flagged(1)
	server := "filesystem"
	if flags := h.FlagsOfTool(&server, "read"); len(flags) != 1 || flags[0].At != "/description" {
		t.Errorf("%+v", flags)
	}
	if flags := h.FlagsOfTool(nil, "re\u0430d"); len(flags) != 1 || flags[0].LooksLike != "read" {
		t.Errorf("%+v", flags)
	}
	entries, _, err := h.store.Journal(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, e := range entries {
		if strings.Contains(string(e.Data), `"toolsFlagged"`) {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the journal tells it %d times", told)
	}
	h.close()
	h = openAt(t, dir)
	flagged(1)
	h.saw(plain)
	flagged(0)
}
