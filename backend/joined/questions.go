package joined

import (
	"bytes"
	"context"
	"fmt"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// question is a request of a member that waits for the client, under an id of the desk's,
// since two members may give the same.
type question struct {
	peer  *peer
	id    []byte // the member's own
	key   string
	token []byte // the member's own, of progress; nil where it wants none
	at    int    // its place among all questions
}

// inward is a message of a member as the client gets it: ids of its requests, and tokens
// of their progress, are made to be one of all members, and URIs in
// news of resources are those that it knows.
func (j *connection) inward(p *peer, raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"method"`)) {
		return raw // an answer
	}
	m, bad := mcpwire.FromServer(raw)
	switch {
	case bad != nil:
		return raw
	case m.Kind == mcpwire.Request:
		return j.rename(p, m)
	case m.Method == mcpwire.CancelledNote:
		return j.withdrawn(p, m)
	case m.Method == resourceUpdated:
		return j.updated(p, m)
	}
	return raw
}

func (j *connection) rename(p *peer, m mcpwire.Message) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.serial++
	id := fmt.Append(nil, j.serial)
	key, _ := mcpwire.IDKey(id)
	q := &question{peer: p, id: bytes.Clone(m.ID), key: m.Key, at: j.serial}
	parts := map[mcpwire.Span][]byte{}
	if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok {
		parts[at] = id
	}
	if at, ok := mcpwire.Find(m.Raw, 0, "params", "_meta", "progressToken"); ok {
		q.token, parts[at] = bytes.Clone(m.Raw[at.From:at.To]), id
	}
	if len(j.questions) >= session.MaxInFlight {
		j.dropQuestion()
	}
	j.questions[key] = q
	j.self.Asks(key)
	return mcpwire.Respell(m.Raw, parts)
}

// dropQuestion forgets the oldest question of the member that has most: one that asks
// without end loses its own. The caller holds the lock.
func (j *connection) dropQuestion() {
	asks := map[*peer]int{}
	for _, q := range j.questions {
		asks[q.peer]++
	}
	most := 0
	for _, n := range asks {
		most = max(most, n)
	}
	oldest := ""
	for key, q := range j.questions {
		if asks[q.peer] == most && (oldest == "" || q.at < j.questions[oldest].at) {
			oldest = key
		}
	}
	j.forget(oldest)
}

// forget ends a question, whose answer nobody waits for. The caller holds the lock.
func (j *connection) forget(key string) {
	delete(j.questions, key)
	j.self.Answered(key)
}

// withdrawn is a member's cancellation of its own request.
func (j *connection) withdrawn(p *peer, m mcpwire.Message) []byte {
	target, _ := mcpwire.Member(m.Params, "requestId")
	own, _ := mcpwire.IDKey(target)
	at, ok := mcpwire.Find(m.Raw, 0, "params", "requestId")
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, q := range j.questions {
		if ok && q.peer == p && q.key == own {
			j.forget(key)
			return mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: []byte(key[1:])}) // after the letter of its kind
		}
	}
	return m.Raw
}

// reply brings the client's response to the member that asked.
func (j *connection) reply(ctx context.Context, m mcpwire.Message) {
	j.mu.Lock()
	q := j.questions[m.Key]
	delete(j.questions, m.Key)
	j.mu.Unlock()
	if at, ok := mcpwire.Find(m.Raw, 0, "id"); ok && q != nil && q.peer.s.Answered(m.Key) {
		j.hand(ctx, q.peer, upstream.Message{Raw: mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: q.id}), Kind: mcpwire.Response, Key: q.key})
	}
}

// progressed brings the client's progress to the member that asked for it.
func (j *connection) progressed(ctx context.Context, m mcpwire.Message) {
	token, _ := mcpwire.Member(m.Params, "progressToken")
	key, _ := mcpwire.IDKey(token)
	j.mu.Lock()
	q := j.questions[key]
	j.mu.Unlock()
	if at, ok := mcpwire.Find(m.Raw, 0, "params", "progressToken"); ok && q != nil && q.token != nil {
		j.hand(ctx, q.peer, upstream.Message{Raw: mcpwire.Respell(m.Raw, map[mcpwire.Span][]byte{at: q.token}), Kind: mcpwire.Notification,
			Method: m.Method})
	}
}

// cancel brings the client's cancellation to where its call is: on the way to a member that
// is being opened, held, or at the member.
func (j *connection) cancel(ctx context.Context, m mcpwire.Message) {
	target, _ := mcpwire.Member(m.Params, "requestId")
	key, _ := mcpwire.IDKey(target)
	j.mu.Lock()
	var p *peer
	if o := j.calls[key]; o != nil {
		if p = o.peer; p == nil || !p.s.Admitted(key) {
			o.cancel(session.CauseOf(m))
			p = nil
		}
	}
	j.mu.Unlock()
	if p != nil && p.s.CancelRequest(m) {
		j.hand(ctx, p, upstream.MessageOf(m))
	}
}

// hand gives a message to a member, which may be too busy to take it, or gone: then it has
// missed it, and its neighbours have not.
func (j *connection) hand(ctx context.Context, p *peer, parcel upstream.Message) {
	ctx, cancel := context.WithTimeout(ctx, session.Slowness)
	defer cancel()
	j.mu.Lock()
	parcel.Header = p.header
	j.mu.Unlock()
	if err := p.s.Far.Send(ctx, parcel); err != nil {
		j.e.opts.Logger.Debug("tell a member of a joined session", "server", p.s.Server.ID, "error", err)
	}
}
