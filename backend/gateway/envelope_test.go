package gateway

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
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
		m, bad := fromClient(raw)
		if bad != nil {
			return
		}
		line := oneLine(raw)
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
		if loose.Method != m.method || string(loose.ID) != string(m.id) {
			t.Fatalf("read as %q %q, a server reads %q %q", m.method, m.id, loose.Method, loose.ID)
		}
		if m.method != callTool || m.kind != request {
			return
		}
		c, bad := readAct(m)
		if bad == nil && (c.name != loose.Params.Name || string(oneLine(c.args)) != string(loose.Params.Arguments)) {
			t.Fatalf("judged %q %q, a server reads %q %q", c.name, c.args, loose.Params.Name, loose.Params.Arguments)
		}
		if bad == nil && !bytes.Equal(c.message(m, &permission.Call{Input: c.input(), Envelope: c.envelope}), raw) {
			t.Fatalf("its own input changes the message")
		}
	})
}

// FuzzSplit holds the lenient reader against the strict one where both take it.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"a":1}`, ` { "b" : [1, {"c":null}] , "d":"\u0041" } `, `{}`, `{"a":1}x`, `{"a":tru}`, `{"\u0061":"x","":-1.5e3}`, `[1]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := split(raw)
		want, strict := rawjson.Members(raw)
		if strict != nil {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("split: %d members, %v, want %d", len(got), err, len(want))
		}
		for i, w := range want {
			g := got[i]
			plain := string(w.RawKey) == `"`+w.Key+`"`
			if g.Key != w.Key || !bytes.Equal(g.Value, w.Value) || g.ValueStart != w.ValueStart || g.ValueEnd != w.ValueEnd || plain != (string(g.RawKey) == `"`+g.Key+`"`) {
				t.Fatalf("member %d: %+v, want %+v", i, g, w)
			}
		}
	})
}

func TestIDKeys(t *testing.T) {
	for _, tt := range []struct {
		raw, key string
		ok       bool
	}{
		{`1`, "n1", true}, {`"1"`, "s1", true}, {`-12345678901234567890`, "n-12345678901234567890", true}, {`"\u0041"`, "sA", true}, {`""`, "s", true},
		{`1.0`, "", false}, {`1e3`, "", false}, {`null`, "", false}, {`true`, "", false}, {`{}`, "", false}, {`[1]`, "", false}, {`-`, "", false}, {``, "", false},
	} {
		if key, ok := idKey([]byte(tt.raw)); key != tt.key || ok != tt.ok {
			t.Errorf("idKey(%s) = %q, %v", tt.raw, key, ok)
		}
	}
}

func TestShift(t *testing.T) {
	for _, tt := range []struct{ number, want string }{
		{"0", "3"}, {"41", "44"}, {"0.5", "3.5"}, {"1e2", "103"}, {"9223372036854775807", "9223372036854775810"}, {"-1", "2"},
	} {
		raw := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"x":1.0, "progress" : ` + tt.number + ` ,"progressToken":"t"}}`
		m, bad := fromServer([]byte(raw))
		p, ok := readProgress(m)
		if bad != nil || !ok || p.key != "st" {
			t.Fatalf("%s: %v %v", raw, bad, ok)
		}
		got := string(p.shift(m.raw, 3))
		// A double cannot hold the largest integer: what matters is that all else stays.
		if want := strings.Replace(raw, " "+tt.number+" ", " "+tt.want+" ", 1); got != want && tt.number != "9223372036854775807" {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if string(p.shift(m.raw, 0)) != raw {
			t.Errorf("without a shift the message changes")
		}
	}
}

func TestShiftKeepsWhatIsLeftToDo(t *testing.T) {
	for _, params := range []string{`"progress":1,"total":4`, `"total":4,"x":"\u0041","progress":1`} {
		m, bad := fromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t",` + params + `}}`))
		p, ok := readProgress(m)
		if bad != nil || !ok {
			t.Fatalf("%s: %v %v", params, bad, ok)
		}
		want := strings.NewReplacer(`"progress":1`, `"progress":3`, `"total":4`, `"total":6`).Replace(string(m.raw))
		if got := string(p.shift(m.raw, 2)); got != want {
			t.Errorf("got %s", got)
		}
	}
}

func TestReadLines(t *testing.T) {
	var got []string
	long := 0
	text := "a\r\n\n" + strings.Repeat("b", 200_000) + "\n" + strings.Repeat("c", 200_001) + "\nd\n" + strings.Repeat("e", 500_000) + "\nlast"
	readLines(strings.NewReader(text), 200_000, func(l []byte) { got = append(got, string(l)) }, func(head []byte) {
		if long++; len(head) != maxHead {
			t.Errorf("the head of a long line has %d bytes", len(head))
		}
	})
	if len(got) != 4 || got[0] != "a" || len(got[1]) != 200_000 || got[2] != "d" || got[3] != "last" || long != 2 {
		t.Errorf("%d lines, %d too long", len(got), long)
	}
}

func TestEnvironment(t *testing.T) {
	ours := []string{"PATH=/bin:/usr/bin", "SEKISHO_TOKEN=secret", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=x", "HOME=/root", "DISPLAY=:0", "DOCKER_HOST=unix:///run/podman.sock"}
	for command, path := range map[string]string{"npx": "/bin:/usr/bin", "/usr/bin/npx": "/bin:/usr/bin", "/opt/node/bin/npx": "/opt/node/bin:/bin:/usr/bin"} {
		got := environment(ours, map[string]string{"HOME": "/own"}, command)
		want := []string{"PATH=" + path, "LC_ALL=C", "HOME=/root", "DISPLAY=:0", "DOCKER_HOST=unix:///run/podman.sock", "HOME=/own"}
		if !slices.Equal(got, want) { // the last of two counts
			t.Errorf("%s: got %q", command, got)
		}
	}
}

// TestACommandFindsWhatLiesBesideIt starts a script whose interpreter is found in its own
// folder alone, as that of npx is.
func TestACommandFindsWhatLiesBesideIt(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"speaker": "#!/bin/sh\necho '{\"spoken\":true}'\n", "npx": "#!/usr/bin/env speaker\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	heard := make(chan string, 1)
	c, err := start(permission.Server{Command: filepath.Join(dir, "npx")}, 100, ears{heard: func(line []byte, _ origin) { heard <- string(line) }})
	if err != nil {
		t.Fatal(err)
	}
	<-c.done
	select {
	case line := <-heard:
		if line != `{"spoken":true}` {
			t.Errorf("heard %q", line)
		}
	default:
		t.Errorf("nothing was said but %q", c.last())
	}
}

func TestAMissingFolderIsSaidToBeTheFolder(t *testing.T) {
	_, err := start(permission.Server{Command: "true", Cwd: "/nowhere/at-all"}, 100, ears{})
	if err == nil || !strings.Contains(err.Error(), "folder") || !strings.Contains(err.Error(), "/nowhere/at-all") {
		t.Errorf("got %v", err)
	}
}
