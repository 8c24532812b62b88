package projects

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// rows are those of REST.
type rows struct {
	door    *Door
	manager *ApprovalManager
}

// Add adds the rows; decide takes a person's answer. A nil door says that there are no projects.
func Add(a *restwire.API, d *Door, decide Decide) {
	h := &rows{door: d}
	if d != nil {
		d.lanes = a.Lanes
		h.manager = NewApprovalManager(d.calls, decide)
	}
	restwire.Register(a, restwire.Row{
		Route: "GET /my/projects", ID: "listWorkspaces", Who: restwire.Both + " " + restwire.Executors,
		Summary: "List the workspaces that the caller sees",
	}, of(h, d.list))
	restwire.Register(a, restwire.Row{
		Route: "POST /my/projects/{project_id}/tools/execute", ID: "executeTool", Who: restwire.Agents, Waits: true,
		Status:  http.StatusAccepted,
		Summary: "Ask for a tool of a workspace, and have it run once it is allowed",
		About: "200: the call is at its end. 202: it goes on; wait for it with GET …/tools/{tool_id}. An agent that has not asked for 60 s is gone: " +
			"its call then waits for it to be back, and nothing runs. user_id among the parameters may be left out: it follows from the token, and another is 403.",
		Responses: map[string]*huma.Response{"200": a.Answer("The call at its end", restwire.JSON, reflect.TypeFor[toolCall]())},
	}, of(h, d.execute))
	restwire.Register(a, restwire.Row{
		Route: "GET /my/projects/{project_id}/tools/{tool_id}", ID: "getToolCall", Who: restwire.Agents, Waits: true,
		Status:    http.StatusAccepted,
		Summary:   "Show a call of a workspace, or wait for its end",
		About:     "200: the call is at its end. 202: it goes on. Of a call in doubt the status is failed, and the error says that it may have run.",
		Responses: map[string]*huma.Response{"200": a.Answer("The call at its end", restwire.JSON, reflect.TypeFor[toolCall]())},
	}, of(h, d.show))
	restwire.Register(a, restwire.Row{
		Route: "GET /my/projects/{project_id}/tools/available", ID: "availableTools", Who: restwire.Both,
		Summary: "List the tools of a workspace",
	}, of(h, d.available))
	restwire.Register(a, restwire.Row{
		Route: "POST /my/projects/{project_id}/tools/{tool_id}/result", ID: "reportToolResult", Who: restwire.Executors, Status: http.StatusOK,
		Summary: "Report what came of a claimed call, from where it ran",
		About:   "The members are those of the tool's output schema. Without a claim, after a rejection, and for another result than the first: 409. The same again is no error.",
	}, of(h, h.result))
	restwire.Register(a, restwire.Row{
		Route: "POST /my/projects/{project_id}/approvals/{approval_id}/approve", ID: "approveTool", Who: restwire.Operators,
		Forbidden: permission.CodeSelfApproval, Status: http.StatusOK,
		Summary: "Approve a waiting call of a workspace",
		About:   "As POST /v1/calls/{id}/decision, in the words of this door. No agent can do this.",
	}, of(h, h.approve))
	restwire.Register(a, restwire.Row{
		Route: "POST /my/projects/{project_id}/approvals/{approval_id}/reject", ID: "rejectTool", Who: restwire.Operators,
		Forbidden: permission.CodeSelfApproval, Status: http.StatusOK,
		Summary: "Reject a waiting call of a workspace",
		About:   "As POST /v1/calls/{id}/decision, in the words of this door. No agent can do this.",
	}, of(h, h.reject))
	h.addEvents(a)
}

func (h *rows) addEvents(a *restwire.API) {
	restwire.Register(a, restwire.Row{
		Route: "GET /my/projects/{project_id}/events", ID: "streamProjectEvents", Who: restwire.Operators + " " + restwire.Executors, Waits: true,
		Remote:  true,
		Summary: "Stream what happens to the calls of a workspace, as server-sent events",
		About: "Its id is the journal's sequence number, and Last-Event-ID resumes, as in /v1/events: reset says that it is unknown or too old. A person is told " +
			"TOOL_APPROVAL_REQUEST {approval_id, tool_name, tool_params, input_hash, rev, risk_level, timeout_seconds}, again where what is shown changed; " +
			"TOOL_APPROVAL_WARNING, the same, 60 s before the deadline; and TOOL_RESULT_ACK {tool_id, status} at the end of a call. " +
			"An executor is told TOOL_EXECUTION_SIGNAL {tool_id, tool_name, tool_params, input_hash} of each call that it may claim, and first of those that are there.",
		Responses: map[string]*huma.Response{"200": {Description: "The stream",
			Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}}},
	}, of(h, h.door.stream))
}

// of is a handler of a desk that has projects; without a door it says that there are none.
func of[I, O any](h *rows, handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if h.door == nil {
			return nil, permission.NotFound("project")
		}
		out, err := handle(ctx, in)
		return out, renamed(err)
	}
}

func callerOf(ctx context.Context) caller { return caller{restwire.CallerOf(ctx)} }

// bare is an error without the call that it carries: who is told may know of its id alone.
func bare(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && e.Call != nil {
		out := *e
		out.Call = nil
		return &out
	}
	return err
}
