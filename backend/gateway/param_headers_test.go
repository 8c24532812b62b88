package gateway

import (
	"net/http"
	"net/http/httptest"
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
	var p paramHeaders
	got := p.with(http.Header{"Mcp-Param-Path": {"/etc/shadow"}, "Mcp-Method": {"tools/call"}}, edited)
	if got.Get("Mcp-Param-Path") != "" || got.Get("Mcp-Method") != "tools/call" {
		t.Errorf("sent: %v", got)
	}
}

// TestOnlyWhatIsReadOfAHeaderGoesOn: a second value of one was looked at by nobody.
func TestOnlyWhatIsReadOfAHeaderGoesOn(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/mcp/x", nil)
	r.Header = http.Header{"Mcp-Protocol-Version": {mcpwire.Stateless, "evil"}, "Mcp-Method": {"tools/call", "evil"}}
	for name, values := range headersOf(r) {
		if len(values) != 1 {
			t.Errorf("%s: %q", name, values)
		}
	}
}
