// Package desk is the use case: it judges a call, suspends it, takes the
// person's answer and hands out the one right to execute. Doors translate
// between it and their protocols; it knows none of them.
package desk

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sekisho/backend/broker"
	"sekisho/backend/bus"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// CallStore keeps and lists calls.
type CallStore interface {
	broker.Store
	broker.Recoverer
	Calls(ctx context.Context, f permission.CallFilter) (calls []permission.Call, next int64, err error)
	// Waiting lists the pending calls with their id, server and tool alone.
	Waiting(ctx context.Context) ([]permission.Call, error)
}

// RuleStore keeps the rules. damaged describes rows that were left out.
type RuleStore interface {
	Rules(ctx context.Context) (rules []permission.Rule, version int64, damaged []permission.DamagedRule, err error)
	ChangeRules(ctx context.Context, c permission.RuleChange) (version int64, err error)
}

// ServerStore keeps the list of servers behind the desk.
type ServerStore interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	ReplaceServers(ctx context.Context, servers []permission.Server, e permission.Entry) error
}

// AgentStore keeps agents by their tokens' hashes.
type AgentStore interface {
	AddAgent(ctx context.Context, a permission.Agent, tokenHash string, e permission.Entry) error
	// DeleteAgent settles the agent's open calls by d.
	DeleteAgent(ctx context.Context, id permission.AgentID, d permission.Decision, e permission.Entry) error
	Agents(ctx context.Context) ([]permission.Agent, error)
	AgentByToken(ctx context.Context, tokenHash string) (permission.Agent, error)
}

// JournalStore reads the journal, and tells of new entries after their commit.
type JournalStore interface {
	Journal(ctx context.Context, after int64, limit int) ([]permission.Entry, error)
	Events(ctx context.Context, after int64, limit int) ([]permission.Event, error)
	LastSeq(ctx context.Context) (int64, error)
	Listen(func([]permission.Event))
}

// Store is all that a desk keeps; the sqlite room has it.
type Store interface {
	CallStore
	RuleStore
	ServerStore
	AgentStore
	JournalStore
}

// Options of a desk; the zero value works.
type Options struct {
	MaxPending int          // waiting calls per agent; 0 is 1,000
	Logger     *slog.Logger // nil is slog.Default

	// Dismissed is told of an agent that was removed, and Reinstalled of the
	// servers as they are after an edit, so that doors end what is connected.
	Dismissed   func(permission.AgentID)
	Reinstalled func([]permission.Server)
}

// deadlines by risk (CONTRACT section 3). What nothing is known about is medium.
var deadlines = map[permission.Risk]time.Duration{permission.RiskMedium: 300 * time.Second}

// Desk is one running desk over one data folder. It is safe for use by many
// goroutines.
type Desk struct {
	store  Store
	broker *broker.Broker
	bus    *bus.Bus
	opts   Options

	rules atomic.Pointer[policy.Set] // what decides now
	edit  sync.Mutex                 // one edit of rules or servers at a time
}

// Open starts a desk over a store: rules compiled, callers of an earlier process
// gone, deadlines set.
func Open(ctx context.Context, store Store, opts Options) (*Desk, error) {
	if opts.MaxPending == 0 {
		opts.MaxPending = 1000
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Dismissed == nil {
		opts.Dismissed = func(permission.AgentID) {}
	}
	if opts.Reinstalled == nil {
		opts.Reinstalled = func([]permission.Server) {}
	}
	d := &Desk{store: store, broker: broker.New(store), bus: bus.New(), opts: opts}
	store.Listen(d.broker.Committed)
	store.Listen(d.bus.Publish)
	if err := d.compile(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("open desk: %w", err)
	}
	if err := d.broker.Recover(ctx, store); err != nil {
		d.Close()
		return nil, fmt.Errorf("open desk: %w", err)
	}
	return d, nil
}

// Close ends the desk's clock and its events. The store stays open.
func (d *Desk) Close() {
	d.broker.Close()
	d.bus.Close()
}

// compile makes what is stored what decides.
func (d *Desk) compile(ctx context.Context) error {
	set, err := d.load(ctx)
	if err != nil {
		// What decided until now may be what was just forbidden: ask for everything.
		d.rules.Store(policy.Compile(nil, 0))
		return err
	}
	d.rules.Store(set)
	return nil
}

// load reads and compiles the stored rules. A damaged row never allows; one that
// may have been a guard keeps all others from it.
func (d *Desk) load(ctx context.Context) (*policy.Set, error) {
	rules, version, damaged, err := d.store.Rules(ctx)
	if err != nil {
		return nil, err
	}
	set := policy.Compile(rules, version)
	for _, row := range damaged {
		d.opts.Logger.Warn("a damaged rule was left out", "rule", row.Row)
		if row.Guard {
			set = set.Doubting("a stored rule is damaged (" + row.Row + "): until it is replaced, nothing is allowed without asking")
		}
	}
	return set, nil
}

// Subscribe gives live events until stop is called; the channel is closed when
// the subscriber was too slow or the desk closes.
func (d *Desk) Subscribe() (events <-chan permission.Event, stop func()) { return d.bus.Subscribe() }

// Events gives the journal's events after seq, oldest first, at most limit; last
// is the newest sequence number that exists.
func (d *Desk) Events(ctx context.Context, after int64, limit int) (events []permission.Event, last int64, err error) {
	if last, err = d.store.LastSeq(ctx); err != nil {
		return nil, 0, err
	}
	events, err = d.store.Events(ctx, after, limit)
	return events, last, err
}

// Journal gives entries after seq, oldest first; next is 0 at the end.
func (d *Desk) Journal(ctx context.Context, after int64, limit int) (entries []permission.Entry, next int64, err error) {
	entries, err = d.store.Journal(ctx, after, limit+1)
	if err == nil && len(entries) > limit {
		entries = entries[:limit]
		next = entries[limit-1].Seq
	}
	return entries, next, err
}

func now() permission.Time { return permission.TimeOf(time.Now()) }
