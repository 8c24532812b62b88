package desk

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rawjson"
)

const (
	canaryPrefix = "sekisho-canary-"
	canaryLife   = 10 * time.Minute
	maxCanaries  = 100 // of one agent: the oldest gives way
)

// canaries are nonces that a call is refused for, so that a program can prove that this desk
// is asked. They live in memory: after a restart a proof that was under way fails, and
// nothing is let through by it that the rules would not let through.
type canaries struct {
	mu   sync.Mutex
	live []permission.Canary // oldest first
}

// NewCanary makes a nonce for an agent: until it expires, each call whose input holds it is
// denied before anything else is judged, and nobody is asked.
func (d *Calls) NewCanary(_ context.Context, agent permission.Agent) (permission.Canary, error) {
	return d.canaries.add(agent.ID, d.Now()), nil
}

func (k *canaries) add(agent permission.AgentID, at permission.Time) permission.Canary {
	var random [16]byte
	rand.Read(random[:]) // never fails: it ends the program instead
	made := permission.Canary{Nonce: canaryPrefix + hex.EncodeToString(random[:]), ExpiresAt: at.Add(canaryLife), AgentID: agent}
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
	if oldest := slices.IndexFunc(k.live, own); count >= maxCanaries {
		k.live = slices.Delete(k.live, oldest, oldest+1)
	}
	k.live = append(k.live, made)
	return made
}

// in reports whether an input holds a nonce that lives, however its characters are escaped.
func (k *canaries) in(input json.RawMessage, at permission.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.live) == 0 || k.live[len(k.live)-1].ExpiresAt <= at {
		return false
	}
	text, err := rawjson.Canonical(nil, input)
	if err != nil {
		text = input
	}
	if !bytes.Contains(text, []byte(canaryPrefix)) {
		return false
	}
	for _, c := range k.live {
		if c.ExpiresAt > at && bytes.Contains(text, []byte(c.Nonce)) {
			return true
		}
	}
	return false
}

// decide is what the rules say of a call, unless its input holds a canary: that is denied
// before rules, hold and grants.
func (d *Calls) decide(rules *policy.Set, asked policy.Call, at permission.Time) policy.Decision {
	if d.canaries.in(asked.Input, at) {
		return policy.Decision{Effect: permission.Deny, Explanation: permission.Explanation{Code: permission.ReasonCanary,
			Reason: "it holds the nonce of a check that this desk is asked: such a call is always refused"}}
	}
	return rules.Decide(asked, at)
}
