package gateway_test

import (
	"strings"
	"testing"

	"sekisho/backend/gateway"
)

func TestAllowedPassesByteForByte(t *testing.T) {
	h := newHouse(t, gateway.Options{})
	h.desk.allow["write"] = true
	c := h.connect("a")
	for _, body := range []string{
		call(`7`, "write", `{ "z":1.0,"a":[9007199254740993,1e2], "s":"\u0041\/é" }`),
		`{"jsonrpc":"2.0","params":{"x-more":{"b":1,"a":2},"arguments":{} ,"name":"write"},"x-top":1e2,"method":"tools\/call","id":"\u0041"}`,
		`{"jsonrpc":"2.0","id":-3,"method":"tools/call","params":{"name":"wri\u0074e"}}`,
	} {
		got := c.ask(body)
		if len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0", "result":`+fixtureEcho+` ,"id":`) {
			t.Errorf("%s\n got %q", body, got)
		}
		if !strings.Contains(h.received(), body+"\n") {
			t.Errorf("the server did not receive %s but\n%s", body, h.received())
		}
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`); got[0] != `{"jsonrpc":"2.0", "result":`+fixtureList+` ,"id":8}` {
		t.Errorf("tools/list: %s", got)
	}
	if got := strings.Join(h.gate.Tools(fixtureID), " "); got != "echo die" {
		t.Errorf("Tools = %q", got)
	}
}
