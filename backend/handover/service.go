package handover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Question is a call as the desk is asked for it.
type Question struct {
	RunID          string          `json:"runId"`
	ToolCallID     string          `json:"toolCallId,omitempty"` // left out, the desk makes one; it must then join
	Joins          bool            `json:"joins"`                // another door of the client may ask the same
	SessionID      string          `json:"sessionId"`
	ServerID       *string         `json:"serverId"`
	ToolName       string          `json:"toolName"`
	Input          json.RawMessage `json:"input"`
	Description    string          `json:"description,omitempty"`
	Cwd            *string         `json:"cwd,omitempty"`
	ResumeSchema   json.RawMessage `json:"resumeSchema,omitempty"`
	ResumeRequired bool            `json:"resumeRequired,omitempty"`
	InputFixed     bool            `json:"inputFixed,omitempty"`
}

// Desk is what the service needs of a desk, as an agent reaches it.
type Desk interface {
	Evaluate(ctx context.Context, q Question) (permission.Verdict, error)
	Ask(ctx context.Context, q Question) (permission.Call, error)
	// Wait answers when the call is not pending, its rev is not rev, or after a while.
	Wait(ctx context.Context, id permission.CallID, rev int64) (permission.Call, error)
	Claim(ctx context.Context, c permission.Call) (permission.Call, error)
	Finish(ctx context.Context, c permission.Call, output string) error
	Cancel(ctx context.Context, id permission.CallID, reason string) error
}

// Service asks a desk for the approval of tools that the client runs itself: what is
// approved is claimed, and ends as handed over.
type Service struct {
	Desk   Desk
	Client string // the program, as people know it
	Circumstances
}

const (
	leaveWithin  = 5 * time.Second  // for what is told to the desk after the client has gone
	returnWithin = 30 * time.Second // for a desk that ended meanwhile to come back
	returnAfter  = time.Second
	lookAfter    = 100 * time.Millisecond
)

func (s Service) question(toolName string, input json.RawMessage, toolCallID string) Question {
	q := Question{
		RunID: s.Session, SessionID: s.Session, ToolCallID: toolCallID, Joins: !s.SessionIDs, Input: input, Description: s.Description,
		ResumeSchema: s.Schema, ResumeRequired: s.Schema != nil, InputFixed: s.InputFixed,
	}
	q.ServerID, q.ToolName = mcpwire.ClaudeTool(toolName)
	if s.Cwd != "" {
		q.Cwd = &s.Cwd
	}
	return q
}

// Allowed reports whether the rules allow a tool now. A denial is an error with its reason.
func (s Service) Allowed(ctx context.Context, toolName string, input json.RawMessage) (bool, error) {
	v, err := s.Desk.Evaluate(ctx, s.question(toolName, input, ""))
	return err == nil && v.Decision == permission.Allow, err
}

// RequestToolApproval makes a call at the desk, and waits until it is decided. When ctx ends
// before that, the call is cancelled.
func (s Service) RequestToolApproval(ctx context.Context, toolName string, input json.RawMessage,
	toolCallID string) (ApprovalStatus, error) {
	q := s.question(toolName, input, toolCallID)
	call, err := s.Desk.Ask(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("ask the desk: %w", err)
	}
	for {
		switch call.Status {
		case permission.Pending:
			if s.Waits != nil {
				s.Waits()
			}
			call, err = s.wait(ctx, call)
		case permission.Approved:
			var taken ApprovalStatus
			if taken, call, err = s.take(ctx, &q, call); taken != nil {
				return taken, nil
			}
		case permission.Claimed:
			call, err = s.again(ctx, call)
		default:
			return outcome(&q, &call)
		}
		switch {
		case errors.Is(err, errGone):
			return Pending{}, nil
		case err != nil:
			s.withdraw(ctx, call.ID)
			return nil, err
		}
	}
}

// errGone says that the desk ended while a call waited there.
var errGone = errors.New("the desk has gone while the call waited")

// wait waits for a change of the call, and for a desk that was started anew.
func (s Service) wait(ctx context.Context, call permission.Call) (permission.Call, error) {
	var gone time.Time
	for {
		next, err := s.Desk.Wait(ctx, call.ID, call.Rev)
		if err == nil {
			return next, nil
		}
		var said *permission.Error
		switch {
		case ctx.Err() != nil:
			return call, context.Cause(ctx)
		case errors.As(err, &said):
			return call, fmt.Errorf("wait for the desk: %w", err)
		case gone.IsZero():
			gone = time.Now()
		case time.Since(gone) > returnWithin:
			return call, errGone
		}
		select {
		case <-time.After(returnAfter):
		case <-ctx.Done():
		}
	}
}

// again looks at a call that another door of the client has claimed: it is handed over in a
// moment.
func (s Service) again(ctx context.Context, call permission.Call) (permission.Call, error) {
	if time.Now().After(call.LeaseExpiresAt.Std()) {
		return call, errors.New("another door has claimed the call, and did not hand it over")
	}
	select {
	case <-time.After(lookAfter):
	case <-ctx.Done():
		return call, context.Cause(ctx)
	}
	return s.Desk.Wait(ctx, call.ID, call.Rev)
}

// withdraw cancels a call that nobody waits for any more, as well as that goes.
func (s Service) withdraw(ctx context.Context, id permission.CallID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	_ = s.Desk.Cancel(ctx, id, s.Client+" no longer asks") // a desk that is gone lets it expire
}

// take claims an approved call and hands it over. Without a status, the call is as the desk
// has it now.
func (s Service) take(ctx context.Context, q *Question, call permission.Call) (ApprovalStatus, permission.Call, error) {
	input, err := inputOf(q, &call)
	if err != nil {
		return nil, call, err
	}
	claimed, err := s.Desk.Claim(ctx, call)
	var said *permission.Error
	if errors.As(err, &said) && said.Call != nil && said.Call.Status != permission.Approved {
		return nil, *said.Call, nil
	}
	if err == nil {
		err = s.Desk.Finish(ctx, claimed, permission.HandedOverResult)
	}
	if err != nil {
		return nil, call, fmt.Errorf("claim the call: %w", err)
	}
	return Approved{Input: input, Data: call.ResumeData}, claimed, nil
}

// inputOf is the input that an approved call is to run with. A row that is another call than
// the one that was asked for is an error.
func inputOf(q *Question, call *permission.Call) (json.RawMessage, error) {
	own, err1 := rawjson.Hash(q.ServerID, q.ToolName, q.Input)
	kept, err2 := rawjson.Hash(q.ServerID, q.ToolName, call.Input)
	asked, input := call.InputHash, q.Input
	if call.Original != nil {
		asked, input = call.Original.InputHash, call.Input
	}
	if err := errors.Join(err1, err2); err != nil || own != asked || kept != call.InputHash {
		return nil, errors.Join(errors.New("the desk answered with another call"), err)
	}
	if q.ResumeRequired && (call.ResumeData == nil || bytes.Equal(call.ResumeData, []byte("null"))) {
		return nil, errors.New("a yes without an answer to the question")
	}
	return input, nil
}

// outcome says why a call that is neither waiting nor approved does not run, or that another
// door of the client has handed it over a moment ago.
func outcome(q *Question, call *permission.Call) (ApprovalStatus, error) {
	if !call.Given(permission.TimeOf(time.Now())) {
		return refusal(call), nil
	}
	input, err := inputOf(q, call)
	if err != nil {
		return nil, err
	}
	return Approved{Input: input, Data: call.ResumeData}, nil
}

func refusal(call *permission.Call) ApprovalStatus {
	switch call.Status {
	case permission.Expired:
		return TimedOut{call.Refusal()}
	case permission.Claimed, permission.Completed:
		return Denied{Reason: "this call was handed over already"}
	}
	return Denied{Reason: call.Refusal(), Stopped: call.ByStop()}
}
