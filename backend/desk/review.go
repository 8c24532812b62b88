package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/reach"
)

// Preview says which of the newest calls an edit of the rules would decide otherwise
// than the rules as they are, and which of those a person had declined. It looks at
// rules alone: that the desk is on hold makes no difference.
func (d *Policy) Preview(ctx context.Context, draft permission.Draft) (p permission.Preview, err error) {
	e, err := d.outlook(draft)
	if err != nil {
		return p, err
	}
	d.looking.Lock()
	defer d.looking.Unlock()
	if err := d.past.catchUp(ctx, d.calls); err != nil {
		return p, fmt.Errorf("preview rules: %w", err)
	}
	load := func(i int) (policy.Call, bool) {
		var c permission.Call
		if err == nil { // one failure is enough: the caller may be gone
			c, err = d.calls.Call(ctx, d.past.list.Calls[i].ID)
		}
		if c.InputWiped {
			c.Input, c.Envelope = nil, nil
		}
		asked := subject(&c)
		asked.Standing = d.opts.Standings.Standing(c.AgentID, c.SessionID, c.CreatedAt)
		return asked, err == nil && !c.InputWiped
	}
	p = advice.Preview(e.before, e.after, e.first, d.past.list, load, d.state.Now())
	if err != nil {
		return p, fmt.Errorf("preview rules: %w", err)
	}
	p.Narrower = d.narrower(e.before.Rules(), e.after.Rules())
	return p, nil
}

// narrower says whether the rules after an edit allow nothing new.
func (d *Policy) narrower(before, after []permission.Rule) permission.Narrower {
	return reach.IsNarrower(before, after, d.settings.Load().Reads, d.weigh, d.state.Now())
}

// weigh is the risk of a call that is looked at and not kept.
func (d *Policy) weigh(c policy.Call) permission.Risk {
	level, _ := d.catalogue.risk(c.ServerID, c.Method, c.ToolName, c.Input, c.Cwd, "")
	return level
}

// Reach says which rules may ever allow the calls of a query. That the desk is on hold, or
// does not know a tool, makes no difference.
func (d *Policy) Reach(_ context.Context, q permission.ReachQuery) (permission.Reach, error) {
	d.turn.Lock()
	plain := d.plain
	d.turn.Unlock()
	return reach.Ask(plain, q, d.weigh, d.state.Now()), nil
}

// Lint says what is odd about the rules as an edit would leave them.
func (d *Policy) Lint(_ context.Context, draft permission.Draft) ([]permission.Finding, error) {
	e, err := d.outlook(draft)
	if err != nil {
		return nil, err
	}
	rules, now := e.after.Rules(), d.state.Now()
	return append(advice.Lint(rules, now), reach.Slips(policy.Compile(rules, 0), d.weigh, now)...), nil
}

// Widen proposes allow rules for a call, from the narrowest to the widest, each with what it
// would have matched. That the desk is on hold makes no difference; where a guard is missing
// none is proposed.
func (d *Policy) Widen(ctx context.Context, id permission.CallID) (permission.Choices, error) {
	c, err := d.calls.Call(ctx, id)
	if err != nil {
		return permission.Choices{}, err
	}
	if c.ResumeRequired { // no rule gives the answer
		return advice.Forms(nil), nil
	}
	past, err := d.calls.Answers(ctx, maxAnswered)
	if err != nil {
		return permission.Choices{}, fmt.Errorf("widen call: %w", err)
	}
	call := permission.PastCall{ID: c.ID, ServerID: c.ServerID, Method: c.Method, ToolName: c.ToolName, Input: c.Input, Cwd: c.Cwd,
		AgentID: c.AgentID, At: c.CreatedAt, Risk: c.Risk}
	if c.InputWiped || len(c.Envelope) > 0 || c.Round != "" {
		call.Input = nil
	}
	return advice.Forms(advice.Choices(d.unheld(), call, past, d.state.Now())), nil
}

// WidenGrant is Widen for the call whose answer became a grant.
func (d *Policy) WidenGrant(ctx context.Context, id permission.GrantID) (permission.Choices, error) {
	grants, err := d.Grants(ctx)
	if err != nil {
		return permission.Choices{}, err
	}
	for _, g := range grants {
		if g.ID == id {
			return d.Widen(ctx, g.CallID)
		}
	}
	return permission.Choices{}, permission.NotFound("grant")
}

// unheld are the rules without hold, and with a doubt where a guard is missing.
func (d *Policy) unheld() *policy.Set {
	d.turn.Lock()
	defer d.turn.Unlock()
	return d.plain.Doubting(d.doubt)
}

// maxAnswered is how many of the newest decided calls suggestions are made from.
const maxAnswered = 10_000

// Suggestions are rules that would have given a person's repeated equal answers. Where a
// guard is missing there are none.
func (d *Policy) Suggestions(ctx context.Context) ([]permission.Suggestion, error) {
	past, err := d.calls.Answers(ctx, maxAnswered)
	if err != nil {
		return nil, fmt.Errorf("suggest rules: %w", err)
	}
	return advice.Suggest(d.unheld(), past, d.state.Now()), nil
}

// ExportRules gives all rules as a document.
func (d *Policy) ExportRules(ctx context.Context) (permission.RuleDocument, error) {
	rules, _, err := d.Rules(ctx)
	return permission.RuleDocument{Format: permission.RuleFormat, Version: permission.RuleFormatVersion, Rules: rules}, err
}

// DiffRules says what an import would change.
func (d *Policy) DiffRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode) (permission.RuleDiff, error) {
	old, version, err := d.Rules(ctx)
	if err != nil {
		return permission.RuleDiff{}, err
	}
	diff, _, err := d.diff(old, doc, mode)
	diff.PolicyVersion = version
	return diff, err
}

// diff also gives the rules that the import would leave.
func (d *Policy) diff(old []permission.Rule, doc permission.RuleDocument,
	mode permission.ImportMode) (diff permission.RuleDiff, left []permission.Rule, err error) {
	switch {
	case doc.Format != permission.RuleFormat:
		return diff, nil, permission.Invalid("document.format", permission.FieldFormat,
			"this is no document of rules: its format is "+permission.RuleFormat)
	case doc.Version != permission.RuleFormatVersion:
		return diff, nil, permission.Invalid("document.version", permission.FieldVersion,
			fmt.Sprintf("only version %d is known", permission.RuleFormatVersion))
	case mode != permission.ImportMerge && mode != permission.ImportReplace:
		return diff, nil, permission.Invalid("mode", permission.FieldNotOneOf, "a mode is merge or replace")
	}
	brought, err := stamp(doc.Rules, old, d.state.Now())
	if err != nil {
		return diff, nil, inDocument(err)
	}
	left = brought
	if mode == permission.ImportMerge {
		left = merge(old, brought)
	}
	if len(left) > MaxRules {
		return diff, nil, permission.Invalid("document.rules", permission.FieldTooMany,
			fmt.Sprintf("more than %d rules", MaxRules)).With(permission.Param("most", MaxRules))
	}
	diff = advice.Diff(old, brought, mode)
	diff.Narrower = d.narrower(old, left)
	return diff, left, nil
}

// inDocument says that the bad field is in the document.
func inDocument(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Code == permission.CodeInvalid {
		return e.At("document." + e.Field)
	}
	return err
}

func merge(old, brought []permission.Rule) []permission.Rule {
	named := map[permission.RuleID]bool{}
	for _, r := range brought {
		named[r.ID] = true
	}
	left := slices.Clone(brought)
	for _, r := range old {
		if !named[r.ID] {
			left = append(left, r)
		}
	}
	return left
}

// ImportRules takes a document as a whole or not at all. What may newly allow something
// (see policy.Diff) must be accepted by its id. ifVersion, when not 0, is the policy's
// version that the difference was shown for.
func (d *Policy) ImportRules(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode, ifVersion int64,
	accept []permission.RuleID) (permission.RuleDiff, error) {
	diff, err := d.takeIn(ctx, doc, mode, ifVersion, accept)
	if err == nil {
		d.afterEdit(ctx, "")
	}
	return diff, err
}

func (d *Policy) takeIn(ctx context.Context, doc permission.RuleDocument, mode permission.ImportMode, ifVersion int64,
	accept []permission.RuleID) (permission.RuleDiff, error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	old, err := d.seen(ctx, ifVersion)
	if err != nil {
		return permission.RuleDiff{}, err
	}
	diff, left, err := d.diff(old, doc, mode)
	if err != nil {
		return diff, err
	}
	for _, id := range diff.Allows {
		if !slices.Contains(accept, id) {
			return diff, permission.Invalid("accept", permission.FieldNotAccepted, fmt.Sprintf("rule %s may let something pass that asks now: accept it by its id", id))
		}
	}
	entry := permission.Entry{At: d.state.Now(), Kind: permission.RulesChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "imported", "mode": mode, "rules": left})}
	if err := d.change(ctx, permission.RuleChange{Replace: true, Put: left, Entry: entry}); err != nil {
		return diff, inDocument(err)
	}
	diff.PolicyVersion = d.rules.Load().Version()
	return diff, nil
}
