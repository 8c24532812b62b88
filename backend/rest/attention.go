package rest

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
)

const codeNotArmed permission.Code = "not_armed"

// How long a call must have been in view, with the page in focus, before that page
// may approve it: long enough that no key meant for something else does.
const (
	armed     = 700 * time.Millisecond
	armedHigh = 1500 * time.Millisecond
)

const (
	// afterglow is how long an armed call stays so once the page looks elsewhere. The
	// longest undo is a minute.
	afterglow = 2 * time.Minute
	maxArmed  = 64 // of one face, beside the one in view
	maxFaces  = maxSessions + 1
)

// face is a page that a person looks at: the window, or a browser session. The
// operator's own token has none, and what shows its calls arms by itself.
type face string

const faceWindow face = "window"

// attention knows what each face has in view, and what it had long enough. It keeps
// that in memory only. It is safe for use by many goroutines.
type attention struct {
	now func() time.Time

	mu    sync.Mutex
	faces map[face]*gaze
}

// gaze is the attention of one face.
type gaze struct {
	view  *glance  // nil: nothing is in view
	armed []glance // was in view long enough; oldest first
	moved time.Time
}

// glance is one call in view, as it then was.
type glance struct {
	call  permission.CallID
	rev   int64
	agent permission.AgentID
	hash  string // of server, tool and input
	risk  permission.Risk
	since time.Time
	until time.Time // of one that is not in view any more
}

func newAttention(now func() time.Time) *attention {
	return &attention{now: now, faces: map[face]*gaze{}}
}

// full reports whether the call has been in view for long enough.
func (g *glance) full(at time.Time) bool {
	need := armed
	if g.risk.Rank() >= permission.RiskHigh.Rank() {
		need = armedHigh
	}
	return at.Sub(g.since) >= need
}

// covers reports whether what was seen is the call, or its twin to the byte that is
// no less of a risk.
func (g *glance) covers(c *permission.Call) bool {
	if g.call == c.ID {
		return g.rev >= c.ShownRev
	}
	return g.agent == c.AgentID && g.hash == actOf(c) && g.risk.Rank() >= c.Risk.Rank()
}

// actOf names all that would be executed of a call.
func actOf(c *permission.Call) string {
	return c.Method + " " + c.InputHash + " " + orEmpty(c.EnvelopeHash)
}

// report notes that a face has a call in view from now on; nil is none. What was in
// view until now stays armed if its time was full, unless it is the same call.
func (a *attention) report(f face, c *permission.Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.now()
	g := a.gaze(f)
	g.moved = at
	g.look(c, at)
	if g.view == nil && len(g.armed) == 0 {
		delete(a.faces, f)
	}
}

func (g *gaze) look(c *permission.Call, at time.Time) {
	if g.view != nil && g.view.full(at) {
		g.view.until = at.Add(afterglow)
		g.armed = append(g.armed, *g.view)
	}
	g.view = nil
	g.armed = slices.DeleteFunc(g.armed, func(old glance) bool {
		return !at.Before(old.until) || c != nil && old.call == c.ID
	})
	if over := len(g.armed) - maxArmed; over > 0 {
		g.armed = slices.Delete(g.armed, 0, over)
	}
	if c != nil {
		g.view = &glance{call: c.ID, rev: c.Rev, agent: c.AgentID, hash: actOf(c), risk: c.Risk, since: at}
	}
}

// gaze gives the record of a face. Past the limit, the face that has said nothing for
// the longest time is forgotten: its session is over.
func (a *attention) gaze(f face) *gaze {
	if g := a.faces[f]; g != nil {
		return g
	}
	if len(a.faces) >= maxFaces {
		oldest := f
		for other, g := range a.faces {
			if oldest == f || g.moved.Before(a.faces[oldest].moved) {
				oldest = other
			}
		}
		delete(a.faces, oldest)
	}
	g := &gaze{}
	a.faces[f] = g
	return g
}

// arms reports whether a face has seen a call, as it is now, for long enough.
func (a *attention) arms(f face, c *permission.Call) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, at := a.faces[f], a.now()
	if g == nil {
		return false
	}
	if g.view != nil && g.view.full(at) && g.view.covers(c) {
		return true
	}
	return slices.ContainsFunc(g.armed, func(old glance) bool { return at.Before(old.until) && old.covers(c) })
}

func (h *answerRows) addAttention(a *api) {
	register(a, row{
		method: http.MethodPost, path: "/v1/attention", id: "attend", who: operators(), status: http.StatusNoContent,
		summary: "Say which call a page has in view",
		about: "A page that a person looks at says so when a call, as of rev (or an earlier one that showed the same), comes into view and the page has the focus, and says null when that ends. " +
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
	who := callerOf(ctx)
	shown, err := h.inView(ctx, in)
	if who.face != "" {
		h.attention.report(who.face, shown)
	}
	return nil, err
}

// inView is the call that a report is about; nil when there is none that waits as it
// was shown.
func (h *answerRows) inView(ctx context.Context, in *attendIn) (*permission.Call, error) {
	if in.Body.CallID == nil {
		return nil, nil
	}
	c, err := h.calls.Call(ctx, callerOf(ctx).Party, permission.CallID(*in.Body.CallID))
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
	who := callerOf(ctx)
	if who.face == "" || !a.Approved {
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
	case h.attention.arms(who.face, &c):
		return nil
	}
	return &permission.Error{Code: codeNotArmed, Call: &c,
		Message: "this call was not in view for long enough to be approved from here: 0.7 seconds without a break, 1.5 at high risk"}
}
