package mcpwire

import "testing"

func TestGlimpse(t *testing.T) {
	for _, tt := range []struct {
		head string
		key  string
		what Kind
		ok   bool
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"x":"aaa`, "n7", Response, true},
		{`{"id":"\u0041","error":`, "sA", Response, true},
		{`{"result":{"id":9`, "", Response, true},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":`, "", Notification, true},
		{`{"id":1,"method":"roots/list"}`, "", Request, true},
		{`{"id":1,"params":{"method":"a","result":1}}`, "", 0, false},
		{`{"params":{"data":"aaa`, "", 0, false},
		{`{"id":1`, "", 0, false},
		{`["result"`, "", 0, false},
		{`aaaa`, "", 0, false},
		{``, "", 0, false},
	} {
		if key, what, ok := Glimpse([]byte(tt.head)); key != tt.key || ok != tt.ok || ok && what != tt.what {
			t.Errorf("%s: %q, %d, %v", tt.head, key, what, ok)
		}
	}
}

// FuzzGlimpse: what the beginning tells holds for the whole.
func FuzzGlimpse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`), 20)
	f.Add([]byte(`{"jsonrpc":"2.0","method":"a","id":"x"}`), 30)
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		m, bad := FromServer(raw)
		key, what, ok := Glimpse(raw[:max(0, min(n, len(raw)))])
		if bad != nil || !ok {
			return
		}
		if (what == Response) != (m.Kind == Response) || key != "" && key != m.Key {
			t.Errorf("%s: %q, %d", raw, key, what)
		}
	})
}
