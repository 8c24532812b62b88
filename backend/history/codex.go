package history

import (
	"context"
	"encoding/json"
	"strings"
)

// codexLine is a line of a rollout. One of the first versions is an item without payload.
type codexLine struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is a payload: the session, the turn, a call or its output.
type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Cwd       string          `json:"cwd"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Action    *struct {
		Command []string `json:"command"`
		Dir     string   `json:"working_directory"`
	} `json:"action"`
}

// codexSession is what of a rollout is known so far.
type codexSession struct {
	pending
	name, id, cwd string
}

// codex reads ~/.codex/sessions, and the sessions that were put aside.
func (r *reader) codex(ctx context.Context) {
	t := r.tree(Codex, r.places.Codex)
	if t == nil {
		return
	}
	defer t.close()
	rollout := func(name string) bool {
		return strings.HasPrefix(base(name), "rollout-") && strings.HasSuffix(name, ".jsonl")
	}
	for _, below := range []string{"sessions", "archived_sessions"} {
		t.files(ctx, below, rollout, func(name string) { t.codexFile(ctx, name) })
	}
	t.codexLists(ctx)
}

func (t *tree) codexFile(ctx context.Context, name string) {
	s := codexSession{name: name, id: base(name)}
	t.lines(ctx, name, func(raw []byte) bool {
		var line codexLine
		if json.Unmarshal(raw, &line) != nil {
			return false
		}
		switch line.Type {
		case "response_item", "turn_context", "session_meta":
		case "event_msg", "compacted":
			return true
		default:
			if line.Payload != nil {
				return true
			}
			line.Payload = raw
		}
		var item codexItem
		if json.Unmarshal(line.Payload, &item) != nil {
			return line.Type == "session_meta" || !called(line.Payload)
		}
		return t.codexItem(&s, &line, &item)
	})
	for range s.end(t.reader, name) {
		t.unread(BadLine, t.name(name))
	}
}

// called reports whether an item is about a call: others may have members of any form.
func called(raw json.RawMessage) bool {
	var item struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &item) != nil || strings.Contains(item.Type, "call")
}

func (t *tree) codexItem(s *codexSession, line *codexLine, item *codexItem) bool {
	if item.Cwd != "" {
		s.cwd = item.Cwd
	}
	c := Call{Client: Codex, Session: s.id, At: moment(line.Timestamp), Cwd: s.cwd, Tool: item.Name, Outcome: Unknown}
	switch {
	case line.Type == "session_meta":
		s.id = item.ID
		return true
	case item.Type == "function_call":
		c.Input = json.RawMessage(item.Arguments)
	case item.Type == "custom_tool_call":
		c.Input, _ = json.Marshal(map[string]string{"input": item.Input})
	case item.Type == "local_shell_call" && item.Action != nil:
		c.Tool = "shell"
		c.Input, _ = json.Marshal(map[string]any{"command": item.Action.Command, "workdir": item.Action.Dir})
		if item.CallID == "" {
			item.CallID = item.ID
		}
	case strings.HasSuffix(item.Type, "call_output"):
		return s.settle(t.reader, item.CallID, s.name, codexOutcome(text(item.Output)))
	default:
		return true
	}
	c.Server, c.Tool = codexTool(item.Namespace, c.Tool)
	if !json.Valid(c.Input) && len(c.Input) > 0 {
		return false
	}
	s.add(item.CallID, c)
	return true
}

// codexTool finds the server of a tool. Newer versions name it in the namespace, and some
// older ones in the tool's name.
func codexTool(namespace, name string) (server *string, tool string) {
	if own, is := strings.CutPrefix(namespace, "mcp__"); is {
		if own = strings.TrimSuffix(own, "__"); own != "" {
			return &own, name
		}
	}
	if server, tool, is := mcp(name, "mcp__", "__"); is {
		return server, tool
	}
	server, tool, _ = mcp(name, "", "__")
	return server, tool
}

// codexOutcome reads what Codex writes as an output where a call did not run.
func codexOutcome(said string) Outcome {
	switch head := said[:min(len(said), 400)]; {
	case strings.Contains(head, "rejected by user"), strings.Contains(head, "user rejected MCP tool call"):
		return Declined
	case strings.HasPrefix(head, "aborted by user"), strings.HasPrefix(head, "aborted"), strings.HasPrefix(head, "unsupported c"),
		strings.HasPrefix(head, "exec_command failed: CreateProcess"), strings.HasPrefix(head, "approval policy is "),
		strings.HasPrefix(head, "approval required by policy"):
		return Unknown
	}
	return Ran
}
