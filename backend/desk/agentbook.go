package desk

import (
	"encoding/hex"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
)

// agentBook is who may ask, so that no request waits for the store to know. It never
// changes: an edit makes another one.
type agentBook struct {
	byToken map[string]permission.Agent // by their tokens' hashes
	byKey   map[string]proof.Hash       // those hashes, by their keys
	refusal error                       // why nobody is known
}

func newAgentBook(byToken map[string]permission.Agent, refusal error) *agentBook {
	book := &agentBook{byToken: byToken, byKey: make(map[string]proof.Hash, len(byToken)), refusal: refusal}
	for tokenHash := range byToken {
		if raw, err := hex.DecodeString(tokenHash); err == nil && len(raw) == len(proof.Hash{}) {
			hash := proof.Hash(raw)
			book.byKey[hash.Key()] = hash
		}
	}
	return book
}
