package projects

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
	"sekisho/backend/tool"
)

// maxWait bounds a long poll, in seconds.
const maxWait = 60

// noSession is the run and the session of calls that name none.
const noSession permission.RunID = "rest"

type executeIn struct {
	ProjectID string `path:"project_id" maxLength:"256"`
	Key       string `header:"Idempotency-Key" maxLength:"256" doc:"the same key of the same session is the same call; left out, each request is a new one"`
	Body      struct {
		ToolName   string          `json:"tool_name" enum:"tool_read_file,tool_write_file,tool_execute_command,tool_list_directory"`
		ToolParams json.RawMessage `json:"tool_params" doc:"the tool's input, an object: see GET …/tools/available"`
		SessionID  string          `json:"session_id,omitempty" minLength:"1" maxLength:"256" doc:"left out, a person's answer reaches this call alone"`
		Wait       *float64        `json:"wait,omitempty" nullable:"true" minimum:"0" maximum:"60" doc:"how many seconds to wait for the end; 0 when left out"`
	} `nameHint:"ToolExecution"`
}

type callOut struct {
	Status int
	Body   toolCall
}

// answer is a call with the status of HTTP that it has: 200 at its end, 202 before.
func answer(c *permission.Call) *callOut {
	out := &callOut{Status: http.StatusAccepted, Body: told(c)}
	if over(c.Status) {
		out.Status = http.StatusOK
	}
	return out
}

func (d *Door) execute(ctx context.Context, in *executeIn) (*callOut, error) {
	who := caller{restwire.CallerOf(ctx)}
	s, err := d.workspace(ctx, who, in.ProjectID)
	if err != nil {
		return nil, err
	}
	r, err := in.request(who.Agent, s.ID)
	if err != nil {
		return nil, err
	}
	c, _, err := d.calls.Ask(ctx, *who.Agent, r)
	if err != nil {
		return nil, err
	}
	wait := 0.0
	if in.Body.Wait != nil {
		wait = *in.Body.Wait
	}
	return d.answerAfter(ctx, who, s, c, wait)
}

// request is what the desk is asked.
func (in *executeIn) request(agent *permission.Agent, project string) (r permission.Request, err error) {
	b := &in.Body
	if len(b.ToolParams) == 0 || b.ToolParams[0] != '{' {
		return r, permission.Invalid("tool_params", permission.FieldWrongType, "the parameters of a tool are an object")
	}
	if err := SameUser(agent, b.ToolParams); err != nil {
		return r, err
	}
	r = permission.Request{Identity: permission.Identity{RunID: noSession, ToolCallID: in.Key, Held: true}, ServerID: &project,
		ToolName: b.ToolName, Input: b.ToolParams}
	if in.Key == "" {
		r.ToolCallID = uuid.Must(uuid.NewV7()).String()
	}
	if b.SessionID == "" {
		r.Stateless = true
		return r, nil
	}
	if b.SessionID == string(noSession) {
		return r, permission.Invalid("session_id", permission.FieldIDReserved, "this is the session of calls that name none: leave it out")
	}
	r.RunID, r.SessionID = permission.RunID(b.SessionID), permission.SessionID(b.SessionID)
	return r, nil
}

type showIn struct {
	ProjectID string  `path:"project_id" maxLength:"256"`
	ToolID    string  `path:"tool_id" maxLength:"256"`
	Wait      float64 `query:"wait" minimum:"0" maximum:"60" doc:"how many seconds to wait for the end"`
}

func (d *Door) show(ctx context.Context, in *showIn) (*callOut, error) {
	who := caller{restwire.CallerOf(ctx)}
	c, s, err := d.call(ctx, who, in.ProjectID, permission.CallID(in.ToolID))
	if err != nil {
		return nil, err
	}
	return d.answerAfter(ctx, who, s, c, in.Wait)
}

// answerAfter answers with a call once it is at its end, or after some seconds as it stands. Its
// agent is there meanwhile, and for a minute more.
func (d *Door) answerAfter(ctx context.Context, who caller, s permission.Server, c permission.Call, seconds float64) (*callOut, error) {
	if over(c.Status) {
		return answer(&c), nil
	}
	defer d.enter(*who.Agent, s, &c)()
	if seconds <= 0 {
		return answer(&c), nil
	}
	leave, err := d.lanes.Wait(who.Caller, restwire.Polls)
	if err != nil {
		return nil, err
	}
	defer leave()
	within, cancel := context.WithTimeout(ctx, time.Duration(min(seconds, maxWait)*float64(time.Second)))
	defer cancel()
	defer context.AfterFunc(d.closing, cancel)()
	last, err := d.wait(within, *who.Agent, c.ID, func(c *permission.Call) bool { return over(c.Status) })
	if err != nil && within.Err() == nil {
		return nil, err
	}
	return answer(&last), nil
}

type availableIn struct {
	ProjectID string `path:"project_id" maxLength:"256"`
}

// toolOffered is one of the tools, as this door tells of it.
type toolOffered struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input_schema" doc:"a JSON Schema of tool_params"`
	Output      json.RawMessage `json:"output_schema" doc:"a JSON Schema of result"`
	ReadOnly    bool            `json:"read_only"`
}

type availableOut struct {
	Body struct {
		ProjectID string               `json:"project_id"`
		Execution permission.Execution `json:"execution" doc:"who runs the tools"`
		Tools     []toolOffered        `json:"tools"`
	} `nameHint:"AvailableTools"`
}

func (d *Door) available(ctx context.Context, in *availableIn) (*availableOut, error) {
	who := caller{restwire.CallerOf(ctx)}
	s, err := d.workspace(ctx, who, in.ProjectID)
	if err != nil {
		return nil, err
	}
	out := &availableOut{}
	out.Body.ProjectID, out.Body.Execution, out.Body.Tools = s.ID, s.Execution, []toolOffered{}
	for _, t := range tool.Definitions() {
		if who.Agent != nil && !d.opts.Usable(*who.Agent, s.ID, t.Name) {
			continue // nor is it told what the tool takes
		}
		out.Body.Tools = append(out.Body.Tools, toolOffered{t.Name, t.Description, t.InputSchema, t.OutputSchema, t.ReadOnly})
	}
	return out, nil
}
