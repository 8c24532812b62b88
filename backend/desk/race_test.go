package desk_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/storetest"
)

// rounds is how often each race is run.
const rounds = 400

// racer is one side of a race, over a call of its own round.
type racer func(h *house, c permission.Call) error

func approve(h *house, c permission.Call) error {
	_, _, repeated, err := h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev})
	if repeated {
		return errRepeated
	}
	return err
}

func decline(h *house, c permission.Call) error {
	_, _, repeated, err := h.Decide(ctx, c.ID, permission.Answer{InputHash: c.InputHash, Rev: c.Rev})
	if repeated {
		return errRepeated
	}
	return err
}

var errRepeated = &permission.Error{Code: "repeated", Message: "the same answer stands already"}

func claimAs(key string) racer {
	return func(h *house, c permission.Call) error {
		_, err := h.Claim(ctx, h.agent, c.ID, permission.ClaimRequest{InputHash: c.InputHash, Key: key, Claimant: key})
		return err
	}
}

func forbid(h *house, c permission.Call) error {
	form, effect := permission.NewRuleForm(), permission.Deny
	form.Effect, form.ToolName = &effect, &c.ToolName
	_, _, err := h.CreateRule(ctx, form)
	return err
}

func withdraw(h *house, c permission.Call) error {
	_, err := h.Cancel(ctx, h.agent, c.ID, "never mind")
	return err
}

// deadline only lets its time pass: the clock is the other runner.
func deadline(_ *house, c permission.Call) error {
	time.Sleep(time.Until(c.ExpiresAt.Std()))
	return nil
}

// TestRaces lets two hands reach for one call at the same time, many times. Exactly
// one wins; the other is told what stands, and the journal tells the same story.
func TestRaces(t *testing.T) {
	for _, race := range []struct {
		name     string
		approved bool          // the call is approved before the start
		timeout  time.Duration // of the call
		one, two racer
		// outcomes lists the lawful endings: the status, and what each side was told.
		outcomes []ending
	}{
		{"approve/approve", false, 0, approve, approve, []ending{{permission.Approved, "", "repeated"}, {permission.Approved, "repeated", ""}}},
		{"approve/decline", false, 0, approve, decline,
			[]ending{{permission.Approved, "", permission.CodeAlreadyDecided}, {permission.Declined, permission.CodeAlreadyDecided, ""}}},
		{"approve/deadline", false, 4 * time.Millisecond, approve, deadline,
			[]ending{{permission.Approved, "", ""}, {permission.Expired, permission.CodeExpired, ""}}},
		{"approve/cancel", false, 0, approve, withdraw,
			[]ending{{permission.Cancelled, permission.CodeCancelled, ""}, {permission.Cancelled, "", ""}}},
		{"approve/deny-rule", false, 0, approve, forbid, []ending{{permission.Approved, "", ""}, {permission.Denied, permission.CodeDenied, ""}}},
		{"claim/claim", true, 0, claimAs("one"), claimAs("two"),
			[]ending{{permission.Claimed, "", permission.CodeAlreadyClaimed}, {permission.Claimed, permission.CodeAlreadyClaimed, ""}}},
		{"claim/revoke", true, 0, claimAs("one"), forbid,
			[]ending{{permission.Claimed, "", ""}, {permission.Revoked, permission.CodeRevoked, ""}}},
	} {
		t.Run(race.name, func(t *testing.T) {
			h := open(t)
			defer h.close()
			var seen sync.Map
			each(rounds, func(n int) {
				r := permission.Request{Identity: permission.Identity{RunID: "run", ToolCallID: fmt.Sprint(n)}, ToolName: fmt.Sprintf("tool_%d", n),
					Timeout: race.timeout}
				c, _, err := h.Ask(ctx, h.agent, r)
				if err == nil && race.approved {
					c, _, _, err = h.Decide(ctx, c.ID, permission.Answer{Approved: true, InputHash: c.InputHash, Rev: c.Rev})
				}
				if err != nil {
					t.Errorf("round %d: %v", n, err)
					return
				}
				one, two := together(func() error { return race.one(h, c) }, func() error { return race.two(h, c) })
				got := ending{told: code(one), toldTwo: code(two)}
				if end, err := h.Call(ctx, permission.Operator(), c.ID); err == nil {
					got.status = end.Status
				}
				seen.Store(got, true)
			})
			seen.Range(func(k, _ any) bool {
				if !lawful(race.outcomes, k.(ending)) {
					t.Errorf("a round ended with %+v", k)
				}
				return true
			})
			h.storyHolds()
		})
	}
}

// ending is how a round may end: the call's status, and what both sides were told.
type ending struct {
	status        permission.Status
	told, toldTwo permission.Code
}

func lawful(outcomes []ending, got ending) bool {
	for _, o := range outcomes {
		if o == got {
			return true
		}
	}
	return false
}

// each runs n rounds, some at a time.
func each(n int, round func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 16 {
		wg.Go(func() {
			for i := range next {
				round(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// together starts both at the same moment, give or take a random moment.
func together(a, b func() error) (one, two error) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for f, err := range map[*func() error]*error{&a: &one, &b: &two} {
		wg.Go(func() {
			<-start
			time.Sleep(rand.N(500 * time.Microsecond))
			*err = (*f)()
		})
	}
	close(start)
	wg.Wait()
	return one, two
}

// storyHolds replays the journal: lawful steps only, at most one claim of each call,
// and every call stands where the journal leaves it.
func (h *house) storyHolds() {
	h.Helper()
	entries := h.entries()
	calls, complaints := storetest.Replay(entries)
	for _, c := range complaints {
		h.Error(c)
	}
	for id, story := range calls {
		if story.Claims > 1 {
			h.Errorf("call %s was claimed %d times", id, story.Claims)
		}
		if c, err := h.Call(ctx, permission.Operator(), id); err != nil || c.Status != story.Status {
			h.Errorf("call %s is %s (%v), the journal left it %s", id, c.Status, err, story.Status)
		}
	}
	if len(calls) == 0 {
		h.Error("the journal tells of no call")
	}
}
