package joined

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/mcpwire"
)

// fetch is a list of one kind that a server is asked for. It outlives the request that began
// it: what comes too late for the client's list is told to it by the notification that its list
// has changed.
type fetch struct {
	began  time.Time // the server's start, or the question
	cancel context.CancelFunc
	done   chan struct{} // closed when the list stands
	offers bool          // things of the kind at all
	all    []mcpwire.Offering
	err    error
	missed bool // a list was answered without it; guarded by members
}

// failedFor is how long a server that could not be opened is not opened for another list
// than that of tools, which clients ask for first: who waited for that shall not wait as
// long for each of the others.
const failedFor = 30 * time.Second

// fetch asks a server for a list; one that is being asked already answers both.
func (l *lists) fetch(ctx context.Context, what mcpwire.ListKind, serverID string) *fetch {
	a := l.members
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.at(serverID)
	if f := m.fetches[what]; f != nil {
		return f
	}
	f := &fetch{began: time.Now(), done: make(chan struct{})}
	if m.opening != nil {
		f.began = m.opening.began
	}
	if recent := time.Now().Add(-failedFor); what != mcpwire.OfTools && m.failed.After(recent) || a.stopped {
		f.err = m.err
		close(f.done)
		return f
	}
	ctx, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), openWithin)
	m.fetches[what] = f
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		defer f.cancel()
		f.ask(ctx, a, what, serverID)
		l.fetched(ctx, m, what, serverID)
	}()
	return f
}

// ask asks the server, which is started where it is not there. Some servers list tools without
// declaring that they have any.
func (f *fetch) ask(ctx context.Context, a *members, what mcpwire.ListKind, serverID string) {
	p, err := a.peer(ctx, serverID)
	if f.err = err; err != nil {
		return
	}
	f.offers = p.terms().can.list[what]
	if !f.offers && what != mcpwire.OfTools {
		return
	}
	f.all, f.err = mcpwire.GatherList(what, func(params []byte) ([]byte, error) {
		return p.ask(ctx, mcpwire.Listings[what].Method, params)
	})
	if errors.Is(f.err, errNoMethod) || !f.offers && f.err != nil { // it has some of the kind's methods, and not this one
		f.all, f.err = []mcpwire.Offering{}, nil
	}
	f.offers = f.offers || len(f.all) > 0
}

// fetched keeps a list that came, and tells the client where it was answered without it.
func (l *lists) fetched(ctx context.Context, m *member, what mcpwire.ListKind, serverID string) {
	l.members.mu.Lock()
	f := m.fetches[what]
	m.fetches[what] = nil
	if f.err == nil && m.peer != nil {
		m.peer.lists[what] = f.all
	}
	close(f.done)
	missed := f.missed && ctx.Err() == nil
	l.members.mu.Unlock()
	switch {
	case missed && f.err != nil:
		l.log.warn("the %s of the server %s do not come: %s", mcpwire.Listings[what].Words, serverID, f.err)
	case missed && len(f.all) > 0:
		l.members.client.Say(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, mcpwire.Listings[what].Changed))
	}
}

// await gives what a server offers, in the time that a list waits for it from its start on.
// One that is too busy to answer still has what it had the last time.
func (l *lists) await(ctx context.Context, what mcpwire.ListKind, s *stand) {
	f := l.fetch(ctx, what, s.server.ID)
	late := time.NewTimer(time.Until(f.began.Add(l.opts.within())))
	defer late.Stop()
	select {
	case <-f.done:
	case <-late.C:
	case <-ctx.Done():
	}
	l.members.mu.Lock()
	defer l.members.mu.Unlock()
	m := l.members.at(s.server.ID)
	select {
	case <-f.done:
		s.offers, s.all, s.err = f.offers, f.all, f.err
	default:
		s.err = fmt.Errorf("it has not answered in %s; they come when it does", l.opts.within())
	}
	if s.err == nil {
		return
	}
	if p := m.peer; p != nil && p.lists[what] != nil && p.s.Alive() {
		s.offers, s.all, s.err = true, p.lists[what], nil
		return
	}
	f.missed = true
}
