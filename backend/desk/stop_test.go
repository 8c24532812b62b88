package desk_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

// withAgent is a desk whose agent is known to it.
func withAgent(t *testing.T) *house {
	h := open(t)
	agent, _, err := h.CreateAgent(ctx, "builder")
	if err != nil {
		t.Fatal(err)
	}
	h.agent = agent
	return h
}

func (h *house) stop() permission.Stopped {
	h.Helper()
	done, err := h.StopAgent(ctx, h.agent.ID)
	if err != nil {
		h.Fatal(err)
	}
	return done
}

func (h *house) resume() {
	h.Helper()
	if agent, err := h.ResumeAgent(ctx, h.agent.ID); err != nil || agent.StoppedUntil != 0 {
		h.Fatal(agent, err)
	}
}

// wantStopped wants a call that a stop of its agent refused.
func (h *house) wantStopped(c permission.Call, status permission.Status) {
	h.Helper()
	if c.Status != status || !c.ByStop() || c.Decision.By != permission.ByPerson || c.Decision.Approved || c.Decision.RuleID != nil {
		h.Errorf("the call is %s by %+v", c.Status, c.Decision)
	}
	if words := c.Refusal(); !strings.HasPrefix(words, "A person stopped this agent.") || !strings.Contains(words, "End your turn") {
		h.Errorf("the model is told: %s", words)
	}
}

// TestAStoppedAgentIsRefused before rules of every effect, a grant and hold are looked at, for 15
// minutes, unless a person lets it go on.
func TestAStoppedAgentIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := withAgent(t)
		defer h.close()
		h.rule(permission.Allow, "read_*")
		h.rule(permission.Deny, "drop_*")
		waits, approved := h.ask("write_file"), h.ask("read_file")
		claimed, err := h.claim(h.ask("read_more"))
		if err != nil {
			t.Fatal(err)
		}
		done := h.stop()
		if done.Declined != 1 || done.Revoked != 1 || done.Agent.StoppedUntil != h.Calls.Now().Add(permission.StopFor) {
			t.Errorf("%+v", done)
		}
		h.wantStopped(h.want(waits, permission.Declined, false), permission.Declined)
		h.wantStopped(h.want(approved, permission.Revoked, false), permission.Revoked)
		h.want(claimed, permission.Claimed, false)
		_, err = h.claim(approved)
		h.wantCode(err, permission.CodeRevoked, permission.Revoked)
		_, err = h.decide(waits, true)
		h.wantCode(err, permission.CodeAlreadyDecided, permission.Declined)
		if _, err := h.Finish(ctx, h.agent, claimed.ID, permission.Outcome{ClaimID: *claimed.ClaimID, OK: true}); err != nil {
			t.Errorf("what ran has no result: %v", err)
		}
		for _, hold := range []bool{false, true} {
			if err := h.Hold(ctx, hold); err != nil {
				t.Fatal(err)
			}
			for _, tool := range []string{"read_file", "write_file", "drop_table"} {
				c := h.ask(tool)
				h.wantStopped(c, permission.Declined)
				if c.Why.Code != permission.ReasonAgentStopped || c.Why.Rule != nil {
					t.Errorf("%s: why %+v", tool, c.Why)
				}
			}
		}
		if err := h.Hold(ctx, false); err != nil {
			t.Fatal(err)
		}
		other := h.request("read_file")
		if c, _, err := h.Ask(ctx, permission.Agent{ID: "other", Name: "other"}, other); err != nil || c.Status != permission.Approved {
			t.Errorf("another agent: %s %v", c.Status, err)
		}
		time.Sleep(permission.StopFor - time.Second)
		h.wantStopped(h.ask("read_file"), permission.Declined)
		time.Sleep(time.Second)
		if c := h.ask("read_file"); c.Status != permission.Approved {
			t.Errorf("after its time: %s", c.Status)
		}
		if all, err := h.Agents(ctx); err != nil || len(all) != 1 || all[0].StoppedUntil != 0 {
			t.Errorf("after its time: %+v %v", all, err)
		}
		h.stop()
		h.wantStopped(h.ask("read_file"), permission.Declined)
		h.resume()
		h.resume() // which changes nothing
		if c := h.ask("read_file"); c.Status != permission.Approved {
			t.Errorf("resumed: %s", c.Status)
		}
		if c := h.ask("write_file"); c.Status != permission.Pending {
			t.Errorf("resumed, and nobody remembers a decline: %s", c.Status)
		}
	})
}

// TestAStopEndsWhatWasGranted, so that after it a person is asked again.
func TestAStopEndsWhatWasGranted(t *testing.T) {
	h := withAgent(t)
	defer h.close()
	c := h.ask("write_file")
	if _, _, _, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev,
		Scope: permission.ScopeSession}); err != nil {
		t.Fatal(err)
	}
	if c := h.ask("write_file"); c.Status != permission.Approved {
		t.Fatal(c.Status)
	}
	if done := h.stop(); done.GrantsEnded != 1 || done.Revoked != 2 {
		t.Errorf("%+v", done)
	}
	h.resume()
	if c := h.ask("write_file"); c.Status != permission.Pending {
		t.Errorf("after the stop: %s", c.Status)
	}
}

// TestACallThatIsTakenOutOfDoubtIsNotClaimedByAStoppedAgent: a yes that stood before the stop.
func TestACallThatIsTakenOutOfDoubtIsNotClaimedByAStoppedAgent(t *testing.T) {
	h := withAgent(t)
	defer h.close()
	h.rule(permission.Allow, "read_*")
	c, err := h.claim(h.ask("read_file"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Doubt(ctx, h.agent, c.ID, *c.ClaimID); err != nil {
		t.Fatal(err)
	}
	h.stop()
	if c, err = h.Resolve(ctx, c.ID, permission.Retry); err != nil || c.Status != permission.Approved {
		t.Fatal(c.Status, err)
	}
	_, err = h.claim(c)
	h.wantCode(err, permission.CodeRevoked, permission.Revoked)
	h.wantStopped(h.want(c, permission.Revoked, false), permission.Revoked)
}

// TestEvaluateKnowsOfAStop: whoever acts by a verdict alone is stopped, too, and the tester agrees
// with the gate.
func TestEvaluateKnowsOfAStop(t *testing.T) {
	h := withAgent(t)
	defer h.close()
	h.rule(permission.Allow, "read_*")
	h.stop()
	for _, brief := range []bool{false, true} {
		v, err := h.Evaluate(ctx, permission.Query{ToolName: "read_file", Input: []byte(`{}`), Brief: brief,
			Caller: permission.Caller{AgentID: h.agent.ID}})
		if err != nil || v.Decision != permission.Deny || v.Code != permission.ReasonAgentStopped || v.Rule != nil {
			t.Errorf("brief %v: %+v %v", brief, v, err)
		}
	}
	if v, err := h.Evaluate(ctx, permission.Query{ToolName: "read_file", Input: []byte(`{}`)}); err != nil || v.Decision != permission.Allow {
		t.Errorf("for nobody: %+v %v", v, err)
	}
}

// TestAnotherDeskRefusesAStoppedAgent, though its copies are older than the stop and the resume.
func TestAnotherDeskRefusesAStoppedAgent(t *testing.T) {
	a, b, _ := twoDesks(t)
	agent, _, err := a.CreateAgent(ctx, "builder")
	if err != nil {
		t.Fatal(err)
	}
	a.agent, b.agent = agent, agent
	b.reload()
	b.wantAllowed("read")
	a.stop()
	b.wantStopped(b.ask("read"), permission.Declined)
	b.resume()
	a.wantAllowed("read")
}

// TestAStopBesideOthers: with an approval, a claim and a new call under way, what is executed was
// claimed before the stop, and nothing of the agent waits or may run after it.
func TestAStopBesideOthers(t *testing.T) {
	h := withAgent(t)
	defer h.close()
	h.rule(permission.Allow, "read_*")
	for i := range 100 {
		waits, r := h.ask("write_file"), h.request("read_file")
		r.Input = fmt.Appendf(nil, `{"n":%d}`, i)
		allowed := h.askAll(r)
		var fresh permission.Call
		var errs [4]error
		var all sync.WaitGroup
		for n, do := range []func() error{
			func() error { _, err := h.StopAgent(ctx, h.agent.ID); return err },
			func() error {
				c, err := h.decide(waits, true)
				if err == nil {
					_, err = h.claim(c)
				}
				return err
			},
			func() error { _, err := h.claim(allowed); return err },
			func() (err error) {
				r := permission.Request{Identity: permission.Identity{RunID: "fresh", ToolCallID: fmt.Sprint(i)}, ToolName: "read_file",
					Input: fmt.Appendf(nil, `{"fresh":%d}`, i)}
				fresh, _, err = h.Ask(ctx, h.agent, r)
				return err
			},
		} {
			all.Go(func() { errs[n] = do() })
		}
		all.Wait()
		if errs[0] != nil || errs[3] != nil {
			t.Fatal(errs)
		}
		for n, c := range map[int]permission.Call{1: waits, 2: allowed, 3: fresh} {
			got, err := h.Call(ctx, permission.Operator(), c.ID)
			ran := n < 3 && errs[n] == nil
			if err != nil || got.Status != permission.Claimed && !got.ByStop() || ran != (got.Status == permission.Claimed) {
				t.Errorf("%d: %d is %s, and was told %v (%v)", i, n, got.Status, errs[n], err)
			}
			var e *permission.Error
			if n < 3 && !ran && (!errors.As(errs[n], &e) || e.Call == nil || !e.Call.ByStop()) {
				t.Errorf("%d: %d lost and was told %v", i, n, errs[n])
			}
		}
		h.resume()
	}
}
