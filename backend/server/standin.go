package server

import (
	"context"
	"sync/atomic"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/permission"
)

// standIn is in the place of a store that cannot be used: it keeps nothing, so
// nothing can be asked of a person, approved or run. What would have to be kept, or
// could be there if only it could be read, is refused in words: an empty list would say
// that there is nothing. The desk itself starts with empty ones.
type standIn struct {
	refusal *permission.Error
	open    *atomic.Bool // the desk has started
}

func newStandIn(trouble string) standIn {
	return standIn{&permission.Error{Code: permission.CodeUnavailable, Message: trouble}, new(atomic.Bool)}
}

// unread refuses a list to whoever looks at it.
func (s standIn) unread() error {
	if s.open.Load() {
		return s.refusal
	}
	return nil
}

// stores is the stand-in for all that a desk keeps.
func (s standIn) stores() desk.Stores {
	return desk.Stores{Calls: s, Sessions: s, Policy: s, Past: s, Catalogue: s, Agents: s, Journal: s, State: s, Counts: s}
}

// Nothing is counted, since nothing is allowed.

func (s standIn) Full(permission.RuleID, permission.Limit, permission.Time) bool { return false }

func (s standIn) Braked(*permission.Call, permission.Time) *permission.Limit { return nil }

func (s standIn) SetBrake(context.Context, *permission.Limit) error { return nil }

// What follows refuses: nothing can be kept.

func (s standIn) SignedEnd(context.Context) (permission.Entry, error) {
	return permission.Entry{}, s.refusal
}

func (s standIn) Settle(context.Context, []string, permission.Version, permission.Entry) ([]permission.Difference, error) {
	return nil, s.refusal
}

func (s standIn) Trouble() string { return s.refusal.Message }

// Suspend refuses: a call that cannot be kept is not taken in.
func (s standIn) Suspend(context.Context, permission.Suspension) (permission.Call, permission.Kept, error) {
	return permission.Call{}, "", s.refusal
}

func (s standIn) Transit(context.Context, permission.Transition) (permission.Call, error) {
	return permission.Call{}, s.refusal
}

func (s standIn) Reply(context.Context, permission.Reply) (permission.Call, []permission.Call, error) {
	return permission.Call{}, nil, s.refusal
}

// Call refuses: an unknown id would say that the call is not there.
func (s standIn) Call(context.Context, permission.CallID) (permission.Call, error) {
	return permission.Call{}, s.refusal
}

func (s standIn) Rule(context.Context, permission.RuleID) (permission.Rule, error) {
	return permission.Rule{}, s.refusal
}

func (s standIn) ChangeRules(context.Context, permission.RuleChange) (int64, error) {
	return 0, s.refusal
}

func (s standIn) EndGrant(context.Context, permission.GrantID, permission.Transition) ([]permission.Call, error) {
	return nil, s.refusal
}

func (s standIn) EndSession(context.Context, permission.AgentID, permission.SessionID, string, permission.Time) (int, error) {
	return 0, s.refusal
}

func (s standIn) Declined(context.Context, permission.AgentID, []string, permission.Time) (bool, error) {
	return false, s.refusal
}

func (s standIn) ForgetDenial(context.Context, permission.CallID, permission.Entry) (permission.Call, error) {
	return permission.Call{}, s.refusal
}

func (s standIn) SaveSettings(context.Context, permission.Versions, permission.Settings,
	permission.Entry) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) Hold(context.Context, permission.Versions, permission.Settings, permission.Entry) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) TrimJournal(context.Context, permission.Time, int64) (int64, error) {
	return 0, s.refusal
}

func (s standIn) WipeInputs(context.Context, permission.Time, []permission.CallID) (int64, error) {
	return 0, s.refusal
}

func (s standIn) ReplaceServers(context.Context, permission.Versions, []permission.Server, permission.ToolEdit,
	permission.Entry) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) EditTools(context.Context, permission.Versions, permission.ToolEdit) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) AddAgent(context.Context, permission.Versions, permission.Agent, string,
	permission.Entry) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) DeleteAgent(context.Context, permission.Versions, permission.AgentID, permission.Decision,
	permission.Entry) (v permission.Versions, err error) {
	return v, s.refusal
}

func (s standIn) StopAgent(context.Context, permission.Versions,
	permission.Stop) (done permission.Stopped, v permission.Versions, err error) {
	return done, v, s.refusal
}

func (s standIn) ResumeAgent(context.Context, permission.Versions, permission.AgentID,
	permission.Entry) (a permission.Agent, v permission.Versions, err error) {
	return a, v, s.refusal
}

// AgentTokens refuses: a token may be good, and must not be thrown away.
func (s standIn) AgentTokens(context.Context) (map[string]permission.Agent, error) {
	return nil, s.refusal
}

func (s standIn) Note(context.Context, permission.Entry) error        { return s.refusal }
func (s standIn) Answerable(context.Context, permission.CallID) error { return s.refusal }

// What follows could be there, and is refused to whoever looks once the desk has started.

func (s standIn) Calls(context.Context, permission.CallFilter) ([]permission.Call, int64, error) {
	return []permission.Call{}, 0, s.unread()
}

func (s standIn) Answers(context.Context, int) ([]permission.PastCall, error) { return nil, s.unread() }

func (s standIn) Rules(context.Context) ([]permission.Rule, int64, []permission.DamagedRule, error) {
	return []permission.Rule{}, 1, nil, s.unread()
}

func (s standIn) Versions(context.Context) (permission.Versions, error) {
	return permission.Versions{permission.OfPolicy: 1}, nil
}

func (s standIn) Grants(context.Context, permission.Time) ([]permission.Grant, error) {
	return []permission.Grant{}, s.unread()
}

func (s standIn) Sessions(context.Context, permission.Time) ([]permission.Session, error) {
	return nil, s.unread()
}

func (s standIn) DeclinedTools(context.Context, permission.Time, int) ([]permission.DeclinedTool, error) {
	return nil, s.unread()
}

func (s standIn) Agents(context.Context) ([]permission.Agent, error) {
	return []permission.Agent{}, s.unread()
}

func (s standIn) Journal(context.Context, int64, int) ([]permission.Entry, int64, error) {
	return []permission.Entry{}, 0, s.unread()
}

// What follows has nothing to give.

func (s standIn) Differences() []permission.Difference { return nil }
func (s standIn) Disputed() string                     { return "" }
func (s standIn) Ahead() string                        { return "" }

func (s standIn) TransitAll(context.Context, []permission.Transition) ([]permission.Call, error) {
	return nil, nil
}

func (s standIn) Recover(context.Context, permission.Time) ([]permission.Call, error) {
	return nil, nil
}

func (s standIn) Waiting(context.Context, bool, func(permission.Call)) error { return nil }

func (s standIn) OpenIDs(context.Context, permission.CallFilter) ([]permission.CallID, error) {
	return nil, nil
}

func (s standIn) Past(context.Context, int64, int, func(int64, permission.Call)) error { return nil }
func (s standIn) DeclinedSince(context.Context, int64) ([]int64, error)                { return nil, nil }

func (s standIn) LastApproved(context.Context, permission.Call) (permission.Call, bool, error) {
	return permission.Call{}, false, nil
}

func (s standIn) Settings(context.Context) (permission.Settings, error) {
	return permission.DefaultSettings(), nil
}

func (s standIn) Servers(context.Context) ([]permission.Server, error) {
	return []permission.Server{}, nil
}

func (s standIn) AskedTools(context.Context, string) ([]string, error)   { return nil, nil }
func (s standIn) ToolPins(context.Context) ([]permission.ToolPin, error) { return nil, nil }

func (s standIn) ToolTexts(context.Context, []string) (map[string]permission.ToolText, error) {
	return nil, nil
}

func (s standIn) RemovedAgents(context.Context) ([]permission.AgentID, error) {
	return []permission.AgentID{}, nil
}

func (s standIn) Events(context.Context, int64, int) ([]permission.Event, error) {
	return []permission.Event{}, nil
}

func (s standIn) LastSeq(context.Context) (int64, error) { return 0, nil }

// Listen hears nothing: nothing is ever committed.
func (s standIn) Listen(func([]permission.Event)) {}

// Now is the wall clock: nothing is kept whose time could go back.
func (s standIn) Now() permission.Time { return permission.TimeOf(time.Now()) }
