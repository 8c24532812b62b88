package handover

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// ApprovalStatus is the outcome of a request for approval: Approved, Denied, TimedOut or
// Pending.
type ApprovalStatus interface{ approvalStatus() }

// Approved says that the tool may run, once.
type Approved struct {
	Input json.RawMessage // that it is to run with: the one that was asked for, or as a person edited it
	Data  json.RawMessage // that a person answered with; nil is none
}

// Denied says that it may not.
type Denied struct {
	Reason  string
	Stopped bool // a person stopped the agent: it is to end its turn
}

// TimedOut says that nobody answered.
type TimedOut struct{ Reason string }

// Pending says that nobody has answered yet: the tool may not run.
type Pending struct{}

func (Approved) approvalStatus() {}
func (Denied) approvalStatus()   {}
func (TimedOut) approvalStatus() {}
func (Pending) approvalStatus()  {}

// ExecutorApprovalService decides whether a tool may run. An error is a no.
type ExecutorApprovalService interface {
	// RequestToolApproval asks whether a tool may run, and waits for the answer.
	RequestToolApproval(ctx context.Context, toolName string, input json.RawMessage, toolCallID string) (ApprovalStatus, error)
}

// Circumstances are what is known of a request beside the tool, its input and its id.
type Circumstances struct {
	Session     string
	Cwd         string
	Description string // in the client's words
	// Schema is a JSON Schema that the answer's data must satisfy: a yes without is none. nil
	// asks for no data.
	Schema json.RawMessage
	// InputFixed says that the client takes no other input than its own.
	InputFixed bool
	// SessionIDs says that the ids of calls are unique in their session only: the same id in
	// another session is another call.
	SessionIDs bool
	// Waits, when set, is called when the call begins to wait for a person.
	Waits func()
}

// Noop approves everything, and says so on a line for each tool.
type Noop struct{ Told io.Writer }

// RequestToolApproval approves.
func (n Noop) RequestToolApproval(_ context.Context, toolName string, input json.RawMessage, _ string) (ApprovalStatus, error) {
	if _, err := fmt.Fprintf(n.Told, "sekisho: without approvals: %q runs, and nobody was asked\n", toolName); err != nil {
		return nil, fmt.Errorf("say what runs without approval: %w", err)
	}
	return Approved{Input: input}, nil
}
