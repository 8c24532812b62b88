package mcpwire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

func FuzzFromClient(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0041"}}`,
		"{\"jsonrpc\":\"2.0\",\n\"id\":\"a\",\"result\":{}}", `{"jsonrpc":"2.0","id":-1,"error":{"code":1}}`,
		`{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","method":"ping"}`, `[]`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, bad := FromClient(raw)
		if bad != nil {
			return
		}
		line := OneLine(raw)
		if bytes.ContainsAny(line, "\r\n") || !json.Valid(line) {
			t.Fatalf("not one line of JSON: %q", line)
		}
		// A reader that ignores letter case and takes the last of two keys, as
		// many servers do, must read the same message.
		var loose struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &loose); err != nil {
			return // some member has another type: such a reader takes nothing from it
		}
		if loose.Method != m.Method || string(loose.ID) != string(m.ID) {
			t.Fatalf("read as %q %q, a server reads %q %q", m.Method, m.ID, loose.Method, loose.ID)
		}
		if m.Method != CallTool || m.Kind != Request {
			return
		}
		c, bad := ReadAct(m)
		if bad == nil && (c.Name != loose.Params.Name || string(OneLine(c.Args)) != string(loose.Params.Arguments)) {
			t.Fatalf("judged %q %q, a server reads %q %q", c.Name, c.Args, loose.Params.Name, loose.Params.Arguments)
		}
		if bad == nil && !bytes.Equal(c.Message(m, &permission.Call{Input: c.Input(), Envelope: c.Envelope}), raw) {
			t.Fatalf("its own input changes the message")
		}
	})
}

func TestIDKeys(t *testing.T) {
	for _, tt := range []struct {
		raw, key string
		ok       bool
	}{
		{`1`, "n1", true}, {`"1"`, "s1", true}, {`-12345678901234567890`, "n-12345678901234567890", true}, {`"\u0041"`, "sA", true},
		{`""`, "s", true},
		{`1.0`, "", false}, {`1e3`, "", false}, {`null`, "", false}, {`true`, "", false}, {`{}`, "", false}, {`[1]`, "", false}, {`-`, "", false},
		{``, "", false},
	} {
		if key, ok := IDKey([]byte(tt.raw)); key != tt.key || ok != tt.ok {
			t.Errorf("idKey(%s) = %q, %v", tt.raw, key, ok)
		}
	}
}

func TestShift(t *testing.T) {
	for _, tt := range []struct{ number, want string }{
		{"0", "3"}, {"41", "44"}, {"0.5", "3.5"}, {"1e2", "103"}, {"9223372036854775807", "9223372036854775810"}, {"-1", "2"},
	} {
		raw := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"x":1.0, "progress" : ` + tt.number + ` ,"progressToken":"t"}}`
		m, bad := FromServer([]byte(raw))
		p, ok := ReadProgress(m)
		if bad != nil || !ok || p.Key != "st" {
			t.Fatalf("%s: %v %v", raw, bad, ok)
		}
		got := string(p.Shift(m.Raw, 3))
		// A double cannot hold the largest integer: what matters is that all else stays.
		if want := strings.Replace(raw, " "+tt.number+" ", " "+tt.want+" ", 1); got != want && tt.number != "9223372036854775807" {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if string(p.Shift(m.Raw, 0)) != raw {
			t.Errorf("without a shift the message changes")
		}
	}
}

func TestShiftKeepsWhatIsLeftToDo(t *testing.T) {
	for _, params := range []string{`"progress":1,"total":4`, `"total":4,"x":"\u0041","progress":1`} {
		m, bad := FromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t",` + params + `}}`))
		p, ok := ReadProgress(m)
		if bad != nil || !ok {
			t.Fatalf("%s: %v %v", params, bad, ok)
		}
		want := strings.NewReplacer(`"progress":1`, `"progress":3`, `"total":4`, `"total":6`).Replace(string(m.Raw))
		if got := string(p.Shift(m.Raw, 2)); got != want {
			t.Errorf("got %s", got)
		}
	}
}

func TestReadTask(t *testing.T) {
	for params, want := range map[string]string{
		`{"taskId":"a"}`: "a", `{"taskId":"a","_meta":{}}`: "a", `{"taskId":"a","inputResponses":{}}`: "tasks/update",
		`{"taskId":"a","x":1}`: "", `{"TaskId":"a"}`: "", `{"taskId":"a","taskid":"b"}`: "", `{"taskId":null}`: "", `[]`: "", `{}`: "",
	} {
		for _, method := range []string{"tasks/get", UpdateTask} {
			m, bad := FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`))
			if bad != nil {
				t.Fatal(bad)
			}
			id, bad := ReadTask(m)
			if good := want == "a" || want == method; good != (bad == nil) || good && id != "a" {
				t.Errorf("%s %s: %q, %v", method, params, id, bad)
			}
		}
	}
	for _, raw := range []string{`{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"cursor":"c"}}`} {
		if m, _ := FromClient([]byte(raw)); !IsTask(m.Method) {
			t.Errorf("%s is about no task", raw)
		} else if _, bad := ReadTask(m); bad != nil {
			t.Errorf("%s: %v", raw, bad)
		}
	}
	if m, _ := FromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","x":1,"params":{"taskId":"a"}}`)); m.extra == "" {
		t.Error("a member beside params is not seen")
	} else if _, bad := ReadTask(m); bad == nil {
		t.Error("a member beside params passes")
	}
}
