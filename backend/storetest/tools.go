package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"sekisho/backend/permission"
)

func tools(t *testing.T, s Store) {
	ctx := context.Background()
	first := permission.ToolPin{ServerID: "fs", ToolName: "read\x00", Seen: "h1", Pinned: "h1", Launch: "l"}
	edit := func(e permission.ToolEdit) int64 {
		t.Helper()
		after, err := s.EditTools(ctx, permission.Versions{}, e)
		version := after[permission.OfPolicy]
		if err != nil {
			t.Fatal(err)
		}
		if _, now, _, err := s.Rules(ctx); err != nil || now != version {
			t.Errorf("the policy's version is %d, %v; answered was %d", now, err, version)
		}
		return version
	}
	wants := func(pins ...permission.ToolPin) {
		t.Helper()
		got, err := s.ToolPins(ctx)
		if err != nil || len(got) != len(pins) {
			t.Fatalf("%+v %v, want %+v", got, err, pins)
		}
		for _, p := range pins {
			if !slices.Contains(got, p) {
				t.Errorf("%+v has no %+v", got, p)
			}
		}
	}
	wants()
	before := edit(permission.ToolEdit{Put: []permission.ToolPin{first, {ServerID: "fs", ToolName: "b", Seen: "h2"}},
		Texts: []permission.ToolText{{Hash: "h1", Text: "one"}, {Hash: "l", Text: "npx"}, {Hash: "h2", Text: "tw", Cut: true},
			{Hash: "nobody's", Text: "x"}}})
	wants(first, permission.ToolPin{ServerID: "fs", ToolName: "b", Seen: "h2"})
	got, err := s.ToolTexts(ctx, []string{"h1", "h2", "", "nobody's"})
	if err != nil || len(got) != 2 || got["h1"].Text != "one" || !got["h2"].Cut {
		t.Errorf("texts: %+v %v", got, err)
	}

	last, err := s.LastSeq(ctx)
	if err != nil {
		t.Fatal(err)
	}
	first.Seen, first.Back, first.Withheld, first.Destructive = "h3", true, true, true
	first.SeenText, first.PinnedText, first.Flags = "h4", "h1", `[{"at":"/name"}]`
	first.Level, first.LevelAt, first.LevelVoid = permission.RiskLow, 7, true
	version := edit(permission.ToolEdit{Put: []permission.ToolPin{first}, Drop: []permission.ToolPin{{ServerID: "fs", ToolName: "b"}},
		Judge:   true,
		Texts:   []permission.ToolText{{Hash: "h3", Text: "three"}, {Hash: "h4", Text: "kept"}, {Hash: "h1", Text: "one anew"}},
		Entries: []permission.Entry{{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorDesk}}})
	wants(first)
	if version != before+1 {
		t.Errorf("the version went from %d to %d", before, version)
	}
	if now, err := s.LastSeq(ctx); err != nil || now != last+1 {
		t.Errorf("%d entries, %v", now-last, err)
	}
	if got, err := s.ToolTexts(ctx, []string{"h1", "h2", "h3", "h4"}); err != nil || len(got) != 3 || got["h2"].Text != "" ||
		got["h1"].Text != "one anew" {
		t.Errorf("texts: %+v %v", got, err)
	}
	stale := suspension(NewCall("1"))
	stale.PolicyVersion = before
	if _, _, err := s.Suspend(ctx, stale); err == nil {
		t.Error("a judgement from before the change was kept")
	}
	withServers(t, s, first)
}

// withServers changes the servers and what that means for their tools in one go.
func withServers(t *testing.T, s Store, p permission.ToolPin) {
	ctx := context.Background()
	_, before, _, err := s.Rules(ctx)
	if err != nil {
		t.Fatal(err)
	}
	entry := permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorPerson}
	after, err := s.ReplaceServers(ctx, permission.Versions{}, []permission.Server{{ID: "fs", Command: "x"}},
		permission.ToolEdit{Drop: []permission.ToolPin{p}, Judge: true}, entry)
	if err != nil || after[permission.OfPolicy] != before+1 {
		t.Errorf("versions %d, %v", after, err)
	}
	if got, err := s.ToolPins(ctx); err != nil || len(got) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// withheldSiblings: an answer of wider scope does not reach calls of a tool that
// changed, unless it is a no.
func withheldSiblings(t *testing.T, s Store) {
	ctx := context.Background()
	for i, answer := range []struct {
		yes     bool
		settles int
	}{{true, 1}, {false, 2}} {
		for _, name := range []string{"answered", "changed", "same"} {
			c := NewCall(fmt.Sprint(name, i))
			c.ToolName, c.SessionID = name, permission.SessionID(fmt.Sprint("session", i))
			c.Questions = []string{"r"}
			keep(t, s, c)
		}
		if _, err := s.EditTools(ctx, permission.Versions{}, permission.ToolEdit{Put: []permission.ToolPin{
			{ServerID: "filesystem", ToolName: "changed", Seen: "a", Pinned: "b", Launch: "l", Withheld: true},
			{ServerID: "filesystem", ToolName: "same", Seen: "a", Pinned: "a", Launch: "l"}}}); err != nil {
			t.Fatal(err)
		}
		grant := &permission.Grant{ID: permission.GrantID(fmt.Sprint("g", i)), Scope: permission.ScopeSession}
		if _, siblings, err := s.Reply(ctx, reply(fmt.Sprint("answered", i), answer.yes, grant)); err != nil || len(siblings) != answer.settles {
			t.Errorf("%v settled %d calls, %v, want %d", answer.yes, len(siblings), err, answer.settles)
		}
	}
}
