package session

import "testing"

func TestTimeoutsAreKnownByTheirWords(t *testing.T) {
	for raw, want := range map[string]bool{
		`"McpError: MCP error -32001: Request timed out"`: true, `"Timeout"`: true, `"the user stopped it"`: false, `7`: false, ``: false,
	} {
		if saysTimeout([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
	for raw, want := range map[string]string{`{"name":"x"}`: "x", `{}`: "", `7`: ""} {
		if ClientOf([]byte(raw)) != want {
			t.Errorf("%s", raw)
		}
	}
}
