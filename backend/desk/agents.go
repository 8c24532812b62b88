package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"sekisho/backend/agentbook"
	"sekisho/backend/permission"
)

// CreateAgent makes an agent that is its own user; see CreateAgentOf.
func (d *Catalogue) CreateAgent(ctx context.Context, name string) (agent permission.Agent, token string, err error) {
	return d.CreateAgentOf(ctx, name, "")
}

// CreateAgentOf makes an agent of a user, "" being the agent itself. Of its token the SHA-256 is kept.
func (d *Catalogue) CreateAgentOf(ctx context.Context, name, user string) (agent permission.Agent, token string, err error) {
	if err := errors.Join(agentbook.CheckName(name), agentbook.CheckUser(user)); err != nil {
		return agent, "", err
	}
	token = agentbook.NewToken("ska_")
	agent, err = d.addAgent(ctx, name, user, agentbook.TokenHash(token))
	return agent, token, err
}

func (d *Catalogue) addAgent(ctx context.Context, name, user, tokenHash string) (agent permission.Agent, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return agent, fmt.Errorf("create agent: %w", err)
	}
	agent = permission.Agent{ID: permission.AgentID(id.String()), Name: name, CreatedAt: d.state.Now(), UserID: agentbook.UserOf(user, id)}
	d.turn.Lock()
	defer d.turn.Unlock()
	entry := permission.Entry{At: agent.CreatedAt, Kind: permission.AgentsChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "created", "agentId": agent.ID, "name": name, "userId": agent.UserID})}
	err = d.turn.edit(ctx, func() error {
		v, err := d.parties.AddAgent(ctx, d.turn.of(permission.OfAgents), agent, tokenHash, entry)
		if err != nil {
			return err
		}
		d.agents.put(d.agents.Load().With(tokenHash, agent), v[permission.OfAgents])
		return nil
	})
	return agent, err
}

// Agents lists them, oldest first.
func (d *Catalogue) Agents(ctx context.Context) ([]permission.Agent, error) {
	all, err := d.parties.Agents(ctx)
	for i, at := 0, d.state.Now(); i < len(all); i++ {
		if all[i].StoppedUntil <= at {
			all[i].StoppedUntil = 0 // it may go on
		}
	}
	return all, err
}

// RemovedAgents gives the ids of all agents that the desk had and has no more. With those
// of Agents they tell this desk from others, whatever becomes of its agents.
func (d *Catalogue) RemovedAgents(ctx context.Context) ([]permission.AgentID, error) {
	return d.parties.RemovedAgents(ctx)
}

// DeleteAgent ends an agent: its token is void at once, what it had asked and
// nobody executes yet is declined, and its connections end. Its calls stay.
func (d *Catalogue) DeleteAgent(ctx context.Context, id permission.AgentID) error {
	decision := permission.Decision{By: permission.ByPerson, Scope: permission.ScopeOnce, DecidedAt: d.state.Now(),
		Explanation: permission.Explanation{Code: permission.ReasonAgentRemoved, Reason: "this agent was removed from the desk"}}
	if err := d.deleteAgent(ctx, id, decision); err != nil {
		return err
	}
	d.opts.Dismissed(id)
	return nil
}

func (d *Catalogue) deleteAgent(ctx context.Context, id permission.AgentID, decision permission.Decision) error {
	entry := permission.Entry{At: decision.DecidedAt, Kind: permission.AgentsChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "deleted", "agentId": id})}
	d.turn.Lock()
	defer d.turn.Unlock()
	return d.turn.edit(ctx, func() error {
		v, err := d.parties.DeleteAgent(ctx, d.turn.of(permission.OfAgents), id, decision, entry)
		if err != nil { // it may be gone all the same
			return errors.Join(err, d.turn.reload(ctx, false))
		}
		d.agents.put(d.agents.Load().Without(id), v[permission.OfAgents])
		return nil
	})
}

// readAgents reads who may ask. A store that cannot be used refuses everybody in its
// own words.
func (d *Catalogue) readAgents(ctx context.Context, _ int64) (*agentbook.Book, error) {
	agents, err := d.parties.AgentTokens(ctx)
	book := agentbook.New(agents, err)
	if refusal := (*permission.Error)(nil); errors.As(err, &refusal) {
		err = nil
	}
	return book, err
}

// Authenticate finds the agent of a token; NotFound when there is none.
func (d *Catalogue) Authenticate(_ context.Context, token string) (permission.Agent, error) {
	return d.agents.Load().Agent(agentbook.TokenHash(token))
}

// KnownAgent gives an agent by its id; NotFound when there is none.
func (d *Catalogue) KnownAgent(id permission.AgentID) (permission.Agent, error) {
	return d.agents.Load().Known(id)
}

// Prove proves for the agent's token of a key that this is its desk; NotFound when no
// token has it.
func (d *Catalogue) Prove(_ context.Context, key, nonce, address string) (string, error) {
	return d.agents.Load().Prove(key, nonce, address)
}

// dismissLost ends the connections of agents that a settlement took away.
func (d *Catalogue) dismissLost(settled []permission.Difference) {
	book := d.agents.Load()
	for _, p := range settled {
		if id := permission.AgentID(p.Key); p.Set == "agents" && !book.Knows(id) {
			d.opts.Dismissed(id)
		}
	}
}
