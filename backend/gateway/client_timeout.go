package gateway

import (
	"strings"
	"time"
)

// clientTimeouts are how long clients wait for a tools/call that gives signs of life, by
// what their clientInfo names begin with, in small letters. Where a client's limit is for
// silence alone, signs of life keep it waiting: it is as patient as a call is long.
// Mastra names itself by what its user calls a server: it is one of the unknown. So is
// the AI SDK, which has no limit: over stdio it may leave without a word, and a yes that
// comes before its patience is over here would run for nobody.
// Sources: the clients' documentation and code, as of autumn 2026.
var clientTimeouts = []struct {
	name  string
	waits time.Duration
}{
	{"claude-code", time.Hour}, // 60 s to the first byte, 5 min of silence
	{"codex", 300 * time.Second},
	{"gemini-cli", 300 * time.Second},
	{"github-copilot", 180 * time.Second},
	{"opencode", 60 * time.Second},
	{"visual studio code", 180 * time.Second},
}

// timeoutOf is how long a client waits by the table; otherwise for one that is not in it.
func timeoutOf(client string, otherwise time.Duration) time.Duration {
	for _, known := range clientTimeouts {
		if strings.HasPrefix(strings.ToLower(client), known.name) {
			return known.waits
		}
	}
	return otherwise
}
