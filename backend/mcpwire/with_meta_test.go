package mcpwire_test

import (
	"testing"

	"sekisho/backend/mcpwire"
)

func TestWithMeta(t *testing.T) {
	for raw, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b": 1.0}}}`: `{"jsonrpc":"2.0","id":1,` +
			`"method":"tools/call","params":{"name":"a","arguments":{"b": 1.0},"_meta":{"k":"v\"w"}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"_meta":{"k":"theirs","progressToken":7},"name":"a"}}`: `{"jsonrpc":"2.0",` +
			`"id":"x","method":"tools/call","params":{"name":"a","_meta":{"k":"v\"w","progressToken":7}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":[]}}`: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":[]}}`,
		`[]`: `[]`,
	} {
		if got := string(mcpwire.WithMeta([]byte(raw), "k", `v"w`)); got != want {
			t.Errorf("%s becomes\n%s, want\n%s", raw, got, want)
		}
	}
}
