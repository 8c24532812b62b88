package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"

	"sekisho/backend/restclient"
)

// posted sends a tools/call as a bridge does, and gives the answer: as JSON, or the last event.
func (m *mortal) posted(ctx context.Context, text, args string, via mcpwire.Bridged) string {
	m.t.Helper()
	at, _ := m.endpoint()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"%s":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		text, args, mcpwire.MetaVersion)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.url, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + at.token, "Accept": "application/json, text/event-stream",
		"Content-Type": "application/json", mcpwire.VersionHeader: mcpwire.Stateless, mcpwire.MethodHeader: mcpwire.CallTool,
		mcpwire.NameHeader: text, mcpwire.BridgeHeader: via.Header()} {
		req.Header.Set(name, value)
	}
	resp, err := restclient.HTTP(at.token).Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(raw)), "data: ")
	return all[len(all)-1]
}

// TestACallThatIsSentAgain has the answer of the first time, and does not run again.
func TestACallThatIsSentAgain(t *testing.T) {
	m := newMortal(t, permission.Allow)
	m.start()
	ctx := t.Context()
	for i, tt := range []struct{ tool, args, want string }{
		{"note", `{"text":"good"}`, `"text":"noted"`},
		{"note", `{"text":"bad"}`, `"isError":true`},
		{"nope", `{}`, `"error":{"code":-32602,`},
	} {
		via := mcpwire.Bridged{Run: "r", Call: fmt.Sprint("c-", i)}
		first := m.posted(ctx, tt.tool, tt.args, via)
		via.Again, via.Waited = true, time.Second
		if again := m.posted(ctx, tt.tool, tt.args, via); again != first || !strings.Contains(first, tt.want) {
			t.Errorf("at first %s\nthen     %s", first, again)
		}
	}
	if ran := m.ran(); ran["good"] != 1 || ran["bad"] != 1 {
		t.Errorf("ran %v", ran)
	}
	via := mcpwire.Bridged{Run: "r", Call: "c-0", Again: true}
	if got := m.posted(ctx, "note", `{"text":"another"}`, via); !strings.Contains(got, "another input") || m.ran()["another"] != 0 {
		t.Errorf("another call of the same name: %s; ran %v", got, m.ran())
	}
}

// TestACallTakesNoNameOfAnother: what a caller says of itself names no session of its agent,
// whose grants hold for that, and no call of another door.
func TestACallTakesNoNameOfAnother(t *testing.T) {
	m := newMortal(t, permission.Allow)
	m.start()
	const another = "0199c0de-0000-7000-8000-000000000001"
	m.posted(t.Context(), "note", `{"text":"it"}`, mcpwire.Bridged{Run: another, Call: another})
	if calls := m.calls(); len(calls) != 1 || calls[0].SessionID == another || calls[0].RunID == another {
		t.Errorf("calls %+v", calls)
	}
}

// TestACallThatIsSentAgainWhileItRuns on a connection that broke has its answer too.
func TestACallThatIsSentAgainWhileItRuns(t *testing.T) {
	m := newMortal(t, permission.Allow)
	m.start()
	via := mcpwire.Bridged{Run: "r", Call: "c"}
	const args = `{"text":"long","for":1500}`
	ctx, cut := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		defer close(done)
		m.posted(ctx, "note", args, via)
	}()
	until(t, "the call", func() bool { return m.ran()["long"] == 1 })
	cut()
	<-done
	via.Again = true
	if got := m.posted(t.Context(), "note", args, via); !strings.Contains(got, `"text":"noted"`) || m.ran()["long"] != 1 {
		t.Errorf("it says %s; ran %v", got, m.ran())
	}
}

// TestACallThatHasWaitedElsewhere has the rest of its client's patience.
func TestACallThatHasWaitedElsewhere(t *testing.T) {
	m := newMortal(t, permission.Ask)
	m.start()
	got := m.posted(t.Context(), "note", `{"text":"it"}`, mcpwire.Bridged{Run: "r", Call: "c", Waited: m.waits, Beats: 7})
	if !strings.Contains(got, "PENDING") {
		t.Errorf("it says %s", got)
	}
}

// resumed plays a desk whose first session ends with its connections at a word of the test.
// Each session is known by its number.
type resumed struct {
	s       *script
	w       *wire
	session atomic.Int32
	end     chan struct{}
}

// resuming plays it; answer is for what is not of the session.
func resuming(t *testing.T, told io.Writer, answer func(w http.ResponseWriter, r *http.Request, session, body string) bool) *resumed {
	d := &resumed{end: make(chan struct{})}
	var begun atomic.Int32
	d.session.Store(1)
	d.s, d.w = scriptedTo(t, told, func(w http.ResponseWriter, r *http.Request, body string) bool {
		session := r.Header.Get("Mcp-Session-Id")
		switch {
		case body == hello:
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", begun.Add(1)))
			io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
			return true
		case session != fmt.Sprint("s", d.session.Load()):
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such session"}}`)
			return true
		}
		return answer(w, r, session, body)
	})
	return d
}

// TestWhatASessionHadSetUp is set up in the next one: the level of logs, and what is
// subscribed to.
func TestWhatASessionHadSetUp(t *testing.T) {
	d := resuming(t, io.Discard, func(w http.ResponseWriter, r *http.Request, session, body string) bool { return false })
	const level, one, two, off = `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:1"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:2"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"a:1"}}`
	d.w.say(hello)
	d.w.hear()
	d.w.say(ready)
	for _, line := range []string{level, one, two, off} {
		d.w.say(line)
		d.w.hear()
	}
	d.session.Store(2)
	d.w.say(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	if got := d.w.hear(); !strings.Contains(got, `"id":5,"result"`) {
		t.Errorf("got %s", got)
	}
	until(t, "what was set up", func() bool { return d.s.heard("POST s2 "+level) >= 0 && d.s.heard("POST s2 "+two) >= 0 })
	if d.s.heard("POST s2 "+one) >= 0 || d.s.heard("POST s2 "+off) >= 0 {
		t.Errorf("told %q", d.s.told)
	}
	d.w.end()
}

// TestQuestionsOfAServerThatEnded are withdrawn, and answers to them reach no other.
func TestQuestionsOfAServerThatEnded(t *testing.T) {
	asked := make(chan bool)
	d := resuming(t, io.Discard, func(w http.ResponseWriter, r *http.Request, session, body string) bool {
		if !strings.Contains(body, "tools/call") || session != "s1" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`+"\n\n")
		w.(http.Flusher).Flush()
		<-asked
		panic(http.ErrAbortHandler)
	})
	const call, question = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`
	d.w.say(hello)
	d.w.hear()
	d.w.say(ready)
	d.w.say(call)
	if got := d.w.hear(); got != question {
		t.Errorf("got %s", got)
	}
	d.session.Store(2)
	close(asked)
	if got := d.w.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,`) {
		t.Errorf("got %s", got)
	}
	if got := d.w.hear(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("got %s", got)
	}
	const late = `{"jsonrpc":"2.0","id":9,"result":{"action":"accept"}}`
	d.w.say(late)
	d.w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.w.hear()
	for _, session := range []string{"s1", "s2"} {
		if d.s.heard("POST "+session+" "+late) >= 0 {
			t.Errorf("%s got the answer to another's question", session)
		}
	}
	d.w.end()
}

// TestADeskThatDoesNotComeBack: a call is answered before its client gives up, with what is
// known of it.
func TestADeskThatDoesNotComeBack(t *testing.T) {
	for name, tt := range map[string]struct{ patience, want string }{
		"it had the call": {"1", "It is not known whether the call ran"},
		"it was not sent": {"1", "PENDING: the call was not executed. Sekisho is not running."},
	} {
		t.Run(name, func(t *testing.T) {
			gone, came, told := make(chan bool), make(chan bool, 1), &remarks{all: make(chan string, 100)}
			s, w := scriptedTo(t, told, func(w http.ResponseWriter, r *http.Request, body string) bool {
				w.Header().Set("Sekisho-Patience", tt.patience)
				if !strings.Contains(body, "tools/call") {
					return false
				}
				came <- true
				<-gone
				panic(http.ErrAbortHandler)
			})
			const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
			w.say(hello)
			w.hear()
			close(gone)
			if strings.HasPrefix(tt.want, "PENDING") {
				s.close()
				w.say(`{"jsonrpc":"2.0","id":0,"method":"ping"}`) // on a connection that is still thought to be there
				<-told.all
				w.say(call)
			} else {
				w.say(call)
				<-came
				s.close()
			}
			if got := w.hear(); !strings.Contains(got, `"id":1,"result":{"content":[{"type":"text","text":"`+tt.want) {
				t.Errorf("got %s", got)
			}
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}`)
			w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			w.end()
		})
	}
}

// TestACallThatIsSentAgainAndAgain at once, as the first or as a repeat, runs once at most, whatever
// becomes of the connections.
func TestACallThatIsSentAgainAndAgain(t *testing.T) {
	for _, effect := range []permission.Effect{permission.Allow, permission.Ask} {
		t.Run(string(effect), func(t *testing.T) {
			m := newMortal(t, effect)
			m.waits = 10 * time.Second
			m.start()
			via := mcpwire.Bridged{Run: "r", Call: "c"}
			const args = `{"text":"it","for":300}`
			answers := make(chan string, 30)
			for i := range cap(answers) {
				v := via
				v.Again = i%3 != 0
				ctx, cut := context.WithCancel(t.Context())
				defer cut()
				if i%5 == 4 {
					time.AfterFunc(time.Duration(i*20)*time.Millisecond, cut)
				}
				go func() { answers <- m.posted(ctx, "note", args, v) }()
			}
			for n := 0; n < cap(answers); {
				select {
				case <-answers:
					n++
				case <-time.After(20 * time.Millisecond):
					m.approve()
				}
			}
			if calls := m.calls(); len(calls) != 1 || m.ran()["it"] > 1 {
				t.Errorf("ran %v; calls %+v", m.ran(), calls)
			}
		})
	}
}
