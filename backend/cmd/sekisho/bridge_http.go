package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strings"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/proved"
)

// answerError is an error answer of the desk: its JSON-RPC error value as it came.
type answerError struct {
	code  int
	value []byte
}

func (e *answerError) Error() string { return string(e.value) }

var errUnanswered = errors.New("Sekisho ended while the request was in progress: repeat it to get its outcome")

// send makes one HTTP request of the session, or in the era without sessions.
func (b *relay) send(ctx context.Context, method string, l line) (*http.Response, error) {
	at, err := b.find()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, at.url, bytes.NewReader(l.Raw))
	if err != nil {
		return nil, fmt.Errorf("address the desk: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+at.token)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if l.Raw != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	b.describe(req.Header, l)
	resp, err := b.clientOf(at.token).Do(req)
	if none := (*proved.Error)(nil); errors.As(err, &none) {
		return nil, none
	}
	if err != nil {
		return nil, fmt.Errorf("Sekisho is not running at %s: start it, then try again (%w)", at.desk, err)
	}
	return resp, nil
}

// clientOf gives the client for a token: the same one until the token is another.
func (b *relay) clientOf(token string) *http.Client {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == nil || b.token != token {
		b.client, b.token = deskClient(token), token
	}
	return b.client
}

// describe writes the headers that the client has no place for.
func (b *relay) describe(h http.Header, l line) {
	if l.version != "" {
		h.Set(mcpwire.VersionHeader, l.version)
		h.Set(mcpwire.MethodHeader, l.Method)
		h.Set(mcpwire.BridgeHeader, "1")
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
func (b *relay) exchange(ctx context.Context, l line, hand func([]byte)) error {
	resp, err := b.send(ctx, http.MethodPost, l)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return refused(resp)
	}
	answered := l.Kind != mcpwire.Request
	take := func(raw []byte) {
		answered = b.look(resp, l, raw) || answered
		hand(raw)
	}
	if t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); t == "text/event-stream" {
		err = events(resp.Body, take)
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
	}
	return errUnanswered
}

// look reports whether raw is the answer to l, and keeps the session that a good
// answer to initialize begins.
func (b *relay) look(resp *http.Response, l line, raw []byte) bool {
	m, bad := mcpwire.FromServer(raw)
	if bad != nil || m.Kind != mcpwire.Response || m.Key != l.Key {
		return false
	}
	if id := resp.Header.Get(mcpwire.SessionHeader); id != "" && l.Method == mcpwire.Initialize && m.Result != nil {
		b.agree(id, m.Result)
	}
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
		return &answerError{code: e.Code, value: body.Error}
	}
	words := body.Detail
	if words == "" {
		words = strings.TrimSpace("the desk answered " + resp.Status + " " + body.Title)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		words = "Sekisho does not know this agent's token: check --agent, --token-file or SEKISHO_TOKEN (" + words + ")"
	}
	return &answerError{code: mcpwire.CodeInternal, value: mcpwire.ErrorValue(mcpwire.Errorf(mcpwire.CodeInternal, "%s", words))}
}

// events gives the data of each event of a stream, to its end: the desk bounds what it
// sends.
func events(r io.Reader, hand func([]byte)) error {
	all := mcpwire.NewEvents(r, math.MaxInt32-1<<10)
	for {
		e, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil // an event without its end is none
		}
		if err != nil {
			return fmt.Errorf("read the desk's events: %w", err)
		}
		if len(e.Data) > 0 {
			hand(e.Data)
		}
	}
}

// relisten is how long the bridge waits before it opens a broken stream again.
const relisten = time.Second

// stream opens the stream of what the server says on its own, in the place of an
// earlier session's.
func (b *relay) stream(ctx context.Context) {
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
		for ctx.Err() == nil && session != "" && b.current() == session && b.hear(ctx) {
			wait(ctx, relisten)
		}
	}()
}

// hear follows the stream to its end; false when the desk does not offer one.
func (b *relay) hear(ctx context.Context) bool {
	resp, err := b.send(ctx, http.MethodGet, line{})
	if err != nil {
		return true
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false
	}
	events(resp.Body, b.write) // broken or ended is the same here: it is opened again
	return true
}

// goodbye ends the session, so that its server ends with the client.
func (b *relay) goodbye(ctx context.Context) error {
	if b.current() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	resp, err := b.send(ctx, http.MethodDelete, line{})
	if err != nil {
		return nil // a desk that is gone has no sessions
	}
	return resp.Body.Close()
}
