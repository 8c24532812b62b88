package connect

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var gap = regexp.MustCompile(`\{[a-z]+\}`)

// told reports whether an entry that is left says why for a page too: what the words have
// a place for, and nothing else.
func told(e Entry) bool {
	if e.Why == nil || e.Why.Error() != e.Reason || gap.MatchString(e.Reason) {
		return false
	}
	words := obstacles[e.Why.Code]
	for name, said := range map[string]string{"{field}": e.Why.Field, "{name}": e.Why.Name, "{value}": e.Why.Value} {
		if strings.Contains(words, name) != (said != "") {
			return false
		}
	}
	return true
}

// TestObstacles: entries that TestLeft and TestLeftOfCodex have none like.
func TestObstacles(t *testing.T) {
	for _, c := range []struct {
		client, entry string
		want          Obstacle
	}{
		{"cursor", `{"command":"x","envFile":".env"}`, Obstacle{Code: environmentFile, Field: "envFile"}},
		{"opencode", `{"type":"local","command":"x"}`, Obstacle{Code: commandNoList}},
		{"cursor", `{"command":"x","env":{"A":{}}}`, Obstacle{Code: valueNoText, Field: "env", Name: "A"}},
		{"opencode", `{"type":"remote","url":"http://x","headers":{"A":null}}`, Obstacle{Code: valueNull, Field: "headers", Name: "A"}},
		{"cursor", `{"command":"./x"}`, Obstacle{Code: commandRelative, Value: "./x"}},
		{"cursor", `{"command":"nowhere to be found"}`, Obstacle{Code: commandMissing, Value: "nowhere to be found"}},
		{"cursor", `{"command":"x","cwd":"${env:GEMINI_KEY}"}`, Obstacle{Code: folderRelative}},
	} {
		client, _ := ClientByID(c.client)
		o := options()
		o.LookPath = func(command, folder string) (string, error) {
			if command == "x" {
				return "/bin/x", nil
			}
			return LookPath(command, folder)
		}
		p := plan(t, File{Client: client, Content: []byte(`{"` + client.sections[0][0] + `":{"a":` + c.entry + `}}`)}, o)
		if e := p.Entries[0]; e.State != Left || !told(e) || *e.Why != c.want {
			t.Errorf("%s: %s %+v %s", c.entry, e.State, e.Why, e.Reason)
		}
	}
	codex, _ := ClientByID("codex")
	for entry, want := range map[string]Obstacle{
		"command = 'x'\nenv_vars = [{ name = 'A', source = 'remote' }]": {Code: variablesOfApp, Field: "env_vars"},
		"url = 'http://x'\nenv_http_headers = { A = 'NOPE' }":           {Code: headerUnset, Name: "A"},
		"url = 'http://x'\nbearer_token_env_var = 'NOPE'":               {Code: tokenUnset, Name: "NOPE"},
		"command.path = 'x'": {Code: writtenApart, Field: "command"},
	} {
		p := plan(t, File{Client: codex, Content: []byte("[mcp_servers.a]\n" + entry + "\n")}, options())
		if e := p.Entries[0]; e.State != Left || !told(e) || *e.Why != want {
			t.Errorf("%s: %s %+v %s", entry, e.State, e.Why, e.Reason)
		}
	}
	for _, code := range Obstacles() {
		if rest := slices.DeleteFunc(gap.FindAllString(obstacles[code], -1), func(p string) bool {
			return slices.Contains([]string{"{field}", "{name}", "{value}"}, p)
		}); len(rest) > 0 || obstacles[code] == "" {
			t.Errorf("%s: %q", code, rest)
		}
	}
}

// TestWhyNotBack: what is in the way of putting an entry back is told for a page too.
func TestWhyNotBack(t *testing.T) {
	const from = `{"mcpServers":{"a":{"command":"x"}}}`
	const toml, inline = "[mcp_servers.a]\ncommand = 'x'\n", "[mcp_servers]\na = { command = 'x' }\n"
	const ours = `["mcp", "--server", "a", "--agent", "codex"]`
	for _, c := range []struct {
		client, before, now string
		force               bool
		want                Obstacle
	}{
		{"cursor", from, `{"mcpServers":{"a":"x"}}`, false, Obstacle{Code: becameNoTable}},
		{"cursor", from, `{"mcpServers":{"a":{"command":"/bin/true","args":["mcp", "--server", "a", "--agent", "cursor"]}}}`, false,
			Obstacle{Code: fieldChanged, Field: "command"}},
		{"codex", toml, "[mcp_servers.mine]\ncommand = '" + program + "'\nargs = " + ours + "\n", false, Obstacle{Code: otherName, Name: "mine"}},
		{"codex", inline, "[mcp_servers.a]\ncommand = '/bin/true'\nargs = " + ours + "\n", true, Obstacle{Code: otherShape}},
	} {
		g := golden{name: "x", client: c.client}
		f, v := g.real(t, c.before, 0o600), vault(t)
		connected(t, v, f)
		write(t, f.Path, c.now)
		e := undo(t, v, c.force).Entries[0]
		if e.Outcome != Conflict || !told(Entry{Why: e.Why, Reason: e.Reason}) || !reflect.DeepEqual(*e.Why, c.want) {
			t.Errorf("%s: %+v %+v", c.now, e, e.Why)
		}
	}
}

// TestBackByHand: neither is a file that cannot be put back even by force.
func TestBackByHand(t *testing.T) {
	g := golden{name: "x", client: "cursor"}
	f, v := g.real(t, `{"mcpServers":{"a":{"command":"x"}}}`, 0o600), vault(t)
	connected(t, v, f)
	write(t, f.Path, `{"mcpServers":{"a":"x"}}`)
	s := Screen{Wiring: Wiring{Vault: v}, Key: []byte("k")}
	all, err := s.backs(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	var why *Obstacle
	if !errors.As(all[0].Err, &why) || why.Code != backByHand || !strings.HasSuffix(content(t, why.Value), "}") ||
		!strings.HasSuffix(why.Error(), why.Value) {
		t.Errorf("%v", all[0].Err)
	}
}
