package rest

import (
	"context"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h *answerRows) addEnds(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/runs/{runId}/cancel", ID: "cancelRun", Who: restwire.Both,
		Summary: "Withdraw all calls of a run that nobody has claimed",
		About:   "An agent's runs are its own. The body may be left out.",
	}, h.cancelRun)
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/sessions/{id}/end", ID: "endSession", Who: restwire.Both,
		Summary: "End a session: its calls are withdrawn and its grants end",
		About:   "An agent's sessions are its own. The body may be left out.",
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
	return ended(h.answers.CancelRun(ctx, restwire.CallerOf(ctx).Party, permission.RunID(in.RunID)))
}

func (h *answerRows) endSession(ctx context.Context, in *endSessionIn) (*endedOut, error) {
	return ended(h.answers.EndSession(ctx, restwire.CallerOf(ctx).Party, permission.SessionID(in.ID)))
}
