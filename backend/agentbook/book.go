// Package agentbook is who may ask: the agents by their tokens, and which of them a person has
// stopped. A book never changes: what comes of a new agent, a removed one or a stop is the next
// book, and the edit that keeps it. It reads no clock and no store.
package agentbook

import (
	"encoding/hex"
	"maps"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
)

// Book is all agents, so that no request waits for the store to know who asks.
type Book struct {
	byToken map[string]permission.Agent // by their tokens' hashes
	byKey   map[string]proof.Hash       // those hashes, by their keys
	byID    map[permission.AgentID]permission.Agent
	stopped map[permission.AgentID]permission.Time
	refusal error // why nobody is known
}

// New makes a book of agents by the hashes of their tokens. With a refusal it answers
// about whom it does not know in the words of that.
func New(byToken map[string]permission.Agent, refusal error) *Book {
	b := &Book{byToken: byToken, byKey: make(map[string]proof.Hash, len(byToken)),
		byID: make(map[permission.AgentID]permission.Agent, len(byToken)), stopped: map[permission.AgentID]permission.Time{}, refusal: refusal}
	for tokenHash, agent := range byToken {
		b.byID[agent.ID] = agent
		if raw, err := hex.DecodeString(tokenHash); err == nil && len(raw) == len(proof.Hash{}) {
			hash := proof.Hash(raw)
			b.byKey[hash.Key()] = hash
		}
		if !agent.StoppedUntil.IsZero() {
			b.stopped[agent.ID] = agent.StoppedUntil
		}
	}
	return b
}

// Agent finds the agent of a token by the token's hash; NotFound when there is none.
func (b *Book) Agent(tokenHash string) (permission.Agent, error) {
	agent, known := b.byToken[tokenHash]
	switch {
	case known:
		return agent, nil
	case b.refusal != nil:
		return agent, b.refusal
	}
	return agent, permission.NotFound("agent")
}

// Prove proves for the agent's token of a key that this is its desk; NotFound when no token
// has it. See package proof.
func (b *Book) Prove(key, nonce, address string) (string, error) {
	hash, known := b.byKey[key]
	switch {
	case known:
		return hash.Of(nonce, address), nil
	case b.refusal != nil:
		return "", b.refusal
	}
	return "", permission.NotFound("token")
}

// Knows reports whether there is an agent.
func (b *Book) Knows(id permission.AgentID) bool {
	_, known := b.byID[id]
	return known
}

// Name is the name of an agent; "" of one that is not known.
func (b *Book) Name(id permission.AgentID) string { return b.byID[id].Name }

// Known gives an agent by its id; NotFound when there is none.
func (b *Book) Known(id permission.AgentID) (permission.Agent, error) {
	if a, known := b.byID[id]; known {
		return a, nil
	}
	return permission.Agent{}, permission.NotFound("agent")
}

// Stopped is the decision about a call of an agent at a time, where a person has stopped the
// agent; nil: it may ask.
func (b *Book) Stopped(id permission.AgentID, at permission.Time) *permission.Decision {
	if until := b.stopped[id]; until > at {
		return permission.StopDecision(at, until)
	}
	return nil
}

// With is the book with an agent in it: a new one, or one that was edited.
func (b *Book) With(tokenHash string, agent permission.Agent) *Book {
	next := maps.Clone(b.byToken)
	if next == nil {
		next = map[string]permission.Agent{}
	}
	next[tokenHash] = agent
	return New(next, nil)
}

// Without is the book without an agent.
func (b *Book) Without(id permission.AgentID) *Book {
	next := maps.Clone(b.byToken)
	maps.DeleteFunc(next, func(_ string, a permission.Agent) bool { return a.ID == id })
	return New(next, nil)
}

// Edited is the book with an agent as it is now.
func (b *Book) Edited(agent permission.Agent) *Book {
	next := maps.Clone(b.byToken)
	for tokenHash, before := range next {
		if before.ID == agent.ID {
			next[tokenHash] = agent
		}
	}
	return New(next, nil)
}
