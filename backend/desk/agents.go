package desk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// CreateAgent makes an agent and its token. The token is not kept, only its
// SHA-256.
func (d *Catalogue) CreateAgent(ctx context.Context, name string) (agent permission.Agent, token string, err error) {
	if err := agentName(name); err != nil {
		return agent, "", err
	}
	token = NewToken("ska_")
	agent, err = d.addAgent(ctx, name, TokenHash(token))
	return agent, token, err
}

func (d *Catalogue) addAgent(ctx context.Context, name, tokenHash string) (agent permission.Agent, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return agent, fmt.Errorf("create agent: %w", err)
	}
	agent = permission.Agent{ID: permission.AgentID(id.String()), Name: name, CreatedAt: d.state.Now()}
	d.turn.Lock()
	defer d.turn.Unlock()
	entry := permission.Entry{At: agent.CreatedAt, Kind: permission.AgentsChanged, Actor: permission.ActorPerson,
		Data: permission.Data(map[string]any{"what": "created", "agentId": agent.ID, "name": name})}
	err = d.turn.edit(ctx, func() error {
		v, err := d.store.AddAgent(ctx, d.turn.of(permission.OfAgents), agent, tokenHash, entry)
		if err != nil {
			return err
		}
		next := map[string]permission.Agent{tokenHash: agent}
		maps.Copy(next, d.agents.Load().byToken)
		d.agents.put(newAgentBook(next, nil), v[permission.OfAgents])
		return nil
	})
	return agent, err
}

// agentName keeps names that can be a file's name on every platform and cannot
// deceive in a dialog's sentence.
func agentName(name string) error {
	if name == "" || len(name) > 64 || strings.TrimSpace(name) != name || strings.Trim(name, ".") == "" {
		return permission.Invalid("name", permission.FieldNameForm, "a name has 1 to 64 bytes and neither starts nor ends with a blank")
	}
	if strings.EqualFold(name, demoName) {
		return permission.Invalid("name", permission.FieldNameForm, "this name is the desk's own")
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-", r) {
			return permission.Invalid("name", permission.FieldNameForm, "a name has letters, digits, blanks, dots, dashes and underscores")
		}
	}
	return nil
}

// NewToken makes a secret of 256 random bits behind a prefix that says what it is.
func NewToken(prefix string) string {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it ends the program instead
	return prefix + base64.RawURLEncoding.EncodeToString(secret[:])
}

// TokenHash is what is kept of a token. Tokens are random, so one round of
// SHA-256 is enough.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Agents lists them, oldest first.
func (d *Catalogue) Agents(ctx context.Context) ([]permission.Agent, error) {
	return d.store.Agents(ctx)
}

// RemovedAgents gives the ids of all agents that the desk had and has no more. With those
// of Agents they tell this desk from others, whatever becomes of its agents.
func (d *Catalogue) RemovedAgents(ctx context.Context) ([]permission.AgentID, error) {
	return d.store.RemovedAgents(ctx)
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
		v, err := d.store.DeleteAgent(ctx, d.turn.of(permission.OfAgents), id, decision, entry)
		if err != nil { // it may be gone all the same
			return errors.Join(err, d.turn.reload(ctx, false))
		}
		next := maps.Clone(d.agents.Load().byToken)
		maps.DeleteFunc(next, func(_ string, a permission.Agent) bool { return a.ID == id })
		d.agents.put(newAgentBook(next, nil), v[permission.OfAgents])
		return nil
	})
}

// readAgents reads who may ask. A store that cannot be used refuses everybody in its
// own words.
func (d *Catalogue) readAgents(ctx context.Context, _ int64) (*agentBook, error) {
	agents, err := d.store.AgentTokens(ctx)
	book := newAgentBook(agents, err)
	if refusal := (*permission.Error)(nil); errors.As(err, &refusal) {
		err = nil
	}
	return book, err
}

// Authenticate finds the agent of a token; NotFound when there is none.
func (d *Catalogue) Authenticate(_ context.Context, token string) (permission.Agent, error) {
	return d.agentBy(TokenHash(token))
}

// Prove proves for the agent's token of a key that this is its desk; NotFound when no
// token has it. See package proof.
func (d *Catalogue) Prove(_ context.Context, key, nonce, address string) (string, error) {
	book := d.agents.Load()
	hash, known := book.byKey[key]
	switch {
	case known:
		return hash.Of(nonce, address), nil
	case book.refusal != nil:
		return "", book.refusal
	}
	return "", permission.NotFound("token")
}

func (d *Catalogue) agentBy(tokenHash string) (permission.Agent, error) {
	book := d.agents.Load()
	agent, known := book.byToken[tokenHash]
	switch {
	case known:
		return agent, nil
	case book.refusal != nil:
		return agent, book.refusal
	}
	return agent, permission.NotFound("agent")
}

// demoName is the agent of demonstrations. It is the desk's own.
const demoName = "sekisho-demo"

// noToken stands where other agents have the hash of their token. No token has it for
// a hash, so that nobody from outside is this agent.
const noToken = "the desk's own"

// dismissLost ends the connections of agents that a settlement took away.
func (d *Catalogue) dismissLost(settled []permission.Difference) {
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
