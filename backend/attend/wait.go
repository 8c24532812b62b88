package attend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/permission"
)

// leaveWithin bounds what is told to the desk after the caller has gone.
const leaveWithin = 5 * time.Second

// Reasons of the runner's own why it waits no longer.
var (
	errPatience = errors.New("the caller's patience is over")
	errSilent   = errors.New("the desk does not answer: the call was not executed")
	errReplaced = fmt.Errorf("%w: it asks for the same in another request", ErrGone)
)

// margin is how long before its patience ends a caller is told PENDING, so that the answer
// is there in time.
func margin(patience time.Duration) time.Duration { return min(patience/10, 2*time.Second) }

// wait waits until the call is decided, with signs of life for the caller. An error says
// why it ended before: the call is then to be left.
func (a *attempt) wait(ctx context.Context, until time.Time) error {
	who := permission.Party{Agent: &a.req.Agent}
	for {
		if a.voice.Beat(&a.call) != nil {
			return a.noted(ErrGone)
		}
		left := time.Until(until)
		if left <= 0 { // to ask took all of it
			return errPatience
		}
		next, cancel := context.WithTimeout(ctx, min(a.opts.Beat, left))
		call, err := a.desk.Wait(next, who, a.call.ID, a.call.Rev)
		cancel()
		switch {
		case ctx.Err() != nil:
			return a.noted(context.Cause(ctx))
		case err != nil:
			a.opts.Logger.Error("wait for a call", "call", a.call.ID, "error", err)
			return errSilent
		}
		a.call = call
		if call.CallerGone && a.question(ctx) != nil { // another who waited for it has left
			return errSilent
		}
		switch {
		case a.call.Status != permission.Pending:
			return nil
		case !time.Now().Before(until):
			return errPatience
		}
	}
}

// noted takes note of when the caller left, and gives its reason back. Nothing is learnt of the
// caller from the end of a session, of its server or of the desk.
func (a *attempt) noted(cause error) error {
	itself := errors.Is(cause, ErrGone) || errors.Is(cause, ErrCancelled) || errors.Is(cause, ErrTimedOut) ||
		errors.Is(cause, context.Canceled)
	if itself && !errors.Is(cause, errReplaced) {
		who := agentClient{a.req.Agent.ID, a.req.Client}
		a.limits.note(who, leaving{time.Since(a.req.Began), errors.Is(cause, ErrTimedOut)})
	}
	return cause
}

// letGo leaves the call: it stays at the desk, and nobody executes it until the agent asks
// again. The caller is told, if it is there. again says that it is not left: a program elsewhere
// came to it at the last moment.
func (a *attempt) letGo(ctx context.Context, why error) (again bool) {
	call, err := a.leave(ctx)
	switch {
	case !errors.Is(why, errPatience):
		a.voice.Failed(why)
	case err == nil && a.req.Elsewhere != nil && ranElsewhere(call.Status):
		a.call = call
		return true
	case err == nil && call.Status.Settled() && !call.CallerGone:
		a.decided(&call) // at the last moment
	default:
		heard := a.limits.pending(&a.req, time.Since(a.came)) // before: the caller may be back at once
		heard(a.voice.Refused(Refusal{Code: "pending", Call: &a.call, Words: pending(&a.call)}))
	}
	return false
}

func (a *attempt) leave(ctx context.Context) (permission.Call, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	call, err := a.desk.Leave(ctx, a.req.Agent, a.call.ID)
	if err != nil {
		a.opts.Logger.Error("leave a call", "call", a.call.ID, "error", err)
	}
	return call, err
}
