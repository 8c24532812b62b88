package desk_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/secret"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// watched is a store that counts what is read of it to know what decides.
type watched struct {
	*sqlite.Store
	reads *atomic.Int64
}

func (w watched) Versions(ctx context.Context) (permission.Versions, error) {
	w.reads.Add(1)
	return w.Store.Versions(ctx)
}

func (w watched) Rules(ctx context.Context) ([]permission.Rule, int64, []permission.DamagedRule, error) {
	w.reads.Add(1)
	return w.Store.Rules(ctx)
}

// twoDesks are two over one store: the first is allowed(t), the second opened after it.
func twoDesks(t *testing.T) (a, b *house, reads *atomic.Int64) {
	t.Helper()
	a, reads = allowed(t), new(atomic.Int64)
	d, err := desk.Open(ctx, storetest.Stores(watched{a.store, reads}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close(); a.close() })
	return a, &house{T: t, parts: partsOf(d), store: a.store, agent: a.agent, n: 1000}, reads
}

func (h *house) reload() {
	h.Helper()
	if err := h.desk.Reload(ctx); err != nil {
		h.Fatal(err)
	}
}

// TestAnAllowedCallReadsNoCopyAnew: what decides is read once, and not for each call.
func TestAnAllowedCallReadsNoCopyAnew(t *testing.T) {
	_, b, reads := twoDesks(t)
	before := reads.Load()
	for range 3 {
		c := b.wantAllowed("read")
		if _, err := b.claim(c); err != nil {
			t.Error(err)
		}
	}
	if n := reads.Load() - before; n != 0 {
		t.Errorf("three allowed calls read what decides %d times", n)
	}
}

// TestACallIsJudgedByWhatAnotherDeskChanged: at the next call of a desk, though nobody told it.
func TestACallIsJudgedByWhatAnotherDeskChanged(t *testing.T) {
	a, b, _ := twoDesks(t)
	early := b.wantAllowed("read")
	for _, on := range []bool{true, false} {
		if err := a.Hold(ctx, on); err != nil {
			t.Fatal(err)
		}
		if c := b.ask("read"); c.Status == permission.Pending != on {
			t.Errorf("hold %v: %s", on, c.Status)
		}
		if b.OnHold() != on {
			t.Errorf("hold %v is not known", on)
		}
	}
	if err := a.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	_, err := b.claim(early)
	b.wantCode(err, permission.CodeNotApproved, permission.Pending)
	if err := a.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}

	week := 604800.0
	a.set(func(s *permission.Settings) {
		s.Deadlines.High, s.Deadlines.Medium, s.Deadlines.Low = &week, &week, &week
	})
	if c := b.ask("write"); c.ExpiresAt.Std().Sub(c.CreatedAt.Std()).Seconds() != week {
		t.Errorf("it waits from %v to %v", c.CreatedAt, c.ExpiresAt)
	}
	a.rule(permission.Deny, "rm")
	if c := b.ask("rm"); c.Status != permission.Denied {
		t.Errorf("rm is %s", c.Status)
	}
	a.install("another")
	if c := b.ask("read"); c.Status != permission.Pending || c.Why.Changed != permission.ChangedLaunch {
		t.Errorf("by another command: %s, %+v", c.Status, c.Why)
	}
	if s, err := b.Server(ctx, "filesystem"); err != nil || s.Command != "another" {
		t.Errorf("%+v %v", s, err)
	}
	a.accept("read")
	a.saw(`{"name":"read","description":"Reads, and tells others."}`)
	if c := b.ask("read"); c.Status != permission.Pending || c.Why.Changed != permission.ChangedDefinition {
		t.Errorf("by another definition: %s, %+v", c.Status, c.Why)
	}
}

// TestReload takes over also what makes no judgement another: new servers and agents, and
// levels.
func TestReload(t *testing.T) {
	a, b, reads := twoDesks(t)
	agent, token, err := a.CreateAgent(ctx, "new")
	if err != nil {
		t.Fatal(err)
	}
	list, version, _ := a.ServerList(ctx)
	more := append(list, permission.Server{ID: "more", Transport: permission.TransportStdio, Command: "more", Enabled: true})
	if _, _, err := a.ReplaceServers(ctx, version, more); err != nil {
		t.Fatal(err)
	}
	b.reload()
	if got, err := b.Authenticate(ctx, token); err != nil || got != agent {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := b.Server(ctx, "more"); err != nil || b.Sight("more", "any") != a.Sight("more", "any") {
		t.Errorf("%v, its tools are seen as %q", err, b.Sight("more", "any"))
	}
	if _, err := a.SetToolLevel(ctx, "filesystem", "read", permission.RiskHigh); err != nil {
		t.Fatal(err)
	}
	b.reload()
	if levels := b.ToolLevels("filesystem"); len(levels) != 1 || levels[0].Risk != permission.RiskHigh {
		t.Errorf("%+v", levels)
	}
	if err := a.DeleteAgent(ctx, agent.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Ask(ctx, agent, b.request("read")); code(err) != permission.CodeForbidden {
		t.Errorf("a removed agent: %v", err)
	}
	b.reload()
	if _, err := b.Authenticate(ctx, token); code(err) != permission.CodeNotFound {
		t.Errorf("a removed agent: %v", err)
	}
	before := reads.Load()
	b.reload()
	if n := reads.Load() - before; n != 1 {
		t.Errorf("with nothing new it read %d times", n)
	}
}

// TestEditsOfTwoDesksKeepEachOther: an edit that was made from an older copy is made again.
func TestEditsOfTwoDesksKeepEachOther(t *testing.T) {
	a, b, _ := twoDesks(t)
	a.set(func(s *permission.Settings) { s.DenialMemory = false })
	b.set(func(s *permission.Settings) { s.Limits.PendingPerAgent = 7 })
	if err := a.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	b.set(func(s *permission.Settings) { s.Limits.PendingPerAgent = 8 })
	if s, _ := b.Settings(ctx); s.DenialMemory || s.Limits.PendingPerAgent != 8 || !s.Hold {
		t.Errorf("%+v", s)
	}
	if err := b.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}

	_, seen, _ := b.ServerList(ctx)
	a.install("npx", "files", "more")
	if _, _, err := b.ReplaceServers(ctx, seen, nil); code(err) != permission.CodeLostUpdate {
		t.Errorf("servers that another desk changed: %v", err)
	}
	kept := []permission.Server{{ID: "filesystem", Transport: permission.TransportStdio, Command: "npx", Args: []string{"files", "more"},
		Env: map[string]string{"TOKEN": "two"}, Enabled: true}}
	if _, _, err := a.ReplaceServers(ctx, "", kept); err != nil {
		t.Fatal(err)
	}

	for i, h := range []*house{a, b, a} {
		name := string(rune('x' + i))
		agent, token, err := h.CreateAgent(ctx, name)
		if got, e := h.Authenticate(ctx, token); err != nil || e != nil || got != agent {
			t.Errorf("%+v %v %v", got, err, e)
		}
	}
	all, err := b.Agents(ctx)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, agent := range all {
		if err := b.DeleteAgent(ctx, agent.ID); err != nil {
			t.Error(err)
		}
	}
}

// TestAToolThatAnotherDeskPinnedIsHeldAgainstThePin: a list that this desk hears does not
// write over what that one allowed.
func TestAToolThatAnotherDeskPinnedIsHeldAgainstThePin(t *testing.T) {
	a, b, _ := twoDesks(t)
	const before, after = `{"name":"read_more"}`, `{"name":"read_more","description":"Reads, and tells others."}`
	a.saw(readTool, before)
	b.saw(readTool, before)
	if _, err := a.claim(a.wantAllowed("read_more")); err != nil { // which pins it, and leaves no open call
		t.Fatal(err)
	}
	b.saw(readTool, after)
	if changed := b.ChangedTools("filesystem"); len(changed) != 1 || changed[0] != "read_more" {
		t.Errorf("changed: %q", changed)
	}
	b.wantAsked("read_more", permission.ChangedDefinition)
	if c := a.ask("read_more"); c.Status != permission.Pending { // of the same run: it is asked for there already
		t.Errorf("%s", c.Status)
	}
	b.accept("read_more")
	a.wantAllowed("read_more")
	b.wantAllowed("read_more")
}

// TestAWideYesKnowsOfAnotherDesksHold: it settles its own call alone.
func TestAWideYesKnowsOfAnotherDesksHold(t *testing.T) {
	a, b, _ := twoDesks(t)
	one, two := b.ask("stat"), b.ask("stat")
	if err := a.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	_, settled, _, err := b.Decide(ctx, one.ID,
		permission.Answer{Approved: true, Scope: permission.ScopeSession, InputHash: one.InputHash, Rev: one.Rev})
	if err != nil || len(settled) != 0 {
		t.Errorf("settled %v, %v", settled, err)
	}
	b.want(two, permission.Pending, false)
}

// TestNothingIsAllowedAfterAnotherDesksHold, however the two are interleaved.
func TestNothingIsAllowedAfterAnotherDesksHold(t *testing.T) {
	a, b, _ := twoDesks(t)
	held := make(chan struct{})
	go func() {
		defer close(held)
		for i := range 21 {
			if err := a.Hold(ctx, i%2 == 0); err != nil {
				t.Error(err)
			}
		}
	}()
	for done := false; !done; {
		select {
		case <-held:
			done = true
		default:
		}
		r := b.request("read")
		r.Input, _ = json.Marshal(map[string]int{"n": b.n})
		c, _, err := b.Ask(ctx, b.agent, r)
		if err != nil || done && c.Status != permission.Pending {
			t.Fatalf("%s %v, held %v", c.Status, err, done)
		}
	}
}

// TestAMaskKeepsTheSecretThatAnotherDeskSet, and not the one that this desk knew.
func TestAMaskKeepsTheSecretThatAnotherDeskSet(t *testing.T) {
	dir := t.TempDir()
	a := keyed(t, dir)
	defer a.close()
	b := keyedOver(t, a.store, a.store, secret.New(dir))
	defer b.desk.Close()
	a.replace(withSecrets("s", map[string]string{"K": "one"}, nil))
	b.reload()
	a.replace(withSecrets("s", map[string]string{"K": "two"}, nil))
	b.replace(withSecrets("s", map[string]string{"K": permission.Mask}, nil))
	a.reload()
	for _, h := range []*house{a, b} {
		if got := h.values("s"); got["K"] != "two" {
			t.Errorf("the secret is %q", got["K"])
		}
	}
}
