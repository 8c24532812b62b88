package joined

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// slowHost opens no server, after a while.
type slowHost struct {
	Host
	opened int
}

func (h *slowHost) Listed(_ context.Context, id string) (permission.Server, *mcpwire.Error) {
	return permission.Server{ID: id, Enabled: true}, nil
}

func (h *slowHost) Open(permission.Agent, permission.Server,
	func(*session.Session, upstream.Listener) (upstream.Server, error)) (*session.Session, *mcpwire.Error) {
	h.opened++
	time.Sleep(time.Minute)
	return nil, mcpwire.Errorf(mcpwire.CodeInternal, "it does not open")
}

// TestWhoWaitsForAMember leaves with their context, and hears of a failure without trying again.
func TestWhoWaitsForAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &slowHost{}
		client := newSession()
		defer client.End(session.ErrClosed)
		members := New(h, nil, Options{Patience: time.Hour}).connect(client, nil).members
		client.Far = &noted{}
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := members.peer(t.Context(), "a")
				failed <- err
			}()
			synctest.Wait()
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := members.peer(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("who has a second: %v after %s", err, time.Since(began))
		}
		for range 2 {
			if err := <-failed; err == nil || err.Error() != "it does not open" {
				t.Errorf("who waits hears: %v", err)
			}
		}
		if m := members.of["a"]; h.opened != 1 || m.err == nil || m.failed.IsZero() {
			t.Errorf("opened %d times, failed at %s: %v", h.opened, m.failed, m.err)
		}
	})
}

// TestAMemberThatComesAfterTheEnd of its client is left again: a session that others use as well
// would else never be idle.
func TestAMemberThatComesAfterTheEnd(t *testing.T) {
	shared, err := session.New(session.Options{Shared: true, Idle: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	client := newSession()
	defer client.End(session.ErrClosed)
	members := New(&slowHost{}, nil, Options{}).connect(client, nil).members
	client.Far = &noted{}
	members.stop()
	o := &opening{done: make(chan struct{}), peer: &peer{s: shared}}
	m := &member{opening: o}
	members.opened(t.Context(), m)
	if _, idle := shared.IdleSince(); !idle || !errors.Is(o.err, session.ErrClosed) || m.peer != nil {
		t.Errorf("idle: %v, and whoever waits hears: %v", idle, o.err)
	}
}
