package rest

import (
	"context"
	"encoding/json"
	"time"

	"sekisho/backend/attention"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Answers takes what a person says: to one call, to one whose outcome is in doubt, and to
// all that wait and that a rule allows. It gives a call more time, removes an input, forgets
// a decline, and ends a run or a session: what waits is cancelled, and grants end.
type Answers interface {
	Decide(ctx context.Context, id permission.CallID, a permission.Answer) (
		call permission.Call, settled []permission.CallID, repeated bool, err error)
	Resolve(ctx context.Context, id permission.CallID, how permission.Resolution) (permission.Call, error)
	Release(ctx context.Context, rule permission.RuleID) (released int, err error)
	Extend(ctx context.Context, id permission.CallID, by time.Duration) (permission.Call, error)
	WipeInput(ctx context.Context, id permission.CallID) (permission.Call, error)
	ForgetDenial(ctx context.Context, id permission.CallID) (permission.Call, error)
	CancelRun(ctx context.Context, who permission.Party, run permission.RunID) (cancelled, grantsEnded int, err error)
	EndSession(ctx context.Context, who permission.Party, session permission.SessionID) (cancelled, grantsEnded int, err error)
}

// answerRows are those of a person's answers to calls, and of what ends calls.
type answerRows struct {
	calls     Calls
	answers   Answers
	attention *attention.Attention
}

func (h *answerRows) addDecision(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/decision", ID: "decide", Who: restwire.Operators, Forbidden: permission.CodeSelfApproval,
		Summary: "Approve or decline a waiting call",
		About: "inputHash is that of the input which was shown, and rev that of the call: a later one that changed nothing of what is shown does no harm. The first answer stands: the same again is repeated, also with its scope or resumeData left out; " +
			"the opposite, another scope, other resumeData or another input is 409 with the call as it stands. " +
			"settled are the other waiting calls that an answer of wider scope reached. From a page, the call must have been in view: see /v1/attention. No agent can do this.",
	}, h.decide)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/resolve", ID: "resolve", Who: restwire.Operators, Forbidden: permission.CodeSelfApproval,
		Summary: "Settle a call whose outcome is in doubt",
		About:   "retry: it may be claimed again, and the old claim is void. close: it counts as failed.",
	}, h.resolve)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/release", ID: "release", Who: restwire.Operators, Forbidden: permission.CodeSelfApproval,
		Summary: "Approve the waiting calls that a rule allows",
		About:   "A new rule does not release what waits already by itself: see pendingMatches.",
	}, h.release)
}

type decideIn struct {
	ID   string `path:"id"`
	Body struct {
		Approved   bool            `json:"approved"`
		Reason     string          `json:"reason,omitempty" doc:"for the agent to act on; at most 16 KiB"`
		Scope      string          `json:"scope,omitempty" enum:"once,class,session" doc:"how far the answer reaches; once when left out"`
		ForSeconds *float64        `json:"forSeconds,omitempty" nullable:"true" exclusiveMinimum:"0" maximum:"86400" doc:"how long an answer of scope class or session lasts; to the end of the session when left out"`
		InputHash  string          `json:"inputHash" minLength:"1" maxLength:"256"`
		Rev        int64           `json:"rev" minimum:"1" doc:"the rev that was shown; 409 stale if what is shown changed since (shownRev), or the session, for an answer that reaches further than the call"`
		Input      json.RawMessage `json:"input,omitempty" doc:"the edited input of an approved call, any JSON but null; left out, the input stays"`
		ResumeData json.RawMessage `json:"resumeData,omitempty" doc:"what the call's resumeSchema asks for, at most 256 KiB then; else 422, and the call goes on waiting"`
		File       string          `json:"fileVersion,omitempty" maxLength:"64" doc:"version of the file as the call's look showed it: a workspace's tools then write over no other, and the call fails with changed"`
		Remember   *bool           `json:"remember,omitempty" nullable:"true" doc:"whether an identical call of the session is declined at once; as the settings say when left out"`
	}
}

type decideOut struct {
	Body struct {
		Call     permission.Call     `json:"call"`
		Settled  []permission.CallID `json:"settled" doc:"other calls that this answer settled"`
		Repeated bool                `json:"repeated,omitempty"`
	}
}

func (h *answerRows) decide(ctx context.Context, in *decideIn) (*decideOut, error) {
	a, err := in.answer()
	if err != nil {
		return nil, err
	}
	call, settled, repeated, err := h.take(ctx, permission.CallID(in.ID), a)
	out := &decideOut{}
	out.Body.Call, out.Body.Settled, out.Body.Repeated = shown(call), list(settled), repeated
	return out, err
}

// take takes a person's answer, as far as its face may give it.
func (h *answerRows) take(ctx context.Context, id permission.CallID, a permission.Answer) (
	call permission.Call, settled []permission.CallID, repeated bool, err error) {
	looked, err := h.watched(ctx, id, &a)
	if err != nil {
		return call, nil, false, err
	}
	a.Door = restwire.CallerOf(ctx).Door()
	call, settled, repeated, err = h.answers.Decide(ctx, id, a)
	if looked != nil && err == nil && !repeated {
		h.attention.Answered(*looked)
	}
	return call, settled, repeated, err
}

// answer refuses what a person can hardly have meant: a time without a scope that
// lasts, and an edit of what shall not run. A null input may be a client's way to
// leave it out, or an edit: nobody is to guess what runs.
func (in *decideIn) answer() (permission.Answer, error) {
	b := &in.Body
	a := permission.Answer{
		Approved: b.Approved, Reason: b.Reason, Scope: permission.Scope(b.Scope), InputHash: b.InputHash, Rev: b.Rev,
		Input: b.Input, ResumeData: b.ResumeData, Remember: b.Remember, FileVersion: b.File,
	}
	if b.ForSeconds != nil {
		a.ForSeconds = *b.ForSeconds
	}
	switch {
	case a.ForSeconds > 0 && a.Scope != permission.ScopeClass && a.Scope != permission.ScopeSession:
		return a, permission.Invalid("forSeconds", permission.FieldScopeOnce, "only an answer of scope class or session lasts")
	case b.Input != nil && !b.Approved:
		return a, permission.Invalid("input", permission.FieldInputDeclined, "a declined call has no edited input")
	case string(b.Input) == "null":
		return a, permission.Invalid("input", permission.FieldInputNull, "null is no edited input: leave it out to keep the input")
	}
	return a, atMost("reason", b.Reason, maxReason)
}

type resolveIn struct {
	ID   string `path:"id"`
	Body struct {
		Action string `json:"action" enum:"retry,close"`
	}
}

func (h *answerRows) resolve(ctx context.Context, in *resolveIn) (*callOut, error) {
	return callAnswer(h.answers.Resolve(ctx, permission.CallID(in.ID), permission.Resolution(in.Body.Action)))
}

type releaseIn struct {
	Body struct {
		RuleID string `json:"ruleId" minLength:"1" maxLength:"64"`
	}
}

type releaseOut struct {
	Body struct {
		Released int `json:"released" doc:"how many calls were approved"`
	}
}

func (h *answerRows) release(ctx context.Context, in *releaseIn) (*releaseOut, error) {
	released, err := h.answers.Release(ctx, permission.RuleID(in.Body.RuleID))
	out := &releaseOut{}
	out.Body.Released = released
	return out, err
}
