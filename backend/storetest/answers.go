package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"sekisho/backend/permission"
)

func allAtOnce(t *testing.T, s Store) {
	var list []permission.Transition
	for i := range 600 { // more than one transaction takes
		c := NewCall(fmt.Sprint(i))
		c.AgentID = permission.AgentID(fmt.Sprint("agent", i/5)) // each within its limit
		keep(t, s, c)
		list = append(list, step(string(c.ID), permission.Declined, permission.Pending))
	}
	list = append(list, step("0", permission.Approved, permission.Pending), step("unknown", permission.Approved, permission.Pending))
	changed, err := s.TransitAll(context.Background(), list)
	if err != nil || len(changed) != 600 || changed[599].Status != permission.Declined {
		t.Errorf("%d changed, %v", len(changed), err)
	}
	if last, err := s.LastSeq(context.Background()); err != nil || last != 1200 {
		t.Errorf("the journal is at %d, %v", last, err)
	}
}

func overtaken(t *testing.T, s Store) {
	keep(t, s, NewCall("1"))
	tr := step("1", permission.Approved, permission.Pending)
	tr.Policy = 7
	if _, err := s.Transit(context.Background(), tr); !errors.Is(err, permission.ErrOutdated) {
		t.Errorf("another version: %v", err)
	}
	if _, err := s.TransitAll(context.Background(), []permission.Transition{tr}); !errors.Is(err, permission.ErrOutdated) {
		t.Errorf("another version, in one go: %v", err)
	}
	_, tr.Policy, _, _ = s.Rules(context.Background())
	if _, err := s.Transit(context.Background(), tr); err != nil {
		t.Error(err)
	}
}

// classed is a waiting call of a class and a risk.
func classed(id, session string, class *permission.Class, risk permission.Risk) permission.Call {
	c := NewCall(id)
	c.SessionID, c.Risk, c.InputHash, c.ServerID = permission.SessionID(session), risk, "sha256:"+id, new("shell")
	c.Asking = permission.Asking{Class: class, Questions: []string{"r"}}
	switch {
	case risk == permission.RiskHigh:
		c.OnlyOnce = permission.OnceHigh
	case class == nil:
		c.OnlyOnce = permission.OnceOpaque
	}
	return c
}

// class is the kind of a line of these parts.
func class(names ...string) *permission.Class {
	c := &permission.Class{ServerID: new("shell"), Method: permission.CallTool, ToolName: "run"}
	for _, name := range names {
		c.Parts = append(c.Parts, permission.ClassPart{Name: name, Folder: "/work"})
	}
	return c
}

// reply is a person's answer to the call id.
func reply(id string, yes bool, g *permission.Grant) permission.Reply {
	tr := step(id, permission.Declined, permission.Pending)
	if yes {
		tr.To = permission.Approved
	}
	tr.Decision = &permission.Decision{By: permission.ByPerson, Approved: yes, Explanation: permission.Said("so"), Scope: permission.ScopeOnce,
		DecidedAt: tr.At}
	if g != nil {
		g.CreatedAt, g.Approved, g.Reason = tr.At, yes, "so"
	}
	return permission.Reply{Transition: tr, Grant: g, ClaimBy: tr.At + 600_000}
}

func wideAnswer(t *testing.T, s Store) {
	ctx := context.Background()
	git := class("git")
	for _, c := range []permission.Call{
		classed("asked", "s", git, permission.RiskMedium), classed("same", "s", git, permission.RiskMedium),
		classed("riskier", "s", git, permission.RiskHigh),
		classed("other", "s", class("ls"), permission.RiskLow), classed("elsewhere", "t", git, permission.RiskLow),
		classed("once", "s", nil, permission.RiskLow),
	} {
		keep(t, s, c)
	}
	c, siblings, err := s.Reply(ctx, reply("asked", true, &permission.Grant{ID: "g1", Scope: permission.ScopeClass}))
	if err != nil || c.Status != permission.Approved || fmt.Sprint(ids(siblings)) != "[same]" ||
		siblings[0].Decision.By != permission.ByGrant || *siblings[0].Decision.GrantID != "g1" {
		t.Fatalf("class: %s %+v %v", c.Status, siblings, err)
	}
	if _, siblings, err := s.Reply(ctx, reply("once", false, nil)); err != nil || len(siblings) != 0 {
		t.Errorf("once: %v %v", ids(siblings), err)
	}
	if _, _, err := s.Reply(ctx, reply("asked", true, &permission.Grant{ID: "g2", Scope: permission.ScopeSession})); !errors.Is(err,
		permission.ErrGuard) {
		t.Errorf("a second answer: %v", err)
	}
	if g, err := s.Grants(ctx, 1_500_000); err != nil || len(g) != 1 || g[0].Hits != 1 || g[0].MaxRisk != permission.RiskMedium ||
		g[0].Class.Parts[0].Name != "git" || g[0].AgentName != "Agent A" {
		t.Fatalf("grants: %+v %v", g, err)
	}
	arrives := func(c permission.Call) permission.Call {
		sus := suspension(c)
		sus.ClaimBy = 2_200_000
		got, _, err := s.Suspend(ctx, sus)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if c := arrives(classed("later", "s", git, permission.RiskLow)); c.Status != permission.Approved || *c.Decision.GrantID != "g1" ||
		c.ExpiresAt != 2_200_000 {
		t.Errorf("covered: %+v", c)
	}
	for _, c := range []permission.Call{classed("l1", "s", git, permission.RiskHigh), classed("l2", "s", class("ls"), permission.RiskLow),
		classed("l3", "t", git, permission.RiskLow), classed("l4", "s", nil, permission.RiskLow)} {
		if c = arrives(c); c.Status != permission.Pending {
			t.Errorf("%s is covered", c.ID)
		}
	}
	_, siblings, err = s.Reply(ctx, reply("other", true, &permission.Grant{ID: "g3", Scope: permission.ScopeSession}))
	if err != nil || fmt.Sprint(ids(siblings)) != "[l2]" { // low covers low; l4 and once have no class
		t.Errorf("session: %v %v", ids(siblings), err)
	}
	revoke := permission.Transition{At: 1_600_000, From: []permission.Status{permission.Approved}, To: permission.Revoked,
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson}}
	if revoked, err := s.EndGrant(ctx, "g1", revoke); err != nil || fmt.Sprint(ids(revoked)) != "[same later]" {
		t.Errorf("revoked: %v %v", ids(revoked), err)
	}
	if _, err := s.EndGrant(ctx, "g1", revoke); !errors.Is(err, permission.NotFound("grant")) {
		t.Errorf("twice: %v", err)
	}
	if n, err := s.EndSession(ctx, "b", "s", "agent:b", 1_600_000); err != nil || n != 0 {
		t.Errorf("another agent's: %d %v", n, err)
	}
	if n, err := s.EndSession(ctx, "", "s", "person", 1_600_000); err != nil || n != 1 {
		t.Errorf("ended %d %v", n, err)
	}
	if g, err := s.Grants(ctx, 1_600_000); err != nil || len(g) != 0 {
		t.Errorf("left: %+v %v", g, err)
	}
}

// together: a line is settled by the answers to its parts, which end with any of them, and a
// no to one part declines it.
func together(t *testing.T, s Store) {
	ctx := context.Background()
	for _, c := range []permission.Call{
		classed("status", "s", class("git status"), permission.RiskLow), classed("log", "s", class("git log"), permission.RiskLow),
		classed("both", "s", class("git status", "git log"), permission.RiskLow),
		classed("push", "s", class("git push"), permission.RiskHigh),
		classed("more", "s", class("git log", "git push"), permission.RiskHigh),
	} {
		keep(t, s, c)
	}
	for i, answer := range []struct {
		call    string
		yes     bool
		settles string
	}{{"status", true, "[]"}, {"log", true, "[both]"}, {"push", false, "[more]"}} {
		g := &permission.Grant{ID: permission.GrantID(fmt.Sprint("g", i)), Scope: permission.ScopeClass}
		if _, siblings, err := s.Reply(ctx, reply(answer.call, answer.yes, g)); err != nil || fmt.Sprint(ids(siblings)) != answer.settles {
			t.Errorf("%s: %v %v", answer.call, ids(siblings), err)
		}
	}
	arrives := func(c permission.Call, hold bool) permission.Call {
		sus := suspension(c)
		sus.ClaimBy, sus.Hold = 2_200_000, hold
		got, _, err := s.Suspend(ctx, sus)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if c := arrives(classed("late", "s", class("git log", "git status"), permission.RiskLow), false); c.Status != permission.Approved ||
		fmt.Sprint(c.Decision.GrantIDs) != "[g1 g0]" || *c.Decision.GrantID != "g1" {
		t.Errorf("later: %+v", c.Decision)
	}
	if c := arrives(classed("held", "s", class("git log"), permission.RiskLow), true); c.Status != permission.Pending {
		t.Errorf("on hold: %+v", c.Decision)
	}
	if c := arrives(classed("no", "s", class("git push", "git log"), permission.RiskMedium), true); c.Status != permission.Declined ||
		*c.Decision.GrantID != "g2" {
		t.Errorf("declined on hold: %+v", c.Decision)
	}
	asked := classed("other question", "s", class("git log"), permission.RiskLow)
	asked.Questions = []string{"r", "default"}
	if c := arrives(asked, false); c.Status != permission.Pending {
		t.Errorf("another question: %+v", c.Decision)
	}
	revoke := permission.Transition{At: 1_600_000, From: []permission.Status{permission.Approved}, To: permission.Revoked,
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: permission.ActorPerson}}
	if revoked, err := s.EndGrant(ctx, "g0", revoke); err != nil || fmt.Sprint(ids(revoked)) != "[both late]" {
		t.Errorf("revoked: %v %v", ids(revoked), err)
	}
}

// askedAnew: a yes reaches no waiting call that the rules ask about for another reason by now.
func askedAnew(t *testing.T, s Store) {
	for _, c := range []permission.Call{classed("1", "s", class("ls"), permission.RiskLow), classed("2", "s", class("ls"), permission.RiskLow),
		classed("3", "s", class("ls"), permission.RiskLow)} {
		keep(t, s, c)
	}
	r := reply("1", true, &permission.Grant{ID: "g", Scope: permission.ScopeSession})
	r.Asked = map[permission.CallID][]string{"2": {"another"}}
	if _, siblings, err := s.Reply(context.Background(), r); err != nil || fmt.Sprint(ids(siblings)) != "[3]" {
		t.Errorf("settled %v, %v", ids(siblings), err)
	}
}

func memory(t *testing.T, s Store) {
	ctx := context.Background()
	keep(t, s, NewCall("1"))
	keep(t, s, NewCall("live too"))
	no := reply("1", false, nil)
	no.Remember = true
	if _, _, err := s.Reply(ctx, no); err != nil {
		t.Fatal(err)
	}
	again := func(id string, change func(*permission.Suspension)) permission.Call {
		sus := suspension(NewCall(id))
		change(&sus)
		c, _, err := s.Suspend(ctx, sus)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	same := func(*permission.Suspension) {}
	for n := int64(1); n < 3; n++ {
		if c := again(fmt.Sprint("again", n), same); c.Status != permission.Declined || c.Decision.Reason != "so" ||
			*c.Decision.Remembered != "1" || c.Decision.Count != n {
			t.Errorf("again: %+v", c.Decision)
		}
	}
	for i, change := range []func(*permission.Suspension){
		func(s *permission.Suspension) { s.Call.SessionID = "another" },
		func(s *permission.Suspension) { s.Call.InputHash = "sha256:another" },
		func(s *permission.Suspension) { s.Call.AgentID = "b" },
	} {
		if c := again(fmt.Sprint("other", i), change); c.Status != permission.Pending {
			t.Errorf("case %d: %+v", i, c.Decision)
		}
	}
	if _, _, err := s.Reply(ctx, reply("live too", true, nil)); err != nil { // a yes takes the no back
		t.Fatal(err)
	}
	if c := again("after", same); c.Status != permission.Pending {
		t.Errorf("after a yes: %+v", c.Decision)
	}
	no = reply("after", false, nil)
	no.Remember = true
	if _, _, err := s.Reply(ctx, no); err != nil {
		t.Fatal(err)
	}
	entry := permission.Entry{At: 1, Kind: permission.CallChanged, Actor: permission.ActorPerson}
	if _, err := s.ForgetDenial(ctx, "after", entry); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetDenial(ctx, "after", entry); !errors.Is(err, permission.NotFound("")) {
		t.Errorf("forgotten twice: %v", err)
	}
	if c := again("last", same); c.Status != permission.Pending {
		t.Errorf("forgotten: %+v", c.Decision)
	}
	said := func(answer string) string { return "filesystem write_file - {\"path\" : \"a\"} medium " + answer }
	// What is said again is nobody's answer.
	wantAnswers(t, s, said("approved"), said("declined"), said("declined"), said("other"), said("other"))
	var first int64
	var oldest permission.Call
	if err := s.Past(ctx, 0, 100, func(seq int64, c permission.Call) { first, oldest = seq, c }); err != nil || first != 1 {
		t.Errorf("past: %d %v", first, err)
	}
	if oldest.ID != "1" || oldest.ToolName != "write_file" || *oldest.ServerID != "filesystem" || oldest.CreatedAt != 1_000_000 {
		t.Errorf("past: %+v", oldest)
	}
	if declined, err := s.DeclinedSince(ctx, 1); err != nil || fmt.Sprint(declined) != "[1 3 4 8]" {
		t.Errorf("declined: %v %v", declined, err)
	}
}

func voided(t *testing.T, s Store) {
	ctx := context.Background()
	keep(t, s, NewCall("1"))
	claim := step("1", permission.Claimed, permission.Pending)
	claim.NewClaim = &permission.Claim{ID: "c", Key: "k", Until: 1_600_000}
	if _, err := s.Transit(ctx, claim); err != nil {
		t.Fatal(err)
	}
	lapse := step("1", permission.InDoubt, permission.Claimed)
	lapse.Lapsed = true
	if c, err := s.Transit(ctx, lapse); !errors.Is(err, permission.ErrGuard) || c.Status != permission.Claimed {
		t.Errorf("lapsed before its time: %+v %v", c, err)
	}
	lapse.At = 1_600_000
	if c, err := s.Transit(ctx, lapse); err != nil || c.Status != permission.InDoubt {
		t.Errorf("lapsed: %+v %v", c, err)
	}
	retry := step("1", permission.Approved, permission.InDoubt)
	retry.Unclaim = true
	if c, err := s.Transit(ctx, retry); err != nil || c.ClaimID != nil || !c.LeaseExpiresAt.IsZero() || c.ClaimKey != "" {
		t.Errorf("retry: %+v %v", c, err)
	}
	back := step("1", permission.Pending, permission.Approved)
	back.Undecided, back.Why = true, &permission.Why{Explanation: permission.Said("the rules changed")}
	if c, err := s.Transit(ctx, back); err != nil || c.Decision != nil || c.Why.Reason != "the rules changed" {
		t.Errorf("back: %+v %v", c, err)
	}
}

func edited(t *testing.T, s Store) {
	ctx := context.Background()
	first := NewCall("1")
	first.ResumeSchema, first.ResumeRequired = json.RawMessage(`{"type":"string"}`), true
	keep(t, s, first)
	yes := reply("1", true, nil)
	yes.Transition.Edited = &permission.Edit{Input: json.RawMessage(`{"path":"b"}`), InputHash: "sha256:b"}
	yes.Transition.ResumeData = json.RawMessage(`"data"`)
	c, _, err := s.Reply(ctx, yes)
	if err != nil || string(c.Input) != `{"path":"b"}` || c.InputHash != "sha256:b" || c.Original == nil ||
		string(c.Original.Input) != string(first.Input) || c.Original.InputHash != first.InputHash {
		t.Errorf("edited: %+v %v", c, err)
	}
	if !c.ResumeRequired || string(c.ResumeSchema) != `{"type":"string"}` || string(c.ResumeData) != `"data"` {
		t.Errorf("resume: %s %s", c.ResumeSchema, c.ResumeData)
	}
	again := NewCall("1")
	again.ID = "other"
	if got, kept, err := s.Suspend(ctx, suspension(again)); err != nil || kept != permission.KeptSame || got.ID != "1" {
		t.Errorf("the caller's own input again: %v %v", kept, err)
	}
}

func settings(t *testing.T, s Store) {
	ctx := context.Background()
	got, err := s.Settings(ctx)
	if err != nil || fmt.Sprint(got) == "" || !got.DenialMemory || *got.Deadlines.High != 600 {
		t.Fatalf("defaults: %+v %v", got, err)
	}
	_, before, _, _ := s.Rules(ctx)
	got.Deadlines.High, got.Hold, got.Patience = nil, true, map[string]int64{"client": 60}
	version, err := s.SaveSettings(ctx, permission.Versions{}, got,
		permission.Entry{At: 1, Kind: permission.SettingsChanged, Actor: permission.ActorPerson})
	if err != nil || version[permission.OfPolicy] != before+1 {
		t.Errorf("saved: %d after %d, %v", version, before, err)
	}
	if back, err := s.Settings(ctx); err != nil || back.Deadlines.High != nil || !back.Hold || back.Patience["client"] != 60 {
		t.Errorf("read back: %+v %v", back, err)
	}
}

// repeatedYes: a call that repeats a person's yes is not kept when the same was declined
// since, by whatever answer.
func repeatedYes(t *testing.T, s Store) {
	ctx := context.Background()
	keep(t, s, NewCall("1"))
	no := reply("1", false, nil)
	if _, _, err := s.Reply(ctx, no); err != nil {
		t.Fatal(err)
	}
	at := no.Transition.Decision.DecidedAt
	for i, tt := range []struct {
		change   func(*permission.Suspension)
		outdated bool
	}{
		{func(sus *permission.Suspension) { sus.YesAt = at }, true},
		{func(sus *permission.Suspension) { sus.YesAt = at - 1 }, true},
		{func(sus *permission.Suspension) { sus.YesAt = at + 1 }, false},
		{func(*permission.Suspension) {}, false},
		{func(sus *permission.Suspension) { sus.YesAt, sus.Call.InputHash = at, "sha256:another" }, false},
		{func(sus *permission.Suspension) { sus.YesAt, sus.Call.AgentID = at, "b" }, false},
		{func(sus *permission.Suspension) { sus.YesAt, sus.Call.Status = at, permission.Pending }, false},
	} {
		sus := suspension(NewCall(fmt.Sprint("round ", i)))
		sus.Call.Status = permission.Approved
		tt.change(&sus)
		declined, err := s.Declined(ctx, sus.Call.AgentID, []string{"sha256:none", sus.Call.AskedHash()}, sus.YesAt)
		if want := tt.outdated || i == 3 || i == 6; err != nil || declined != want {
			t.Errorf("case %d: declined %v, %v", i, declined, err)
		}
		if _, _, err := s.Suspend(ctx, sus); errors.Is(err, permission.ErrOutdated) != tt.outdated || err != nil && !tt.outdated {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
