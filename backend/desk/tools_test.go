package desk_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

const readTool = `{"name":"read","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"const":5.0}}},"annotations":{"readOnlyHint":true}}`

// install makes filesystem a server behind the desk.
func (h *house) install(command string, args ...string) {
	h.Helper()
	_, _, err := h.ReplaceServers(ctx, "",
		[]permission.Server{{ID: "filesystem", Transport: permission.TransportStdio, Command: command, Args: args,
			Env: map[string]string{"TOKEN": "one"}, Enabled: true}})
	if err != nil {
		h.Fatal(err)
	}
}

// saw lets the desk hear a list of filesystem.
func (h *house) saw(entries ...string) {
	h.Helper()
	var offered []permission.OfferedTool
	for _, e := range entries {
		var named struct{ Name string }
		if err := json.Unmarshal([]byte(e), &named); err != nil {
			h.Fatal(err)
		}
		offered = append(offered, permission.OfferedTool{Name: named.Name, Raw: json.RawMessage(e)})
	}
	if err := h.Saw(ctx, "filesystem", offered); err != nil {
		h.Fatal(err)
	}
}

func (h *house) wantAsked(tool string, change permission.ToolChange) permission.Call {
	h.Helper()
	c := h.ask(tool)
	if c.Status != permission.Pending || c.Why.Changed != change || c.Why.Rule != nil || c.OnlyOnce == "" {
		h.Errorf("%s is %s, changed %q, %+v, class %v: want pending, changed %q, by no rule, once only", tool, c.Status, c.Why.Changed, c.Why,
			c.OnlyOnce, change)
	}
	server := "filesystem"
	v, err := h.Evaluate(ctx, permission.Query{ServerID: &server, ToolName: tool})
	if err != nil || v.Decision != permission.Ask || v.Reason != c.Why.Reason {
		h.Errorf("the tester says %+v, %v; the gate %+v", v, err, c.Why)
	}
	return c
}

func (h *house) wantAllowed(tool string) permission.Call {
	h.Helper()
	c := h.ask(tool)
	if c.Status != permission.Approved || c.Why.Changed != "" {
		h.Errorf("%s is %s, %+v: want approved", tool, c.Status, c.Why)
	}
	return c
}

// wantFallen claims a call whose tool has changed since it was approved: it waits again.
func (h *house) wantFallen(c permission.Call) {
	h.Helper()
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Pending)
	if got := h.want(c, permission.Pending, false); got.Why.Changed != permission.ChangedDefinition {
		h.Errorf("%+v", got.Why)
	}
}

func (h *house) accept(tool string) {
	h.Helper()
	if _, err := h.AcceptTool(ctx, "filesystem", tool, permission.SeenTool{}); err != nil {
		h.Fatal(err)
	}
}

// allowed is a house with a tool that a rule allowed once.
func allowed(t *testing.T) *house {
	h := open(t)
	h.install("npx", "files")
	h.rule(permission.Allow, "read*")
	h.saw(readTool)
	h.wantAllowed("read")
	return h
}

func TestAnyChangeOfMeaningAsksAgain(t *testing.T) {
	for name, entry := range map[string]string{
		"icons":            strings.Replace(readTool, `{"name"`, `{"icons":[{"src":"x"}],"name"`, 1),
		"_meta":            strings.Replace(readTool, `{"name"`, `{"_meta":{"t":1},"name"`, 1),
		"execution":        strings.Replace(readTool, `{"name"`, `{"execution":{"taskSupport":"required"},"name"`, 1),
		"of tomorrow":      strings.Replace(readTool, `{"name"`, `{"x":null,"name"`, 1),
		"title":            strings.Replace(readTool, `{"name"`, `{"title":"R","name"`, 1),
		"description":      strings.Replace(readTool, "Reads a", "Reads  a", 1),
		"hidden letter":    strings.Replace(readTool, "a file", "a\u200b file", 1),
		"schema":           strings.Replace(readTool, `"path"`, `"Path"`, 1),
		"number's writing": strings.Replace(readTool, "5.0", "5", 1),
		"outputSchema":     strings.Replace(readTool, `{"name"`, `{"outputSchema":{},"name"`, 1),
		"hint turned":      strings.Replace(readTool, "true", "false", 1),
		"hint taken away":  strings.Replace(readTool, `,"annotations":{"readOnlyHint":true}`, "", 1),
		"hint empty":       strings.Replace(readTool, `"readOnlyHint":true`, "", 1),
		"other case":       strings.Replace(readTool, `{"name"`, `{"Description":"Sends it away.","name"`, 1),
		"written twice":    strings.Replace(readTool, `{"name"`, `{"description":"Sends it away.","name"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			h := allowed(t)
			defer h.close()
			h.saw(entry)
			if c := h.wantAsked("read", permission.ChangedDefinition); !c.Why.Withheld {
				t.Errorf("%+v", c.Why)
			}
			h.accept("read")
			h.wantAllowed("read")
			h.saw(readTool)
			h.wantAsked("read", permission.ChangedDefinition)
		})
	}
}

func TestWhatIsNoChange(t *testing.T) {
	for name, entry := range map[string]string{
		"order of keys": `{"annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"n":{"const":5.0},"path":{"type":"string"}},"type":"object"},"description":"Reads a file.","name":"read"}`,
		"blanks":        strings.ReplaceAll(readTool, ":", " :\n "),
		"escapes":       strings.Replace(readTool, "Reads", `\u0052eads`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			h := allowed(t)
			defer h.close()
			h.saw(readTool, `{"name":"other"}`)
			before := h.last()
			h.saw(entry)
			h.saw(`{"name":"other"}`) // it is gone
			h.saw(readTool, `{"name":"other"}`)
			if h.last() != before {
				t.Error("the journal tells of a change")
			}
			h.wantAllowed("read")
		})
	}
}

func (h *house) last() int64 {
	h.Helper()
	seq, err := h.store.LastSeq(ctx)
	if err != nil {
		h.Fatal(err)
	}
	return seq
}

func TestASecondDefinitionOfTheSameNameIsAChange(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readTool, `{"name":"read","description":"Sends it away."}`)
	h.wantAsked("read", permission.ChangedDefinition)
	got, err := h.Tool(ctx, "filesystem", "read")
	if err != nil || !strings.Contains(got.After.Text, "Reads a file.") || !strings.Contains(got.After.Text, "Sends it away.") ||
		strings.Contains(got.Before.Text, "away") {
		t.Errorf("%+v %v", got, err)
	}
}

// A server that shows another definition for a moment has shown it to a model.
func TestAChangeThatIsTakenBackWasOne(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(`{"name":"read","description":"Sends it away."}`)
	h.saw(readTool)
	h.wantAsked("read", permission.ChangedDefinition)
	if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || !got.Back || !strings.Contains(got.After.Text, "away") {
		t.Errorf("%+v %v", got, err)
	}
	h.accept("read")
	h.wantAllowed("read")
	h.saw(readTool)
	h.wantAllowed("read")
}

func TestAnotherCommandAsksAgain(t *testing.T) {
	h := allowed(t)
	defer h.close()
	waiting := h.ask("write")
	h.install("npx", "files", "--all")
	if got := h.ChangedTools("filesystem"); !slices.Equal(got, []string{"read"}) {
		t.Errorf("changed tools: %q", got)
	}
	h.wantAsked("read", permission.ChangedLaunch)
	h.wantAsked("read_more", permission.ChangedLaunch) // nobody allowed it before, and nothing of the new command
	h.saw(`{"name":"read"}`, `{"name":"nobody's"}`)
	h.wantAsked("read", permission.ChangedBoth)
	h.install("npx", "files")
	h.wantAsked("read", permission.ChangedDefinition)
	h.install("npx", "other")
	h.accept("read")
	h.wantAllowed("read")
	h.wantAllowed("read_more")
	h.want(waiting, permission.Pending, false)
	if _, _, err := h.ReplaceServers(ctx, "",
		[]permission.Server{{ID: "filesystem", Transport: permission.TransportStdio, Command: "npx", Args: []string{"other"},
			Env: map[string]string{"TOKEN": "two"}, Enabled: true}}); err != nil {
		t.Fatal(err)
	}
	h.wantAllowed("read") // a secret's value is nobody's concern
	if _, _, err := h.ReplaceServers(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	pins, err := h.store.ToolPins(ctx)
	if err != nil || slices.ContainsFunc(pins, func(p permission.ToolPin) bool { return p.Launch == "" }) || len(pins) == 0 {
		t.Errorf("of a server that is gone there is still %+v, %v", pins, err)
	}
	h.install("npx", "third")
	h.wantAsked("read", permission.ChangedLaunch)
}

// A tool that was in no list is allowed by its name; its first definition completes that.
func TestAToolThatWasInNoList(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.rule(permission.Allow, "read*")
	h.wantAllowed("read")
	h.saw(readTool)
	h.wantAllowed("read")
	h.saw(`{"name":"read"}`)
	h.wantAsked("read", permission.ChangedDefinition)
}

// What a person approves says nothing of the tool, and an answer of wider scope does
// not reach a tool that changed.
func TestAPersonsYesIsNotForTheTool(t *testing.T) {
	h := allowed(t)
	defer h.close()
	h.saw(readTool, `{"name":"write"}`)
	write := h.ask("write")
	if _, _, _, err := h.Decide(ctx, write.ID, permission.Answer{Approved: true, InputHash: write.InputHash, Rev: write.Rev,
		Scope: permission.ScopeSession}); err != nil {
		t.Fatal(err)
	}
	h.wantAllowed("write") // by the grant, which pins it
	waiting := h.hold("write")
	h.saw(`{"name":"read","title":"x"}`, `{"name":"write","title":"x"}`)
	read := h.wantAsked("read", permission.ChangedDefinition)
	if c := h.ask("write"); c.Status != permission.Pending || c.Why.Changed != permission.ChangedDefinition {
		t.Errorf("a grant allowed a changed tool: %+v", c)
	}
	h.rule(permission.Ask, "make") // another question, which the grant does not answer
	other := h.ask("make")
	if _, settled, _, err := h.Decide(ctx, other.ID,
		permission.Answer{Approved: true, InputHash: other.InputHash, Rev: other.Rev, Scope: permission.ScopeSession}); err != nil ||
		len(settled) > 0 {
		t.Errorf("an answer settled calls of tools that changed: %v %v", settled, err)
	}
	h.want(waiting, permission.Pending, false)
	if c, err := h.decide(read, true); err != nil {
		t.Fatal(err)
	} else if _, err := h.claim(c); err != nil {
		t.Errorf("what a person approved: %v", err)
	}
	h.wantAsked("read", permission.ChangedDefinition)
	h.rule(permission.Deny, "read")
	if c := h.ask("read"); c.Status != permission.Denied {
		t.Errorf("a deny rule: %+v", c)
	}
}

// hold keeps a call of a tool waiting that would be allowed.
func (h *house) hold(tool string) permission.Call {
	h.Helper()
	if err := h.Hold(ctx, true); err != nil {
		h.Fatal(err)
	}
	c := h.ask(tool)
	if err := h.Hold(ctx, false); err != nil {
		h.Fatal(err)
	}
	if c.Status != permission.Pending || c.OnlyOnce != permission.OnceAlone {
		h.Fatalf("%+v", c)
	}
	return c
}

func TestAChangeBeforeTheClaimSendsItBack(t *testing.T) {
	for name, approved := range map[string]func(h *house) permission.Call{
		"by a rule": func(h *house) permission.Call { return h.wantAllowed("read") },
		"by a grant": func(h *house) permission.Call {
			h.saw(readTool, `{"name":"write"}`)
			c := h.ask("write")
			if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev,
				Scope: permission.ScopeSession}); err != nil {
				h.Fatal(err)
			}
			return h.wantAllowed("write")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := allowed(t)
			defer h.close()
			c := approved(h)
			h.saw(`{"name":"read","title":"x"}`, `{"name":"write","title":"x"}`)
			_, err := h.claim(c)
			h.wantCode(err, permission.CodeNotApproved, permission.Pending)
			if got := h.want(c, permission.Pending, false); got.Why.Changed != permission.ChangedDefinition || !got.Why.Withheld {
				t.Errorf("%+v", got.Why)
			}
		})
	}
}

func TestReleaseDoesNotPassAChange(t *testing.T) {
	h := open(t)
	defer h.close()
	h.install("npx")
	h.saw(readTool)
	r := h.rule(permission.Allow, "read")
	h.wantAllowed("read")
	c := h.hold("read")
	h.saw(`{"name":"read"}`)
	if n, err := h.Release(ctx, r.ID); err != nil || n != 0 {
		t.Errorf("released %d, %v", n, err)
	}
	h.accept("read")
	h.want(c, permission.Pending, false)
	if n, err := h.Release(ctx, r.ID); err != nil || n != 1 {
		t.Errorf("released %d, %v", n, err)
	}
}

func TestThePreviewKnowsOfChanges(t *testing.T) {
	h := allowed(t)
	defer h.close()
	draft := permission.Draft{Rules: []permission.Rule{}}
	preview := func() permission.Preview {
		p, err := h.Preview(ctx, draft)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := preview(); p.Counts["allow>ask"] != 1 {
		t.Errorf("before the change: %+v", p)
	}
	h.saw(`{"name":"read"}`)
	if p := preview(); p.ChangedTotal != 0 || p.Total != 1 {
		t.Errorf("a tool that asks already: %+v", p)
	}
	all, allow := "*", permission.Allow
	draft.Rules = []permission.Rule{{ID: "all", ToolPattern: &all, Effect: allow, AutoApprove: true, Enabled: true}}
	if p := preview(); p.ChangedTotal != 0 {
		t.Errorf("rules that would allow it: %+v", p)
	}
	draft = permission.Draft{Put: []permission.DraftRule{{ID: "all", Lay: func(f *permission.RuleForm) error {
		f.ToolPattern, f.Effect = &all, &allow
		return nil
	}}}}
	if p := preview(); p.ChangedTotal != 0 || p.Matched != 1 {
		t.Errorf("one that would allow it: %+v", p)
	}
}

func TestPinsOutliveTheDesk(t *testing.T) {
	dir := t.TempDir()
	h := openAt(t, dir)
	h.install("npx")
	h.rule(permission.Allow, "*")
	h.saw(readTool, `{"name":"other"}`)
	h.wantAllowed("read")
	h.wantAllowed("unseen")
	h.close()
	h = openAt(t, dir)
	h.n = 100
	h.wantAllowed("read")
	h.saw(`{"name":"read"}`, `{"name":"other"}`, `{"name":"unseen"}`)
	h.wantAsked("read", permission.ChangedDefinition)
	h.wantAllowed("unseen")
	h.close()
	h = openAt(t, dir)
	defer h.close()
	h.n = 200
	h.wantAsked("read", permission.ChangedDefinition)
	if got, err := h.Tool(ctx, "filesystem", "read"); err != nil || !strings.Contains(got.Before.Text, `"description": "Reads a file."`) ||
		got.After.Text == "" {
		t.Errorf("%+v %v", got, err)
	}
	h.accept("read")
	h.wantAllowed("read")
}

func TestAcceptIsForWhatWasShown(t *testing.T) {
	h := allowed(t)
	defer h.close()
	_, err := h.AcceptTool(ctx, "filesystem", "write", permission.SeenTool{})
	h.wantCode(err, permission.CodeNotFound, "")
	_, err = h.AcceptTool(ctx, "elsewhere", "read", permission.SeenTool{})
	h.wantCode(err, permission.CodeNotFound, "")
	h.saw(`{"name":"read","title":"one"}`)
	shown, err := h.Tool(ctx, "filesystem", "read")
	if err != nil {
		t.Fatal(err)
	}
	h.saw(`{"name":"read","title":"two"}`)
	_, err = h.AcceptTool(ctx, "filesystem", "read", permission.SeenTool{Definition: &shown.After.Hash})
	h.wantCode(err, permission.CodeStale, "")
	h.wantAsked("read", permission.ChangedDefinition)
	before := h.last()
	shown, err = h.Tool(ctx, "filesystem", "read")
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.AcceptTool(ctx, "filesystem", "read", permission.SeenTool{Definition: &shown.After.Hash, Launch: &shown.LaunchAfter.Hash})
	if err != nil || got.Change != "" || got.Before != got.After {
		t.Errorf("%+v %v", got, err)
	}
	h.accept("read") // again is nothing
	entries, _, err := h.Entries(ctx, before, 10)
	if err != nil || len(entries) != 1 || entries[0].Kind != permission.ServersChanged || entries[0].Actor != permission.ActorPerson ||
		!strings.Contains(string(entries[0].Data), shown.After.Hash) || !strings.Contains(string(entries[0].Data), shown.Before.Hash) {
		t.Errorf("the journal says %+v, %v", entries, err)
	}
}
