package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sekisho/backend/attend"
	"sekisho/backend/builtin"
	"sekisho/backend/coordination"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/session"
)

// scene is a desk, a coordination and a client, which write down what they are told.
type scene struct {
	*testing.T
	effect   permission.Effect // of every question
	standing permission.Standing
	holds    string // the token in force
	gives    coordination.Answer
	fails    error

	asked   []permission.Request // for a row
	kept    [][]byte             // results of rows
	called  []string             // what coordination was called with
	entered []permission.AgentID
	failed  error
	refused string
}

func (s *scene) Evaluate(context.Context, permission.Query) (permission.Verdict, error) {
	return permission.Verdict{Decision: s.effect}, nil
}

func (s *scene) Standing(permission.AgentID, permission.SessionID) permission.Standing {
	return s.standing
}

func (s *scene) Call(_ context.Context, _ coordination.Caller, tool string, input []byte, passkey string) (coordination.Answer, error) {
	s.called = append(s.called, fmt.Sprintf("%s %s %q", tool, input, passkey))
	return s.gives, s.fails
}

func (s *scene) Holds(token string, _ permission.AgentID, _ permission.SessionID) bool {
	return token == s.holds
}

// rows is the desk of a runner: it claims what is allowed as it is asked for, and denies all else.
type rows struct {
	attend.Desk
	*scene
}

func (r rows) Ask(_ context.Context, _ permission.Agent, q permission.Request) (permission.Call, bool, error) {
	r.asked = append(r.asked, q)
	c := permission.Call{ID: "c", Method: q.Method, ToolName: q.ToolName, Input: q.Input, Envelope: q.Envelope, Status: permission.Denied,
		Decision: &permission.Decision{Explanation: permission.Said("no")}}
	if r.effect == permission.Allow {
		claim := permission.ClaimID("claim")
		c.Status, c.ClaimID, c.ClaimKey, c.Decision = permission.Claimed, &claim, q.Claim.Key, nil
	}
	return c, true, nil
}

func (r rows) Finish(_ context.Context, _ permission.Agent, _ permission.CallID, out permission.Outcome) (permission.Call, error) {
	r.kept = append(r.kept, out.Output)
	return permission.Call{Status: permission.Completed}, nil
}

func (r rows) Answerable(context.Context, permission.CallID) error { return nil }

func (r rows) ClientPatience(string) (time.Duration, bool) { return 0, false }

// voice tells the scene what becomes of a call.
type voice struct {
	attend.Voice
	*scene
}

func (v voice) Failed(err error) { v.failed = err }
func (v voice) Refused(r attend.Refusal) error {
	v.refused = r.Words
	return nil
}

// client is a connection of an agent to a server.
type client struct {
	*scene
	tools   *builtin.Tools
	session *session.Session
}

func newClient(t *testing.T, server permission.Server, shared bool) *client {
	t.Helper()
	s := &scene{T: t, effect: permission.Allow}
	run := attend.New(rows{scene: s}, attend.Options{Claimant: "test", Lease: time.Minute, Logger: slog.New(slog.DiscardHandler)})
	on, err := session.New(session.Options{Agent: permission.Agent{ID: "a", Name: "A"}, Server: server, Shared: shared, Idle: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return &client{s, builtin.New(builtin.Options{Desk: s, Calls: run, Coordination: s, Logger: slog.New(slog.DiscardHandler),
		Entered: func(agent permission.AgentID) { s.entered = append(s.entered, agent) }}), on}
}

// call is a call of a tool by the client; what comes is in the recorder.
func (c *client) call(tool, args string) (*builtin.Call, *httptest.ResponseRecorder) {
	c.Helper()
	m, bad := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	if bad != nil {
		c.Fatal(bad)
	}
	act, bad := mcpwire.ReadAct(m)
	if bad != nil {
		c.Fatal(bad)
	}
	w := httptest.NewRecorder()
	call := &builtin.Call{Session: c.session, Message: m, Act: &act, Out: session.NewStream(w, httptest.NewRequest("POST", "/", nil)),
		Voice: voice{scene: c.scene}}
	call.Ready = func() attend.Request {
		return attend.Request{Agent: c.session.Who(), Began: time.Now(), Call: permission.Request{Identity: permission.Identity{RunID: "r",
			ToolCallID: "t", SessionID: c.session.Name()}, ServerID: &c.session.Server.ID, Method: act.Method, ToolName: act.Name,
			Input: act.Input(), Envelope: act.Envelope}}
	}
	return call, w
}

// coordinate calls a tool of coordination, and gives what the client gets.
func (c *client) coordinate(ctx context.Context, tool, args string) (answer string, bad *mcpwire.Error) {
	c.Helper()
	call, w := c.call(tool, args)
	bad = c.tools.Coordinate(ctx, call)
	return w.Body.String(), bad
}

func work(t *testing.T) *client {
	return newClient(t, permission.Server{ID: permission.CoordinationServer, Transport: permission.TransportBuiltin}, false)
}

// TestSecretsAreInNoRow: passkeys and session tokens are taken out of a call before it is judged, however
// their names are cased, and out of the result before it is kept; the client gets the result whole.
func TestSecretsAreInNoRow(t *testing.T) {
	for _, tool := range []string{"assign_task", "authenticate"} { // the second keeps a row where it is not let pass
		c := work(t)
		c.holds = "sks_held"
		c.gives = coordination.Answer{Body: []byte(`{"t":"sks_new"}`), Kept: []byte(`{"t":"********"}`)}
		if tool == "authenticate" {
			c.effect = permission.Ask
		}
		answer, bad := c.coordinate(t.Context(), tool, `{"Session_Token":"sks_held","a":[1.0],"PASSKEY":"skp_said"}`)
		if bad != nil || len(c.asked) != 1 || string(c.asked[0].Input) != `{"a":[1.0]}` {
			t.Fatalf("%s: asked for %+v, %v", tool, c.asked, bad)
		}
		if tool == "authenticate" {
			if len(c.called) != 0 || c.refused == "" {
				t.Errorf("a call that is not let pass runs: %q", c.called)
			}
			continue
		}
		if want := `assign_task {"a":[1.0]} "skp_said"`; len(c.called) != 1 || c.called[0] != want {
			t.Errorf("called %q, want %s", c.called, want)
		}
		if len(c.kept) != 1 || strings.Contains(string(c.kept[0]), "sks_") || !strings.Contains(string(c.kept[0]), "********") {
			t.Errorf("kept %s", c.kept)
		}
		if !strings.Contains(answer, `"structuredContent":{"t":"sks_new"}`) {
			t.Errorf("the client gets %s", answer)
		}
	}
}

// TestATokenOfAnotherSessionIsRefused at every tool, with no row, and no word of it; so is one that
// is no text.
func TestATokenOfAnotherSessionIsRefused(t *testing.T) {
	for _, tool := range coordination.Tools {
		c := work(t)
		c.holds = "sks_held"
		answer, bad := c.coordinate(t.Context(), tool.Name, `{"session_token":"sks_other"}`)
		if bad != nil || !strings.Contains(answer, "not that of the session in force") || strings.Contains(answer, "sks_other") {
			t.Errorf("%s: %s %v", tool.Name, answer, bad)
		}
		for _, odd := range []string{`{"session_token":["sks_other"]}`, `{"passkey":{"x":"sks_other"}}`, `{"session_token":null,"passkey":7}`} {
			if _, bad := c.coordinate(t.Context(), tool.Name, odd); bad == nil || strings.Contains(bad.Message, "sks_other") {
				t.Errorf("%s %s: %v", tool.Name, odd, bad)
			}
		}
		if len(c.asked) != 0 || len(c.called) != 0 {
			t.Errorf("%s: asked for %+v, called %q", tool.Name, c.asked, c.called)
		}
	}
}

// TestOnlyQuietToolsKeepNoRow, and these only where rules and table let them pass.
func TestOnlyQuietToolsKeepNoRow(t *testing.T) {
	for _, effect := range []permission.Effect{permission.Allow, permission.Ask, permission.Deny} {
		for _, tool := range coordination.Tools {
			c := work(t)
			c.effect, c.gives = effect, coordination.Answer{Body: []byte(`{}`), Kept: []byte(`{}`)}
			if _, bad := c.coordinate(t.Context(), tool.Name, `{}`); bad != nil {
				t.Fatal(bad)
			}
			unkept := tool.Quiet && effect == permission.Allow || tool.Name == "help"
			if (len(c.asked) == 0) != unkept || (len(c.called) == 1) != (effect == permission.Allow && tool.Name != "help") {
				t.Errorf("%s, %s: %d rows, called %q", effect, tool.Name, len(c.asked), c.called)
			}
		}
	}
}

// TestAPasskeyBindsItsConnection: that of one client, and none that requests share.
func TestAPasskeyBindsItsConnection(t *testing.T) {
	for _, shared := range []bool{false, true} {
		c := newClient(t, permission.Server{ID: permission.CoordinationServer, Transport: permission.TransportBuiltin}, shared)
		c.gives = coordination.Answer{Body: []byte(`{}`), Kept: []byte(`{}`), Entered: "made"}
		if _, bad := c.coordinate(t.Context(), "authenticate", `{"passkey":"skp_x"}`); bad != nil {
			t.Fatal(bad)
		}
		if bound := c.session.Who().Session == "made"; bound == shared || len(c.entered) != 1 {
			t.Errorf("shared %v: bound %v, %d are told", shared, bound, len(c.entered))
		}
	}
}

// TestAnAnswerThatNobodyGetsIsTakenBack: the client left before it was written, and not as soon as it had it.
func TestAnAnswerThatNobodyGetsIsTakenBack(t *testing.T) {
	for when, gone := range map[string]bool{"stays": false, "leaves before": true, "leaves with it": false} {
		c := work(t)
		var told []string
		c.gives = coordination.Answer{Body: []byte(`{}`), Kept: []byte(`{}`), Given: func() { told = append(told, "given") },
			Lost: func(ctx context.Context) error {
				told = append(told, "lost")
				return ctx.Err()
			}}
		ctx, leave := context.WithCancel(t.Context())
		call, _ := c.call("get_next_action", `{}`)
		switch when {
		case "leaves before":
			leave()
		case "leaves with it":
			call.First = func(session.Inbound) { leave() }
		}
		bad := c.tools.Coordinate(ctx, call)
		leave()
		if bad != nil || len(told) != 1 || (told[0] == "lost") != gone {
			t.Errorf("%s: %q %v", when, told, bad)
		}
	}
}

// TestARefusalOfAToolHasItsCode, and a fault of the desk none of its words.
func TestARefusalOfAToolHasItsCode(t *testing.T) {
	for err, want := range map[error]string{
		permission.NotFound("task"):           `"structuredContent":{"code":"not_found"`,
		errors.New("disk full at /data/x.db"): `"structuredContent":{"code":"unavailable"`,
	} {
		c := work(t)
		c.fails = err
		answer, bad := c.coordinate(t.Context(), "report_completed", `{}`)
		if bad != nil || !strings.Contains(answer, want) || !strings.Contains(answer, `"isError":true`) ||
			strings.Contains(answer, "/data") {
			t.Errorf("%v: %s %v", err, answer, bad)
		}
		if len(c.kept) != 1 {
			t.Errorf("%v: %d results are kept", err, len(c.kept))
		}
	}
}

// offered is the tools of a server's list.
func offered(t *testing.T, list string) []mcpwire.Offering {
	t.Helper()
	tools, err := mcpwire.GatherList(mcpwire.OfTools, func([]byte) ([]byte, error) { return []byte(`{"tools":` + list + `}`), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// TestHelpGoesByTheTableAsItIs, not by that of the session's beginning, and has another name beside a
// tool that is called help.
func TestHelpGoesByTheTableAsItIs(t *testing.T) {
	const read = `{"name":"read","description":"Reads.","inputSchema":{"properties":{"secretly":{"type":"string"}}}}`
	began := permission.Server{ID: "fs", Transport: permission.TransportStdio,
		ToolPermissions: permission.ToolPermissions{"*": permission.NeedsNothing}}
	now := permission.ToolPermissions{"read": permission.NeedsTask}
	for _, c := range []struct {
		tool, args, list string
		is               bool
		has, hasNot      string
	}{
		{"help", `{}`, `[` + read + `]`, true, `"total_available":1`, "secretly"},
		{"help", `{"tool_name":"read"}`, `[` + read + `]`, true, `requires authentication`, "secretly"},
		{"help", `{"tool_name":"other"}`, `[` + read + `]`, true, `Tool 'other' is not registered.`, "category"},
		{"help", `{"tool_name":"help"}`, `[` + read + `]`, true, `"tool_name"`, "secretly"},
		{"help", `{}`, `[` + read + `,{"name":"help"}]`, false, "", "{"},
		{"sekisho_help", `{}`, `[` + read + `,{"name":"help"}]`, true, `"name":"sekisho_help"`, "secretly"},
		{"sekisho_help", `{}`, `[` + read + `]`, false, "", "{"},
		{"help", `{"tool_name":["read"]}`, `[` + read + `]`, true, `tool_name is a string`, "secretly"},
	} {
		one := newClient(t, began, false)
		call, w := one.call(c.tool, c.args)
		is, bad := one.tools.Help(t.Context(), call, now, offered(t, c.list))
		got := strings.ReplaceAll(w.Body.String(), `\"`, `"`)
		if is != c.is || bad != nil || !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) {
			t.Errorf("%s %s of %s: %v %v %s", c.tool, c.args, c.list, is, bad, got)
		}
		if len(one.asked) != 0 {
			t.Errorf("%s %s keeps a row", c.tool, c.args)
		}
	}
}

// TestHelpIsOfServersWithATable alone.
func TestHelpIsOfServersWithATable(t *testing.T) {
	call := func(method, name string) mcpwire.Message {
		m, bad := mcpwire.FromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":%q}}`, method, name))
		if bad != nil {
			t.Fatal(bad)
		}
		return m
	}
	tabled := permission.Server{ToolPermissions: permission.ToolPermissions{}}
	for _, c := range []struct {
		server permission.Server
		m      mcpwire.Message
		may    bool
	}{
		{tabled, call("tools/call", "help"), true}, {tabled, call("tools/call", "sekisho_help"), true},
		{tabled, call("tools/call", "Help"), false}, {tabled, call("prompts/get", "help"), false},
		{permission.Server{}, call("tools/call", "help"), false},
	} {
		if builtin.MayAsk(&c.server, c.m) != c.may {
			t.Errorf("%s of %+v: %v", c.m.Raw, c.server.ToolPermissions, !c.may)
		}
	}
}
