package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"sekisho/backend/mcpwire"
)

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
