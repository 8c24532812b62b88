package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// still is a server that says nothing.
type still struct{ ended chan struct{} }

func (u *still) Send(context.Context, upstream.Message) error { return nil }
func (u *still) Stop()                                        { close(u.ended) }
func (u *still) Over() <-chan struct{}                        { return u.ended }
func (u *still) Last() string                                 { return "" }
func (u *still) Said(int) string                              { return "" }

func newSession() *session.Session {
	s, err := session.New(session.Options{Idle: time.Hour, OnEnd: func(*session.Session, error) {}})
	if err != nil {
		panic(err)
	}
	return s
}

func stillness(*session.Session, upstream.Listener) (upstream.Server, error) {
	return &still{make(chan struct{})}, nil
}

// away is a desk without servers, that hears of sessions' ends.
type away struct{ Desk }

func (away) Server(context.Context, string) (permission.Server, error) {
	return permission.Server{}, permission.NotFound("server")
}

func (away) LeaveSession(context.Context, permission.AgentID, permission.SessionID) error { return nil }

func (away) Saw(context.Context, string, []permission.OfferedTool) error { return nil }

func (away) Sight(_, _ string) permission.Sight { return "" }

func newGate(t *testing.T, opts Options) *Gateway {
	g := New(away{}, nil, opts)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// TestRoomIsCountedOnce: sessions that are opened at the same time do not exceed the limit.
func TestRoomIsCountedOnce(t *testing.T) {
	const limit = 3
	g := newGate(t, Options{MaxSessions: limit})
	agent := permission.Agent{ID: "a"}
	opening, open := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	var mu sync.Mutex
	var refused int
	for range 10 {
		all.Go(func() {
			_, bad := g.openBy(agent, permission.Server{ID: "x"}, false, func(s *session.Session, to upstream.Listener) (upstream.Server, error) {
				opening <- struct{}{}
				<-open
				return stillness(s, to)
			})
			mu.Lock()
			defer mu.Unlock()
			if bad != nil {
				refused++
			}
		})
	}
	for range limit {
		<-opening
	}
	go func() {
		for range opening {
			t.Error("one too many is opened")
		}
	}()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		done := refused == 10-limit
		mu.Unlock()
		if done {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d are refused", refused)
		}
	}
	close(open)
	all.Wait()
	close(opening)
	if len(g.sessions) != limit || len(g.opening) > 0 {
		t.Errorf("%d sessions, and %v to be", len(g.sessions), g.opening)
	}
	// What cannot be started leaves its place to the next.
	for range 2 * limit {
		g.openBy(permission.Agent{ID: "b"}, permission.Server{ID: "y"}, false,
			func(*session.Session, upstream.Listener) (upstream.Server, error) { return nil, errors.New("no") })
	}
	if _, bad := g.openBy(permission.Agent{ID: "b"}, permission.Server{ID: "x"}, false, stillness); bad != nil {
		t.Error(bad)
	}
}

// TestAServerThatAnsweredHasNotCrashed: what was counted before it is forgotten at once.
func TestAServerThatAnsweredHasNotCrashed(t *testing.T) {
	g := newGate(t, Options{})
	for range fewCrashes {
		g.health("x").crashed(time.Now())
	}
	s, bad := g.openBy(permission.Agent{ID: "a"}, permission.Server{ID: "x"}, false, stillness)
	if bad != nil {
		t.Fatal(bad)
	}
	m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	x, _ := s.Admit(m, func(error) {})
	s.Begin(t.Context(), x)
	s.Receive([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), upstream.Origin{})
	if n := g.health("x").crashes; n != 0 {
		t.Errorf("%d crashes are counted", n)
	}
}

// TestAnIdleSessionEndsUnlessItIsUsed: looking and ending are one step.
func TestAnIdleSessionEndsUnlessItIsUsed(t *testing.T) {
	g := newGate(t, Options{})
	s, bad := g.openBy(permission.Agent{ID: "a"}, permission.Server{ID: "x"}, false, stillness)
	if bad != nil {
		t.Fatal(bad)
	}
	if s.Expire() {
		t.Error("it ends while its opener uses it")
	}
	if s.Leave(); !s.Expire() || s.Expire() || s.Enter() {
		t.Error("it does not end once")
	}
}

// TestASlowMessage: the time that a body has is the outer door's matter; its end is said.
func TestASlowMessage(t *testing.T) {
	g := New(away{}, nil, Options{AgentFrom: func(*http.Request) (permission.Agent, bool) { return permission.Agent{ID: "a"}, true }})
	body := io.MultiReader(strings.NewReader(`{"jsonrpc":`), iotest.ErrReader(os.ErrDeadlineExceeded))
	r := httptest.NewRequest(http.MethodPost, "/mcp/x", body)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if g.ServeHTTP(w, r); w.Code != http.StatusRequestTimeout || !strings.Contains(w.Body.String(), "too slowly") ||
		w.Header().Get("Connection") != "close" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestJoinedMembersAreNobodysSessions: a client cannot use a member by itself.
func TestJoinedMembersAreNobodysSessions(t *testing.T) {
	whole, agent := newSession(), permission.Agent{ID: "a"}
	m := newSession()
	m.Agent, m.Server.ID = agent, "one"
	g := &Gateway{sessions: map[string]*session.Session{"m": m}}
	if g.session("m", agent, "one") != m {
		t.Error("a session of its own is not found")
	}
	if m.Whole = whole; g.session("m", agent, "one") != nil {
		t.Error("a member is found")
	}
}
