package gateway

import "slices"

// era is what a client may send in one of the two ways in which MCP is spoken, by the
// names of the specification's schema (ClientRequest and ClientNotification). It is a list
// of what passes: a method of any other name, be it by a letter's case or a blank, was
// judged by nobody, and some servers take it for what it resembles.
type era struct{ requests, notes []string }

// sessionEra is 2024-11-05 to 2025-11-25.
var sessionEra = era{
	requests: []string{
		callTool, listTools, initialize, ping, setLevel, complete, getPrompt, "prompts/list",
		readResource, subscribe, unsubscribe, "resources/list", "resources/templates/list",
		"tasks/get", "tasks/result", "tasks/list", "tasks/cancel",
	},
	notes: []string{cancelledNote, progressNote, initializedNote, "notifications/roots/list_changed", "notifications/tasks/status"},
}

// statelessEra is 2026-07-28, with its official extension for tasks. What this era has of
// notifications of a client is for stdio: over HTTP a client closes the stream.
var statelessEra = era{
	requests: []string{
		callTool, listTools, "server/discover", complete, getPrompt, "prompts/list",
		readResource, "resources/list", "resources/templates/list", listen,
		"tasks/get", "tasks/update", "tasks/cancel",
	},
}

// unnamed refuses a request that the era does not name.
func (e *era) unnamed(method string) *wireError {
	if slices.Contains(e.requests, method) {
		return nil
	}
	return refusal(codeNoMethod, "%.80q is no method that passes here: it was not sent to the server", method)
}

// takesNote reports whether the era names a notification of a client.
func (e *era) takesNote(method string) bool { return slices.Contains(e.notes, method) }
