package desk

import (
	"context"
	"sync"
	"sync/atomic"

	"sekisho/backend/permission"
)

// CatalogueStore keeps servers, agents by their tokens' hashes, and what is known of tools.
type CatalogueStore interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	// ReplaceServers also keeps what that means for their tools, and answers the
	// policy's version.
	ReplaceServers(ctx context.Context, servers []permission.Server, tools permission.ToolEdit, e permission.Entry) (version int64, err error)

	AddAgent(ctx context.Context, a permission.Agent, tokenHash string, e permission.Entry) error
	// DeleteAgent settles the agent's open calls by d.
	DeleteAgent(ctx context.Context, id permission.AgentID, d permission.Decision, e permission.Entry) error
	Agents(ctx context.Context) ([]permission.Agent, error)
	// RemovedAgents gives the ids of all that were removed; they are never forgotten.
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	AgentTokens(ctx context.Context) (agents map[string]permission.Agent, err error) // by their tokens' hashes

	ToolPins(ctx context.Context) ([]permission.ToolPin, error)
	// ToolTexts gives the texts of those hashes that are known.
	ToolTexts(ctx context.Context, hashes []string) (map[string]permission.ToolText, error)
	// EditTools makes one change and answers the policy's version after it.
	EditTools(ctx context.Context, e permission.ToolEdit) (version int64, err error)
	// AskedTools names the tools of a server of which calls wait, or are approved and not
	// claimed yet.
	AskedTools(ctx context.Context, serverID string) ([]string, error)
}

// Catalogue is what calls are of and from: servers with their secrets, what is known of
// their tools, and agents.
type Catalogue struct {
	store CatalogueStore
	state StateStore
	opts  Options
	turn  *sync.Mutex

	edited func(bookEdit) // told of every edit of tools, under the turn

	servers atomic.Pointer[serverList]
	agents  atomic.Pointer[agentBook]
	secrets SecretStore

	tools   atomic.Pointer[book] // what tools were when they were allowed, and what they are now
	pinning sync.Mutex           // a leaf: one edit of tools at a time
}

func newCatalogue(store CatalogueStore, state StateStore, opts Options, turn *sync.Mutex) *Catalogue {
	d := &Catalogue{store: store, state: state, opts: opts, turn: turn, secrets: opts.Secrets}
	if d.secrets == nil {
		d.secrets = &fleeting{kept: map[string]string{}}
	}
	return d
}

// bookEdit is an edit of what is known of tools, and the policy's version after it; 0 is the
// one before.
type bookEdit struct {
	before, after book
	version       int64
}

// know makes a book the one that decides. d.pinning is held.
func (d *Catalogue) know(before, after book, version int64) bookEdit {
	d.tools.Store(&after)
	return bookEdit{before, after, version}
}
