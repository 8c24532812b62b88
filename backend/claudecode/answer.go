package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sekisho/backend/handover"
	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
)

// answer is the response to a request of the client. An error is for requests that are not
// known here.
func (p *Peer) answer(ctx context.Context, m *message) (any, error) {
	var r request
	if err := json.Unmarshal(m.Request, &r); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	switch r.Subtype {
	case "hook_callback":
		return p.hook(ctx, &r), nil
	case "can_use_tool":
		return p.permit(ctx, &r), nil
	case "elicitation":
		return p.elicit(ctx, m.RequestID, &r), nil
	}
	return nil, fmt.Errorf("no request of subtype %.80q is answered here", r.Subtype)
}

// hook answers a PreToolUse callback. It is never an error: after one the client runs the
// tool.
func (p *Peer) hook(ctx context.Context, r *request) any {
	var in hookInput
	if err := json.Unmarshal(r.Input, &in); err != nil || in.ToolName == "" {
		return decision("deny", "Sekisho cannot read what it is asked")
	}
	where := handover.Circumstances{Session: in.SessionID, Cwd: in.Cwd}
	p.locate(r.ToolUseID, where)
	switch r.CallbackID {
	case toolApproval:
		return decision("ask", "Sekisho asks")
	case autoApprove:
		if p.allowed(ctx, where, r, &in) {
			return decision("allow", "Sekisho's rules allow it")
		}
		return decision("ask", "Sekisho asks")
	}
	return decision("deny", "Sekisho does not know this hook")
}

// rulesWithin bounds what the rules are asked for in a hook.
const rulesWithin = 20 * time.Second

// allowed reports whether the rules allow a tool now, and makes the call at the desk then.
func (p *Peer) allowed(ctx context.Context, where handover.Circumstances, r *request, in *hookInput) bool {
	ctx, cancel := context.WithTimeout(ctx, rulesWithin)
	defer cancel()
	if ok, err := p.opts.Allowed(ctx, where, in.ToolName, in.ToolInput); err != nil || !ok {
		return false
	}
	status, err := p.opts.Approvals(where).RequestToolApproval(ctx, in.ToolName, in.ToolInput, r.ToolUseID)
	yes, ok := status.(handover.Approved)
	return err == nil && ok && bytes.Equal(yes.Input, in.ToolInput)
}

// permit answers can_use_tool.
func (p *Peer) permit(ctx context.Context, r *request) result {
	in := p.circumstances(r.ToolUseID)
	in.Description, in.Waits = r.words(), func() { p.noticeEnd(ctx, r) }
	var err error
	switch r.ToolName {
	case "":
		return deny("Sekisho cannot read what it is asked")
	case handover.AskTool:
		in.Schema, err = handover.SchemaOfQuestions(r.Input)
	case permission.PlanTool:
		in.Schema, err = schemaOfPlan(p.opts.Bypass)
		if plan := planOf(r.Input); plan != "" {
			in.Description = plan
		}
	}
	if err != nil {
		return deny("Sekisho: " + err.Error())
	}
	status, err := p.opts.Approvals(in).RequestToolApproval(ctx, r.ToolName, r.Input, r.ToolUseID)
	if err != nil {
		return deny("Sekisho could not get an answer, so that the tool did not run: " + err.Error())
	}
	switch s := status.(type) {
	case handover.Approved:
		return p.allow(r, s)
	case handover.Denied:
		return result{Behavior: "deny", Message: s.Reason, Interrupt: s.Stopped}
	case handover.TimedOut:
		return result{Behavior: "deny", Message: s.Reason, Interrupt: true}
	}
	return deny("PENDING: nobody has answered yet, and the tool did not run. The call waits at Sekisho.")
}

// allow is a yes with what a person made of the input, and answered to it.
func (p *Peer) allow(r *request, s handover.Approved) result {
	yes := result{Behavior: "allow", UpdatedInput: s.Input}
	var err error
	switch {
	case s.Data == nil: // nobody was asked
	case r.ToolName == handover.AskTool:
		yes.UpdatedInput, err = handover.Answered(s.Input, s.Data)
	case r.ToolName == permission.PlanTool:
		var mode string
		mode, err = modeOf(s.Data, p.opts.Bypass)
		p.bypass.Store(mode == modeBypass)
		yes.UpdatedPermissions = []setMode{{Type: "setMode", Mode: mode, Destination: "session"}}
	}
	if err != nil {
		return deny("Sekisho: " + err.Error())
	}
	return yes
}

// elicit answers a server of the client that asks a person for data, or to open an address.
func (p *Peer) elicit(ctx context.Context, id string, r *request) any {
	in := p.circumstances("")
	in.Description, in.Schema = r.Message, r.Schema
	input := fmt.Appendf(nil, `{"server":%s,"message":%s,"mode":%s,"url":%s}`,
		mcpwire.Quote(r.Server), mcpwire.Quote(r.Message), mcpwire.Quote(r.Mode), mcpwire.Quote(r.URL))
	status, err := p.opts.Approvals(in).RequestToolApproval(ctx, "Elicitation", input, id)
	switch s := status.(type) {
	case handover.Approved:
		if err == nil && s.Data != nil {
			return map[string]any{"action": "accept", "content": s.Data}
		}
		if err == nil && in.Schema == nil {
			return map[string]any{"action": "accept"}
		}
	case handover.Denied:
		return map[string]any{"action": "decline"}
	}
	return map[string]any{"action": "cancel"}
}
