package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// prompt opens a session with the desk's own server.
func (h *house) prompt() *client {
	h.t.Helper()
	p := &client{house: h, agent: "a", server: "sekisho"}
	resp := p.post(context.Background(), initialize)
	if body := read(h.t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"protocolVersion":"2025-06-18"`) {
		h.t.Fatalf("initialize: %d %s", resp.StatusCode, body)
	}
	p.session = resp.Header.Get("Mcp-Session-Id")
	return p
}

// prompting calls the prompt tool.
func (c *client) prompting(ctx context.Context, args, meta string) <-chan string {
	return c.start(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve","arguments":`+args+meta+`}}`)
}

// said is the JSON in the one text block of an answer.
func said(t *testing.T, raw string) (behavior, message, input string) {
	t.Helper()
	var m struct {
		Result struct{ Content []struct{ Type, Text string } }
	}
	var answer struct {
		Behavior, Message string
		UpdatedInput      json.RawMessage
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || len(m.Result.Content) != 1 || m.Result.Content[0].Type != "text" {
		t.Fatalf("no block of text: %s", raw)
	}
	if err := json.Unmarshal([]byte(m.Result.Content[0].Text), &answer); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return answer.Behavior, answer.Message, string(answer.UpdatedInput)
}

const touch = `{"tool_name":"Bash","input":{"command":"touch x", "n":9007199254740993},"tool_use_id":"toolu_1"}`

func TestPromptApproved(t *testing.T) {
	h, _ := holding(t)
	p := h.prompt()
	got := p.prompting(context.Background(), touch, `,"_meta":{"progressToken":"tok"}`)
	if r := progressOf(t, next(t, got)); r.Params.Message != "Waiting for a person at Sekisho (Bash)" {
		t.Errorf("progress %+v", r)
	}
	row := h.desk.awaitStatus(t, permission.Pending)
	if row.ServerID != nil || row.ToolName != "Bash" || row.ToolCallID != "toolu_1" || string(row.SessionID) != p.session ||
		row.Envelope != nil {
		t.Errorf("the row is %+v", row)
	}
	h.desk.decide(row.ID, permission.Approved, "")
	if behavior, _, input := said(t, last(t, got)); behavior != "allow" || input != `{"command":"touch x", "n":9007199254740993}` {
		t.Errorf("%s %s", behavior, input)
	}
	if done := h.desk.awaitStatus(t, permission.Completed); string(done.Result) != permission.HandedOverResult {
		t.Errorf("ended with %s", done.Result)
	}
	if strings.Contains(h.received(), "approve") {
		t.Error("a server has got the prompt")
	}
}

func TestPromptDeclined(t *testing.T) {
	h, _ := holding(t)
	got := h.prompt().prompting(context.Background(), `{"tool_name":"mcp__files__write","input":{},"tool_use_id":"toolu_1"}`, "")
	row := h.desk.awaitStatus(t, permission.Pending)
	if row.ServerID == nil || *row.ServerID != "files" || row.ToolName != "write" {
		t.Errorf("the row is %+v", row)
	}
	h.desk.decide(row.ID, permission.Declined, "not now")
	if behavior, message, _ := said(t, last(t, got)); behavior != "deny" || !strings.HasPrefix(message, "Declined by a person: not now") {
		t.Errorf("%s %s", behavior, message)
	}
}

func TestPromptByRules(t *testing.T) {
	h, _ := holding(t)
	h.desk.allow["Read"], h.desk.deny["Bash"] = true, "never"
	p := h.prompt()
	got := last(t, p.prompting(context.Background(), `{"tool_name":"Read","input":{"a":1},"tool_use_id":"toolu_1"}`, ""))
	if behavior, _, input := said(t, got); behavior != "allow" || input != `{"a":1}` {
		t.Error(got)
	}
	got = last(t, p.prompting(context.Background(), touch, ""))
	if behavior, message, _ := said(t, got); behavior != "deny" || !strings.Contains(message, "never") {
		t.Error(got)
	}
}

func TestPromptLeft(t *testing.T) {
	h, _ := holding(t)
	ctx, leave := context.WithCancel(context.Background())
	got := h.prompt().prompting(ctx, touch, "")
	next(t, got)
	row := h.desk.awaitStatus(t, permission.Pending)
	leave()
	row = h.desk.awaitGone(t)
	h.desk.decide(row.ID, permission.Approved, "")
	if row = h.desk.awaitStatus(t, permission.Approved); row.ClaimID != nil {
		t.Error("a yes was taken for a client that has left")
	}
}

func TestPromptRefusesWhatItCannotRead(t *testing.T) {
	h, _ := holding(t)
	p := h.prompt()
	for _, args := range []string{`{}`, `{"tool_name":"","input":{}}`, `{"tool_name":"Bash","input":"ls"}`, `{"tool_name":"Bash"}`,
		`{"tool_name":"Bash","Tool_Name":"Read","input":{}}`, `{"tool_name":"Bash","tool_name":"Read","input":{}}`} {
		if got := last(t, p.prompting(context.Background(), args, "")); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", args, got)
		}
	}
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`} {
		if got := read(t, p.post(context.Background(), body)); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", body, got)
		}
	}
	stateless := h.stateless("a")
	stateless.server = p.server
	if resp := stateless.modern(context.Background(), modernCall("1", "approve", touch, ""), "tools/call", "approve", nil); resp.StatusCode !=
		http.StatusBadRequest || !strings.Contains(read(t, resp), `"supported":["2025-11-25"`) {
		t.Errorf("without a session: %s", resp.Status)
	}
	if list := read(t, p.post(context.Background(), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)); !strings.Contains(list, `"approve"`) {
		t.Error(list)
	}
	if len(h.desk.seen) > 0 {
		t.Errorf("the desk has pinned a tool of its own: %v", h.desk.seen)
	}
}

const which = `{"tool_name":"AskUserQuestion","tool_use_id":"toolu_1","input":{"questions":[{"question":"Which?","header":"Pick",` +
	`"options":[{"label":"A","description":"the first"},{"label":"B"}]},{"question":"All?","multiSelect":true,"options":[{"label":"C"}]}]}}`

// Questions are a form, and the answers go out with the input.
func TestPromptQuestions(t *testing.T) {
	h, _ := holding(t)
	got := h.prompt().prompting(context.Background(), which, "")
	row := h.desk.awaitStatus(t, permission.Pending)
	if !row.ResumeRequired || !strings.Contains(string(row.ResumeSchema), `"required":["Which?","All?"]`) {
		t.Errorf("the form: %t %s", row.ResumeRequired, row.ResumeSchema)
	}
	h.desk.answer(row.ID, `{"Which?":"B","All?":["C","my own"]}`)
	behavior, _, input := said(t, last(t, got))
	if behavior != "allow" || !strings.Contains(input, `"answers":{"All?":"C, my own","Which?":"B"}`) ||
		!strings.Contains(input, `"questions":[`) {
		t.Errorf("%s %s", behavior, input)
	}
}

// A yes without answers is none, and what asks nothing is not put to anybody.
func TestPromptQuestionsUnanswered(t *testing.T) {
	h, _ := holding(t)
	p := h.prompt()
	got := p.prompting(context.Background(), which, "")
	h.desk.answer(h.desk.awaitStatus(t, permission.Pending).ID, "")
	if behavior, _, input := said(t, last(t, got)); behavior != "deny" {
		t.Errorf("%s %s", behavior, input)
	}
	none := p.prompting(context.Background(), `{"tool_name":"AskUserQuestion","input":{"questions":[]}}`, "")
	if raw := last(t, none); !strings.Contains(raw, "there is no question") || strings.Contains(raw, "allow") {
		t.Error(raw)
	}
}
