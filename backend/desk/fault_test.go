package desk_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
	"sekisho/backend/sqlite"
	"sekisho/backend/storetest"
)

var errFault = errors.New("the disk is on fire")

// faulty is a store that fails now and then: before it does anything, or after it did
// and nobody hears of it.
type faulty struct {
	*sqlite.Store
	on bool
}

func (s *faulty) before() error {
	if s.on && rand.IntN(5) == 0 {
		return errFault
	}
	return nil
}

// after loses an answer.
func (s *faulty) after(err error) error { return errors.Join(err, s.before()) }

func (s *faulty) Suspend(ctx context.Context, sus permission.Suspension) (c permission.Call, kept permission.Kept, err error) {
	if err := s.before(); err != nil {
		return c, "", err
	}
	c, kept, err = s.Store.Suspend(ctx, sus)
	return c, kept, s.after(err)
}

func (s *faulty) Transit(ctx context.Context, t permission.Transition) (c permission.Call, err error) {
	if err := s.before(); err != nil {
		return c, err
	}
	c, err = s.Store.Transit(ctx, t)
	return c, s.after(err)
}

func (s *faulty) TransitAll(ctx context.Context, list []permission.Transition) (calls []permission.Call, err error) {
	if err := s.before(); err != nil {
		return nil, err
	}
	calls, err = s.Store.TransitAll(ctx, list)
	return calls, s.after(err)
}

func (s *faulty) Reply(ctx context.Context, r permission.Reply) (c permission.Call, siblings []permission.Call, err error) {
	if err := s.before(); err != nil {
		return c, nil, err
	}
	c, siblings, err = s.Store.Reply(ctx, r)
	return c, siblings, s.after(err)
}

func (s *faulty) Call(ctx context.Context, id permission.CallID) (c permission.Call, err error) {
	if err := s.before(); err != nil {
		return c, err
	}
	return s.Store.Call(ctx, id)
}

func (s *faulty) Rules(ctx context.Context) ([]permission.Rule, int64, []permission.DamagedRule, error) {
	if err := s.before(); err != nil {
		return nil, 0, nil, err
	}
	return s.Store.Rules(ctx)
}

func (s *faulty) ChangeRules(ctx context.Context, c permission.RuleChange) (version int64, err error) {
	if err := s.before(); err != nil {
		return 0, err
	}
	version, err = s.Store.ChangeRules(ctx, c)
	return version, s.after(err)
}

func (s *faulty) Waiting(ctx context.Context, input bool, visit func(permission.Call)) error {
	if err := s.before(); err != nil {
		return err
	}
	return s.after(s.Store.Waiting(ctx, input, visit))
}

// TestNoFaultAllows lets the store fail in the midst of everything. What the desk says
// is approved or claimed must be so in the store, by a yes that the journal knows, and
// nothing that the rules deny may ever be either.
func TestNoFaultAllows(t *testing.T) {
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &faulty{Store: store}
	d, err := desk.Open(ctx, storetest.Stores(s), desk.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, parts: partsOf(d), store: store, agent: permission.Agent{ID: "a", Name: "Agent A"}}
	defer h.close()
	h.rule(permission.Deny, "never_*")
	h.rule(permission.Allow, "*ever_x")
	s.on = true
	claimed := 0
	for i := range 1500 {
		claimed += h.stumble(i)
	}
	s.on = false
	h.storyHolds()
	if claimed == 0 {
		t.Error("nothing was claimed: this shows nothing")
	}
}

// stumble takes one call as far as the faults let it, and says whether it was claimed.
func (h *house) stumble(i int) int {
	tools := []string{"never_x", "ever_x", "write"}
	tool := tools[rand.IntN(len(tools))]
	if i%50 == 0 { // an edit that may be lost on either way
		form, effect, pattern := permission.NewRuleForm(), permission.Ask, fmt.Sprint("none_", i)
		form.Effect, form.ToolPattern = &effect, &pattern
		_, _, _ = h.CreateRule(ctx, form)
	}
	c, _, err := h.Ask(ctx, h.agent, h.request(tool))
	if err != nil {
		return 0
	}
	if c.Status == permission.Pending {
		_, _, _, _ = h.Decide(ctx, c.ID, permission.Answer{Approved: rand.IntN(2) == 0, InputHash: c.InputHash, Rev: c.Rev})
	}
	// A lease that outlives the test on a busy machine.
	got, err := h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: "k", Claimant: "test", Lease: time.Hour})
	if err != nil {
		return 0
	}
	stored, err := h.store.Call(ctx, c.ID)
	if err != nil || stored.Status != permission.Claimed || stored.ClaimID == nil || *stored.ClaimID != *got.ClaimID {
		h.Errorf("told that %s is claimed, but it is %s (%v)", c.ID, stored.Status, err)
	}
	if tool == "never_x" {
		h.Error("what a rule denies was claimed")
	}
	return 1
}
