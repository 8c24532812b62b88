package desk_test

import (
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/storetest"
)

// older makes the pins of a house those of a desk that kept less of a definition.
func (h *house) older() {
	h.Helper()
	pins, err := h.store.ToolPins(ctx)
	if err != nil {
		h.Fatal(err)
	}
	for i := range pins {
		pins[i].Whole = false
	}
	if _, err := h.store.EditTools(ctx, permission.Versions{}, permission.ToolEdit{Put: pins}); err != nil {
		h.Fatal(err)
	}
	h.desk.Close()
	d, err := desk.Open(ctx, storetest.Stores(h.store), desk.Options{})
	if err != nil {
		h.Fatal(err)
	}
	h.parts = partsOf(d)
}

// Pins of an older desk are held once against what that desk kept: a tool that is the
// same by it asks nobody, and is pinned whole, which the journal says.
func TestPinsOfAnOlderDesk(t *testing.T) {
	with := func(member string) string { return strings.Replace(readTool, "{", "{"+member+",", 1) }
	h := allowed(t)
	defer h.close()
	h.older()
	c := h.hold("read")
	before := h.last()
	h.saw(with(`"icons":[]`))
	if entries, _, err := h.store.Journal(ctx, before, 10); err != nil || len(entries) != 1 ||
		!strings.Contains(string(entries[0].Data), `"toolsPinnedWhole"`) || !strings.Contains(string(entries[0].Data), `["read"]`) {
		t.Errorf("%v, %v", entries, err)
	}
	h.wantAllowed("read")
	if got := h.want(c, permission.Pending, false); got.Rev != c.Rev {
		t.Errorf("a call of a tool that did not change: %+v", got)
	}
	if _, err := h.decide(c, true); err != nil {
		t.Error(err)
	}
	if _, err := h.claim(c); err != nil {
		t.Error(err)
	}
	h.saw(with(`"icons":[1]`))
	h.wantAsked("read", permission.ChangedDefinition)

	h.accept("read")
	h.older()
	h.saw(strings.Replace(with(`"icons":[1]`), "Reads", "Sends", 1))
	h.wantAsked("read", permission.ChangedDefinition)
}

// A yes is for the tool that was shown with it: another one asks again, also when the
// person had said yes to a changed tool.
func TestAYesFallsWithItsTool(t *testing.T) {
	h := asking(t)
	defer h.close()
	c := h.ask("read")
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	h.saw(readLater)
	h.wantFallen(c)
	if _, err := h.decide(h.want(c, permission.Pending, false), true); err != nil {
		t.Fatal(err)
	}
	h.saw(readLast)
	h.wantFallen(c)
	if _, err := h.decide(h.want(c, permission.Pending, false), true); err != nil {
		t.Fatal(err)
	}
	if _, err := h.claim(c); err != nil {
		t.Error(err)
	}
}
