package gateway

import (
	"strings"
	"time"
)

// clientTimeouts are how long clients wait for a tools/call that gives signs of life, by
// what their clientInfo names begin with, in small letters. Where a client's limit is for
// silence alone, signs of life keep it waiting: it is as patient as a call is long. A hard
// limit ends a call whatever it says meanwhile.
// Mastra names itself by what its user calls a server: it is one of the unknown. So is
// the AI SDK, which has no limit: over stdio it may leave without a word, and a yes that
// comes before its patience is over here would run for nobody.
var clientTimeouts = []struct {
	name  string
	waits time.Duration
	hard  bool
}{
	// 2.1.329, its program: resetTimeoutOnProgress; in all MCP_TOOL_TIMEOUT, which is 27 h.
	{"claude-code", time.Hour, false},
	// 0.169.0, measured: ends after 300.1 s, whatever its progress; tool_timeout_sec changes it.
	{"codex", 300 * time.Second, true},
	// 1.0.102, measured: holds 401 s with progress. Its program cannot be read.
	{"copilot-cli", 400 * time.Second, false},
	// 0.61.0, its program: callTool with {timeout}, and no reset; the entry's timeout, else 10 min.
	{"gemini-cli", 600 * time.Second, true},
	// VS Code's, by the name of its Copilot. Not measured; see the last one.
	{"github-copilot", 180 * time.Second, false},
	// 1.18.33, its program: callTool with resetTimeoutOnProgress and the entry's timeout, else 60 s.
	{"opencode", time.Hour, false},
	// Not measured. Its users report no limit at all (microsoft/vscode issue 311595).
	{"visual studio code", 180 * time.Second, false},
}

// timeoutOf is how long a client waits by the table, and whether that is a hard limit;
// otherwise for one that is not in it.
func timeoutOf(client string, otherwise time.Duration) (waits time.Duration, hard bool) {
	for _, known := range clientTimeouts {
		if strings.HasPrefix(strings.ToLower(client), known.name) {
			return known.waits, known.hard
		}
	}
	return otherwise, false
}
