package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/proved"
	"sekisho/backend/restclient"
)

// answerError is an error answer of the desk: its JSON-RPC error value as it came.
type answerError struct {
	code   int
	value  []byte
	closes bool // the desk ends: the next one may answer otherwise
}

func (e *answerError) Error() string { return string(e.value) }

var errUnanswered = errors.New("Sekisho ended while the request was in progress: repeat it to get its outcome")

// send makes one HTTP request of the session, or in the era without sessions.
func (b *relay) send(ctx context.Context, method string, e *errand) (*http.Response, error) {
	at, err := b.find()
	if err != nil {
		return nil, err
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { e.sent.Store(true) }})
	again := e.sent.Load()
	req, err := http.NewRequestWithContext(ctx, method, at.url, bytes.NewReader(e.Raw))
	if err != nil {
		return nil, fmt.Errorf("address the desk: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+at.token)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if e.Raw != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(mcpwire.BridgeHeader, b.bridged(e, again).Header())
	}
	b.describe(req.Header, e.line)
	resp, err := b.clientOf(at.token).Do(req)
	if none := (*proved.Error)(nil); errors.As(err, &none) {
		return nil, none
	}
	if err != nil {
		return nil, fmt.Errorf("%w at %s: start it, then try again (%w)", errNoDesk, at.desk, err)
	}
	if resp.StatusCode != http.StatusServiceUnavailable {
		b.back(resp)
	}
	return resp, nil
}

// bridged is what is said of a message beside what the client does; again says that a desk
// may have it.
func (b *relay) bridged(e *errand, again bool) mcpwire.Bridged {
	v := mcpwire.Bridged{Waited: time.Since(e.began), Beats: e.beats}
	if e.call != "" {
		v.Run, v.Call, v.Again = b.run, e.call, again
	}
	return v
}

// clientOf gives the client for a token: the same one until the token is another.
func (b *relay) clientOf(token string) *http.Client {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == nil || b.token != token {
		b.client, b.token = restclient.HTTP(token), token
	}
	return b.client
}

// describe writes the headers that the client has no place for.
func (b *relay) describe(h http.Header, l line) {
	if l.version != "" {
		h.Set(mcpwire.VersionHeader, l.version)
		h.Set(mcpwire.MethodHeader, l.Method)
		if l.name != "" {
			h.Set(mcpwire.NameHeader, mcpwire.HeaderValue(l.name))
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" && !l.opening {
		h.Set(mcpwire.SessionHeader, b.session)
	}
	if b.version != "" && l.Method != mcpwire.Initialize {
		h.Set(mcpwire.VersionHeader, b.version)
	}
}

// exchange sends one message and hands on what comes back until the answer.
func (b *relay) exchange(ctx context.Context, e *errand, hand func([]byte)) error {
	resp, err := b.send(ctx, http.MethodPost, e)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return refused(resp)
	}
	answered := e.Kind != mcpwire.Request
	take := func(raw []byte) {
		answered = b.look(resp, e, raw) || answered
		hand(raw)
	}
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	streams := t == "text/event-stream"
	if streams {
		err = mcpwire.EachEvent(resp.Body, take)
	} else {
		var raw []byte
		if raw, err = io.ReadAll(resp.Body); err == nil && len(bytes.TrimSpace(raw)) > 0 {
			take(raw)
		}
	}
	switch {
	case answered:
		return nil
	case err != nil:
		return fmt.Errorf("%w (%w)", errUnanswered, err)
	case streams: // so a desk that ends leaves what it does not answer
		return errUnanswered
	}
	return errors.New("the desk's answer is none of MCP: the address may be that of something else")
}

// look reports whether raw is the answer to a request, and keeps of it what another session
// would need: that which a good answer to initialize begins, and what the client has set up.
func (b *relay) look(resp *http.Response, e *errand, raw []byte) bool {
	m, bad := mcpwire.FromServer(raw)
	switch {
	case bad != nil:
		return false
	case m.Kind != mcpwire.Response:
		e.hears(m)
		b.asks(m)
		return false
	case m.Key != e.Key:
		return false
	case m.Result == nil:
		return true
	}
	if id := resp.Header.Get(mcpwire.SessionHeader); id != "" && e.Method == mcpwire.Initialize {
		b.agree(id, m.Result)
	}
	b.setUp(e.line)
	return true
}

// agree keeps the session and the version that an answer to initialize names.
func (b *relay) agree(session string, result []byte) {
	var agreed struct{ ProtocolVersion string }
	_ = json.Unmarshal(result, &agreed) // a server that names none is one of old
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session, b.version = session, agreed.ProtocolVersion
}

// maxRefusal bounds what is read of an error answer, in bytes.
const maxRefusal = 1 << 20

// refused reads an error answer: JSON-RPC of the gateway, or problem+json of the
// doors around it.
func refused(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err != nil {
		return fmt.Errorf("read the desk's answer: %w", err)
	}
	var body struct {
		Error         json.RawMessage
		Detail, Title string
	}
	var e struct{ Code int }
	if json.Unmarshal(raw, &body) == nil && json.Unmarshal(body.Error, &e) == nil {
		return &answerError{code: e.Code, value: body.Error, closes: resp.StatusCode == http.StatusServiceUnavailable}
	}
	words := body.Detail
	if words == "" {
		words = strings.TrimSpace("the desk answered " + resp.Status + " " + body.Title)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		words = "Sekisho does not know this agent's token: check --agent, --token-file or SEKISHO_TOKEN (" + words + ")"
	}
	return &answerError{code: mcpwire.CodeInternal, value: mcpwire.ErrorValue(mcpwire.Errorf(mcpwire.CodeInternal, "%s", words)),
		closes: resp.StatusCode == http.StatusServiceUnavailable}
}

// relisten is how long the bridge waits before it opens a broken stream again.
const relisten = time.Second

// stream opens the stream of what the server says on its own, in the place of an
// earlier session's.
func (b *relay) stream(ctx context.Context) {
	all := ctx
	ctx, cancel := context.WithCancel(ctx)
	session := b.current()
	b.mu.Lock()
	if b.listening != nil {
		b.listening()
	}
	b.listening = cancel
	b.mu.Unlock()
	b.streams.Add(1)
	go func() {
		defer b.streams.Done()
		defer cancel()
		for gone := false; ctx.Err() == nil && session != "" && b.current() == session; wait(ctx, relisten) {
			switch status, err := b.hear(ctx); {
			case err != nil:
				gone = true
				b.leaves(ctx, err)
			case status == http.StatusNotFound && gone: // another desk: what its server says is heard too
				_ = b.renew(all, session) // or by the next request, which then says what is wrong
				return
			case status != http.StatusOK:
				return
			}
		}
	}()
}

// hear follows the stream to its end, which may be that of the desk: it is opened again. An
// error says that no desk is there, and another status that it offers none.
func (b *relay) hear(ctx context.Context) (status int, err error) {
	resp, err := b.send(ctx, http.MethodGet, &errand{})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		_ = mcpwire.EachEvent(resp.Body, func(raw []byte) {
			if m, bad := mcpwire.FromServer(raw); bad == nil {
				b.asks(m)
			}
			b.write(raw)
		})
	}
	return resp.StatusCode, nil
}

// goodbye ends the session, so that its server ends with the client.
func (b *relay) goodbye(ctx context.Context) error {
	if b.current() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	resp, err := b.send(ctx, http.MethodDelete, &errand{})
	if err != nil {
		return nil // a desk that is gone has no sessions
	}
	return resp.Body.Close()
}
