package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

const beat = 20 * time.Millisecond

func holding(t *testing.T) (*house, *client) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: 20 * time.Second})
	return h, h.connect("a")
}

type reported struct {
	Params struct {
		ProgressToken json.RawMessage
		Progress      float64
		Message       string
	}
}

// progressOf reads a notifications/progress.
func progressOf(t *testing.T, raw string) (p reported) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &p); err != nil || !strings.Contains(raw, "notifications/progress") {
		t.Fatalf("not progress: %s", raw)
	}
	return p
}

func TestHeldWithProgressThenApproved(t *testing.T) {
	h, c := holding(t)
	got := c.start(context.Background(), callWithToken("1", "log", `{"a":1}`, `"tok"`))
	before := 0.0
	for range 3 {
		p := progressOf(t, next(t, got))
		if p.Params.Progress <= before || string(p.Params.ProgressToken) != `"tok"` ||
			p.Params.Message != "Waiting for a person at Sekisho (log)" {
			t.Fatalf("after %v came %+v", before, p)
		}
		before = p.Params.Progress
	}
	if strings.Contains(h.received(), "tools/call") {
		t.Fatal("the server has the call before a person has said yes")
	}
	waiting := h.desk.awaitStatus(t, permission.Pending)
	h.desk.decide(waiting.ID, permission.Approved, "")
	var answer string
	reports, logs := 0, 0
	for m := range got {
		switch {
		case strings.Contains(m, "notifications/message"):
			logs++
		case strings.Contains(m, "notifications/progress"):
			p := progressOf(t, m)
			if p.Params.Progress <= before {
				t.Errorf("progress is not increasing: %v after %v", p.Params.Progress, before)
			}
			before = p.Params.Progress
			if p.Params.Message == "" {
				total := int(before) + 3 - reports // as much is left to do as the server says
				if want := fmt.Sprintf(`"params":{"progress":%d,"total":%d,"progressToken":"tok","x":1e2}`, int(before), total); !strings.Contains(m,
					want) {
					t.Errorf("progress of the server: %s, want %s", m, want)
				}
				reports++
			}
		default:
			answer = m
		}
	}
	if reports != 3 || logs != 3 || !strings.Contains(answer, fixtureEcho) {
		t.Errorf("%d reports, %d logs, then %s", reports, logs, answer)
	}
	done := h.desk.awaitStatus(t, permission.Completed)
	if string(done.Result) != fixtureEcho || done.CallerGone || !done.Held || done.PatienceUntil.IsZero() ||
		string(done.SessionID) != c.session || done.RunID == "" {
		t.Errorf("kept as %+v", done)
	}
}

func TestHeldWithoutTokenHasComments(t *testing.T) {
	h, c := holding(t)
	got := c.start(context.Background(), call("1", "write", `{}`))
	for range 3 {
		if m := next(t, got); !strings.HasPrefix(m, ":") {
			t.Fatalf("got %s", m)
		}
	}
	h.desk.decide(h.desk.awaitStatus(t, permission.Pending).ID, permission.Approved, "")
	if m := last(t, got); !strings.Contains(m, fixtureEcho) {
		t.Errorf("got %s", m)
	}
}

func TestHeldAgainWhenTheRulesTakeTheirYesBack(t *testing.T) {
	h, c := holding(t)
	h.desk.allow["write"], h.desk.granted, h.desk.recall = true, true, true
	got := c.start(context.Background(), call("1", "write", `{}`))
	waiting := h.desk.awaitStatus(t, permission.Pending)
	if strings.Contains(h.received(), "tools/call") {
		t.Fatal("the server has a call that the rules took back")
	}
	h.desk.decide(waiting.ID, permission.Approved, "")
	if m := last(t, got); !strings.Contains(m, fixtureEcho) {
		t.Errorf("got %s", m)
	}
	if n := strings.Count(h.received(), "tools/call"); n != 1 {
		t.Errorf("the server has the call %d times", n)
	}
}

func TestWhatAPersonWroteIsWhatRuns(t *testing.T) {
	for _, message := range []string{call("1", "write", `{"a":1}`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}`} {
		h, c := holding(t)
		got := c.start(context.Background(), message)
		h.desk.edit(h.desk.awaitStatus(t, permission.Pending).ID, `{"a": 2}`)
		last(t, got)
		if log := h.received(); !strings.Contains(log, `"arguments":{"a": 2}`) || strings.Contains(log, `{"a":1}`) {
			t.Errorf("the server was sent %s", log)
		}
	}
}

func TestWordsForTheModel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		to     permission.Status
		reason string
		want   []string
	}{
		{"declined", permission.Declined, "not on a Friday", []string{"Declined by a person: not on a Friday\n", "Do not retry the same call"}},
		{"declined without words", permission.Declined, "", []string{"no reason was given"}},
		{"expired", permission.Expired, "", []string{"Approval timeout: nobody answered in time", "not a judgement"}},
		{"cancelled", permission.Cancelled, "the run ended", []string{"cancelled before it ran: the run ended"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, c := holding(t)
			got := c.start(context.Background(), call("1", "write", `{}`))
			h.desk.decide(h.desk.awaitStatus(t, permission.Pending).ID, tt.to, tt.reason)
			words := toolText(t, last(t, got))
			for _, w := range tt.want {
				if !strings.Contains(words, w) {
					t.Errorf("%q lacks %q", words, w)
				}
			}
			if strings.Contains(h.received(), "tools/call") {
				t.Error("it was executed")
			}
		})
	}
}

func TestDeniedByRule(t *testing.T) {
	h, c := holding(t)
	h.desk.deny["rm"] = "files stay"
	got := c.ask(call("1", "rm", `{}`))
	if words := toolText(t, got[0]); !strings.Contains(words, "Denied by a rule: files stay\n") ||
		strings.Contains(h.received(), "tools/call") {
		t.Errorf("%q", words)
	}
}

func TestPatienceEndsWithPendingAndTheCallIsLeft(t *testing.T) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: 100 * time.Millisecond})
	c := h.connect("a")
	got := c.ask(call("1", "write", `{ "a" : 1 }`))
	waiting := h.desk.awaitGone(t)
	words := toolText(t, got[len(got)-1])
	for _, w := range []string{"not executed", "waiting for a person", "(ticket " + string(waiting.ID) + ")", "Repeat the same call"} {
		if !strings.HasPrefix(words, "PENDING") || !strings.Contains(words, w) {
			t.Errorf("%q lacks %q", words, w)
		}
	}
	h.desk.decide(waiting.ID, permission.Approved, "")
	time.Sleep(5 * beat)
	if strings.Contains(h.received(), "tools/call") {
		t.Fatal("a late yes executed the call for nobody")
	}
	// The same again, written otherwise: the row's own bytes are what runs.
	if got := c.ask(call("2", "write", `{"a":1}`)); !strings.Contains(got[0], fixtureEcho) {
		t.Errorf("got %s", got)
	}
	if want := call("2", "write", `{ "a" : 1 }`) + "\n"; strings.Count(h.received(), "tools/call") != 1 ||
		!strings.Contains(h.received(), want) {
		t.Errorf("the server got\n%s", h.received())
	}
}

func TestArgumentsLeftOutStayOut(t *testing.T) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: 50 * time.Millisecond})
	c := h.connect("a")
	bare := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write"}}`
	c.ask(call("1", "write", `{ }`))
	h.desk.decide(h.desk.awaitGone(t).ID, permission.Approved, "")
	if got := c.ask(bare); !strings.Contains(got[0], fixtureEcho) || !strings.Contains(h.received(), bare+"\n") {
		t.Errorf("%s\n%s", got, h.received())
	}
}

// TestLeaving: in every way in which a caller can leave, the call stays, and a late
// yes executes nothing.
func TestLeaving(t *testing.T) {
	for name, leave := range map[string]func(*client, context.CancelFunc){
		"closed POST": func(_ *client, hangUp context.CancelFunc) { hangUp() },
		"cancelled": func(c *client, _ context.CancelFunc) {
			c.post(context.Background(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}}`)
		},
		"session ended": func(c *client, _ context.CancelFunc) {
			c.do(c.request(context.Background(), http.MethodDelete, ""))
		},
		"gateway closed": func(c *client, _ context.CancelFunc) {
			if err := c.gate.Close(); err != nil {
				c.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := holding(t)
			ctx, hangUp := context.WithCancel(context.Background())
			defer hangUp()
			got := c.start(ctx, callWithToken("1", "write", `{}`, "9007199254740993"))
			next(t, got)
			leave(c, hangUp)
			left := h.desk.awaitGone(t)
			if left.Status != permission.Pending {
				t.Errorf("the call is %s", left.Status)
			}
			h.desk.decide(left.ID, permission.Approved, "")
			for m := range got {
				if strings.Contains(m, "result") {
					t.Errorf("the caller was answered: %s", m)
				}
			}
			time.Sleep(3 * beat)
			if r := h.received(); strings.Contains(r, "tools/call") || strings.Contains(r, "cancelled") {
				t.Errorf("the server got\n%s", r)
			}
			if now := h.desk.awaitGone(t); now.Status != permission.Approved {
				t.Errorf("the call is %s", now.Status)
			}
		})
	}
}

func TestTwoHeldAtOnce(t *testing.T) {
	h, c := holding(t)
	one := c.start(context.Background(), call("1", "first", `{}`))
	two := c.start(context.Background(), call("2", "second", `{}`))
	is := func(name string) permission.CallID {
		return h.desk.await(t, name, func(c permission.Call) bool { return c.ToolName == name }).ID
	}
	h.desk.decide(is("second"), permission.Approved, "")
	if m := last(t, two); !strings.HasSuffix(m, `"id":2}`) || !strings.Contains(m, fixtureEcho) {
		t.Errorf("second: %s", m)
	}
	h.desk.decide(is("first"), permission.Declined, "no")
	if m := last(t, one); !strings.Contains(m, `"id":1,`) || !strings.Contains(toolText(t, m), "Declined") {
		t.Errorf("first: %s", m)
	}
	if r := h.received(); strings.Contains(r, "first") || strings.Count(r, "second") != 1 {
		t.Errorf("the server got\n%s", r)
	}
}

func TestServerDiesWhileHeld(t *testing.T) {
	h, c := holding(t)
	h.desk.allow["die"] = true
	got := c.start(context.Background(), call("1", "write", `{}`))
	next(t, got)
	c.ask(call("2", "die", `{}`))
	if code, words := errorCode(t, last(t, got)); code != -32603 || !strings.Contains(words, "not executed") {
		t.Errorf("%d %s", code, words)
	}
	if left := h.desk.awaitGone(t); left.Status != permission.Pending {
		t.Errorf("the call is %s", left.Status)
	}
	if s := h.gate.State(fixtureID); s != permission.ServerFailed {
		t.Errorf("State = %s", s)
	}
}

// TestLeavingBeforeItRuns: also what is allowed is not executed for a caller that has
// left: what a grant allows waits for it, and what a rule allows, which is claimed as it
// is asked for, has failed.
func TestLeavingBeforeItRuns(t *testing.T) {
	for name, leave := range map[string]func(*client, context.CancelFunc){
		"cancelled": func(c *client, _ context.CancelFunc) {
			c.post(context.Background(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		},
		"closed POST": func(_ *client, hangUp context.CancelFunc) {
			hangUp()
			time.Sleep(100 * time.Millisecond) // the gateway hears of it a little later
		},
	} {
		for _, granted := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " granted=", granted), func(t *testing.T) {
				h, c := holding(t)
				h.desk.allow["write"], h.desk.granted = true, granted
				ctx, hangUp := context.WithCancel(context.Background())
				defer hangUp()
				h.desk.asking = func() { leave(c, hangUp) }
				got := c.start(ctx, call("1", "write", `{}`))
				rows := 2
				if granted {
					rows = 1
					if left := h.desk.awaitGone(t); left.Status != permission.Approved {
						t.Errorf("the call is %s", left.Status)
					}
				} else if failed := h.desk.awaitStatus(t, permission.Failed); !strings.Contains(string(failed.Result), "it was not executed") {
					t.Errorf("the result is %s", failed.Result)
				}
				if m := last(t, got); m != "" || strings.Contains(h.received(), "tools/call") {
					t.Errorf("got %s", m)
				}
				h.desk.asking = nil
				if got := c.ask(call("2", "write", `{}`)); !strings.Contains(got[0], fixtureEcho) || len(h.desk.calls) != rows {
					t.Errorf("asked again: %s", got)
				}
			})
		}
	}
}

// TestClientsAreKeptAsLongAsTheyWait: by what a person set, and by what was learnt.
func TestClientsAreKeptAsLongAsTheyWait(t *testing.T) {
	h := newHouse(t, gateway.Options{Beat: beat, Patience: time.Minute})
	h.desk.patience = map[string]time.Duration{"t": 10 * beat}
	c := h.connect("a")
	began := time.Now()
	got := c.ask(call("1", "write", `{}`))
	if words := toolText(t, got[len(got)-1]); !strings.HasPrefix(words, "PENDING") {
		t.Errorf("got %s", words)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("kept for %s", took)
	}
}
