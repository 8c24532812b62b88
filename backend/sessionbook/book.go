// Package sessionbook is what agents are in the sessions that the desk made, and which agents a
// person made coordinators. A book never changes: what comes of a new session or an ended one
// is the next book. It reads no clock and no store.
package sessionbook

import (
	"encoding/hex"
	"maps"
	"slices"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
)

// Book is all sessions that the desk made, so that no request waits for the store to know them.
type Book struct {
	byID         map[permission.SessionID]permission.MadeSession
	byToken      map[string]permission.SessionID // by the hashes of their tokens
	byKey        map[string]string               // those hashes, by their keys; see package proof
	coordinators map[permission.AgentID]bool
}

// New makes a book of sessions by the hashes of their secrets, and of coordinators.
func New(bySecret map[string]permission.MadeSession, coordinators []permission.AgentID) *Book {
	b := &Book{byID: map[permission.SessionID]permission.MadeSession{}, byToken: map[string]permission.SessionID{},
		byKey: map[string]string{}, coordinators: map[permission.AgentID]bool{}}
	for hash, s := range bySecret {
		b.byID[s.ID] = s
		if s.ExpiresAt != 0 { // until then it is the passkey's, which is no token
			b.byToken[hash], b.byKey[keyOf(hash)] = s.ID, hash
		}
	}
	for _, id := range coordinators {
		b.coordinators[id] = true
	}
	return b
}

// Token gives the session of a live token by the token's hash.
func (b *Book) Token(hash string, at permission.Time) (s permission.MadeSession, live bool) {
	id, known := b.byToken[hash]
	s = b.byID[id]
	return s, known && s.Live(at)
}

// hashOf reads a hash as it is kept.
func hashOf(tokenHash string) (h proof.Hash, ok bool) {
	raw, err := hex.DecodeString(tokenHash)
	if err != nil || len(raw) != len(h) {
		return h, false
	}
	return proof.Hash(raw), true
}

// keyOf is the key of a token's hash; "", which nobody asks for, of none.
func keyOf(tokenHash string) string {
	if h, ok := hashOf(tokenHash); ok {
		return h.Key()
	}
	return ""
}

// Prove proves for the live token of a key that this is its desk; NotFound when no token has it.
func (b *Book) Prove(key, nonce, address string, at permission.Time) (string, error) {
	tokenHash := b.byKey[key]
	h, ok := hashOf(tokenHash)
	if _, live := b.Token(tokenHash, at); !ok || !live {
		return "", permission.NotFound("token")
	}
	return h.Of(nonce, address), nil
}

// Standing is what an agent is in a session: of one that the desk did not make, or that is over,
// what it is without any.
func (b *Book) Standing(agent permission.AgentID, session permission.SessionID, at permission.Time) permission.Standing {
	if s, made := b.byID[session]; made && s.AgentID == agent && s.Live(at) {
		return s.Standing
	}
	if b.coordinators[agent] {
		return permission.Standing{Role: permission.RoleCoordinator}
	}
	return permission.Standing{}
}

// Made gives a session that the desk made for an agent.
func (b *Book) Made(agent permission.AgentID, session permission.SessionID) (s permission.MadeSession, made bool) {
	s, made = b.byID[session]
	return s, made && s.AgentID == agent
}

// Session gives a session that the desk made.
func (b *Book) Session(id permission.SessionID) (s permission.MadeSession, made bool) {
	s, made = b.byID[id]
	return s, made
}

// Of lists the sessions that are not over, of an agent or, where it is empty, of all.
func (b *Book) Of(agent permission.AgentID, at permission.Time) (all []permission.MadeSession) {
	for _, s := range b.byID {
		if (agent == "" || s.AgentID == agent) && !s.Over(at) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b permission.MadeSession) int { return int(a.CreatedAt - b.CreatedAt) })
	return all
}

// With is the book with a session as it is now; tokenHash is that of its token, and "" where it
// has none yet, or the same as before.
func (b *Book) With(s permission.MadeSession, tokenHash string) *Book {
	next := *b
	next.byID = maps.Clone(b.byID)
	next.byID[s.ID] = s
	if tokenHash != "" {
		next.byToken = maps.Clone(b.byToken)
		next.byKey = maps.Clone(b.byKey)
		next.byToken[tokenHash], next.byKey[keyOf(tokenHash)] = s.ID, tokenHash
	}
	return &next
}

// WithRole is the book with an agent that is a coordinator from now on, or is none any more.
func (b *Book) WithRole(agent permission.AgentID, coordinator bool) *Book {
	next := *b
	next.coordinators = maps.Clone(b.coordinators)
	next.coordinators[agent] = coordinator
	return &next
}

// Without is the book without an agent and its sessions.
func (b *Book) Without(agent permission.AgentID) *Book {
	return b.WithRole(agent, false).dropping(func(s permission.MadeSession) bool { return s.AgentID == agent })
}

// Since is the book without the sessions that ended before a time, and their tokens.
func (b *Book) Since(at permission.Time) *Book {
	return b.dropping(func(s permission.MadeSession) bool { return s.EndedAt != 0 && s.EndedAt < at })
}

func (b *Book) dropping(gone func(permission.MadeSession) bool) *Book {
	next := *b
	next.byID, next.byToken, next.byKey = maps.Clone(b.byID), maps.Clone(b.byToken), maps.Clone(b.byKey)
	maps.DeleteFunc(next.byID, func(_ permission.SessionID, s permission.MadeSession) bool { return gone(s) })
	maps.DeleteFunc(next.byToken, func(_ string, of permission.SessionID) bool { return gone(b.byID[of]) })
	maps.DeleteFunc(next.byKey, func(_, hash string) bool { return gone(b.byID[b.byToken[hash]]) })
	return &next
}

// Expired lists the sessions that the clock has ended, and nobody yet; next is when it ends another one, 0
// where there is none.
func (b *Book) Expired(at permission.Time) (over []permission.MadeSession, next permission.Time) {
	for _, s := range b.byID {
		switch ends := max(s.ExpiresAt, s.PasskeyUntil); {
		case s.EndedAt != 0:
		case s.Over(at):
			over = append(over, s)
		case next == 0 || ends < next:
			next = ends
		}
	}
	return over, next
}
