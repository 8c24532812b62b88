package storetest

import (
	"context"
	"errors"
	"testing"

	"sekisho/backend/permission"
)

// versions: a change raises the version of its kind, and that of the policy where a judgement
// may be another by it; one that was made from an earlier version changes nothing.
func versions(t *testing.T, s Store) {
	ctx := context.Background()
	entry := permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorPerson}
	const judged = permission.OfPolicy
	type kinds = []permission.Copied
	for _, tt := range []struct {
		name   string
		raises kinds
		edit   func(of permission.Versions) (permission.Versions, error)
	}{
		{"settings", kinds{permission.OfSettings, judged}, func(of permission.Versions) (permission.Versions, error) {
			return s.SaveSettings(ctx, of, permission.DefaultSettings(), entry)
		}},
		{"hold", kinds{permission.OfSettings, judged}, func(of permission.Versions) (permission.Versions, error) {
			return s.Hold(ctx, of, permission.DefaultSettings(), entry)
		}},
		{"servers", kinds{permission.OfServers}, func(of permission.Versions) (permission.Versions, error) {
			return s.ReplaceServers(ctx, of, []permission.Server{{ID: "fs", Command: "x"}}, permission.ToolEdit{}, entry)
		}},
		{"a pin", kinds{permission.OfTools}, func(of permission.Versions) (permission.Versions, error) {
			return s.EditTools(ctx, of, permission.ToolEdit{Put: []permission.ToolPin{{ServerID: "fs", ToolName: "a", Launch: "l"}}})
		}},
		{"a changed tool", kinds{permission.OfTools, judged}, func(of permission.Versions) (permission.Versions, error) {
			return s.EditTools(ctx, of, permission.ToolEdit{Judge: true, Put: []permission.ToolPin{{ServerID: "fs", ToolName: "a", Launch: "m"}}})
		}},
		{"a new agent", kinds{permission.OfAgents}, func(of permission.Versions) (permission.Versions, error) {
			return s.AddAgent(ctx, of, permission.Agent{ID: "1", Name: "one"}, "hash", entry)
		}},
		{"a removed agent", kinds{permission.OfAgents}, func(of permission.Versions) (permission.Versions, error) {
			return s.DeleteAgent(ctx, of, "1", permission.Decision{By: permission.ByPerson}, entry)
		}},
	} {
		before, err := s.Versions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		last, _ := s.LastSeq(ctx)
		for _, kind := range tt.raises {
			older := permission.Versions{}
			if older[kind] = before[kind] - 1; older[kind] == 0 {
				older[kind] = before[kind] + 1
			}
			if _, err := tt.edit(older); !errors.Is(err, permission.ErrOutdated) {
				t.Errorf("%s: made from %v, at %v: %v", tt.name, older, before, err)
			}
		}
		if now, err := s.Versions(ctx); err != nil || now != before {
			t.Errorf("%s: what was refused made %v of %v, %v", tt.name, now, before, err)
		}
		if now, _ := s.LastSeq(ctx); now != last {
			t.Errorf("%s: what was refused is in the journal", tt.name)
		}
		after, err := tt.edit(before)
		if now, e := s.Versions(ctx); err != nil || e != nil || now != after {
			t.Errorf("%s: answered %v, and they are %v: %v %v", tt.name, after, now, err, e)
		}
		want := before
		for _, kind := range tt.raises {
			want[kind] = after[kind]
			if after[kind] <= before[kind] {
				t.Errorf("%s: from %v to %v", tt.name, before, after)
			}
		}
		if after != want {
			t.Errorf("%s: from %v to %v", tt.name, before, after)
		}
	}
}
