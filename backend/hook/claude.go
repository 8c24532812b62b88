package hook

import (
	"errors"
	"strings"

	"sekisho/backend/handover"
	"sekisho/backend/permission"
)

// claude is Claude Code: https://code.claude.com/docs/en/hooks.
var claude = dialect{
	name: "Claude Code",
	read: func(f fields, has known) (question, error) {
		q, err := readClaude(f, has)
		// The client puts both to the person itself, and an answer is more than a yes.
		q.ours = q.server == nil && (q.tool == handover.AskTool || q.tool == permission.PlanTool)
		return q, err
	},
	allow: func(q *question, edited []byte) (string, bool) {
		if q.event == permissionRequest {
			return specific(q, "decision", object(with([]string{"behavior", `"allow"`}, "updatedInput", edited)...)), true
		}
		return specific(q, with([]string{"permissionDecision", `"allow"`}, "updatedInput", edited)...), true
	},
	deny: func(q *question, reason string) Answer {
		if q.event == permissionRequest { // there exit code 2 lets the client ask
			message := strings.TrimSpace(refusal(q, reason).Stderr)
			return Answer{Stdout: specific(q, "decision", object("behavior", `"deny"`, "message", quoted(message)))}
		}
		return refusal(q, reason)
	},
	ask: func(q *question) string {
		if q.event == permissionRequest {
			return "{}" // it is about to
		}
		return specific(q, "permissionDecision", `"ask"`, "permissionDecisionReason", quoted(unanswered))
	},
	later: func(q *question) string {
		if q.event != preToolUse || q.id == "" {
			return ""
		}
		return specific(q, "permissionDecision", `"defer"`)
	},
}

// Events of Claude Code, and of who writes as it does.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
)

// unanswered is why a client is to ask a person itself.
const unanswered = "Nobody answered at Sekisho."

// readClaude reads an event of Claude Code or of a client that writes the same.
func readClaude(f fields, has known) (question, error) {
	q, err := snake.question(f)
	if err != nil {
		return q, err
	}
	if q.event != preToolUse && q.event != permissionRequest {
		return q, errNoEvent
	}
	q.follows = q.event == permissionRequest
	inner, mcp := strings.CutPrefix(q.tool, "mcp__")
	if !mcp {
		return q, nil
	}
	from, err := f.below("mcp_server")
	if err != nil {
		return q, err
	}
	name, err1 := from.text("name")
	source, err2 := from.text("source")
	if err := errors.Join(err1, err2); err != nil {
		return q, err
	}
	q.source = source
	all := servers{{Name: name}}
	if name == "" {
		all = has()
	}
	server, tool, ok := all.split(inner, "__")
	switch {
	case !strings.Contains(inner, "__"):
		return q, errNoEvent
	case ok && (name == "" && !strings.Contains(tool, "__") || name != "" && plain(server) == plain(name)):
		q.asMCP(server, tool)
	} // else it could be another server's: it is asked about by its whole name
	return q, nil
}

// specific is an answer in the shape of Claude Code.
func specific(q *question, pairs ...string) string {
	return object("hookSpecificOutput", object(append([]string{"hookEventName", quoted(q.event)}, pairs...)...))
}

// with adds a member where there is a value of it.
func with(pairs []string, name string, value []byte) []string {
	if value == nil {
		return pairs
	}
	return append(pairs, name, string(value))
}
