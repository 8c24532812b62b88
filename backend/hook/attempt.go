package hook

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
)

// attempt is one event on its way to its answer. For the call runner it is the Executor, which
// hands the call over to the client, and the Voice, which makes the answer.
type attempt struct {
	door    *Door
	dialect *dialect
	client  string // as the path names it
	agent   permission.Agent
	defers  time.Duration // after which the client is told to ask again later; 0 is never
	known   known
	q       question
	event   *eventKey // where its client has no id for the call, and tells its time; nil is else
	said    Answer
	waits   bool // the call still waits for a person, and the client was told so
}

// read reads the event.
func (a *attempt) read(f fields) (err error) {
	cwd, err1 := f.text("cwd")
	folder, err2 := f.text("directory")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	a.known = sync.OnceValue(func() servers {
		if a.door.opts.Entries == nil {
			return nil
		}
		return a.door.opts.Entries(a.client, cmp.Or(cwd, folder))
	})
	if a.q, err = a.dialect.read(f, a.known); err != nil {
		return err
	}
	const most = 256 // of a session, an id and a helper's name, in bytes
	if len(a.q.session) > most || len(a.q.id) > most || a.q.subagent != nil && len(*a.q.subagent) > most {
		return errors.New("its session, id or agent_type is too long")
	}
	return nil
}

// run asks the desk, and has an answer in the end.
func (a *attempt) run(ctx context.Context, patience time.Duration) {
	run := permission.RunID(a.q.session)
	a.no("Sekisho came to no decision: the call was not allowed.")
	_, takesEdit := a.dialect.allow(&a.q, a.q.input)
	a.door.calls.Run(ctx, attend.Request{
		Agent: a.agent, Began: time.Now(), Patience: patience,
		Call: permission.Request{
			Identity: permission.Identity{RunID: run, ToolCallID: a.q.id, SessionID: cmp.Or(a.agent.Session, permission.SessionID(run))},
			ServerID: a.q.server, Method: permission.CallTool, ToolName: a.q.tool, Input: a.q.input, Cwd: a.q.cwd, Joins: a.q.follows,
			Subagent: a.q.subagent, InputFixed: !takesEdit,
		},
	}, a, a)
}

func (a *attempt) no(reason string) {
	if a.dialect.deny == nil {
		a.said = refusal(&a.q, reason)
		return
	}
	a.said = a.dialect.deny(&a.q, reason)
}

// yes is the answer that allows; edited is as in dialect.
func (a *attempt) yes(edited []byte) Answer {
	stdout, ok := a.dialect.allow(&a.q, edited)
	if !ok {
		a.no("A person edited the input of this call, which " + a.dialect.name + " does not take: it was not allowed.")
		return a.said
	}
	return Answer{Stdout: stdout}
}

// Prepare has nothing to make ready.
func (a *attempt) Prepare(*permission.Call) error { return nil }

// Execute hands the call over to the client, if that is still there and takes the call as it
// was approved.
func (a *attempt) Execute(ctx context.Context, call *permission.Call) (attend.Result, error) {
	a.named(call)
	if ctx.Err() != nil {
		return attend.Result{Doubt: true}, nil // it may have heard the answer that another event of the call got
	}
	if _, ok := a.dialect.allow(&a.q, edit(call)); !ok {
		return attend.Result{}, errors.New("a person edited the input of this call, which " + a.dialect.name +
			" does not take: it was not allowed, and does not run")
	}
	return attend.Result{OK: true, Output: []byte(permission.HandedOverResult)}, nil
}

// edit is the input that a person made of the call's own; nil is none.
func edit(call *permission.Call) []byte {
	if call.Original == nil {
		return nil
	}
	return call.Input
}

// Beat does nothing: that the client has left ends the context.
func (a *attempt) Beat(*permission.Call) error { return nil }

// Done answers that the call may run.
func (a *attempt) Done(call *permission.Call, r attend.Result) {
	if r.OK && !r.Doubt {
		a.said = a.yes(edit(call))
	}
}

// Refused answers that it may not, or as another event of the call was answered.
func (a *attempt) Refused(r attend.Refusal) error {
	a.named(r.Call)
	switch {
	case r.Call != nil && r.Call.HandedOver:
		a.again(r.Call)
	case r.Code == string(permission.Expired) && a.ownPrompt() != "":
		a.said = Answer{Stdout: a.ownPrompt()}
	default:
		a.waits = r.Code == string(permission.Pending)
		a.no(r.Words)
	}
	return nil
}

// again answers an event whose call was handed over before.
func (a *attempt) again(call *permission.Call) {
	if call.Given(a.door.desk.Now()) {
		a.said = a.yes(edit(call))
		return
	}
	a.no("This call was already handed over to " + a.dialect.name + ": it is not allowed again. Make a new call.")
}

// ownPrompt has the client ask a person itself, where the settings want that of a call that
// nobody answered.
func (a *attempt) ownPrompt() string {
	if a.dialect.ask == nil || a.door.desk.Unanswered() != permission.UnansweredClient {
		return ""
	}
	return a.dialect.ask(&a.q)
}

// Failed answers that the desk did not decide.
func (a *attempt) Failed(err error) { a.no("Not allowed: " + err.Error()) }
