package history

import (
	"context"
	"strings"

	"sekisho/backend/permission"
)

// opencodeLists reads the settings of opencode, and gives the names of its MCP servers.
func (r *reader) opencodeLists(context.Context) []string {
	t := r.tree(Opencode, r.places.Settings)
	if t == nil {
		return nil
	}
	defer t.close()
	servers := t.opencodeSettings("opencode.json")
	return append(servers, t.opencodeSettings("opencode.jsonc")...)
}

// opencodeSettings reads a file of settings: a word for each tool, or a word for each
// pattern of lines or paths of a tool.
func (t *tree) opencodeSettings(name string) (servers []string) {
	root := t.settings(name)
	servers = keys(root["mcp"])
	if word := first(root["permission"]); word != "" {
		t.opencodeEntry(name, "*", "*", word, servers)
	}
	lists, _ := root["permission"].(map[string]any)
	for _, tool := range keys(lists) {
		if word := first(lists[tool]); word != "" {
			t.opencodeEntry(name, tool, "*", word, servers)
		}
		patterns, _ := lists[tool].(map[string]any)
		for _, pattern := range keys(patterns) {
			t.opencodeEntry(name, tool, pattern, first(patterns[pattern]), servers)
		}
	}
	return servers
}

func (t *tree) opencodeEntry(file, tool, pattern, word string, servers []string) {
	effect := permission.Effect(word)
	if effect != permission.Allow && effect != permission.Ask && effect != permission.Deny {
		t.unread(BadLine, t.name(file))
		return
	}
	said, a := tool, About{Tool: tool}
	for _, own := range servers {
		if rest, found := strings.CutPrefix(tool, own+"_"); found && rest != "" {
			a.Server, a.Tool = &own, rest
		}
	}
	if pattern != "*" {
		said = tool + ": " + pattern
		switch tool {
		case "bash":
			a.Key = "command"
			a.Line, a.Match = wordsOrGlob(pattern)
		default:
			a.Path = pattern
		}
	}
	t.list(file, effect, said, a)
}
