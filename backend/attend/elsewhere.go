package attend

import (
	"context"
	"errors"
	"time"

	"sekisho/backend/permission"
)

// Elsewhere tells of approved calls that a program elsewhere claims and executes.
type Elsewhere interface {
	// Executed waits until such a call is neither approved nor claimed, or ctx ends, which is no error, and gives
	// it as it is then. One that nobody comes to claim it lets expire; since is when its caller began to wait.
	Executed(ctx context.Context, agent permission.Agent, id permission.CallID, since time.Time) (permission.Call, error)
}

// Reasons why it is not known what became of a call that a program elsewhere has claimed.
var (
	errOther     = errors.New("the desk answered with another call: it is not known what became of this one. Look before you repeat it")
	errSilentRun = errors.New("the desk does not answer: it is not known whether the call ran. Look before you repeat it")
)

// elsewhere waits for the end of an approved call that a program elsewhere executes. The caller's patience is
// for its claim: a claimed one is waited for to its end. again says that it has moved on since, to be looked
// at once more.
func (a *attempt) elsewhere(ctx context.Context, until time.Time) (again bool) {
	for since := time.Now(); ; {
		if a.call.Status == permission.Pending {
			return true
		}
		waits := a.call.Status == permission.Approved
		if !waits && !ranElsewhere(a.call.Status) {
			a.decided(&a.call)
			return false
		}
		if err := matches(&a.req.Call, &a.call); err != nil {
			a.another(ctx, err)
			return false
		}
		if !waits && a.call.Status != permission.Claimed {
			a.voice.Done(&a.call, Result{OK: a.call.Status == permission.Completed, Output: a.call.Result,
				Doubt: a.call.Status == permission.InDoubt, Elsewhere: true})
			return false
		}
		cause := context.Cause(ctx)
		if cause == nil && a.voice.Beat(&a.call) != nil {
			cause = ErrGone
		}
		switch {
		case waits && cause != nil:
			return a.letGo(ctx, cause)
		case waits && !time.Now().Before(until):
			return a.letGo(ctx, errPatience)
		case cause != nil: // it runs on, and its result is kept
			a.voice.Failed(cause)
			return false
		}
		within := a.opts.Beat
		if waits {
			within = min(within, time.Until(until))
		}
		next, cancel := context.WithTimeout(ctx, within)
		call, err := a.req.Elsewhere.Executed(next, a.req.Agent, a.call.ID, since)
		cancel()
		if err != nil {
			a.opts.Logger.Error("wait for a call that runs elsewhere", "call", a.call.ID, "error", err)
			if waits {
				return a.letGo(ctx, errSilent)
			}
			a.voice.Failed(errSilentRun)
			return false
		}
		a.call = call
	}
}

// another tells the caller that a row is not the call that it asked for. One that waits is left, so that
// nobody executes it for this caller.
func (a *attempt) another(ctx context.Context, why error) {
	a.opts.Logger.Error("wait for a call that runs elsewhere", "call", a.call.ID, "error", why)
	if a.call.Status != permission.Approved {
		a.voice.Failed(errOther)
		return
	}
	a.leave(ctx)
	a.voice.Failed(errAnother)
}

// ranElsewhere reports whether a call is with a program elsewhere, or was.
func ranElsewhere(status permission.Status) bool {
	switch status {
	case permission.Claimed, permission.Completed, permission.Failed, permission.InDoubt:
		return true
	}
	return false
}
