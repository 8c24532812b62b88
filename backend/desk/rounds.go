package desk

import (
	"cmp"
	"context"
	"fmt"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// maxRounds bounds how many further rounds of a call one yes covers.
const maxRounds = 100

// carryOn notes of a new call that it is another round of an earlier one, which ran and
// asked for more; nil is none. Where it would wait, a person's yes to that is good for it
// too: the call is not done yet. It is asked for all the same on hold, when its tool
// changed since it was first allowed, at a higher risk than the one that was approved, and
// when the same was declined since, and when a yes has data.
func (d *Calls) carryOn(ctx context.Context, sus *permission.Suspension, before *permission.Call) error {
	if before == nil {
		return nil
	}
	c := &sus.Call
	held := d.policy.held() || d.catalogue.withheld(c).Reason != "" || c.Risk.Rank() > before.Risk.Rank()
	if yes := repeated(before, c.CreatedAt); c.Status == permission.Pending && !held && !c.ResumeRequired && yes != nil {
		first, err := roundless(c)
		if err != nil {
			return err
		}
		declined, err := d.sessions.Declined(ctx, c.AgentID, []string{first, c.AskedHash()}, before.Decision.DecidedAt)
		if err != nil {
			return err
		}
		if !declined {
			c.Status, c.ExpiresAt, c.Decision = permission.Approved, c.CreatedAt.Add(broker.ClaimWithin), yes
			sus.YesAt, sus.YesTo = before.Decision.DecidedAt, first
		}
	}
	sus.Entries = continuation(c, before.ID)
	return nil
}

// roundless is the AskedHash of a call's first round.
func roundless(c *permission.Call) (string, error) {
	plain, err := rawjson.Without(c.Envelope, inputResponses, requestState)
	if err != nil {
		return "", fmt.Errorf("name the first round: %w", err)
	}
	asked, err := rawjson.AskedHash(beside(c.Method), c.InputHash, plain)
	return cmp.Or(asked, c.InputHash), err
}

// repeated is a person's yes to a call, given again at a time for a further round of it;
// nil when there was none, or it was given often enough.
func repeated(before *permission.Call, at permission.Time) *permission.Decision {
	yes := before.Decision
	if yes == nil || yes.By != permission.ByPerson || !yes.Approved || yes.Count >= maxRounds {
		return nil
	}
	again := &permission.Decision{By: permission.ByPerson, Approved: true, Explanation: yes.Explanation, Scope: permission.ScopeOnce,
		DecidedAt: at, Remembered: yes.Remembered, Count: yes.Count + 1}
	if again.Remembered == nil {
		again.Remembered = &before.ID
	}
	return again
}
