package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// Bounds of a connection over HTTP.
const (
	dialWithin    = 10 * time.Second
	renewWithin   = 30 * time.Second
	goodbyeWithin = 300 * time.Millisecond
)

// Remote is a server that is asked over streamable HTTP, for one session. The
// session that the server keeps on its side is renewed when it has forgotten it.
type Remote struct {
	client *http.Client
	server permission.Server
	limit  int
	to     Listener
	life   context.Context // of the connection, not of a caller
	quit   context.CancelFunc
	ended  chan struct{}
	words  tail

	mu      sync.Mutex
	stopped bool
	work    sync.WaitGroup
	session string  // as the server named it; empty when it keeps none
	opening Message // its initialize
	opened  Message // the notification after it
	listens bool    // a GET stream is open, or is being opened again
	renewal sync.Mutex
	Renewed func(context.Context)         // told after the server has forgotten its session; nil where nobody asks
	asking  map[string]context.CancelFunc // of the requests on their way, by key
}

func dial(client *http.Client, server permission.Server, limit int, to Listener) *Remote {
	r := &Remote{client: client, server: server, limit: limit, to: to, ended: make(chan struct{}), asking: map[string]context.CancelFunc{},
		words: tail{veil: veilOf(server)}}
	r.life, r.quit = context.WithCancel(context.Background())
	return r
}

// RemoteOf is a server that is asked over HTTP; nil where it is none.
func RemoteOf(far Server) *Remote {
	r, _ := unwrapped(far).(*Remote)
	return r
}

// Over is closed when nothing more comes from the server.
func (r *Remote) Over() <-chan struct{} { return r.ended }

// Last is the last line that went wrong.
func (r *Remote) Last() string { return r.words.last() }

// Said is the end of what went wrong, at most limit bytes.
func (r *Remote) Said(limit int) string { return r.words.end(limit) }

// enter counts a piece of work; false when the connection has ended.
func (r *Remote) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.work.Add(1)
	}
	return !r.stopped
}

// Stop asks for the end and does not wait for it.
func (r *Remote) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	r.stopped = true
	r.quit()
	go func() {
		r.goodbye()
		r.work.Wait()
		close(r.ended)
	}()
}

// goodbye ends the server's session. One that does not listen forgets it by itself.
func (r *Remote) goodbye() { r.part(r.name()) }

// part ends a session that the server calls by this name, if it keeps any.
func (r *Remote) part(name string) {
	if name == "" {
		return
	}
	r.mu.Lock()
	header := r.opened.Header
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), goodbyeWithin)
	defer cancel()
	if resp, err := r.do(ctx, http.MethodDelete, Message{Header: header}, name); err == nil {
		resp.Body.Close()
	}
}

// name is what the server calls the session now.
func (r *Remote) name() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// Send asks in a goroutine of its own, for the answer may take long, and returns once
// the request is on its way. Other messages are taken when it returns.
func (r *Remote) Send(ctx context.Context, p Message) error {
	if !r.enter() {
		return ErrEnded
	}
	if p.Kind != mcpwire.Request {
		defer r.work.Done()
		return r.tell(ctx, p)
	}
	asking, cancel := context.WithCancel(r.life)
	r.mu.Lock()
	r.asking[p.Key] = cancel
	r.mu.Unlock()
	detach := context.AfterFunc(ctx, cancel)
	sent := make(chan error, 1)
	go func() {
		defer r.work.Done()
		defer r.Drop(p.Key)
		r.ask(asking, p, func(err error) {
			detach() // from now on it is the server's
			sent <- err
		})
	}()
	return <-sent
}

// Drop ends what is left of a request.
func (r *Remote) Drop(request string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.asking[request]; cancel != nil {
		delete(r.asking, request)
		cancel()
	}
	return true
}

// tell delivers what has no answer.
func (r *Remote) tell(ctx context.Context, p Message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	resp, err := r.exchange(ctx, p)
	if err != nil {
		return r.trouble(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return r.trouble(r.refusedBy(resp))
	}
	if p.Method == mcpwire.InitializedNote {
		r.mu.Lock()
		r.opened = p
		r.mu.Unlock()
		r.listen()
	}
	return nil
}

// ask takes a request to its answer. sent hears once whether it is on its way.
func (r *Remote) ask(ctx context.Context, p Message, sent func(error)) {
	var told sync.Once
	tell := func(err error) (first bool) {
		told.Do(func() {
			first = true
			sent(err)
		})
		return first
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { tell(nil) }})
	resp, err := r.exchange(ctx, p)
	if err != nil {
		if ctx.Err() == nil {
			err = r.trouble(err)
		}
		if !tell(err) { // it may have left
			r.to.Lost(Loss{Request: p.Key, Why: err.Error()})
		}
		return
	}
	tell(nil)
	defer resp.Body.Close()
	if p.Method == mcpwire.Initialize && resp.StatusCode == http.StatusOK {
		r.begun(p, resp.Header.Get(mcpwire.SessionHeader))
	}
	r.answer(ctx, p, resp)
}

// begun keeps the name of the session that an initialize has begun, in the place of one
// before. An answer without a name begins none, or was a refusal.
func (r *Remote) begun(opening Message, name string) {
	r.mu.Lock()
	old := r.session
	if name != "" || old == "" {
		r.session, r.opening = name, opening
	}
	r.mu.Unlock()
	if name != "" && name != old {
		r.part(old)
	}
}

// exchange sends a message in the server's session, which it renews once.
func (r *Remote) exchange(ctx context.Context, p Message) (*http.Response, error) {
	name := r.name()
	if p.Method == mcpwire.Initialize {
		name = ""
	}
	resp, err := r.do(ctx, http.MethodPost, p, name)
	if err != nil || resp.StatusCode != http.StatusNotFound || name == "" {
		return resp, err
	}
	resp.Body.Close() // 404: the session is unknown, so that nothing has run
	if name, err = r.renew(ctx, name); err != nil {
		return nil, fmt.Errorf("renew the server's session: %w", err)
	}
	return r.do(ctx, http.MethodPost, p, name)
}

// do makes one HTTP request.
func (r *Remote) do(ctx context.Context, method string, p Message, session string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(withServer(ctx, r.server), method, r.server.URL, bytes.NewReader(p.Raw))
	if err != nil {
		return nil, withoutURL(err)
	}
	if method != http.MethodPost {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "sekisho")
	for name, value := range r.server.Headers {
		req.Header.Set(name, value)
	}
	for _, name := range repeatable {
		req.Header.Del(name)
	}
	for name, values := range p.Header {
		req.Header[name] = values
	}
	if session != "" {
		req.Header.Set(mcpwire.SessionHeader, session)
	}
	resp, err := r.client.Do(req)
	return resp, withoutURL(err)
}

// repeatable are headers by which Go's client believes that a request may be sent twice.
var repeatable = [...]string{"Idempotency-Key", "X-Idempotency-Key"}

// withoutURL is an error without the URL that it was about, which may hold a secret.
func withoutURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}

// answer reads what comes back for a request.
func (r *Remote) answer(ctx context.Context, p Message, resp *http.Response) {
	from := Origin{Request: p.Key, Status: resp.StatusCode}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream" && resp.StatusCode == http.StatusOK:
		r.follow(ctx, p, mcpwire.NewEvents(resp.Body, r.limit), from)
	case kind == "application/json" && resp.StatusCode != http.StatusAccepted:
		r.whole(resp, from)
	case resp.StatusCode >= 300:
		r.to.Lost(Loss{Request: p.Key, Why: r.trouble(r.refusedBy(resp)).Error(), Refused: resp.StatusCode < 500, Status: resp.StatusCode})
		return
	}
	r.to.Lost(Loss{Request: p.Key, Why: "the server ended its answer before it was whole"})
}

// whole reads an answer that is one JSON text.
func (r *Remote) whole(resp *http.Response, from Origin) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(r.limit)+1))
	switch {
	case err != nil: // it is lost
	case len(body) > r.limit:
		from.Head = mcpwire.HeadOf(body)
		r.to.Long(from)
	case resp.StatusCode >= 300 && !isResponse(body):
		why := r.trouble(fmt.Errorf("the server answered HTTP %s: %s", resp.Status,
			Excerpt(r.words.veil.Replace(string(body[:min(len(body), maxExcuse)])))))
		r.to.Lost(Loss{Request: from.Request, Why: why.Error(), Refused: resp.StatusCode < 500, Status: resp.StatusCode})
	default:
		r.to.Heard(body, from)
	}
}

// isResponse reports whether a body beside an error status is an answer of MCP.
func isResponse(body []byte) bool {
	m, bad := mcpwire.FromServer(body)
	return bad == nil && m.Kind == mcpwire.Response
}

// trouble keeps the words of an error for those that come later. The server may have
// repeated the entry's secrets in them.
func (r *Remote) trouble(err error) error {
	err = veilError(r.words.veil, err)
	fmt.Fprintln(&r.words, err)
	return err
}

// refusedBy is an error out of a status, and what stands beside it.
func (r *Remote) refusedBy(resp *http.Response) error {
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxExcuse))
	if resp.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf(
			"the server wants a sign-in (HTTP %s): a person signs in on the servers screen, or gives its entry a header with a token", resp.Status)
	}
	if words := bytes.TrimSpace(said); len(words) > 0 {
		return fmt.Errorf("the server answered HTTP %s: %s", resp.Status, Excerpt(r.words.veil.Replace(string(words))))
	}
	return fmt.Errorf("the server answered HTTP %s", resp.Status)
}
