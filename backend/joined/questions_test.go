package joined

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/session"
	"sekisho/backend/upstream"
)

// noted is a server that notes what it is sent.
type noted struct {
	upstream.Server
	got []upstream.Message
}

func (n *noted) Send(_ context.Context, p upstream.Message) error {
	n.got = append(n.got, p)
	return nil
}

func (n *noted) Stop() {}

func (n *noted) words() (all string) {
	for _, p := range n.got {
		all += string(p.Raw) + "\n"
	}
	n.got = nil
	return all
}

func newSession() *session.Session {
	s, err := session.New(session.Options{Idle: time.Hour, OnEnd: func(*session.Session, error) {}})
	if err != nil {
		panic(err)
	}
	return s
}

// newConnection is the server's side of a client's session without members.
func newConnection() *connection { return New(nil, nil, Options{}).connect(newSession(), nil) }

// TestJoinedIDs: what members call their requests crosses both ways, and stays apart.
func TestJoinedIDs(t *testing.T) {
	j := newConnection()
	var far [2]*noted
	var peers [2]*peer
	for i := range peers {
		far[i] = &noted{}
		peers[i] = &peer{s: newSession()}
		peers[i].agreed.Store(&agreement{header: http.Header{mcpwire.VersionHeader: {"2025-06-18"}}})
		peers[i].s.Far = far[i]
	}
	hear := func(i int, raw, want string) {
		t.Helper()
		got := j.members.inward.message(peers[i], []byte(raw))
		if string(got) != want {
			t.Errorf("%d said %s\n got %s\nwant %s", i, raw, got, want)
		}
		peers[i].s.Receive(got, upstream.Origin{})
	}
	say := func(raw string, want ...string) {
		t.Helper()
		m, bad := mcpwire.FromClient([]byte(raw))
		if bad != nil {
			t.Fatal(bad)
		}
		if err := j.Send(t.Context(), upstream.MessageOf(m)); err != nil {
			t.Errorf("say %s: %v", raw, err)
		}
		for i, w := range want {
			for _, p := range far[i].got {
				if p.Header.Get(mcpwire.VersionHeader) != "2025-06-18" {
					t.Errorf("%s came with %v", p.Raw, p.Header)
				}
			}
			if got := far[i].words(); got != w {
				t.Errorf("say %s\n%d got %swant %s", raw, i, got, w)
			}
		}
	}
	hear(0, `{"jsonrpc":"2.0","id":"x","method":"a","params":{"n":1.0,"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1.0,"_meta":{"progressToken":1}}}`)
	hear(1, `{"jsonrpc":"2.0","id":"x","method":"a","params":{"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"a","params":{"_meta":{"progressToken":2}}}`)
	hear(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	hear(1, `{"jsonrpc":"2.0","id":4,"result":{"method":"none"}}`, `{"jsonrpc":"2.0","id":4,"result":{"method":"none"}}`)
	hear(1, `{"method" nonsense`, `{"method" nonsense`)
	hear(0, fixtureNote, fixtureNote)
	say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1.0}}`, "",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0}}`+"\n")
	say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`, "", "")
	say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, "", "")
	// The second takes a question back, and the first's of the same name stays.
	hear(1, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	hear(1, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"y"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"y"}}`)
	say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "", "")
	say(`{"jsonrpc":"2.0","id":1, "result":{"n":1.0}}`, `{"jsonrpc":"2.0","id":"x", "result":{"n":1.0}}`+"\n", "")
	say(`{"jsonrpc":"2.0","id":1,"result":{}}`, "", "")
	say(`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}`, "", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`+"\n")
	// What is for all goes to those that speak.
	j.members.of = map[string]*member{"one": {peer: peers[0]}, "two": {peer: peers[1]}, "none": {}}
	peers[0].s.End(session.ErrClosed)
	say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, "", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`+
		"\n")
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "")
}

const fixtureNote = `{"jsonrpc":"2.0","method":"notifications/message","params":{"requestId":"x"}}`

// TestJoinedQuestionsAreBounded: a member that asks without end harms only the oldest.
func TestJoinedQuestionsAreBounded(t *testing.T) {
	j := newConnection()
	p := &peer{s: newSession()}
	for range 3 * session.MaxInFlight {
		j.members.inward.message(p, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	}
	if len(j.questions.open) > session.MaxInFlight || asked(j.questions) > session.MaxInFlight {
		t.Errorf("%d questions, %d asked", len(j.questions.open), asked(j.questions))
	}
}

// asked counts the questions that the client can answer.
func asked(a *questions) (n int) {
	for i := range a.serial + 1 {
		key, _ := mcpwire.IDKey(fmt.Append(nil, i))
		if a.client.Answered(key) {
			a.client.Asks(key)
			n++
		}
	}
	return n
}

// TestJoinedCancelOnTheWay: a call is cancelled while its member is being opened.
func TestJoinedCancelOnTheWay(t *testing.T) {
	c := &calls{of: map[string]*onward{}}
	ctx, cancel := context.WithCancelCause(t.Context())
	if !c.begin("n1", &onward{cancel: cancel}) || c.begin("n1", &onward{}) {
		t.Fatal("an id is taken once")
	}
	m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	c.cancel(t.Context(), m)
	if context.Cause(ctx) != session.ErrCancelled {
		t.Errorf("the call goes on: %v", context.Cause(ctx))
	}
	if c.done("n1"); !c.begin("n1", &onward{}) {
		t.Error("an id is not given back")
	}
}

// TestJoinedCancelBeforeItsMemberKnows: the call has its member, which has not taken it; then
// it is cancelled here, and there when it has.
func TestJoinedCancelBeforeItsMemberKnows(t *testing.T) {
	far := &noted{}
	p := &peer{s: newSession()}
	p.s.Far = far
	c := &calls{of: map[string]*onward{}}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	o := &onward{cancel: cancel}
	c.begin("n1", o)
	given := make(chan struct{})
	go func() { // as pass does
		c.give(o, p)
		close(given)
	}()
	m, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	c.cancel(ctx, m)
	<-given
	if context.Cause(ctx) != session.ErrCancelled {
		t.Errorf("on the way: %v", context.Cause(ctx))
	}
	other, keep := context.WithCancelCause(t.Context())
	defer keep(nil)
	o.cancel = keep
	c.cancel(other, m)
	if context.Cause(other) != session.ErrCancelled || len(far.got) > 0 {
		t.Errorf("before it was taken: %v, the member got %d", context.Cause(other), len(far.got))
	}
	last, end := context.WithCancelCause(t.Context())
	defer end(nil)
	o.cancel = end
	call, _ := mcpwire.FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}`))
	x, bad := p.s.Admit(call, end)
	if bad != nil || !p.s.Begin(last, x) {
		t.Fatal(bad)
	}
	_, settled := p.s.Dispatch(last, x, call.Raw)
	settled()
	far.got = nil
	c.cancel(last, m)
	if context.Cause(last) != nil || len(far.got) != 1 || !x.Withdrawn() {
		t.Errorf("at the member: %v, it got %d", context.Cause(last), len(far.got))
	}
}
