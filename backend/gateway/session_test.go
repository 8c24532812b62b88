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
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// still is a server that says nothing.
type still struct{ ended chan struct{} }

func (u *still) Send(context.Context, upstream.Message) error { return nil }
func (u *still) Stop()                                        { close(u.ended) }
func (u *still) Over() <-chan struct{}                        { return u.ended }
func (u *still) Last() string                                 { return "" }
func (u *still) Said(int) string                              { return "" }

func stillness(*session, upstream.Listener) (upstream.Server, error) {
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
			_, bad := g.openBy(agent, permission.Server{ID: "x"}, false, func(s *session, to upstream.Listener) (upstream.Server, error) {
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
		g.openBy(permission.Agent{ID: "b"}, permission.Server{ID: "y"}, false, func(*session, upstream.Listener) (upstream.Server, error) {
			return nil, errors.New("no")
		})
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
	x, _ := s.admit(m, func(error) {})
	s.begin(t.Context(), x)
	s.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), upstream.Origin{})
	if n := g.health("x").crashes; n != 0 {
		t.Errorf("%d crashes are counted", n)
	}
}

// overtaken is a server whose request is cancelled, and left, while it is sent.
type overtaken struct {
	still
	leave func()
	heard chan error // of its caller, as the cancellation is sent
}

func (u *overtaken) Send(ctx context.Context, p upstream.Message) error {
	if p.Kind == mcpwire.Request {
		u.leave()
	} else {
		u.heard <- ctx.Err()
	}
	return nil
}

// TestACancellationThatOvertakesItsRequest reaches the server though its caller has gone.
func TestACancellationThatOvertakesItsRequest(t *testing.T) {
	s := newSession()
	ctx, cancel := context.WithCancelCause(t.Context())
	note, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	far := &overtaken{heard: make(chan error, 1), leave: func() {
		if s.cancelRequest(note) {
			t.Error("it is sent twice")
		}
		cancel(errGone)
	}}
	s.far = far
	m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`))
	x, _ := s.admit(m, cancel)
	s.begin(ctx, x)
	_, settled := s.dispatch(ctx, x, m.Raw)
	settled()
	select {
	case err := <-far.heard:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server hears nothing of it")
	}
}

// taker is a client whose second GET stream is opened while the first begins.
type taker struct {
	*httptest.ResponseRecorder
	s *session
}

func (w *taker) Flush() { w.s.listen() }

// TestAReplacedStreamTakesNothing: what waits is for the stream that took over.
func TestAReplacedStreamTakesNothing(t *testing.T) {
	for range 100 {
		s := newSession()
		s.enqueue([]byte(`{}`))
		w := &taker{httptest.NewRecorder(), s}
		s.speak(t.Context(), &stream{w: w, rc: http.NewResponseController(w)})
		if len(s.backlog) != 1 {
			t.Fatalf("it took %s", w.Body)
		}
	}
}

// TestAnIdleSessionEndsUnlessItIsUsed: looking and ending are one step.
func TestAnIdleSessionEndsUnlessItIsUsed(t *testing.T) {
	g := newGate(t, Options{})
	s, bad := g.openBy(permission.Agent{ID: "a"}, permission.Server{ID: "x"}, false, stillness)
	if bad != nil {
		t.Fatal(bad)
	}
	if s.expire() {
		t.Error("it ends while its opener uses it")
	}
	if s.leave(); !s.expire() || s.expire() || s.enter() {
		t.Error("it does not end once")
	}
}

// TestWhatAStreamDidNotTakeIsKept for the client's other one, but for what is of no use
// there.
func TestWhatAStreamDidNotTakeIsKept(t *testing.T) {
	note, _ := mcpwire.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	report, _ := mcpwire.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`))
	for what, say := range map[string]func(ctx context.Context, hangUp func(), s *session, x *exchange){
		"queued when it is left": func(_ context.Context, _ func(), s *session, x *exchange) {
			s.pass(note, upstream.Origin{})
			s.pass(report, upstream.Origin{})
			s.release(x)
		},
		"on its way when it is left": func(_ context.Context, _ func(), s *session, x *exchange) {
			for range cap(x.msgs) {
				x.msgs <- inbound{progress: &mcpwire.Progress{}}
			}
			time.AfterFunc(time.Second, func() { s.release(x) })
			s.pass(note, upstream.Origin{})
		},
		"shown to a caller that has left": func(ctx context.Context, hangUp func(), s *session, x *exchange) {
			hangUp()
			s.show(ctx, x, nil, inbound{raw: note.Raw})
			s.show(ctx, x, nil, inbound{raw: report.Raw, progress: &mcpwire.Progress{}})
		},
		"said after its caller has left": func(ctx context.Context, hangUp func(), s *session, x *exchange) {
			time.AfterFunc(time.Second, hangUp)
			s.follow(ctx, x, nil, following{limit: time.Minute, detached: true})
			s.pass(note, upstream.Origin{})
			s.pass(report, upstream.Origin{})
		},
		"said on its own stream after it was cancelled": func(_ context.Context, _ func(), s *session, x *exchange) {
			s.withdraw(x)
			s.pass(note, upstream.Origin{Request: x.key})
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSession()
				s.over = make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":"t"}}}`))
				x, _ := s.admit(m, cancel)
				s.begin(ctx, x)
				say(ctx, func() { cancel(errGone) }, s, x)
				time.Sleep(time.Minute)
				s.mu.Lock()
				defer s.mu.Unlock()
				if len(s.backlog) != 1 || string(s.backlog[0].raw) != string(note.Raw) {
					t.Errorf("%v is kept", s.backlog)
				}
			})
		})
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
