package projects

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Decide takes a person's answer to a call.
type Decide func(ctx context.Context, id permission.CallID, a permission.Answer) (
	call permission.Call, settled []permission.CallID, repeated bool, err error)

// ApprovalManager is brief 4's, in Go: thin words over the desk.
type ApprovalManager struct {
	calls  Calls
	decide Decide
}

// NewApprovalManager makes one.
func NewApprovalManager(calls Calls, decide Decide) *ApprovalManager {
	return &ApprovalManager{calls, decide}
}

// RequestToolApproval asks for a tool of a project, for an agent. How risky the call is, and how long
// a person has, the desk says; within may only shorten that, and 0 leaves it.
func (m *ApprovalManager) RequestToolApproval(ctx context.Context, agent permission.Agent, project, toolName string, params []byte,
	session permission.SessionID, within time.Duration) (permission.Call, error) {
	r := permission.Request{Identity: permission.Identity{RunID: permission.RunID(session), SessionID: session,
		ToolCallID: uuid.Must(uuid.NewV7()).String()}, ServerID: &project, ToolName: toolName, Input: params, Timeout: within}
	if session == "" {
		r.RunID, r.Stateless = noSession, true
	}
	c, _, err := m.calls.Ask(ctx, agent, r)
	return c, err
}

// PendingApprovals lists the calls of a project that wait for a person, oldest first.
func (m *ApprovalManager) PendingApprovals(ctx context.Context, project string) (all []permission.Call, err error) {
	return openCalls(ctx, m.calls, project, permission.Pending)
}

// ApproveTool lets a call run as it was shown.
func (m *ApprovalManager) ApproveTool(ctx context.Context, id permission.CallID, inputHash string, rev int64,
	scope permission.Scope) (permission.Call, error) {
	c, _, _, err := m.decide(ctx, id, permission.Answer{Approved: true, InputHash: inputHash, Rev: rev, Scope: scope})
	return c, err
}

// RejectTool declines a call as it was shown, for a reason that its agent is told.
func (m *ApprovalManager) RejectTool(ctx context.Context, id permission.CallID, inputHash string, rev int64,
	reason string) (permission.Call, error) {
	c, _, _, err := m.decide(ctx, id, permission.Answer{InputHash: inputHash, Rev: rev, Reason: reason})
	return c, err
}

// pageOfCalls is how many calls are read at once.
const pageOfCalls = 100

// openCalls lists the calls of a project with a status, oldest first.
func openCalls(ctx context.Context, calls Calls, project string, status permission.Status) (all []permission.Call, err error) {
	f := permission.CallFilter{Statuses: []permission.Status{status}, Limit: pageOfCalls, Oldest: true}
	for {
		page, next, _, err := calls.List(ctx, permission.Operator(), f)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if c.ServerID != nil && *c.ServerID == project && c.Method == permission.CallTool {
				all = append(all, c)
			}
		}
		if next == 0 {
			return all, nil
		}
		f.Before = next
	}
}

type approveIn struct {
	ProjectID string `path:"project_id" maxLength:"256"`
	ID        string `path:"approval_id" maxLength:"256"`
	Body      struct {
		InputHash string `json:"input_hash" minLength:"1" maxLength:"256" doc:"of what was shown"`
		Rev       int64  `json:"rev" minimum:"1" doc:"that was shown"`
		Scope     string `json:"scope,omitempty" enum:"once,class,session" doc:"how far the answer reaches; once when left out"`
	} `nameHint:"ToolApproval"`
}

type rejectIn struct {
	ProjectID string `path:"project_id" maxLength:"256"`
	ID        string `path:"approval_id" maxLength:"256"`
	Body      struct {
		InputHash string `json:"input_hash" minLength:"1" maxLength:"256" doc:"of what was shown"`
		Rev       int64  `json:"rev" minimum:"1" doc:"that was shown"`
		Reason    string `json:"reason,omitempty" doc:"for the agent to act on; at most 16 KiB"`
	} `nameHint:"ToolRejection"`
}

func (h *rows) approve(ctx context.Context, in *approveIn) (*callOut, error) {
	c, err := h.decidable(ctx, in.ProjectID, in.ID)
	if err == nil {
		c, err = h.manager.ApproveTool(ctx, c.ID, in.Body.InputHash, in.Body.Rev, permission.Scope(in.Body.Scope))
	}
	return decided(&c, err)
}

func (h *rows) reject(ctx context.Context, in *rejectIn) (*callOut, error) {
	c, err := h.decidable(ctx, in.ProjectID, in.ID)
	if err == nil {
		c, err = h.manager.RejectTool(ctx, c.ID, in.Body.InputHash, in.Body.Rev, in.Body.Reason)
	}
	return decided(&c, err)
}

// decidable gives the call that a person answers.
func (h *rows) decidable(ctx context.Context, project, id string) (permission.Call, error) {
	c, _, err := h.door.call(ctx, callerOf(ctx), project, permission.CallID(id))
	return c, err
}

// decided answers a person; the answer was taken, whatever becomes of the call.
func decided(c *permission.Call, err error) (*callOut, error) {
	if err != nil {
		return nil, renamed(err)
	}
	out := answer(c)
	out.Status = 200
	return out, nil
}

// renamed gives fields of the desk's errors the names that they have here.
func renamed(err error) error {
	var e *permission.Error
	if errors.As(err, &e) && here[e.Field] != "" {
		return e.At(here[e.Field])
	}
	return err
}

// here are the names of fields.
var here = map[string]string{"inputHash": "input_hash", "sessionId": "session_id", "claimId": "claim_id", "toolCallId": "Idempotency-Key",
	"input": "tool_params"}
