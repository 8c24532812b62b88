package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/desk"
	"sekisho/backend/gateway"
	"sekisho/backend/permission"
)

// What a server says that has not completed a call, and what its caller brings back.
const (
	asksWith1 = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}},"requestState":"S1"}`
	asksWith2 = `{"inputRequests":{"q":{"method":"elicitation/create","params":{}}},"requestState":"S2","resultType":"input_required"}`
	asksBare  = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}}}`
	completes = `{"resultType":"complete","content":[{"type":"text","text":"ran"}]}`

	brings  = `,"inputResponses":{"q":{"action":"accept"}}`
	brings1 = brings + `,"requestState":"S1"`
	brings2 = brings + `,"requestState":"S2"`
)

// rounds is a gateway before a real desk, with a server behind it that answers each call
// by the next of its answers.
type rounds struct {
	*house
	desk    *desk.Desk
	far     *far
	answers []string
}

func newRounds(t *testing.T, answers ...string) *rounds {
	t.Helper()
	h, d := newDeskHouse(t, gateway.Options{Patience: 20 * time.Second, AgentFrom: func(r *http.Request) (permission.Agent, bool) {
		name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		return permission.Agent{ID: permission.AgentID(name), Name: name}, ok
	}})
	r := &rounds{house: h, desk: d, answers: answers}
	r.far = newFar(t, func(w http.ResponseWriter, got farRequest) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, got.ID, r.answers[0])
		if len(r.answers) > 1 {
			r.answers = r.answers[1:]
		}
	})
	r.install(nil)
	return r
}

func (r *rounds) install(headers map[string]string) {
	r.t.Helper()
	_, _, err := r.desk.Catalogue.ReplaceServers(context.Background(), "",
		[]permission.Server{{ID: fixtureID, Transport: permission.TransportHTTP, URL: r.far.URL + "/mcp", Headers: headers, Enabled: true}})
	if err != nil {
		r.t.Fatal(err)
	}
}

// call makes a tools/call with more in its params, and gives the answer. Of one that waits
// for a person it is "PENDING", and the caller leaves.
func (r *rounds) call(agent, tool, args, more string) string {
	r.t.Helper()
	return r.answered(agent, tool, args, more, nil)
}

// approved makes a call that a person says yes to.
func (r *rounds) approved(agent, tool, args, more string) string {
	r.t.Helper()
	return r.answered(agent, tool, args, more, func(c *permission.Call) error { return r.yes(c, nil) })
}

// answered makes a call; decide is the person.
func (r *rounds) answered(agent, tool, args, more string, decide func(*permission.Call) error) string {
	r.t.Helper()
	events, stop := r.desk.Journal.Subscribe()
	defer stop()
	ctx, leave := context.WithTimeout(context.Background(), 20*time.Second)
	defer leave()
	body := strings.Replace(modernCall("1", tool, args, ""), `"arguments"`, strings.TrimPrefix(more+`,"arguments"`, ","), 1)
	got := make(chan string, 1)
	go func() {
		defer close(got)
		got <- r.post(ctx, agent, tool, body)
	}()
	for {
		select {
		case m := <-got:
			return m
		case e := <-events:
			c, err := r.desk.Calls.Call(ctx, permission.Operator(), e.CallID)
			if err != nil || c.Status != permission.Pending || c.CallerGone {
				continue
			}
			if decide == nil {
				return "PENDING"
			}
			if err := decide(&c); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// post gives the last message of a stateless answer; "" where the caller left.
func (r *rounds) post(ctx context.Context, agent, tool, body string) (last string) {
	req := r.stateless(agent).request(ctx, http.MethodPost, body)
	for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	for last = range events(resp) {
		continue
	}
	return last
}

// yes is a person's, perhaps to an input of their own.
func (r *rounds) yes(c *permission.Call, input json.RawMessage) error {
	_, _, _, err := r.desk.Calls.Decide(context.Background(), c.ID,
		permission.Answer{Approved: true, Reason: "go on", InputHash: c.InputHash, Rev: c.Rev, Input: input})
	return err
}

// no is a person's.
func (r *rounds) no(c *permission.Call) error {
	_, _, _, err := r.desk.Calls.Decide(context.Background(), c.ID,
		permission.Answer{Approved: false, Reason: "never again", InputHash: c.InputHash, Rev: c.Rev})
	return err
}

// declineLeft declines the one call that waits, once its caller has left.
func (r *rounds) declineLeft() {
	r.t.Helper()
	events, stop := r.desk.Journal.Subscribe()
	defer stop()
	for {
		calls, _, _, err := r.desk.Calls.List(context.Background(), permission.Operator(),
			permission.CallFilter{Statuses: []permission.Status{permission.Pending}, Limit: 10})
		if err != nil || len(calls) != 1 {
			r.t.Fatal(calls, err)
		}
		if calls[0].CallerGone {
			if err := r.no(&calls[0]); err != nil {
				r.t.Fatal(err)
			}
			return
		}
		<-events
	}
}

func (r *rounds) wants(got, part string) {
	r.t.Helper()
	if !strings.Contains(got, part) {
		r.t.Errorf("got %s, want %s", got, part)
	}
}

func (r *rounds) rule(effect permission.Effect, tool string) permission.Rule {
	r.t.Helper()
	form, server := permission.NewRuleForm(), fixtureID
	form.Effect, form.ServerID, form.ToolName = &effect, &server, &tool
	rule, _, err := r.desk.Policy.CreateRule(context.Background(), form)
	if err != nil {
		r.t.Fatal(err)
	}
	return rule
}

func (r *rounds) saw(description string) {
	r.t.Helper()
	raw := fmt.Sprintf(`{"name":"run","description":%q}`, description)
	r.far.mu.Lock()
	r.far.tools = `{"tools":[` + raw + `,{"name":"sun"}]}`
	r.far.mu.Unlock()
	if err := r.desk.Catalogue.Saw(context.Background(), fixtureID,
		[]permission.OfferedTool{{Name: "run", Raw: json.RawMessage(raw)}}); err != nil {
		r.t.Fatal(err)
	}
}

// arrivals are the journal's entries of new calls, and of what settled them.
func (r *rounds) arrivals(kind permission.EntryKind) (all []permission.Entry) {
	r.t.Helper()
	entries, _, err := r.desk.Journal.Entries(context.Background(), 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.DeleteFunc(entries, func(e permission.Entry) bool { return e.Kind != kind })
}

// TestARoundOfAToolThatChanged: one that no rule ever allowed is not pinned, and is another
// all the same.
func TestARoundOfAToolThatChanged(t *testing.T) {
	r := newRounds(t, asksWith1, completes)
	r.saw("runs")
	r.wants(r.approved("a", "run", `{}`, ""), `"S1"`)
	r.saw("runs away")
	r.wants(r.call("a", "run", `{}`, brings1), "PENDING")
}

// TestAYesCoversTheRoundsOfItsCall, and nothing else.
func TestAYesCoversTheRoundsOfItsCall(t *testing.T) {
	for _, tt := range []struct {
		what              string
		meanwhile         func(*rounds)
		agent, tool, args string // where another than it was
		more              string
		want              string
	}{
		{what: "as it should be", more: brings1, want: "ran"},
		{what: "arguments in another spelling", args: `{ "n" : 1, "a":[] }`, more: brings1, want: "ran"},
		{what: "the state in another spelling", more: brings + `,"requestState":"\u00531"`, want: "ran"},
		{what: "responses are not asked for", more: `,"requestState":"S1"`, want: "ran"},
		{what: "a response to what was not asked",
			more: `,"inputResponses":{"q":{"action":"accept"},"p":{"action":"accept"}},"requestState":"S1"`, want: "PENDING"},
		{what: "responses that are no object", more: `,"inputResponses":["q"],"requestState":"S1"`, want: "PENDING"},
		{what: "another state", more: brings2, want: "PENDING"},
		{what: "a state that is no string", more: brings + `,"requestState":["S1"]`, want: "PENDING"},
		{what: "no state", more: brings, want: "PENDING"},
		{what: "the call again", want: "PENDING"},
		{what: "the state by two names", more: brings1 + `,"RequestState":"S2"`, want: "not written plainly"},
		{what: "responses by two names", more: brings1 + `,"inputresponses":{}`, want: "not written plainly"},
		{what: "another member", more: brings1 + `,"task":{"ttl":1}`, want: "PENDING"},
		{what: "other arguments", args: `{"a":[],"n":2}`, more: brings1, want: "PENDING"},
		{what: "another number", args: `{"a":[],"n":1.0}`, more: brings1, want: "PENDING"},
		{what: "another tool", tool: "sun", more: brings1, want: "PENDING"},
		{what: "another agent", agent: "b", more: brings1, want: "PENDING"},
		{what: "a deny rule", meanwhile: func(r *rounds) { r.rule(permission.Deny, "run") }, more: brings1, want: "Denied"},
		{what: "an ask rule", meanwhile: func(r *rounds) { r.rule(permission.Ask, "run") }, more: brings1, want: "ran"},
		{what: "an allow rule", meanwhile: func(r *rounds) { r.rule(permission.Allow, "run") }, more: brings1, want: "ran"},
		{what: "hold", meanwhile: func(r *rounds) { r.desk.Policy.Hold(context.Background(), true) }, more: brings1, want: "PENDING"},
		{what: "declined since", meanwhile: func(r *rounds) {
			r.wants(r.answered("a", "run", `{"a":[],"n":1}`, "", func(c *permission.Call) error { return r.no(c) }), "never again")
		}, more: brings1, want: "PENDING"},
		{what: "declined since, when its caller had left", meanwhile: func(r *rounds) {
			r.wants(r.call("a", "run", `{"a":[],"n":1}`, ""), "PENDING")
			r.declineLeft()
		}, more: brings1, want: "PENDING"},
		{what: "the tool changed", meanwhile: func(r *rounds) { r.saw("runs away") }, more: brings1, want: "PENDING"},
		{what: "the server is reached otherwise", meanwhile: func(r *rounds) {
			r.install(map[string]string{"X": "y"})
		}, more: brings1, want: "PENDING"},
		{what: "used already", meanwhile: func(r *rounds) {
			r.wants(r.call("a", "run", `{"a":[],"n":1}`, brings1), "ran")
		}, more: brings1, want: "PENDING"},
		{what: "used already, while on hold", meanwhile: func(r *rounds) {
			r.desk.Policy.Hold(context.Background(), true)
			r.wants(r.call("a", "run", `{"a":[],"n":1}`, brings1), "PENDING")
			r.desk.Policy.Hold(context.Background(), false)
		}, more: brings1, want: "PENDING"},
		{what: "tried by another agent, which changes nothing", meanwhile: func(r *rounds) {
			r.wants(r.call("b", "run", `{"a":[],"n":1}`, brings1), "PENDING")
		}, more: brings1, want: "ran"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			r := newRounds(t, asksWith1, completes)
			r.saw("runs")
			once := r.rule(permission.Allow, "run") // pins the tool
			if _, _, err := r.desk.Policy.DeleteRule(context.Background(), once.ID, 0); err != nil {
				t.Fatal(err)
			}
			r.wants(r.approved("a", "run", `{"a":[],"n":1}`, ""), `"requestState":"S1"`)
			if tt.meanwhile != nil {
				tt.meanwhile(r)
			}
			agent, tool, args := or(tt.agent, "a"), or(tt.tool, "run"), or(tt.args, `{"a":[],"n":1}`)
			before := len(r.far.calls())
			got := r.call(agent, tool, args, tt.more)
			if r.wants(got, tt.want); len(r.far.calls())-before != strings.Count(got, `"ran"`) {
				t.Errorf("the server got %d calls more: %s", len(r.far.calls())-before, got)
			}
		})
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// TestRoundsFollowEachOther to the end of the call, each once, and the journal tells of
// them.
func TestRoundsFollowEachOther(t *testing.T) {
	r := newRounds(t, asksWith1, asksWith1, asksWith2, asksBare, completes)
	r.wants(r.approved("a", "run", `{}`, ""), `"S1"`)
	r.wants(r.call("a", "run", `{}`, brings1), `"S1"`) // given a second time: good for one more
	r.wants(r.call("a", "run", `{}`, brings1), `"S2"`)
	r.wants(r.call("a", "run", `{}`, brings1), "PENDING")
	r.wants(r.call("a", "run", `{}`, brings2), `"inputRequests"`)
	r.wants(r.call("a", "run", `{}`, brings), `"ran"`) // a server that gives no state
	r.wants(r.call("a", "run", `{}`, brings), "PENDING")
	if n := len(r.far.calls()); n != 5 {
		t.Errorf("the server got %d calls", n)
	}
	created := r.arrivals(permission.CallCreated)
	first := string(*created[0].CallID)
	for i, want := range map[int]string{1: first, 2: string(*created[1].CallID), 4: string(*created[2].CallID)} {
		r.wants(string(created[i].Data), `"continues":"`+want+`"`)
	}
	if d := string(created[3].Data); strings.Contains(d, "continues") {
		t.Errorf("a replay: %s", d)
	}
	decided := r.arrivals(permission.CallDecided)
	for i, e := range decided[1:] {
		if e.Actor != permission.ActorDesk {
			t.Errorf("decided by %s", e.Actor)
		}
		r.wants(string(e.Data), fmt.Sprintf(`"count":%d,"reason":"go on","remembered":"%s"`, i+1, first))
	}
	if len(decided) != 5 {
		t.Errorf("%d decisions", len(decided))
	}
}

// TestWhatIsNoRoundIsForgotten: results that complete a call, and those that two readers
// could read differently, leave nothing that could be continued.
func TestWhatIsNoRoundIsForgotten(t *testing.T) {
	for what, answer := range map[string]string{
		"complete":             strings.Replace(asksWith1, "input_required", "complete", 1),
		"an error":             strings.Replace(asksWith1, "{", `{"isError":true,`, 1),
		"the word elsewhere":   `{"content":[{"type":"text","text":"\"input_required\""}],"x":"input_required","requestState":"S1"}`,
		"another type besides": strings.Replace(asksWith1, "{", `{"ResultType":"complete",`, 1),
		"another state":        strings.Replace(asksWith1, "{", `{"RequestState":"S2",`, 1),
		"a state of no string": strings.Replace(asksWith1, `"S1"`, `1`, 1),
		"a state half a rune":  strings.Replace(asksWith1, `S1`, `\ud800`, 1),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRounds(t, answer, completes)
			r.approved("a", "run", `{}`, "")
			more := brings1
			if what == "a state half a rune" {
				more = brings + `,"requestState":"\ufffd"`
			}
			r.wants(r.call("a", "run", `{}`, more), "PENDING")
		})
	}
}

// TestARoundThatARuleAllowed is one more call of the rule.
func TestARoundThatARuleAllowed(t *testing.T) {
	r := newRounds(t, asksWith1, asksWith1, completes)
	rule := r.rule(permission.Allow, "run")
	r.wants(r.call("a", "run", `{}`, ""), `"S1"`)
	r.wants(r.call("a", "run", `{}`, brings1), `"S1"`)
	created := r.arrivals(permission.CallCreated)
	r.wants(string(created[1].Data), `"continues":"`+string(*created[0].CallID)+`"`)
	if _, _, err := r.desk.Policy.DeleteRule(context.Background(), rule.ID, 0); err != nil {
		t.Fatal(err)
	}
	r.wants(r.call("a", "run", `{}`, brings1), "PENDING") // no person has said yes to it
}

// TestAnEditedCallIsContinuedAsItRan: the yes was to what the person wrote.
func TestAnEditedCallIsContinuedAsItRan(t *testing.T) {
	r := newRounds(t, asksWith1, completes)
	edited := r.answered("a", "run", `{"n":1}`, "", func(c *permission.Call) error { return r.yes(c, json.RawMessage(`{"n":2}`)) })
	r.wants(edited, `"S1"`)
	r.wants(r.call("a", "run", `{"n":1}`, brings1), "PENDING")
	r.wants(r.call("a", "run", `{"n":2}`, brings1), `"ran"`)
}
