package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sekisho/backend"
	"sekisho/backend/attend"
	"sekisho/backend/handover"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
	"sekisho/backend/session"
)

// promptTool is what its list says.
const promptTool = `{"tools":[{"name":"approve","title":"Ask at the desk",` +
	`"description":"Asks whether a tool of the client may run, and waits for the answer: a permission prompt tool. It is for the client, not for the model.",` +
	`"inputSchema":{"type":"object","properties":{"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}},` +
	`"required":["tool_name","input"]}}]}`

// promptEntry is the entry that the desk's own server has in no list.
var promptEntry = permission.Server{ID: permission.PromptServer, Transport: permission.TransportBuiltin, Enabled: true}

// answerAsPrompt is the handler of that server: all but the calls of its tool, which the
// gateway runs itself.
func answerAsPrompt(_ context.Context, m mcpwire.Message, _ func([]byte)) ([]byte, error) {
	switch m.Method {
	case mcpwire.Initialize:
		raw, _ := mcpwire.Member(m.Params, "protocolVersion")
		version, _ := mcpwire.Text(raw)
		return fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{"tools":{}},"serverInfo":{"name":"sekisho","title":"Sekisho","version":%s}}`,
			mcpwire.Quote(mcpwire.SessionVersion(version)), mcpwire.Quote(backend.Version)), nil
	case mcpwire.ListTools:
		return []byte(promptTool), nil
	case mcpwire.Ping:
		return []byte("{}"), nil
	}
	return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "this server has no %.80q", m.Method)
}

// prompted is a call that a client asks about before it runs it itself. For the call runner
// it is the Executor, which hands the call over, and the Voice, which answers the prompt.
type prompted struct {
	judged
	input []byte // that the client is to run the tool with
}

// prompt takes a call of the prompt tool to its answer. It is not judged itself: what the
// desk is asked for is the call inside.
func (g *Gateway) prompt(ctx context.Context, s *session.Session, m mcpwire.Message, out *session.Stream) {
	g.judging(ctx, s, m, out, func(ctx context.Context, c *judged) *mcpwire.Error {
		inner, bad := readPrompt(s, &c.act)
		if bad != nil {
			return bad
		}
		q := attend.Request{Agent: s.Who(), Began: time.Now(), Client: s.ClientOf(m), Call: inner}
		q.Lively = c.x.Token != nil
		q.Patience = g.patience(&q)
		out.Patience(q.Patience)
		c.act.Name = inner.ToolName
		p := &prompted{judged: *c}
		g.hands.Run(ctx, q, p, p)
		return nil
	})
}

// readPrompt is the call that the arguments of the prompt tool are about.
func readPrompt(s *session.Session, act *mcpwire.Act) (r permission.Request, bad *mcpwire.Error) {
	if act.Method != mcpwire.CallTool || act.Name != "approve" {
		return r, mcpwire.Errorf(mcpwire.CodeParams, "unknown tool: %.200q", act.Name)
	}
	members, err := rawjson.Members(act.Input())
	if err != nil {
		return r, mcpwire.Errorf(mcpwire.CodeParams, "arguments of approve: %s", err)
	}
	got, bad := mcpwire.Pick(members, "tool_name", "input", "tool_use_id")
	if bad != nil {
		return r, bad
	}
	name, ok := mcpwire.Text(got["tool_name"].Value)
	input := got["input"].Value
	if !ok || name == "" || len(input) == 0 || input[0] != '{' {
		return r, mcpwire.Errorf(mcpwire.CodeParams, "approve takes tool_name, a string, and input, an object")
	}
	id, _ := mcpwire.Text(got["tool_use_id"].Value)
	r = permission.Request{
		Identity: permission.Identity{RunID: s.Run, ToolCallID: id, SessionID: s.Name()},
		Method:   permission.CallTool, Input: input, Joins: true,
	}
	r.ServerID, r.ToolName = mcpwire.ClaudeTool(name)
	if puts(r.ServerID, r.ToolName) {
		if r.ResumeSchema, err = handover.SchemaOfQuestions(input); err != nil {
			return r, mcpwire.Errorf(mcpwire.CodeParams, "arguments of approve: %s", err)
		}
		r.ResumeRequired = true
	}
	return r, nil
}

// puts reports whether a tool puts questions to a person.
func puts(server *string, tool string) bool { return server == nil && tool == handover.AskTool }

// Prepare keeps the input that was approved.
func (p *prompted) Prepare(call *permission.Call) (err error) {
	p.input, err = approvedInput(call)
	return err
}

// approvedInput is that which the client is to run an approved call with: where it puts
// questions to a person, with the answers.
func approvedInput(call *permission.Call) (json.RawMessage, error) {
	if !puts(call.ServerID, call.ToolName) {
		return call.Input, nil
	}
	return handover.Answered(call.Input, call.ResumeData)
}

// Execute hands the call over to the client, which runs it: the desk does not see its end.
func (p *prompted) Execute(context.Context, *permission.Call) (attend.Result, error) {
	return attend.Result{OK: true, Output: []byte(permission.HandedOverResult)}, nil
}

// Refused answers that the client must not run the tool, but where the desk has said yes to
// it a moment ago, by another door of the client.
func (p *prompted) Refused(r attend.Refusal) error {
	if r.Call != nil && r.Call.Given(permission.TimeOf(time.Now())) {
		if input, err := approvedInput(r.Call); err == nil {
			return p.allow(input)
		}
	}
	return p.deny(r.Words)
}

// Failed answers so too, where somebody waits for an answer.
func (p *prompted) Failed(err error) {
	if failure(p.s, p.m, p.out, err) == nil {
		p.out.Begin()
		return
	}
	p.deny("Sekisho: " + err.Error())
}

// Done answers that the client may run the tool, with the input that was approved.
func (p *prompted) Done(*permission.Call, attend.Result) { p.allow(p.input) }

func (p *prompted) allow(input []byte) error {
	return p.answer(fmt.Appendf(nil, `{"behavior":"allow","updatedInput":%s}`, input))
}

func (p *prompted) deny(words string) error {
	return p.answer(fmt.Appendf(nil, `{"behavior":"deny","message":%s}`, mcpwire.Quote(words)))
}

// answer is one block of text, which the client reads as JSON.
func (p *prompted) answer(said []byte) error {
	return p.out.Answer(mcpwire.ResultAnswer(p.m.ID, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, mcpwire.Quote(string(said)))))
}
