package upstream

import (
	"net/http"
	"testing"

	"sekisho/backend/mcpwire"
)

// TestAnEditLeavesNoHeaderBehind: a header for a parameter that no list marked would say
// what a person took out of the input.
func TestAnEditLeavesNoHeaderBehind(t *testing.T) {
	edited, bad := mcpwire.FromClient(
		[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"/tmp/ok"}}}`))
	if bad != nil {
		t.Fatal(bad)
	}
	var p ParamHeaders
	got := p.With(http.Header{"Mcp-Param-Path": {"/etc/shadow"}, "Mcp-Method": {"tools/call"}}, edited)
	if got.Get("Mcp-Param-Path") != "" || got.Get("Mcp-Method") != "tools/call" {
		t.Errorf("sent: %v", got)
	}
}
