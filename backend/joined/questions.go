package joined

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// questions are the requests of members that wait for the client.
type questions struct {
	client *session.Session

	mu     sync.Mutex
	open   map[string]*question // by the key of our id
	serial int                  // of the last of these
}

// question is a request of a member, under an id of the desk's, since two members may give the
// same.
type question struct {
	peer  *peer
	id    []byte // the member's own
	key   string
	token []byte // the member's own, of progress; nil where it wants none
	at    int    // its place among all questions
}

// rename gives a member's request, and the token of its progress, an id of the desk's.
func (a *questions) rename(p *peer, m mcpwire.Message) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serial++
	id := fmt.Append(nil, a.serial)
	key, _ := mcpwire.IDKey(id)
	q := &question{peer: p, id: bytes.Clone(m.ID), key: m.Key, at: a.serial}
	parts := map[mcpwire.Span][]byte{}
	if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok {
		parts[at] = id
	}
	if at, ok := mcpwire.Find(m.Raw, 0, "params", "_meta", "progressToken"); ok {
		q.token, parts[at] = bytes.Clone(m.Raw[at.From:at.To]), id
	}
	if len(a.open) >= session.MaxInFlight {
		a.drop()
	}
	a.open[key] = q
	a.client.Asks(key)
	return mcpwire.Respell(m.Raw, parts)
}

// drop forgets the oldest question of the member that has most: one that asks without end
// loses its own. The caller holds the lock.
func (a *questions) drop() {
	asks := map[*peer]int{}
	for _, q := range a.open {
		asks[q.peer]++
	}
	most := 0
	for _, n := range asks {
		most = max(most, n)
	}
	oldest := ""
	for key, q := range a.open {
		if asks[q.peer] == most && (oldest == "" || q.at < a.open[oldest].at) {
			oldest = key
		}
	}
	a.forget(oldest)
}

// forget ends a question, whose answer nobody waits for. The caller holds the lock.
func (a *questions) forget(key string) {
	delete(a.open, key)
	a.client.Answered(key)
}

// withdrawn is a member's cancellation of its own request.
func (a *questions) withdrawn(p *peer, m mcpwire.Message) []byte {
	target, _ := mcpwire.Member(m.Params, "requestId")
	own, _ := mcpwire.IDKey(target)
	at, ok := mcpwire.Find(m.Raw, 0, "params", "requestId")
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, q := range a.open {
		if ok && q.peer == p && q.key == own {
			a.forget(key)
			return mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: []byte(key[1:])}) // after the letter of its kind
		}
	}
	return m.Raw
}

// reply brings the client's response to the member that asked.
func (a *questions) reply(ctx context.Context, m mcpwire.Message) {
	a.mu.Lock()
	q := a.open[m.Key]
	delete(a.open, m.Key)
	a.mu.Unlock()
	if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok && q != nil && q.peer.s.Answered(m.Key) {
		q.peer.hand(ctx, upstream.Message{Raw: mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: q.id}), Kind: mcpwire.Response, Key: q.key})
	}
}

// progressed brings the client's progress to the member that asked for it.
func (a *questions) progressed(ctx context.Context, m mcpwire.Message) {
	token, _ := mcpwire.Member(m.Params, "progressToken")
	key, _ := mcpwire.IDKey(token)
	a.mu.Lock()
	q := a.open[key]
	a.mu.Unlock()
	if at, ok := mcpwire.Find(m.Raw, 0, "params", "progressToken"); ok && q != nil && q.token != nil {
		q.peer.hand(ctx, upstream.Message{Raw: mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: q.token}), Kind: mcpwire.Notification,
			Method: m.Method})
	}
}
