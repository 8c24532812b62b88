package main

import (
	"strings"
	"testing"
)

func TestReadClient(t *testing.T) {
	ours := " -p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio"
	for _, tt := range []struct{ words, args, prompt string }{
		{"claude -p go --model m", "--model m" + ours, "go"},
		{"claude --print go", strings.TrimSpace(ours), "go"},
		{"claude -p --model m", "--model m" + ours, ""},
		{"claude", strings.TrimSpace(ours), ""},
	} {
		c, err := readClient(strings.Fields(tt.words))
		prompt := ""
		if c.prompt != nil {
			prompt = *c.prompt
		}
		if err != nil || c.name != "claude" || strings.Join(c.args, " ") != tt.args || prompt != tt.prompt {
			t.Errorf("%s: %q %q %v", tt.words, c.args, prompt, err)
		}
	}
	for _, words := range []string{"claude --output-format json", "claude --permission-prompt-tool=mcp__x__y", "claude --input-format text"} {
		if _, err := readClient(strings.Fields(words)); err == nil {
			t.Errorf("%s is taken", words)
		}
	}
}
