package rest

import (
	"context"
	"net/http"
	"time"

	"sekisho/backend/insights"
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
			"After ten answers that were each given after less than a second, within ten minutes, it takes three times as long for 15 minutes: see /v1/arming. " +
			"The operator's own token needs none of this.",
	}, h.attend)
	restwire.Register(a, restwire.Row{Route: "GET /v1/arming", ID: "getArming", Who: restwire.Operators,
		Summary: "Say how long a call must be in view before a page may approve it"}, h.arming)
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

// watched is for how long its face had a call in view that an answer is for; nil: nobody knows. An
// approval is refused where that was not for long enough, and bound to the call as it was checked.
// It notes in the answer whether the input could be read in that time; an edited one was.
func (h *answerRows) watched(ctx context.Context, id permission.CallID, a *permission.Answer) (*time.Duration, error) {
	who := restwire.CallerOf(ctx)
	if who.Face == "" {
		return nil, nil
	}
	c, err := h.calls.Call(ctx, who.Party, id)
	if err == nil && a.Approved {
		err = h.checkArmed(who.Face, &c, a.Rev)
	}
	if err != nil {
		return nil, err
	}
	d, ok := h.attention.Looked(who.Face, &c)
	if !ok || a.Input != nil {
		return nil, nil
	}
	a.Unread = !insights.Readable(c.Input, d)
	return &d, nil
}

// checkArmed refuses the approval of a call that a face has not had in view for long enough.
func (h *answerRows) checkArmed(face string, c *permission.Call, rev int64) error {
	outdated := rev < c.ShownRev || rev <= c.Rev && c.Status != permission.Pending
	switch {
	case outdated: // the desk refuses it by itself: a rev never comes back
		return nil
	case rev > c.Rev:
		return &permission.Error{Code: permission.CodeStale, Message: "this call has not come to that rev", Call: c}
	case h.attention.Arms(face, c):
		return nil
	}
	return &permission.Error{Code: codeNotArmed, Call: c,
		Message: "this call was not in view for long enough to be approved from here: 0.7 seconds without a break, 1.5 at high risk, " +
			"and longer after many quick answers"}
}

type armingOut struct {
	Body struct {
		Ms     int64           `json:"ms" doc:"how long a call must be in view before a page may approve it"`
		HighMs int64           `json:"highMs" doc:"at high risk"`
		Until  permission.Time `json:"until" doc:"they are longer than usual until then, after ten answers that were each given after less than a second; null: they are not"`
	}
}

func (h *answerRows) arming(context.Context, *struct{}) (*armingOut, error) {
	now, out := h.attention.Arming(), &armingOut{}
	out.Body.Ms, out.Body.HighMs = now.Usual.Milliseconds(), now.High.Milliseconds()
	if !now.Until.IsZero() {
		out.Body.Until = permission.TimeOf(now.Until)
	}
	return out, nil
}
