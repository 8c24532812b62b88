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
