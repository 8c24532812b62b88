package acp

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

	"sekisho/backend/handover"
	"sekisho/backend/permission"
)

// desk is an approval service of a test: its answers by tool; a tool without one waits.
type desk struct {
	mu      sync.Mutex
	answers map[string]handover.ApprovalStatus // nil is an error
	asked   []string
	waits   chan string // tools that wait
	gone    chan string // and those that are withdrawn
	known   map[string]bool
	stops   chan struct{} // a person stops the agent
}

type request struct {
	*desk
	in handover.Circumstances
}

func (r request) RequestToolApproval(ctx context.Context, tool string, input json.RawMessage, id string) (handover.ApprovalStatus, error) {
	r.mu.Lock()
	r.asked = append(r.asked, fmt.Sprintf("%s %s %s in %s %s: %s", tool, input, id, r.in.Session, r.in.Cwd, r.in.Description))
	answer, known := r.answers[tool]
	conflict := r.known[id]
	r.mu.Unlock()
	switch {
	case !r.in.InputFixed || !r.in.SessionIDs:
		return nil, errors.New("an agent takes no other input, and its ids are of one session")
	case conflict:
		return nil, fmt.Errorf("ask the desk: %w", &permission.Error{Code: permission.CodeCallConflict})
	case !known:
		r.waits <- tool
		<-ctx.Done()
		r.gone <- tool
		return nil, ctx.Err()
	case answer == nil:
		return nil, errors.New("no desk")
	}
	if yes, ok := answer.(handover.Approved); ok && yes.Input == nil {
		return handover.Approved{Input: input}, nil
	}
	return answer, nil
}

// scene is an editor and an agent with a relay between them.
type scene struct {
	*testing.T
	desk          *desk
	editor, agent io.WriteCloser // what they say
	toEditor      *bufio.Reader
	toAgent       *bufio.Reader
	told          bytes.Buffer // read after the end only
	ended         chan error
}

func stage(t *testing.T, d *desk) *scene {
	t.Helper()
	d.waits, d.gone = make(chan string, 100), make(chan string, 100)
	editorSays, editor := io.Pipe()
	agentSays, agent := io.Pipe()
	toEditor, editorHears := io.Pipe()
	toAgent, agentHears := io.Pipe()
	s := &scene{T: t, desk: d, editor: editor, agent: agent, toEditor: bufio.NewReader(toEditor), toAgent: bufio.NewReader(toAgent),
		ended: make(chan error, 1)}
	relay := New(Streams{EditorSays: editorSays, EditorHears: editorHears, AgentSays: agentSays, AgentHears: agentHears},
		Options{Told: &s.told, Stopped: d.stops,
			Approvals: func(in handover.Circumstances) handover.ExecutorApprovalService { return request{d, in} }})
	go func() { s.ended <- relay.Run(context.Background()) }()
	t.Cleanup(func() {
		editor.Close()
		agent.Close()
		toEditor.Close()
		toAgent.Close()
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
			t.Error("the relay has not ended")
		}
	})
	return s
}

func (s *scene) say(to io.Writer, line string) {
	s.Helper()
	if _, err := io.WriteString(to, line); err != nil {
		s.Error(err)
	}
}

// hear wants a line, to the byte.
func (s *scene) hear(from *bufio.Reader, want string) {
	s.Helper()
	got := make(chan string, 1)
	go func() {
		line, _ := from.ReadString('\n')
		got <- line
	}()
	select {
	case line := <-got:
		if line != want {
			s.Fatalf("heard %.300q\nwant  %.300q", line, want)
		}
	case <-time.After(10 * time.Second):
		s.Fatalf("nothing is heard, want %.300q", want)
	}
}

// permit is a permission request of a tool.
func permit(id, session, kind string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c1",`+
		`"title":"Do it","kind":%q,"rawInput":{"n":9007199254740993}},"options":[{"optionId":"aa","name":"Always","kind":"allow_always"},`+
		`{"optionId":"a1","name":"Once","kind":"allow_once"},{"optionId":"ra","name":"Never","kind":"reject_always"},`+
		`{"optionId":"r1","name":"No","kind":"reject_once"}]}}`+"\n", id, session, kind)
}

func chosen(id, option string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}` + "\n"
}

func off(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"cancelled"}}}` + "\n"
}

// All but permission requests passes byte for byte, and the desk is told what is known.
func TestRelay(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"edit": handover.Approved{}}}
	s := stage(t, d)
	for _, line := range []string{`{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}` + "\n", "garbage {\n",
		"\r\n", `{"id" : 1, "method":"x", "outcome":{"outcome":1}}` + "\n", `{"id":5,"result":{"content":"outcome"}}` + "\n",
		strings.Repeat("x", 1<<20) + "\n", `{"text":"\ud83d"}` + "\n"} {
		s.say(s.editor, line)
		s.hear(s.toAgent, line)
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":0,"result":{"sessionId":"s1"}}` + "\n", "a log line\n", "\n", `{"a":1,"a":2}` + "\n",
		`{"method":"session/update","params":{"text":"session/request_permission \ud83d","method":"session/request_permission"}}` + "\n",
		`{"method":"session/update","params":{"text":"` + strings.Repeat("y", 4<<20) + `"}}` + "\n", `C:\users` + "\n"} {
		s.say(s.agent, line)
		s.hear(s.toEditor, line)
	}
	s.say(s.agent, permit("7", "s1", "edit"))
	s.hear(s.toAgent, chosen("7", "a1"))
	if len(d.asked) != 1 || d.asked[0] != "edit {\"n\":9007199254740993} c1 in s1 /work: Title: Do it\nKind, in the agent's own word: edit" {
		t.Errorf("asked %q", d.asked)
	}
	s.say(s.editor, `{"method":"session/cancel","params":{"sessionId":"s1"}}`) // the last line need have no end
	s.editor.Close()
	if rest, err := io.ReadAll(s.toAgent); err != nil || string(rest) != `{"method":"session/cancel","params":{"sessionId":"s1"}}` {
		t.Errorf("the agent's input ends with %q, %v", rest, err)
	}
}

// Only a yes of the desk to the input itself is a yes, and only for once.
func TestOutcomes(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{
		"yes": handover.Approved{}, "no": handover.Denied{Reason: "not so"}, "late": handover.TimedOut{Reason: "nobody"},
		"pending": handover.Pending{}, "gone": nil, "edited": handover.Approved{Input: json.RawMessage(`{}`)}}}
	s := stage(t, d)
	for i, tt := range []struct{ kind, want string }{
		{"yes", "a1"}, {"no", "r1"}, {"late", "r1"}, {"pending", "r1"}, {"gone", "r1"}, {"edited", "r1"},
	} {
		id := fmt.Sprint(i)
		s.say(s.agent, permit(id, "s", tt.kind))
		s.hear(s.toAgent, chosen(id, tt.want))
	}
	for i, tt := range []struct{ old, now, want string }{
		{`"optionId":"r1","name":"No","kind":"reject_once"`, `"optionId":"r1","kind":"x"`, "a1"},
		{`"kind":"allow_once"`, `"kind":"allow_always"`, "r1"},
		{`"optionId":"aa"`, `"optionId":"a1"`, "r1"}, // nobody knows what a1 is
		{`"optionId":"a1"`, `"optionId":null`, "r1"},
		{`"options":[`, `"options":[7,`, ""},
		{`"options":[`, `"Options":[],"options":[`, ""},
		{`"options":[`, `"options":null,"else":[`, ""},
		{`"rawInput":`, `"rawInput":{},"rawInput":`, ""},
		{`"toolCallId":"c1",`, ``, ""},
		{`"toolCallId":"c1"`, `"toolCallId":7`, ""},
		{`"Do it"`, `"\ud83d"`, ""},
		{`"params":`, `"params":[],"params":`, ""},
	} {
		id := fmt.Sprintf(`"id %d"`, i)
		s.say(s.agent, strings.Replace(permit(id, "s", "yes"), tt.old, tt.now, 1))
		want := chosen(id, tt.want)
		if tt.want == "" {
			want = off(id)
		}
		s.hear(s.toAgent, want)
	}
	none := strings.ReplaceAll(permit("99", "s", "no"), "reject_once", "reject_always")
	s.say(s.agent, none)
	s.hear(s.toAgent, off("99"))
}

// Without the tool's input the desk shows what the agent says, and that it is no more.
func TestWithoutRawInput(t *testing.T) {
	yes := handover.Approved{}
	d := &desk{answers: map[string]handover.ApprovalStatus{"edit": yes, "Do it": yes, "other": yes}}
	s := stage(t, d)
	line := strings.Replace(permit("1", "s", "edit"), `"rawInput":{"n":9007199254740993}`, `"locations":[{"path":"/w/a"}],"content":[1]`, 1)
	s.say(s.agent, line)
	s.hear(s.toAgent, chosen("1", "a1"))
	s.say(s.agent, strings.Replace(permit("2", "s", ""), `{"n":9007199254740993}`, "null", 1))
	s.hear(s.toAgent, chosen("2", "a1"))
	s.say(s.agent, strings.Replace(permit("3", "s", ""), "Do it", strings.Repeat("long", 100), 1))
	s.hear(s.toAgent, chosen("3", "a1"))
	if !strings.Contains(d.asked[0], `edit {"title":"Do it","kind":"edit","locations":[{"path":"/w/a"}],"content":[1]} c1`) ||
		!strings.Contains(d.asked[0], "no rawInput") || !strings.HasPrefix(d.asked[1], `Do it {"title":"Do it","kind":""}`) ||
		!strings.HasPrefix(d.asked[2], "other {") {
		t.Errorf("asked %q", d.asked)
	}
}

// A title that is all there is of a shell's line is read as one, but never lowers the risk.
func TestATitleIsReadAsALine(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"execute": handover.Approved{}, "edit": handover.Approved{}}}
	s := stage(t, d)
	for i, c := range []struct {
		kind, title string
		read        bool
	}{{"execute", "rm -rf ~/x", true}, {"execute", "git status", false}, {"execute", "ls (all)", true}, {"edit", "rm -rf ~/x", false}} {
		id := fmt.Sprint(i)
		line := strings.Replace(permit(id, "s", c.kind), `"rawInput":{"n":9007199254740993}`, `"rawInput":null`, 1)
		s.say(s.agent, strings.Replace(line, "Do it", c.title, 1))
		s.hear(s.toAgent, chosen(id, "a1"))
		if got := d.asked[i]; strings.Contains(got, `"command":"`+c.title+`"}`) != c.read || strings.Contains(got, "is read as") != c.read {
			t.Errorf("%s %s: asked %s", c.kind, c.title, got)
		}
	}
	s.say(s.agent, strings.Replace(permit("9", "s", "execute"), "Do it", "rm -rf x", 1))
	s.hear(s.toAgent, chosen("9", "a1"))
	if got := d.asked[4]; strings.Contains(got, "command") {
		t.Errorf("beside an input: asked %s", got)
	}
}

// session/cancel of the editor withdraws what waits in that session, and no other.
func TestCancel(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{}}
	s := stage(t, d)
	for id, session := range []string{"s", "s", "other"} {
		s.say(s.agent, permit(fmt.Sprint(id), session, "wait"))
		<-d.waits
	}
	cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}` + "\n"
	s.say(s.editor, cancel)
	heard := map[string]bool{}
	for range 3 {
		line, err := s.toAgent.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		heard[line] = true
	}
	if !heard[cancel] || !heard[off("0")] || !heard[off("1")] {
		t.Errorf("heard %v", heard)
	}
	if len(d.gone) != 2 {
		t.Errorf("%d are withdrawn", len(d.gone))
	}
}

// Parallel requests have their own answers. An id that is used twice has no yes, and an
// editor's own answer does not reach the agent.
func TestIDs(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"yes": handover.Approved{}, "no": handover.Denied{}}}
	s := stage(t, d)
	s.say(s.agent, permit(`"1"`, "s", "wait"))
	<-d.waits
	s.say(s.agent, permit("1", "s", "yes")) // another id than "1"
	s.hear(s.toAgent, chosen("1", "a1"))
	for _, line := range []string{chosen(`"1"`, "a1"), chosen("1", "aa"), `{"id":1.0,"error":{}}` + "\n",
		`{"id":77,"result":{"outcome":{}}}` + "\n",
		`{"id":"\u0031","Result":{"\u006futcome":1}}` + "\n", "[" + strings.TrimSpace(chosen("2", "a1")) + "]\n"} {
		s.say(s.editor, line) // none is passed on
	}
	s.say(s.agent, permit(`"\u0031"`, "s", "yes"))
	heard := map[string]bool{}
	for range 2 {
		line, _ := s.toAgent.ReadString('\n')
		heard[line] = true
	}
	if !heard[chosen(`"1"`, "r1")] || !heard[chosen(`"\u0031"`, "r1")] {
		t.Errorf("heard %v", heard)
	}
	s.say(s.agent, permit("1", "s", "yes"))
	s.hear(s.toAgent, chosen("1", "r1"))
	for _, id := range []string{"null", "{}", "true", "[1]"} {
		s.say(s.agent, permit(id, "s", "yes")) // nothing could answer these
	}
	s.say(s.agent, "x\n")
	s.hear(s.toEditor, "x\n")
	if n := len(d.asked); n != 2 {
		t.Errorf("asked %d times: %q", n, d.asked)
	}
}

// A request that another reader of JSON may find in a line reaches nobody.
func TestWithheld(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"yes": handover.Approved{}}}
	s := stage(t, d)
	plain := strings.TrimSpace(permit("1", "s", "yes"))
	for _, line := range []string{"[" + plain + "]", "x\r" + plain, plain + plain, "1 " + plain, strings.TrimSuffix(plain, "}")} {
		s.say(s.agent, line+"\n")
	}
	for id, line := range []string{
		strings.Replace(plain, `"method":`, `"method":"session/update","method":`, 1), strings.Replace(plain, `"method":`, `"Method":`, 1),
		strings.Replace(plain, `"method":`, `"METHOD":"session/update","method":`, 1), "\ufeff" + plain,
	} {
		s.say(s.agent, strings.Replace(line, `"id":1`, fmt.Sprintf(`"id":1%d`, id), 1)+"\n")
		if id < 3 {
			s.hear(s.toAgent, off(fmt.Sprintf("1%d", id)))
		}
	}
	s.say(s.agent, strings.Replace(strings.Replace(plain, "session/request", `session\/reques\u0074`, 1), `"id":1`, `"id":2`, 1)+"\n")
	s.hear(s.toAgent, chosen("2", "a1"))
	s.say(s.agent, "end\n")
	s.hear(s.toEditor, "end\n")
	if len(d.asked) != 1 {
		t.Errorf("asked %q", d.asked)
	}
}

// A call that a hook has asked for in other words is a question of its own.
func TestConflict(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{"yes": handover.Approved{}}, known: map[string]bool{"c1": true}}
	s := stage(t, d)
	s.say(s.agent, permit("1", "s", "yes"))
	s.hear(s.toAgent, chosen("1", "a1"))
	if len(d.asked) != 2 || !strings.Contains(d.asked[1], "} acp:") {
		t.Errorf("asked %q", d.asked)
	}
}

// The agent's end withdraws what waits.
func TestEnd(t *testing.T) {
	d := &desk{answers: map[string]handover.ApprovalStatus{}}
	s := stage(t, d)
	s.say(s.agent, permit("1", "s", "wait"))
	<-d.waits
	s.agent.Close()
	select {
	case err := <-s.ended:
		s.ended <- err
		if err != nil || len(d.gone) != 1 {
			t.Errorf("%v, %d withdrawn", err, len(d.gone))
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on")
	}
}

// FuzzAsks: a line that encoding/json takes for a permission request is never passed on, and
// an editor's answer neither.
func FuzzAsks(f *testing.F) {
	f.Add(permit("1", "s", "edit"))
	f.Add(chosen("1", "a1"))
	f.Add(`{"Method":"session\u002frequest_permission"}`)
	f.Fuzz(func(t *testing.T, line string) {
		var m struct {
			Method string
			Result map[string]json.RawMessage
		}
		if json.Unmarshal([]byte(line), &m) != nil {
			return
		}
		if m.Method == askMethod && !asks([]byte(line)) {
			t.Errorf("%q is passed on to the editor", line)
		}
		if m.Result["outcome"] != nil && !answers([]byte(line)) {
			t.Errorf("%q is passed on to the agent", line)
		}
		if _, err := readAsk([]byte(line)); err == nil && !asks([]byte(line)) && m.Method == askMethod {
			t.Errorf("%q is read, and is no request", line)
		}
	})
}
