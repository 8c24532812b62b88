package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// A command that nobody has seen asks under every name, until a person has accepted it
// for one of them.
func TestAnotherCommandAsksUnderEveryName(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readTool, `{"name":"read_more"}`)
	h.install("npx", "other")
	if got, err := h.Tool(ctx, "filesystem", "read_none"); err != nil || got.Change != permission.ChangedLaunch ||
		!strings.Contains(got.LaunchBefore.Text, "files") || !strings.Contains(got.LaunchAfter.Text, "other") {
		t.Errorf("a name in no list: %+v %v", got, err)
	}
	waiting := h.wantAsked("read_more", permission.ChangedLaunch)
	h.saw(`{"name":"read_more","title":"Another."}`) // it is pinned as it was: under the command that was allowed
	if got := h.want(waiting, permission.Pending, false); got.Why.Changed != permission.ChangedBoth {
		t.Errorf("%+v", got.Why)
	}
	h.always("read_new") // says nothing of the command
	h.wantAsked("read_new", permission.ChangedLaunch)
	h.accept("read_new")
	h.wantAllowed("read_new")
	h.wantAllowed("read_newer")
	h.wantAsked("read", permission.ChangedLaunch)
	h.wantAsked("read_more", permission.ChangedBoth)
}

// Patterns ignore letter case: a tool that changed does not come in under its name in
// other letters.
func TestAChangedToolInOtherLetters(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.wantAllowed("Read")
	h.saw(readLater)
	for _, name := range []string{"READ", "reaD"} {
		h.wantAsked(name, permission.ChangedUnknown)
	}
	h.wantAllowed("Read") // is one that was allowed, as it is
	h.wantAllowed("read_more")
	h.accept("read")
	h.wantAllowed("READ")
}

// Who accepts a return to what was allowed does not accept what was there in between.
func TestAcceptOfAReturnIsForThat(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readLater)
	h.saw(readTool)
	shown, err := h.Tool(ctx, "filesystem", "read")
	if err != nil || !shown.Back {
		t.Fatalf("%+v %v", shown, err)
	}
	h.saw(readLater)
	seen := permission.SeenTool{Definition: &shown.After.Hash, Launch: &shown.LaunchAfter.Hash, Back: &shown.Back}
	_, err = h.AcceptTool(ctx, "filesystem", "read", seen)
	h.wantCode(err, permission.CodeStale, "")
	h.saw(readTool)
	if got, err := h.AcceptTool(ctx, "filesystem", "read", seen); err != nil || !strings.Contains(got.After.Text, "Reads a file.") {
		t.Errorf("%+v %v", got, err)
	}
}

// No definition is one too: what was accepted without any is not accepted with one.
func TestAcceptWithoutADefinition(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.rule(permission.Allow, "read*")
	h.wantAllowed("read")
	h.install("npx", "other")
	none := ""
	h.saw(readTool)
	_, err := h.AcceptTool(ctx, "filesystem", "read", permission.SeenTool{Definition: &none})
	h.wantCode(err, permission.CodeStale, "")
	h.wantAsked("read", permission.ChangedLaunch)
}

// What is kept of a server's definitions is bounded over all its lists, and over
// restarts, and what they leave is room again.
func TestDefinitionsOfManyPagesAreBounded(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	defer func() { h.close() }()
	h.install("npx")
	page := func(n int, word string) {
		var entries []string
		for i := range 8 {
			entries = append(entries, fmt.Sprintf(`{"name":"tool_%d_%d","description":%q}`, n, i, strings.Repeat(word, 250<<10)))
		}
		h.saw(entries...)
	}
	kept := func() (bytes int) {
		pins, err := h.store.ToolPins(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pins {
			texts, err := h.store.ToolTexts(ctx, []string{p.SeenText})
			if err != nil {
				t.Fatal(err)
			}
			bytes += len(texts[p.SeenText].Text)
		}
		return bytes
	}
	const most = 8<<20 + 256<<10
	for n := range 5 {
		page(n, "x")
	}
	h.close()
	h = openAt(t, dir)
	for n := range 2 {
		page(5+n, "x")
	}
	if got := kept(); got < 7<<20 || got > most {
		t.Errorf("%d bytes are kept", got)
	}
	page(0, "y")
	if got, err := h.Tool(ctx, "filesystem", "tool_0_0"); err != nil || got.After.Cut {
		t.Errorf("what took the place of another of its size is cut: %v", err)
	}
	if got := kept(); got > most {
		t.Errorf("%d bytes are kept", got)
	}
}

// A list that could not be kept is forgotten for no tool by a list without it.
func TestALaterListMakesUpForItsOwnToolsAlone(t *testing.T) {
	h := allowed(t)
	defer h.close()
	failing := false
	d, err := desk.Open(ctx, storetest.Stores(forgetful{h.store, &failing}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h.parts = partsOf(d)
	h.saw(readTool, `{"name":"read_more"}`)
	h.wantAllowed("read_more")
	failing = true
	if err := d.Catalogue.Saw(ctx, "filesystem", []permission.OfferedTool{{Name: "read", Raw: json.RawMessage(readLater)}}); !errors.Is(err,
		errFault) {
		t.Error(err)
	}
	failing = false
	h.wantAsked("read", permission.ChangedUnknown)
	h.wantAsked("READ", permission.ChangedUnknown)
	h.wantAllowed("read_more")
	h.saw(`{"name":"read_more"}`, `{"name":"read_new"}`)
	h.wantAsked("read", permission.ChangedUnknown)
	h.saw(readTool) // it is what is kept
	h.wantAllowed("read")
	h.saw(readLater)
	h.wantAsked("read", permission.ChangedDefinition)
	h.accept("read")
	h.wantAllowed("read")
}

// blind is a store that cannot tell what waits.
type blind struct {
	*sqlite.Store
	on *bool
}

func (b blind) AskedTools(ctx context.Context, server string) ([]string, error) {
	if *b.on {
		return nil, errFault
	}
	return b.Store.AskedTools(ctx, server)
}

// While nobody can tell what waits, no tool changes unseen.
func TestAChangeOfAToolThatMayBeAskedAbout(t *testing.T) {
	h := asking(t)
	defer h.close()
	failing := false
	d, err := desk.Open(ctx, storetest.Stores(blind{h.store, &failing}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h.parts = partsOf(d)
	h.ask("read")
	failing = true
	if err := d.Catalogue.Saw(ctx, "filesystem", []permission.OfferedTool{{Name: "read", Raw: json.RawMessage(readLater)}}); !errors.Is(err,
		errFault) {
		t.Error(err)
	}
	failing = false
	h.always("read")
	h.wantAsked("read", permission.ChangedUnknown)
	h.saw(readLater)
	h.wantAsked("read", permission.ChangedDefinition)
}

// What is beyond the bounds of what is watched asks, and a person may take it in.
func TestAPersonTakesInAToolBeyondTheBounds(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.rule(permission.Allow, "*")
	for i := range 250 {
		h.wantAllowed(fmt.Sprint("made_up_", i))
	}
	h.wantAsked("one_too_many", permission.ChangedUnknown)
	h.always("one_too_many")
	h.wantAsked("one_too_many", permission.ChangedUnknown)
	h.accept("one_too_many")
	h.wantAllowed("one_too_many")
	h.saw(`{"name":"one_too_many"}`)
	h.wantAllowed("one_too_many")
	h.saw(`{"name":"one_too_many","title":"x"}`)
	h.wantAsked("one_too_many", permission.ChangedDefinition)
}
