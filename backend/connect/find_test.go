//go:build unix

package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sekisho/backend/conftext"
	"sekisho/backend/rewrite"
)

// TestPlaces holds the files of each client on each platform against the places that
// the clients document.
func TestPlaces(t *testing.T) {
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	for _, c := range []struct {
		name   string
		places Places
		want   map[string]string // the first file of each client
	}{
		{"linux", Places{GOOS: "linux", Home: "/home/ada"}, map[string]string{
			"claude-desktop": "/home/ada/.config/Claude/claude_desktop_config.json", "claude-code": "/home/ada/.claude.json",
			"cursor": "/home/ada/.cursor/mcp.json",
			"vscode": "/home/ada/.config/Code/User/mcp.json", "codex": "/home/ada/.codex/config.toml", "gemini": "/home/ada/.gemini/settings.json",
			"opencode": "/home/ada/.config/opencode/opencode.json", "zed": "/home/ada/.config/zed/settings.json"}},
		{"linux with variables", Places{GOOS: "linux", Home: "/home/ada",
			Env: env(map[string]string{"XDG_CONFIG_HOME": "/cfg", "CODEX_HOME": "/codex", "CLAUDE_CONFIG_DIR": "/claude"})}, map[string]string{
			"claude-desktop": "/cfg/Claude/claude_desktop_config.json", "claude-code": "/claude/.claude.json", "vscode": "/cfg/Code/User/mcp.json",
			"codex": "/codex/config.toml", "opencode": "/cfg/opencode/opencode.json", "zed": "/cfg/zed/settings.json"}},
		{"relative variables count for nothing",
			Places{GOOS: "linux", Home: "/home/ada",
				Env: env(map[string]string{"XDG_CONFIG_HOME": "cfg", "CODEX_HOME": "codex", "CLAUDE_CONFIG_DIR": "."})}, map[string]string{
				"zed": "/home/ada/.config/zed/settings.json", "codex": "/home/ada/.codex/config.toml", "claude-code": "/home/ada/.claude.json"}},
		{"macOS", Places{GOOS: "darwin", Home: "/Users/ada"}, map[string]string{
			"claude-desktop": "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json", "claude-code": "/Users/ada/.claude.json",
			"cursor": "/Users/ada/.cursor/mcp.json", "vscode": "/Users/ada/Library/Application Support/Code/User/mcp.json",
			"codex":  "/Users/ada/.codex/config.toml",
			"gemini": "/Users/ada/.gemini/settings.json", "opencode": "/Users/ada/.config/opencode/opencode.json",
			"zed": "/Users/ada/.config/zed/settings.json"}},
		{"Windows", Places{GOOS: "windows", Home: `C:\Users\ada`, Env: env(map[string]string{"APPDATA": `D:\Roaming`})}, map[string]string{
			"claude-desktop": `D:\Roaming\Claude\claude_desktop_config.json`, "claude-code": `C:\Users\ada\.claude.json`,
			"cursor": `C:\Users\ada\.cursor\mcp.json`,
			"vscode": `D:\Roaming\Code\User\mcp.json`, "codex": `C:\Users\ada\.codex\config.toml`, "gemini": `C:\Users\ada\.gemini\settings.json`,
			"opencode": `C:\Users\ada\.config\opencode\opencode.json`, "zed": `D:\Roaming\Zed\settings.json`}},
		{"Windows without variables", Places{GOOS: "windows", Home: `C:\Users\ada`}, map[string]string{
			"claude-desktop": `C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`}},
	} {
		for _, client := range Clients() {
			if want, ok := c.want[client.ID]; ok && client.user(c.places)[0] != want {
				t.Errorf("%s: %s is %s, want %s", c.name, client.ID, client.user(c.places)[0], want)
			}
		}
	}
}

// TestFind puts one file at every place, the project's too, and finds each once.
func TestFind(t *testing.T) {
	root := t.TempDir()
	p := Places{GOOS: "linux", Home: filepath.Join(root, "home"), Cwd: filepath.Join(root, "project")}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	want := 0
	for _, c := range Clients() {
		for _, path := range c.user(p) {
			put(path, "{}")
			want++
		}
		for _, name := range c.project {
			put(p.join(p.Cwd, name), "{}")
			want++
		}
	}
	files := Find(p)
	if len(files) != want {
		t.Errorf("%d files, want %d", len(files), want)
	}
	for _, f := range files {
		if f.Err != nil || string(f.Content) != "{}" || f.Mode != 0o600 || (f.Project != "") != strings.HasPrefix(f.Path, p.Cwd) {
			t.Errorf("%+v", f)
		}
	}
	packaged := Places{GOOS: "windows", Home: `C:\Users\ada`, Glob: func(pattern string) []string {
		if pattern != `C:\Users\ada\AppData\Local\Packages\Claude_*\LocalCache\Roaming\Claude\claude_desktop_config.json` {
			t.Errorf("pattern %s", pattern)
		}
		return []string{`C:\found`}
	}}
	if all := Clients()[0].user(packaged); len(all) != 2 || all[1] != `C:\found` {
		t.Errorf("a package of Windows: %v", all)
	}
	profile := filepath.Join(p.Home, ".config/Code/User/profiles/1a2b/mcp.json")
	put(profile, "{}")
	p.Glob = Glob
	if files := Find(p); len(files) != want+1 || !slices.ContainsFunc(files, func(f File) bool {
		return f.Path == profile && f.Client.ID == "vscode"
	}) {
		t.Errorf("with a profile of VS Code: %d files", len(files))
	}
	p.Cwd = p.Home // where a user's file is a project's, too
	seen := map[string]bool{}
	for _, f := range Find(p) {
		if seen[f.Client.ID+f.Real] {
			t.Errorf("%s twice", f.Path)
		}
		seen[f.Client.ID+f.Real] = true
	}
	if none := Find(Places{GOOS: "linux", Home: filepath.Join(root, "nobody"), Cwd: filepath.Join(root, "nowhere")}); len(none) != 0 {
		t.Errorf("found %v", none)
	}
}

// TestBadFiles: each is told apart, is not touched, and does not keep others from
// being used.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, client, text, want string }{
		{"malformed", "cursor", `{"mcpServers": {`, "line 1, column 17: a key in double quotes"},
		{"a doubled key", "cursor", "{\n \"mcpServers\": {\"a\":{\"command\":\"x\"},\n  \"\\u0061\":{\"command\":\"y\"}}}",
			`line 3, column 3: the key "a" is there twice`},
		{"a doubled key elsewhere", "zed", `{"context_servers":{},"x":{"y":1,"y":2}}`, `"y" is there twice`},
		{"empty", "cursor", "", "empty"},
		{"blank", "cursor", conftext.ByteOrderMark + " \r\n", "empty"},
		{"huge TOML", "codex", strings.Repeat("# x\n", maxTOML/4+1), "over 16 MiB"},
		{"a million values", "cursor", `{"a":[` + strings.Repeat("0,", conftext.MaxValues) + `0]}`, "more than 1048576 values"},
		{"binary", "cursor", "{\x00}", "binary"},
		{"no UTF-8", "cursor", "{\"\xff\":1}", "not UTF-8"},
		{"UTF-16", "cursor", "\xff\xfe{\x00}\x00", "UTF-16"},
		{"a list", "cursor", "[]", "not an object"},
		{"two documents", "cursor", "{}{}", "follows the end"},
		{"too deep", "cursor", `{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}", "nested too deep"},
		{"a comment for Claude", "claude-desktop", "{} // no", "a comment, which this client does not read"},
		{"a last comma for Gemini", "gemini", `{"mcpServers":{},}`, "a comma before the end"},
		{"TOML that is none", "codex", "[mcp_servers\n", "line 1"},
		{"a doubled table", "codex", "[mcp_servers.a]\n[mcp_servers.a]\n", "line 2, column 1: the table mcp_servers.a is there twice"},
		{"a doubled TOML key", "codex", "[mcp_servers.a]\ncommand = 'x'\n\"command\" = 'y'\n",
			"line 3, column 1: the key command is there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _ := ClientByID(c.client)
			path := filepath.Join(t.TempDir(), "file")
			write(t, path, c.text)
			f, there := read(client, path, "")
			_, err := Make(f, options())
			if !there || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
			if content(t, path) != c.text {
				t.Error("it was touched")
			}
		})
	}
	sparse := filepath.Join(t.TempDir(), "sparse")
	write(t, sparse, "{}")
	if err := os.Truncate(sparse, rewrite.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if f, there := read(Clients()[0], sparse, ""); !there || f.Err == nil || f.Err.Error() != "this file is over 256 MiB" {
		t.Errorf("a huge file: %v", f.Err)
	}
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, "%q:{\"command\":\"x\"},", fmt.Sprint(i))
	}
	client, _ := ClientByID("cursor")
	if _, err := Make(File{Client: client, Content: []byte(`{"mcpServers":{` + many.String() + `}}`)}, options()); err == nil ||
		!strings.Contains(err.Error(), "more than 1000") {
		t.Errorf("many entries: %v", err)
	}
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "a folder", fifo: "no plain file", filepath.Join(dir, "link"): "no such file"} {
		if f, there := read(client, path, ""); !there || f.Err == nil || !strings.Contains(f.Err.Error(), want) {
			t.Errorf("%s: %t, %v", path, there, f.Err)
		}
	}
}

func TestNames(t *testing.T) {
	desk := []Server{
		{ID: "fs", Transport: Stdio, Command: "/bin/fs", Enabled: true},
		{ID: "gh", Transport: Stdio, Command: "/bin/gh", Env: map[string]string{"T": "********"}, Enabled: true},
	}
	gh := Server{Transport: Stdio, Command: "/bin/gh", Env: map[string]string{"T": "one"}, Enabled: true}
	n := NewNames(desk, map[string]string{"gh": gh.Print()})
	assign := func(key string, s Server, want string, fresh bool) {
		t.Helper()
		if id, isFresh := n.Assign(key, s); id != want || isFresh != fresh {
			t.Errorf("%s: %s, %t", key, id, isFresh)
		}
	}
	assign("fs", Server{Transport: Stdio, Command: "/bin/fs", Enabled: true}, "fs", false)
	assign("fs", Server{Transport: Stdio, Command: "/bin/other", Enabled: true}, "fs-2", true)
	assign("fs", Server{Transport: Stdio, Command: "/bin/other", Enabled: true}, "fs-2", false)
	n.known["off"] = Server{ID: "off", Transport: Stdio, Command: "/bin/off"}
	assign("off", Server{Transport: Stdio, Command: "/bin/off", Enabled: true}, "off-2", true)
	assign("gh", gh, "gh", false)
	gh.Env = map[string]string{"T": "two"} // another secret is another server
	assign("gh", gh, "gh-2", true)
	n = NewNames([]Server{{ID: "fs-3", Transport: Stdio, Command: "/bin/fs", Enabled: true},
		{ID: "fs-x", Transport: Stdio, Command: "/bin/x", Enabled: true}}, nil)
	assign("fs", Server{Transport: Stdio, Command: "/bin/fs", Enabled: true}, "fs-3", false)
	assign("fs", Server{Transport: Stdio, Command: "/bin/x", Enabled: true}, "fs", true)
	n = NewNames(desk, nil) // the secret of the desk's is not known
	assign("gh", gh, "gh-2", true)
	other := Server{Transport: Stdio, Command: "/bin/x"}
	for i, c := range [][2]string{{"a b/c", "a-b-c"}, {"a__b", "a_b"}, {"sekisho", "server-sekisho"}, {"天気", "server"}, {"..", "server-2"},
		{strings.Repeat("x", 70), strings.Repeat("x", 56)}, {"", "server-3"}} {
		other.Args = []string{fmt.Sprint(i)}
		id, _ := n.Assign(c[0], other)
		if !legal(id) || id != c[1] {
			t.Errorf("%q is %q", c[0], id)
		}
	}
}

func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tool", "sub/tool"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "text"), "")
	t.Setenv("PATH", dir)
	for _, c := range []struct{ command, folder, want string }{
		{"tool", "", filepath.Join(dir, "tool")},
		{"sub/tool", dir, filepath.Join(dir, "sub/tool")},
		{"./tool", dir, filepath.Join(dir, "tool")},
		{filepath.Join(dir, "sub/tool"), "", filepath.Join(dir, "sub/tool")},
		{"sub/tool", "", ""}, {"text", "", ""}, {"nothing", "", ""}, {filepath.Join(dir, "text"), "", ""},
	} {
		if got, err := LookPath(c.command, c.folder); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s in %q: %q, %v", c.command, c.folder, got, err)
		}
	}
}

// TestLeft: entries that cannot be moved say why, and others of the file move.
func TestLeft(t *testing.T) {
	for _, c := range []struct{ client, entry, want string }{
		{"cursor", `{}`, "neither a command nor a URL"},
		{"cursor", `{"command":"x","url":"http://x"}`, "both"},
		{"cursor", `{"command":["x"]}`, "a list"},
		{"cursor", `{"command":""}`, "empty"},
		{"cursor", `{"command":7}`, "empty"},
		{"cursor", `{"command":"x","args":"y"}`, "no list"},
		{"cursor", `{"command":"x","args":[1]}`, "not all strings"},
		{"cursor", `{"command":"x","env":[]}`, "not a table"},
		{"cursor", `{"command":"x","env":{"A":null}}`, "null"},
		{"cursor", `{"command":"x","cwd":"sub"}`, "only the client knows"},
		{"cursor", `{"command":"x","args":["${workspaceFolder}"]}`, "only Cursor fills in"},
		{"cursor", `{"command":"x","args":["${env:NOPE}"]}`, "not set here"},
		{"cursor", `{"command":"x","args":["${env:GEMINI_KEY}"]}`, "GEMINI_KEY would be shown"},
		{"cursor", `{"url":"http://x/${env:GEMINI_KEY}"}`, "GEMINI_KEY would be shown"},
		{"cursor", `{"command":"x","args":["--root","${env:PWD}"]}`, "PWD, a folder that only the client knows"},
		{"cursor", `{"command":"x","env":{"ROOT":"${env:OLDPWD}"}}`, "OLDPWD, a folder"},
		{"cursor", `{"command":"x","args":["-y","."]}`, "argument . is meant from a folder"},
		{"cursor", `{"command":"x","args":["-y","../shop"]}`, "argument ../shop is meant"},
		{"cursor", `{"command":"x","args":["--root=./shop"]}`, "argument --root=./shop is meant"},
		{"cursor", `{"command":"x","args":[".\\shop"]}`, `argument .\shop is meant`},
		{"cursor", `{"url":"http://x","auth":{"CLIENT_ID":"y"}}`, "signs in there (auth)"},
		{"cursor", `{"url":"http://x/sse/?a=b"}`, "SSE"},
		{"cursor", `{"command":"x","args":["\ud83d"]}`, "half of a character"},
		{"cursor", `{"command":"x","env":{"\udc00":"y"}}`, "half of a character"},
		{"gemini", `{"url":"http://x"}`, "SSE"},
		{"gemini", `{"httpUrl":"http://x","authProviderType":"google_credentials"}`, "signs in there (authProviderType)"},
		{"gemini", `{"command":"x","args":["-v","${PWD}:/workspace"]}`, "PWD, a folder"},
		{"claude-code", `{"type":"sse","url":"http://x"}`, "SSE"},
		{"claude-code", `{"type":"http","url":"http://x","headersHelper":"y"}`, "headersHelper"},
		{"claude-code", `{"type":"http","url":"http://x","oauth":{"clientId":"y"}}`, "signs in there (oauth)"},
		{"opencode", `{"type":"remote","url":"http://x","oauth":{}}`, "signs in there (oauth)"},
		{"claude-code", `{"command":"x","args":["${NOPE}"]}`, "not set here"},
		{"opencode", `{"type":"local","command":["x","{file:~/t}"]}`, "only opencode fills in"},
	} {
		client, _ := ClientByID(c.client)
		section := strings.Join(client.sections[0], ".")
		p := plan(t, File{Client: client, Content: []byte(`{"` + section + `":{"a":` + c.entry + `,"b":{"command":["x"]},"c":{"command":"x"}}}`)},
			options())
		if e := p.Entries[0]; e.State != Left || !strings.Contains(e.Reason, c.want) || !told(e) {
			t.Errorf("%s: %s %s", c.entry, e.State, e.Reason)
		}
		if len(p.Moves()) != 1 {
			t.Errorf("%s: %v", c.entry, p.Entries)
		}
	}
	if p := plan(t, File{Client: Clients()[2], Content: []byte(`{"mcpServers":{"a":{"command":"x"}}}`)},
		Options{Program: program, Names: NewNames(nil, nil), Places: places(),
			Leave: map[string]string{PathKey([]string{"mcpServers", "a"}): "no"}, LookPath: lookPath}); p.Entries[0].Reason != "no" ||
		p.Entries[0].Why != nil || string(p.After) != string(p.File.Content) {
		t.Errorf("%+v", p)
	}
}

// TestBehind: entries of an older sekisho, of another folder, with the desk's own URL.
func TestBehind(t *testing.T) {
	o := options()
	o.URLs = []string{"http://127.0.0.1:7360"}
	for entry, want := range map[string]string{
		`{"command":"/usr/local/bin/sekisho","args":["mcp","--server","fs"]}`:             "fs",
		`{"command":"C:\\x\\Sekisho.exe","args":["mcp","--agent","a","--server=fs.2"]}`:   "fs.2",
		`{"command":"` + program + `","args":["mcp","--server","fs","--agent","cursor"]}`: "fs",
		`{"url":"http://127.0.0.1:7360/mcp/fs"}`:                                          "fs",
		`{"url":"http://127.0.0.1:7360/mcp"}`:                                             "",
		`{"command":"sekisho","args":["demo"]}`:                                           "-",
		`{"command":"other","args":["mcp","--server","fs"]}`:                              "-",
		`{"url":"http://127.0.0.1:73601/mcp/fs"}`:                                         "-",
		`{"url":"http://127.0.0.1:7360/mcpx"}`:                                            "-",
	} {
		p := plan(t, File{Client: Clients()[2], Content: []byte(`{"mcpServers":{"a":` + entry + `}}`)}, o)
		if e := p.Entries[0]; (e.State == Behind) != (want != "-") || want != "-" && (e.ServerID != want || len(p.Moves()) != 0) {
			t.Errorf("%s: %+v", entry, e)
		}
	}
}

// TestSharedServer: the same server in two files is one on the desk.
func TestSharedServer(t *testing.T) {
	o := options()
	o.Desk = "http://127.0.0.1:9"
	text := []byte(`{"mcpServers":{"a":{"command":"x","env":{"K":"1"}},"b":{"command":"x","env":{"K":"1"}}}}`)
	var got []string
	for range 2 {
		p := plan(t, File{Client: Clients()[2], Content: text}, o)
		for _, e := range p.Moves() {
			got = append(got, fmt.Sprint(e.ServerID, e.Fresh))
		}
		if !strings.Contains(string(p.After), `"--desk", "http://127.0.0.1:9"`) {
			t.Errorf("%s", p.After)
		}
	}
	if !slices.Equal(got, []string{"atrue", "btrue", "afalse", "bfalse"}) {
		t.Errorf("%v", got)
	}
}
