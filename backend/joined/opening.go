package joined

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// openWithin is how long a server may take to start, in which some are downloaded first.
const openWithin = 5 * time.Minute

// opening is the start of a server for a client, which outlives the requests that wait for it.
type opening struct {
	server permission.Server
	began  time.Time
	cancel context.CancelFunc
	done   chan struct{} // closed when peer and err stand
	peer   *peer
	err    error
}

// cancel breaks off what is under way at a server's place. The caller holds the lock of members.
func (m *member) cancel() {
	if m.opening != nil {
		m.opening.cancel()
	}
	for _, f := range m.fetches {
		if f != nil {
			f.cancel()
		}
	}
}

// peer gives the member of a server; one that has ended, or whose entry is another now, is
// opened again. Who waits while that goes wrong hears of it, and does not try once more.
func (a *members) peer(ctx context.Context, serverID string) (*peer, error) {
	for {
		server, bad := a.host.Listed(ctx, serverID)
		if bad != nil {
			return nil, bad
		}
		p, o, err := a.place(ctx, server)
		if o == nil {
			return p, err
		}
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("it is starting still: %w", ctx.Err())
		}
		if o.server.Same(&server) {
			return o.peer, o.err
		}
	}
}

// place gives the member of a server, or its opening, which is begun where there is none.
func (a *members) place(ctx context.Context, server permission.Server) (*peer, *opening, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.at(server.ID)
	switch {
	case a.stopped:
		return nil, nil, session.ErrClosed
	case m.opening != nil:
		if !m.opening.server.Same(&server) {
			m.opening.cancel()
		}
		return nil, m.opening, nil
	case m.peer != nil && m.peer.s.Alive() && m.peer.s.Server.Same(&server):
		return m.peer, nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openWithin)
	o := &opening{server: server, began: time.Now(), cancel: cancel, done: make(chan struct{})}
	old := m.peer
	m.opening = o
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		defer cancel()
		if old != nil {
			old.end()
		}
		introduce := a.introduce
		if a.client.Shared {
			introduce = a.share
		}
		o.peer, o.err = introduce(ctx, server, &m.named)
		a.opened(ctx, m)
	}()
	return nil, o, nil
}

// opened notes how the opening at a server's place went.
func (a *members) opened(ctx context.Context, m *member) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := m.opening
	m.opening = nil
	if o.err == nil && a.stopped {
		o.peer.end() // stop knew nothing of it
		o.err = session.ErrClosed
	}
	switch {
	case o.err == nil:
		m.peer, m.failed = o.peer, time.Time{}
	case !errors.Is(ctx.Err(), context.Canceled):
		m.failed, m.err = time.Now(), o.err
	}
	close(o.done)
}
