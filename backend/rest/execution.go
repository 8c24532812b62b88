package rest

import (
	"context"
	"encoding/json"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *callRows) addExecution(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/claim", ID: "claim", Who: restwire.Agents + " " + restwire.Executors,
		Summary: "Take the one right to execute an approved call",
		About: "The same claimKey again answers the same claimId and renews the lease; another is 409 already_claimed. " +
			"An executor claims calls of its projects: its lease is the call's timeout and 30 s, whatever it asks for.",
	}, h.claim)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/result", ID: "finish", Who: restwire.Agents,
		Summary: "Report what came of a claimed call",
		About:   "The same result again is no error, in whatever order its keys are.",
	}, h.finish)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/cancel", ID: "cancel", Who: restwire.Agents,
		Summary: "Withdraw a call that has not been claimed",
	}, h.cancel)
}

type claimIn struct {
	ID   string `path:"id"`
	Body struct {
		InputHash    string   `json:"inputHash" minLength:"1" maxLength:"256" doc:"of the input that would be executed"`
		Claimant     string   `json:"claimant" minLength:"1" maxLength:"256" doc:"who executes, for the journal"`
		ClaimKey     string   `json:"claimKey" minLength:"1" maxLength:"256" doc:"made up by the claimant, to ask again safely"`
		LeaseSeconds *float64 `json:"leaseSeconds,omitempty" nullable:"true" minimum:"1" maximum:"3600" doc:"60 when left out"`
	}
}

func (h *callRows) claim(ctx context.Context, in *claimIn) (*callOut, error) {
	b := &in.Body
	if err := errors.Join(atMost("inputHash", b.InputHash, maxID), atMost("claimant", b.Claimant, maxID),
		atMost("claimKey", b.ClaimKey, maxID)); err != nil {
		return nil, err
	}
	req := permission.ClaimRequest{InputHash: b.InputHash, Claimant: b.Claimant, Key: b.ClaimKey}
	if b.LeaseSeconds != nil {
		req.Lease = seconds(*b.LeaseSeconds)
	}
	if x := restwire.CallerOf(ctx).Executor; x != nil {
		return callAnswer(h.projects.Claim(ctx, *x, permission.CallID(in.ID), req))
	}
	return callAnswer(h.calls.Claim(ctx, restwire.AgentOf(ctx), permission.CallID(in.ID), req))
}

type finishIn struct {
	ID   string `path:"id"`
	Body struct {
		ClaimID string          `json:"claimId" minLength:"1" maxLength:"256"`
		OK      bool            `json:"ok"`
		Output  json.RawMessage `json:"output,omitempty" doc:"any JSON"`
	}
}

func (h *callRows) finish(ctx context.Context, in *finishIn) (*callOut, error) {
	if err := atMost("claimId", in.Body.ClaimID, maxID); err != nil {
		return nil, err
	}
	return callAnswer(h.calls.Finish(ctx, restwire.AgentOf(ctx), permission.CallID(in.ID), permission.Outcome{
		ClaimID: permission.ClaimID(in.Body.ClaimID), OK: in.Body.OK, Output: in.Body.Output,
	}))
}

type cancelIn struct {
	ID   string `path:"id"`
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"at most 16 KiB"`
	} `nameHint:"CancelInBody"`
}

func (h *callRows) cancel(ctx context.Context, in *cancelIn) (*callOut, error) {
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	if err := atMost("reason", reason, maxReason); err != nil {
		return nil, err
	}
	return callAnswer(h.calls.Cancel(ctx, restwire.AgentOf(ctx), permission.CallID(in.ID), reason))
}
