package desk

import (
	"context"

	"sekisho/backend/broker"
	"sekisho/backend/permission"
)

// CancelRun withdraws what waits or is not claimed yet of a run: of the agent that
// asks, or of all agents when a person does. A run without a session of its own is
// its session, which ends with it.
func (d *Calls) CancelRun(ctx context.Context, who permission.Party, run permission.RunID) (cancelled, grantsEnded int, err error) {
	return d.end(ctx, who, permission.CallFilter{RunID: run}, permission.SessionID(run),
		permission.Explanation{Code: permission.ReasonRunCancelled, Reason: "the run was cancelled"})
}

// EndSession ends a session in the same way: its grants and remembered declines
// are forgotten.
func (d *Calls) EndSession(ctx context.Context, who permission.Party,
	session permission.SessionID) (cancelled, grantsEnded int, err error) {
	return d.end(ctx, who, permission.CallFilter{SessionID: session}, session,
		permission.Explanation{Code: permission.ReasonSessionEnded, Reason: "the session ended"})
}

func (d *Calls) end(ctx context.Context, who permission.Party, open permission.CallFilter, session permission.SessionID,
	why permission.Explanation) (cancelled, grantsEnded int, err error) {
	actor, by := permission.ActorPerson, permission.ByPerson
	if !who.IsOperator() {
		open.Agent = who.Agent.ID
		actor, by = "agent:"+string(open.Agent), permission.ByCaller
	}
	// Grants first: what comes in meanwhile must not be approved by one that ends.
	if grantsEnded, err = d.sessions.EndSession(ctx, open.Agent, session, actor, d.Now()); err != nil {
		return 0, 0, err
	}
	ids, err := d.sessions.OpenIDs(ctx, open)
	if err != nil {
		return 0, grantsEnded, err
	}
	list := make([]permission.Transition, len(ids))
	for i, id := range ids {
		list[i] = broker.Cancellation(id, actor, by, why, d.Now())
	}
	done, err := d.broker.Settle(ctx, list)
	if err != nil {
		return len(done), grantsEnded, told("cancel calls", err)
	}
	// An answer may have come between: what it granted ends too.
	more, err := d.sessions.EndSession(ctx, open.Agent, session, actor, d.Now())
	d.over.note(sessionKey{open.Agent, session}, d.Now())
	return len(done), grantsEnded + more, err
}

// LeaveSession ends the grants of a session whose connection is gone. Its waiting
// calls stay: their caller may come back.
func (d *Calls) LeaveSession(ctx context.Context, agent permission.AgentID, session permission.SessionID) error {
	_, err := d.sessions.EndSession(ctx, agent, session, "agent:"+string(agent), d.Now())
	return err
}

// ForgetDenial lets the input of a declined call be asked again in its session.
func (d *Calls) ForgetDenial(ctx context.Context, id permission.CallID) (permission.Call, error) {
	c, err := d.sessions.ForgetDenial(ctx, id, permission.Entry{At: d.Now(), Kind: permission.CallChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"denialForgotten": true})})
	return c, told("forget denial", err)
}
