package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// play is a handler that does what the method says.
func play(ctx context.Context, m mcpwire.Message, say func(raw []byte)) ([]byte, error) {
	switch m.Method {
	case "tell":
		say([]byte(`{"jsonrpc":"2.0","method":"notifications/message"}`))
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "refuse":
		return nil, mcpwire.Errorf(mcpwire.CodeParams, "not so")
	case "fail":
		return nil, errors.New("no luck")
	case "panic":
		panic("oh")
	case "long":
		return []byte(`"` + strings.Repeat("x", 1000) + `"`), nil
	}
	return fmt.Appendf(nil, `{"header":%q}`, m.Header.Get("X")), nil
}

// listener writes down what it is told.
type listener struct {
	mu    sync.Mutex
	heard []string
}

func (l *listener) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, fmt.Sprintf(format, args...))
}

func (l *listener) taken() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := l.heard
	l.heard = nil
	return heard
}

// builtinServer is one of the desk's own servers, and what its session hears.
func builtinServer(t *testing.T) (Server, *listener) {
	d, l := NewDialer(), &listener{}
	d.Serve("own", play)
	s, err := d.Connect(permission.Server{ID: "own", Transport: permission.TransportBuiltin}, 200, Listener{
		Heard: func(raw []byte, from Origin) { l.note("%s %t %s", from.Request, from.Apart, raw) },
		Long:  func(from Origin) { l.note("%s is long: %.20s", from.Request, from.Head) },
		Lost:  func(o Loss) { l.note("%s is lost: %s %t", o.Request, o.Why, o.Refused) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

func message(t *testing.T, key, id, method, params string) Message {
	raw := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	if id != "" {
		raw = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
	}
	m, bad := mcpwire.FromClient([]byte(raw))
	if bad != nil {
		t.Fatal(bad)
	}
	p := MessageOf(m)
	p.Key, p.Header = key, http.Header{"X": {"y"}}
	return p
}

func TestBuiltin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := builtinServer(t)
		const told, answered = `{"jsonrpc":"2.0","method":"notifications/message"}`, `n1 false {"jsonrpc":"2.0","id":7,"result":{"header":"y"}}`
		for _, tt := range []struct {
			method string
			want   []string
		}{
			{"x", []string{answered}},
			{"tell", []string{"n1 false " + told, answered}},
			{"refuse", []string{`n1 false {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"not so"}}`}},
			{"fail", []string{`n1 false {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no luck"}}`}},
			{"panic", []string{`n1 is lost: the server broke down: oh false`}},
			{"long", []string{`n1 is long: {"jsonrpc":"2.0","id`}},
		} {
			if err := s.Send(t.Context(), message(t, "n1", "7", tt.method, "{}")); err != nil {
				t.Fatal(err)
			}
			if got := l.taken(); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q", tt.method, got)
			}
		}
		for method, want := range map[string][]string{"tell": {" true " + told}, "panic": nil, "x": nil} {
			if err := s.Send(t.Context(), message(t, "", "", method, "{}")); err != nil {
				t.Fatal(err)
			}
			if got := l.taken(); !slices.Equal(got, want) {
				t.Errorf("the notification %s: %q", method, got)
			}
		}
		s.Stop()
		<-s.Over()
	})
}

// TestBuiltinEnds: a request ends when its caller cancels it, when nobody waits for it, and
// with its session.
func TestBuiltinEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := builtinServer(t)
		ends := map[string]func(){
			"n1": func() { s.Send(t.Context(), message(t, "", "", mcpwire.CancelledNote, `{"requestId":1}`)) },
			"n2": func() { Drop(s, "n2") },
			"n3": s.Stop,
		}
		for i, key := range []string{"n1", "n2", "n3"} {
			if err := s.Send(t.Context(), message(t, key, fmt.Sprint(i+1), "wait", "{}")); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		if got := l.taken(); got != nil {
			t.Fatalf("before anything ends: %q", got)
		}
		for i, key := range []string{"n1", "n2", "n3"} {
			ends[key]()
			want := fmt.Sprintf(`%s false {"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"context canceled"}}`, key, i+1)
			if got := l.taken(); len(got) != 1 || got[0] != want {
				t.Errorf("%s: %q", key, got)
			}
		}
		<-s.Over()
		s.Stop()
		if err := s.Send(t.Context(), message(t, "n4", "4", "x", "{}")); !errors.Is(err, ErrEnded) || l.taken() != nil {
			t.Errorf("after its end: %v", err)
		}
	})
}

// TestAnUnknownBuiltin is not taken for a program to be started.
func TestAnUnknownBuiltin(t *testing.T) {
	other := permission.Server{ID: "other", Transport: permission.TransportBuiltin, Command: "true"}
	if s, err := NewDialer().Connect(other, 200, Listener{}); err == nil {
		t.Errorf("connected to %v", s)
	}
}
