package claudecode

import (
	"encoding/json"
	"strings"
)

// The callbacks of the PreToolUse hook, by their ids.
const (
	toolApproval = "tool_approval"
	autoApprove  = "auto_approve"
)

// quietTools are tools of the client's own that it runs without asking, by its own lights:
// they read, or keep its notes.
const quietTools = "Glob|Grep|LS|NotebookRead|Read|Skill|TaskCreate|TaskGet|TaskList|TaskUpdate|TodoWrite|ToolSearch"

// hookSeconds is how long the client waits for a hook callback. It goes on without an answer
// then, so that this is far longer than an answer takes.
const hookSeconds = 3600

// initialization names the hook callbacks. Between the two matchers there is no tool that
// neither is for.
func initialization() map[string]any {
	of := func(matcher, callback string) map[string]any {
		return map[string]any{"matcher": matcher, "hookCallbackIds": []string{callback}, "timeout": hookSeconds}
	}
	return map[string]any{"subtype": "initialize", "hooks": map[string]any{"PreToolUse": []any{
		of(`^(?!(`+quietTools+`)$)[\s\S]*$`, toolApproval), of(`^(`+quietTools+`)$`, autoApprove),
	}}}
}

// message is what is read of a line of the client.
type message struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	SessionID string          `json:"session_id"`
	Cwd       string          `json:"cwd"`
	Request   json.RawMessage `json:"request"`
	Response  *struct {
		Subtype   string `json:"subtype"`
		RequestID string `json:"request_id"`
		Error     string `json:"error"`
	} `json:"response"`
}

// request is what the client asks for, of any subtype.
type request struct {
	Subtype string `json:"subtype"`

	CallbackID string          `json:"callback_id"` // hook_callback
	Input      json.RawMessage `json:"input"`       // hook_callback, can_use_tool
	ToolUseID  string          `json:"tool_use_id"`

	ToolName       string          `json:"tool_name"` // can_use_tool
	Description    string          `json:"description"`
	Reason         string          `json:"decision_reason"`
	ReasonType     string          `json:"decision_reason_type"`
	BlockedPath    string          `json:"blocked_path"`
	DefaultToNo    bool            `json:"default_to_no"`
	NoAlwaysAllow  bool            `json:"suppress_always_allow_rule"`
	MatchedAskRule json.RawMessage `json:"matched_ask_rule"`

	Server  string          `json:"mcp_server_name"` // elicitation
	Message string          `json:"message"`
	Mode    string          `json:"mode"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requested_schema"`
}

// hookInput is what a PreToolUse hook is told.
type hookInput struct {
	SessionID string          `json:"session_id"`
	Cwd       string          `json:"cwd"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
}

// words is what the client says of a tool that it asks about, to be shown.
func (r *request) words() string {
	lines := []string{r.Description}
	if r.ReasonType != "hook" { // which is our own
		lines = append(lines, r.Reason)
	}
	if r.BlockedPath != "" {
		lines = append(lines, "Claude Code: outside its folders: "+r.BlockedPath)
	}
	if r.DefaultToNo {
		lines = append(lines, "Claude Code: its own prompt would stand on no (default_to_no)")
	}
	if r.NoAlwaysAllow {
		lines = append(lines, "Claude Code: it offers no rule that always allows this (suppress_always_allow_rule)")
	}
	if len(r.MatchedAskRule) > 0 && string(r.MatchedAskRule) != "null" {
		lines = append(lines, "Claude Code: a rule of its settings asks (matched_ask_rule): "+string(r.MatchedAskRule))
	}
	var said []string
	for _, line := range lines {
		if line != "" {
			said = append(said, line)
		}
	}
	return strings.Join(said, "\n")
}

// decision is the answer to a PreToolUse callback.
func decision(what, reason string) any {
	return map[string]any{"hookSpecificOutput": map[string]string{
		"hookEventName": "PreToolUse", "permissionDecision": what, "permissionDecisionReason": reason,
	}}
}

// result is the answer to can_use_tool.
type result struct {
	Behavior           string          `json:"behavior"`
	UpdatedInput       json.RawMessage `json:"updatedInput,omitempty"`
	UpdatedPermissions []setMode       `json:"updatedPermissions,omitempty"`
	Message            string          `json:"message,omitempty"`
	Interrupt          bool            `json:"interrupt,omitempty"`
}

// setMode puts the client into a mode, for its session alone.
type setMode struct {
	Type        string `json:"type"`
	Mode        string `json:"mode"`
	Destination string `json:"destination"`
}

func deny(words string) result { return result{Behavior: "deny", Message: words} }
