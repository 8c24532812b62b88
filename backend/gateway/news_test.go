package gateway

import (
	"testing"

	"sekisho/backend/mcpwire"
)

// TestAListenerIsPromisedWhatTheDeskBrings: changes of the list of tools where the desk makes it, and
// all that the server agreed to as it was written.
func TestAListenerIsPromisedWhatTheDeskBrings(t *testing.T) {
	const method = `"method":"notifications/subscriptions/acknowledged"`
	for _, c := range []struct {
		said string
		ours bool
		want string
		told bool
	}{
		{`{"notifications":{}}`, true, `{"notifications":{"toolsListChanged":true}}`, true},
		{`{"notifications":{"toolsListChanged":false, "x" : 1.0}}`, true, `{"notifications":{"toolsListChanged":true,"x":1.0}}`, true},
		{`{"notifications":{"toolsListChanged": true }}`, false, `{"notifications":{"toolsListChanged": true }}`, true},
		{`{"notifications":{"promptsListChanged":true}}`, false, `{"notifications":{"promptsListChanged":true}}`, false},
		{`{"notifications":[]}`, true, `{"notifications":[]}`, false},
		{`{"other":{}}`, true, `{"other":{}}`, false},
	} {
		note, bad := mcpwire.FromServer([]byte(`{"jsonrpc":"2.0",` + method + `,"params":` + c.said + `}`))
		if bad != nil {
			t.Fatal(bad)
		}
		got, told := acknowledged(note, c.ours)
		if want := `{"jsonrpc":"2.0",` + method + `,"params":` + c.want + `}`; string(got) != want || told != c.told {
			t.Errorf("%s: %s %v, want %s %v", c.said, got, told, want, c.told)
		}
	}
}
