package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/broker"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/resume"
)

// Bounds of a person's answer.
const (
	maxReason = 16 << 10            // bytes of a person's words
	maxFor    = 30 * 24 * time.Hour // of a grant, and of one extension
)

// Decide answers a pending call; repeated means that the same answer stood
// already, and settled names the waiting siblings that an answer of wider scope
// settled with it. A call that is answered once only takes any answer as once.
func (d *Desk) Decide(ctx context.Context, id permission.CallID, a permission.Answer) (call permission.Call, settled []permission.CallID, repeated bool, err error) {
	if a.Scope == "" {
		a.Scope = permission.ScopeOnce
	}
	if err := checkAnswer(&a); err != nil {
		return call, nil, false, err
	}
	if call, err = d.store.Call(ctx, id); err != nil {
		return call, nil, false, err
	}
	if call.Class == nil {
		a.Scope = permission.ScopeOnce
	}
	edited, err := d.edited(&call, a)
	if err != nil {
		return call, nil, false, err
	}
	if err := resume.CheckData(call.ResumeSchema, a.ResumeData); err != nil {
		return call, nil, false, err
	}
	remember := d.settings.Load().DenialMemory
	if a.Remember != nil {
		remember = *a.Remember
	}
	if a.Approved {
		if err := d.unsaid(ctx, &call); err != nil {
			return call, nil, false, told("decide call", err)
		}
	}
	if a.Approved && a.Scope != permission.ScopeOnce {
		d.pinning.Lock() // no list comes between what is pinned and the yes
		defer d.pinning.Unlock()
		if err := d.pinFor(ctx, &call, &a); err != nil {
			return call, nil, false, err
		}
	}
	call, settled, repeated, err = d.broker.Decide(ctx, id, a, edited, remember)
	if repeated && a.Scope != permission.ScopeOnce {
		err = d.sameEnd(ctx, &call, a)
	}
	return call, settled, repeated && err == nil, told("decide call", err)
}

// sameEnd refuses an answer that stands already, but for longer or shorter than it says.
func (d *Desk) sameEnd(ctx context.Context, c *permission.Call, a permission.Answer) error {
	grants, err := d.store.Grants(ctx, d.Now())
	if err != nil {
		return err
	}
	for _, g := range grants {
		if c.Decision.GrantID == nil || g.ID != *c.Decision.GrantID {
			continue
		}
		if end := g.Until(a.ForSeconds); end != g.ExpiresAt {
			return &permission.Error{Code: permission.CodeAlreadyDecided, Message: "this call was answered for another time: take the grant back to end it", Call: c}
		}
	}
	return nil
}

// pinFor pins what a yes of wide scope is for. A yes to a tool that changed meanwhile
// is for its call alone. d.pinning is held.
func (d *Desk) pinFor(ctx context.Context, c *permission.Call, a *permission.Answer) error {
	switch {
	case d.withheld(c) != "":
		a.Scope = permission.ScopeOnce // given again too, it is the answer that stands
		return nil
	case c.Status != permission.Pending || a.InputHash != c.InputHash || a.Rev < c.ShownRev:
		return nil // it is late
	}
	return d.pinCovered(ctx, c, a.Scope)
}

func checkAnswer(a *permission.Answer) error {
	switch {
	case a.InputHash == "":
		return permission.Invalid("inputHash", "an answer names the input that it was given for")
	case a.Rev <= 0:
		return permission.Invalid("rev", "an answer names the rev of the call that was shown")
	case len(a.Reason) > maxReason:
		return permission.Invalid("reason", fmt.Sprintf("longer than %d bytes", maxReason))
	case a.Scope != permission.ScopeOnce && a.Scope != permission.ScopeClass && a.Scope != permission.ScopeSession:
		return permission.Invalid("scope", "a scope is once, class or session")
	case a.ForSeconds < 0 || a.ForSeconds > maxFor.Seconds():
		return permission.Invalid("forSeconds", "an answer lasts at most 30 days")
	case a.ForSeconds > 0 && a.Scope == permission.ScopeOnce:
		return permission.Invalid("forSeconds", "an answer for one call has no time: say a scope")
	case a.Input != nil && !a.Approved:
		return permission.Invalid("input", "only an approval has an input")
	case a.Input != nil && a.Scope != permission.ScopeOnce:
		return permission.Invalid("input", "an edited input is approved once only")
	}
	return nil
}

// edited is a person's own input, which the rules must not deny; nil when it is
// the caller's.
func (d *Desk) edited(c *permission.Call, a permission.Answer) (*permission.Edit, error) {
	if a.Input == nil {
		return nil, nil
	}
	input, hash, err := d.checkInput(c.ServerID, c.ToolName, bytes.TrimSpace(a.Input))
	if err != nil || hash == c.InputHash && c.Original == nil {
		return nil, err
	}
	if c.Held && input[0] != '{' {
		return nil, permission.Invalid("input", "this caller takes an object only")
	}
	if name := mcpwire.BesideInput(c.Method, input); name != "" {
		return nil, permission.Invalid("input", fmt.Sprintf("the member %q is no part of the input of %s", name, c.Method))
	}
	asked := subject(c)
	asked.Input = input
	if got := d.inForce().Decide(asked, d.Now()); got.Effect == permission.Deny {
		return nil, permission.Invalid("input", "the rules deny this input: "+got.Reason)
	}
	return &permission.Edit{Input: input, InputHash: hash}, nil
}

// Extend gives a waiting call more time.
func (d *Desk) Extend(ctx context.Context, id permission.CallID, by time.Duration) (permission.Call, error) {
	if by <= 0 || by > maxFor {
		return permission.Call{}, permission.Invalid("seconds", "above zero and at most 30 days")
	}
	c, err := d.broker.Extend(ctx, id, by)
	return c, told("extend call", err)
}

// Resolve settles a call that is in doubt as a person says.
func (d *Desk) Resolve(ctx context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error) {
	if how != permission.Retry && how != permission.Close {
		return permission.Call{}, permission.Invalid("action", "an action is retry or close")
	}
	c, err := d.broker.Resolve(ctx, id, how)
	return c, told("resolve call", err)
}

// Release approves the waiting calls that an allow rule decides now.
func (d *Desk) Release(ctx context.Context, id permission.RuleID) (released int, err error) {
	rule, err := d.store.Rule(ctx, id)
	if err != nil {
		return 0, err
	}
	if rule.Effect != permission.Allow {
		return 0, permission.Invalid("ruleId", "this rule does not allow anything")
	}
	d.queue.Lock()
	defer d.queue.Unlock()
	err = d.current(ctx, func(int64) error {
		var tools []toolOf
		list, err := d.waiting(ctx, func(w waiter) (t permission.Transition, ok bool) {
			if w.got.Effect != permission.Allow || w.got.Rule == nil || w.got.Rule.ID != id {
				return t, false
			}
			tools = append(tools, toolsOf(*w.call)...)
			until := d.Now().Add(broker.ClaimWithin)
			t = w.ruling(permission.Approved, permission.ActorPerson, d.Now())
			t.ExpiresAt = &until
			return t, true
		})
		if err == nil {
			err = d.pinTools(ctx, tools)
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
func (d *Desk) waiting(ctx context.Context, pick func(waiter) (permission.Transition, bool)) (list []permission.Transition, err error) {
	rules, at := d.inForce(), d.Now()
	err = d.store.Waiting(ctx, rules.HasConditions(), func(c permission.Call) {
		if t, ok := pick(waiter{&c, rules.Decide(subject(&c), at), rules.Version()}); ok {
			list = append(list, t)
		}
	})
	return list, err
}

// ruling is the transition of a waiting call that the rules decide, under the version
// that judged it. actor is who made it so, "" being the rule itself.
func (w waiter) ruling(to permission.Status, actor string, at permission.Time) permission.Transition {
	decision := ruled(w.got, at)
	if actor == "" {
		actor = judgeOf(decision)
	}
	t := permission.Transition{
		ID: w.call.ID, At: at, From: []permission.Status{permission.Pending}, Live: true, Rev: w.call.Rev, Policy: w.version, To: to, Decision: decision,
		Entry: permission.Entry{Kind: permission.CallDecided, Actor: actor, Data: data(map[string]any{"status": to, "reason": w.got.Reason, "ruleId": decision.RuleID})},
	}
	if to == permission.Denied {
		t.Why = &permission.Why{Rule: w.got.Rule, Reason: w.got.Reason}
	}
	return t
}

// rejudgements bounds how often what waits is judged for one edit: calls that change
// under its hand are judged again.
const rejudgements = 4

// rejudge holds every waiting call against the rules as they are now: a deny settles
// it, an allow releases nothing. It counts the calls that the rule id decides, those
// that it settled included.
func (d *Desk) rejudge(ctx context.Context, id permission.RuleID) (matches int, err error) {
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
