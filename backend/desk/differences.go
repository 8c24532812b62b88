package desk

import (
	"context"
	"errors"

	"sekisho/backend/permission"
)

// Differences lists the rows of rules, grants, settings, servers, agents and tools that
// read other than the journal says that they were left. While there are any, the desk asks
// about everything.
func (d *Desk) Differences(context.Context) ([]permission.Difference, error) {
	return d.store.Differences(), nil
}

// Settle takes the journal's version of some differences, or that of the tables, and makes
// what is stored then what decides. All are settled or none: CodeStale when one of them is
// not as it was shown.
func (d *Desk) Settle(ctx context.Context, ids []string, take permission.Version) (left []permission.Difference, err error) {
	if take != permission.VersionJournal && take != permission.VersionTable {
		return nil, permission.Invalid("take", "journal or table")
	}
	if len(ids) == 0 {
		return nil, permission.Invalid("ids", "nothing is named that is to be settled")
	}
	d.edit.Lock()
	defer d.edit.Unlock()
	d.joining.Lock()
	defer d.joining.Unlock()
	d.pinning.Lock()
	defer d.pinning.Unlock()
	settled, err := d.store.Settle(ctx, ids, take, permission.Entry{At: d.Now(), Kind: permission.StateSettled, Actor: permission.ActorPerson})
	if err != nil {
		return nil, told("settle what differs", err)
	}
	if err := d.reload(context.WithoutCancel(ctx)); err != nil {
		return nil, told("read what was settled", err)
	}
	d.dismissLost(settled)
	return d.store.Differences(), nil
}

// reload makes what is stored what decides. d.edit, d.joining and d.pinning are held.
func (d *Desk) reload(ctx context.Context) error {
	d.unset = ""
	d.loadSettings(ctx)
	err := errors.Join(d.readServers(ctx), d.loadAgents(ctx), d.loadTools(ctx), d.compile(ctx))
	next, _ := d.Servers(ctx)
	d.opts.Reinstalled(next)
	return err
}

// dismissLost ends the connections of agents that a settlement took away.
func (d *Desk) dismissLost(settled []permission.Difference) {
	known := map[permission.AgentID]bool{}
	for _, agent := range d.agents.Load().byToken {
		known[agent.ID] = true
	}
	for _, p := range settled {
		if id := permission.AgentID(p.Key); p.Set == "agents" && !known[id] {
			d.opts.Dismissed(id)
		}
	}
}
