package desk

import (
	"context"
	"errors"
	"fmt"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/toolbook"
)

// Release approves the waiting calls that an allow rule decides now.
func (d *Calls) Release(ctx context.Context, id permission.RuleID) (released int, err error) {
	rule, err := d.policy.Rule(ctx, id)
	if err != nil {
		return 0, err
	}
	if rule.Effect != permission.Allow {
		return 0, permission.Invalid("ruleId", permission.FieldRuleNotAllowing, "this rule does not allow anything")
	}
	err = d.current(ctx, func(int64) error {
		var tools []toolbook.Tool
		list, err := d.waitingAlone(ctx, func(w waiter) (t permission.Transition, ok bool) {
			if w.got.Effect != permission.Allow || w.got.Rule == nil || w.got.Rule.ID != id {
				return t, false
			}
			tools = append(tools, toolbook.ToolsOf(*w.call)...)
			until := d.Now().Add(broker.ClaimWithin)
			t = w.ruling(permission.Approved, permission.ActorPerson, d.Now())
			t.ExpiresAt = &until
			return t, true
		})
		if err == nil {
			err = d.catalogue.pinTools(ctx, tools)
		}
		if err != nil {
			return err
		}
		done, err := d.broker.Settle(ctx, list)
		released += len(done)
		return err
	})
	return released, told("release calls", err)
}

// waiter is a waiting call, and what the rules of a version say of it.
type waiter struct {
	call    *permission.Call
	got     policy.Decision
	version int64
}

// waiting judges every waiting call and gathers the transitions that pick makes.
func (d *Calls) waiting(ctx context.Context, pick func(waiter) (permission.Transition, bool)) (list []permission.Transition, err error) {
	rules, at := d.policy.inForce(), d.Now()
	err = d.store.Waiting(ctx, rules.HasConditions(), func(c permission.Call) {
		if t, ok := pick(waiter{&c, d.decide(rules, subject(&c), at), rules.Version()}); ok {
			list = append(list, t)
		}
	})
	return list, err
}

// waitingAlone is waiting with nobody else at it.
func (d *Calls) waitingAlone(ctx context.Context, pick func(waiter) (permission.Transition, bool)) ([]permission.Transition, error) {
	d.queue.Lock()
	defer d.queue.Unlock()
	return d.waiting(ctx, pick)
}

// ruling is the transition of a waiting call that the rules decide, under the version
// that judged it. actor is who made it so, "" being the rule itself.
func (w waiter) ruling(to permission.Status, actor string, at permission.Time) permission.Transition {
	decision := ruled(w.got, at)
	if actor == "" {
		actor = judgeOf(decision)
	}
	t := permission.Transition{
		ID: w.call.ID, At: at, From: []permission.Status{permission.Pending}, Live: true, Rev: w.call.Rev, Policy: w.version, To: to,
		Decision: decision, Places: w.got.Places,
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: actor,
			Data: permission.Data(map[string]any{"status": to, "reason": w.got.Reason, "ruleId": decision.RuleID})},
	}
	if to == permission.Denied {
		t.Why = &permission.Why{Rule: w.got.Rule, Explanation: w.got.Explanation}
	}
	return t
}

// rejudgements bounds how often what waits is judged for one edit: calls that change
// under its hand are judged again.
const rejudgements = 4

// rejudge holds every waiting call against the rules as they are now: a deny settles
// it, an allow releases nothing. It counts the calls that the rule id decides, those
// that it settled included.
func (d *Calls) rejudge(ctx context.Context, id permission.RuleID) (matches int, err error) {
	d.queue.Lock()
	defer d.queue.Unlock()
	settled := 0
	for range rejudgements {
		matches = settled
		list, err := d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
			if w.got.Rule != nil && w.got.Rule.ID == id {
				matches++
			}
			if w.got.Effect != permission.Deny {
				return t, false
			}
			none := permission.Time(0)
			t = w.ruling(permission.Denied, "", d.Now())
			t.ExpiresAt = &none
			return t, true
		})
		if err == nil && len(list) > 0 {
			var done []permission.CallID
			done, err = d.broker.Settle(ctx, list)
			settled += settledBy(id, list, done)
		}
		if err != nil && !errors.Is(err, permission.ErrOutdated) { // outdated: the later edit judges them too
			return matches, fmt.Errorf("judge waiting calls: %w", err)
		}
		if len(list) == 0 {
			break
		}
	}
	return matches, nil
}

// JudgeWaiting holds what waits against what its callers may use by now: of a server whose table is
// another, or of an agent that is another to the desk.
func (d *Calls) JudgeWaiting(ctx context.Context) error {
	_, err := d.rejudge(ctx, "")
	return err
}

// settledBy counts the transitions that a rule decided and that were made.
func settledBy(id permission.RuleID, list []permission.Transition, done []permission.CallID) (n int) {
	made := make(map[permission.CallID]bool, len(done))
	for _, call := range done {
		made[call] = true
	}
	for i := range list {
		if by := list[i].Decision.RuleID; by != nil && *by == id && made[list[i].ID] {
			n++
		}
	}
	return n
}

// PendingMatches counts the calls that still wait and that a rule decides.
func (d *Calls) PendingMatches(ctx context.Context, id permission.RuleID) (n int, err error) {
	_, err = d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
		if w.got.Rule != nil && w.got.Rule.ID == id {
			n++
		}
		return t, false
	})
	return n, err
}

// recover says goodbye to callers of an earlier process, sets deadlines, and settles what a
// rule forbids that was saved just before that process ended.
func (d *Calls) recover(ctx context.Context) error {
	if err := d.broker.Recover(ctx, d.store); err != nil {
		return err
	}
	_, err := d.rejudge(ctx, "")
	return err
}
