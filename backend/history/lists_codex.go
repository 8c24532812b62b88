package history

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"sekisho/backend/permission"
)

// prefixRule is the form in which Codex keeps what a person allowed for good.
var prefixRule = regexp.MustCompile(`(?s)prefix_rule\(\s*pattern\s*=\s*(\[[^\]]*\])\s*,\s*decision\s*=\s*"(\w+)"`)

// codexLists reads the settings and the rules of Codex. A rule whose pattern has lists in
// it is passed over, and counted.
func (t *tree) codexLists(ctx context.Context) {
	root := t.settings("config.toml")
	for _, policy := range texts(root["approval_policy"]) {
		if policy == "never" {
			t.list("config.toml", permission.Allow, "approval_policy = "+policy, About{})
		}
	}
	for _, mode := range texts(root["sandbox_mode"]) {
		if mode == "danger-full-access" {
			t.list("config.toml", permission.Allow, "sandbox_mode = "+mode, About{})
		}
	}
	t.files(ctx, "rules", ending(".rules"), func(name string) {
		raw := string(t.whole(name))
		found := prefixRule.FindAllStringSubmatch(raw, -1)
		for _, m := range found {
			t.codexRule(name, m[1], m[2])
		}
		for range max(0, strings.Count(raw, "prefix_rule(")-len(found)) {
			t.unread(BadLine, t.name(name))
		}
	})
}

func (t *tree) codexRule(file, pattern, decision string) {
	effect, known := map[string]permission.Effect{"allow": permission.Allow, "prompt": permission.Ask, "forbidden": permission.Deny}[decision]
	var words []string
	if json.Unmarshal([]byte(strings.Replace(pattern, ",]", "]", 1)), &words) != nil || len(words) == 0 || !known {
		t.unread(BadLine, t.name(file))
		return
	}
	t.list(file, effect, "prefix_rule("+pattern+")",
		About{Tool: "exec_command", Key: "cmd", Line: strings.Join(words, " "), Match: Prefix})
}
