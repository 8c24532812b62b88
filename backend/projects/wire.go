package projects

import (
	"cmp"
	"encoding/json"
	"errors"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

// Status is how a call stands, in the words of brief 4.
type Status string

// The status words.
const (
	Pending   Status = "pending"   // a person is asked
	Approved  Status = "approved"  // it may run, and nobody runs it yet
	Executing Status = "executing" // it is claimed
	Completed Status = "completed"
	Failed    Status = "failed"   // it ran and failed, may have run, or was withdrawn
	Rejected  Status = "rejected" // denied, declined or expired
)

// Statuses lists every status.
var Statuses = [...]Status{Pending, Approved, Executing, Completed, Failed, Rejected}

// statusOf is the word for a call as it stands.
func statusOf(s permission.Status) Status {
	switch s {
	case permission.Pending:
		return Pending
	case permission.Approved:
		return Approved
	case permission.Claimed:
		return Executing
	case permission.Completed:
		return Completed
	case permission.Denied, permission.Declined, permission.Expired:
		return Rejected
	}
	return Failed
}

// over reports whether a call is at its end for whoever waits for it. Of one in doubt, nobody knows.
func over(s permission.Status) bool { return s.Settled() || s == permission.InDoubt }

// toolCall is a call as this door tells of it.
type toolCall struct {
	ToolID     permission.CallID `json:"tool_id"`
	ApprovalID permission.CallID `json:"approval_id" doc:"the same id"`
	Status     Status            `json:"status"`
	InputHash  string            `json:"input_hash" doc:"of the tool and its parameters, as an answer names it"`
	Rev        int64             `json:"rev" doc:"as an answer names it"`
	Risk       permission.Risk   `json:"risk_level"`
	Timeout    float64           `json:"timeout_seconds" doc:"how long a person has for an answer; 0: nobody is asked, or there is no end"`
	Result     json.RawMessage   `json:"result" doc:"what the tool gave, null before; see its output_schema"`
	Error      *string           `json:"error" nullable:"true" doc:"why it was rejected or failed"`
}

// told is a call as this door tells of it.
func told(c *permission.Call) toolCall {
	out := toolCall{ToolID: c.ID, ApprovalID: c.ID, Status: statusOf(c.Status), InputHash: c.InputHash,
		Rev: c.Rev, Risk: c.Risk, Timeout: timeout(c)}
	if c.Status == permission.Completed || c.Status == permission.Failed {
		out.Result = resultOf(c.Result)
	}
	if why := whyNot(c, out.Result); why != "" {
		out.Error = &why
	}
	return out
}

// timeout is how long a person has for an answer, in seconds.
func timeout(c *permission.Call) float64 {
	if c.Status != permission.Pending || c.ExpiresAt.IsZero() {
		return 0
	}
	return c.ExpiresAt.Std().Sub(c.CreatedAt.Std()).Seconds()
}

// resultOf takes the result of a tool out of the answer of its server; nil where there is none.
func resultOf(raw json.RawMessage) json.RawMessage {
	var answer struct {
		Structured json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(raw, &answer) != nil {
		return nil
	}
	return answer.Structured
}

// Words for what has none of its own.
const (
	sayTimeout = "Approval timeout"
	sayDoubt   = "may have run; do not repeat"
)

// whyNot says why a call was rejected or failed; "" of any other.
func whyNot(c *permission.Call, result json.RawMessage) string {
	reason := ""
	if c.Decision != nil {
		reason = c.Decision.Reason
	}
	switch c.Status {
	case permission.Expired:
		if c.Decision != nil && c.Decision.Code == permission.ReasonNoClient {
			return reason
		}
		return sayTimeout
	case permission.InDoubt:
		return sayDoubt
	case permission.Denied:
		return cmp.Or(reason, c.Why.Reason, "denied")
	case permission.Declined:
		return cmp.Or(reason, "declined")
	case permission.Cancelled, permission.Revoked:
		return cmp.Or(reason, string(c.Status))
	case permission.Failed:
		return cmp.Or(errorOf(result), errorOf(c.Result), "failed")
	}
	return ""
}

// errorOf is the error that a result, or the answer of a server that has none, tells of.
func errorOf(raw json.RawMessage) string {
	var said struct {
		Error   any    `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return ""
	}
	switch e := said.Error.(type) {
	case string:
		return e
	case map[string]any:
		words, _ := e["message"].(string)
		return words
	}
	return said.Message
}

// caller is who sent a request, as far as projects go.
type caller struct{ restwire.Caller }

// sees reports whether a caller may know of a workspace.
func (c caller) sees(s *permission.Server) bool {
	switch {
	case c.Executor != nil:
		return c.Executor.Serves(s.ID)
	case c.Agent != nil:
		return s.SeenBy(c.Agent.UserID)
	}
	return true
}

func isNotFound(err error) bool { return errors.Is(err, permission.NotFound("")) }
