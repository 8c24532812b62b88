package history

import (
	"context"
	"strings"

	"sekisho/backend/permission"
)

// geminiLists reads the settings and the policies of Gemini CLI, and gives the names of
// its MCP servers.
func (t *tree) geminiLists(ctx context.Context) []string {
	servers := t.geminiSettings("settings.json")
	t.files(ctx, "policies", ending(".toml"), func(name string) {
		rules, _ := t.settings(name)["rule"].([]any)
		for _, r := range rules {
			rule, _ := r.(map[string]any)
			t.geminiRule(name, rule)
		}
	})
	return servers
}

// geminiSettings reads a file of settings. Newer versions have the lists in tools, older
// ones at the top.
func (t *tree) geminiSettings(name string) (servers []string) {
	root := t.settings(name)
	tools, _ := root["tools"].(map[string]any)
	servers = keys(root["mcpServers"])
	for _, of := range []struct {
		effect permission.Effect
		key    string
		list   any
	}{
		{permission.Allow, "tools.allowed", tools["allowed"]}, {permission.Allow, "allowedTools", root["allowedTools"]},
		{permission.Allow, "tools.core", tools["core"]}, {permission.Allow, "coreTools", root["coreTools"]},
		{permission.Deny, "tools.exclude", tools["exclude"]}, {permission.Deny, "excludeTools", root["excludeTools"]},
	} {
		for _, said := range texts(of.list) {
			t.list(name, of.effect, of.key+": "+said, geminiAbout(said, servers))
		}
	}
	all, _ := root["mcpServers"].(map[string]any)
	for _, server := range servers {
		if one, _ := all[server].(map[string]any); one["trust"] == true {
			t.list(name, permission.Allow, "mcpServers."+server+".trust", About{Server: &server, Tool: "*"})
		}
	}
	return servers
}

// geminiAbout reads an entry: run_shell_command(git).
func geminiAbout(said string, servers []string) About {
	name, rest, some := strings.Cut(said, "(")
	if name == "ShellTool" {
		name = "run_shell_command"
	}
	server, tool := geminiTool(name, "", servers)
	a := About{Server: server, Tool: tool}
	if line, closed := strings.CutSuffix(rest, ")"); some && closed && line != "" && line != "*" && tool == "run_shell_command" {
		a.Key, a.Line, a.Match = "command", strings.TrimSuffix(line, ":*"), Prefix
	}
	return a
}

var geminiDecisions = map[string]permission.Effect{"allow": permission.Allow, "ask_user": permission.Ask, "deny": permission.Deny}

// geminiRule reads a rule of a policy.
func (t *tree) geminiRule(file string, rule map[string]any) {
	effect, known := geminiDecisions[first(rule["decision"])]
	names := texts(rule["toolName"])
	if own := first(rule["mcpName"]); own != "" && len(names) == 0 {
		names = []string{"*"}
	}
	if !known || len(names) == 0 || rule["commandRegex"] != nil || rule["argsPattern"] != nil {
		t.unread(BadLine, t.name(file))
		return
	}
	for _, name := range names {
		a := geminiAbout(name, nil)
		if own := first(rule["mcpName"]); own != "" {
			a = About{Server: &own, Tool: name}
		}
		prefixes := texts(rule["commandPrefix"])
		if len(prefixes) == 0 {
			t.list(file, effect, name, a)
		}
		for _, line := range prefixes {
			a.Key, a.Line, a.Match = "command", line, Prefix
			t.list(file, effect, name+"("+line+")", a)
		}
	}
}

// first is the first string of a list, or "".
func first(v any) string {
	if list := texts(v); len(list) > 0 {
		return list[0]
	}
	return ""
}
