package history

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"strings"
)

// geminiMessage is a message of a chat.
type geminiMessage struct {
	ToolCalls []struct {
		ID          string          `json:"id"`
		Name        string          `json:"name"`
		Args        json.RawMessage `json:"args"`
		Status      string          `json:"status"`
		Timestamp   string          `json:"timestamp"`
		DisplayName string          `json:"displayName"`
		Result      json.RawMessage `json:"result"`
	} `json:"toolCalls"`
}

// geminiLine is a line of a chat: its head, a message, or a change. Older versions write
// one document, the head with all messages.
type geminiLine struct {
	geminiMessage
	SessionID string          `json:"sessionId"`
	Messages  []geminiMessage `json:"messages"`
	Set       *struct {
		Messages []geminiMessage `json:"messages"`
	} `json:"$set"`
}

// geminiChat is what of a chat is known so far. A message is written anew as its calls go
// on: the last version of a call counts.
type geminiChat struct {
	pending
	session, cwd string
	servers      []string
}

// gemini reads the chats in ~/.gemini/tmp. The file logs.json beside them has a person's
// words only.
func (r *reader) gemini(ctx context.Context) {
	t := r.tree(Gemini, r.places.Gemini)
	if t == nil {
		return
	}
	defer t.close()
	servers := t.geminiLists(ctx)
	chat := func(name string) bool {
		return strings.Contains(name, "/chats/") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json"))
	}
	t.files(ctx, "tmp", chat, func(name string) {
		c := geminiChat{session: base(name), servers: servers, cwd: t.geminiProject(name)}
		t.project(c.cwd)
		if strings.HasSuffix(name, ".jsonl") {
			t.lines(ctx, name, func(raw []byte) bool { return c.read(raw) })
		} else if raw := t.whole(name); raw != nil && !c.read(raw) {
			t.unread(BadLine, t.name(name))
		}
		for range c.end(t.reader, name) {
			t.unread(BadLine, t.name(name))
		}
	})
}

// geminiProject is the folder that a chat is about, where it is noted.
func (t *tree) geminiProject(name string) string {
	folder, _, _ := strings.Cut(name, "/chats/")
	root := path.Join(folder, ".project_root")
	if _, err := t.root.Lstat(root); err != nil {
		return ""
	}
	return string(bytes.TrimSpace(t.whole(root)))
}

func (c *geminiChat) read(raw []byte) bool {
	var line geminiLine
	if json.Unmarshal(raw, &line) != nil {
		return false
	}
	if line.SessionID != "" {
		c.session = line.SessionID
	}
	c.take(line.geminiMessage)
	messages := line.Messages
	if line.Set != nil {
		messages = append(messages, line.Set.Messages...)
	}
	for _, m := range messages {
		c.take(m)
	}
	return true
}

func (c *geminiChat) take(m geminiMessage) {
	for _, call := range m.ToolCalls {
		server, tool := geminiTool(call.Name, call.DisplayName, c.servers)
		outcome := Unknown
		switch call.Status {
		case "success":
			outcome = Ran
		case "error":
			outcome = Ran
			if bytes.Contains(call.Result, []byte("denied by policy")) {
				outcome = Unknown // by a rule, or because nobody was there to ask
			}
		case "cancelled":
			outcome = Declined
		}
		c.add(call.ID, Call{Client: Gemini, Session: c.session, At: moment(call.Timestamp), Cwd: c.cwd, Server: server, Tool: tool,
			Input: call.Args, Outcome: outcome})
	}
}

// geminiTool finds the server of a tool: the name that is shown has it, and else the
// servers in the settings tell.
func geminiTool(name, shown string, servers []string) (server *string, tool string) {
	if label, found := strings.CutSuffix(shown, " MCP Server)"); found {
		if at := strings.LastIndex(label, " ("); at > 0 {
			own := label[at+2:]
			return &own, label[:at]
		}
	}
	for _, own := range servers {
		for _, before := range []string{"mcp_" + own + "_", own + "__"} {
			if tool, found := strings.CutPrefix(name, before); found && tool != "" {
				return &own, tool
			}
		}
	}
	if server, tool, is := mcp(name, "mcp_", "_"); is {
		return server, tool
	}
	server, tool, _ = mcp(name, "", "__")
	return server, tool
}
