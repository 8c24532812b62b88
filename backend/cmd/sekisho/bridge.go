package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"sekisho/backend/rawjson"
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

// line is what the bridge looks at in a message.
type line struct {
	raw      []byte
	id       []byte // nil: a notification
	method   string
	response bool   // to a request of the server
	opening  bool   // it begins a session in the place of one that is gone
	version  string // that a message of the era without sessions names itself
	name     string // of what it is about: a tool, a prompt, a resource
}

func parse(raw []byte) (line, error) {
	members, err := rawjson.Members(raw)
	l := line{raw: raw}
	for _, m := range members {
		switch m.Key {
		case "id":
			l.id = m.Value
		case "method":
			if e := json.Unmarshal(m.Value, &l.method); e != nil {
				err = errors.New("a method is a string")
			}
		case "result", "error":
			l.response = true
		case "params":
			l.about(m.Value)
		}
	}
	return l, err
}

// about reads what HTTP repeats of a message in headers.
func (l *line) about(params []byte) {
	var p struct {
		Name, URI string
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // whoever needs what is amiss says so
	if l.version, l.name = p.Meta.Version, p.Name; p.Name == "" {
		l.name = p.URI
	}
}

// take handles one line of the client. Requests wait for their answers on their
// own; all else keeps its order, and everything comes after initialize's answer.
func (b *relay) take(ctx, calls context.Context, raw []byte) {
	l, err := parse(raw)
	switch {
	case err != nil && json.Valid(raw):
		b.fail(nil, codeInvalid, err.Error())
	case err != nil:
		b.fail(nil, codeParse, err.Error())
	case l.method == "initialize" && l.id != nil:
		b.begin(ctx, l)
	case l.method == "notifications/cancelled":
		b.post(ctx, l)
		b.abandon(l)
	case l.response || l.id == nil:
		if b.post(ctx, l); l.method == "notifications/initialized" {
			b.listen()
		}
	case l.method == "tools/call":
		b.ask(calls, l)
	default:
		b.ask(ctx, l)
	}
}

// ask sends a request and brings its answer, while other lines are handled.
func (b *relay) ask(ctx context.Context, l line) {
	ctx, cancel := context.WithCancel(ctx)
	b.mu.Lock()
	b.waiting[string(l.id)] = cancel
	b.mu.Unlock()
	b.requests.Add(1)
	go func() {
		defer b.requests.Done()
		defer cancel()
		b.post(ctx, l)
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, string(l.id))
	}()
}

// abandon closes the connection of a request that its client has cancelled: the
// desk may hear of the cancellation before it hears of the request.
func (b *relay) abandon(l line) {
	var params struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(l.raw, &params) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.waiting[string(params.Params.RequestID)]; cancel != nil {
		cancel()
	}
}

// begin starts a session with the client's initialize. A second one goes to the
// same server, as it would without us.
func (b *relay) begin(ctx context.Context, l line) {
	b.mu.Lock()
	b.initialize = l.raw
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
	l, err := parse(initialize)
	if err != nil {
		return err
	}
	l.opening = true // others go on under the old name until there is another, and hear that it is gone
	silent := func([]byte) {}
	if err := b.exchange(ctx, l, silent); err != nil {
		return err
	}
	ready := line{raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), method: "notifications/initialized"}
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
	if errors.As(err, &lost) && lost.code == codeNoSession && used != "" {
		if err = b.renew(ctx, used); err == nil {
			err = b.exchange(ctx, l, b.write)
		}
	}
	if err == nil || ctx.Err() != nil || l.id == nil || l.response {
		return
	}
	if errors.As(err, &lost) {
		b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, l.id, lost.value))
		return
	}
	b.fail(l.id, codeInternal, err.Error())
}

// JSON-RPC error codes of ours, and the desk's for a session that is gone.
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeInternal  = -32603
	codeNoSession = -32001
)

// fail answers a request, or nil for none, with an error.
func (b *relay) fail(id []byte, code int, words string) {
	if id == nil {
		id = []byte("null")
	}
	b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, errorValue(code, words)))
}

func errorValue(code int, words string) []byte {
	text, err := json.Marshal(words)
	if err != nil {
		text = []byte(`"unspeakable"`) // a string always marshals
	}
	return fmt.Appendf(nil, `{"code":%d,"message":%s}`, code, text)
}

// write gives one message to the client. A client that takes none is gone.
func (b *relay) write(raw []byte) {
	b.writing.Lock()
	defer b.writing.Unlock()
	oneLine := append(bytes.Clone(raw), '\n')
	for i, c := range oneLine[:len(raw)] {
		if c == '\n' || c == '\r' {
			oneLine[i] = ' '
		}
	}
	if _, err := b.out.Write(oneLine); err != nil {
		b.stop()
	}
}
