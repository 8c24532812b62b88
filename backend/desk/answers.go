package desk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/resume"
)

// Bounds of a person's answer.
const (
	maxReason = 16 << 10            // bytes of a person's words
	maxFor    = 30 * 24 * time.Hour // of a grant, and of one extension
)

// Decide answers a pending call; repeated means that the same answer stood
// already, and settled names the waiting siblings that an answer of wider scope
// settled with it. What an answer cannot reach it is taken not to mean.
func (d *Calls) Decide(ctx context.Context, id permission.CallID,
	a permission.Answer) (call permission.Call, settled []permission.CallID, repeated bool, err error) {
	a.Scope = cmp.Or(a.Scope, permission.ScopeOnce)
	if err := checkAnswer(&a); err != nil {
		return call, nil, false, err
	}
	if call, err = d.store.Call(ctx, id); err != nil {
		return call, nil, false, err
	}
	a.Scope = call.Reach(a.Scope, a.Approved)
	edited, err := d.edited(&call, a)
	if err != nil {
		return call, nil, false, err
	}
	if err := resume.CheckAnswer(&call, &a); err != nil {
		return call, nil, false, err
	}
	if a.Approved && call.Bypassing(a.ResumeData) {
		a.Scope = permission.ScopeMode
	}
	with := permission.Reply{Transition: permission.Transition{Edited: edited}, Remember: d.policy.settings.Load().DenialMemory}
	if a.Remember != nil {
		with.Remember = *a.Remember
	}
	if a.Approved {
		if err := d.unsaid(ctx, &call); err != nil {
			return call, nil, false, told("decide call", err)
		}
	}
	if a.Approved && a.Scope != permission.ScopeOnce {
		d.turn.Lock() // no list of tools and no edit of the rules comes between what is looked at and the yes
		defer d.turn.Unlock()
		asked := call
		err = d.turn.edit(ctx, func() error {
			if err := d.reaching(ctx, &asked, &a, &with); err != nil {
				return err
			}
			call, settled, repeated, err = d.broker.Decide(ctx, id, a, with)
			return err
		})
	} else {
		call, settled, repeated, err = d.broker.Decide(ctx, id, a, with)
	}
	if repeated && a.Scope != permission.ScopeOnce {
		err = d.sameEnd(ctx, &call, a)
	}
	return call, settled, repeated && err == nil, told("decide call", err)
}

// reaching looks at what a yes of wide scope is for, as things are now.
func (d *Calls) reaching(ctx context.Context, c *permission.Call, a *permission.Answer, with *permission.Reply) (err error) {
	with.Transition.Policy = d.policy.rules.Load().Version()
	if err := d.pinFor(ctx, c, a); err != nil {
		return err
	}
	with.Hold = d.policy.held()
	with.Asked, err = d.askedNow(ctx, c)
	return told("judge what an answer reaches", err)
}

// sameEnd refuses an answer that stands already, but for longer or shorter than it says.
func (d *Calls) sameEnd(ctx context.Context, c *permission.Call, a permission.Answer) error {
	grants, err := d.policy.Grants(ctx)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if c.Decision.GrantID == nil || g.ID != *c.Decision.GrantID {
			continue
		}
		if end := g.Until(a.ForSeconds); end != g.ExpiresAt {
			return &permission.Error{Code: permission.CodeAlreadyDecided,
				Message: "this call was answered for another time: take the grant back to end it", Call: c}
		}
	}
	return nil
}

// pinFor pins what a yes of wide scope is for. A yes to a tool that changed meanwhile
// is for its call alone. The turn is the caller's.
func (d *Calls) pinFor(ctx context.Context, c *permission.Call, a *permission.Answer) error {
	switch {
	case d.catalogue.withheld(c).Reason != "":
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
		return permission.Invalid("inputHash", permission.FieldRequired, "an answer names the input that it was given for")
	case a.Rev <= 0:
		return permission.Invalid("rev", permission.FieldRequired, "an answer names the rev of the call that was shown")
	case len(a.Reason) > maxReason:
		return permission.Invalid("reason", permission.FieldTooLong,
			fmt.Sprintf("longer than %d bytes", maxReason)).With(permission.Param("most", maxReason))
	case a.Scope != permission.ScopeOnce && a.Scope != permission.ScopeClass && a.Scope != permission.ScopeSession:
		return permission.Invalid("scope", permission.FieldNotOneOf, "a scope is once, class or session")
	case a.ForSeconds < 0 || a.ForSeconds > maxFor.Seconds():
		return permission.Invalid("forSeconds", permission.FieldOutOfRange, "an answer lasts at most 30 days")
	case a.ForSeconds > 0 && a.Scope == permission.ScopeOnce:
		return permission.Invalid("forSeconds", permission.FieldScopeOnce, "an answer for one call has no time: say a scope")
	case a.Input != nil && !a.Approved:
		return permission.Invalid("input", permission.FieldInputDeclined, "only an approval has an input")
	case a.Input != nil && a.Scope != permission.ScopeOnce:
		return permission.Invalid("input", permission.FieldInputOnce, "an edited input is approved once only")
	}
	return nil
}

// edited is a person's own input, which the rules must not deny; nil when it is
// the caller's.
func (d *Calls) edited(c *permission.Call, a permission.Answer) (*permission.Edit, error) {
	if a.Input == nil {
		return nil, nil
	}
	input, hash, err := d.checkInput(c.ServerID, c.ToolName, bytes.TrimSpace(a.Input))
	if err != nil || hash == c.InputHash && c.Original == nil {
		return nil, err
	}
	if c.InputFixed {
		return nil, permission.Invalid("input", permission.FieldInputFixed, "the program that runs this call takes no other input than its own")
	}
	if c.Held && input[0] != '{' {
		return nil, permission.Invalid("input", permission.FieldWrongType, "this caller takes an object only")
	}
	if name := mcpwire.BesideInput(c.Method, input); name != "" {
		return nil, permission.Invalid("input", permission.FieldInputMember,
			fmt.Sprintf("the member %q is no part of the input of %s", name, c.Method))
	}
	asked := subject(c)
	asked.Input = input
	if got := d.decide(d.policy.inForce(), asked, d.Now()); got.Effect == permission.Deny {
		return nil, permission.Invalid("input", permission.FieldInputDenied, "the rules deny this input: "+got.Reason)
	}
	return &permission.Edit{Input: input, InputHash: hash}, nil
}

// Extend gives a waiting call more time.
func (d *Calls) Extend(ctx context.Context, id permission.CallID, by time.Duration) (permission.Call, error) {
	if by <= 0 || by > maxFor {
		return permission.Call{}, permission.Invalid("seconds", permission.FieldOutOfRange, "above zero and at most 30 days")
	}
	c, err := d.broker.Extend(ctx, id, by)
	return c, told("extend call", err)
}

// Resolve settles a call that is in doubt as a person says.
func (d *Calls) Resolve(ctx context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error) {
	if how != permission.Retry && how != permission.Close {
		return permission.Call{}, permission.Invalid("action", permission.FieldNotOneOf, "an action is retry or close")
	}
	c, err := d.broker.Resolve(ctx, id, how)
	return c, told("resolve call", err)
}
