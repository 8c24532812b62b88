package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/mcpwire"
)

// endpoint is a server behind the desk, and the token to use it with.
type endpoint struct{ desk, url, token string }

// lastWords is how long requests that cannot wait for a person may still take when
// the client has closed our input.
const lastWords = 2 * time.Second

// way is how a bridge gets to its desk.
type way struct {
	find  func() (endpoint, error)
	first time.Duration // it waits so long for a desk at first
	told  io.Writer     // what its person should know
}

// bridge speaks newline JSON with a client on in and out, and HTTP with a desk. It ends
// without an error when in ends or ctx does: what is held then is let go, since its connection
// closes, and the session is ended.
func bridge(ctx context.Context, to way, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	calls, leave := context.WithCancel(ctx)
	defer leave()
	b := &relay{way: to, out: out, stop: stop, run: uuid.NewString(), waiting: map[string]context.CancelFunc{},
		asked: map[string][]byte{}, watched: map[string]line{}}
	b.listen = func() { b.stream(ctx) }
	b.restore = func() { b.streams.Go(func() { b.setUpAgain(ctx) }) }
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
	way
	run  string // names its calls
	stop func() // ends the bridge
	// Both outlive the request that began the session: listen opens its stream, and restore
	// sets up there what the client had set up in the one before.
	listen, restore func()

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
	asked      map[string][]byte             // ids of the server's requests that the client has not answered
	level      *line                         // the client's last logging/setLevel that was answered
	watched    map[string]line               // its subscriptions, by what they are about
	patience   time.Duration                 // of the client, as the desk says; 0 is not known
	met        bool                          // a desk has been there
	away       bool                          // it is not there, which was told
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
		l.name = l.text(member)
	}
	return l, nil
}

// text is a member of the params that is a text. Whoever needs what is amiss with it says so.
func (l *line) text(member string) string {
	raw, _ := mcpwire.Member(l.Params, member)
	text, _ := mcpwire.Text(raw)
	return text
}

// errand is a message of the client on its way to the desk, and again to the next one where
// a desk ends without an answer.
type errand struct {
	line
	call     string // its name as a call; "" of what is no tools/call
	began    time.Time
	token    []byte // of its progress; nil where there is none
	tokenKey string
	beats    int64       // progress that the client has heard
	beaten   time.Time   // when we last gave a sign of life ourselves
	sent     atomic.Bool // a desk may have it
}

func newErrand(l line) *errand {
	e := &errand{line: l, began: time.Now()}
	if l.Kind != mcpwire.Request {
		return e
	}
	e.token, e.tokenKey, _ = mcpwire.ProgressToken(l.Params)
	if l.Method == mcpwire.CallTool {
		e.call = uuid.NewString()
	}
	return e
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
		b.remark(ctx, l)
		b.abandon(l)
	case l.Kind == mcpwire.Response && !b.answers(l.Key): // its server has ended
	case l.Kind != mcpwire.Request:
		if b.remark(ctx, l); l.Method == mcpwire.InitializedNote {
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

// remarkWithin bounds how long what wants no answer keeps what follows it from the desk.
const remarkWithin = 10 * time.Second

// remark sends what wants no answer. Where no desk is there, or the session is gone, it is
// dropped: it is about what has ended.
func (b *relay) remark(ctx context.Context, l line) {
	ctx, cancel := context.WithTimeout(ctx, remarkWithin)
	defer cancel()
	_ = b.deliver(ctx, newErrand(l))
}

// post sends a request and writes what comes back. One that gets no answer is answered with
// what went wrong, unless its client has left it.
func (b *relay) post(ctx context.Context, l line) {
	e := newErrand(l)
	if err := b.deliver(ctx, e); err != nil && ctx.Err() == nil {
		b.write(b.apology(e, err))
	}
}

// write gives one message to the client. A client that takes none is gone.
func (b *relay) write(raw []byte) {
	b.writing.Lock()
	defer b.writing.Unlock()
	if _, err := b.out.Write(slices.Concat(mcpwire.OneLine(raw), []byte("\n"))); err != nil {
		b.stop()
	}
}
