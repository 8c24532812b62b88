package attend

import (
	"bytes"
	"context"
	"errors"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// errAnother says that a row is another call than the one that was asked for.
var errAnother = errors.New("the desk answered with another call: nothing was executed")

// claimRequest asks for the right to execute. The key is this attempt's own: a row that is
// claimed with another one is executed by somebody else. Where calls are handed over it is
// that of the call, whose id is not known before it is kept.
func (a *attempt) claimRequest(toolCallID string) *permission.ClaimRequest {
	key := a.key
	if a.opts.HandsOver {
		key = toolCallID
	}
	return &permission.ClaimRequest{Claimant: a.opts.Claimant, Key: key, Lease: a.opts.Lease}
}

// executeAllowed executes a call that was claimed as it was asked for.
func (a *attempt) executeAllowed(ctx context.Context) {
	asked := &a.req.Call
	var err error
	if !bytes.Equal(a.call.Input, asked.Input) || !bytes.Equal(a.call.Envelope, asked.Envelope) || a.call.Method != asked.Method {
		err = errAnother
	} else {
		err = a.executor.Prepare(&a.call)
	}
	if err != nil {
		a.opts.Logger.Error("execute a call", "call", a.call.ID, "error", err)
		a.fail(ctx, err)
		return
	}
	a.run(ctx)
}

// execute claims an approved call and executes it. again says that it waits for a person
// once more.
func (a *attempt) execute(ctx context.Context) (again bool) {
	err := matches(&a.req.Call, &a.call)
	if err == nil {
		err = a.executor.Prepare(&a.call)
	}
	if err == nil {
		err = a.claim(ctx)
	}
	e := conflictOf(err)
	switch {
	case err == nil:
		a.run(ctx)
		return false
	case e != nil && e.Call.Status == permission.Pending:
		a.call = *e.Call
		return true
	}
	a.leave(ctx) // a yes that could not be used is good for the next time
	if e != nil && e.Call.Status.Settled() {
		a.decided(e.Call)
		return false
	}
	a.opts.Logger.Error("claim a call", "call", a.call.ID, "error", err)
	a.voice.Failed(errors.New("the call could not be claimed, and was not executed: repeat it"))
	return false
}

// matches reports whether a row is the call that was asked for: the same method, input and
// envelope, whatever a person made of the input and whatever its caller said in _meta.
func matches(asked *permission.Request, row *permission.Call) error {
	own := row.InputHash
	if row.Original != nil {
		own = row.Original.InputHash
	}
	sent, err1 := rawjson.Hash(asked.ServerID, asked.ToolName, asked.Input)
	shown, err2 := rawjson.Hash(asked.ServerID, asked.ToolName, row.Input)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if sent != own || shown != row.InputHash || row.Method != asked.Method || mcpwire.BesideInput(row.Method, row.Input) != "" {
		return errAnother
	}
	return encloses(asked.Envelope, row)
}

// encloses reports whether a row's envelope is whole, and the one that was asked for but
// for its _meta.
func encloses(asked []byte, row *permission.Call) error {
	switch {
	case row.Envelope == nil && row.EnvelopeHash == nil && asked == nil:
		return nil
	case (row.Envelope == nil) != (row.EnvelopeHash == nil):
		return errAnother
	case row.Envelope != nil:
		if hash, err := rawjson.EnvelopeHash(row.Envelope); err != nil || hash != *row.EnvelopeHash {
			return errAnother
		}
	}
	sent, err1 := rawjson.AskedHash("", "", asked)
	kept, err2 := rawjson.AskedHash("", "", row.Envelope)
	if err1 != nil || err2 != nil || sent != kept {
		return errAnother
	}
	return nil
}

func (a *attempt) claim(ctx context.Context) error {
	r := a.claimRequest(a.call.ToolCallID)
	r.InputHash = a.call.InputHash
	call, err := a.desk.Claim(context.WithoutCancel(ctx), a.req.Agent, a.call.ID, *r)
	if err == nil {
		a.call = call
	}
	return err
}

// conflictOf is what the desk said, if it was a conflict that carries a call.
func conflictOf(err error) *permission.Error {
	var e *permission.Error
	if errors.As(err, &e) && e.Call != nil {
		return e
	}
	return nil
}

// run executes the claimed call. What comes of it is recorded whether the caller is still
// there or not, and before it is told.
func (a *attempt) run(ctx context.Context) {
	result, err := a.executor.Execute(ctx, &a.call)
	if err != nil {
		a.fail(ctx, err)
		return
	}
	a.Finish(ctx, a.req.Agent, &a.call, result)
	a.voice.Done(&a.call, result)
}

// fail records that a claimed call was not executed, and tells the caller.
func (a *attempt) fail(ctx context.Context, why error) {
	a.Finish(ctx, a.req.Agent, &a.call, Result{Output: mcpwire.ErrorValue(mcpwire.Errorf(mcpwire.CodeInternal, "%s", why))})
	a.voice.Failed(why)
}

// Finish records what came of a claimed call, except where its agent is still to report it.
// What the caller then hears outlives the desk, however it ends, and the call itself also a
// loss of power. A door calls it for a call that was executed elsewhere, at the end.
func (r *Runner) Finish(ctx context.Context, agent permission.Agent, call *permission.Call, result Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	out := permission.Outcome{OK: result.OK, Output: result.Output, Unawaited: true}
	if call.ClaimID != nil {
		out.ClaimID = *call.ClaimID
	}
	var err error
	switch {
	case result.Elsewhere:
	case result.Doubt:
		_, err = r.desk.Doubt(ctx, agent, call.ID, out.ClaimID)
	default:
		_, err = r.desk.Finish(ctx, agent, call.ID, out)
	}
	if err != nil {
		r.opts.Logger.Error("record a result", "call", call.ID, "error", err)
	}
	if err := r.desk.Answerable(ctx, call.ID); err != nil {
		r.opts.Logger.Error("keep a call that ran", "call", call.ID, "error", err)
	}
}
