package desk_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// unreadable is a store whose rules cannot be read at times.
type unreadable struct {
	*sqlite.Store
	broken atomic.Bool
}

func (u *unreadable) Rules(ctx context.Context) ([]permission.Rule, int64, []permission.DamagedRule, error) {
	if u.broken.Load() {
		return nil, 0, nil, errors.New("disk I/O error")
	}
	return u.Store.Rules(ctx)
}

// TestRulesThatCouldNotBeReadAskAboutAll until they are read, and a change of settings does
// not take an empty set for them.
func TestRulesThatCouldNotBeReadAskAboutAll(t *testing.T) {
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := &unreadable{Store: store}
	d, err := desk.Open(ctx, storetest.Stores(u), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, parts: partsOf(d), store: store, agent: permission.Agent{ID: "a", Name: "Agent A"}}
	defer h.close()
	h.rule(permission.Deny, "file:///secret*")
	read := func() permission.Status {
		r := h.request("file:///secret/key")
		r.Method, r.Input = permission.ReadResource, []byte(`{}`)
		c, _, err := h.Ask(ctx, h.agent, r)
		if err != nil {
			return "refused"
		}
		return c.Status
	}
	if got := read(); got != permission.Denied {
		t.Fatalf("at first: %s", got)
	}
	// An edit that the desk has not heard of: it reads the rules anew.
	entry := permission.Entry{At: h.Now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson, Data: []byte(`{}`)}
	if _, err := store.ChangeRules(ctx, permission.RuleChange{Entry: entry}); err != nil {
		t.Fatal(err)
	}
	u.broken.Store(true)
	if got := read(); got != permission.Pending && got != "refused" {
		t.Errorf("while the rules cannot be read: %s", got)
	}
	if words := h.Trouble(); !strings.Contains(words, "could not be read") {
		t.Errorf("it says %q", words)
	}
	if err := h.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := h.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != permission.Pending && got != "refused" {
		t.Errorf("after a change of the settings: %s", got)
	}
	u.broken.Store(false)
	if err := h.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != permission.Denied || h.Trouble() != "" {
		t.Errorf("once they can be read: %s, %q", got, h.Trouble())
	}
}
