package mcpwire_test

import (
	"testing"

	"sekisho/backend/mcpwire"
)

func TestClaudeTool(t *testing.T) {
	for _, tt := range []struct{ name, server, tool string }{
		{"Bash", "", "Bash"},
		{"mcp__files__read_file", "files", "read_file"},
		{"mcp__files__a__b", "", "mcp__files__a__b"}, // or b of files__a
		{"mcp__files___a", "", "mcp__files___a"},     // or a of files_
		{"mcp__files__a_b_", "files", "a_b_"},
		{"mcp__files", "", "mcp__files"},
		{"mcp____read", "", "mcp____read"},
		{"mcp__files__", "", "mcp__files__"},
		{"MCP__files__read", "", "MCP__files__read"},
	} {
		server, tool := mcpwire.ClaudeTool(tt.name)
		if of := server; tool != tt.tool || (of == nil) != (tt.server == "") || of != nil && *of != tt.server {
			t.Errorf("%s: %v %q", tt.name, server, tool)
		}
	}
}
