package desk

import (
	"context"
	"errors"

	"sekisho/backend/permission"
)

// StopAgent refuses an agent for a while: its waiting calls are declined, those that nobody has
// claimed yet are revoked, the grants of its sessions end, and its later calls are declined
// before any rule is looked at. What runs already runs to its end. Once more it lasts anew.
func (d *Calls) StopAgent(ctx context.Context, id permission.AgentID) (done permission.Stopped, err error) {
	at := d.Now()
	d.turn.Lock()
	defer d.turn.Unlock()
	err = d.turn.edit(ctx, func() (err error) {
		var v permission.Versions
		if done, v, err = d.catalogue.parties.StopAgent(ctx, d.turn.of(permission.OfAgents), permission.NewStop(id, at)); err != nil {
			return errors.Join(err, d.turn.reload(ctx, false)) // it may be stopped all the same
		}
		d.knowAgent(done.Agent, v)
		return nil
	})
	return done, told("stop agent", err)
}

// ResumeAgent takes a stop back.
func (d *Calls) ResumeAgent(ctx context.Context, id permission.AgentID) (agent permission.Agent, err error) {
	entry := permission.Entry{At: d.Now(), Kind: permission.AgentsChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "resumed", "agentId": id})}
	d.turn.Lock()
	defer d.turn.Unlock()
	err = d.turn.edit(ctx, func() (err error) {
		var v permission.Versions
		if agent, v, err = d.catalogue.parties.ResumeAgent(ctx, d.turn.of(permission.OfAgents), id, entry); err != nil {
			return errors.Join(err, d.turn.reload(ctx, false))
		}
		d.knowAgent(agent, v)
		return nil
	})
	return agent, told("resume agent", err)
}

// knowAgent takes over an agent that was stopped or resumed: first the agent, and then the
// policy's version, so that what is judged under that knows of the agent. The turn is the
// caller's.
func (d *Calls) knowAgent(agent permission.Agent, v permission.Versions) {
	d.catalogue.agents.put(d.catalogue.agents.Load().Edited(agent), v[permission.OfAgents])
	d.policy.moveOn(v[permission.OfPolicy])
}
