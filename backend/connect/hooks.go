package connect

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"sekisho/backend/conftext"
	"sekisho/backend/hookcommand"
)

// hookSet says where a client reads hooks, which ask the desk about the client's own tools.
type hookSet struct {
	door    string                    // as POST /v1/hooks/{client} calls the client
	folders func(Places) []string     // one of them is there: so is the client
	files   func(Places) []hookTarget // that hooks are written into
}

// hookTarget is a file that makes a client ask the desk.
type hookTarget struct {
	path     string
	style    *hookStyle
	skeleton conftext.Object         // what a new file holds beside the hooks
	own      func(o *Options) string // the whole text of a file that is ours alone; nil: hooks in JSON
	needs    string                  // the file whose hooks make it safe, without which it is an open door
}

// hookStyle is how a client writes hooks.
type hookStyle struct {
	events  []string // keys of the table "hooks"
	inner   string   // the field of an item that lists commands; "": an item is one
	item    func(command string) conftext.Object
	command []string // the fields of a command that may hold its text

	failsOpen []string // events of which exit 2 is no refusal: their commands stay as they fail
	windows   string   // the field of the command on Windows, in PowerShell's words; "" is as elsewhere
}

// HookTimeout is how long, in seconds, a client is told to wait for a hook. The desk
// answers before that.
const HookTimeout = 660

// command is one that Claude Code and those who follow it start, with what each adds.
func command(line string, timeout int, more ...conftext.Field) conftext.Object {
	return append(conftext.Object{{Key: "type", Value: "command"}, {Key: "command", Value: line}, {Key: "timeout", Value: timeout}}, more...)
}

// group is an item of those clients: commands for all tools.
func group(one conftext.Object) conftext.Object {
	return conftext.Object{{Key: "matcher", Value: "*"}, {Key: "hooks", Value: conftext.List{one}}}
}

var (
	claudeHooks = hookStyle{events: []string{"PreToolUse", "PermissionRequest"}, inner: "hooks", command: []string{"command"},
		failsOpen: []string{"PermissionRequest"},
		item: func(line string) conftext.Object {
			return group(command(line, HookTimeout, conftext.Field{Key: "onFailure", Value: "block"}))
		}}
	codexHooks = hookStyle{events: []string{"PreToolUse", "PermissionRequest"}, inner: "hooks", command: []string{"command"},
		item: func(line string) conftext.Object { return group(command(line, HookTimeout)) }}
	geminiHooks = hookStyle{events: []string{"BeforeTool"}, inner: "hooks", command: []string{"command"},
		item: func(line string) conftext.Object {
			return group(append(conftext.Object{{Key: "name", Value: "sekisho"}}, command(line, HookTimeout*1000)...))
		}}
	copilotHooks = hookStyle{events: []string{"preToolUse"}, command: []string{"bash", "powershell"}, windows: "powershell",
		item: func(line string) conftext.Object {
			return conftext.Object{{Key: "type", Value: "command"}, {Key: "bash", Value: line}, {Key: "timeoutSec", Value: HookTimeout}}
		}}
	cursorHooks = hookStyle{events: []string{"preToolUse"}, command: []string{"command"},
		item: func(line string) conftext.Object {
			return conftext.Object{{Key: "command", Value: line}, {Key: "timeout", Value: HookTimeout}, {Key: "failClosed", Value: true}}
		}}
	versioned = conftext.Object{{Key: "version", Value: 1}}
)

// geminiPolicy lets Gemini CLI run without a question of its own what its hook lets pass:
// the hook can deny only. A rule of a person's own, of a higher priority, stands before it.
const geminiPolicy = `# Written by sekisho connect. The hook BeforeTool of settings.json asks the desk about
# every tool; without this file Gemini CLI asks again about what the desk allowed.
[[rule]]
toolName = ["run_shell_command", "write_file", "replace", "web_fetch", "activate_skill"]
decision = "allow"
priority = 1
allowRedirection = true

[[rule]]
toolName = "mcp_*"
decision = "allow"
priority = 1
`

// in gives the folder that hooks of a client lie in, and files in it.
func in(folder func(Places) string, name string, style *hookStyle, skeleton conftext.Object) *hookSet {
	return &hookSet{
		folders: func(p Places) []string { return []string{folder(p)} },
		files: func(p Places) []hookTarget {
			return []hookTarget{{path: p.join(folder(p), name), style: style, skeleton: skeleton}}
		},
	}
}

// hooksOf are the hooks of a client, or nil where none are known.
func hooksOf(client string) *hookSet {
	var h *hookSet
	switch client {
	case "claude-code":
		h = in(folderOr("CLAUDE_CONFIG_DIR", ".claude"), "settings.json", &claudeHooks, nil)
		h.door = "claude"
	case "codex":
		h = in(folderOr("CODEX_HOME", ".codex"), "hooks.json", &codexHooks, nil)
		h.door = "codex"
	case "gemini":
		h = in(folderOr("", ".gemini"), "settings.json", &geminiHooks, nil)
		h.door = "gemini"
		settings := h.files
		h.files = func(p Places) []hookTarget {
			all := settings(p)
			return append(all, hookTarget{path: p.join(p.Home, ".gemini/policies/sekisho.toml"), needs: all[0].path,
				own: func(*Options) string { return geminiPolicy }})
		}
	case "copilot":
		home := folderOr("COPILOT_HOME", ".copilot")
		h = in(home, "hooks/sekisho.json", &copilotHooks, versioned)
		h.door = "copilot"
		h.folders = func(p Places) []string { return append([]string{home(p)}, codeFolders(p)...) }
	case "cursor":
		h = in(folderOr("", ".cursor"), "hooks.json", &cursorHooks, versioned)
		h.door = "cursor"
	case "opencode":
		folder := func(p Places) string { return p.join(p.folder("XDG_CONFIG_HOME", ".config"), "opencode") }
		h = in(folder, "plugin/sekisho.js", nil, nil)
		h.door = "opencode"
		plain := h.files
		h.files = func(p Places) []hookTarget {
			all := plain(p)
			all[0].own = func(o *Options) string {
				return strings.Replace(opencodePlugin, "= COMMAND", "= "+conftext.QuoteList(o.words("opencode")), 1)
			}
			return all
		}
	}
	return h
}

// HookDoor is how the desk's hooks call a client; "" for one without.
func HookDoor(client string) string {
	if h := hooksOf(client); h != nil {
		return h.door
	}
	return ""
}

// targets are the files of a client's hooks, when the client is there.
func (h *hookSet) targets(p Places) []hookTarget {
	if h == nil || !slices.ContainsFunc(h.folders(p), p.exists) {
		return nil
	}
	return h.files(p)
}

//go:embed opencode_plugin.js
var opencodePlugin string

// words are the program of a hook and its arguments: the small one beside sekisho, where it
// is there, since it is started for every tool call and starts in half the time. The token's
// file is always named: a project may set the environment of a hook, and with it would choose
// the folder of tokens, and so whom the hook takes for the desk.
func (o *Options) words(door string) []string {
	c := hookcommand.Command{Program: o.Program, Door: door, Agent: o.Agent, Token: o.TokenFile, Desk: o.Desk}
	if small := hookcommand.Small(o.Program); o.Places.exists(small) {
		c.Program = small
	}
	return c.Words()
}

// itemFor is what is written for an event.
func (s *hookStyle) itemFor(o *Options, door, event string) conftext.Object {
	line := hookcommand.Join(o.words(door), o.Places.GOOS)
	if o.Places.GOOS != "windows" && !slices.Contains(s.failsOpen, event) {
		line += hookcommand.Unanswered
	}
	if o.Places.GOOS == "windows" && s.windows != "" {
		item := s.item(hookcommand.PowerShell(line))
		for i := range item {
			if item[i].Key == s.command[0] {
				item[i].Key = s.windows
			}
		}
		return item
	}
	return s.item(line)
}

// ours reports whether a command of a file asks the desk.
func (s *hookStyle) ours(handler any) bool {
	table, _ := handler.(map[string]any)
	return slices.ContainsFunc(s.command, func(field string) bool {
		line, _ := table[field].(string)
		_, is := hookcommand.Read(line)
		return is
	})
}

// whole reports whether each event has exactly our item, and nothing else of ours.
func (s *hookStyle) whole(root map[string]any, o *Options, door string) bool {
	for _, event := range s.events {
		want := conftext.Decoded(s.itemFor(o, door, event))
		list, _ := conftext.At(root, []string{"hooks", event}).([]any)
		found := 0
		for _, it := range list {
			if reflect.DeepEqual(it, want) {
				found++
			} else if s.has(it) {
				return false
			}
		}
		if found != 1 {
			return false
		}
	}
	return true
}

// has reports whether an item of an event's list has a command of ours.
func (s *hookStyle) has(item any) bool {
	if s.inner == "" {
		return s.ours(item)
	}
	table, _ := item.(map[string]any)
	list, _ := table[s.inner].([]any)
	return slices.ContainsFunc(list, s.ours)
}

// without takes our commands out of a file's text.
func (s *hookStyle) without(src string, dialect conftext.Dialect) (string, error) {
	doc, err := conftext.Read(src, dialect)
	if err != nil {
		return "", err
	}
	for _, event := range doc.Keys([]string{"hooks"}) {
		if src, err = conftext.Drop(src, dialect, []string{"hooks", event}, s.inner, s.ours); err != nil {
			return "", err
		}
	}
	return src, nil
}

// with puts our command into a file's text, in the place of what was ours there.
func (s *hookStyle) with(src string, dialect conftext.Dialect, o *Options, door string) (string, error) {
	src, err := s.without(src, dialect)
	if err != nil {
		return "", err
	}
	for _, event := range s.events {
		if src, err = conftext.Append(src, dialect, []string{"hooks", event}, s.itemFor(o, door, event)); err != nil {
			return "", err
		}
	}
	return src, nil
}
