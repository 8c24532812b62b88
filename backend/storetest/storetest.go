// Package storetest is the storage contract: what the desk relies on from a
// keeper, whichever database it has. A keeper's test calls Run.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Store is the keeper under test.
type Store interface {
	desk.CallStore
	desk.SessionStore
	desk.PolicyStore
	desk.PastStore
	desk.CatalogueStore
	desk.AgentStore
	desk.JournalStore
	desk.StateStore
	desk.CountStore
	Close() error
}

// Stores lets one keeper be all that a desk keeps.
func Stores(s Store) desk.Stores {
	return desk.Stores{Calls: s, Sessions: s, Policy: s, Past: s, Catalogue: s, Agents: s, Journal: s, State: s, Counts: s}
}

// Run tests the contract. open opens the keeper of a folder: twice the same
// folder is the same data.
func Run(t *testing.T, open func(t *testing.T, dir string) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"a call is kept whole":              keptWhole,
		"the same identity is the same row": sameIdentity,
		"a gone caller's call is joined":    joined,
		"who asks otherwise joins none":     joinedOtherwise,
		"only what still answers is joined": notJoined,
		"a caller comes back as itself":     cameBack,
		"a question by another door":        byAnotherDoor,
		"a rule's yes by another door":      rulesYesByAnotherDoor,
		"a call without an id":              withoutID,
		"an outdated verdict is not kept":   outdated,
		"the limit counts waiting calls":    limited,
		"guards hold":                       guards,
		"an answer is for what it saw":      saw,
		"one of many wins":                  race,
		"every step is in the journal":      journal,
		"a refused step leaves no trace":    noTrace,
		"lists":                             lists,
		"a list is searched":                searched,
		"rules":                             rules,
		"transitions in one go":             allAtOnce,
		"a rule edit overtakes a step":      overtaken,
		"an answer with its siblings":       wideAnswer,
		"a line by several answers":         together,
		"a call that is asked about anew":   askedAnew,
		"what a person said is remembered":  memory,
		"answers by input":                  answersByInput,
		"an older yes and a newer no":       repeatedYes,
		"a claim is voided":                 voided,
		"an edited input":                   edited,
		"the last approved call":            approved,
		"settings":                          settings,
		"servers and agents":                parties,
		"tools":                             tools,
		"what a desk has copies of":         versions,
		"a changed tool has no siblings":    withheldSiblings,
		"limits have places":                places,
		"a brake for loops":                 brake,
		"a stopped agent":                   stopped,
		"a stopped agent joins no yes":      refusedByDoor,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			defer s.Close()
			test(t, s)
		})
	}
	t.Run("a new process finds what was acknowledged", func(t *testing.T) { reopened(t, open) })
	t.Run("a new process counts what was allowed", func(t *testing.T) { recounted(t, open) })
}

// NewCall is a waiting call of agent a, of which id names all that is unique.
func NewCall(id string) permission.Call {
	server := "filesystem"
	hash, _ := rawjson.Hash(&server, "write_file", []byte(`{"path":"a"}`))
	return permission.Call{
		ID: permission.CallID(id), Rev: 1, ShownRev: 1, RunID: "run", ToolCallID: id,
		Caller:   permission.Caller{SessionID: "session", AgentID: "a", AgentName: "Agent A"},
		ServerID: &server, Method: permission.CallTool, ToolName: "write_file", Input: []byte(`{"path" : "a"}`), InputHash: hash,
		Status: permission.Pending,
		Why:    permission.Why{Explanation: permission.Said("no rule applies")}, Risk: permission.RiskMedium,
		RiskReasons: []permission.RiskReason{},
		CreatedAt:   1_000_000,
		ExpiresAt:   2_000_000,
	}
}

func suspension(c permission.Call) permission.Suspension {
	return permission.Suspension{Call: c, PolicyVersion: 1, MaxPending: 10,
		Entries: []permission.Entry{{At: c.CreatedAt, Kind: permission.CallCreated, Actor: "agent:a"}}}
}

func keep(t *testing.T, s Store, c permission.Call) permission.Call {
	t.Helper()
	sus := suspension(c)
	_, sus.PolicyVersion, _, _ = s.Rules(context.Background())
	got, kept, err := s.Suspend(context.Background(), sus)
	if err != nil || kept != permission.KeptNew {
		t.Fatalf("suspend %s: %v, %v", c.ID, kept, err)
	}
	return got
}

func step(id string, to permission.Status, from ...permission.Status) permission.Transition {
	return permission.Transition{ID: permission.CallID(id), At: 1_500_000, From: from, To: to,
		Entry: permission.Entry{Kind: permission.CallChanged, Actor: permission.ActorPerson}}
}

func keptWhole(t *testing.T, s Store) {
	cwd := "/tmp/日本"
	c := NewCall("1")
	c.Cwd, c.Description, c.Held, c.PatienceUntil = &cwd, "why \"so\"", true, 1_200_000
	c.RiskReasons = []permission.RiskReason{{Code: permission.RiskDeletes, Params: permission.Param("name", "rm"), Text: "because"}}
	c.Sight = permission.SightOf("l", "d")
	c.Why.Rule = &permission.RuleRef{ID: "r", Priority: -3}
	keep(t, s, c)
	got, err := s.Call(context.Background(), "1")
	if err != nil || fmt.Sprintf("%+v", strip(got)) != fmt.Sprintf("%+v", strip(c)) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, c)
	}
	place := permission.InputPlace{Pointer: "/command", Start: 1, End: 3}
	c = NewCall("risky")
	c.RiskReasons = []permission.RiskReason{{Code: permission.RiskDeletes, At: &place}}
	keep(t, s, c)
	if kept, err := s.Call(context.Background(), "risky"); err != nil || len(kept.RiskReasons) != 1 || *kept.RiskReasons[0].At != place {
		t.Errorf("got %+v, %v", kept.RiskReasons, err)
	}
	c, _ = s.Call(context.Background(), "1")
	if *got.ServerID != *c.ServerID || *got.Cwd != cwd || *got.Why.Rule != *c.Why.Rule {
		t.Errorf("got %+v", got)
	}
	c = NewCall("enveloped")
	hash := "sha256:e"
	c.Method, c.Envelope, c.EnvelopeHash, c.Asked, c.Round = "prompts/get", []byte(`{"task" : {}}`), &hash, "sha256:asked",
		permission.FirstRoundAnswers
	keep(t, s, c)
	got, err = s.Call(context.Background(), c.ID)
	if err != nil || got.EnvelopeHash == nil || *got.EnvelopeHash != hash || string(got.Envelope) != string(c.Envelope) ||
		got.Method != c.Method || got.Asked != c.Asked || got.Round != c.Round {
		t.Errorf("got %+v, %v\nwant %+v", got, err, c)
	}
	again := c
	again.ID, again.Envelope, again.Asked = "again", []byte(`{"task":{"ttl":1}}`), "sha256:asked otherwise"
	var conflict *permission.Error
	if _, _, err := s.Suspend(context.Background(), suspension(again)); !errors.As(err, &conflict) ||
		conflict.Code != permission.CodeCallConflict {
		t.Errorf("another envelope under one identity: %v", err)
	}
	c = NewCall("2")
	c.ServerID, c.Subagent, c.InputFixed = nil, &cwd, true
	keep(t, s, c)
	if got, err := s.Call(context.Background(), "2"); err != nil || got.ServerID != nil || got.Subagent == nil || *got.Subagent != cwd ||
		!got.InputFixed || string(got.Input) != string(c.Input) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := s.Call(context.Background(), "3"); !errors.Is(err, permission.NotFound("call")) {
		t.Errorf("unknown id: %v", err)
	}
}

// strip takes the pointers away, which differ by address.
func strip(c permission.Call) permission.Call {
	c.ServerID, c.Cwd, c.Why.Rule = nil, nil, nil
	return c
}

func sameIdentity(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	again := NewCall("1")
	again.ID = "other"
	got, kept, err := s.Suspend(context.Background(), suspension(again))
	if err != nil || kept != permission.KeptSame || got.ID != "1" {
		t.Errorf("same identity: %v %v %v", got.ID, kept, err)
	}
	again.InputHash = "sha256:other"
	_, _, err = s.Suspend(context.Background(), suspension(again))
	var e *permission.Error
	if !errors.As(err, &e) || e.Code != permission.CodeCallConflict || e.Call == nil || e.Call.ID != "1" {
		t.Errorf("other input: %v", err)
	}
}

func leave(t *testing.T, s Store, id string) {
	t.Helper()
	gone := true
	tr := step(id, "", permission.Pending, permission.Approved, permission.Declined)
	tr.SetGone = &gone
	if _, err := s.Transit(context.Background(), tr); err != nil {
		t.Fatalf("leave: %v", err)
	}
}

func joined(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	keep(t, s, NewCall("2")) // live and identical: a row of its own
	leave(t, s, "1")
	leave(t, s, "2")
	back := NewCall("3")
	back.RunID, back.SessionID, back.Held = "run2", "session2", true
	got, kept, err := s.Suspend(context.Background(), suspension(back))
	if err != nil || kept != permission.KeptJoined || got.ID != "1" || got.CallerGone || got.RunID != "run2" || got.ToolCallID != "3" ||
		!got.Held {
		t.Errorf("joined %+v %v %v", got, kept, err)
	}
	if got, kept, err := s.Suspend(context.Background(), suspension(back)); err != nil || kept != permission.KeptSame || got.ID != "1" {
		t.Errorf("the same again: %v %v %v", got.ID, kept, err)
	}
}

// joinedOtherwise: what was asked in another folder, or for other data, is another call; and who
// takes a call up says how long it may wait at most.
func joinedOtherwise(t *testing.T, s Store) {
	folder, home := "/work", "/home/me"
	in := func(id string) permission.Call {
		c := NewCall(id)
		c.Cwd = &folder
		return c
	}
	left := in("1")
	left.ExpiresAt = 2_000_000_000_000
	keep(t, s, left)
	leave(t, s, "1")
	for i, change := range []func(c *permission.Call){
		func(c *permission.Call) { c.Cwd = &home },
		func(c *permission.Call) { c.Cwd = nil },
		func(c *permission.Call) { c.ResumeSchema = []byte(`{"type":"object"}`) },
	} {
		c := in(fmt.Sprint("other", i))
		change(&c)
		if got, kept, err := s.Suspend(context.Background(), suspension(c)); err != nil || kept != permission.KeptNew {
			t.Errorf("%d: joined %s %v %v", i, got.ID, kept, err)
		}
	}
	back := in("2")
	back.ExpiresAt = 1_900_000_000_000
	if got, kept, err := s.Suspend(context.Background(), suspension(back)); err != nil || kept != permission.KeptJoined ||
		got.ExpiresAt != back.ExpiresAt {
		t.Errorf("sooner: %s %v until %v, %v", got.ID, kept, got.ExpiresAt, err)
	}
	leave(t, s, "1")
	back = in("3")
	back.ExpiresAt = 0
	if got, kept, err := s.Suspend(context.Background(), suspension(back)); err != nil || kept != permission.KeptJoined ||
		got.ExpiresAt != 1_900_000_000_000 {
		t.Errorf("never: %s %v until %v, %v", got.ID, kept, got.ExpiresAt, err)
	}
}

func notJoined(t *testing.T, s Store) {
	for i, change := range []func(*permission.Call, *permission.Suspension){
		func(c *permission.Call, _ *permission.Suspension) { c.AgentID = "b" },
		func(c *permission.Call, _ *permission.Suspension) { c.InputHash = "sha256:other" },
		func(c *permission.Call, _ *permission.Suspension) { c.Asked = "sha256:another envelope" },
		func(c *permission.Call, _ *permission.Suspension) { c.CreatedAt = 2_000_000 }, // the deadline is over
		func(c *permission.Call, _ *permission.Suspension) { c.Status = permission.Approved },
	} {
		hash := fmt.Sprint("sha256:", i)
		left := NewCall(fmt.Sprint("left", i))
		left.InputHash = hash
		keep(t, s, left)
		leave(t, s, string(left.ID))
		c := NewCall(fmt.Sprint("new", i))
		c.InputHash = hash
		sus := suspension(c)
		change(&sus.Call, &sus)
		if got, kept, err := s.Suspend(context.Background(), sus); err != nil || kept != permission.KeptNew {
			t.Errorf("case %d: %v %v %v", i, got.ID, kept, err)
		}
	}
	declined := step("left0", permission.Declined, permission.Pending)
	declined.Decision = &permission.Decision{By: permission.ByPerson, DecidedAt: 1_500_000}
	if _, err := s.Transit(context.Background(), declined); err != nil {
		t.Fatal(err)
	}
	late := suspension(NewCall("late"))
	late.Call.InputHash, late.DeclinedSince = "sha256:0", 1_500_000
	if _, kept, err := s.Suspend(context.Background(), late); err != nil || kept != permission.KeptNew {
		t.Errorf("an old decline: %v %v", kept, err)
	}
	soon := suspension(NewCall("soon"))
	soon.Call.InputHash, soon.DeclinedSince = "sha256:0", 1_400_000
	if got, kept, err := s.Suspend(context.Background(), soon); err != nil || kept != permission.KeptJoined ||
		got.Status != permission.Declined {
		t.Errorf("a fresh decline: %v %v", kept, err)
	}
}

func cameBack(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	leave(t, s, "1")
	again := NewCall("1")
	again.ID = "other"
	got, kept, err := s.Suspend(context.Background(), suspension(again))
	if err != nil || kept != permission.KeptSame || got.ID != "1" || got.CallerGone {
		t.Errorf("the same caller: %+v %v %v", got, kept, err)
	}
	// What a rule allowed, and nobody claimed, is judged anew for who comes later.
	allowed := NewCall("2")
	allowed.InputHash, allowed.Status = "sha256:2", permission.Approved
	allowed.Decision = &permission.Decision{By: permission.ByRule, Approved: true, DecidedAt: allowed.CreatedAt}
	keep(t, s, allowed)
	leave(t, s, "2")
	later := NewCall("3")
	later.InputHash = "sha256:2"
	if got := keep(t, s, later); got.Status != permission.Pending {
		t.Errorf("a rule's yes was handed on: %+v", got)
	}
}

func outdated(t *testing.T, s Store) {
	sus := suspension(NewCall("1"))
	sus.PolicyVersion = 7
	if _, _, err := s.Suspend(context.Background(), sus); !errors.Is(err, permission.ErrOutdated) {
		t.Errorf("another version: %v", err)
	}
	if _, err := s.Call(context.Background(), "1"); !errors.Is(err, permission.NotFound("call")) {
		t.Errorf("it was kept: %v", err)
	}
}

func limited(t *testing.T, s Store) {
	for i := range 10 {
		keep(t, s, NewCall(fmt.Sprint(i)))
	}
	_, _, err := s.Suspend(context.Background(), suspension(NewCall("one too many")))
	if !errors.Is(err, &permission.Error{Code: permission.CodeTooMany}) {
		t.Errorf("over the limit: %v", err)
	}
	other := NewCall("b's")
	other.AgentID = "b"
	keep(t, s, other)
	allowed := NewCall("allowed")
	allowed.Status = permission.Approved
	keep(t, s, allowed)
	if _, err := s.Transit(context.Background(), step("0", permission.Declined, permission.Pending)); err != nil {
		t.Fatal(err)
	}
	keep(t, s, NewCall("there is room again"))
}

func guards(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	for name, guard := range map[string]func(*permission.Transition){
		"status": func(tr *permission.Transition) {
			tr.From = []permission.Status{permission.Approved, permission.Claimed}
		},
		"deadline": func(tr *permission.Transition) { tr.Live, tr.At = true, 2_000_000 },
		"not due":  func(tr *permission.Transition) { tr.Due, tr.At = true, 1_999_999 },
		"gone":     func(tr *permission.Transition) { tr.Gone = true },
		"claim":    func(tr *permission.Transition) { tr.Claim = "x" },
		"hash":     func(tr *permission.Transition) { tr.Hash = "sha256:x" },
		"rev":      func(tr *permission.Transition) { tr.Rev = 2 },
		"leased":   func(tr *permission.Transition) { tr.Leased = true },
		"lapsed":   func(tr *permission.Transition) { tr.Lapsed = true },
	} {
		tr := step("1", permission.Approved, permission.Pending)
		guard(&tr)
		if c, err := s.Transit(context.Background(), tr); !errors.Is(err, permission.ErrGuard) || c.ID != "1" || c.Rev != 1 {
			t.Errorf("%s: %v %v", name, c.ID, err)
		}
	}
	tr := step("1", permission.Approved, permission.Pending)
	tr.Agent = "b"
	if c, err := s.Transit(context.Background(), tr); !errors.Is(err, permission.NotFound("call")) || c.ID != "" {
		t.Errorf("another agent's: %v %v", c.ID, err)
	}
	leave(t, s, "1")
	tr = step("1", permission.Approved, permission.Pending)
	tr.Attached = true
	if _, err := s.Transit(context.Background(), tr); !errors.Is(err, permission.ErrGuard) {
		t.Errorf("attached: %v", err)
	}
	tr.Attached, tr.Live, tr.At = false, true, 1_999_999
	if c, err := s.Transit(context.Background(), tr); err != nil || c.Status != permission.Approved || c.Rev != 3 {
		t.Errorf("in time: %+v %v", c, err)
	}
}

func race(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	var won, lost int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			to := permission.Approved
			if i%2 == 0 {
				to = permission.Declined
			}
			_, err := s.Transit(context.Background(), step("1", to, permission.Pending))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case errors.Is(err, permission.ErrGuard):
				lost++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 || lost != 31 {
		t.Errorf("%d won, %d lost", won, lost)
	}
}
