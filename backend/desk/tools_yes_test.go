package desk_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

const (
	readLater = `{"name":"read","description":"Sends it away."}`
	readLast  = `{"name":"read","description":"Sends it further away."}`
)

// asking is a house whose server has said what its tool is, and that nobody allowed yet.
func asking(t *testing.T) *house {
	h := open(t)
	h.install("npx", "files")
	h.saw(readTool)
	return h
}

func (h *house) yes(c permission.Call, scope permission.Scope) {
	h.Helper()
	if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Scope: scope}); err != nil {
		h.Fatal(err)
	}
}

// always is the rule that a person makes of a call.
func (h *house) always(tool string) permission.Rule { h.Helper(); return h.alwaysIf(tool, true) }

func (h *house) alwaysIf(tool string, enabled bool) permission.Rule {
	h.Helper()
	form, effect, server := permission.NewRuleForm(), permission.Allow, "filesystem"
	form.Effect, form.ServerID, form.ToolName, form.Enabled = &effect, &server, &tool, enabled
	r, _, err := h.CreateRule(ctx, form)
	if err != nil {
		h.Fatal(err)
	}
	return r
}

// What a yes is for is what the tool was when it was given, and not what it is when the
// yes is first used.
func TestAYesIsForTheToolAsItIs(t *testing.T) {
	for name, yes := range map[string]func(h *house){
		"class":   func(h *house) { h.yes(h.ask("read"), permission.ScopeClass) },
		"session": func(h *house) { h.yes(h.ask("read"), permission.ScopeSession) },
		"always": func(h *house) {
			c := h.ask("read")
			h.always("read")
			h.yes(c, permission.ScopeOnce)
		},
		"a rule that is turned on": func(h *house) {
			ask, allow := permission.Ask, permission.Allow
			r := h.always("read")
			for _, effect := range []*permission.Effect{&ask, &allow} {
				if _, _, err := h.UpdateRule(ctx, r.ID, 0, func(f *permission.RuleForm) error {
					f.Effect, f.AutoApprove = effect, nil
					return nil
				}); err != nil {
					h.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := asking(t)
			defer h.close()
			yes(h)
			h.saw(readLater)
			h.wantAsked("read", permission.ChangedDefinition)
			if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || !strings.Contains(got.Before.Text, "Reads a file.") ||
				!strings.Contains(got.After.Text, "away") {
				t.Errorf("%+v %v", got, err)
			}
			h.accept("read")
			h.wantAllowed("read")
		})
	}
}

// What is approved by another call's yes, or released, does not run where its tool is
// another by then.
func TestWhatAYesReleasesIsForTheToolAsItIs(t *testing.T) {
	for name, approve := range map[string]func(h *house, waiting permission.Call){
		"session": func(h *house, _ permission.Call) { h.yes(h.ask("write"), permission.ScopeSession) },
		"release": func(h *house, _ permission.Call) {
			if n, err := h.Release(ctx, h.rule(permission.Allow, "read*").ID); err != nil || n != 1 {
				h.Fatal(n, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := asking(t)
			defer h.close()
			waiting := h.ask("read")
			approve(h, waiting)
			h.want(waiting, permission.Approved, false)
			h.saw(readLater)
			h.wantFallen(waiting)
		})
	}
}

// A tool that is swapped while a person looks at its call is not what the person was
// shown, whatever the answer.
func TestAToolThatIsSwappedWhileItsCallWaits(t *testing.T) {
	h := asking(t)
	defer h.close()
	c, other := h.ask("read"), h.ask("write")
	h.saw(readLater)
	got := h.want(c, permission.Pending, false)
	if got.Rev == c.Rev || got.Why.Changed != permission.ChangedDefinition {
		t.Errorf("%+v, rev %d", got.Why, got.Rev)
	}
	if o := h.want(other, permission.Pending, false); o.Rev != other.Rev {
		t.Errorf("the call of another tool changed: %+v", o)
	}
	if look, err := h.Tool(ctx, "filesystem", "read"); err != nil || !strings.Contains(look.Before.Text, "Reads a file.") ||
		!strings.Contains(look.After.Text, "away") {
		t.Errorf("%+v %v", look, err)
	}
	r := h.always("read")
	_, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Scope: permission.ScopeSession})
	h.wantCode(err, permission.CodeStale, permission.Pending)
	if n, err := h.Release(ctx, r.ID); err != nil || n != 0 {
		t.Errorf("released %d, %v", n, err)
	}
	decided, settled, _, err := h.Decide(ctx, c.ID,
		permission.Answer{Approved: true, InputHash: c.InputHash, Rev: got.Rev, Scope: permission.ScopeSession})
	if err != nil || decided.Decision.Scope != permission.ScopeOnce || len(settled) > 0 {
		t.Errorf("a wide yes to a tool that changed is for this call alone: %+v %v %v", decided.Decision, settled, err)
	}
	h.wantAsked("read", permission.ChangedDefinition)
	h.accept("read")
	h.wantAllowed("read")
}

// What of a list changed says nothing of what did not.
func TestOtherToolsOfAListThatChanges(t *testing.T) {
	const write, writeLater, third = `{"name":"write"}`, `{"name":"write","title":"x"}`, `{"name":"third"}`
	h := asking(t)
	defer h.close()
	h.saw(write, third)
	for _, name := range []string{"read", "write", "third"} {
		h.ask(name)
	}
	h.saw(readLater)
	h.saw(readTool, writeLater, third)
	if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || !got.Back || !strings.Contains(got.Before.Text, "Reads a file.") {
		t.Errorf("%+v %v", got, err)
	}
	if got := h.ChangedTools("filesystem"); !slices.Equal(got, []string{"read", "write"}) {
		t.Errorf("changed: %q", got)
	}
	pins, err := h.store.ToolPins(ctx)
	if err != nil || !slices.ContainsFunc(pins, func(p permission.ToolPin) bool { return p.ToolName == "third" && p.Launch == "" }) {
		t.Errorf("%+v %v", pins, err)
	}
}

// Nor is it one that was pushed out by more tools than are watched.
func TestAToolThatIsPushedOutWhileItsCallWaits(t *testing.T) {
	h := asking(t)
	defer h.close()
	c := h.ask("read")
	var many []string
	for i := range 1500 {
		many = append(many, fmt.Sprintf(`{"name":"other_%d"}`, i))
	}
	h.saw(many...)
	h.saw(readLater)
	if got := h.want(c, permission.Pending, false); got.Why.Changed != permission.ChangedDefinition {
		t.Errorf("%+v", got.Why)
	}
}

// Where nobody allowed a tool, and nobody is asked about it, it may change.
func TestAToolThatNobodyAllowedMayChange(t *testing.T) {
	h := asking(t)
	defer h.close()
	c := h.ask("read")
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	if _, err := h.claim(c); err != nil {
		t.Fatal(err)
	}
	h.saw(readLater)
	if c := h.ask("read"); c.Why.Changed != "" || c.OnlyOnce != "" {
		t.Errorf("%+v", c)
	} else if _, err := h.decide(c, false); err != nil {
		t.Fatal(err)
	}
	h.saw(readLast)
	h.alwaysIf("read", false) // allows nothing yet
	h.saw(readLater)
	h.always("read")
	h.wantAllowed("read")
}

// Whatever a rule or an answer allowed was pinned then: what is not, waits again.
func TestAnAllowedCallOfAToolWithoutAPinWaits(t *testing.T) {
	for name, allow := range map[string]func(h *house) permission.Call{
		"by a rule": func(h *house) permission.Call { h.always("read"); return h.wantAllowed("read") },
		"by a grant": func(h *house) permission.Call {
			h.yes(h.ask("read"), permission.ScopeSession)
			return h.wantAllowed("read")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h := openAt(t, dir)
			h.install("npx", "files")
			h.saw(readTool)
			c := allow(h)
			pins, err := h.store.ToolPins(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.store.EditTools(ctx, permission.Versions{}, permission.ToolEdit{Drop: pins}); err != nil {
				t.Fatal(err)
			}
			h.close()
			h = openAt(t, dir)
			defer h.close()
			_, err = h.claim(c)
			h.wantCode(err, permission.CodeNotApproved, permission.Pending)
		})
	}
}

// A call that waits while its tool changes says so, and an answer to what was shown
// before is stale; each further change is one.
func TestAWaitingCallSaysThatItsToolChanged(t *testing.T) {
	h := allowed(t)
	defer h.close()
	c := h.hold("read")
	for i, change := range []func(){
		func() { h.saw(readLater) }, func() { h.saw(readLast) }, func() { h.saw(readTool) }, func() { h.install("npx", "other") },
	} {
		before := h.last()
		change()
		got := h.want(c, permission.Pending, false)
		if got.Rev == c.Rev || got.Why.Changed == "" || !got.Why.Withheld || !strings.Contains(got.Why.Reason, "changed since") {
			t.Errorf("change %d: rev %d, %+v", i, got.Rev, got.Why)
		}
		_, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev})
		h.wantCode(err, permission.CodeStale, permission.Pending)
		entries, _, err := h.Entries(ctx, before, 100)
		if err != nil || len(entries) < 2 || entries[0].Kind != permission.ServersChanged ||
			entries[len(entries)-1].Kind != permission.CallChanged {
			t.Errorf("change %d: the journal says %+v, %v", i, entries, err)
		}
		c = got
	}
	if c.Why.Changed != permission.ChangedBoth {
		t.Errorf("%+v", c.Why)
	}
	before := h.last()
	h.install("npx", "other")
	if got := h.want(c, permission.Pending, false); got.Rev != c.Rev || h.last() != before+1 {
		t.Errorf("what is the same says something: rev %d", got.Rev)
	}
	h.yes(c, permission.ScopeOnce)
}

// mute is a store that settles nothing while it is told so.
type mute struct {
	*sqlite.Store
	on *bool
}

func (m mute) TransitAll(ctx context.Context, list []permission.Transition) ([]permission.Call, error) {
	if *m.on {
		return nil, errFault
	}
	return m.Store.TransitAll(ctx, list)
}

// Where a waiting call could not say so, a yes finds it.
func TestAYesToACallThatDoesNotSayThatItsToolChanged(t *testing.T) {
	h := allowed(t)
	defer h.close()
	on := false
	d, err := desk.Open(ctx, storetest.Stores(mute{h.store, &on}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h.parts, on = partsOf(d), true
	c := h.hold("read")
	h.saw(readLater)
	if got := h.want(c, permission.Pending, false); got.Rev != c.Rev {
		t.Fatalf("this shows nothing: %+v", got)
	}
	_, err = h.decide(c, true)
	h.wantCode(err, permission.CodeStale, permission.Pending)
	if got := h.want(c, permission.Pending, false); got.Why.Changed != permission.ChangedDefinition || got.Rev == c.Rev {
		t.Errorf("%+v", got)
	} else if _, err := h.decide(got, true); err != nil {
		t.Error(err)
	}
}
