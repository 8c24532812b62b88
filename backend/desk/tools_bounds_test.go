package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// A hostile list costs no more than its bounds.
func TestManyTools(t *testing.T) {
	h := allowed(t)
	defer h.close()
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf(`{"name":"read_%d","description":%q}`, i, strings.Repeat("x", 5000)))
	}
	h.saw(many...)
	pins, err := h.store.ToolPins(ctx)
	if err != nil || len(pins) != 1000 || !slices.ContainsFunc(pins, func(p permission.ToolPin) bool {
		return p.ToolName == "read" && p.Launch != ""
	}) {
		t.Errorf("%d pins, %v", len(pins), err)
	}
	before := h.last()
	h.wantAllowed("read")
	watched, unwatched := 0, 0
	for i := range 20 {
		switch c := h.ask(fmt.Sprint("read_", 150*i)); c.Status {
		case permission.Approved:
			watched++
		case permission.Pending:
			unwatched++
		}
	}
	if watched == 0 || unwatched == 0 {
		t.Errorf("%d watched, %d not", watched, unwatched)
	}
	if h.last() == before {
		t.Error("nothing was kept")
	}
	h.saw(`{"name":"` + strings.Repeat("n", 1000) + `"}`)
	h.saw(`{"name":"read","description":"` + strings.Repeat("y", 300<<10) + `"}`)
	h.wantAsked("read", permission.ChangedDefinition)
	if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || !got.After.Cut || len(got.After.Text) > 257<<10 {
		t.Errorf("%d bytes, cut %v, %v", len(got.After.Text), got.After.Cut, err)
	}
}

func TestNamesInNoListAreBounded(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.rule(permission.Allow, "*")
	for i := range 250 {
		h.wantAllowed(fmt.Sprint("made_up_", i))
	}
	if c := h.ask("one_too_many"); c.Status != permission.Pending {
		t.Errorf("%+v", c)
	}
	h.saw(readTool)
	h.wantAllowed("read")
	server := "elsewhere"
	r := h.request("any")
	r.ServerID = &server
	if c := h.askAll(r); c.Status != permission.Approved {
		t.Errorf("a server that is not behind the desk: %+v", c)
	}
}

// Depth makes an indented text far longer than its JSON.
func TestADeepDefinitionIsCut(t *testing.T) {
	h := allowed(t)
	defer h.close()
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	h.saw(`{"name":"read","inputSchema":` + deep + `}`)
	if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || len(got.After.Text) > 257<<10 {
		t.Errorf("%d bytes, %v", len(got.After.Text), err)
	}
	h.wantAsked("read", permission.ChangedDefinition)
}

// witness looks at the store when a call comes to it.
type witness struct {
	*sqlite.Store
	look func()
}

func (w witness) Suspend(ctx context.Context, sus permission.Suspension) (permission.Call, permission.Kept, error) {
	w.look()
	return w.Store.Suspend(ctx, sus)
}

// What a rule allows is pinned before it is allowed: no list comes between.
func TestAToolIsPinnedBeforeItIsAllowed(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.rule(permission.Allow, "read")
	h.saw(readTool)
	looked := false
	d, err := desk.Open(ctx, storetest.Stores(witness{h.store, func() {
		looked = true
		if pins, err := h.store.ToolPins(ctx); err != nil || len(pins) != 1 || pins[0].Launch == "" || pins[0].Pinned != pins[0].Seen {
			t.Errorf("%+v %v", pins, err)
		}
	}}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if c, _, err := d.Calls.Ask(ctx, h.agent, h.request("read")); err != nil || c.Status != permission.Approved || !looked {
		t.Errorf("%+v %v, looked %v", c.Status, err, looked)
	}
}

// forgetful is a store that keeps nothing of tools while it is told so.
type forgetful struct {
	*sqlite.Store
	on *bool
}

func (f forgetful) EditTools(ctx context.Context, of permission.Versions, e permission.ToolEdit) (permission.Versions, error) {
	if *f.on {
		return of, errFault
	}
	return f.Store.EditTools(ctx, of, e)
}

// What could not be kept is not taken for no change.
func TestAChangeThatCannotBeKeptAsks(t *testing.T) {
	h := allowed(t)
	defer h.close()
	failing := false
	d, err := desk.Open(ctx, storetest.Stores(forgetful{h.store, &failing}), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	list := []permission.OfferedTool{{Name: "read", Raw: json.RawMessage(`{"name":"read"}`)}}
	ask := func(status permission.Status) {
		t.Helper()
		if c, _, err := d.Calls.Ask(ctx, h.agent, h.request("read")); err != nil || c.Status != status {
			t.Errorf("%s %+v %v, want %s", c.Status, c.Why, err, status)
		}
	}
	ask(permission.Approved)
	failing = true
	if err := d.Catalogue.Saw(ctx, "filesystem", list); !errors.Is(err, errFault) {
		t.Error(err)
	}
	ask(permission.Pending)
	if c, _, err := d.Calls.Ask(ctx, h.agent, h.request("read_new")); !errors.Is(err, errFault) { // it cannot be pinned, and so not allowed
		t.Errorf("%+v %v", c, err)
	}
	failing = false
	if err := d.Catalogue.Saw(ctx, "filesystem", list); err != nil {
		t.Error(err)
	}
	if _, err := d.Catalogue.AcceptTool(ctx, "filesystem", "read", permission.SeenTool{}); err != nil {
		t.Error(err)
	}
	ask(permission.Approved)
}

// TestAChangeOutrunsNoClaim lets a changed list and calls of the tool race. Once the
// change was recorded nothing is claimed that a rule allowed.
func TestAChangeOutrunsNoClaim(t *testing.T) {
	h := allowed(t)
	defer h.close()
	for i := range 80 {
		requests := []permission.Request{h.request("read"), h.request("read"), h.request("read")}
		var all sync.WaitGroup
		all.Go(func() { h.saw(fmt.Sprintf(`{"name":"read","title":"%d"}`, i)) })
		for _, r := range requests {
			all.Go(func() {
				c, _, err := h.Ask(ctx, h.agent, r)
				if err == nil && c.Status == permission.Approved {
					_, _ = h.claim(c)
				}
			})
		}
		all.Wait()
		h.accept("read")
	}
	changed := false
	entries := h.entries()
	sent := map[permission.CallID]bool{}
	for _, e := range entries {
		var said struct {
			What   string            `json:"what"`
			Status permission.Status `json:"status"`
		}
		if err := json.Unmarshal(e.Data, &said); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Kind == permission.ServersChanged:
			changed = said.What == "toolChanged"
		case e.Kind == permission.CallCreated && changed && said.Status == permission.Approved, e.Kind == permission.CallClaimed && changed:
			t.Fatalf("entry %d lets a call pass after the change: %s", e.Seq, e.Data)
		case e.CallID != nil:
			sent[*e.CallID] = true
		}
	}
	if len(sent) < 240 {
		t.Errorf("%d calls: this shows nothing", len(sent))
	}
}

// What a server says may destroy is of high risk, whichever way the call comes, after a
// restart too; and no later list takes that back.
func TestADestructiveHintStays(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx")
	h.saw(`{"name":"tidy","annotations":{"destructiveHint":false}}`, `{"name":"odd","annotations":{"destructiveHint":"yes"}}`,
		`{"name":"twice"}`,
		`{"name":"twice","annotations":{"destructiveHint":true}}`, `{"name":"named","ANNOTATIONS":{"DestructiveHint":true}}`)
	first := h.ask("odd")
	want := func(tool string, risk permission.Risk, reasons ...permission.RiskCode) {
		t.Helper()
		server, elsewhere := "filesystem", "other"
		v, err := h.Evaluate(ctx, permission.Query{ServerID: &server, ToolName: tool})
		if c := h.ask(tool); err != nil || v.Risk != risk || c.Risk != risk || !slices.Equal(riskCodes(v.RiskReasons), reasons) ||
			!slices.Equal(riskCodes(c.RiskReasons), reasons) {
			t.Errorf("%s: the tester says %s %v, the gate %s %v, %v; want %s %v", tool, v.Risk, v.RiskReasons, c.Risk, c.RiskReasons, err, risk,
				reasons)
		}
		for _, server := range []*string{nil, &elsewhere} {
			if v, err := h.Evaluate(ctx, permission.Query{ServerID: server, ToolName: tool}); err != nil || v.Risk != permission.RiskMedium {
				t.Errorf("%s of another server: %+v %v", tool, v, err)
			}
		}
	}
	said := permission.RiskHint
	want("tidy", permission.RiskMedium, permission.RiskUnknownTool)
	want("odd", permission.RiskMedium, permission.RiskUnknownTool)
	want("twice", permission.RiskHigh, said)
	want("named", permission.RiskHigh, said)
	h.saw(`{"name":"tidy","annotations":{"destructiveHint":true}}`)
	want("tidy", permission.RiskHigh, said)
	_, settled := h.answer(first, permission.Answer{Approved: true, Scope: permission.ScopeSession})
	if len(settled) != 1 { // the other one of that time, and none that is high
		t.Errorf("settled %v", settled)
	}
	h.saw(`{"name":"tidy","annotations":{"destructiveHint":false}}`)
	want("tidy", permission.RiskHigh, said)
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.n = 100 // other calls
	want("tidy", permission.RiskHigh, said)
}

// Hints are claims: no rule looks at them, so that a tool which says that it only reads
// is allowed no sooner, and one that says nothing is not taken for one that says no.
func TestHintsAllowNothing(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	for i, hints := range []string{`{"readOnlyHint":true,"destructiveHint":false}`, `{}`} {
		name := fmt.Sprint("tool_", i)
		h.saw(fmt.Sprintf(`{"name":%q,"annotations":%s}`, name, hints))
		if c := h.ask(name); c.Status != permission.Pending || c.Why.Reason != "no rule applies" {
			t.Errorf("%s: %+v", hints, c)
		}
	}
}

// riskCodes are the codes of reasons.
func riskCodes(reasons []permission.RiskReason) (codes []permission.RiskCode) {
	for _, r := range reasons {
		codes = append(codes, r.Code)
	}
	return codes
}
