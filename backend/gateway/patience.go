package gateway

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// known is how long clients wait for a tools/call that gives signs of life, by what
// their clientInfo names begin with, in small letters. Where a client's limit is for
// silence alone, signs of life keep it waiting: it is as patient as a call is long.
// Mastra names itself by what its user calls a server: it is one of the unknown. So is
// the AI SDK, which has no limit: over stdio it may leave without a word, and a yes that
// comes before its patience is over here would run for nobody.
// Sources: the clients' documentation and code, as of autumn 2026.
var known = []struct {
	name  string
	waits time.Duration
}{
	{"claude-code", time.Hour}, // 60 s to the first byte, 5 min of silence
	{"codex", 300 * time.Second},
	{"gemini-cli", 300 * time.Second},
	{"github-copilot", 180 * time.Second},
	{"opencode", 60 * time.Second},
	{"visual studio code", 180 * time.Second},
}

// Bounds of what is learnt of a client.
const (
	leastPatience = 5 * time.Second
	maxClients    = 1000 // names that are remembered
)

// patience knows how long clients wait. What is learnt is of an agent's own client, and
// only shortens it. It is safe for use by many goroutines.
type patience struct {
	mu      sync.Mutex
	learnt  map[agentClient]time.Duration
	suspect map[agentClient]leaving // the last one of each
}

// agentClient is a client as an agent names it: another agent may give the same name to
// something else.
type agentClient struct {
	agent  permission.AgentID
	client string
}

// leaving is how a client left a held call.
type leaving struct {
	after    time.Duration
	timedOut bool // as it said
}

// like reports whether two leavings show a limit: both say so, or came after the same time.
// One alone may be a person who stopped the agent.
func (l leaving) like(o leaving) bool {
	return l.timedOut && o.timedOut || (l.after-o.after).Abs() < l.after/20
}

// wait is how long a client waits; otherwise for one that is not known.
func (p *patience) wait(who agentClient, otherwise time.Duration) time.Duration {
	waits := otherwise
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(who.client), k.name) {
			waits = k.waits
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.learnt[who]; ok {
		waits = min(waits, l)
	}
	return waits
}

// note takes note of a client that left a held call after a while. One that does so twice
// in like manner will do it again.
func (p *patience) note(who agentClient, l leaving) {
	if who.client == "" || l.after < leastPatience {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before, again := p.suspect[who]
	if len(p.suspect) >= maxClients {
		p.suspect = nil
	}
	if p.suspect == nil {
		p.suspect, p.learnt = map[agentClient]leaving{}, map[agentClient]time.Duration{}
	}
	p.suspect[who] = l
	if !again || !l.like(before) {
		return
	}
	limit := max(l.after, before.after)
	if old, ok := p.learnt[who]; !ok || limit < old {
		p.learnt[who] = limit
	}
}

// clientOf is the name in a clientInfo; empty where there is none.
func clientOf(info []byte) string {
	var c struct{ Name string }
	if json.Unmarshal(info, &c) != nil || len(c.Name) > 256 {
		return ""
	}
	return c.Name
}

// saysTimeout reports whether a cancellation's reason is that time was over.
func saysTimeout(reason []byte) bool {
	words, _ := mcpwire.Text(reason)
	words = strings.ToLower(words)
	return strings.Contains(words, "timed out") || strings.Contains(words, "timeout")
}
