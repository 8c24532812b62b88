// Package desk is the use case: it judges a call, suspends it, takes the
// person's answer and hands out the one right to execute. Doors translate
// between it and their protocols; it knows none of them.
package desk

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"sekisho/backend/broker"
	"sekisho/backend/bus"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// CallStore keeps and lists calls.
type CallStore interface {
	broker.Keeper
	broker.Recoverer
	Calls(ctx context.Context, f permission.CallFilter) (calls []permission.Call, next int64, err error)
}

// QueueStore looks over many calls without keeping them in memory.
type QueueStore interface {
	// Waiting tells of each pending call: its rev and what rules look at, with the
	// input only when it is wanted.
	Waiting(ctx context.Context, input bool, visit func(permission.Call)) error
	// OpenIDs lists the pending and approved calls of a filter.
	OpenIDs(ctx context.Context, f permission.CallFilter) ([]permission.CallID, error)
}

// PastStore looks back.
type PastStore interface {
	// Past tells of calls that came in after seq, newest first: id, server and tool.
	Past(ctx context.Context, after int64, limit int, visit func(seq int64, c permission.Call)) error
	// Answers gives what persons said of the newest decided calls, by server, tool, folder and
	// input, and every tool of the newest calls once more without answers.
	Answers(ctx context.Context, newest int) ([]permission.Answered, error)
	// DeclinedSince lists the places of the calls from seq on that a person declined.
	DeclinedSince(ctx context.Context, seq int64) ([]int64, error)
	// LastApproved gives the call of the same agent, server and tool that a person
	// approved last: before c was decided, where it is.
	LastApproved(ctx context.Context, c permission.Call) (last permission.Call, ok bool, err error)
}

// RuleStore keeps the rules. damaged describes rows that were left out.
type RuleStore interface {
	Rules(ctx context.Context) (rules []permission.Rule, version int64, damaged []permission.DamagedRule, err error)
	Rule(ctx context.Context, id permission.RuleID) (permission.Rule, error)
	ChangeRules(ctx context.Context, c permission.RuleChange) (version int64, err error)
}

// GrantStore keeps the answers that reach further than one call.
type GrantStore interface {
	Grants(ctx context.Context, at permission.Time) ([]permission.Grant, error)
	// EndGrant takes a grant back, and by the template what it approved and nobody
	// has claimed.
	EndGrant(ctx context.Context, id permission.GrantID, revoke permission.Transition) ([]permission.Call, error)
	// EndSession forgets grants and remembered declines of a session.
	EndSession(ctx context.Context, agent permission.AgentID, session permission.SessionID, actor string, at permission.Time) (ended int, err error)
}

// DenialStore is the store's part in denial memory, beside Suspend and Reply. Declined
// reports whether a call of an agent with this input was declined since a time.
type DenialStore interface {
	DeclinedTools(ctx context.Context, since permission.Time, often int) ([]permission.DeclinedTool, error)
	Declined(ctx context.Context, agent permission.AgentID, asked []string, since permission.Time) (bool, error)
	ForgetDenial(ctx context.Context, id permission.CallID, e permission.Entry) (permission.Call, error)
}

// SettingStore keeps the settings; saving them gives the policy a new version.
type SettingStore interface {
	Settings(ctx context.Context) (permission.Settings, error)
	SaveSettings(ctx context.Context, s permission.Settings, e permission.Entry) (version int64, err error)
	// Hold is SaveSettings for a hold or its end alone, which is kept also where the stored
	// settings are in dispute.
	Hold(ctx context.Context, s permission.Settings, e permission.Entry) (version int64, err error)
}

// RetentionStore forgets: the journal's oldest entries, and inputs.
type RetentionStore interface {
	TrimJournal(ctx context.Context, before permission.Time, maxBytes int64) (removed int64, err error)
	WipeInputs(ctx context.Context, before permission.Time, ids []permission.CallID) (wiped int64, err error)
}

// ServerStore keeps the list of servers behind the desk.
type ServerStore interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	// ReplaceServers also keeps what that means for their tools, and answers the
	// policy's version.
	ReplaceServers(ctx context.Context, servers []permission.Server, tools permission.ToolEdit, e permission.Entry) (version int64, err error)
}

// AgentStore keeps agents by their tokens' hashes.
type AgentStore interface {
	AddAgent(ctx context.Context, a permission.Agent, tokenHash string, e permission.Entry) error
	// DeleteAgent settles the agent's open calls by d.
	DeleteAgent(ctx context.Context, id permission.AgentID, d permission.Decision, e permission.Entry) error
	Agents(ctx context.Context) ([]permission.Agent, error)
	// RemovedAgents gives the ids of all that were removed; they are never forgotten.
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	AgentTokens(ctx context.Context) (agents map[string]permission.Agent, err error) // by their tokens' hashes
}

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
	// Kept waits until the journal is on disk up to an entry; see permission.Call.Written.
	Kept(ctx context.Context, seq int64) error
}

// Store is all that a desk keeps; the sqlite room has it.
type Store interface {
	CallStore
	QueueStore
	PastStore
	RuleStore
	GrantStore
	DenialStore
	SettingStore
	RetentionStore
	ServerStore
	ToolStore
	AgentStore
	JournalStore

	StateStore

	// Trouble says what keeps it from keeping anything, as a sentence for a person, or "".
	Trouble() string
}

// StateStore says where rules and what else decides read other than the journal says.
type StateStore interface {
	// Differences lists those rows; Disputed says in words that there are some, or "".
	Differences() []permission.Difference
	Disputed() string
	// Settle takes one version of each named difference.
	Settle(ctx context.Context, ids []string, take permission.Version, e permission.Entry) ([]permission.Difference, error)
	// Ahead says in words that the store's time is far ahead of the computer's, or "".
	Ahead() string
}

// Options of a desk; the zero value works.
type Options struct {
	Logger  *slog.Logger // nil is slog.Default
	Secrets SecretStore  // nil forgets the secrets of servers at the end

	// Dismissed is told of an agent that was removed, and Reinstalled of the
	// servers as they are after an edit, so that doors end what is connected.
	Dismissed   func(permission.AgentID)
	Reinstalled func([]permission.Server)
}

// Desk is one running desk over one data folder. It is safe for use by many
// goroutines.
type Desk struct {
	store  Store
	broker *broker.Broker
	bus    *bus.Bus
	opts   Options

	rules    atomic.Pointer[policy.Set] // what decides now
	settings atomic.Pointer[permission.Settings]
	unsure   atomic.Pointer[string] // what is damaged; see Trouble

	edit   sync.Mutex  // one edit of rules, settings or servers at a time; it guards what follows
	plain  *policy.Set // the rules without doubt and hold
	doubt  string      // why no rule may allow: a guard is missing
	absent string      // which allow rule is missing
	unset  string      // why the settings are not those that were kept

	servers atomic.Pointer[serverList]
	agents  atomic.Pointer[agentBook]
	secrets SecretStore
	joining sync.Mutex // one edit of agents at a time

	tools   atomic.Pointer[book] // what tools were when they were allowed, and what they are now
	pinning sync.Mutex           // one edit of tools at a time; taken after edit where both are

	showing sync.Mutex        // guards shown
	shown   permission.CallID // the latest demonstration of this process

	queue   sync.Mutex // one hand at a time judges all that waits: slow, so that no edit waits for it
	looking sync.Mutex // guards past
	past    history
}

// Open starts a desk over a store: rules compiled, callers of an earlier process
// gone, deadlines set.
func Open(ctx context.Context, store Store, opts Options) (*Desk, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Dismissed == nil {
		opts.Dismissed = func(permission.AgentID) {}
	}
	if opts.Reinstalled == nil {
		opts.Reinstalled = func([]permission.Server) {}
	}
	d := &Desk{store: store, broker: broker.New(store), bus: bus.New(), opts: opts, secrets: opts.Secrets}
	if d.secrets == nil {
		d.secrets = &fleeting{kept: map[string]string{}}
	}
	store.Listen(d.broker.Committed)
	store.Listen(d.bus.Publish)
	d.loadSettings(ctx)
	for _, step := range []func(context.Context) error{d.readServers, d.loadAgents, d.loadTools, d.compile, d.recover, d.settleDenied} {
		if err := step(ctx); err != nil {
			d.Close()
			return nil, fmt.Errorf("open desk: %w", err)
		}
	}
	return d, nil
}

// settleDenied settles what a rule forbids that was saved just before the desk ended.
func (d *Desk) settleDenied(ctx context.Context) error {
	_, err := d.rejudge(ctx, "")
	return err
}

func (d *Desk) recover(ctx context.Context) error { return d.broker.Recover(ctx, d.store) }

// Close ends the desk's clock and its events. The store stays open.
func (d *Desk) Close() {
	d.broker.Close()
	d.bus.Close()
}

// compile makes what is stored what decides. A damaged row never allows; one that
// may have been a guard keeps all others from it.
func (d *Desk) compile(ctx context.Context) error {
	rules, version, damaged, err := d.store.Rules(ctx)
	if err != nil {
		// What decided until now may be what was just forbidden: ask for everything.
		d.plain = policy.Compile(nil, 0).Reading(permission.Reads{})
		d.publish()
		return err
	}
	d.plain, d.doubt, d.absent = policy.Compile(rules, version).Reading(d.settings.Load().Reads), "", ""
	for _, row := range damaged {
		d.opts.Logger.Warn("a damaged rule was left out", "rule", row.Row)
		d.absent = "a stored rule is damaged (" + row.Row + "): it allows nothing until it is replaced or deleted"
		if row.Guard {
			d.doubt = "a stored rule is damaged (" + row.Row + "): until it is replaced or deleted, nothing is allowed without asking"
		}
	}
	d.publish()
	return nil
}

// inForce are the rules that decide: in trouble with the disk they allow nothing, since
// what is allowed could not be kept. Where the time is not believed, guards do not end.
func (d *Desk) inForce() *policy.Set {
	set := d.rules.Load()
	if d.store.Ahead() != "" {
		set = set.GuardsLasting()
	}
	if words := d.store.Trouble(); words != "" {
		return set.Doubting(words)
	}
	if words := d.store.Disputed(); words != "" {
		return set.Doubting(cmp.Or(*d.unsure.Load(), words))
	}
	return set
}

// held reports whether nothing may be allowed without asking, by a grant neither.
func (d *Desk) held() bool { return d.settings.Load().Hold || d.store.Disputed() != "" }

// Trouble says what is not as it was kept, and what that means, or "": the disk, a rule or
// the settings. Until it is mended everything asks, but for a damaged allow rule, which is
// left out alone, and for a time that is not believed.
func (d *Desk) Trouble() string {
	if words := d.store.Trouble(); words != "" {
		return words
	}
	return cmp.Or(*d.unsure.Load(), d.store.Disputed(), d.store.Ahead())
}

const holding = "the desk is on hold: nothing is allowed without asking"

// publish makes the rules, and what keeps them from allowing, decide.
func (d *Desk) publish() {
	set := d.plain.Withholding(d.withhold)
	if d.doubt != "" {
		set = set.Doubting(d.doubt)
	}
	if d.settings.Load().Hold {
		set = set.Doubting(holding)
	}
	d.rules.Store(set)
	unsure := cmp.Or(d.doubt, d.unset, d.absent)
	d.unsure.Store(&unsure)
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
	return d.store.Journal(ctx, after, limit)
}

// SignedEnd is a checkpoint over the newest entry, for the end of an export.
func (d *Desk) SignedEnd(ctx context.Context) (permission.Entry, error) {
	return d.store.SignedEnd(ctx)
}

// Now is the time of the desk's records and deadlines: its store's, which never goes back.
func (d *Desk) Now() permission.Time { return d.store.Now() }
