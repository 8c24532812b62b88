package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/proved"
	"sekisho/backend/terminal"
)

// While no desk is there, or while one ends: requests wait, and are sent to the next desk.

const (
	firstPause, longestPause = 50 * time.Millisecond, time.Second // between attempts
	lifeEvery                = 5 * time.Second                    // between signs of life while no desk is there

	// usualWait is how long a client waits of which no desk has said, and what is no call.
	usualWait = 50 * time.Second
	// maxKept bounds how much is remembered of what a client and its server set up.
	maxKept = 1000
)

// deliver sends a message and writes what comes back, until a desk has answered it. An error
// says that none will: what the last one said, or that no desk was there in time.
func (b *relay) deliver(ctx context.Context, e *errand) error {
	renewed := false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		used, had := b.current(), e.sent.Load()
		err := b.exchange(ctx, e, b.write)
		var refused *answerError
		if errors.As(err, &refused) {
			e.sent.Store(had) // this desk did not take it
		}
		if refused != nil && refused.code == mcpwire.CodeNoSession && used != "" && e.Kind == mcpwire.Request && !renewed {
			if err = b.renew(ctx, used); err == nil {
				renewed = true
				continue
			}
		}
		if err == nil || e.Kind != mcpwire.Request || !b.passes(err) || !b.await(ctx, e, err, pause) {
			return err
		}
		renewed = false
	}
}

// passes reports whether an error is that of a desk that is not there, or not any more: the
// next one may answer. What does not prove itself is sent nothing, and may go away too: but at
// first it is more likely that the address is wrong.
func (b *relay) passes(err error) bool {
	var refused *answerError
	var none *proved.Error
	switch {
	case errors.As(err, &refused):
		return refused.closes
	case errors.As(err, &none):
		return b.hasMet()
	}
	return errors.Is(err, errNoDesk) || errors.Is(err, errUnanswered)
}

// await waits for a moment before a message is sent again, with a sign of life for its
// client; false when that is not kept waiting any longer.
func (b *relay) await(ctx context.Context, e *errand, why error, pause time.Duration) bool {
	left := time.Until(e.began.Add(b.limit(e)))
	if left <= 0 || ctx.Err() != nil {
		return false
	}
	b.leaves(ctx, why)
	if now := time.Now(); e.token != nil && now.Sub(e.beaten) >= lifeEvery {
		e.beats++
		e.beaten = now
		const note = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%s}}`
		b.write(fmt.Appendf(nil, note, e.token, e.beats, mcpwire.Quote("Sekisho is not there: waiting for it")))
	}
	wait(ctx, min(pause, left))
	return ctx.Err() == nil
}

// limit is how long a request waits for its answer while there is no desk: a call as long as
// its client waits, but for what the answer needs to get there.
func (b *relay) limit(e *errand) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.met:
		return b.first
	case e.call == "" || b.patience == 0:
		return usualWait
	}
	return b.patience - min(b.patience/10, lastWords)
}

// leaves notes that no desk is there, and tells so once.
func (b *relay) leaves(ctx context.Context, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away || ctx.Err() != nil {
		return
	}
	b.away = true
	words := "sekisho: the desk is not there; waiting for it"
	if none := (*proved.Error)(nil); errors.As(why, &none) {
		words += ": " + terminal.Visible(none.Error())
	}
	fmt.Fprintln(b.told, words)
}

// back notes that a desk answers, and what it says of the client.
func (b *relay) back(resp *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seconds, err := strconv.Atoi(resp.Header.Get(mcpwire.PatienceHeader)); err == nil && seconds > 0 && seconds < math.MaxInt32 {
		b.patience = time.Duration(seconds) * time.Second
	}
	if b.met = true; b.away {
		b.away = false
		fmt.Fprintln(b.told, "sekisho: the desk is there again")
	}
}

func (b *relay) hasMet() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.met
}

// apology answers a request for which there is no answer.
func (b *relay) apology(e *errand, err error) []byte {
	var refused *answerError
	switch {
	case errors.As(err, &refused):
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, e.ID, refused.value)
	case e.call == "" || !b.hasMet() || !b.passes(err):
		return mcpwire.ErrorAnswer(e.ID, mcpwire.Errorf(mcpwire.CodeInternal, "%s", err))
	case e.sent.Load():
		return mcpwire.ToolError(e.ID, "It is not known whether the call ran: Sekisho ended while it had the call, and did not come back in time. "+
			"If the call was waiting for a person, the same call again, once Sekisho runs, picks up its outcome: look first at what it may have done.")
	}
	return mcpwire.ToolError(e.ID, "PENDING: the call was not executed. Sekisho is not running. "+
		"Repeat the same call, with the same arguments, when it runs again.")
}

// renew begins a session again in the place of one that the desk no longer knows, and sets
// up there what the client had set up.
func (b *relay) renew(ctx context.Context, lost string) error {
	b.renewing.Lock()
	defer b.renewing.Unlock()
	b.mu.Lock()
	session, initialize := b.session, b.initialize
	b.mu.Unlock()
	if session != lost {
		return nil // another request has done it
	}
	b.withdraw()
	l, _ := parse(initialize) // it was read before
	l.opening = true          // others go on under the old name until there is another, and hear that it is gone
	var answer []byte
	if err := b.exchange(ctx, newErrand(l), func(raw []byte) { answer = raw }); err != nil {
		return err
	}
	if m, bad := mcpwire.FromServer(answer); bad == nil && m.Fault != nil {
		return &answerError{code: mcpwire.CodeInternal, value: m.Fault}
	}
	ready, _ := parse([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), remarkWithin) // the session is there, whoever leaves
	defer cancel()
	if err := b.exchange(within, newErrand(ready), func([]byte) {}); err != nil {
		return err
	}
	b.listen()
	b.restore()
	return nil
}

func (b *relay) current() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// setUp remembers a request that was granted and that holds for the session.
func (b *relay) setUp(l line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch l.Method {
	case mcpwire.SetLevel:
		b.level = &l
	case mcpwire.Subscribe:
		if len(b.watched) < maxKept {
			b.watched[l.text("uri")] = l
		}
	case mcpwire.Unsubscribe:
		delete(b.watched, l.text("uri"))
	}
}

// setUpAgain sets up in a session what was set up in the one before.
func (b *relay) setUpAgain(ctx context.Context) {
	b.mu.Lock()
	var all []line
	if b.level != nil {
		all = append(all, *b.level)
	}
	for _, l := range b.watched {
		all = append(all, l)
	}
	b.mu.Unlock()
	for _, l := range all {
		if err := b.exchange(ctx, newErrand(l), func([]byte) {}); err != nil && ctx.Err() == nil {
			fmt.Fprint(b.told, terminal.Complaint("sekisho", fmt.Errorf("%s was not done again: %w", l.Method, err)))
		}
	}
}

// asks notes a request of the server, so that the client hears of its end.
func (b *relay) asks(m mcpwire.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case m.Kind == mcpwire.Request && len(b.asked) < maxKept:
		b.asked[m.Key] = slices.Clone(m.ID)
	case m.Method == mcpwire.CancelledNote:
		id, _ := mcpwire.Member(m.Params, "requestId")
		key, _ := mcpwire.IDKey(id)
		delete(b.asked, key)
	}
}

// answers takes note of the client's answer to a request; false where its server has ended:
// another one may have given the same id to something else.
func (b *relay) answers(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, known := b.asked[key]
	delete(b.asked, key)
	return known
}

// withdraw tells the client that nobody waits for its answers to a server that has ended.
func (b *relay) withdraw() {
	b.mu.Lock()
	asked := b.asked
	b.asked = map[string][]byte{}
	b.mu.Unlock()
	for _, id := range asked {
		const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the server ended with Sekisho"}}`
		b.write(fmt.Appendf(nil, cancelled, id))
	}
}

// hears notes how far progress is that the client is told: what follows has to be above.
func (e *errand) hears(m mcpwire.Message) {
	p, ok := mcpwire.ReadProgress(m)
	if !ok || e.token == nil || p.Key != e.tokenKey {
		return
	}
	raw, _ := mcpwire.Member(m.Params, "progress")
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil && n < math.MaxInt32 {
		e.beats = max(e.beats, int64(math.Ceil(n)))
	}
}
