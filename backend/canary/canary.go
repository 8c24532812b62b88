// Package canary keeps the nonces by which a program proves that a desk is asked: a call whose
// input holds one is refused before anything else is judged.
package canary

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

const (
	prefix = "sekisho-canary-"
	life   = 10 * time.Minute
	most   = 100 // of one agent: the oldest gives way
)

// Canaries are nonces that a call is refused for, so that a program can prove that this desk
// is asked. They live in memory: after a restart a proof that was under way fails, and
// nothing is let through by it that the rules would not let through.
type Canaries struct {
	mu   sync.Mutex
	live []permission.Canary // oldest first
}

// Add makes a nonce for an agent.
func (k *Canaries) Add(agent permission.AgentID, at permission.Time) permission.Canary {
	var random [16]byte
	rand.Read(random[:]) // never fails: it ends the program instead
	made := permission.Canary{Nonce: prefix + hex.EncodeToString(random[:]), ExpiresAt: at.Add(life), AgentID: agent}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.live = slices.DeleteFunc(k.live, func(c permission.Canary) bool { return c.ExpiresAt <= at })
	own := func(c permission.Canary) bool { return c.AgentID == agent }
	count := 0
	for _, c := range k.live {
		if own(c) {
			count++
		}
	}
	if oldest := slices.IndexFunc(k.live, own); count >= most {
		k.live = slices.Delete(k.live, oldest, oldest+1)
	}
	k.live = append(k.live, made)
	return made
}

// In reports whether an input holds a nonce that lives, however its characters are escaped.
func (k *Canaries) In(input json.RawMessage, at permission.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.live) == 0 || k.live[len(k.live)-1].ExpiresAt <= at {
		return false
	}
	text, err := rawjson.Canonical(nil, input)
	if err != nil {
		text = input
	}
	if !bytes.Contains(text, []byte(prefix)) {
		return false
	}
	for _, c := range k.live {
		if c.ExpiresAt > at && bytes.Contains(text, []byte(c.Nonce)) {
			return true
		}
	}
	return false
}
