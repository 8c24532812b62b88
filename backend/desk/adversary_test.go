package desk_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

// hooked lets something happen right after the desk has read or written something:
// what an adversary would have to time well.
type hooked struct {
	*sqlite.Store
	mu                                sync.Mutex
	afterCall, afterEnd, afterWaiting func()
}

func (s *hooked) once(f *func()) {
	s.mu.Lock()
	g := *f
	*f = nil
	s.mu.Unlock()
	if g != nil {
		g()
	}
}

func (s *hooked) Call(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := s.Store.Call(ctx, id)
	s.once(&s.afterCall)
	return c, err
}

func (s *hooked) Waiting(ctx context.Context, input bool, visit func(permission.Call)) error {
	err := s.Store.Waiting(ctx, input, visit)
	s.once(&s.afterWaiting)
	return err
}

func (s *hooked) EndSession(ctx context.Context, a permission.AgentID, session permission.SessionID, actor string,
	at permission.Time) (int, error) {
	n, err := s.Store.EndSession(ctx, a, session, actor, at)
	s.once(&s.afterEnd)
	return n, err
}

func openHooked(t *testing.T) (*house, *hooked) {
	t.Helper()
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hooks := &hooked{Store: store}
	d, err := desk.Open(ctx, storetest.Stores(hooks), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &house{T: t, parts: partsOf(d), store: store, agent: permission.Agent{ID: "a", Name: "Agent A"}}, hooks
}

func (h *house) enable(id permission.RuleID, on bool) {
	h.Helper()
	if _, _, err := h.UpdateRule(ctx, id, 0, func(f *permission.RuleForm) error { f.Enabled = on; return nil }); err != nil {
		h.Fatal(err)
	}
}

// released is a call whose caller left, which a rule approved when it was released, and
// whose rule is gone.
func (h *house) released(rule permission.RuleID, r *permission.Request) permission.Call {
	h.Helper()
	r.Held = true
	c := h.askAll(*r)
	if _, err := h.Leave(ctx, h.agent, c.ID); err != nil {
		h.Fatal(err)
	}
	h.enable(rule, true)
	if n, err := h.Release(ctx, rule); err != nil || n == 0 { // others of earlier rounds may wait too
		h.Fatalf("released %d, %v", n, err)
	}
	h.enable(rule, false)
	r.Held = false
	return c
}

func TestACallThatBecomesClaimableIsJudgedFirst(t *testing.T) {
	h, hooks := openHooked(t)
	defer h.close()
	rule := h.rule(permission.Allow, "read_*")
	h.enable(rule.ID, false)
	r := h.request("read_x")
	c := h.released(rule.ID, &r)
	hooks.afterCall = func() { h.askAll(r) } // the caller is back between look and claim
	_, err := h.claim(c)
	h.wantCode(err, permission.CodeNotApproved, permission.Pending)

	guard := h.rule(permission.Deny, "write_*")
	h.enable(guard.ID, false)
	waiting := h.ask("write_x")
	h.enable(guard.ID, false)
	hooks.afterCall = func() {
		if _, err := h.decide(waiting, true); err != nil {
			t.Error(err)
		}
		h.enable(guard.ID, true)
	}
	_, err = h.claim(waiting)
	h.wantCode(err, permission.CodeRevoked, permission.Revoked)
}

// TestNobodyClaimsBesideAReturn is the same without a hook: many claims beside the
// caller's return.
func TestNobodyClaimsBesideAReturn(t *testing.T) {
	h := open(t)
	defer h.close()
	rule := h.rule(permission.Allow, "read_*")
	h.enable(rule.ID, false)
	var claimed atomic.Int64
	for i := range 100 {
		r := h.request(fmt.Sprint("read_", i))
		c := h.released(rule.ID, &r)
		var all sync.WaitGroup
		all.Go(func() {
			if _, _, err := h.Ask(ctx, h.agent, r); err != nil {
				t.Error(err)
			}
		})
		for key := range 3 {
			all.Go(func() {
				if _, err := h.Claim(ctx, h.agent, c.ID,
					permission.ClaimRequest{InputHash: c.InputHash, Key: fmt.Sprint(key), Claimant: "test"}); err == nil {
					claimed.Add(1)
				}
			})
		}
		all.Wait()
	}
	if n := claimed.Load(); n != 0 {
		t.Errorf("%d calls ran without an allow rule or a person's yes", n)
	}
}

func TestNoGrantOutlivesItsSession(t *testing.T) {
	h, hooks := openHooked(t)
	defer h.close()
	c := h.command("s", "git status")
	hooks.afterEnd = func() { h.answer(c, permission.Answer{Approved: true, Scope: permission.ScopeSession}) }
	if _, ended, err := h.EndSession(ctx, permission.Operator(), "s"); err != nil || ended != 1 {
		t.Errorf("ended %d grants, %v", ended, err)
	}
	h.want(h.command("s", "git status"), permission.Pending, false)
}

func TestADenyRuleSettlesWhatMovesUnderItsHand(t *testing.T) {
	h, hooks := openHooked(t)
	defer h.close()
	r := h.request("x")
	r.Held = true
	c := h.askAll(r)
	hooks.afterWaiting = func() {
		if _, err := h.Leave(ctx, h.agent, c.ID); err != nil {
			t.Error(err)
		}
	}
	h.rule(permission.Deny, "x")
	h.want(c, permission.Denied, true)
}

func TestHoldDoesNotWaitForWhatWaits(t *testing.T) {
	h, hooks := openHooked(t)
	defer h.close()
	c := h.ask("x")
	held := make(chan error, 1)
	hooks.afterWaiting = func() { // an edit that looks over a long queue
		go func() { held <- h.Hold(ctx, true) }()
		select {
		case err := <-held:
			held <- err
		case <-time.After(10 * time.Second):
			t.Error("hold waits for the edit")
		}
	}
	h.rule(permission.Deny, "x")
	if err := <-held; err != nil {
		t.Error(err)
	}
	h.want(c, permission.Denied, false)
}

func TestAPreviewWhoseCallerLeftEnds(t *testing.T) {
	h := open(t)
	defer h.close()
	for range 3 {
		h.ask("x")
	}
	condition := "true"
	rule := allowing("r", "*")
	rule.Condition = &condition
	gone, leave := context.WithCancel(ctx)
	if _, err := h.Preview(gone, instead(rule)); err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := h.Preview(gone, instead(rule)); err == nil {
		t.Error("a preview for nobody")
	}
}
