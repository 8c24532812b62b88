package desk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// command asks for a shell command of a session.
func (h *house) command(session, command string) permission.Call {
	h.Helper()
	r := h.request("execute_command")
	r.SessionID = permission.SessionID(session)
	input, err := json.Marshal(map[string]any{"command": command, "n": h.n})
	if err != nil {
		h.Fatal(err)
	}
	r.Input = input
	return h.askAll(r)
}

func (h *house) answer(c permission.Call, a permission.Answer) (permission.Call, []permission.CallID) {
	h.Helper()
	a.InputHash, a.Rev = c.InputHash, c.Rev
	got, settled, _, err := h.Decide(ctx, c.ID, a)
	if err != nil {
		h.Fatal(err)
	}
	return got, settled
}

func TestAClassAnswerReachesItsClass(t *testing.T) {
	h := open(t)
	defer h.close()
	asked, sibling, other := h.command("s", "git log"), h.command("s", "git log -3"), h.command("s", "ls")
	elsewhere, compound := h.command("other", "git log"), h.command("s", "git log; ls")
	got, settled := h.answer(asked, permission.Answer{Approved: true, Reason: "fine", Scope: permission.ScopeClass})
	if got.Status != permission.Approved || got.Decision.Scope != permission.ScopeClass ||
		!slices.Equal(settled, []permission.CallID{sibling.ID}) {
		t.Errorf("answered %+v, settled %v", got.Decision, settled)
	}
	c := h.want(sibling, permission.Approved, false)
	if c.Decision.By != permission.ByGrant || c.Decision.GrantID == nil || *c.Decision.GrantID != *got.Decision.GrantID ||
		c.Decision.Reason != "fine" {
		t.Errorf("sibling: %+v", c.Decision)
	}
	for _, c := range []permission.Call{other, elsewhere, compound, h.command("s", "ls"), h.command("s", "git log && b"),
		h.command("s", "git push --force"), h.command("s", "git -C /x log"), h.command("other", "git log")} {
		h.want(c, permission.Pending, false)
	}
	if c := h.command("s", "git log --stat | head"); c.Status != permission.Approved || c.Decision.By != permission.ByGrant {
		t.Errorf("later: %+v", c)
	}
	grants, err := h.Grants(ctx)
	if err != nil || len(grants) != 1 || grants[0].Hits != 2 || grants[0].Class.Parts[0].Name != "git log" || grants[0].CallID != asked.ID {
		t.Errorf("grants %+v, %v", grants, err)
	}
	h.journalSays("grant:"+string(grants[0].ID), permission.CallDecided, 2)
}

// entries are all of the journal.
func (h *house) entries() (all []permission.Entry) {
	h.Helper()
	for after := int64(0); ; {
		page, next, err := h.Entries(ctx, after, 10_000)
		if err != nil {
			h.Fatal(err)
		}
		all = append(all, page...)
		if after = next; next == 0 {
			return all
		}
	}
}

// journalSays counts the entries of an actor and a kind.
func (h *house) journalSays(actor string, kind permission.EntryKind, want int) {
	h.Helper()
	n := 0
	for _, e := range h.entries() {
		if e.Actor == actor && e.Kind == kind {
			n++
		}
	}
	if n != want {
		h.Errorf("the journal has %d entries %s of %s, want %d", n, kind, actor, want)
	}
}

func TestASessionAnswerNeverReachesHighRisk(t *testing.T) {
	h := open(t)
	defer h.close()
	write, remove := h.ask("write_file"), h.ask("delete_file")
	if remove.Risk != permission.RiskHigh || len(remove.RiskReasons) == 0 {
		t.Fatalf("a delete is %s because of %v", remove.Risk, remove.RiskReasons)
	}
	_, settled := h.answer(write, permission.Answer{Approved: true, Scope: permission.ScopeSession})
	if len(settled) != 0 {
		t.Errorf("settled %v", settled)
	}
	if c := h.ask("move_file"); c.Status != permission.Approved {
		t.Errorf("medium: %+v", c)
	}
	h.want(h.ask("delete_more"), permission.Pending, false)
	// Not even when the answered call was high itself.
	_, settled = h.answer(remove, permission.Answer{Approved: true, Scope: permission.ScopeSession})
	if len(settled) != 0 {
		t.Errorf("settled %v", settled)
	}
	h.want(h.ask("delete_all"), permission.Pending, false)
}

func TestAClassAnswerNeverReachesAHigherRisk(t *testing.T) {
	h := open(t)
	defer h.close()
	_, _ = h.answer(h.ask("tidy"), permission.Answer{Approved: true, Scope: permission.ScopeClass})
	r := h.request("tidy")
	r.Input = json.RawMessage(`{"path": "tidy.exe"}`)
	h.want(h.askAll(r), permission.Pending, false)
	h.want(h.ask("tidy"), permission.Approved, false)
}

func TestADeclineOfWiderScope(t *testing.T) {
	h := open(t)
	defer h.close()
	c, sibling := h.ask("write_file"), h.ask("write_file")
	_, settled := h.answer(c, permission.Answer{Reason: "not now", Scope: permission.ScopeClass})
	if !slices.Equal(settled, []permission.CallID{sibling.ID}) {
		t.Errorf("settled %v", settled)
	}
	r := h.request("write_file")
	r.Input = json.RawMessage(`{"other":true}`)
	if c := h.askAll(r); c.Status != permission.Declined || c.Decision.By != permission.ByGrant || c.Decision.Reason != "not now" {
		t.Errorf("later: %+v", c.Decision)
	}
}

// TestTheSameAnswerForAnotherTimeIsAnother: or the person would believe it.
func TestTheSameAnswerForAnotherTimeIsAnother(t *testing.T) {
	h := open(t)
	defer h.close()
	for _, times := range [][2]float64{{0, 2}, {60, 0}, {60, 61}} {
		c := h.ask("write_file")
		answer := permission.Answer{Approved: true, Scope: permission.ScopeClass, ForSeconds: times[0], InputHash: c.InputHash, Rev: c.Rev}
		if _, _, repeated, err := h.Decide(ctx, c.ID, answer); repeated || err != nil {
			t.Fatal(repeated, err)
		}
		if _, _, repeated, err := h.Decide(ctx, c.ID, answer); !repeated || err != nil {
			t.Errorf("%v, the same: %v %v", times, repeated, err)
		}
		answer.ForSeconds = times[1]
		_, _, repeated, err := h.Decide(ctx, c.ID, answer)
		if h.wantCode(err, permission.CodeAlreadyDecided, permission.Approved); repeated {
			t.Errorf("%v: repeated", times)
		}
		grants, _ := h.Grants(ctx)
		for _, g := range grants {
			_ = h.EndGrant(ctx, g.ID)
		}
	}
}

// TestWhatIsRunAgainIsForWhoAsksAgain: an MCP client has no other way to it.
func TestWhatIsRunAgainIsForWhoAsksAgain(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.request("write_file")
	r.Held = true
	c := h.askAll(r)
	if _, err := h.decide(c, true); err != nil {
		t.Fatal(err)
	}
	claimed, err := h.claim(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Doubt(ctx, h.agent, c.ID, *claimed.ClaimID); err != nil {
		t.Fatal(err)
	}
	if c, err = h.Resolve(ctx, c.ID, permission.Retry); err != nil || c.Status != permission.Approved || !c.CallerGone {
		t.Fatalf("%+v %v", c, err)
	}
	again := h.request("write_file")
	again.Input, again.Held = r.Input, true
	if got := h.askAll(again); got.ID != c.ID || got.Status != permission.Approved {
		t.Errorf("asked again: %+v", got)
	}
}

func TestAGrantEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		_, _ = h.answer(h.ask("write_file"), permission.Answer{Approved: true, Scope: permission.ScopeClass, ForSeconds: 60})
		h.want(h.ask("write_file"), permission.Approved, false)
		time.Sleep(61 * time.Second)
		last := h.want(h.ask("write_file"), permission.Pending, false)
		if grants, err := h.Grants(ctx); err != nil || len(grants) != 0 {
			t.Errorf("grants %+v %v", grants, err)
		}
		// Taken back: what it approved and nobody claimed is revoked.
		_, _ = h.answer(last, permission.Answer{Approved: true, Scope: permission.ScopeClass})
		covered, claimed := h.ask("write_file"), h.ask("write_file")
		if _, err := h.claim(claimed); err != nil {
			t.Fatal(err)
		}
		grants, _ := h.Grants(ctx)
		if err := h.EndGrant(ctx, grants[0].ID); err != nil {
			t.Fatal(err)
		}
		h.want(covered, permission.Revoked, false)
		h.want(claimed, permission.Claimed, false)
		h.want(last, permission.Approved, false) // the person's own yes stands
		_, err := h.claim(covered)
		h.wantCode(err, permission.CodeRevoked, permission.Revoked)
		h.want(h.ask("write_file"), permission.Pending, false)
		h.wantCode(h.EndGrant(ctx, grants[0].ID), permission.CodeNotFound, "")
	})
}

func TestTheEndOfASession(t *testing.T) {
	h := open(t)
	defer h.close()
	_, _ = h.answer(h.command("s", "git log -1"), permission.Answer{Approved: true, Scope: permission.ScopeClass})
	waiting, granted, other := h.command("s", "ls"), h.command("s", "git log"), h.command("t", "ls")
	stranger := permission.Agent{ID: "b", Name: "B"}
	if cancelled, ended, err := h.EndSession(ctx, permission.Party{Agent: &stranger}, "s"); err != nil || cancelled != 0 || ended != 0 {
		t.Errorf("another agent ended it: %d %d %v", cancelled, ended, err)
	}
	cancelled, ended, err := h.EndSession(ctx, h.party(), "s")
	if err != nil || cancelled != 3 || ended != 1 {
		t.Errorf("cancelled %d, ended %d, %v", cancelled, ended, err)
	}
	h.want(waiting, permission.Cancelled, false)
	h.want(granted, permission.Cancelled, false)
	h.want(other, permission.Pending, false)
	h.want(h.command("s", "git log"), permission.Pending, false)
	r := h.request("write_file")
	r.RunID = "mine"
	c := h.askAll(r)
	if cancelled, _, err := h.CancelRun(ctx, permission.Operator(), "mine"); err != nil || cancelled != 1 {
		t.Errorf("run: %d %v", cancelled, err)
	}
	if c := h.want(c, permission.Cancelled, false); c.Decision.By != permission.ByPerson {
		t.Errorf("cancelled by %s", c.Decision.By)
	}
}

func TestDenialMemory(t *testing.T) {
	h := open(t)
	defer h.close()
	first := h.ask("write_file")
	if _, err := h.decide(first, false); err != nil {
		t.Fatal(err)
	}
	for n := int64(1); n <= 2; n++ {
		c := h.ask("write_file")
		if c.Status != permission.Declined || c.Decision.By != permission.ByPerson || c.Decision.Reason != "because" ||
			*c.Decision.Remembered != first.ID || c.Decision.Count != n {
			t.Errorf("again: %+v %+v", c.Status, c.Decision)
		}
	}
	r := h.request("write_file")
	r.SessionID = "another"
	h.want(h.askAll(r), permission.Pending, false)
	if _, err := h.ForgetDenial(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	c := h.want(h.ask("write_file"), permission.Pending, false)
	_, err := h.ForgetDenial(ctx, first.ID)
	h.wantCode(err, permission.CodeNotFound, "")
	no := false
	_, _ = h.answer(c, permission.Answer{Reason: "this once", Remember: &no})
	c = h.want(h.ask("write_file"), permission.Pending, false)
	_, _ = h.answer(c, permission.Answer{Reason: "no"})
	h.set(func(s *permission.Settings) { s.DenialMemory = false })
	c = h.want(h.ask("write_file"), permission.Pending, false)
	yes := true
	_, _ = h.answer(c, permission.Answer{Reason: "never", Remember: &yes})
	h.set(func(s *permission.Settings) { s.UndoSeconds = 5 })
	h.want(h.ask("write_file"), permission.Declined, false)
}

func TestADeclineGoesWithItsCall(t *testing.T) {
	h := open(t)
	defer h.close()
	left := h.ask("write_file")
	if _, err := h.Leave(ctx, h.agent, left.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.decide(left, false); err != nil {
		t.Fatal(err)
	}
	r := h.request("write_file")
	r.SessionID = "another"
	if c := h.askAll(r); c.ID != left.ID || c.Status != permission.Declined {
		t.Errorf("the late decline was not handed on: %+v", c)
	}
	r = h.request("write_file")
	r.SessionID = "another"
	if c := h.askAll(r); c.Status != permission.Declined || c.Decision.Count != 1 {
		t.Errorf("where it was heard it is not remembered: %+v", c.Decision)
	}
	h.want(h.ask("write_file"), permission.Pending, false)
	if _, err := h.ForgetDenial(ctx, left.ID); err != nil {
		t.Error(err)
	}
}

func TestAGrantsYesStaysInItsSession(t *testing.T) {
	h := open(t)
	defer h.close()
	_, _ = h.answer(h.command("s", "git log -1"), permission.Answer{Approved: true, Scope: permission.ScopeClass})
	r := h.request("execute_command")
	r.SessionID, r.Input = "s", json.RawMessage(`{"command":"git log"}`)
	c := h.askAll(r)
	if _, err := h.Leave(ctx, h.agent, c.ID); err != nil {
		t.Fatal(err)
	}
	again := r
	again.ToolCallID, again.SessionID = "again", "t"
	if got := h.askAll(again); got.ID == c.ID || got.Status != permission.Pending {
		t.Errorf("another session took it up: %+v", got)
	}
	again.ToolCallID, again.SessionID = "back", "s"
	if got := h.askAll(again); got.Status != permission.Approved {
		t.Errorf("its own session did not: %+v", got)
	}
}

func TestInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		claimed := func() permission.Call {
			c := h.ask("write_file")
			if _, err := h.decide(c, true); err != nil {
				t.Fatal(err)
			}
			c, err := h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: "k", Claimant: "test",
				Lease: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		late, again, closed := claimed(), claimed(), claimed()
		time.Sleep(9 * time.Second)
		if _, err := h.Resolve(ctx, late.ID, permission.Retry); code(err) != permission.CodeAlreadyDecided {
			t.Errorf("resolved while its lease holds: %v", err)
		}
		if c, err := h.claim(late); err != nil || *c.ClaimID != *late.ClaimID { // renewed for 60 s
			t.Errorf("renewed: %+v %v", c, err)
		}
		time.Sleep(2 * time.Second)
		h.want(late, permission.Claimed, false)
		h.want(again, permission.InDoubt, false)
		_, err := h.claim(again)
		h.wantCode(err, permission.CodeAlreadyClaimed, permission.InDoubt)
		time.Sleep(60 * time.Second)
		h.want(late, permission.InDoubt, false)
		done, err := h.Finish(ctx, h.agent, late.ID, permission.Outcome{ClaimID: *late.ClaimID, OK: true, Output: json.RawMessage(`"late"`)})
		if err != nil || done.Status != permission.Completed {
			t.Errorf("a late result: %+v %v", done.Status, err)
		}
		if c, err := h.Resolve(ctx, closed.ID, permission.Close); err != nil || c.Status != permission.Failed {
			t.Errorf("closed: %+v %v", c, err)
		}
		c, err := h.Resolve(ctx, again.ID, permission.Retry)
		if err != nil || c.Status != permission.Approved || c.ClaimID != nil {
			t.Fatalf("retry: %+v %v", c, err)
		}
		_, err = h.Finish(ctx, h.agent, again.ID, permission.Outcome{ClaimID: *again.ClaimID, OK: true})
		h.wantCode(err, permission.CodeResultConflict, permission.Approved)
		if c, err = h.claim(c); err != nil || *c.ClaimID == *again.ClaimID {
			t.Errorf("claimed again: %+v %v", c, err)
		}
		_, err = h.Resolve(ctx, done.ID, permission.Retry)
		h.wantCode(err, permission.CodeAlreadyDecided, permission.Completed)
		_, err = h.Resolve(ctx, done.ID, "maybe")
		h.wantCode(err, permission.CodeInvalid, "")
	})
}

func TestADenyRuleSettlesWhatWaitsAndRevokesWhatIsApproved(t *testing.T) {
	h := open(t)
	defer h.close()
	waiting, approved, other := h.ask("write_file"), h.ask("write_file"), h.ask("move_file")
	if _, err := h.decide(approved, true); err != nil {
		t.Fatal(err)
	}
	rule := h.rule(permission.Deny, "write_*")
	if c := h.want(waiting, permission.Denied, false); *c.Decision.RuleID != rule.ID || c.Decision.Approved || c.Why.Rule == nil ||
		c.Why.Rule.ID != rule.ID {
		t.Errorf("denied by %+v, %+v", c.Decision, c.Why)
	}
	h.want(other, permission.Pending, false)
	_, err := h.claim(approved)
	h.wantCode(err, permission.CodeRevoked, permission.Revoked)
	_, err = h.claim(approved)
	h.wantCode(err, permission.CodeRevoked, permission.Revoked)
	_, err = h.decide(waiting, true)
	h.wantCode(err, permission.CodeDenied, permission.Denied)
}

// What waits is judged by its own risk, when rules that read it are made.
func TestRulesReadTheRiskOfWhatWaits(t *testing.T) {
	h := open(t)
	defer h.close()
	low, high, secret := h.command("s", "ls"), h.command("s", "rm -rf ~"), h.command("s", "ls; echo $GITHUB_TOKEN")
	add := func(effect permission.Effect, condition string) permission.Rule {
		form := permission.NewRuleForm()
		form.Effect, form.Condition = &effect, &condition
		rule, _, err := h.CreateRule(ctx, form)
		if err != nil {
			t.Fatal(err)
		}
		return rule
	}
	medium := add(permission.Allow, `risk == "medium"`)
	listing := add(permission.Allow, `"ls" in shell(input.command).names`)
	for _, rule := range []permission.Rule{medium, listing} {
		if _, err := h.Release(ctx, rule.ID); err != nil {
			t.Fatal(err)
		}
	}
	h.want(high, permission.Pending, false)
	h.want(low, permission.Approved, false)
	h.want(secret, permission.Pending, false)
	add(permission.Deny, `risk == "high"`)
	h.want(high, permission.Denied, false)
}

func TestAnAllowRuleReleasesOnlyWhenTold(t *testing.T) {
	h := open(t)
	defer h.close()
	one, two, other := h.ask("write_a"), h.ask("write_b"), h.ask("move")
	form, effect, pattern := permission.NewRuleForm(), permission.Allow, "write_*"
	form.Effect, form.ToolPattern = &effect, &pattern
	rule, matches, err := h.CreateRule(ctx, form)
	if err != nil || matches != 2 {
		t.Fatalf("%d matches, %v", matches, err)
	}
	h.want(one, permission.Pending, false)
	if n, err := h.Release(ctx, rule.ID); err != nil || n != 2 {
		t.Errorf("released %d, %v", n, err)
	}
	if c := h.want(one, permission.Approved, false); c.Decision.By != permission.ByRule || *c.Decision.RuleID != rule.ID {
		t.Errorf("released by %+v", c.Decision)
	}
	h.want(two, permission.Approved, false)
	h.want(other, permission.Pending, false)
	if _, err := h.claim(one); err != nil {
		t.Error(err)
	}
	_, err = h.Release(ctx, "unknown")
	h.wantCode(err, permission.CodeNotFound, "")
	_, err = h.Release(ctx, h.rule(permission.Deny, "never").ID)
	h.wantCode(err, permission.CodeInvalid, "")
}

func TestHoldAllowsNothing(t *testing.T) {
	h := open(t)
	h.rule(permission.Allow, "read_*")
	before := h.want(h.ask("read_file"), permission.Approved, false)
	_, _ = h.answer(h.ask("write_file"), permission.Answer{Approved: true, Scope: permission.ScopeClass})
	granted := h.want(h.ask("write_file"), permission.Approved, false)
	if err := h.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("read_file"), permission.Pending, false)
	h.want(h.ask("write_file"), permission.Pending, false)
	for _, c := range []permission.Call{before, granted} {
		_, err := h.claim(c)
		h.wantCode(err, permission.CodeNotApproved, permission.Pending)
	}
	if v, err := h.Evaluate(ctx, permission.Query{ToolName: "read_file"}); err != nil || v.Decision != permission.Ask {
		t.Errorf("evaluated %+v, %v", v, err)
	}
	if _, err := h.decide(h.want(before, permission.Pending, false), true); err != nil {
		t.Fatal(err)
	}
	if _, err := h.claim(before); err != nil {
		t.Errorf("a person's yes, on hold: %v", err)
	}
	if err := h.Hold(ctx, false); err != nil {
		t.Fatal(err)
	}
	h.want(h.ask("read_file"), permission.Approved, false)
	h.close()
}

func TestDeadlinesAreSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		defer h.close()
		wait := func(c permission.Call) time.Duration {
			if c.ExpiresAt.IsZero() {
				return 0
			}
			return c.ExpiresAt.Std().Sub(c.CreatedAt.Std())
		}
		if medium, high := h.ask("write"), h.ask("delete"); wait(medium) != 300*time.Second || wait(high) != 600*time.Second {
			t.Errorf("they wait %v and %v", wait(medium), wait(high))
		}
		ten := 10.0
		h.set(func(s *permission.Settings) { s.Deadlines.Medium, s.Deadlines.High = &ten, nil })
		short, never := h.ask("write"), h.ask("delete")
		if wait(short) != 10*time.Second || wait(never) != 0 {
			t.Errorf("they wait %v and %v", wait(short), wait(never))
		}
		r := h.request("delete")
		r.Timeout = 1500 * time.Millisecond
		if c := h.askAll(r); wait(c) != r.Timeout {
			t.Errorf("it waits %v", wait(c))
		}
		rule := h.rule(permission.Allow, "allowed")
		r.ToolName = "allowed"
		r.ToolCallID = "allowed"
		back := h.askAll(r)
		if _, _, err := h.DeleteRule(ctx, rule.ID, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := h.claim(back); code(err) != permission.CodeNotApproved {
			t.Error(err)
		}
		if c := h.want(back, permission.Pending, false); wait(c) > r.Timeout+time.Second {
			t.Errorf("back to waiting, it forgot how long: %v", wait(c))
		}
		longer, err := h.Extend(ctx, short.ID, 20*time.Second)
		if err != nil || wait(longer) != 30*time.Second {
			t.Errorf("extended: %v %v", wait(longer), err)
		}
		time.Sleep(31 * time.Second)
		h.want(short, permission.Expired, false)
		_, err = h.Extend(ctx, short.ID, time.Second)
		h.wantCode(err, permission.CodeExpired, permission.Expired)
		time.Sleep(1000 * time.Hour)
		h.want(never, permission.Pending, false)
		for _, by := range []time.Duration{0, -1, 1000 * time.Hour} {
			_, err = h.Extend(ctx, never.ID, by)
			h.wantCode(err, permission.CodeInvalid, "")
		}
	})
}

func TestAnEditedInputIsWhatRuns(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.request("write_file")
	c := h.askAll(r)
	got, _ := h.answer(c, permission.Answer{Approved: true, Input: json.RawMessage(`{"n":1}`)})
	if string(got.Input) != `{"n":1}` || got.InputHash == c.InputHash || got.Original == nil || got.Original.InputHash != c.InputHash ||
		string(got.Original.Input) != string(c.Input) {
		t.Errorf("edited: %+v", got)
	}
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeHashMismatch, permission.Approved)
	if again := h.askAll(r); again.ID != c.ID {
		t.Errorf("the same identity is another row")
	}
	if got, err = h.claim(got); err != nil || string(got.Input) != `{"n":1}` {
		t.Errorf("claimed %+v %v", got, err)
	}
	_, _, repeated, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev,
		Input: json.RawMessage(`{ "n": 1 }`)})
	if err != nil || !repeated {
		t.Errorf("again: %v %v", repeated, err)
	}
	_, _, _, err = h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev})
	h.wantCode(err, permission.CodeAlreadyDecided, permission.Claimed)
	for field, a := range map[string]permission.Answer{
		"input":      {Approved: false, Input: json.RawMessage(`{}`)},
		"scope":      {Approved: true, Scope: "world"},
		"forSeconds": {Approved: true, ForSeconds: 5},
		"rev":        {Approved: true, Rev: -1},
	} {
		a.InputHash, a.Rev = "x", a.Rev+1
		_, _, _, err := h.Decide(ctx, c.ID, a)
		if e, ok := err.(*permission.Error); !ok || e.Code != permission.CodeInvalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestAnEditOfAReadingIsOfItsInput: what names it, or is of its envelope, could not be
// executed as it was shown.
func TestAnEditOfAReadingIsOfItsInput(t *testing.T) {
	h := open(t)
	defer h.close()
	h.set(func(s *permission.Settings) { s.Reads.Prompts = permission.Ask })
	server := "fs"
	r := h.request("greet")
	r.ServerID, r.Method, r.Held = &server, permission.GetPrompt, true
	c := h.askAll(r)
	for _, bad := range []string{`{"name":"other"}`, `{"NAME":"other"}`, `{"_meta":{}}`, `{"task":{}}`} {
		_, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev, Input: json.RawMessage(bad)})
		h.wantCode(err, permission.CodeInvalid, "")
		h.want(c, permission.Pending, false)
	}
	if got, _ := h.answer(c, permission.Answer{Approved: true,
		Input: json.RawMessage(`{"arguments":{"who":"me"}}`)}); got.Status != permission.Approved {
		t.Errorf("got %+v", got)
	}
}

func TestResumeDataSatisfiesTheSchema(t *testing.T) {
	h := open(t)
	defer h.close()
	r := h.request("ask_user")
	r.ResumeSchema = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","maxLength":3}},"required":["name"]}`)
	c := h.askAll(r)
	if c.OnlyOnce != permission.OnceData {
		t.Errorf("data is answered once only, not %q", c.OnlyOnce)
	}
	for _, bad := range []string{`{}`, `{"name":5}`, `{"name":"four"}`, `null`} {
		_, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev,
			ResumeData: json.RawMessage(bad)})
		h.wantCode(err, permission.CodeInvalid, "")
		h.want(c, permission.Pending, false)
	}
	got, _ := h.answer(c, permission.Answer{Approved: true, ResumeData: json.RawMessage(`{"name":"Ann"}`)})
	if got, err := h.claim(got); err != nil || string(got.ResumeData) != `{"name":"Ann"}` {
		t.Errorf("claimed %s %v", got.ResumeData, err)
	}
	for _, bad := range []string{`5`, `{"type":"nothing"}`, `{"properties":{"a":{"anyOf":[{"type":["string","text"]}]}}}`,
		`{"$ref":"http://127.0.0.1:1/x"}`, `{"properties":{"a":[{"$ref":"#"}]}}`, `{"pattern":"("}`} {
		r := h.request("ask_user")
		r.ResumeSchema = json.RawMessage(bad)
		if _, _, err := h.Ask(ctx, h.agent, r); code(err) != permission.CodeInvalid {
			t.Errorf("schema %s: %v", bad, err)
		}
	}
}

func TestExamplesHold(t *testing.T) {
	h := open(t)
	defer h.close()
	form, effect, pattern := permission.NewRuleForm(), permission.Allow, "read_*"
	form.Effect, form.ToolPattern = &effect, &pattern
	form.Examples = []permission.Example{{ToolName: "read_file", Decision: permission.Allow},
		{ToolName: "write_file", Decision: permission.Deny}}
	_, _, err := h.CreateRule(ctx, form)
	if e, ok := err.(*permission.Error); !ok || e.Field != "examples[1]" {
		t.Fatalf("a broken example: %v", err)
	}
	form.Examples = form.Examples[:1]
	kept, _, err := h.CreateRule(ctx, form)
	if err != nil {
		t.Fatal(err)
	}
	// Another rule must not break it either.
	deny, priority := permission.Deny, int64(5)
	guard := permission.NewRuleForm()
	guard.Effect, guard.Priority = &deny, priority
	if _, _, err = h.CreateRule(ctx, guard); code(err) != permission.CodeInvalid {
		t.Fatalf("broke an example of another rule: %v", err)
	}
	rules, _, err := h.Rules(ctx)
	if err != nil || len(rules) != 1 || fmt.Sprint(rules[0].Examples) != fmt.Sprint(kept.Examples) {
		t.Errorf("rules %+v %v", rules, err)
	}
	bad := kept
	bad.Examples = []permission.Example{{ToolName: "read_file", Decision: permission.Deny}}
	if _, _, err := h.ReplaceRules(ctx, 0, []permission.Rule{{ID: "z", Effect: permission.Ask, Enabled: true}, bad}); err == nil ||
		err.(*permission.Error).Field != "rules[1].examples[0]" {
		t.Errorf("a broken list: %v", err)
	}
}
