package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// recorder gathers what the store tells its listeners.
type recorder struct {
	mu     sync.Mutex
	events []permission.Event
}

func (r *recorder) hear(events []permission.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, events...)
}

func (r *recorder) kinds() (kinds []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		kinds = append(kinds, fmt.Sprint(e.Seq, " ", e.Kind, " ", e.CallID, " ", e.Agent))
	}
	return kinds
}

func journal(t *testing.T, s Store) {
	var heard recorder
	s.Listen(heard.hear)
	keep(t, s, NewCall("1"))
	if _, err := s.Transit(context.Background(), step("1", permission.Approved, permission.Pending)); err != nil {
		t.Fatal(err)
	}
	entries, _, err := s.Journal(context.Background(), 0, 100)
	if err != nil || len(entries) != 2 || entries[0].Kind != permission.CallCreated || entries[1].Kind != permission.CallChanged {
		t.Fatalf("journal: %+v %v", entries, err)
	}
	prev := ""
	for i, e := range entries {
		if e.Seq != int64(i+1) || e.PrevHash != prev || e.Hash != independentHash(t, e) || *e.CallID != "1" {
			t.Errorf("entry %d: %+v", i, e)
		}
		prev = e.Hash
	}
	if want := []string{"1 call.created 1 a", "2 call.changed 1 a"}; !slices.Equal(heard.kinds(), want) {
		t.Errorf("heard %q", heard.kinds())
	}
	events, err := s.Events(context.Background(), 1, 10)
	if err != nil || len(events) != 1 ||
		events[0] != (permission.Event{Seq: 2, Kind: permission.CallChanged, CallID: "1", Agent: "a", Run: "run", Session: "session"}) {
		t.Errorf("events: %+v %v", events, err)
	}
	if last, err := s.LastSeq(context.Background()); err != nil || last != 2 {
		t.Errorf("last: %v %v", last, err)
	}
	if err := s.Note(context.Background(), permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorDesk}); err != nil {
		t.Fatal(err)
	}
	entries, _, err = s.Journal(context.Background(), 2, 100)
	if err != nil || len(entries) != 1 || entries[0].PrevHash != prev || entries[0].Hash != independentHash(t, entries[0]) ||
		entries[0].CallID != nil || !slices.Contains(heard.kinds(), "3 servers.changed  ") {
		t.Errorf("a note: %+v %v, heard %q", entries, err, heard.kinds())
	}
}

// independentHash reads the contract again: hex SHA-256 of canonical JSON of the
// entry's JSON form without its hash.
func independentHash(t *testing.T, e permission.Entry) string {
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "hash")
	raw, _ = json.Marshal(fields)
	canonical, err := rawjson.Canonical(nil, raw)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

func noTrace(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	var heard recorder
	s.Listen(heard.hear)
	if _, err := s.Transit(context.Background(), step("1", permission.Completed, permission.Claimed)); !errors.Is(err, permission.ErrGuard) {
		t.Fatal(err)
	}
	broken := step("1", permission.Approved, permission.Pending)
	broken.Entry.Data = json.RawMessage(`{"half":`)
	if _, err := s.Transit(context.Background(), broken); err == nil {
		t.Error("a journal entry that is no JSON was taken")
	}
	if c, err := s.Call(context.Background(), "1"); err != nil || c.Status != permission.Pending || c.Rev != 1 {
		t.Errorf("the call moved without its journal entry: %+v %v", c, err)
	}
	if last, err := s.LastSeq(context.Background()); err != nil || last != 1 || len(heard.kinds()) != 0 {
		t.Errorf("journal at %d, heard %v, %v", last, heard.kinds(), err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Transit(done, step("1", permission.Approved, permission.Pending)); err == nil {
		t.Error("a caller that had left was served")
	}
	if _, err := s.Transit(context.Background(), step("1", permission.Approved, permission.Pending)); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

func lists(t *testing.T, s Store) {
	for i := range 5 {
		c := NewCall(fmt.Sprint(i))
		c.RunID = permission.RunID(fmt.Sprint("run", i%2))
		keep(t, s, c)
	}
	other := NewCall("b")
	other.AgentID, other.Subagent, other.ResumeRequired = "b", new("Explore"), true
	keep(t, s, other)
	for _, test := range []struct {
		filter permission.CallFilter
		want   string
		more   bool
	}{
		{permission.CallFilter{Agent: "a", Limit: 3}, "[4 3 2]", true},
		{permission.CallFilter{Agent: "a", Limit: 5}, "[4 3 2 1 0]", false},
		{permission.CallFilter{Limit: 2, Oldest: true}, "[0 1]", true},
		{permission.CallFilter{Limit: 9, Brief: true, Statuses: []permission.Status{permission.Pending}, Agent: "b"}, "[b]", false},
		{permission.CallFilter{RunID: "run1", Limit: 9}, "[3 1]", false},
		{permission.CallFilter{SessionID: "none", Limit: 9}, "[]", false},
		{permission.CallFilter{Statuses: []permission.Status{permission.Approved, permission.Claimed}, Limit: 9}, "[]", false},
		{permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Agent: "b", Limit: 9}, "[b]", false},
		{permission.CallFilter{Text: "EXPLORE", Limit: 9}, "[b]", false},
	} {
		got, next, err := s.Calls(context.Background(), test.filter)
		if fmt.Sprint(ids(got)) != test.want || err != nil || (next != 0) != test.more {
			t.Errorf("%+v: %v %v %v", test.filter, ids(got), next, err)
		}
	}
	brief, _, err := s.Calls(context.Background(), permission.CallFilter{Limit: 1, Brief: true})
	if err != nil || string(brief[0].Input) != `{"path" : "a"}` || brief[0].InputHash == "" || brief[0].ToolName != "write_file" {
		t.Errorf("brief: %+v %v", brief, err)
	}
	_, next, err := s.Calls(context.Background(), permission.CallFilter{Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	if rest, next, err := s.Calls(context.Background(), permission.CallFilter{Limit: 4, Before: next}); fmt.Sprint(ids(rest)) != "[1 0]" ||
		next != 0 || err != nil {
		t.Errorf("second page: %v %v %v", ids(rest), next, err)
	}
	for _, input := range []bool{false, true} {
		var waiting []permission.Call
		err := s.Waiting(context.Background(), input, func(c permission.Call) { waiting = append(waiting, c) })
		if err != nil || len(waiting) != 6 || waiting[0].ToolName != "write_file" || waiting[0].SessionID != "session" ||
			(waiting[0].Input != nil) != input || waiting[0].ResumeRequired || !waiting[5].ResumeRequired ||
			waiting[0].Risk != permission.RiskMedium || *waiting[5].Subagent != "Explore" {
			t.Errorf("waiting, input %v: %+v %v", input, waiting, err)
		}
	}
	if got, err := s.OpenIDs(context.Background(), permission.CallFilter{Agent: "a", RunID: "run1"}); err != nil ||
		fmt.Sprint(got) != "[1 3]" {
		t.Errorf("open: %v %v", got, err)
	}
}

func ids(calls []permission.Call) []permission.CallID {
	out := []permission.CallID{}
	for _, c := range calls {
		out = append(out, c.ID)
	}
	return out
}

func rules(t *testing.T, s Store) {
	ctx := context.Background()
	pattern := "read_*"
	a := permission.Rule{ID: "a", ToolPattern: &pattern, AutoApprove: true, Effect: permission.Allow, Priority: 5, CreatedAt: 1, UpdatedAt: 2,
		Enabled: true, Note: "n", ExpiresAt: 9, Examples: []permission.Example{}}
	b := permission.Rule{ID: "b", Effect: permission.Deny, CreatedAt: 1, UpdatedAt: 1, Examples: []permission.Example{}}
	entry := permission.Entry{At: 1, Kind: permission.RulesChanged, Actor: permission.ActorPerson}
	_, before, _, err := s.Rules(ctx)
	if err != nil {
		t.Fatal(err)
	}
	version, err := s.ChangeRules(ctx, permission.RuleChange{Put: []permission.Rule{a, b}, Entry: entry})
	if err != nil || version != before+1 {
		t.Fatalf("put: %v %v", version, err)
	}
	c := NewCall("1")
	c.Why.Rule = &permission.RuleRef{ID: "a", Priority: 5}
	keep(t, s, c)
	a.Note = "changed"
	if _, err := s.ChangeRules(ctx, permission.RuleChange{Delete: []permission.RuleID{"b"}, Put: []permission.Rule{a},
		Entry: entry}); err != nil {
		t.Fatal(err)
	}
	got, _, damaged, err := s.Rules(ctx)
	if err != nil || len(got) != 1 || len(damaged) != 0 {
		t.Fatalf("rules: %+v %v %v", got, damaged, err)
	}
	r := got[0]
	if r.Hits != 1 || r.LastHitAt != c.CreatedAt || r.Note != "changed" || *r.ToolPattern != pattern || r.Effect != permission.Allow ||
		r.ExpiresAt != 9 || r.UpdatedAt != 2 || !r.Enabled {
		t.Errorf("rule: %+v", r)
	}
	if _, err := s.ChangeRules(ctx, permission.RuleChange{Replace: true, Put: []permission.Rule{b}, Entry: entry}); err != nil {
		t.Fatal(err)
	}
	if got, version, _, err := s.Rules(ctx); err != nil || len(got) != 1 || got[0].ID != "b" || got[0].Effect != permission.Deny ||
		version != before+3 {
		t.Errorf("replaced: %+v %v %v", got, version, err)
	}
}

func parties(t *testing.T, s Store) {
	ctx := context.Background()
	entry := permission.Entry{At: 1, Kind: permission.ServersChanged, Actor: permission.ActorPerson}
	servers := []permission.Server{{ID: "z", Command: "x", Args: []string{"1"}, Env: map[string]string{"K": "V"}, Enabled: true},
		{ID: "a", Command: "y"}}
	if _, err := s.ReplaceServers(ctx, permission.Versions{}, servers, permission.ToolEdit{}, entry); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Servers(ctx); err != nil || fmt.Sprint(got) != fmt.Sprint(servers) {
		t.Errorf("servers: %+v %v", got, err)
	}
	agent := permission.Agent{ID: "1", Name: "Agent", CreatedAt: 7}
	if _, err := s.AddAgent(ctx, permission.Versions{}, agent, "hash", entry); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddAgent(ctx, permission.Versions{}, permission.Agent{ID: "2", Name: "Agent"}, "other", entry); !errors.Is(err,
		&permission.Error{Code: permission.CodeExists}) {
		t.Errorf("a taken name: %v", err)
	}
	if got, err := s.AgentTokens(ctx); err != nil || len(got) != 1 || got["hash"] != agent {
		t.Errorf("agents: %+v %v", got, err)
	}
	if got, err := s.RemovedAgents(ctx); err != nil || len(got) != 0 {
		t.Errorf("removed agents: %v %v", got, err)
	}
	asked := NewCall("asked")
	asked.AgentID = "1"
	keep(t, s, asked)
	keep(t, s, NewCall("another's"))
	dismissed := permission.Decision{By: permission.ByPerson, Explanation: permission.Said("removed"), DecidedAt: 5}
	if _, err := s.DeleteAgent(ctx, permission.Versions{}, "1", dismissed, entry); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[permission.CallID]permission.Status{"asked": permission.Declined, "another's": permission.Pending} {
		if c, err := s.Call(ctx, id); err != nil || c.Status != want {
			t.Errorf("%s is %s, %v", id, c.Status, err)
		}
	}
	late := NewCall("late")
	late.AgentID = "1"
	if _, _, err := s.Suspend(ctx, suspension(late)); !errors.Is(err, &permission.Error{Code: permission.CodeForbidden}) {
		t.Errorf("a removed agent's call: %v", err)
	}
	if _, err := s.DeleteAgent(ctx, permission.Versions{}, "1", dismissed, entry); !errors.Is(err, permission.NotFound("agent")) {
		t.Errorf("deleted twice: %v", err)
	}
	if got, err := s.Agents(ctx); err != nil || len(got) != 0 {
		t.Errorf("agents: %+v %v", got, err)
	}
	if _, err := s.AddAgent(ctx, permission.Versions{}, permission.Agent{ID: "0", Name: "Agent"}, "hash", entry); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteAgent(ctx, permission.Versions{}, "0", dismissed, entry); err != nil {
		t.Fatal(err)
	}
	if got, err := s.RemovedAgents(ctx); err != nil || !slices.Equal(got, []permission.AgentID{"0", "1"}) {
		t.Errorf("removed agents: %v %v", got, err)
	}
}

func reopened(t *testing.T, open func(t *testing.T, dir string) Store) {
	ctx, dir := context.Background(), t.TempDir()
	s := open(t, dir)
	held := NewCall("held")
	held.Held = true
	keep(t, s, held)
	keep(t, s, NewCall("polled"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	due, err := s.Recover(ctx, 1_600_000)
	if err != nil || len(due) != 2 {
		t.Fatalf("recover: %v %v", ids(due), err)
	}
	for id, gone := range map[permission.CallID]bool{"held": true, "polled": false} {
		if c, err := s.Call(ctx, id); err != nil || c.CallerGone != gone || c.Status != permission.Pending {
			t.Errorf("%s: %+v %v", id, c, err)
		}
	}
	if _, err := s.Transit(ctx, step("polled", permission.Approved, permission.Pending)); err != nil {
		t.Fatal(err)
	}
	entries, _, err := s.Journal(ctx, 0, 10)
	if err != nil || len(entries) != 4 || entries[3].PrevHash != entries[2].Hash || entries[2].PrevHash != entries[1].Hash {
		t.Errorf("the chain broke at the restart: %+v %v", entries, err)
	}
}
