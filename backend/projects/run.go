package projects

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/permission"
	"sekisho/backend/restwire"
	"sekisho/backend/trial"
)

// patience is how long the runner waits where the rules send a call back to a person at its claim:
// attend waits on.
const patience = 10 * time.Second

// runHere claims an approved call and runs it at the desk, to its end.
func (d *Door) runHere(ctx context.Context, agent permission.Agent, s permission.Server, r permission.Request) {
	run := &deskRun{door: d, agent: agent, server: s.ID}
	d.runner.Run(ctx, attend.Request{Agent: agent, Call: r, Client: "workspace", Began: time.Now(), Patience: patience}, run, run)
}

// deskRun runs one call at the desk: the runner's Executor, and a Voice that tells nobody, since the
// agent reads the row.
type deskRun struct {
	door   *Door
	agent  permission.Agent
	server string
}

// Prepare has nothing to make ready.
func (r *deskRun) Prepare(*permission.Call) error { return nil }

// Execute runs the tool to its end, though the agent leaves; the end of the desk breaks it off. It
// runs in the workspace as that is now, where the agent still sees it.
func (r *deskRun) Execute(_ context.Context, c *permission.Call) (attend.Result, error) {
	who := caller{restwire.Caller{Party: permission.Party{Agent: &r.agent}}}
	s, err := r.door.workspace(r.door.closing, who, r.server)
	if err == nil && !s.RunsHere() {
		err = errors.New("the tools of this workspace run at a client now")
	}
	if err != nil {
		return attend.Result{}, err
	}
	shown := ""
	if c.Decision != nil {
		shown = c.Decision.FileVersion
	}
	result, err := r.door.opts.Run(r.door.closing, s, c, shown)
	switch {
	case errors.Is(err, trial.ErrUnknown):
		r.door.opts.Logger.Error("run a tool of a workspace", "call", c.ID, "error", err)
		return attend.Result{Doubt: true}, nil
	case err != nil:
		return attend.Result{}, err
	}
	var answer struct {
		IsError bool `json:"isError"`
	}
	err = json.Unmarshal(result, &answer)
	return attend.Result{OK: err == nil && !answer.IsError, Output: result}, nil
}

// Beat finds the agent there as long as it is attended to.
func (r *deskRun) Beat(*permission.Call) error { return nil }

// Refused tells nobody.
func (r *deskRun) Refused(attend.Refusal) error { return nil }

// Failed notes why a call was not run.
func (r *deskRun) Failed(err error) {
	if !errors.Is(err, attend.ErrGone) && !errors.Is(err, context.Canceled) {
		r.door.opts.Logger.Error("run a tool of a workspace", "workspace", r.server, "error", err)
	}
}

// Done tells nobody.
func (r *deskRun) Done(*permission.Call, attend.Result) {}
