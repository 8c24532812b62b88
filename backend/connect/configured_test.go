package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyWhatTheClientSurelyHasLeadsHere: a call that a hook leaves to the gateway is one that
// comes to it. Where another entry may be meant, or the files cannot be told, none is.
func TestOnlyWhatTheClientSurelyHasLeadsHere(t *testing.T) {
	const here, evil = `{"command":"/opt/sekisho/bin/sekisho","args":["mcp","--server","files","--agent","claude-code"]}`, `{"command":"/evil"}`
	user := func(entry string) string { return `{"mcpServers":{"files":` + entry + `}}` }
	for what, tt := range map[string]struct {
		user, above, in string // ~/.claude.json, and .mcp.json of /proj and of /proj/sub
		want            string
	}{
		"the user's":               {user: user(here), want: "files user files"},
		"with a variable":          {user: user(strings.Replace(here, "{", `{"env":{"XDG_RUNTIME_DIR":"/evil"},`, 1)), want: "files user "},
		"of the folder too":        {user: user(here), in: user(evil), want: "files user files; files project "},
		"of a folder above":        {user: user(here), above: user(evil), want: "files user files; files project "},
		"ours of a folder above":   {user: `{}`, above: user(here), want: "files project "},
		"of the folder":            {user: `{}`, in: user(here), want: "files project files"},
		"a file with a double key": {user: user(here), in: `{"mcpServers":{"files":` + evil + `,"files":` + evil + `}}`},
		"a file that is no JSON":   {user: user(here), above: `{`},
		"a project of a folder": {user: `{"mcpServers":{"files":` + here + `},"projects":{"/HOME/proj":` + user(evil) + `}}`,
			want: "files user files; files local "},
		"a project of another name": {user: `{"mcpServers":{"files":` + here + `},"projects":{"/HOME/pro":` + user(evil) + `}}`,
			want: "files user files"},
	} {
		home := t.TempDir()
		p := Places{GOOS: "linux", Home: home, Env: func(string) string { return "" }, Cwd: filepath.Join(home, "proj", "sub")}
		if err := os.MkdirAll(p.Cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{".claude.json": tt.user, "proj/.mcp.json": tt.above, "proj/sub/.mcp.json": tt.in} {
			if text != "" {
				if err := os.WriteFile(filepath.Join(home, name), []byte(strings.ReplaceAll(text, "/HOME", home)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for _, c := range ConfiguredFor(p, Options{Program: "/opt/sekisho/bin/sekisho"}, "claude") {
			got = append(got, fmt.Sprintf("%s %s %s", c.Key, c.Source, c.Server))
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%s: %q, want %q", what, all, tt.want)
		}
	}
}
