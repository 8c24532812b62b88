package era

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// script is a server of a test's own words, which a bridge has on one way like a process.
type script struct {
	play func(s *script, m mcpwire.Message) // called with each message, in turn
	over chan struct{}
	stop sync.Once

	mu  sync.Mutex
	got []string
	b   *bridge
}

func (s *script) Send(_ context.Context, p upstream.Message) error {
	m, bad := mcpwire.FromClient(p.Raw)
	if bad != nil {
		return bad
	}
	s.mu.Lock()
	s.got = append(s.got, string(p.Raw))
	s.mu.Unlock()
	if p.Header.Get(mcpwire.MethodHeader) != "" && p.Header.Get(mcpwire.MethodHeader) != m.Method {
		return fmt.Errorf("its headers are %v", p.Header)
	}
	s.play(s, m)
	return nil
}

func (s *script) Stop()                 { s.stop.Do(func() { close(s.over) }) }
func (s *script) Over() <-chan struct{} { return s.over }
func (s *script) Last() string          { return "" }
func (s *script) Said(int) string       { return "" }

func (s *script) say(format string, args ...any) {
	s.b.heard(fmt.Appendf(nil, format, args...), upstream.Origin{})
}

// received counts the messages that the server got which have all of some words in them.
func (s *script) received(words ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, raw := range s.got {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(raw, w) }) {
			n++
		}
	}
	return n
}

// house is a session before a bridge, with what it was told.
type house struct {
	*bridge
	*script
	t     *testing.T
	token string // of the progress of the client's requests, if any
	mu    sync.Mutex
	told  []string
}

// newHouse opens a bridge for a client of either era before a server that plays a script.
func newHouse(t *testing.T, stateless bool, play func(s *script, m mcpwire.Message)) *house {
	h := &house{t: t, script: &script{play: play, over: make(chan struct{})}}
	hear := func(raw []byte, from upstream.Origin) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.told = append(h.told, from.Request+" "+string(raw))
	}
	h.bridge = new(Bridges).bridge(permission.Server{ID: "s", Transport: permission.TransportStdio}, stateless, upstream.Listener{
		Heard: hear,
		Long:  func(from upstream.Origin) { hear([]byte("too long"), from) },
		Lost:  func(l upstream.Loss) { hear([]byte("lost: "+l.Why), upstream.Origin{Request: l.Request}) },
		Waits: func(string) bool { return true },
	})
	h.script.b = h.bridge
	h.bridge.begin(h.script)
	t.Cleanup(h.script.Stop)
	return h
}

// ask sends a request of the client under a number, with more in its params.
func (h *house) ask(id int, method, params string) {
	h.t.Helper()
	if h.stateless {
		params = strings.TrimSuffix(params, "}")
		if params != "{" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"x":1`
		if h.token != "" {
			params += `,"progressToken":"` + h.token + `"`
		}
		params += `}}`
	}
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	p := upstream.Message{Raw: raw, Kind: mcpwire.Request, Key: fmt.Sprint("n", id), Method: method}
	if err := h.bridge.Send(h.t.Context(), p); err != nil {
		h.t.Errorf("%s: %v", method, err)
	}
}

// tell sends what is no request.
func (h *house) tell(kind mcpwire.Kind, raw string) {
	h.t.Helper()
	m, bad := mcpwire.FromClient([]byte(raw))
	if bad != nil {
		h.t.Fatal(bad)
	}
	if err := h.bridge.Send(h.t.Context(), upstream.Message{Raw: m.Raw, Kind: kind, Key: m.Key, Method: m.Method}); err != nil {
		h.t.Error(err)
	}
}

// hears waits until the client has heard a message with some words, and gives it.
func (h *house) hears(words ...string) string {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		h.mu.Lock()
		for _, raw := range h.told {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(raw, w) }) {
				h.mu.Unlock()
				return raw
			}
		}
		h.mu.Unlock()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.t.Fatalf("nothing with %q among %q", words, h.told)
	return ""
}

// awaits waits until the server has received messages with some words so many times.
func (h *house) awaits(times int, words ...string) {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); h.received(words...) != times; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("%d times %q among %q", h.received(words...), words, h.got)
		}
	}
}

// ticket is the requestState in what the client was told.
func ticket(raw string) string {
	_, after, _ := strings.Cut(raw, `"requestState":"`)
	state, _, _ := strings.Cut(after, `"`)
	return state
}
