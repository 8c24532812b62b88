package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"sekisho/backend/conftext"
	"sekisho/backend/rawjson"
)

func seed(f *testing.F, names ...string) {
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join("testdata", "golden", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
}

// patched connects a text, and holds what must be true of every patch: all outside the
// moved entries is the same byte for byte, it reads again, moves nothing again, and
// disconnecting gives the first text. It is nil when the text is not taken.
func patched(t *testing.T, client, text string) *Plan {
	c, _ := ClientByID(client)
	if readable([]byte(text)) != nil {
		return nil
	}
	o := options()
	p, err := Make(File{Client: c, Path: "/x", Content: []byte(text)}, o)
	if err != nil {
		return nil
	}
	if a, b := rest(t, &c, text, p.Moves()), rest(t, &c, string(p.After), p.Moves()); a != b {
		t.Errorf("bytes outside the entries were changed:\n%q\n%q", a, b)
	}
	again, err := Make(File{Client: c, Path: "/x", Content: p.After}, o)
	if err != nil || len(again.Moves()) != 0 {
		t.Errorf("a second time: %v, %+v of\n%s", err, again, p.After)
	}
	if undone(t, p, string(p.After)) != text {
		t.Error("disconnecting gives something else")
	}
	return p
}

// rest is a text without the bytes of some entries.
func rest(t *testing.T, c *Client, text string, moves []Entry) string {
	doc, err := readDocument(c, text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var edits []conftext.Edit
	for _, m := range moves {
		e, _ := doc.Entry(m.Path)
		edits = append(edits, e.Replace("")...)
	}
	out, err := conftext.Apply(text, edits)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(out, "\n")
}

// FuzzJSONC holds the reader against encoding/json and the strict reader, and every
// patch of an accepted file against what must be true of it.
func FuzzJSONC(f *testing.F) {
	seed(f, "claude-desktop.json", "claude-code.json", "claude-code-project.json", "cursor.json", "vscode.json", "gemini.json",
		"opencode.jsonc", "zed.json")
	f.Add(`{"mcpServers":{"a":{"env":{},"command":"x"/**/,"cwd":"/y"}}}`)
	f.Add("{\"mcpServers\":{\"a\":{\n\"env\":{}\n,\"command\":\"x\"\n,\"cwd\":\"/\"//\n,}}}")
	f.Add(`{"mcp":{"a":{"type":"remote","url":"x","headers":{},}},"context_servers":{"a":{"command":{"path":"x","env":{"K":"v"}}}}}`)
	f.Add(`{"\ud83d":"\ude00\ud83d","\ud83d\ude00":1,"mcpServers":{"a":{"command":"x","args":["\ud83d"]},"b\udc00":{"command":"x"},"c":{"command":"x"}}}`)
	f.Add(`{"mcp":{"servers":{"a":{"type":"local","command":["x"]},"b":{"type":"remote","url":"https://x/sse","oauth":false}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, client := range []string{"claude-code", "cursor", "vscode", "gemini", "opencode", "zed"} {
			patched(t, client, text)
		}
		strict, err := conftext.Read(text, conftext.Dialect{})
		if err != nil {
			if rawjson.Check([]byte(text), conftext.MaxNesting) == nil && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
				t.Errorf("refused, though it is JSON: %v", err)
			}
			return
		}
		if readable([]byte(text)) != nil || strings.HasPrefix(text, conftext.ByteOrderMark) {
			return
		}
		if !utf8.ValidString(fmt.Sprint(strict.Root)) {
			return // halves of characters, which others refuse or replace
		}
		if err := rawjson.Check([]byte(text), conftext.MaxNesting); err != nil {
			t.Errorf("taken, though %v", err)
		}
		var want map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(plain(strict.Root), plain(want)) {
			t.Errorf("read %v, want %v (%v)", strict.Root, want, err)
		}
	})
}

// plain makes numbers and null of both readers the same.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = plain(item)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	case json.Number:
		return conftext.Literal(v)
	case nil:
		return conftext.Literal("null")
	}
	return value
}

// FuzzTOML does the same for TOML, with another reader as the judge.
func FuzzTOML(f *testing.F) {
	seed(f, "codex.toml")
	f.Add("[mcp_servers.a]\nurl='https://x'\noauth.client_id='y'\n[mcp_servers.b]\ncommand='x'")
	f.Add("mcp_servers = { a = { command = 'x' }, b.command = \"y\" }")
	f.Add("mcp_servers.a.command = 'x'\r\nmcp_servers.a.env.K = '''v\r\n'''\r\n[x]\r\n")
	f.Add("[mcp_servers.a.env]\nK='v'\n[x]\ny=1\n[mcp_servers.a]\ncommand='z'")
	f.Add("[[a]]\n[a.b]\n[[a.c]]\n[[a]]\nx=1979-05-27 07:32:00.5Z\ny=[1,2,#\n]\nz=\"\"\"a\\\n  b\"\"\"\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := patched(t, "codex", text)
		if p == nil {
			return
		}
		var before, after map[string]any
		if _, err := toml.Decode(text, &before); err != nil {
			return // ours takes some dates that are none
		}
		if _, err := toml.Decode(string(p.After), &after); err != nil {
			t.Fatalf("%v in\n%s", err, p.After)
		}
		for _, m := range p.Moves() {
			for _, side := range []map[string]any{before, after} {
				delete(conftext.At(side, m.Path[:1]).(map[string]any), m.Key())
			}
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("other tables changed:\n%s\n%s", text, p.After)
		}
	})
}
