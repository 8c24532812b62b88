package projects

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/tool"
)

// grace is how much longer than its timeout an executor may take for a call.
const grace = 30 * time.Second

// Claim gives an executor the one right to run an approved call of a project that it serves. How long
// it has the desk says, and not the executor: the timeout of the call and 30 s.
func (d *Door) Claim(ctx context.Context, x permission.Executor, id permission.CallID,
	req permission.ClaimRequest) (permission.Call, error) {
	c, err := d.calls.Call(ctx, permission.Operator(), id)
	if err != nil {
		return c, err
	}
	s, err := d.clientCall(ctx, x, &c)
	if err != nil {
		return permission.Call{}, err
	}
	req.Key, req.Claimant, req.Lease = claimsOf(&x)+req.Key, "executor "+x.Name, leaseOf(&s, &c)
	return d.calls.Claim(ctx, agentOf(&c), id, req)
}

// clientCall gives the workspace of a call that an executor may know of.
func (d *Door) clientCall(ctx context.Context, x permission.Executor, c *permission.Call) (permission.Server, error) {
	none := permission.NotFound("call")
	if c.ServerID == nil || !x.Serves(*c.ServerID) {
		return permission.Server{}, none
	}
	s, err := d.desk.Server(ctx, *c.ServerID)
	switch {
	case err != nil && !isNotFound(err):
		return s, err
	case err != nil, !s.IsWorkspace(), !s.Enabled, s.RunsHere(), c.Method != permission.CallTool:
		return s, none
	}
	return s, nil
}

// agentOf is the agent of a call, in its session, as far as a claim needs it.
func agentOf(c *permission.Call) permission.Agent {
	return permission.Agent{ID: c.AgentID, Name: c.AgentName, Session: c.SessionID}
}

// ByExecutor reports whether an executor has claimed a call. Where calls are handed over, the key of the claim is
// the id that the agent gave its call, which may begin with anything.
func ByExecutor(c *permission.Call) bool {
	return c.ClaimKey != c.ToolCallID && strings.HasPrefix(c.ClaimKey, permission.ExecutorClaims)
}

// claimsOf begins the keys of an executor's claims, so that no other renews one or reports its result.
func claimsOf(x *permission.Executor) string { return permission.ExecutorClaims + string(x.ID) + ":" }

// leaseOf is how long a client has to run a call.
func leaseOf(s *permission.Server, c *permission.Call) time.Duration {
	seconds := guard.DefaultTimeout
	if read, bad := guard.Parse("", c.ToolName, c.Input); bad == nil {
		seconds = read.Timeout
	}
	return time.Duration(seconds)*time.Second + grace
}

// listedFile is a tool.Entry.
type listedFile struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
}

// resultIn is what an executor reports: the members are those of the tool's output schema.
type resultIn struct {
	ProjectID string `path:"project_id" maxLength:"256"`
	ToolID    string `path:"tool_id" maxLength:"256"`
	Body      struct {
		ClaimID string `json:"claim_id" minLength:"1" maxLength:"256"`
		Success bool   `json:"success"`
		Error   string `json:"error,omitempty"`

		Content  *string `json:"content,omitempty" nullable:"true"`
		Encoding string  `json:"encoding,omitempty"`
		Size     *int64  `json:"size,omitempty" nullable:"true" minimum:"0"`
		Path     string  `json:"path,omitempty"`

		Files      []listedFile `json:"files,omitzero" nullable:"true" maxItems:"1000"`
		TotalCount *int         `json:"total_count,omitempty" nullable:"true" minimum:"0"`

		Stdout        *string  `json:"stdout,omitempty" nullable:"true"`
		Stderr        *string  `json:"stderr,omitempty" nullable:"true"`
		ExitCode      *int     `json:"exit_code,omitempty" nullable:"true"`
		ExecutionTime *float64 `json:"execution_time,omitempty" nullable:"true" minimum:"0"`
		Truncated     bool     `json:"truncated,omitempty"`
	} `nameHint:"ToolResult"`
}

// result is what was reported, as the tool would give it.
func (in *resultIn) result() tool.Result {
	b := &in.Body
	var files []tool.Entry
	if b.Files != nil {
		files = []tool.Entry{}
	}
	for _, f := range b.Files {
		files = append(files, tool.Entry(f))
	}
	return tool.Result{Success: b.Success, Error: b.Error, Content: b.Content, Encoding: b.Encoding, Size: b.Size, Path: b.Path,
		Files: files, TotalCount: b.TotalCount, Stdout: b.Stdout, Stderr: b.Stderr, ExitCode: b.ExitCode, ExecutionTime: b.ExecutionTime,
		Truncated: b.Truncated}
}

func (h *rows) result(ctx context.Context, in *resultIn) (*callOut, error) {
	d, x := h.door, callerOf(ctx)
	c, err := d.calls.Call(ctx, permission.Operator(), permission.CallID(in.ToolID))
	if err == nil && (c.ServerID == nil || *c.ServerID != in.ProjectID || !x.Executor.Serves(in.ProjectID)) {
		err = permission.NotFound("call")
	}
	if err != nil {
		return nil, err
	}
	claim := permission.ClaimID(in.Body.ClaimID)
	if !ByExecutor(&c) || !strings.HasPrefix(c.ClaimKey, claimsOf(x.Executor)) {
		claim = "" // of nobody here
	}
	out, err := outcome(in.result())
	if err != nil {
		return nil, err
	}
	out.ClaimID = claim
	if claim == "" {
		return nil, &permission.Error{Code: permission.CodeResultConflict,
			Message: "this executor has not claimed the call: it is " + string(c.Status)}
	}
	c, err = d.calls.Finish(ctx, agentOf(&c), c.ID, out)
	return decided(&c, bare(err))
}

// outcome is a result as the journal has those of servers.
func outcome(r tool.Result) (out permission.Outcome, err error) {
	text, err := json.Marshal(r)
	if err == nil {
		out.Output, err = json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}},
			"structuredContent": json.RawMessage(text), "isError": r.Error != ""})
	}
	if err != nil {
		return out, fmt.Errorf("keep a result: %w", err)
	}
	out.OK = r.Error == ""
	return out, nil
}
