package desk_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
)

func (h *house) askAndClaim(tool string) (permission.Call, error) {
	r := h.request(tool)
	r.Claim = &permission.ClaimRequest{Claimant: "gateway", Key: "k", Lease: time.Minute}
	c, _, err := h.Ask(ctx, h.agent, r)
	return c, err
}

// TestWhatARuleAllowsIsClaimedAsItIsAskedFor: with the same story in the journal as in
// two steps, and nothing else is claimed so.
func TestWhatARuleAllowsIsClaimedAsItIsAskedFor(t *testing.T) {
	h := open(t)
	defer h.close()
	h.rule(permission.Allow, "read*")
	h.rule(permission.Deny, "drop*")
	c, err := h.askAndClaim("read")
	if err != nil || c.Status != permission.Claimed || c.ClaimID == nil || c.ExpiresAt != 0 ||
		c.LeaseExpiresAt != c.CreatedAt.Add(time.Minute) || c.Rev != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	if err := h.Answerable(ctx, c.ID); err != nil {
		t.Error(err)
	}
	stored := h.want(c, permission.Claimed, false)
	if *stored.ClaimID != *c.ClaimID || stored.Decision.By != permission.ByRule || stored.LeaseExpiresAt != c.LeaseExpiresAt ||
		stored.Rev != 2 || stored.ClaimKey != "k" {
		t.Errorf("%+v", stored)
	}
	done, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true, Output: []byte(`"out"`), Unawaited: true})
	if err != nil || done.Status != permission.Completed || done.Rev != 3 {
		t.Errorf("%+v %v", done, err)
	}
	if got := h.want(c, permission.Completed, false); string(got.Result) != `"out"` || got.Rev != 3 {
		t.Errorf("%+v", got)
	}
	for range 2 { // as where an answer waits: the same again is no error, another is
		if _, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true, Output: []byte(`"out"`),
			Unawaited: true}); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: *c.ClaimID, OK: true, Output: []byte(`1`), Unawaited: true}); code(
		err) != permission.CodeResultConflict {
		t.Error(err)
	}
	entries, _, err := h.Entries(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{}
	for _, e := range entries {
		if e.CallID != nil && *e.CallID == c.ID {
			kinds = append(kinds, string(e.Kind))
		}
	}
	if got := strings.Join(kinds, " "); got != "call.created call.decided call.claimed call.finished" {
		t.Errorf("the journal says %s", got)
	}
	h.storyHolds()
	for tool, want := range map[string]permission.Status{"write": permission.Pending, "drop": permission.Denied} {
		if c, err := h.askAndClaim(tool); err != nil || c.Status != want || c.ClaimID != nil {
			t.Errorf("%s: %+v %v", tool, c, err)
		}
	}
	if err := h.Hold(ctx, true); err != nil {
		t.Fatal(err)
	}
	if c, err := h.askAndClaim("read"); err != nil || c.Status != permission.Pending || c.ClaimID != nil {
		t.Errorf("on hold: %+v %v", c, err)
	}
}

// TestTheSameIdentityIsNotClaimedAgain: who asks twice has one claim.
func TestTheSameIdentityIsNotClaimedAgain(t *testing.T) {
	h := open(t)
	defer h.close()
	h.rule(permission.Allow, "read*")
	r := h.request("read")
	r.Claim = &permission.ClaimRequest{Claimant: "gateway", Key: "k"}
	first, created, err := h.Ask(ctx, h.agent, r)
	if err != nil || !created || first.Status != permission.Claimed {
		t.Fatal(first, created, err)
	}
	again, created, err := h.Ask(ctx, h.agent, r)
	if err != nil || created || again.ID != first.ID || *again.ClaimID != *first.ClaimID || again.Rev != first.Rev {
		t.Errorf("%+v %v %v", again, created, err)
	}
}

// TestAClaimWithTheCallRunsOut like any other.
func TestAClaimWithTheCallRunsOut(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := openAt(t, dir)
		defer h.close()
		h.rule(permission.Allow, "read*")
		c, err := h.askAndClaim("read")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		h.want(c, permission.InDoubt, false)
		if _, err := h.Finish(ctx, h.agent, c.ID, permission.Outcome{ClaimID: "another", OK: true, Unawaited: true}); !errors.As(err,
			new(*permission.Error)) {
			t.Error(err)
		}
	})
}
