// Package desk is the use case: it judges a call, suspends it, takes the
// person's answer and hands out the one right to execute. Doors translate
// between it and their protocols; it knows none of them.
//
// It is cut by use, and each part knows those before it alone: the catalogue (servers,
// agents, tools, secrets), the policy (rules, settings, grants, drafts), the calls, and
// the demonstration, which asks as any agent does.
//
// # Copies
//
// Of what every request needs (settings with hold, servers, tools, rules, agents) a desk has
// copies in memory, each at a version of the store's. The transaction that keeps a call or
// an edit holds the versions that it was made from against those of the store, and answers
// permission.ErrOutdated where one is later: then what is later is read, and the call judged
// again, or the edit made again. So several desks can work over one store; see cached.go.
//
// # Locks
//
// Edits of rules, settings, servers, agents and tools take turns. What edits, or needs that
// no edit comes between, takes the turn first of all, while it holds no lock of a part. All
// other locks are leaves: each guards the memory of one part, and while it is held nothing
// is called but that part's store and broker. So no two of them are ever held together, and
// no order of them has to be kept. The demonstration is before the parts, as a door is:
// nothing that they do waits for its lock.
package desk

import (
	"context"
	"fmt"
	"log/slog"

	"sekisho/backend/broker"
	"sekisho/backend/bus"
	"sekisho/backend/permission"
	"sekisho/backend/sessionbook"
	"sekisho/backend/workspace"
)

// Stores is all that a desk keeps, by use. One keeper may be all of them: the sqlite room
// is.
type Stores struct {
	Calls     CallStore
	Sessions  SessionStore
	Policy    PolicyStore
	Past      PastStore
	Catalogue CatalogueStore
	Agents    AgentStore
	Journal   JournalStore
	State     StateStore
	Counts    CountStore
}

// Desk is one running desk over one data folder. Its parts are safe for use by many goroutines.
type Desk struct {
	Catalogue *Catalogue
	Policy    *Policy
	Calls     *Calls
	Journal   *Journal
	Demo      *Demonstration

	Unclaimed func(context.Context, permission.CallID) (permission.Call, error) // see broker.Broker
	close     func()
}

// Open starts a desk over a store: rules compiled, callers of an earlier process gone, deadlines set.
func Open(ctx context.Context, s Stores, opts Options) (*Desk, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Dismissed == nil {
		opts.Dismissed = func(permission.AgentID) {}
	}
	if opts.Standings == nil {
		opts.Standings = sessionbook.New(nil, nil)
	}
	if opts.Workspaces == nil {
		opts.Workspaces = workspace.None{}
	}
	if opts.Reinstalled == nil {
		opts.Reinstalled = func([]permission.Server) {}
	}
	t, b, events := &turn{state: s.State}, broker.New(s.Calls), bus.New()
	d := &Desk{close: func() { b.Close(); events.Close() }, Unclaimed: b.Unclaimed}
	d.Journal = &Journal{store: s.Journal, now: s.State.Now, bus: events}
	d.Catalogue = newCatalogue(s.Catalogue, s.Agents, s.State, s.Policy.Rule, opts, t)
	d.Policy = newPolicy(s, opts, t, d.Catalogue)
	d.Calls = &Calls{store: s.Calls, sessions: s.Sessions, broker: b, opts: opts, turn: t, policy: d.Policy, catalogue: d.Catalogue}
	d.Demo, d.Policy.edited = &Demonstration{calls: d.Calls, catalogue: d.Catalogue}, d.Calls.rejudge
	d.Catalogue.edited = func(e bookEdit) {
		if e.rules {
			_ = t.reload(context.Background(), false) // where it fails, the rules say that they are not read
		}
		d.Policy.moveOn(e.versions[permission.OfPolicy])
		d.Calls.tellWaiting(e.before, e.after)
	}
	s.Journal.Listen(b.Committed)
	s.Journal.Listen(events.Publish)
	t.Lock()
	err := t.reload(ctx, true)
	t.Unlock()
	if err == nil {
		err = d.Calls.recover(ctx)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("open desk: %w", err)
	}
	return d, nil
}

// Close ends the desk's clock and its events. The store stays open.
func (d *Desk) Close() { d.close() }
