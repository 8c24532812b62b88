package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *answerRows) addKeeping(a *api) {
	register(a, row{
		method: http.MethodPost, path: "/v1/calls/{id}/extend", id: "extend", who: operators(),
		summary: "Give a waiting call more time",
	}, h.extend)
	register(a, row{
		method: http.MethodDelete, path: "/v1/calls/{id}/input", id: "wipeInput", who: operators(), status: http.StatusOK,
		summary: "Remove the input of a settled call",
		about:   "Its hash stays, in the call and in the journal.",
	}, h.wipeInput)
	register(a, row{
		method: http.MethodDelete, path: "/v1/calls/{id}/denial", id: "forgetDenial", who: operators(), status: http.StatusOK,
		summary: "Do not decline identical calls of the session by this decline any more",
		about:   "The call stays declined; the next identical one is asked about.",
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

type callPath struct {
	ID string `path:"id"`
}

func (h *answerRows) wipeInput(ctx context.Context, in *callPath) (*callOut, error) {
	return callAnswer(h.answers.WipeInput(ctx, permission.CallID(in.ID)))
}

func (h *answerRows) forgetDenial(ctx context.Context, in *callPath) (*callOut, error) {
	return callAnswer(h.answers.ForgetDenial(ctx, permission.CallID(in.ID)))
}
