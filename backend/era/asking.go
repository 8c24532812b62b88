package era

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// asking are the requests at a server whose answers the bridge waits for.
type asking struct {
	n    atomic.Int32 // of open
	mu   sync.Mutex
	open map[string]*asked // by the key of its id
}

// asked is one of them.
type asked struct {
	answer  chan answer // has room for the one that there will be
	deliver func(raw []byte, from upstream.Origin)
	settled bool // it has its answer; guarded by asking
}

// answer is what came of a request: a result, an error of the server, or none.
type answer struct {
	result, fault []byte
	lost          *upstream.Loss
	raw           []byte // the message, and where it was met
	from          upstream.Origin
}

func (a *asking) any() bool { return a.n.Load() > 0 }

// begin notes a request before it is sent. deliver, where it is not nil, is called with an answer
// that is a result, before anything that the server says after it.
func (a *asking) begin(key string, deliver func([]byte, upstream.Origin)) *asked {
	q := &asked{answer: make(chan answer, 1), deliver: deliver}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[key] = q
	a.n.Add(1)
	return q
}

// end forgets a request. What still comes for it is for nobody.
func (a *asking) end(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[key] != nil {
		delete(a.open, key)
		a.n.Add(-1)
	}
}

func (a *asking) waits(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.open[key]
	return q != nil && !q.settled
}

// settle gives a request its answer; false where there is no such request.
func (a *asking) settle(key string, got answer) bool {
	a.mu.Lock()
	q := a.open[key]
	first := q != nil && !q.settled
	if first {
		q.settled = true
	}
	a.mu.Unlock()
	if first {
		if got.result != nil && q.deliver != nil {
			q.deliver(got.raw, got.from)
		}
		q.answer <- got
	}
	return q != nil
}

// hear takes a message that answers a request of the bridge's; false where it does not.
func (a *asking) hear(m mcpwire.Message, bad *mcpwire.Error, raw []byte, from upstream.Origin) bool {
	key := from.Request
	if key == "" {
		key = m.Key
	}
	switch {
	case bad != nil && from.Request == "", bad == nil && m.Kind != mcpwire.Response:
		return false
	case bad != nil:
		return a.fail(key, upstream.Loss{Why: "the server's answer cannot be read: " + bad.Message, Refused: true})
	}
	return a.settle(key, answer{result: m.Result, fault: m.Fault, raw: raw, from: from})
}

// fail ends a request that will not be answered; false where there is no such request.
func (a *asking) fail(key string, l upstream.Loss) bool { return a.settle(key, answer{lost: &l}) }

// errSilent says that a server did not answer in time.
var errSilent = errors.New("the server does not answer")

// ask asks the server as the bridge, and waits for the answer. An error says that there is
// none: errSilent where the time was over.
func (l *link) ask(ctx context.Context, within time.Duration, method string, params []byte, header http.Header) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errSilent)
	defer cancel()
	p := own(method, params, header)
	defer l.asked.end(p.Key)
	got, err := l.await(ctx, p)
	if err != nil && ctx.Err() != nil {
		upstream.Drop(l.far, p.Key)
		err = context.Cause(ctx)
	}
	return got, err
}

// own is a request of the bridge's own.
func own(method string, params []byte, header http.Header) upstream.Message {
	id := mcpwire.Quote("sekisho-" + uuid.NewString())
	key, _ := mcpwire.IDKey(id)
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	return upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: key, Method: method, Header: header}
}

// await sends a request, and waits for its answer; whoever calls it ends the asking.
func (l *link) await(ctx context.Context, p upstream.Message) (answer, error) {
	q := l.asked.begin(p.Key, nil)
	if err := l.far.Send(ctx, p); err != nil {
		return answer{}, err
	}
	select {
	case got := <-q.answer:
		return got, nil
	case <-l.far.Over():
		return answer{}, upstream.ErrEnded
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// status is that of HTTP; 0 where there is none.
func (a answer) status() int {
	if a.lost != nil {
		return a.lost.Status
	}
	return a.from.Status
}

// barred reports whether the server wants no requests at all of whoever asks.
func (a answer) barred() bool {
	return slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}, a.status())
}

// otherEra reports whether an answer may be that of a server of the other era to initialize.
func (a answer) otherEra() bool {
	return !a.barred() && a.status() < http.StatusInternalServerError && (a.lost == nil || a.lost.Refused)
}

// err is why an answer has no result; nil where it has one.
func (a answer) err(method string) error {
	if a.lost != nil {
		return errors.New(a.lost.Why)
	}
	return upstream.RefusedBy(method, a.fault)
}
