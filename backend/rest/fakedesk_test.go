package rest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"sekisho/backend/permission"
)

// What follows is the part of the fake desk that persons alone use, but for ends.

func (f *fakeDesk) Resolve(_ context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error) {
	f.resolved = how
	return f.seen("Resolve", permission.Operator(), id)
}

func (f *fakeDesk) Release(_ context.Context, rule permission.RuleID) (int, error) {
	if rule != f.rule.ID {
		return 0, permission.NotFound("rule")
	}
	f.released = rule
	return 3, f.did("Release")
}

func (f *fakeDesk) Extend(_ context.Context, id permission.CallID, by time.Duration) (permission.Call, error) {
	f.extended = by
	return f.seen("Extend", permission.Operator(), id)
}

func (f *fakeDesk) WipeInput(_ context.Context, id permission.CallID) (permission.Call, error) {
	c, err := f.seen("WipeInput", permission.Operator(), id)
	if err == nil {
		c.Input, c.InputWiped = nil, true
		f.calls[id] = c
	}
	return c, err
}

func (f *fakeDesk) ForgetDenial(_ context.Context, id permission.CallID) (permission.Call, error) {
	return f.seen("ForgetDenial", permission.Operator(), id)
}

func (f *fakeDesk) Unmasked(_ context.Context, s permission.Server) (permission.Server, error) {
	if s.ID == "bad id" {
		return s, permission.Invalid("id", permission.FieldOther, "not an id")
	}
	s.Env = map[string]string{"KEY": "unmasked"}
	return s, f.did("Unmasked")
}

func (f *fakeDesk) RemovedAgents(context.Context) ([]permission.AgentID, error) {
	return f.gone, f.did("RemovedAgents")
}

func (f *fakeDesk) Demo(context.Context) (permission.Call, bool, error) {
	return f.calls["call-a"], !f.repeat, f.did("Demo")
}

// PlayDemo goes on until its context ends.
func (f *fakeDesk) PlayDemo(ctx context.Context, id permission.CallID) error {
	err := f.did("PlayDemo " + string(id))
	<-ctx.Done()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts["PlayDemo ended"]++
	return err
}

// by names who ended something.
func by(who permission.Party) string {
	if who.IsOperator() {
		return " by person"
	}
	return " by " + string(who.Agent.ID)
}

func (f *fakeDesk) CancelRun(_ context.Context, who permission.Party, run permission.RunID) (int, int, error) {
	f.ended = string(run) + by(who)
	if run == "unknown" {
		return 0, 0, permission.NotFound("run")
	}
	return 2, 1, f.did("CancelRun")
}

func (f *fakeDesk) EndSession(_ context.Context, who permission.Party, session permission.SessionID) (int, int, error) {
	f.ended = string(session) + by(who)
	if session == "unknown" {
		return 0, 0, permission.NotFound("session")
	}
	return 5, 4, f.did("EndSession")
}

func (f *fakeDesk) Grants(context.Context) ([]permission.Grant, error) {
	return f.grants, f.did("Grants")
}

func (f *fakeDesk) Differences(context.Context) ([]permission.Difference, error) {
	return []permission.Difference{{ID: "d", Set: "rules", Key: "r", Journal: json.RawMessage(`{"id":"r"}`)}}, f.did("Differences")
}

func (f *fakeDesk) Settle(_ context.Context, ids []string, take permission.Version) ([]permission.Difference, error) {
	return nil, f.did("Settle " + strings.Join(ids, ",") + " " + string(take))
}

func (f *fakeDesk) SignedEnd(context.Context) (permission.Entry, error) {
	return permission.Entry{Seq: 8, Kind: permission.CheckpointKind, Data: json.RawMessage(`{"seq":7}`)}, f.did("SignedEnd")
}

func (f *fakeDesk) EndGrant(_ context.Context, id permission.GrantID) error {
	if id == "unknown" {
		return permission.NotFound("grant")
	}
	return f.did("EndGrant")
}

func (f *fakeDesk) Settings(context.Context) (permission.Settings, error) {
	return f.settings, f.did("Settings")
}

func (f *fakeDesk) ChangeSettings(_ context.Context, change func(*permission.Settings) error) (permission.Settings, error) {
	var s permission.Settings // a copy that shares nothing, as the desk gives
	raw, _ := json.Marshal(f.settings)
	_ = json.Unmarshal(raw, &s)
	if err := errors.Join(change(&s), s.Valid()); err != nil {
		return f.settings, err
	}
	f.settings = s
	return s, f.did("ChangeSettings")
}

func (f *fakeDesk) Hold(_ context.Context, on bool) error {
	f.held = &on
	return f.did("Hold")
}

func (f *fakeDesk) Lint(_ context.Context, d permission.Draft) ([]permission.Finding, error) {
	f.rules, f.draft = d.Rules, d
	return f.findings, f.did("Lint")
}

func (f *fakeDesk) Preview(_ context.Context, d permission.Draft) (permission.Preview, error) {
	f.rules, f.draft = d.Rules, d
	p := f.preview
	p.Narrower.Answer = permission.ReachYes
	return p, f.did("Preview")
}

func (f *fakeDesk) Widen(_ context.Context, id permission.CallID) (permission.Choices, error) {
	if id == "nope" {
		return permission.Choices{}, permission.NotFound("call")
	}
	return f.widened, f.did("Widen")
}

// Reach gives back what it was asked, as the params of one rule.
func (f *fakeDesk) Reach(_ context.Context, q permission.ReachQuery) (permission.Reach, error) {
	asked := permission.Param("agentName", q.AgentName).With(permission.Param("names", strings.Join(q.Names, ","))).
		With(permission.Param("server", orEmpty(q.ServerID))).With(permission.Param("tool", orEmpty(q.ToolName))).
		With(permission.Param("risk", q.Risk))
	return permission.Reach{Answer: permission.ReachNo, Total: 1, Rules: []permission.ReachRule{
		{RuleID: "r1", Answer: permission.ReachNo, Code: permission.ReachNeverTrue, Params: asked, Message: "asked"}}}, f.did("Reach")
}

func (f *fakeDesk) WidenGrant(_ context.Context, id permission.GrantID) (permission.Choices, error) {
	if id == "nope" {
		return permission.Choices{}, permission.NotFound("grant")
	}
	return f.widened, f.did("WidenGrant")
}

func (f *fakeDesk) MoveRule(_ context.Context, id permission.RuleID, before *permission.RuleID,
	ifVersion int64) ([]permission.Rule, int64, error) {
	switch {
	case ifVersion != 0 && ifVersion != 9:
		return nil, 0, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rules were changed meanwhile"}
	case id != f.rule.ID:
		return nil, 0, permission.NotFound("rule")
	}
	f.before, f.version = before, ifVersion
	return f.listed(), 10, f.did("MoveRule")
}

func (f *fakeDesk) Suggestions(context.Context) ([]permission.Suggestion, error) {
	return f.suggestions, f.did("Suggestions")
}

func (f *fakeDesk) ExportRules(context.Context) (permission.RuleDocument, error) {
	return permission.RuleDocument{Format: permission.RuleFormat, Version: permission.RuleFormatVersion, Rules: f.listed()},
		f.did("ExportRules")
}

func (f *fakeDesk) diffed() permission.RuleDiff {
	diff := f.diff
	diff.Narrower.Answer = permission.ReachYes
	return diff
}

func (f *fakeDesk) DiffRules(_ context.Context, doc permission.RuleDocument, mode permission.ImportMode) (permission.RuleDiff, error) {
	f.doc, f.mode = doc, mode
	return f.diffed(), f.did("DiffRules")
}

func (f *fakeDesk) ImportRules(_ context.Context, doc permission.RuleDocument, mode permission.ImportMode, ifVersion int64,
	accept []permission.RuleID) (permission.RuleDiff, error) {
	switch {
	case ifVersion != 0 && ifVersion != 9:
		return f.diff, &permission.Error{Code: permission.CodeLostUpdate, Message: "the rules were changed meanwhile"}
	case len(f.diff.Allows) > len(accept):
		return f.diff, permission.Invalid("accept", permission.FieldOther, "a rule that would newly allow something is not named")
	}
	f.doc, f.mode, f.version, f.accept = doc, mode, ifVersion, accept
	return f.diffed(), f.did("ImportRules")
}
