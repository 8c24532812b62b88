package desk

import (
	"context"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
	"sekisho/backend/toolbook"
)

// CatalogueStore keeps servers and what is known of tools. An edit names the versions that it
// is made from, 0 being any, and is answered those after it: permission.ErrOutdated where one of
// them is another by now.
type CatalogueStore interface {
	Servers(ctx context.Context) ([]permission.Server, error)
	// ReplaceServers also keeps what that means for their tools.
	ReplaceServers(ctx context.Context, of permission.Versions, servers []permission.Server, tools permission.ToolEdit,
		e permission.Entry) (after permission.Versions, err error)

	ToolPins(ctx context.Context) ([]permission.ToolPin, error)
	// ToolTexts gives the texts of those hashes that are known.
	ToolTexts(ctx context.Context, hashes []string) (map[string]permission.ToolText, error)
	EditTools(ctx context.Context, of permission.Versions, e permission.ToolEdit) (after permission.Versions, err error)
	// AskedTools names the tools of a server of which calls wait, or are approved and not
	// claimed yet.
	AskedTools(ctx context.Context, serverID string) ([]string, error)
}

// AgentStore keeps agents by their tokens' hashes. Its edits are as those of CatalogueStore.
type AgentStore interface {
	AddAgent(ctx context.Context, of permission.Versions, a permission.Agent, tokenHash string,
		e permission.Entry) (after permission.Versions, err error)
	// DeleteAgent settles the agent's open calls by d.
	DeleteAgent(ctx context.Context, of permission.Versions, id permission.AgentID, d permission.Decision,
		e permission.Entry) (after permission.Versions, err error)
	Agents(ctx context.Context) ([]permission.Agent, error)
	// RemovedAgents gives the ids of all that were removed; they are never forgotten.
	RemovedAgents(ctx context.Context) ([]permission.AgentID, error)
	AgentTokens(ctx context.Context) (agents map[string]permission.Agent, err error) // by their tokens' hashes
	// StopAgent keeps a stop, in one transaction with all that it settles.
	StopAgent(ctx context.Context, of permission.Versions, s permission.Stop) (done permission.Stopped, after permission.Versions, err error)
	// ResumeAgent takes a stop back; of an agent that is not stopped it changes nothing.
	ResumeAgent(ctx context.Context, of permission.Versions, id permission.AgentID,
		e permission.Entry) (agent permission.Agent, after permission.Versions, err error)
}

// ruleByID gives one rule; NotFound when there is none.
type ruleByID func(context.Context, permission.RuleID) (permission.Rule, error)

// Catalogue is what calls are of and from: servers with their secrets, what is known of
// their tools, and agents.
type Catalogue struct {
	store   CatalogueStore
	parties AgentStore
	state   StateStore
	rule    ruleByID
	opts    Options
	turn    *turn

	edited func(bookEdit) // told of every edit of tools, under the turn

	servers cached[serverList]
	agents  cached[agentbook.Book]
	tools   cached[toolbook.Book] // what tools were when they were allowed, and what they are now
	secrets SecretStore
}

func newCatalogue(store CatalogueStore, parties AgentStore, state StateStore, rule ruleByID, opts Options, turn *turn) *Catalogue {
	d := &Catalogue{store: store, parties: parties, state: state, rule: rule, opts: opts, turn: turn, secrets: opts.Secrets}
	if d.secrets == nil {
		d.secrets = &fleeting{kept: map[string]string{}}
	}
	d.servers.read, d.agents.read, d.tools.read = d.readServers, d.readAgents, d.readTools
	turn.copies[permission.OfServers], turn.copies[permission.OfAgents], turn.copies[permission.OfTools] = &d.servers, &d.agents, &d.tools
	return d
}

// bookEdit is an edit of what is known of tools, and the versions after it; 0 is no edit of
// the store.
type bookEdit struct {
	before, after toolbook.Book
	versions      permission.Versions
	rules         bool // rules came or went
}

// know makes a book that the store has the one that decides. The edit of tools is the
// caller's.
func (d *Catalogue) know(before, after toolbook.Book, v permission.Versions) bookEdit {
	d.tools.put(&after, v[permission.OfTools])
	return bookEdit{before: before, after: after, versions: v}
}
