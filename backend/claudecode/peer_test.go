package claudecode_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"sekisho/backend/claudecode"
	"sekisho/backend/handover"
)

// desk is an approval service of a test: its answers by tool.
type desk struct {
	mu      sync.Mutex
	answers map[string]handover.ApprovalStatus // nil is an error
	allowed map[string]bool
	asked   []string
	gone    chan string              // tools whose request was cancelled
	waits   map[string]chan struct{} // tools that a person is asked about, until it is closed
	stops   chan struct{}            // a person stops the agent
}

type request struct {
	*desk
	in handover.Circumstances
}

func (r request) RequestToolApproval(ctx context.Context, tool string, input json.RawMessage,
	id string) (handover.ApprovalStatus, error) {
	r.mu.Lock()
	r.asked = append(r.asked, fmt.Sprintf("%s %s %s in %s %s: %s %s",
		tool, input, id,
		r.in.Session, r.in.Cwd, r.in.Description, r.in.Schema))
	answer, known := r.answers[tool]
	r.mu.Unlock()
	if waits := r.waits[tool]; waits != nil && r.in.Waits != nil {
		r.in.Waits()
		<-waits
	}
	switch {
	case !known:
		<-ctx.Done()
		r.gone <- tool
		return nil, ctx.Err()
	case answer == nil:
		return nil, errors.New("no desk")
	}
	if yes, ok := answer.(handover.Approved); ok && yes.Input == nil {
		yes.Input = input
		return yes, nil
	}
	return answer, nil
}

// client is the client's side of a conversation.
type client struct {
	t     *testing.T
	lines *bufio.Reader // what it is told
	says  io.WriteCloser
	out   bytes.Buffer // what the peer passes on
	ended chan error
	leave context.CancelFunc
}

// converse starts a conversation, with its beginning.
func converse(t *testing.T, d *desk, bypass bool, prompts ...string) *client {
	t.Helper()
	hears, in := io.Pipe()
	out, says := io.Pipe()
	ctx, leave := context.WithCancel(context.Background())
	c := &client{t: t, lines: bufio.NewReader(hears), says: says, ended: make(chan error, 1), leave: leave}
	d.gone = make(chan string, 10)
	all := make(chan string, len(prompts))
	for _, p := range prompts {
		all <- p
	}
	close(all)
	peer := claudecode.New(in, out, claudecode.Options{
		Approvals: func(where handover.Circumstances) handover.ExecutorApprovalService { return request{d, where} },
		Allowed: func(_ context.Context, _ handover.Circumstances, tool string, _ json.RawMessage) (bool, error) {
			return d.allowed[tool], nil
		},
		Bypass: bypass, Stopped: d.stops, Out: &c.out,
	})
	go func() { c.ended <- peer.Converse(ctx, all) }()
	t.Cleanup(func() {
		leave()
		says.Close()
		hears.Close()
	})
	begin := c.next()
	if begin["type"] != "control_request" || at(begin, "request", "subtype") != "initialize" {
		t.Fatalf("it begins with %v", begin)
	}
	c.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{}}}`, begin["request_id"])
	if first := c.next(); at(first, "message", "content") != prompts[0] {
		t.Fatalf("the prompt is %v", first)
	}
	c.say(`{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}`)
	return c
}

func at(m map[string]any, path ...string) any {
	var v any = m
	for _, name := range path {
		inside, _ := v.(map[string]any)
		v = inside[name]
	}
	return v
}

func (c *client) say(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.says, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() (m map[string]any) {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &m)
	}
	if err != nil {
		c.t.Fatalf("%q %v", line, err)
	}
	return m
}

// request asks for something, and gives the answer, or the error, as JSON.
func (c *client) request(what string) string {
	c.t.Helper()
	c.say(`{"type":"control_request","request_id":"r1","request":%s}`, what)
	m := c.next()
	if m["type"] != "control_response" || at(m, "response", "request_id") != "r1" {
		c.t.Fatalf("answered with %v", m)
	}
	if why := at(m, "response", "error"); why != nil {
		return fmt.Sprint("error: ", why)
	}
	raw, err := json.Marshal(at(m, "response", "response"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(raw)
}

func (c *client) end() {
	c.t.Helper()
	c.say(`{"type":"result"}`)
	if line, err := c.lines.ReadString('\n'); err != io.EOF {
		c.t.Fatalf("its input goes on after the last result: %q %v", line, err)
	}
	c.says.Close()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}

func hook(callback, tool string) string {
	return `{"subtype":"hook_callback","callback_id":"` + callback + `","tool_use_id":"t","input":{"session_id":"s","cwd":"/w","tool_name":"` +
		tool + `","tool_input":{"a":1}}}`
}

const (
	hookAsk   = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Sekisho asks"}}`
	hookAllow = `"permissionDecision":"allow"`
	hookDeny  = `"permissionDecision":"deny"`
)

func TestAnswers(t *testing.T) {
	questions := `{"questions":[{"question":"Which?","header":"H","options":[{"label":"A"},{"label":"B"}]},` +
		`{"question":"All?","multiSelect":true,"options":[{"label":"C"}]}]}`
	d := &desk{allowed: map[string]bool{"Read": true, "Glob": true}, answers: map[string]handover.ApprovalStatus{
		"Read": handover.Approved{}, "Glob": handover.Denied{Reason: "a limit"},
		"Bash": handover.Approved{}, "Edit": handover.Approved{Input: json.RawMessage(`{"b":2}`)}, "Write": handover.Denied{Reason: "no"},
		"Late": handover.TimedOut{Reason: "Nobody answered"}, "Slow": handover.Pending{}, "Lost": nil,
		"AskUserQuestion": handover.Approved{Data: json.RawMessage(`{"Which?":"B","All?":["C","d"]}`)},
		"ExitPlanMode":    handover.Approved{Data: json.RawMessage(`{"mode":"acceptEdits"}`)},
		"Elicitation":     handover.Approved{Data: json.RawMessage(`{"name":"x"}`)},
	}}
	c := converse(t, d, false, "go")
	can := func(tool, input, more string) string {
		return `{"subtype":"can_use_tool","tool_name":"` + tool + `","tool_use_id":"t","input":` + input + more + `}`
	}
	for _, tt := range []struct{ what, want string }{
		{hook("tool_approval", "Bash"), hookAsk},
		{hook("auto_approve", "Read"), hookAllow},
		{hook("auto_approve", "Glob"), hookAsk}, // the rules would, and the desk did not
		{hook("auto_approve", "LS"), hookAsk},
		{hook("another", "Bash"), hookDeny},
		{`{"subtype":"hook_callback","callback_id":"tool_approval","input":7}`, hookDeny},
		{`{"subtype":"hook_callback","callback_id":"tool_approval"}`, hookDeny},
		{can("Bash", `{"a":1}`, ""), `{"behavior":"allow","updatedInput":{"a":1}}`},
		{can("Edit", `{"a":1}`, ""), `{"behavior":"allow","updatedInput":{"b":2}}`},
		{can("Write", `{"a":1}`, ""), `{"behavior":"deny","message":"no"}`},
		{can("Late", `{}`, ""), `{"behavior":"deny","interrupt":true,"message":"Nobody answered"}`},
		{can("Slow", `{}`, ""), `"message":"PENDING: nobody has answered yet`},
		{can("Lost", `{}`, ""), `{"behavior":"deny","message":"Sekisho could not get an answer, so that the tool did not run: no desk"}`},
		{can("", `{}`, ""), `"behavior":"deny"`},
		{can("AskUserQuestion", questions, ""), `"answers":{"All?":"C, d","Which?":"B"}`},
		{can("AskUserQuestion", `{"questions":[]}`, ""), `"behavior":"deny"`},
		{can("ExitPlanMode", `{"plan":"x"}`, ""), `"updatedPermissions":[{"destination":"session","mode":"acceptEdits","type":"setMode"}]`},
		{`{"subtype":"elicitation","mcp_server_name":"s","message":"who?","requested_schema":{"type":"object"}}`,
			`{"action":"accept","content":{"name":"x"}}`},
		{`{"subtype":"mcp_message"}`, `error: no request of subtype "mcp_message" is answered here`},
		{`7`, `error: read the request`},
	} {
		if got := c.request(tt.what); !strings.Contains(got, tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.what, got, tt.want)
		}
	}
	c.end()
	asked := strings.Join(d.asked, "\n")
	for _, want := range []string{`Bash {"a":1} t in s /w:`, `"const":"A"`, `"enum":["default","acceptEdits"]`} {
		if !strings.Contains(asked, want) {
			t.Errorf("%s was not asked in\n%s", want, asked)
		}
	}
}

// The mode that asks nothing is there only for who started the client so.
func TestBypass(t *testing.T) {
	for _, with := range []bool{false, true} {
		d := &desk{answers: map[string]handover.ApprovalStatus{
			"ExitPlanMode": handover.Approved{Data: json.RawMessage(`{"mode":"bypassPermissions"}`)}}}
		c := converse(t, d, with, "go")
		got := c.request(`{"subtype":"can_use_tool","tool_name":"ExitPlanMode","tool_use_id":"t","input":{}}`)
		if strings.Contains(got, `"mode":"bypassPermissions"`) != with || strings.Contains(d.asked[0], "bypassPermissions") != with {
			t.Errorf("%t: %s, asked %s", with, got, d.asked)
		}
		c.end()
	}
}

// Each use of a tool is asked about in its own folder.
func TestFolders(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"Bash": handover.Approved{}}}
	c := converse(t, d, false, "go")
	for _, use := range []string{"a", "b"} {
		c.request(`{"subtype":"hook_callback","callback_id":"tool_approval","tool_use_id":"` + use +
			`","input":{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/` + use + `","tool_name":"Bash","tool_input":{}}}`)
	}
	c.request(`{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"a","input":{}}`)
	if got := d.asked[len(d.asked)-1]; !strings.Contains(got, "in s /a:") {
		t.Error(got)
	}
	c.end()
}

// Where a person is asked again, the answer that put the client into that mode has ended: the
// client is told so at once, before the person has answered. Rules and the answer itself do not
// end it, and neither does a question.
func TestBypassEnds(t *testing.T) {
	answered, waits := make(chan struct{}), make(chan struct{})
	close(answered)
	d := &desk{answers: map[string]handover.ApprovalStatus{
		"ExitPlanMode":    handover.Approved{Data: json.RawMessage(`{"mode":"bypassPermissions"}`)},
		"AskUserQuestion": handover.Denied{}, "Read": handover.Approved{}, "Rule": handover.Denied{},
		"Write": handover.Denied{Reason: "no"}},
		waits: map[string]chan struct{}{"ExitPlanMode": answered, "AskUserQuestion": answered, "Write": waits}}
	c := converse(t, d, true, "go")
	for _, tool := range []string{"ExitPlanMode", "Read", "Rule", "AskUserQuestion"} {
		c.request(`{"subtype":"can_use_tool","tool_name":"` + tool + `","tool_use_id":"t","input":{"questions":[{"question":"q","options":[]}]}}`)
	}
	c.say(`{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","tool_name":"Write","tool_use_id":"t","input":{}}}`)
	if m := c.next(); at(m, "request", "subtype") != "set_permission_mode" || at(m, "request", "mode") != "default" {
		t.Errorf("told %v", m)
	}
	close(waits)
	if m := c.next(); at(m, "response", "response", "message") != "no" {
		t.Errorf("told %v", m)
	}
	if got := c.request(`{"subtype":"can_use_tool","tool_name":"Write","tool_use_id":"t","input":{}}`); !strings.Contains(got, "no") {
		t.Error(got) // and it is not told so again
	}
	c.end()
}

func TestTheStreamGoesOnUnchanged(t *testing.T) {
	c := converse(t, &desk{}, false, "go", "on")
	lines := []string{`{"type":"assistant", "n":9007199254740993,"n":1}`, `no JSON`, `  {"type":"result","x":1.0}`}
	for _, line := range lines {
		c.say("%s", line)
	}
	if second := c.next(); at(second, "message", "content") != "on" {
		t.Errorf("the second prompt is %v", second)
	}
	c.say(`{"type":"control_cancel_request","request_id":"none"}`)
	c.end()
	all := append(append([]string{`{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}`}, lines...), `{"type":"result"}`, "")
	if want := strings.Join(all, "\n"); c.out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", c.out.String(), want)
	}
}

// A request that the client takes back is withdrawn at the desk, and not answered.
func TestWithdrawn(t *testing.T) {
	d := &desk{}
	c := converse(t, d, false, "go")
	c.say(`{"type":"control_request","request_id":"r7","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{}}}`)
	c.say(`{"type":"control_cancel_request","request_id":"r7"}`)
	if tool := <-d.gone; tool != "Bash" {
		t.Error(tool)
	}
	c.end()
}

// A person who interrupts ends what the client does, and what waits.
func TestInterrupted(t *testing.T) {
	d := &desk{}
	c := converse(t, d, false, "go")
	c.say(`{"type":"control_request","request_id":"r7","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{}}}`)
	c.say(`{"type":"assistant"}`) // which is read after it
	c.leave()
	stop := c.next()
	if at(stop, "request", "subtype") != "interrupt" {
		t.Fatalf("got %v", stop)
	}
	c.say(`{"type":"control_response","response":{"subtype":"success","request_id":%q}}`, stop["request_id"])
	c.says.Close()
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-d.gone:
	case <-time.After(10 * time.Second):
		t.Error("the call was not withdrawn")
	}
}

// A client that does not know the protocol gets no prompt.
func TestNotBegun(t *testing.T) {
	hears, in := io.Pipe()
	out, says := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- claudecode.New(in, out, claudecode.Options{Out: io.Discard}).Converse(context.Background(), make(chan string))
	}()
	c := &client{t: t, lines: bufio.NewReader(hears), says: says}
	c.say(`{"type":"control_response","response":{"subtype":"error","request_id":%q,"error":"what?"}}`, c.next()["request_id"])
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "what?") {
		t.Error(err)
	}
	says.Close()
}
