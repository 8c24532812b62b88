package desk

import (
	"context"

	"sekisho/backend/bus"
	"sekisho/backend/permission"
)

// JournalStore reads the journal, and tells of new entries after their commit. Note adds
// one that belongs to no change of what else is kept.
type JournalStore interface {
	Note(ctx context.Context, e permission.Entry) error
	Journal(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error)
	Events(ctx context.Context, after int64, limit int) ([]permission.Event, error)
	LastSeq(ctx context.Context) (int64, error)
	// SignedEnd is the last line of an export that ends with the newest entry.
	SignedEnd(ctx context.Context) (permission.Entry, error)
	Listen(func([]permission.Event))
}

// Journal is the record of all that happened, and its live events.
type Journal struct {
	store JournalStore
	now   func() permission.Time
	bus   *bus.Bus
}

// Subscribe gives live events until stop is called; the channel is closed when
// the subscriber was too slow or the desk closes.
func (d *Journal) Subscribe() (events <-chan permission.Event, stop func()) { return d.bus.Subscribe() }

// Events gives the journal's events after seq, oldest first, at most limit; last
// is the newest sequence number that exists.
func (d *Journal) Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error) {
	if last, err = d.store.LastSeq(ctx); err != nil {
		return nil, 0, err
	}
	events, err = d.store.Events(ctx, after, limit)
	return events, last, err
}

// Entries gives entries after seq, oldest first; next is 0 at the end.
func (d *Journal) Entries(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error) {
	return d.store.Journal(ctx, after, limit)
}

// SignedEnd is a checkpoint over the newest entry, for the end of an export.
func (d *Journal) SignedEnd(ctx context.Context) (permission.Entry, error) {
	return d.store.SignedEnd(ctx)
}

// Tell tells who listens now of what has no entry in the journal.
func (d *Journal) Tell(e permission.Event) { d.bus.Publish([]permission.Event{e}) }

// NoteRefused puts into the journal that an agent tried what a person alone may do: of
// which row, by its method and path, and how often.
func (d *Journal) NoteRefused(ctx context.Context, agent permission.Agent, method, path string, count int) error {
	entry := permission.Entry{At: d.now(), Kind: permission.OperatorRefused, Actor: "agent:" + string(agent.ID),
		Data: permission.Data(map[string]any{"agentName": agent.Name, "method": method, "path": path, "count": count})}
	return told("keep that an agent was refused", d.store.Note(ctx, entry))
}

// NoteSignIn puts what happened to a sign-in into the journal, as news of the servers.
func (d *Journal) NoteSignIn(ctx context.Context, c permission.SignInChange) error {
	scopes := c.Scopes
	if scopes == nil {
		scopes = []string{}
	}
	said := map[string]any{"what": c.What, "serverId": c.ServerID, "issuer": c.Issuer, "scopes": scopes}
	if c.Why != "" {
		said["why"] = c.Why
	}
	entry := permission.Entry{At: d.now(), Kind: permission.ServersChanged, Actor: c.What.Actor(), Data: permission.Data(said)}
	return told("keep what happened to a sign-in", d.store.Note(ctx, entry))
}

// NeverArrived puts into the journal, as news of the servers, that a client's hook left a call
// to the gateway, which holds it, and that it did not come there.
func (d *Journal) NeverArrived(ctx context.Context, agent permission.Agent, client, server, tool string) error {
	entry := permission.Entry{At: d.now(), Kind: permission.ServersChanged, Actor: "agent:" + string(agent.ID),
		Data: permission.Data(map[string]any{"what": "never_arrived", "agentName": agent.Name, "client": client, "serverId": server,
			"toolName": tool, "reason": "handed over, never arrived"})}
	return told("keep that a call did not arrive", d.store.Note(ctx, entry))
}
