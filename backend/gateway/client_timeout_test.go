package gateway

import (
	"testing"
	"time"
)

func TestClientTimeouts(t *testing.T) {
	const otherwise = 50 * time.Second
	for client, want := range map[string]time.Duration{
		"": otherwise, "someone": otherwise, "codex-mcp-client": 300 * time.Second, "Claude-Code": time.Hour,
		"Visual Studio Code - Insiders": 180 * time.Second,
	} {
		if got := timeoutOf(client, otherwise); got != want {
			t.Errorf("%q waits %s", client, got)
		}
	}
}

func TestTimeoutsAreKnownByTheirWords(t *testing.T) {
	for raw, want := range map[string]bool{
		`"McpError: MCP error -32001: Request timed out"`: true, `"Timeout"`: true, `"the user stopped it"`: false, `7`: false, ``: false,
	} {
		if saysTimeout([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
	for raw, want := range map[string]string{`{"name":"x"}`: "x", `{}`: "", `7`: ""} {
		if clientOf([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
}
