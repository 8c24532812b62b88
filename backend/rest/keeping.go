package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *answerRows) addKeeping(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/calls/{id}/extend", ID: "extend", Who: restwire.Operators,
		Summary: "Give a waiting call more time",
	}, h.extend)
	restwire.Register(a, restwire.Row{
		Route: "DELETE /v1/calls/{id}/input", ID: "wipeInput", Who: restwire.Operators, Status: http.StatusOK,
		Summary: "Remove the input of a settled call",
		About:   "Its hash stays, in the call and in the journal.",
	}, h.wipeInput)
	restwire.Register(a, restwire.Row{
		Route: "DELETE /v1/calls/{id}/denial", ID: "forgetDenial", Who: restwire.Operators, Status: http.StatusOK,
		Summary: "Do not decline identical calls of the session by this decline any more",
		About:   "The call stays declined; the next identical one is asked about.",
	}, h.forgetDenial)
}

type extendIn struct {
	ID   string `path:"id"`
	Body struct {
		Seconds float64 `json:"seconds" exclusiveMinimum:"0" doc:"added to the deadline; at most 30 days"`
	}
}

func (h *answerRows) extend(ctx context.Context, in *extendIn) (*callOut, error) {
	return callAnswer(h.answers.Extend(ctx, permission.CallID(in.ID), seconds(in.Body.Seconds)))
}

func (h *answerRows) wipeInput(ctx context.Context, in *byID) (*callOut, error) {
	return callAnswer(h.answers.WipeInput(ctx, permission.CallID(in.ID)))
}

func (h *answerRows) forgetDenial(ctx context.Context, in *byID) (*callOut, error) {
	return callAnswer(h.answers.ForgetDenial(ctx, permission.CallID(in.ID)))
}
