package mcpwire

import (
	"slices"

	"sekisho/backend/permission"
)

// Methods of MCP by name.
const (
	Initialize      = "initialize"
	InitializedNote = "notifications/initialized"
	CancelledNote   = "notifications/cancelled"
	ProgressNote    = "notifications/progress"
	LogNote         = "notifications/message"
	UpdatedNote     = "notifications/resources/updated"
	ListeningNote   = "notifications/subscriptions/acknowledged"
	CallTool        = permission.CallTool
	ListTools       = "tools/list"
	Ping            = "ping"
	SetLevel        = "logging/setLevel"
	GetPrompt       = permission.GetPrompt
	Complete        = "completion/complete"
	ReadResource    = permission.ReadResource
	Subscribe       = permission.SubscribeResource
	Unsubscribe     = "resources/unsubscribe"
	Listen          = "subscriptions/listen"
	Discover        = "server/discover"
)

// era is what a client may send in one of the two ways in which MCP is spoken, by the
// names of the specification's schema (ClientRequest and ClientNotification). It is a list
// of what passes: a method of any other name, be it by a letter's case or a blank, was
// judged by nobody, and some servers take it for what it resembles.
type era struct{ requests, notes []string }

// SessionEra is 2024-11-05 to 2025-11-25.
var SessionEra = era{
	requests: []string{
		CallTool, ListTools, Initialize, Ping, SetLevel, Complete, GetPrompt, "prompts/list",
		ReadResource, Subscribe, Unsubscribe, "resources/list", "resources/templates/list",
		"tasks/get", "tasks/result", "tasks/list", "tasks/cancel",
	},
	notes: []string{CancelledNote, ProgressNote, InitializedNote, "notifications/roots/list_changed", "notifications/tasks/status"},
}

// StatelessEra is 2026-07-28, with its official extension for tasks. What this era has of
// notifications of a client is for stdio: over HTTP a client closes the stream.
var StatelessEra = era{
	requests: []string{
		CallTool, ListTools, Discover, Complete, GetPrompt, "prompts/list",
		ReadResource, "resources/list", "resources/templates/list", Listen,
		"tasks/get", "tasks/update", "tasks/cancel",
	},
}

// Unnamed refuses a request that the era does not name.
func (e *era) Unnamed(method string) *Error {
	if slices.Contains(e.requests, method) {
		return nil
	}
	return Errorf(CodeNoMethod, "%.80q is no method that passes here: it was not sent to the server", method)
}

// TakesNote reports whether the era names a notification of a client.
func (e *era) TakesNote(method string) bool { return slices.Contains(e.notes, method) }
