package era

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// The codes of errors that only servers of 2026-07-28 give.
const codeMissingCapability = -32021

// errOtherEra says that a server does not speak the era in which it was asked.
var errOtherEra = errors.New("it does not speak that era")

// attempt is a try to find out how a server speaks, which outlives the requests that wait for it.
type attempt struct {
	done chan struct{} // closed when err stands
	err  error
}

// open finds out how the server speaks before the first request without a session.
func (b *bridge) open(ctx context.Context, p upstream.Message) error {
	b.mu.Lock()
	a := b.attempt
	if a == nil && !b.opened.Load() {
		a = &attempt{done: make(chan struct{})}
		b.attempt = a
		go func() {
			a.err = b.openStateless(p)
			b.mu.Lock()
			b.attempt = nil
			b.mu.Unlock()
			close(a.done)
		}()
	}
	b.mu.Unlock()
	if a == nil {
		return nil
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// speak notes how the server speaks; f translates, or is nil.
func (b *bridge) speak(f face) {
	if f != nil {
		b.other.Store(&f)
		if b.stateless {
			b.known.learn(b.server)
		}
	}
	b.opened.Store(true)
}

// openStateless finds out how the server speaks before the first request without a session. It
// is asked for server/discover, as MCP says; one that knows nothing of that is begun with
// initialize.
func (b *bridge) openStateless(p upstream.Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	if bad != nil {
		return bad
	}
	who := senderOf(m)
	if b.known.Sessions(&b.server) {
		if f, err := b.initialize(who); err == nil {
			b.speak(f)
			return nil
		}
	}
	_, err := b.discover()
	switch {
	case err == nil:
		b.speak(nil)
		return nil
	case !errors.Is(err, errOtherEra):
		return err
	}
	f, failed := b.initialize(who)
	if failed == nil {
		b.speak(f)
		return nil
	}
	if errors.Is(err, errSilent) { // it may have been starting still
		if _, err := b.discover(); err == nil {
			b.speak(nil)
			return nil
		}
	}
	return fmt.Errorf("it speaks neither 2026-07-28 nor an earlier version of MCP: %w", failed)
}

// openSession finds out how the server speaks by the client's initialize. A server that takes it
// is left alone. One that does not is asked for server/discover, and where it does not know
// that either, the client gets what it said first.
func (b *bridge) openSession(ctx context.Context, p upstream.Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	if bad != nil {
		return bad
	}
	q := b.asked.begin(p.Key, func(raw []byte, from upstream.Origin) {
		b.speak(nil)
		b.to.Heard(raw, from)
	})
	if err := b.far.Send(ctx, p); err != nil {
		b.asked.end(p.Key)
		return err
	}
	go b.openLate(p, m, q)
	return nil
}

// openLate waits for the answer to the client's initialize.
func (b *bridge) openLate(p upstream.Message, m mcpwire.Message, q *asked) {
	defer b.asked.end(p.Key) // until then nothing that comes for it reaches the client
	var got answer
	select {
	case got = <-q.answer:
	case <-b.life.Done():
		return
	}
	if got.result != nil {
		return
	}
	if got.otherEra() {
		if about, err := b.discover(); err == nil && b.welcome(b.life, p, m, about) == nil {
			return
		}
	}
	if got.lost != nil {
		got.lost.Request = p.Key
		b.to.Lost(*got.lost)
		return
	}
	b.to.Heard(got.raw, got.from)
}

// welcome answers the client's initialize in the place of a server that has none.
func (b *bridge) welcome(ctx context.Context, p upstream.Message, m mcpwire.Message, about discovered) error {
	f := newStatelessServer(&b.link, m, about)
	b.speak(f)
	return f.send(ctx, p, m)
}

// discover asks the server what it is. errOtherEra says that it does not speak 2026-07-28.
func (b *bridge) discover() (about discovered, err error) {
	got, err := b.ask(b.life, probeWithin, mcpwire.Discover, fmt.Appendf(nil, `{"_meta":%s}`, MetaOf(mcpwire.Message{})),
		http.Header{mcpwire.VersionHeader: {mcpwire.Stateless}, mcpwire.MethodHeader: {mcpwire.Discover}})
	switch {
	case errors.Is(err, errSilent):
		return about, fmt.Errorf("%w: %w", errOtherEra, err) // some servers say nothing before initialize
	case err != nil:
		return about, err
	case got.barred():
		return about, got.err(mcpwire.Discover)
	case got.lost != nil:
		return about, errOtherEra
	case got.fault != nil:
		return about, knows(got.fault)
	case json.Unmarshal(got.result, &about) != nil, len(about.Versions) == 0:
		return about, errOtherEra
	}
	return about, speaksOurs(about.Versions)
}

// knows reads the error of a server that was asked for server/discover: by some codes it says
// that it speaks a version of that era.
func knows(fault []byte) error {
	var e struct {
		Code int
		Data struct{ Supported []string }
	}
	switch json.Unmarshal(fault, &e); e.Code {
	case mcpwire.CodeUnsupported:
		return speaksOurs(e.Data.Supported)
	case mcpwire.CodeMismatch, codeMissingCapability:
		return upstream.RefusedBy(mcpwire.Discover, fault)
	}
	return errOtherEra
}

// speaksOurs says what there is to say of the versions that a server speaks.
func speaksOurs(versions []string) error {
	isSession := func(v string) bool { return slices.Contains(mcpwire.SessionVersions[:], v) }
	switch {
	case slices.Contains(versions, mcpwire.Stateless):
		return nil
	case slices.ContainsFunc(versions, isSession):
		return errOtherEra
	}
	return fmt.Errorf("the server speaks only the versions %.200q of MCP, which Sekisho does not", versions)
}

// initialize begins a session at the server in the name of a client.
func (b *bridge) initialize(who client) (face, error) {
	params := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, mcpwire.SessionVersions[0],
		who.capabilities, who.info)
	got, err := b.ask(b.life, startWithin, mcpwire.Initialize, params, nil)
	if err == nil {
		err = got.err(mcpwire.Initialize)
	}
	if err != nil {
		return nil, err
	}
	var said initialized
	switch {
	case json.Unmarshal(got.result, &said) != nil, said.Version == "":
		return nil, errors.New("the server's answer to initialize is not one of MCP")
	case !slices.Contains(mcpwire.SessionVersions[:], said.Version):
		return nil, fmt.Errorf("the server speaks version %.40q of MCP, which Sekisho does not", said.Version)
	}
	f := newSessionServer(&b.link, said)
	note := upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), Kind: mcpwire.Notification,
		Method: mcpwire.InitializedNote, Header: f.header}
	ctx, cancel := context.WithTimeout(b.life, noteWithin)
	defer cancel()
	if err := b.far.Send(ctx, note); err != nil {
		return nil, fmt.Errorf("tell the server that it is initialized: %w", err)
	}
	return f, nil
}
