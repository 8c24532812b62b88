package desk_test

import (
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// shown is what a person is shown of tools of filesystem.
func (h *house) shown(tools ...string) map[string]permission.ShownTool {
	h.Helper()
	all := map[string]permission.ShownTool{}
	for _, name := range tools {
		kept, err := h.Tool(ctx, "filesystem", name)
		if err != nil {
			h.Fatal(err)
		}
		all[name] = permission.ShownTool{Definition: kept.After.Hash, Launch: kept.LaunchAfter.Hash, Back: kept.Back}
	}
	return all
}

const (
	readsMore  = `{"name":"read","description":"Reads more."}`
	readAll    = `{"name":"read_all","description":"Reads all."}`
	readsLess  = `{"name":"read_all","description":"Reads less."}`
	readsOther = `{"name":"read_all","description":"Reads other."}`
)

// TestChangedToolsAreAcceptedTogether: exactly those that were shown, as they were shown,
// in one edit of the policy.
func TestChangedToolsAreAcceptedTogether(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readTool, readAll)
	h.wantAllowed("read_all")
	h.saw(readsMore, readsLess)
	h.install("node", "files")
	if got := h.ChangedTools("filesystem"); !slices.Equal(got, []string{"read", "read_all"}) {
		t.Fatalf("changed are %q", got)
	}
	shown := h.shown("read", "read_all")
	h.saw(readsMore, readsOther) // one is another by the time of the yes
	_, err := h.AcceptTools(ctx, "filesystem", shown)
	h.wantCode(err, permission.CodeStale, "")
	if !strings.HasSuffix(err.Error(), `: "read_all"`) {
		t.Errorf("not the one that changed: %v", err)
	}
	if got := h.ChangedTools("filesystem"); len(got) != 2 {
		t.Errorf("changed are %q after a stale yes", got)
	}
	h.wantAsked("read", permission.ChangedBoth)

	_, before, err := h.Rules(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.AcceptTools(ctx, "filesystem", h.shown("read", "read_all"))
	if _, after, _ := h.Rules(ctx); err != nil || !slices.Equal(got, []string{"read", "read_all"}) || after != before+1 {
		t.Errorf("accepted %q, policy %d after %d, %v", got, after, before, err)
	}
	h.wantAllowed("read")
	h.wantAllowed("read_all")
	if got, err := h.AcceptTools(ctx, "filesystem", h.shown("read")); err != nil || len(got) != 0 {
		t.Errorf("once more: %q %v", got, err)
	}
	if n := h.journaled("toolAccepted"); n != 2 {
		t.Errorf("%d entries of the journal", n)
	}
}

// TestToolsThatWereNotAllShownAreNotAccepted: what is said of a tool has to be all that it
// is shown with, and each has to be known.
func TestToolsThatWereNotAllShownAreNotAccepted(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readsMore)
	for name, spoil := range map[string]func(*permission.ShownTool){
		"definition": func(s *permission.ShownTool) { s.Definition = "" },
		"launch":     func(s *permission.ShownTool) { s.Launch = "" },
		"back":       func(s *permission.ShownTool) { s.Back = true },
	} {
		shown := h.shown("read")
		s := shown["read"]
		spoil(&s)
		shown["read"] = s
		if _, err := h.AcceptTools(ctx, "filesystem", shown); code(err) != permission.CodeStale {
			t.Errorf("%s: %v", name, err)
		}
	}
	shown := h.shown("read")
	shown["write"] = shown["read"]
	_, err := h.AcceptTools(ctx, "filesystem", shown)
	h.wantCode(err, permission.CodeNotFound, "")
	_, err = h.AcceptTools(ctx, "elsewhere", h.shown("read"))
	h.wantCode(err, permission.CodeNotFound, "")
	h.wantAsked("read", permission.ChangedDefinition)
}

// journaled counts the entries of the journal that tell of something.
func (h *house) journaled(what string) (n int) {
	h.Helper()
	entries, _, err := h.Entries(ctx, 0, 1000)
	if err != nil {
		h.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(string(e.Data), `"`+what+`"`) {
			n++
		}
	}
	return n
}
