package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// seen is a set that has met the calls often enough to remember them.
func seen(s *policy.Set, calls ...policy.Call) *policy.Set {
	for range 3 {
		for _, c := range calls {
			s.Decide(c, rulestest.Now)
		}
	}
	return s
}

func known(s *policy.Set, c policy.Call) bool {
	ok, _ := s.Remembers(c)
	return ok
}

func deny(id string, pattern string, priority int64) permission.Rule {
	return permission.Rule{ID: permission.RuleID(id), ToolPattern: &pattern, Effect: permission.Deny, Enabled: true, Priority: priority}
}

// TestADraftRemembersForItself: it decides as the edited rules would, and what it meets
// is nothing to the set that it came from.
func TestADraftRemembersForItself(t *testing.T) {
	call, other := policy.Call{ToolName: "read_it"}, policy.Call{ToolName: "other"}
	s := seen(rulestest.Set(t, `[{"id":"a","toolPattern":"read_*","effect":"allow"},{"id":"b","toolName":"other","effect":"allow"}]`), call)
	d := s.Draft([]permission.Rule{deny("n", "read_*", 9)}, []permission.RuleID{"b"})
	seen(d, call, other)
	if d.Decide(call, rulestest.Now).Effect != permission.Deny || d.Decide(other, rulestest.Now).Effect != permission.Ask || d.Len() != 2 {
		t.Errorf("the draft: %v and %v", d.Decide(call, rulestest.Now), d.Decide(other, rulestest.Now))
	}
	if _, names := s.Remembers(call); !known(s, call) || names != 1 || known(s, other) || s.Len() != 2 {
		t.Errorf("the set remembers %d names", names)
	}
	if s.Decide(call, rulestest.Now).Effect != permission.Allow || s.Decide(other, rulestest.Now).Effect != permission.Allow {
		t.Error("a draft decides")
	}
	if r, found := s.Rule("a"); !found || *r.ToolPattern != "read_*" {
		t.Errorf("rule a: %+v %v", r, found)
	}
	if r, found := d.Rule("b"); found {
		t.Errorf("rule b: %+v", r)
	}
}

// TestMemoSurvivesEdits: an edit empties the memo only where it must.
func TestMemoSurvivesEdits(t *testing.T) {
	call, other := policy.Call{ServerID: new("fs"), ToolName: "Read_it"}, policy.Call{ToolName: "write"}
	base := []permission.Rule{{ID: "ok", ToolPattern: new("read_*"), Effect: permission.Allow, AutoApprove: true, Enabled: true, Priority: 5},
		{ID: "low", Effect: permission.Ask, Enabled: true}, {ID: "off", Effect: permission.Deny, Priority: 9}}
	disabled, elsewhere := deny("n", "read_*", 9), deny("n", "read_*", 9)
	disabled.Enabled, elsewhere.ServerID = false, new("shell")
	for name, tt := range map[string]struct {
		put    []permission.Rule
		remove []permission.RuleID
		stays  bool
		effect permission.Effect
	}{
		"nothing":            {nil, nil, true, permission.Allow},
		"another pattern":    {[]permission.Rule{deny("n", "write*", 9)}, nil, true, permission.Allow},
		"another server":     {[]permission.Rule{elsewhere}, nil, true, permission.Allow},
		"a disabled rule":    {[]permission.Rule{disabled}, nil, true, permission.Allow},
		"a weaker rule":      {[]permission.Rule{deny("n", "read_*", 4)}, nil, true, permission.Allow},
		"weaker rules go":    {nil, []permission.RuleID{"low", "off"}, true, permission.Allow},
		"a stronger rule":    {[]permission.Rule{deny("n", "READ_*", 6)}, nil, false, permission.Deny},
		"its rule goes":      {nil, []permission.RuleID{"ok"}, false, permission.Ask},
		"its rule changes":   {[]permission.Rule{deny("ok", "write*", 5)}, nil, false, permission.Ask},
		"a rule is enabled":  {[]permission.Rule{deny("off", "*", 9)}, nil, false, permission.Deny},
		"many rules at once": {rulestest.ShapeRules(0, 50), nil, false, permission.Allow},
	} {
		s := seen(policy.Compile(base, 0), call, other)
		if !known(s, call) {
			t.Fatal("not remembered")
		}
		edited := s.Edit(tt.put, tt.remove, 1)
		if known(edited, call) != tt.stays {
			t.Errorf("%s: known %v", name, !tt.stays)
		}
		if d := edited.Decide(call, rulestest.Now); d.Effect != tt.effect {
			t.Errorf("%s: %+v", name, d)
		}
		if d := s.Decide(call, rulestest.Now); d.Effect != permission.Allow {
			t.Errorf("%s: the old set: %+v", name, d)
		}
	}
}

// TestMemoOfBranches: two sets that were made of the same one share a memo and not what
// each knows.
func TestMemoOfBranches(t *testing.T) {
	call := policy.Call{ToolName: "x"}
	root := seen(policy.Compile([]permission.Rule{{ID: "a", Effect: permission.Allow, AutoApprove: true, Enabled: true}}, 0), call)
	left, right := root.Edit([]permission.Rule{deny("n", "x*", 1)}, nil, 1), root.Edit([]permission.Rule{deny("n", "y*", 1)}, nil, 1)
	for range 5 {
		for s, want := range map[*policy.Set]permission.Effect{left: permission.Deny, right: permission.Allow, root: permission.Allow,
			root.Doubting(permission.Said("d")): permission.Ask} {
			if d := s.Decide(call, rulestest.Now); d.Effect != want {
				t.Fatalf("%s: %+v", want, d)
			}
		}
	}
}

// TestMemoAfterManyEdits: what is older than the edits that a set remembers is forgotten.
func TestMemoAfterManyEdits(t *testing.T) {
	call := policy.Call{ToolName: "x"}
	s := seen(policy.Compile(nil, 0), call)
	for i := range 15 {
		s = s.Edit([]permission.Rule{deny(fmt.Sprint(i), "y", 0)}, nil, 0)
	}
	if !known(s, call) {
		t.Error("forgotten after 15 edits")
	}
	old := seen(policy.Compile(nil, 0), call)
	s = old
	for i := range 16 {
		s = s.Edit([]permission.Rule{deny(fmt.Sprint(i), "x", 0)}, nil, 0)
	}
	if known(s, call) || s.Decide(call, rulestest.Now).Effect != permission.Deny {
		t.Error("remembered")
	}
}

// TestMemoHoldsNoOutcome: time and input decide anew each time.
func TestMemoHoldsNoOutcome(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"until","priority":9,"effect":"allow","expiresAt":"2025-06-15T15:06:40.001Z"},
		{"id":"if","priority":8,"effect":"deny","condition":"input.n == 1"}, {"id":"else","effect":"ask"}]`)
	one, two := json.RawMessage(`{"n":1}`), json.RawMessage(`{"n":2}`)
	for range 5 {
		for _, tt := range []struct {
			input json.RawMessage
			at    permission.Time
			want  permission.RuleID
		}{{one, rulestest.Now, "until"}, {one, rulestest.Now + 1, "if"}, {two, rulestest.Now + 2, "else"}, {two, rulestest.Now, "until"},
			{nil, rulestest.Now + 1, "if"}} {
			if d := s.Decide(policy.Call{ToolName: "x", Input: tt.input}, tt.at); d.Rule.ID != tt.want {
				t.Fatalf("%s at %d: %+v", tt.input, tt.at, d)
			}
		}
	}
	if !known(s, policy.Call{ToolName: "x"}) {
		t.Error("not remembered")
	}
}

// TestMemoIsBounded: in number, in the length of a name, and against names that are
// made up anew.
func TestMemoIsBounded(t *testing.T) {
	s := policy.Compile(nil, 0)
	for i := range 40_000 {
		s.Decide(policy.Call{ToolName: fmt.Sprint(i)}, rulestest.Now)
	}
	if _, names := s.Remembers(policy.Call{}); names > 4000 {
		t.Errorf("%d names of 40,000 that came once", names)
	}
	for i := range 30_000 {
		seen(s, policy.Call{ToolName: fmt.Sprint("again", i)})
	}
	if _, names := s.Remembers(policy.Call{}); names > 4*4096 || names < 4*4096/2 {
		t.Errorf("%d names", names)
	}
	long := strings.Repeat("x", 257)
	for _, c := range []policy.Call{{ToolName: long}, {ServerID: &long, ToolName: "x"}, {ToolName: " bad"}, {}} {
		if known(seen(s, c), c) {
			t.Errorf("%.9q: remembered", c.ToolName)
		}
	}
	many := make([]permission.Rule, 17)
	for i := range many {
		many[i] = deny(fmt.Sprint(i), "*", int64(i))
		many[i].ExpiresAt = rulestest.Now + 1
	}
	if c := (policy.Call{ToolName: "x"}); known(seen(policy.Compile(many, 0), c), c) || !known(seen(policy.Compile(many[1:], 0), c), c) {
		t.Error("the number of candidates that are remembered")
	}
}

// TestMemoDoesNotHoldTheCaller: names are copies, since the caller's may be cut out of
// something large, or its pointer may change.
func TestMemoDoesNotHoldTheCaller(t *testing.T) {
	server := "fs"
	s := seen(rulestest.Set(t, `[{"id":"a","serverId":"fs","effect":"allow"}]`), policy.Call{ServerID: &server, ToolName: "x"})
	server = "shell"
	for range 3 {
		if d := s.Decide(policy.Call{ServerID: &server, ToolName: "x"}, rulestest.Now); d.Effect != permission.Ask {
			t.Fatalf("%+v", d)
		}
	}
	if !known(s, policy.Call{ServerID: new("fs"), ToolName: "x"}) {
		t.Error("the entry changed")
	}
}

// TestManyAskAtOnce is for the race detector: sets that come from one another decide and
// are edited at the same time, and each is always right.
func TestManyAskAtOnce(t *testing.T) {
	s := policy.Compile(rulestest.ShapeRules(5, 200), 0)
	calls := shapeCalls(5, 200, 50)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			mine, name := s, fmt.Sprint("deny-", w)
			for round := range 30 {
				text := calls[(round+w)%len(calls)].ToolName
				rule := permission.Rule{ID: permission.RuleID(name), ToolName: &text, Effect: permission.Deny, Enabled: true, Priority: 99}
				mine = mine.Edit([]permission.Rule{rule}, nil, int64(round))
				for _, c := range calls {
					d := mine.Decide(c, rulestest.Now)
					if (d.Effect == permission.Deny) != (c.ToolName == text) {
						t.Errorf("%s: %+v", c.ToolName, d)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestDecideAllocatesNothing(t *testing.T) {
	for shape := range rulestest.Shapes {
		s, calls := policy.Compile(rulestest.ShapeRules(shape, 1000), 0), shapeCalls(shape, 1000, 3000)
		i := 0
		if n := testing.AllocsPerRun(2000, func() { s.Decide(calls[i], rulestest.Now); i++ }); n != 0 {
			t.Errorf("%s: %v allocations for a new name", rulestest.Shapes[shape].Name, n)
		}
		call := calls[0]
		seen(s, call)
		if n := testing.AllocsPerRun(100, func() { s.Decide(call, rulestest.Now) }); n != 0 || !known(s, call) {
			t.Errorf("%s: %v allocations for a name seen before", rulestest.Shapes[shape].Name, n)
		}
		edited := s.Edit([]permission.Rule{deny("n", "other", 99)}, nil, 1)
		if n := testing.AllocsPerRun(1, func() { edited.Decide(call, rulestest.Now) }); n != 0 {
			t.Errorf("%s: %v allocations after an edit", rulestest.Shapes[shape].Name, n)
		}
	}
	s := policy.Compile([]permission.Rule{deny("n", "*", 1)}, 0)
	if n := testing.AllocsPerRun(100, func() { s.Decide(policy.Call{ToolName: "a\nb"}, rulestest.Now) }); n > 6 { // the words of the issue
		t.Errorf("%v allocations for a bad name", n)
	}
}
