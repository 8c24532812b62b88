package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
)

// endpoint is a server behind the desk, and the token to use it with.
type endpoint struct{ desk, url, token string }

// lastWords is how long requests that cannot wait for a person may still take when
// the client has closed our input.
const lastWords = 2 * time.Second

// bridge speaks newline JSON with a client on in and out, and HTTP with the desk
// that find finds. It ends without an error when in ends or ctx does: what is held
// then is let go, since its connection closes, and the session is ended.
func bridge(ctx context.Context, find func() (endpoint, error), in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	calls, leave := context.WithCancel(ctx)
	defer leave()
	b := &relay{find: find, out: out, stop: stop, waiting: map[string]context.CancelFunc{}}
	b.listen = func() { b.stream(ctx) }
	lines, ended := make(chan []byte, 1024), make(chan struct{})
	go read(ctx, in, lines, ended)
	go func() {
		select {
		case <-ended:
			leave()
			wait(ctx, lastWords)
			stop()
		case <-ctx.Done():
		}
	}()
	for line := range lines {
		b.take(ctx, calls, line)
	}
	b.requests.Wait()
	stop()
	b.streams.Wait()
	return b.goodbye(context.WithoutCancel(ctx))
}

// read gives the lines of in. A line that is being read when ctx ends is waited
// for, but nobody waits for this goroutine then: only the end of in can end it.
func read(ctx context.Context, in io.Reader, lines chan<- []byte, ended chan<- struct{}) {
	got := make(chan []byte)
	go func() {
		defer close(ended)
		defer close(got)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				select {
				case got <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	defer close(lines)
	for {
		select {
		case line, ok := <-got:
			if !ok {
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// relay is the state of one bridge.
type relay struct {
	find   func() (endpoint, error)
	stop   func() // ends the bridge
	listen func() // opens the stream of the session, which outlives the request that began it

	writing sync.Mutex
	out     io.Writer

	requests, streams sync.WaitGroup
	renewing          sync.Mutex

	mu         sync.Mutex
	client     *http.Client // of token
	token      string
	session    string
	version    string                        // that the server agreed to
	initialize []byte                        // the client's own, to begin again with when the desk was restarted
	listening  context.CancelFunc            // ends the stream of the session before
	waiting    map[string]context.CancelFunc // requests in flight, by id
}

// line is a message of the client, with what HTTP repeats of it in headers.
type line struct {
	mcpwire.Message
	opening bool   // it begins a session in the place of one that is gone
	version string // that a message of the era without sessions names itself
	name    string // of what it is about: a tool, a prompt, a resource
}

func parse(raw []byte) (line, *mcpwire.Error) {
	m, bad := mcpwire.FromClient(raw)
	l := line{Message: m}
	if bad != nil || m.Kind == mcpwire.Response {
		return l, bad
	}
	l.version, _ = mcpwire.Text(mcpwire.MetaOf(m, mcpwire.MetaVersion))
	if member := mcpwire.NameMember[m.Method]; member != "" {
		name, _ := mcpwire.Member(m.Params, member) // whoever needs what is amiss says so
		l.name, _ = mcpwire.Text(name)
	}
	return l, nil
}

// take handles one line of the client. Requests wait for their answers on their
// own; all else keeps its order, and everything comes after initialize's answer.
func (b *relay) take(ctx, calls context.Context, raw []byte) {
	l, bad := parse(raw)
	switch {
	case bad != nil:
		b.write(mcpwire.ErrorAnswer(idOf(raw), bad))
	case l.Method == mcpwire.Initialize && l.Kind == mcpwire.Request:
		b.begin(ctx, l)
	case l.Method == mcpwire.CancelledNote:
		b.post(ctx, l)
		b.abandon(l)
	case l.Kind != mcpwire.Request:
		if b.post(ctx, l); l.Method == mcpwire.InitializedNote {
			b.listen()
		}
	case l.Method == mcpwire.CallTool:
		b.ask(calls, l)
	default:
		b.ask(ctx, l)
	}
}

// idOf is the id of a message that is refused, so that its client does not wait for ever;
// nil where there is none.
func idOf(raw []byte) []byte {
	id, _ := mcpwire.Member(raw, "id")
	if _, ok := mcpwire.IDKey(id); !ok {
		return nil
	}
	return id
}

// ask sends a request and brings its answer, while other lines are handled.
func (b *relay) ask(ctx context.Context, l line) {
	ctx, cancel := context.WithCancel(ctx)
	b.mu.Lock()
	b.waiting[l.Key] = cancel
	b.mu.Unlock()
	b.requests.Add(1)
	go func() {
		defer b.requests.Done()
		defer cancel()
		b.post(ctx, l)
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, l.Key)
	}()
}

// abandon closes the connection of a request that its client has cancelled: the
// desk may hear of the cancellation before it hears of the request.
func (b *relay) abandon(l line) {
	id, _ := mcpwire.Member(l.Params, "requestId")
	key, _ := mcpwire.IDKey(id)
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.waiting[key]; cancel != nil {
		cancel()
	}
}

// begin starts a session with the client's initialize. A second one goes to the
// same server, as it would without us.
func (b *relay) begin(ctx context.Context, l line) {
	b.mu.Lock()
	b.initialize = l.Raw
	b.mu.Unlock()
	b.post(ctx, l)
}

// renew begins a session again in the place of one that the desk no longer knows.
func (b *relay) renew(ctx context.Context, lost string) error {
	b.renewing.Lock()
	defer b.renewing.Unlock()
	b.mu.Lock()
	session, initialize := b.session, b.initialize
	b.mu.Unlock()
	if session != lost {
		return nil // another request has done it
	}
	l, _ := parse(initialize) // it was read before
	l.opening = true          // others go on under the old name until there is another, and hear that it is gone
	silent := func([]byte) {}
	if err := b.exchange(ctx, l, silent); err != nil {
		return err
	}
	ready, _ := parse([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err := b.exchange(ctx, ready, silent); err != nil {
		return err
	}
	b.listen()
	return nil
}

func (b *relay) current() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// post sends a message and writes what comes back. A request that gets no answer
// is answered with what went wrong, unless its client has left it.
func (b *relay) post(ctx context.Context, l line) {
	used := b.current()
	err := b.exchange(ctx, l, b.write)
	var lost *answerError
	if errors.As(err, &lost) && lost.code == mcpwire.CodeNoSession && used != "" {
		if err = b.renew(ctx, used); err == nil {
			err = b.exchange(ctx, l, b.write)
		}
	}
	if err == nil || ctx.Err() != nil || l.Kind != mcpwire.Request {
		return
	}
	if errors.As(err, &lost) {
		b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, l.ID, lost.value))
		return
	}
	b.write(mcpwire.ErrorAnswer(l.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err)))
}

// write gives one message to the client. A client that takes none is gone.
func (b *relay) write(raw []byte) {
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(slices.Concat(mcpwire.OneLine(raw), []byte("\n"))); err != nil {
		b.stop()
	}
}
