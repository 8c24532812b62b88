package hook

import "strings"

// copilot is Copilot CLI, which has two spellings of its events: preToolUse with names of its
// own, and PreToolUse in Claude Code's shapes. It does not pass on what stands on stderr, so
// that a no is JSON beside it.
var copilot = dialect{
	name: "Copilot CLI",
	read: readCopilot,
	allow: func(q *question, edited []byte) (string, bool) {
		switch q.event {
		case preToolUse:
			return specific(q, "permissionDecision", `"allow"`), edited == nil
		case copilotRequest:
			return object("behavior", `"allow"`), edited == nil
		}
		return object(with([]string{"permissionDecision", `"allow"`}, "modifiedArgs", edited)...), true
	},
	deny: func(q *question, reason string) Answer {
		no := refusal(q, reason)
		words := quoted(strings.TrimSpace(no.Stderr))
		if q.event == copilotRequest {
			return Answer{Stdout: object("behavior", `"deny"`, "message", words)}
		}
		no.Stdout = copilotDecision(q, "deny", words)
		return no
	},
	ask: func(q *question) string {
		if q.event == copilotRequest {
			return "{}" // it is about to
		}
		return copilotDecision(q, "ask", quoted(unanswered))
	},
}

// copilotDecision is a decision before a tool is used, in the spelling of the event.
func copilotDecision(q *question, decision, reason string) string {
	said := []string{"permissionDecision", quoted(decision), "permissionDecisionReason", reason}
	if q.event == preToolUse {
		return specific(q, said...)
	}
	return object(said...)
}

// Events of Copilot CLI in its own spelling. The first is not named in it.
const (
	copilotBefore  = "preToolUse"
	copilotRequest = "permissionRequest"
)

func readCopilot(f fields, has known) (q question, err error) {
	switch {
	case f["hook_event_name"] != nil:
		if q, err = snake.question(f); err == nil && q.event != preToolUse {
			err = errNoEvent
		}
	case f["hookName"] != nil:
		if q, err = camel.question(f); err == nil && q.event != copilotRequest {
			err = errNoEvent
		}
		q.follows = true
	default:
		own := camel
		own.input = "toolArgs"
		q, err = own.question(f)
		q.event = copilotBefore
	}
	if err != nil {
		return q, err
	}
	for _, separator := range []string{"/", "-"} {
		if !strings.Contains(q.tool, separator) {
			continue
		}
		if server, tool, ok := has().split(q.tool, separator); ok {
			q.asMCP(server, tool)
			break
		}
	}
	return q, nil
}
