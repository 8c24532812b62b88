package history

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// claudeLists reads the user's own lists of Claude Code.
func (t *tree) claudeLists() {
	t.claudeSettings("settings.json")
	t.claudeSettings("settings.local.json")
	t.claudeState(".claude.json")
	if filepath.Dir(t.folder) != t.places.Home {
		return
	}
	if home := t.reader.tree(Claude, t.places.Home); home != nil {
		home.claudeState(".claude.json")
		home.close()
	}
}

// claudeState reads the file beside the folder, where older versions kept what a person
// allowed in each project.
func (t *tree) claudeState(name string) {
	raw := t.whole(name)
	if raw == nil {
		return
	}
	var state struct {
		Projects map[string]struct {
			AllowedTools []string `json:"allowedTools"`
		} `json:"projects"`
	}
	if json.Unmarshal(raw, &state) != nil {
		t.unread(BadFile, t.name(name))
		return
	}
	folders := make([]string, 0, len(state.Projects))
	for folder := range state.Projects {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		t.project(folder)
		for _, said := range state.Projects[folder].AllowedTools {
			t.list(name, permission.Allow, said, claudeAbout(said))
		}
	}
}

func (t *tree) claudeSettings(name string) {
	root := t.settings(name)
	lists, _ := root["permissions"].(map[string]any)
	for _, effect := range []permission.Effect{permission.Allow, permission.Ask, permission.Deny} {
		for _, said := range texts(lists[string(effect)]) {
			t.list(name, effect, said, claudeAbout(said))
		}
	}
	for _, mode := range texts(lists["defaultMode"]) {
		if mode == "bypassPermissions" || mode == "acceptEdits" || mode == "auto" {
			t.list(name, permission.Allow, "defaultMode: "+mode, About{})
		}
	}
}

// claudeAbout reads an entry: a tool, or a tool and what of it in brackets.
func claudeAbout(said string) About {
	tool, rest, some := strings.Cut(said, "(")
	a := About{Tool: strings.TrimSpace(tool)}
	if server, name, is := mcp(a.Tool, "mcp__", "__"); is {
		a.Server, a.Tool = server, name
	} else if own, is := strings.CutPrefix(a.Tool, "mcp__"); is {
		a.Server, a.Tool = &own, "*"
	}
	rest, closed := strings.CutSuffix(rest, ")")
	if !some || !closed || rest == "" || rest == "*" || rest == ":*" {
		return a
	}
	switch {
	case a.Tool == "Bash" || a.Tool == "PowerShell":
		a.Key = "command"
		a.Line, a.Match = wordsOrGlob(rest)
	case strings.HasPrefix(rest, "domain:"):
		a.Host = strings.TrimPrefix(rest, "domain:")
	default:
		a.Path = rest
	}
	return a
}

// wordsOrGlob reads a line of a list: git push:*, git push * or the line itself.
func wordsOrGlob(said string) (string, Match) {
	if line, is := strings.CutSuffix(said, ":*"); is {
		return line, Prefix
	}
	if line, is := strings.CutSuffix(said, " *"); is && !strings.Contains(line, "*") {
		return line, Prefix
	}
	if strings.Contains(said, "*") {
		return said, Glob
	}
	return said, Exact
}
