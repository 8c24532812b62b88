package connect

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sekisho/backend/conftext"
	"sekisho/backend/diff"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a realistic file of a client.
type golden struct{ name, client, project string }

var goldens = []golden{
	{"claude-desktop.json", "claude-desktop", ""},
	{"claude-code.json", "claude-code", ""},
	{"claude-code-project.json", "claude-code", "/home/ada/src/shop"},
	{"cursor.json", "cursor", ""},
	{"vscode.json", "vscode", "/home/ada/src/shop"},
	{"codex.toml", "codex", ""},
	{"codex-limits.toml", "codex", ""},
	{"gemini-limits.json", "gemini", ""},
	{"claude-code-limits.json", "claude-code", ""},
	{"gemini.json", "gemini", ""},
	{"copilot.json", "copilot", ""},
	{"opencode.jsonc", "opencode", ""},
	{"zed.json", "zed", ""},
}

const program = "/opt/sekisho/bin/sekisho"

// places are those of a Linux user with some variables set.
func places() Places {
	vars := map[string]string{"FETCH_TOKEN": "fetched", "PGPASSWORD": "pgsecret", "FIGMA_TOKEN": "figmatoken", "HOME_REGION": "north",
		"DB_CONNECTION_STRING": "db://", "GEMINI_KEY": "gem", "OPENCODE_KEY": "openkey"}
	return Places{GOOS: "linux", Home: "/home/ada", Env: func(name string) string { return vars[name] }}
}

// lookPath finds every command in one folder, and what has a path where it is.
func lookPath(command, folder string) (string, error) {
	if strings.HasPrefix(command, "./") {
		return folder + command[1:], nil
	}
	if strings.ContainsAny(command, `/\`) {
		return command, nil
	}
	return "/usr/bin/" + command, nil
}

func options() Options {
	return Options{Program: program, Places: places(), Names: NewNames(nil, nil), LookPath: lookPath}
}

// options are those of a golden file: limits are raised where its name says so.
func (g golden) options() Options {
	o := options()
	o.Limits = strings.Contains(g.name, "limits")
	return o
}

// load gives a golden file as Find would.
func (g golden) load(t testing.TB) File {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "golden", g.name))
	if err != nil {
		t.Fatal(err)
	}
	return g.file(t, string(content))
}

func (g golden) file(t testing.TB, content string) File {
	t.Helper()
	c, ok := ClientByID(g.client)
	if !ok {
		t.Fatalf("no client %s", g.client)
	}
	return File{Client: c, Path: "/" + g.name, Real: "/" + g.name, Project: g.project, Content: []byte(content), Mode: 0o600}
}

func plan(t testing.TB, f File, o Options) *Plan {
	t.Helper()
	p, err := Make(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGolden holds what connecting makes of each file against files that a person has
// read.
func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			p := plan(t, g.load(t), g.options())
			entries, err := json.MarshalIndent(p.Entries, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, g.name+".after", p.After)
			compare(t, g.name+".entries", append(entries, '\n'))
			compare(t, g.name+".diff", []byte(p.Difference))
			if strings.Contains(p.Difference, "secret") {
				t.Errorf("shown:\n%s", p.Difference)
			}
		})
	}
}

// TestNothingElse: edits that would say something else than was meant are not taken,
// whichever way they came about.
func TestNothingElse(t *testing.T) {
	for _, g := range goldens {
		f := g.load(t)
		doc, err := readDocument(&f.Client, string(f.Content))
		if err != nil {
			t.Fatal(err)
		}
		p := &planner{file: f, opts: g.options()}
		m := merge{before: doc, after: doc, now: doc}
		for _, e := range entriesOf(doc, &f.Client) {
			for _, n := range append(e.Values("command"), e.Values("url")...) {
				m.edits = []conftext.Edit{{Span: n.Span, Text: `"/bin/else"`}}
				if _, err := p.apply(doc, m.edits, nil); err == nil || !strings.Contains(err.Error(), "safely") {
					t.Errorf("%s: connecting: %v", g.name, err)
				}
				if _, err := m.result(&f.Client); err == nil || !strings.Contains(err.Error(), "safely") {
					t.Errorf("%s: disconnecting: %v", g.name, err)
				}
			}
		}
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not as it was:\n%s", name, diff.Unified("want", "got", string(want), string(got)))
	}
}
