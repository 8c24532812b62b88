package connect

import (
	"slices"
	"strings"

	"sekisho/backend/conftext"
)

// Client is an agents' application that keeps a list of tool servers in files.
type Client struct {
	ID   string // names it on the command line and is its agent's name
	Name string // as people know it

	text     conftext.Dialect
	sections [][]string // paths of the tables of servers; "*" is any key
	nested   []string   // a table of servers in the place of those, if it is there and no server itself
	dialect  dialect
	user     func(Places) []string // files of this user
	project  []string              // files in a project's folder, with slashes
}

// Hooks reports whether the client can be made to ask about its own tools.
func (c *Client) Hooks() bool { return hooksOf(c.ID) != nil }

// Own are the files of the client's servers of this user, and the folders of its hooks, also where
// they are not there.
func (c *Client) Own(p Places) (files, folders []string) {
	if h := hooksOf(c.ID); h != nil {
		folders = h.folders(p)
	}
	return c.user(p), folders
}

// dialect is how a client writes a tool server.
type dialect struct {
	environment   string   // the field of the environment
	commandList   bool     // command holds the arguments too
	local, remote string   // what "type" says of a program and of a URL, where it must
	urls          []string // the fields that may hold a URL
	eventURL      string   // the one that means SSE, the older transport, unless "type" says http
	headers       []string // the fields of HTTP headers
	programOnly   []string // further fields of a program, which go with it
	urlOnly       []string // further fields of a URL, which go with it, as those of signIn do
	vars          variables
	startLimit    string // the field of how long the client waits for a server to start, in seconds
	limit         limit
}

// limit is a client's own limit on a call, which ends it in spite of signs of life.
type limit struct {
	field  string // "" where there is none
	second int    // as the field counts
	bare   bool   // an entry that does not say it has one that is shorter than what the desk waits
}

// url gives the field that holds a URL, or "".
func (d dialect) url(value map[string]any) string {
	for _, field := range d.urls {
		if _, ok := value[field].(string); ok {
			return field
		}
	}
	return ""
}

// variables is how a client writes what it fills in when it starts a server. The desk
// fills in nothing, so it is done when the entry moves.
type variables int

const (
	noVariables     variables = iota
	shellVariables            // ${NAME}, ${NAME:-default}
	dollarVariables           // those, and $NAME
	editorVariables           // ${env:NAME}, ${userHome}, ${workspaceFolder}
	braceVariables            // {env:NAME}
)

// Clients gives the clients that are known, in the order in which they are shown.
func Clients() []Client {
	standard := dialect{environment: "env", urls: []string{"url"}, headers: []string{"headers"}}
	both := conftext.Dialect{Comments: true, TrailingCommas: true}
	servers := [][]string{{"mcpServers"}}

	claude, editor, codex, copilot, gemini := standard, standard, standard, standard, standard
	claude.vars, claude.local = shellVariables, "stdio"
	editor.vars, editor.local = editorVariables, "stdio"
	codex.headers, codex.programOnly = []string{"http_headers", "env_http_headers"}, []string{"env_vars"}
	codex.urlOnly, codex.startLimit = []string{"bearer_token_env_var"}, "startup_timeout_sec"
	codex.limit = limit{"tool_timeout_sec", 1, true}                                         // 300 s by itself
	gemini.limit, claude.limit = limit{"timeout", 1000, true}, limit{"timeout", 1000, false} // Gemini: 600 s by itself
	copilot.vars, copilot.local = dollarVariables, "local"
	gemini.vars, gemini.urls, gemini.eventURL = dollarVariables, []string{"httpUrl", "url"}, "url"
	opencode := dialect{environment: "environment", commandList: true, local: "local", remote: "remote", urls: []string{"url"},
		headers: []string{"headers"}, vars: braceVariables}

	return []Client{
		{ID: "claude-desktop", Name: "Claude Desktop", sections: servers, dialect: standard, user: claudeFiles},
		{ID: "claude-code", Name: "Claude Code", sections: [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}}, dialect: claude,
			user: inFolder(".claude.json", claudeHome), project: []string{".mcp.json"}},
		{ID: "cursor", Name: "Cursor", text: both, sections: servers, dialect: editor,
			user: inFolder(".cursor/mcp.json", home), project: []string{".cursor/mcp.json"}},
		{ID: "vscode", Name: "VS Code", text: both, sections: [][]string{{"servers"}}, dialect: editor,
			user: codeFiles, project: []string{".vscode/mcp.json"}},
		{ID: "codex", Name: "Codex", text: conftext.Dialect{TOML: true}, sections: [][]string{{"mcp_servers"}}, dialect: codex,
			user: inFolder("config.toml", folderOr("CODEX_HOME", ".codex")), project: []string{".codex/config.toml"}},
		{ID: "gemini", Name: "Gemini CLI", text: conftext.Dialect{Comments: true}, sections: servers, dialect: gemini,
			user: inFolder(".gemini/settings.json", home), project: []string{".gemini/settings.json"}},
		{ID: "copilot", Name: "GitHub Copilot", sections: servers, dialect: copilot,
			user: inFolder("mcp-config.json", folderOr("COPILOT_HOME", ".copilot"))},
		{ID: "opencode", Name: "opencode", text: both, sections: [][]string{{"mcp"}}, nested: []string{"mcp", "servers"}, dialect: opencode,
			user: opencodeFiles, project: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"}},
		{ID: "zed", Name: "Zed", text: both, sections: [][]string{{"context_servers"}}, dialect: standard,
			user: zedFiles, project: []string{".zed/settings.json"}},
	}
}

// ClientByID finds a client.
func ClientByID(id string) (Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Places says where clients' files may lie. All of it comes from outside, so that
// each platform's places can be told on any.
type Places struct {
	GOOS string                   // as runtime.GOOS
	Home string                   // the user's home folder
	Env  func(name string) string // nil has no variables
	Cwd  string                   // the project's folder; "" looks at no project

	Environ func() []string // all of the user's variables, as os.Environ; asked only where an entry may need them

	// Glob gives the files of a pattern, as filepath.Glob does; nil finds none.
	Glob func(pattern string) []string
}

func (p Places) env(name string) string {
	if p.Env == nil {
		return ""
	}
	return p.Env(name)
}

func (p Places) glob(pattern string) []string {
	if p.Glob == nil {
		return nil
	}
	return p.Glob(pattern)
}

// absolute reports whether a path is, on the platform of the places.
func (p Places) absolute(path string) bool {
	if p.GOOS == "windows" {
		return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') || strings.HasPrefix(path, `\\`)
	}
	return strings.HasPrefix(path, "/")
}

// join puts a path with slashes under a folder, as the platform writes it.
func (p Places) join(folder, path string) string {
	if p.GOOS == "windows" {
		return strings.TrimRight(folder, `\/`) + `\` + strings.ReplaceAll(path, "/", `\`)
	}
	return strings.TrimRight(folder, "/") + "/" + path
}

// folder is where a variable says, if it is an absolute path, else under home.
func (p Places) folder(variable, below string) string {
	if dir := p.env(variable); p.absolute(dir) {
		return dir
	}
	return p.join(p.Home, below)
}

// moved reports whether a variable puts a folder elsewhere than a program looks that is
// started without it: clients hand few variables on.
func (p Places) moved(variable, below string) bool {
	dir := p.env(variable)
	usual := p.GOOS != "windows" && p.GOOS != "darwin" && strings.TrimRight(dir, "/") == p.join(p.Home, below)
	return p.absolute(dir) && !usual
}

func home(p Places) string { return p.Home }

// folderOr is the folder of a variable, or one under home.
func folderOr(variable, below string) func(Places) string {
	return func(p Places) string { return p.folder(variable, below) }
}

func claudeHome(p Places) string {
	if dir := p.env("CLAUDE_CONFIG_DIR"); p.absolute(dir) {
		return dir
	}
	return p.Home
}

// appData is the folder of desktop applications' settings.
func appData(p Places) string {
	switch p.GOOS {
	case "windows":
		return p.folder("APPDATA", "AppData/Roaming")
	case "darwin":
		return p.join(p.Home, "Library/Application Support")
	}
	return p.folder("XDG_CONFIG_HOME", ".config")
}

func inFolder(path string, folder func(Places) string) func(Places) []string {
	return func(p Places) []string { return []string{p.join(folder(p), path)} }
}

// claudeFiles are Claude Desktop's. A Windows package has its own folder for what the
// program believes to be in the usual one, and the usual one may hold an older file.
func claudeFiles(p Places) []string {
	const name = "Claude/claude_desktop_config.json"
	all := []string{p.join(appData(p), name)}
	if p.GOOS == "windows" {
		all = append(all, p.glob(p.join(p.folder("LOCALAPPDATA", "AppData/Local"), "Packages/Claude_*/LocalCache/Roaming/"+name))...)
	}
	return all
}

// codeFolders are the users' folders of VS Code's editions.
func codeFolders(p Places) (all []string) {
	for _, edition := range []string{"Code", "Code - Insiders", "VSCodium"} {
		all = append(all, p.join(appData(p), edition+"/User"))
	}
	return all
}

// codeFiles are those of VS Code's editions, and of their profiles.
func codeFiles(p Places) []string {
	var all []string
	for _, user := range codeFolders(p) {
		all = append(append(all, p.join(user, "mcp.json")), p.glob(p.join(user, "profiles/*/mcp.json"))...)
	}
	return all
}

// opencodeFiles follow the XDG folders on every platform.
func opencodeFiles(p Places) []string {
	folder := p.folder("XDG_CONFIG_HOME", ".config")
	all := []string{p.join(folder, "opencode/opencode.json"), p.join(folder, "opencode/opencode.jsonc")}
	if file := p.env("OPENCODE_CONFIG"); p.absolute(file) {
		all = append(all, file)
	}
	return all
}

func zedFiles(p Places) []string {
	switch p.GOOS {
	case "windows":
		return []string{p.join(appData(p), "Zed/settings.json")}
	case "darwin":
		return []string{p.join(p.Home, ".config/zed/settings.json")}
	}
	return []string{p.join(p.folder("XDG_CONFIG_HOME", ".config"), "zed/settings.json")}
}
