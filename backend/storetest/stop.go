package storetest

import (
	"context"
	"errors"
	"testing"

	"sekisho/backend/permission"
)

// stopped keeps a stop, and all that it settles, in one transaction.
func stopped(t *testing.T, s Store) {
	ctx := context.Background()
	entry := permission.Entry{At: 1, Kind: permission.AgentsChanged, Actor: permission.ActorPerson}
	for _, id := range []permission.AgentID{"a", "b"} {
		if _, err := s.AddAgent(ctx, permission.Versions{}, permission.Agent{ID: id, Name: string(id)}, "hash "+string(id), entry); err != nil {
			t.Fatal(err)
		}
	}
	in := func(id, session string, agent permission.AgentID) permission.Call {
		c := NewCall(id)
		c.SessionID, c.AgentID, c.InputHash = permission.SessionID(session), agent, "sha256:"+id
		return keep(t, s, c)
	}
	for _, id := range []string{"waits", "left", "taken", "approved", "claimed", "late"} {
		in(id, "session", "a")
	}
	in("another session's", "other", "a")
	in("another agent's", "session", "b")
	granted := in("granted", "granted", "a")
	yes := &permission.Grant{ID: "g", Scope: permission.ScopeSession, Approved: true}
	if _, _, err := s.Reply(ctx, reply(string(granted.ID), true, yes)); err != nil {
		t.Fatal(err)
	}
	no := reply("taken", false, nil)
	no.Remember = true
	if _, _, err := s.Reply(ctx, no); err != nil {
		t.Fatal(err)
	}
	leave(t, s, "left")
	late := step("late", permission.Pending, permission.Pending)
	soon := permission.Time(1_600_000)
	late.ExpiresAt = &soon
	for _, tr := range []permission.Transition{step("approved", permission.Approved, permission.Pending),
		step("claimed", permission.Claimed, permission.Pending), late} {
		if _, err := s.Transit(ctx, tr); err != nil {
			t.Fatal(err)
		}
	}

	stop := permission.NewStop("a", 1_700_000)
	wrong, _ := s.Versions(ctx)
	wrong[permission.OfAgents]++
	if _, _, err := s.StopAgent(ctx, wrong, stop); !errors.Is(err, permission.ErrOutdated) {
		t.Errorf("made from another version: %v", err)
	}
	before, _ := s.Versions(ctx)
	last, _ := s.LastSeq(ctx)
	done, after, err := s.StopAgent(ctx, before, stop)
	want := permission.Stopped{Agent: permission.Agent{ID: "a", Name: "a", StoppedUntil: stop.Until}, Declined: 3, Revoked: 2, GrantsEnded: 1}
	if err != nil || done != want {
		t.Fatalf("%+v %v", done, err)
	}
	if now, err := s.Versions(ctx); err != nil || now != after || after[permission.OfAgents] <= before[permission.OfAgents] ||
		after[permission.OfPolicy] <= before[permission.OfPolicy] {
		t.Errorf("from %v to %v, and it is %v, %v", before, after, now, err)
	}
	for id, want := range map[permission.CallID]permission.Status{"waits": permission.Declined, "left": permission.Declined,
		"another session's": permission.Declined, "approved": permission.Revoked, "granted": permission.Revoked, "claimed": permission.Claimed,
		"late": permission.Pending, "another agent's": permission.Pending} {
		c, err := s.Call(ctx, id)
		settled := want == permission.Declined || want == permission.Revoked
		if err != nil || c.Status != want || settled != c.ByStop() || settled && (c.Decision.By != permission.ByPerson || c.Decision.Approved) {
			t.Errorf("%s is %s by %+v, %v", id, c.Status, c.Decision, err)
		}
	}
	entries, _, err := s.Journal(ctx, last, 100)
	told := map[permission.EntryKind]int{}
	for _, e := range entries {
		told[e.Kind]++
		if e.Actor != permission.ActorPerson || e.At != stop.Entry.At {
			t.Errorf("an entry of %s at %v", e.Actor, e.At)
		}
	}
	if err != nil || len(entries) != 7 || told[permission.AgentsChanged] != 1 || told[permission.CallDecided] != 5 ||
		told[permission.GrantsChanged] != 1 {
		t.Errorf("the journal tells %v, %v", told, err)
	}
	if grants, err := s.Grants(ctx, 1_700_000); err != nil || len(grants) != 0 {
		t.Errorf("grants: %v %v", grants, err)
	}
	if worn, err := s.DeclinedTools(ctx, 1_600_000, 1); err != nil || len(worn) != 0 {
		t.Errorf("a stop counts as answers: %+v %v", worn, err)
	}
	if all, err := s.AgentTokens(ctx); err != nil || all["hash a"].StoppedUntil != stop.Until || all["hash b"].StoppedUntil != 0 {
		t.Errorf("%+v %v", all, err)
	}
	resumed(t, s, after)
}

// resumed lets the agent of stopped go on.
func resumed(t *testing.T, s Store, before permission.Versions) {
	ctx := context.Background()
	entry := permission.Entry{At: 1_800_000, Kind: permission.AgentsChanged, Actor: permission.ActorPerson}
	agent, after, err := s.ResumeAgent(ctx, before, "a", entry)
	if err != nil || agent.StoppedUntil != 0 || after[permission.OfPolicy] <= before[permission.OfPolicy] {
		t.Fatalf("%+v %v", agent, err)
	}
	last, _ := s.LastSeq(ctx)
	if agent, now, err := s.ResumeAgent(ctx, after, "a", entry); err != nil || agent.Name != "a" || now != after {
		t.Errorf("resumed twice: %+v %v, from %v to %v", agent, err, after, now)
	}
	if now, _ := s.LastSeq(ctx); now != last {
		t.Error("what changes nothing is in the journal")
	}
	for id, name := range map[string]string{"left": "a call that the stop declined", "taken": "one that a person declined before"} {
		again := NewCall("again " + id)
		again.InputHash = "sha256:" + id
		sus := suspension(again)
		sus.PolicyVersion, sus.DeclinedSince = after[permission.OfPolicy], 1
		if got, kept, err := s.Suspend(ctx, sus); err != nil || kept != permission.KeptNew || got.Status != permission.Pending {
			t.Errorf("%s does not wait when it is asked for anew: %v %s %v", name, kept, got.Status, err)
		}
	}
	if _, _, err := s.StopAgent(ctx, permission.Versions{}, permission.NewStop("nobody", 1)); !errors.Is(err, permission.NotFound("agent")) {
		t.Errorf("stopped nobody: %v", err)
	}
	if _, _, err := s.ResumeAgent(ctx, permission.Versions{}, "nobody", entry); !errors.Is(err, permission.NotFound("agent")) {
		t.Errorf("resumed nobody: %v", err)
	}
}

// refusedByDoor: an earlier yes that another door of the client was given is not joined by a call
// of an agent that was stopped since.
func refusedByDoor(t *testing.T, s Store) {
	ctx := context.Background()
	keep(t, s, NewCall("asked"))
	yes := step("asked", permission.Approved, permission.Pending)
	yes.Decision = &permission.Decision{By: permission.ByPerson, Approved: true, DecidedAt: 1_500_000}
	if _, err := s.Transit(ctx, yes); err != nil {
		t.Fatal(err)
	}
	for _, name := range []permission.Status{permission.Pending, permission.Declined} {
		want := map[permission.Status]permission.Kept{permission.Declined: permission.KeptNew, permission.Pending: permission.KeptJoined}[name]
		sus := suspension(NewCall("by another door " + string(name)))
		sus.Call.RunID, sus.Call.ToolCallID = "another", "asked"
		if sus.Joins = true; name == permission.Declined {
			sus.Call.Status, sus.Call.Decision = name, permission.StopDecision(1_550_000, 1_600_000)
		}
		if got, kept, err := s.Suspend(ctx, sus); err != nil || kept != want {
			t.Errorf("%s: %v %s %v", name, kept, got.ID, err)
		}
	}
}
