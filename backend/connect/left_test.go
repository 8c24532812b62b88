package connect

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sekisho/backend/conftext"
)

// TestLeftOfCodex: Codex refuses its whole file over a field that does not go with a
// command.
func TestLeftOfCodex(t *testing.T) {
	const remote, local = "url = 'http://x'\n", "command = 'x'\n"
	for entry, want := range map[string]string{
		remote + "oauth = { client_id = 'y' }":                    "signs in there (oauth)",
		remote + "oauth.client_id = 'y'":                          "signs in there (oauth)",
		remote + "oauth_resource = 'y'":                           "signs in there (oauth_resource)",
		remote + "scopes = ['y']":                                 "signs in there (scopes)",
		remote + "auth = 'chatgpt'":                               "signs in there (auth)",
		remote + "bearer_token = 'y'":                             "(bearer_token)",
		remote + "http_headers_helper = ['y']":                    "(http_headers_helper)",
		local + "cwd = '/y'\nexperimental_environment = 'remote'": "(experimental_environment)",
		local + "environment_id = 'y'":                            "(environment_id)",
	} {
		codex, _ := ClientByID("codex")
		first := "[mcp_servers.a]\n" + entry + "\n"
		p := plan(t, File{Client: codex, Content: []byte(first + "[mcp_servers.b]\ncommand = 'x'\n")}, options())
		if e := p.Entries[0]; e.State != Left || !strings.Contains(e.Reason, want) || !told(e) || len(p.Moves()) != 1 ||
			!strings.HasPrefix(string(p.After), first) {
			t.Errorf("%s: %s %s\n%s", entry, e.State, e.Reason, p.After)
		}
	}
}

// TestMoved: entries that look like those that are left, and move.
func TestMoved(t *testing.T) {
	env := places().Env
	o := options()
	o.Places.Env = func(name string) string {
		return map[string]string{"HOME": "/home/ada", "PWD": "/elsewhere", "OLDPWD": "/before"}[name] + env(name)
	}
	for _, c := range []struct{ client, project, entry, want, after string }{
		{"gemini", "", `{"type":"http","url":"https://x/mcp"}`, `"url":"https://x/mcp"`,
			`{"command":"` + program + `","args":["mcp", "--server", "a", "--agent", "gemini"]}`},
		{"claude-code", "", `{"type":"http","url":"https://x/sse"}`, `"url":"https://x/sse"`, `"type":"stdio"`},
		{"claude-code", "", `{"type":"http","url":"https://x","oauth":null}`, `"url":"https://x"`, `"command":"` + program + `"`},
		{"opencode", "", `{"type":"remote","url":"https://x","oauth":false}`, `"url":"https://x"`, `{"type":"local","command":["` + program},
		{"cursor", "", `{"command":"x","args":["${env:HOME}/.x","...","a=./b",".x"]}`, `"args":["/home/ada/.x","...","a=./b",".x"]`, ""},
		{"cursor", "", `{"command":"x","cwd":"/srv","args":["."]}`, `"args":["."]`, ""},
		{"cursor", "", `{"command":"x","env":{"K":"${env:GEMINI_KEY}"}}`, `"env":{"K":"gem"}`, ""},
		{"cursor", "/srv/shop", `{"command":"x","args":[".","${env:PWD}/y"]}`, `"args":[".","/srv/shop/y"]`, ""},
	} {
		client, _ := ClientByID(c.client)
		o.Names = NewNames(nil, nil)
		text := `{"` + strings.Join(client.sections[0], ".") + `":{"a":` + c.entry + `}}`
		p := plan(t, File{Client: client, Project: c.project, Content: []byte(text)}, o)
		raw, err := json.Marshal(p.Entries[0].Server)
		if err != nil || len(p.Moves()) != 1 || !strings.Contains(string(raw), c.want) || !strings.Contains(string(p.After), c.after) ||
			strings.Contains(string(p.After), "oauth") {
			t.Errorf("%s: %s %v\n%s", c.entry, raw, p.Entries[0], p.After)
		}
	}
}

// TestSecretsThatCannotBeMasked: what is written so that a secret would be shown is left
// alone.
func TestSecretsThatCannotBeMasked(t *testing.T) {
	codex, _ := ClientByID("codex")
	text := "mcp_servers = { a.command = 'x', a.env.K = 'secret', b = { command = 'y' } }\n"
	if p, err := Make(File{Client: codex, Content: []byte(text)}, options()); err == nil || !strings.Contains(err.Error(), "cannot be shown") {
		t.Errorf("%v\n%+v", err, p)
	}
}

// TestHalfACharacter: a string that a client has cut keeps its file usable, byte for byte.
func TestHalfACharacter(t *testing.T) {
	const history = `"history":["cut \ud83d","\ude00\ud83d","\ud83d\ude00","\ud83dx"],`
	g := golden{name: "x.json", client: "claude-code"}
	before := `{` + history + `"mcpServers":{"a":{"command":"x"}}}`
	f := g.real(t, before, 0o600)
	v := vault(t)
	if p := connected(t, v, f); len(p.Moves()) != 1 || !strings.Contains(string(p.After), history) {
		t.Errorf("%s", p.After)
	}
	if err := v.Restore(undo(t, v, false)); err != nil || content(t, f.Path) != before {
		t.Errorf("%v %s", err, content(t, f.Path))
	}
	if _, err := conftext.Read(`{"\ud83d":1,"\ud83e":2,"\ude00":3}`, conftext.Dialect{}); err != nil {
		t.Error(err)
	}
	if _, err := conftext.Read(`{"\ud83d":1,"\uD83D":2}`, conftext.Dialect{}); err == nil {
		t.Error("a doubled half is taken")
	}
}

// TestNestedServers: opencode's second version keeps servers a level deeper.
func TestNestedServers(t *testing.T) {
	opencode, _ := ClientByID("opencode")
	for text, want := range map[string]string{
		`{"mcp":{"timeout":{"startup":5},"servers":{"a":{"type":"local","command":["x"]}}}}`: "mcp servers a",
		`{"mcp":{"servers":{"type":"local","command":["x"]}}}`:                               "mcp servers",
		`{"mcp":{"servers":{"type":"remote","url":"https://x"}}}`:                            "mcp servers",
	} {
		p := plan(t, File{Client: opencode, Content: []byte(text)}, options())
		if len(p.Entries) != 1 || len(p.Moves()) != 1 || strings.Join(p.Entries[0].Path, " ") != want {
			t.Errorf("%s: %+v", text, p.Entries)
		}
	}
}

// TestMissingProgram: an entry whose sekisho is not there any more says so.
func TestMissingProgram(t *testing.T) {
	o := options()
	o.LookPath = func(command, _ string) (string, error) {
		return "", errors.New("its command " + command + " is not found")
	}
	for command, want := range map[string]string{"/old/sekisho": "its command /old/sekisho is not found", program: ""} {
		p := plan(t, File{Client: Clients()[2],
			Content: []byte(`{"mcpServers":{"a":{"command":"` + command + `","args":["mcp","--server","fs"]}}}`)}, o)
		if e := p.Entries[0]; e.State != Behind || e.ServerID != "fs" || e.Reason != want {
			t.Errorf("%+v", e)
		}
	}
}
