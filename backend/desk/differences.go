package desk

import (
	"context"

	"sekisho/backend/permission"
)

// Differences lists the rows of rules, grants, settings, servers, agents and tools that
// read other than the journal says that they were left. While there are any, the desk asks
// about everything.
func (d *Policy) Differences(context.Context) ([]permission.Difference, error) {
	return d.state.Differences(), nil
}

// Settle takes the journal's version of some differences, or that of the tables, and makes
// what is stored then what decides. All are settled or none: CodeStale when one of them is
// not as it was shown.
func (d *Policy) Settle(ctx context.Context, ids []string, take permission.Version) (left []permission.Difference, err error) {
	if take != permission.VersionJournal && take != permission.VersionTable {
		return nil, permission.Invalid("take", permission.FieldNotOneOf, "journal or table")
	}
	if len(ids) == 0 {
		return nil, permission.Invalid("ids", permission.FieldRequired, "nothing is named that is to be settled")
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	entry := permission.Entry{At: d.state.Now(), Kind: permission.StateSettled, Actor: permission.ActorPerson}
	settled, err := d.state.Settle(ctx, ids, take, entry)
	if err != nil {
		return nil, told("settle what differs", err)
	}
	err = d.turn.reload(ctx, true)
	next, _ := d.catalogue.Servers(ctx)
	d.opts.Reinstalled(next)
	if err != nil {
		return nil, told("read what was settled", err)
	}
	d.catalogue.dismissLost(settled)
	return d.state.Differences(), nil
}
