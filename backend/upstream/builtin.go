package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"sekisho/backend/mcpwire"
)

// Handler answers the messages of a session inside the desk's own process. It is called in a
// goroutine of its own for each message, and returns soon after ctx ends: that is when the
// request is cancelled, or the session is over. What it gives to say goes to the client, on
// the way of the request's answer. The result and the error are the answer to a request; an
// error that is none of mcpwire is an internal one.
type Handler func(ctx context.Context, m mcpwire.Message, say func(raw []byte)) (result []byte, err error)

// builtin is a server in the desk's own process, as one session has it.
type builtin struct {
	handler Handler
	limit   int // bytes of one message
	to      Listener
	over    chan struct{}

	mu       sync.Mutex
	stopped  bool
	handlers sync.WaitGroup
	working  map[*work]bool
}

// work is a message that a handler works on.
type work struct {
	key, id string // of a request: its name on the way, and its caller's own id
	cancel  context.CancelFunc
}

// serve begins a session with a handler.
func serve(handler Handler, limit int, to Listener) *builtin {
	return &builtin{handler: handler, limit: limit, to: to, over: make(chan struct{}), working: map[*work]bool{}}
}

// Send hands a message to the handler, and does not wait for it.
func (b *builtin) Send(sending context.Context, p Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	if bad != nil {
		return bad
	}
	m.Header = p.Header
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.stopped:
		return ErrEnded
	case sending.Err() != nil:
		return sending.Err()
	case m.Method == mcpwire.CancelledNote:
		target, _ := mcpwire.Member(m.Params, "requestId")
		id, ok := mcpwire.IDKey(target)
		b.cancel(func(w *work) bool { return ok && w.id == id })
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &work{cancel: cancel}
	if m.Kind == mcpwire.Request {
		w.key, w.id = p.Key, m.Key
	}
	b.working[w] = true
	b.handlers.Go(func() {
		defer b.done(w)
		b.handle(ctx, p, m)
	})
	return nil
}

// cancel ends some of the work. The caller holds the lock.
func (b *builtin) cancel(which func(*work) bool) {
	for w := range b.working {
		if which(w) {
			w.cancel()
		}
	}
}

func (b *builtin) done(w *work) {
	w.cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.working, w)
}

// Drop ends the work on a request that nobody waits for.
func (b *builtin) Drop(request string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cancel(func(w *work) bool { return w.key == request })
	return true
}

// handle lets the handler work on one message, and brings its answer back. A handler that
// panics takes nothing else down: it may have done some of what it was asked for.
func (b *builtin) handle(ctx context.Context, p Message, m mcpwire.Message) {
	from := Origin{Request: p.Key}
	lost := func(why any) { b.to.Lost(Loss{Request: p.Key, Why: fmt.Sprintf("the server broke down: %v", why)}) }
	if m.Kind != mcpwire.Request {
		from, lost = Origin{Apart: true}, func(any) {}
	}
	defer func() {
		if why := recover(); why != nil {
			lost(why)
		}
	}()
	result, err := b.handler(ctx, m, func(raw []byte) { b.say(raw, from) })
	if m.Kind != mcpwire.Request {
		return
	}
	var e *mcpwire.Error
	switch {
	case err == nil:
		b.say(mcpwire.ResultAnswer(m.ID, result), from)
	case errors.As(err, &e):
		b.say(mcpwire.ErrorAnswer(m.ID, e), from)
	default:
		b.say(mcpwire.ErrorAnswer(m.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err)), from)
	}
}

func (b *builtin) say(raw []byte, from Origin) {
	if len(raw) > b.limit {
		from.Head = mcpwire.HeadOf(raw)
		b.to.Long(from)
		return
	}
	b.to.Heard(raw, from)
}

// Stop ends the session. Over tells when the last handler has returned.
func (b *builtin) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return
	}
	b.stopped = true
	b.cancel(func(*work) bool { return true })
	go func() {
		b.handlers.Wait()
		close(b.over)
	}()
}

func (b *builtin) Over() <-chan struct{} { return b.over }
func (b *builtin) Last() string          { return "" }
func (b *builtin) Said(int) string       { return "" }
