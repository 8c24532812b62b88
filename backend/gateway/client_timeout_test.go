package gateway

import (
	"strings"
	"testing"
	"time"
)

func TestClientTimeouts(t *testing.T) {
	const otherwise = 50 * time.Second
	for client, want := range map[string]time.Duration{
		"": otherwise, "someone": otherwise, "codex-mcp-client": 300 * time.Second, "Claude-Code": time.Hour,
		"Visual Studio Code - Insiders": 180 * time.Second, "github-copilot-developer": 180 * time.Second,
		"copilot-cli": 400 * time.Second, "opencode": time.Hour, "gemini-cli-mcp-client-files": 600 * time.Second,
	} {
		got, hard := timeoutOf(client, otherwise)
		if got != want || hard != (strings.HasPrefix(client, "codex") || strings.HasPrefix(client, "gemini")) {
			t.Errorf("%q waits %s, hard %t", client, got, hard)
		}
	}
}
