package session

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// still2 is a server that says nothing.
type still struct{ ended chan struct{} }

func (u *still) Send(context.Context, upstream.Message) error { return nil }
func (u *still) Stop()                                        { close(u.ended) }
func (u *still) Over() <-chan struct{}                        { return u.ended }
func (u *still) Last() string                                 { return "" }
func (u *still) Said(int) string                              { return "" }

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
		if s.CancelRequest(note) {
			t.Error("it is sent twice")
		}
		cancel(ErrGone)
	}}
	s.Far = far
	m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`))
	x, _ := s.Admit(m, cancel)
	s.Begin(ctx, x)
	_, settled := s.Dispatch(ctx, x, m.Raw)
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
	s *Session
}

func (w *taker) Flush() { w.s.backlog.listen() }

// TestAReplacedStreamTakesNothing: what waits is for the stream that took over.
func TestAReplacedStreamTakesNothing(t *testing.T) {
	for range 100 {
		s := newSession()
		s.backlog.add(nil, []byte(`{}`))
		w := &taker{httptest.NewRecorder(), s}
		s.Speak(t.Context(), &Stream{w: w, rc: http.NewResponseController(w)})
		if len(s.backlog.list) != 1 {
			t.Fatalf("it took %s", w.Body)
		}
	}
}

// TestWhatAStreamDidNotTakeIsKept for the client's other one, but for what is of no use
// there.
func TestWhatAStreamDidNotTakeIsKept(t *testing.T) {
	note, _ := mcpwire.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	report, _ := mcpwire.FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`))
	for what, say := range map[string]func(ctx context.Context, hangUp func(), s *Session, x *Exchange){
		"queued when it is left": func(_ context.Context, _ func(), s *Session, x *Exchange) {
			s.pass(note, upstream.Origin{})
			s.pass(report, upstream.Origin{})
			s.Release(x)
		},
		"on its way when it is left": func(_ context.Context, _ func(), s *Session, x *Exchange) {
			for range cap(x.msgs) {
				x.msgs <- Inbound{progress: &mcpwire.Progress{}}
			}
			time.AfterFunc(time.Second, func() { s.Release(x) })
			s.pass(note, upstream.Origin{})
		},
		"shown to a caller that has left": func(ctx context.Context, hangUp func(), s *Session, x *Exchange) {
			hangUp()
			s.Show(ctx, x, nil, Inbound{Raw: note.Raw})
			s.Show(ctx, x, nil, Inbound{Raw: report.Raw, progress: &mcpwire.Progress{}})
		},
		"said after its caller has left": func(ctx context.Context, hangUp func(), s *Session, x *Exchange) {
			time.AfterFunc(time.Second, hangUp)
			s.Follow(ctx, x, nil, Following{Limit: time.Minute, Detached: true})
			s.pass(note, upstream.Origin{})
			s.pass(report, upstream.Origin{})
		},
		"said on its own stream after it was cancelled": func(_ context.Context, _ func(), s *Session, x *Exchange) {
			s.withdraw(x)
			s.pass(note, upstream.Origin{Request: x.key})
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSession()
				ctx, cancel := context.WithCancelCause(t.Context())
				m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":"t"}}}`))
				x, _ := s.Admit(m, cancel)
				s.Begin(ctx, x)
				say(ctx, func() { cancel(ErrGone) }, s, x)
				time.Sleep(time.Minute)
				if len(s.backlog.list) != 1 || string(s.backlog.list[0].raw) != string(note.Raw) {
					t.Errorf("%v is kept", s.backlog.list)
				}
			})
		})
	}
}

func newSession() *Session {
	s, err := New(Options{Idle: time.Hour})
	if err != nil {
		panic(err)
	}
	return s
}

// TestABacklogIsShared: a member that speaks without end loses its own words, and not
// those of the others, while the client does not listen.
func TestABacklogIsShared(t *testing.T) {
	for what, word := range map[string]string{"many": "", "long": strings.Repeat("x", maxKept/100)} {
		t.Run(what, func(t *testing.T) {
			whole, a, b := newSession(), newSession(), newSession()
			hear := func(member *Session, raws ...string) {
				for _, raw := range raws {
					whole.Say(member, []byte(raw))
				}
			}
			hear(nil, "desk")
			hear(b, "b1", "b2")
			for i := range 2 * maxBacklog {
				hear(a, fmt.Sprint("a", i, word))
			}
			hear(b, "b3")
			var got []string
			kept := 0
			for raw := whole.backlog.take(); raw != nil; raw = whole.backlog.take() {
				kept += len(raw)
				got = append(got, string(raw))
			}
			last := fmt.Sprint("a", 2*maxBacklog-1, word)
			if len(got) > maxBacklog || kept > maxKept || whole.backlog.kept != 0 || len(got) < 50 {
				t.Errorf("%d messages of %d bytes, and then %d", len(got), kept, whole.backlog.kept)
			}
			if strings.Join(got[:3], " ") != "desk b1 b2" || got[len(got)-2] != last || got[len(got)-1] != "b3" {
				t.Errorf("it begins with %.20q, and ends with %.20q", got[:3], got[len(got)-2:])
			}
		})
	}
}
