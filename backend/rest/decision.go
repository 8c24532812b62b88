package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *Handler) addDecision() {
	register(h, row{
		method: http.MethodPost, path: "/v1/calls/{id}/decision", id: "decide", who: operators(), forbidden: permission.CodeSelfApproval,
		summary: "Approve or decline a waiting call",
		about: "inputHash is that of the input which was shown. The first answer stands: the same again is repeated, the opposite 409 with the call as it stands. " +
			"No agent can do this.",
	}, h.decide)
}

type decideIn struct {
	ID   string `path:"id"`
	Body struct {
		Approved  bool   `json:"approved"`
		Reason    string `json:"reason,omitempty" doc:"for the agent to act on; at most 16 KiB"`
		Scope     string `json:"scope,omitempty" enum:"once" doc:"how far the answer reaches; only once is supported yet"`
		InputHash string `json:"inputHash" minLength:"1" maxLength:"256"`
		Rev       int64  `json:"rev,omitempty" minimum:"0" doc:"the rev that was shown; 409 stale if it moved on"`
	}
}

type decideOut struct {
	Body struct {
		Call     permission.Call     `json:"call"`
		Settled  []permission.CallID `json:"settled" doc:"other calls that this answer settled"`
		Repeated bool                `json:"repeated,omitempty"`
	}
}

func (h *Handler) decide(ctx context.Context, in *decideIn) (*decideOut, error) {
	if err := atMost("reason", in.Body.Reason, maxReason); err != nil {
		return nil, err
	}
	call, repeated, err := h.desk.Decide(ctx, permission.CallID(in.ID), permission.Answer{
		Approved: in.Body.Approved, Reason: in.Body.Reason, InputHash: in.Body.InputHash, Rev: in.Body.Rev,
	})
	out := &decideOut{}
	out.Body.Call, out.Body.Settled, out.Body.Repeated = shown(call), []permission.CallID{}, repeated
	return out, err
}
