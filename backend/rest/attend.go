package rest

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// codeNotArmed refuses an approval: the call has not been in view for long enough.
const codeNotArmed permission.Code = "not_armed"

func (h *answerRows) addAttention(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "POST /v1/attention", ID: "attend", Who: restwire.Operators, Status: http.StatusNoContent,
		Summary: "Say which call a page has in view",
		About: "A page that a person looks at says so when a call, as of rev (or an earlier one that showed the same), comes into view and the page has the focus, and says null when that ends. " +
			"From such a page, the window or a browser session, an approval is refused (409 not_armed) until the call was in view for 700 ms, at high risk 1500 ms, without a break. " +
			"Leaving later does not take that back for the time of an undo; a new report of the same call begins anew. Of calls alike to the byte, one is enough. " +
			"The operator's own token needs none of this.",
	}, h.attend)
}

type attendIn struct {
	Body struct {
		CallID *string `json:"callId" nullable:"true" doc:"null: no call is in view any more"`
		Rev    int64   `json:"rev" minimum:"0" doc:"the rev that is shown; 409 stale if what is shown changed since"`
	}
}

func (h *answerRows) attend(ctx context.Context, in *attendIn) (*struct{}, error) {
	who := restwire.CallerOf(ctx)
	shown, err := h.inView(ctx, in)
	if who.Face != "" {
		h.attention.Report(who.Face, shown)
	}
	return nil, err
}

// inView is the call that a report is about; nil when there is none that waits as it
// was shown.
func (h *answerRows) inView(ctx context.Context, in *attendIn) (*permission.Call, error) {
	if in.Body.CallID == nil {
		return nil, nil
	}
	c, err := h.calls.Call(ctx, restwire.CallerOf(ctx).Party, permission.CallID(*in.Body.CallID))
	switch {
	case err != nil:
		return nil, err
	case c.Status != permission.Pending:
		return nil, nil // it waits for nobody
	case in.Body.Rev < c.ShownRev || in.Body.Rev > c.Rev:
		return nil, &permission.Error{Code: permission.CodeStale, Message: "this call changed since it was shown", Call: &c}
	}
	return &c, nil
}

// checkArmed refuses the approval of a call that its face has not had in view for
// long enough, and binds the answer to the call as it was checked.
func (h *answerRows) checkArmed(ctx context.Context, id permission.CallID, a *permission.Answer) error {
	who := restwire.CallerOf(ctx)
	if who.Face == "" || !a.Approved {
		return nil
	}
	c, err := h.calls.Call(ctx, who.Party, id)
	if err != nil {
		return err
	}
	outdated := a.Rev < c.ShownRev || a.Rev <= c.Rev && c.Status != permission.Pending
	switch {
	case outdated: // the desk refuses it by itself: a rev never comes back
		return nil
	case a.Rev > c.Rev:
		return &permission.Error{Code: permission.CodeStale, Message: "this call has not come to that rev", Call: &c}
	case h.attention.Arms(who.Face, &c):
		return nil
	}
	return &permission.Error{Code: codeNotArmed, Call: &c,
		Message: "this call was not in view for long enough to be approved from here: 0.7 seconds without a break, 1.5 at high risk"}
}
