package attend

import (
	"context"
	"time"

	"sekisho/backend/permission"
)

// Elsewhere tells of approved calls that a program elsewhere claims and executes.
type Elsewhere interface {
	// Executed waits until such a call is neither approved nor claimed, or ctx ends, which is no error, and gives
	// it as it is then. One that nobody comes to claim it lets expire; since is when its caller began to wait.
	Executed(ctx context.Context, agent permission.Agent, id permission.CallID, since time.Time) (permission.Call, error)
}

// elsewhere waits for the end of an approved call that a program elsewhere executes. The caller's patience is
// for its claim: a claimed one is waited for to its end. again says that it waits for a person once more.
func (a *attempt) elsewhere(ctx context.Context, until time.Time) (again bool) {
	for since := time.Now(); ; {
		within := a.opts.Beat
		if a.call.Status == permission.Approved {
			within = min(within, time.Until(until))
		}
		next, cancel := context.WithTimeout(ctx, within)
		call, err := a.req.Elsewhere.Executed(next, a.req.Agent, a.call.ID, since)
		cancel()
		if err != nil {
			a.opts.Logger.Error("wait for a call that runs elsewhere", "call", a.call.ID, "error", err)
			a.letGo(ctx, errSilent)
			return false
		}
		a.call = call
		cause := context.Cause(ctx)
		if cause == nil && a.voice.Beat() != nil {
			cause = ErrGone
		}
		switch waits := call.Status == permission.Approved; {
		case call.Status == permission.Pending:
			return true
		case !waits && call.Status != permission.Claimed:
			a.ended()
			return false
		case waits && cause != nil:
			a.letGo(ctx, cause)
			return false
		case waits && !time.Now().Before(until):
			a.letGo(ctx, errPatience)
			return false
		case cause != nil: // it runs on, and its result is kept
			a.voice.Failed(cause)
			return false
		}
	}
}

// ended tells the caller how a call ended that was executed elsewhere, or was not.
func (a *attempt) ended() {
	switch a.call.Status {
	case permission.Completed, permission.Failed:
		a.voice.Done(&a.call, Result{OK: a.call.Status == permission.Completed, Output: a.call.Result, Elsewhere: true})
	default:
		a.decided(&a.call)
	}
}
