package history

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
)

// claudeLine is what of a line of Claude Code's transcripts is looked at.
type claudeLine struct {
	Timestamp     string          `json:"timestamp"`
	Session       string          `json:"sessionId"`
	Cwd           string          `json:"cwd"`
	Message       json.RawMessage `json:"message"`
	ToolUseResult json.RawMessage `json:"toolUseResult"`
}

// claudeBlock is a block of a message's content.
type claudeBlock struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Of      string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

// claude reads ~/.claude/projects: a folder for each project, in it a file for each
// session, and in folders below those of the agents that it started.
func (r *reader) claude(ctx context.Context) {
	t := r.tree(Claude, r.places.Claude)
	if t == nil {
		return
	}
	defer t.close()
	t.files(ctx, "projects", ending(".jsonl"), func(name string) { t.claudeFile(ctx, name) })
	t.claudeLists()
}

func (t *tree) claudeFile(ctx context.Context, name string) {
	var open pending
	t.lines(ctx, name, func(raw []byte) bool {
		if !bytes.Contains(raw, []byte(`"tool_use`)) && !bytes.Contains(raw, []byte(`"tool_result"`)) {
			return json.Valid(raw)
		}
		return t.claudeLine(&open, name, raw)
	})
	for range open.end(t.reader, name) {
		t.unread(BadLine, t.name(name))
	}
}

func (t *tree) claudeLine(open *pending, name string, raw []byte) bool {
	var line claudeLine
	if json.Unmarshal(raw, &line) != nil {
		return false
	}
	var message struct {
		Content json.RawMessage `json:"content"`
	}
	var blocks []claudeBlock
	if len(line.Message) == 0 || json.Unmarshal(line.Message, &message) != nil || len(message.Content) == 0 || message.Content[0] != '[' {
		return true // a person's words, or a notice
	}
	if json.Unmarshal(message.Content, &blocks) != nil {
		return false
	}
	t.project(line.Cwd)
	good := true
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			c := Call{Client: Claude, Session: line.Session, At: moment(line.Timestamp), Cwd: line.Cwd, Tool: b.Name, Input: b.Input,
				Outcome: Unknown}
			if server, tool, is := mcp(b.Name, "mcp__", "__"); is {
				c.Server, c.Tool = server, tool
			}
			open.add(b.ID, c)
		case "tool_result":
			good = open.settle(t.reader, b.Of, name, claudeOutcome(&b, line.ToolUseResult)) && good
		}
	}
	return good
}

// claudeOutcome reads what Claude Code writes as a result where a call did not run.
func claudeOutcome(b *claudeBlock, result json.RawMessage) Outcome {
	if !b.IsError {
		return Ran
	}
	said, about := text(b.Content), text(result)
	switch {
	case about == "User rejected tool use", strings.HasPrefix(said, "The user doesn't want to proceed with this tool use"),
		strings.HasPrefix(said, "Permission to use ") && strings.HasSuffix(said, "has been denied."):
		return Declined
	case strings.HasPrefix(said, "Claude requested permissions to "), strings.HasPrefix(said, "<tool_use_error>"),
		strings.Contains(said, "[Request interrupted by user"):
		return Unknown
	}
	return Ran
}
