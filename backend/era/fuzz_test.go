package era

import (
	"encoding/json"
	"testing"

	"sekisho/backend/mcpwire"
	"sekisho/backend/upstream"
)

// FuzzServer lets a server say anything, while a client's call is under way in either direction:
// whatever the client hears is one message, and no call is sent again unasked.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, word, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"u"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`, `{"id":1`, `[]`, `{"jsonrpc":"2.0","id":1,"result":{}`,
	} {
		f.Add([]byte(seed), []byte(word))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		none := func(*script, mcpwire.Message) {}
		for _, h := range []*house{newHouse(t, true, earlier(none)), begins(t, none)} {
			h.ask(2, mcpwire.CallTool, `{"name":"t","arguments":{"n":1.0}}`)
			told := len(h.told)
			for _, raw := range [][]byte{first, second} {
				h.bridge.heard(raw, upstream.Origin{})
				h.bridge.heard(raw, upstream.Origin{Request: "n2"})
			}
			h.mu.Lock()
			for _, raw := range h.told[told:] {
				_, message, _ := cutRequest(raw)
				if m, bad := mcpwire.FromServer([]byte(message)); bad == nil && m.Kind == mcpwire.Response && h.stateless && !json.Valid(m.Raw) {
					t.Errorf("the client heard %s", raw)
				}
			}
			h.mu.Unlock()
			if n := h.received(`"tools/call"`, `"id":2,`); n > 1 {
				t.Errorf("%d calls", n)
			}
			h.script.Stop()
		}
	})
}

func cutRequest(told string) (request, message string, ok bool) {
	for i := range told {
		if told[i] == ' ' {
			return told[:i], told[i+1:], true
		}
	}
	return "", told, false
}
