package gateway

import (
	"bytes"
	"context"
	"fmt"
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
func (j *joined) inward(p *peer, raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"method"`)) {
		return raw // an answer
	}
	m, bad := fromServer(raw)
	switch {
	case bad != nil:
		return raw
	case m.kind == request:
		return j.rename(p, m)
	case m.method == cancelledNote:
		return j.withdrawn(p, m)
	case m.method == resourceUpdated:
		return j.updated(p, m)
	}
	return raw
}

func (j *joined) rename(p *peer, m message) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.serial++
	id := fmt.Append(nil, j.serial)
	key, _ := idKey(id)
	q := &question{peer: p, id: bytes.Clone(m.id), key: m.key, at: j.serial}
	parts := map[span][]byte{}
	if at, ok := find(m.raw, 0, "id"); ok {
		parts[at] = id
	}
	if at, ok := find(m.raw, 0, "params", "_meta", "progressToken"); ok {
		q.token, parts[at] = bytes.Clone(m.raw[at.from:at.to]), id
	}
	if len(j.questions) >= maxInFlight {
		j.dropQuestion()
	}
	j.questions[key] = q
	j.self.mu.Lock()
	defer j.self.mu.Unlock()
	j.self.question(message{kind: request, key: key})
	return respell(m.raw, parts)
}

// dropQuestion forgets the oldest question of the member that has most: one that asks
// without end loses its own. The caller holds the lock.
func (j *joined) dropQuestion() {
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
func (j *joined) forget(key string) {
	delete(j.questions, key)
	j.self.answered(key)
}

// withdrawn is a member's cancellation of its own request.
func (j *joined) withdrawn(p *peer, m message) []byte {
	target, _ := within(m.params, "requestId")
	own, _ := idKey(target)
	at, ok := find(m.raw, 0, "params", "requestId")
	j.mu.Lock()
	defer j.mu.Unlock()
	for key, q := range j.questions {
		if ok && q.peer == p && q.key == own {
			j.forget(key)
			return respell(m.raw, map[span][]byte{at: []byte(key[1:])}) // after the letter of its kind
		}
	}
	return m.raw
}

// reply brings the client's response to the member that asked.
func (j *joined) reply(ctx context.Context, m message) {
	j.mu.Lock()
	q := j.questions[m.key]
	delete(j.questions, m.key)
	j.mu.Unlock()
	if at, ok := find(m.raw, 0, "id"); ok && q != nil && q.peer.s.answered(m.key) {
		j.hand(ctx, q.peer, parcel{raw: respell(m.raw, map[span][]byte{at: q.id}), kind: response, key: q.key})
	}
}

// progressed brings the client's progress to the member that asked for it.
func (j *joined) progressed(ctx context.Context, m message) {
	token, _ := within(m.params, "progressToken")
	key, _ := idKey(token)
	j.mu.Lock()
	q := j.questions[key]
	j.mu.Unlock()
	if at, ok := find(m.raw, 0, "params", "progressToken"); ok && q != nil && q.token != nil {
		j.hand(ctx, q.peer, parcel{raw: respell(m.raw, map[span][]byte{at: q.token}), kind: notification, method: m.method})
	}
}

// cancel brings the client's cancellation to where its call is: on the way to a member that
// is being opened, held, or at the member.
func (j *joined) cancel(ctx context.Context, m message) {
	target, _ := within(m.params, "requestId")
	key, _ := idKey(target)
	j.mu.Lock()
	var p *peer
	if o := j.calls[key]; o != nil {
		if p = o.peer; p == nil || !p.s.admitted(key) {
			o.cancel(causeOf(m))
			p = nil
		}
	}
	j.mu.Unlock()
	if p != nil && p.s.cancelRequest(m) {
		j.hand(ctx, p, parcelOf(m))
	}
}

// hand gives a message to a member, which may be too busy to take it, or gone: then it has
// missed it, and its neighbours have not.
func (j *joined) hand(ctx context.Context, p *peer, parcel parcel) {
	ctx, cancel := context.WithTimeout(ctx, slowness)
	defer cancel()
	j.mu.Lock()
	parcel.header = p.header
	j.mu.Unlock()
	if err := p.s.far.send(ctx, parcel); err != nil {
		j.g.opts.Logger.Debug("tell a member of a joined session", "server", p.s.server.ID, "error", err)
	}
}
