package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
)

func (h *answerRows) addEnds(a *api) {
	register(a, row{
		method: http.MethodPost, path: "/v1/runs/{runId}/cancel", id: "cancelRun", who: both(),
		summary: "Withdraw all calls of a run that nobody has claimed",
		about:   "An agent's runs are its own. The body may be left out.",
	}, h.cancelRun)
	register(a, row{
		method: http.MethodPost, path: "/v1/sessions/{id}/end", id: "endSession", who: both(),
		summary: "End a session: its calls are withdrawn and its grants end",
		about:   "An agent's sessions are its own. The body may be left out.",
	}, h.endSession)
}

// nothing is the body of a request that has nothing to say.
type nothing struct{}

type cancelRunIn struct {
	RunID string   `path:"runId" maxLength:"256"`
	Body  *nothing `nameHint:"Nothing"`
}

type endSessionIn struct {
	ID   string   `path:"id" maxLength:"256"`
	Body *nothing `nameHint:"Nothing"`
}

type endedOut struct {
	Body struct {
		Cancelled   int `json:"cancelled" doc:"calls that were withdrawn"`
		GrantsEnded int `json:"grantsEnded"`
	}
}

func ended(cancelled, grantsEnded int, err error) (*endedOut, error) {
	out := &endedOut{}
	out.Body.Cancelled, out.Body.GrantsEnded = cancelled, grantsEnded
	return out, err
}

func (h *answerRows) cancelRun(ctx context.Context, in *cancelRunIn) (*endedOut, error) {
	return ended(h.answers.CancelRun(ctx, callerOf(ctx).Party, permission.RunID(in.RunID)))
}

func (h *answerRows) endSession(ctx context.Context, in *endSessionIn) (*endedOut, error) {
	return ended(h.answers.EndSession(ctx, callerOf(ctx).Party, permission.SessionID(in.ID)))
}
