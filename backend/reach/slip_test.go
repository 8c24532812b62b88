package reach_test

import (
	"encoding/json"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/reach"
)

// params are those of a finding of Slips.
type params struct{ Part, Slip, Effect, Outcome, Safe string }

// TestSlips holds what slips by, and what to write instead. The rules are in the order of
// judgement; the finding is about the first.
func TestSlips(t *testing.T) {
	for name, c := range map[string]struct{ rules, slip, safe string }{
		"deny a program by its first letters": {"deny 20 any any input.command.startsWith(\"rm\")\nallow 10 any any",
			"/bin/rm", `"rm" in shell(input.command).names`},
		"ask about a word of a line": {"ask 20 any any input.command.contains(\"git push\")\nallow 10 any any",
			"git -C . push", `"git push" in shell(input.command).names`},
		"a word alone": {"ask 20 any any input.command.contains(\"push\")\nallow 10 any any", "", ""},
		"deny by a regular expression": {"deny 20 any any input.command.matches(\"^rm \")\nallow 10 any any",
			"/bin/rm", `"rm" in shell(input.command).names`},
		"allow a program by its first letters": {`allow 20 any any input.command.startsWith("ls")`,
			"lsx", `shell(input.command).names.all(n, n in ["ls"])`},
		"allow a verb by its first letters": {`allow 20 any any input.command.startsWith("git status")`,
			"git statusx", `shell(input.command).names.all(n, n in ["git status"])`},
		"allow below a folder": {`allow 20 any any input.path.startsWith("/home/me/app")`,
			"/home/me/app-secret/example", `under(input.path, "/home/me/app")`},
		"allow below a folder with its slash": {`allow 20 any any input.path.startsWith("/home/me/app/") && input.force`,
			"/home/me/app/../example", `under(input.path, "/home/me/app") && input.force`},
		"deny a folder": {"deny 20 any any input.path.startsWith(\"/etc\")\nallow 10 any any",
			"/./etc/example", `under(input.path, "/etc")`},
		"deny all but a folder": {"deny 20 any any !input.path.startsWith(\"/home/me/app\")\nallow 10 any any",
			"/home/me/app-secret/example", `!under(input.path, "/home/me/app")`},
		"allow a host": {`allow 20 any any input.url.startsWith("https://api.example.com")`,
			"https://api.example.com.evil.net/", `input.url.matches("(?i)^https://api\\.example\\.com(:[0-9]+)?([/?#].*)?$")`},
		"deny a host": {"deny 20 any any input.url.startsWith(\"https://evil.net\")\nallow 10 any any",
			"HTTPS://evil.net/", `input.url.matches("(?i)^https://evil\\.net(:[0-9]+)?([/?#].*)?$")`},
		"an expression without ends": {`allow 20 any any input.path.matches("/srv/data/[a-z]+")`,
			"/srv/data/a-secret/example", `input.path.matches("^(?:/srv/data/[a-z]+)$")`},
		"a deny rule that an ask rule stands for": {"ask 20 any any input.command.startsWith(\"rm\")", "", ""},
		"an expression with its ends":             {`allow 20 any any input.path.matches("^/srv/[a-z]+$")`, "", ""},
		"a host with its slash":                   {`allow 20 any any input.url.startsWith("https://api.example.com/")`, "", ""},
		"a folder that nothing leaves":            {`allow 20 any any input.path.startsWith("/tmp/notes/") && !input.path.contains("..")`, "", ""},
		"a whole word":                            {`allow 20 any any input.command.startsWith("git status ")`, "", ""},
		"the safe forms":                          {`allow 20 any any shell(input.command).names.all(n, n in ["ls"]) && under(input.path, "/a")`, "", ""},
		"a text that is none of these":            {`allow 20 any any input.title.startsWith("Draft")`, "", ""},
		"a guard after it":                        {"allow 10 any any input.path.startsWith(\"/home/me/app\")\ndeny 20 any any !under(input.path, \"/home/me/app\")", "", ""},
	} {
		rules := ruled(t, c.rules)
		set := policy.Compile(rules, 1)
		findings := reach.Slips(set, judged, now)
		if c.slip == "" {
			if len(findings) > 0 {
				t.Errorf("%s: %s", name, findings[0].Message)
			}
			continue
		}
		if len(findings) != 1 {
			t.Errorf("%s: %v", name, findings)
			continue
		}
		var p params
		if err := json.Unmarshal([]byte(findings[0].Params), &p); err != nil {
			t.Fatal(err)
		}
		if p.Slip != c.slip || p.Safe != c.safe || p.Effect != string(rules[0].Effect) || p.Part == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// goodConditions take texts as a whole, or by what they mean. None is to be named.
var goodConditions = []string{
	`shell(input.command).names.all(n, n in ["git status", "git log", "git diff"])`,
	`"git push" in shell(input.command).names`, `"rm" in shell(input.command).names || "rmdir" in shell(input.command).names`,
	`shell(input.command).parts.all(p, p.program == "git" && !("--force" in p.options))`,
	`shell(input.command).parts.exists(p, p.program == "sudo")`, `shell(input.command).writes.all(f, under(f, "/home/me/app"))`,
	`shell(input.command).names.all(n, n.startsWith("git "))`, `shell(input.command).names.exists(n, n.startsWith("git "))`,
	`input.command == "git status"`, `input.command in ["make test", "make lint"]`, `input.command == "npm" && input.args == ["test"]`,
	`under(input.path, "/home/me/app")`, `under(input.path, cwd)`, `input.path == "/etc/hosts"`, `!under(input.path, "/home/me")`,
	`under(input.path, "/home/me/app") && !input.path.endsWith(".env")`,
	`input.path.endsWith(".md")`, `input.path.matches("^/srv/data/[a-z0-9]+\\.csv$")`, `input.path.contains("..")`,
	`input.url == "https://api.example.com/v1/items"`,
	`input.url.matches("^https://api\\.example\\.com/v[12]/[a-z]+$")`, `input.title.startsWith("Draft: ")`,
	`input.message.contains("urgent")`, `input.to.endsWith("@example.com")`, `input.query.startsWith("SELECT ")`, `input.branch.startsWith("feature/")`,
	`risk == "high"`, `risk != "high" && agent.name == "claude"`, `input.amount <= 100`, `size(input.recipients) <= 5`, `has(input.force) && input.force`,
	`envelope._meta.purpose == "test"`, `toolName.startsWith("read_")`, `sessionId.startsWith("ci-")`, `cwd == "/home/me/app"`,
}

// TestSlipsOfGoodRules: of conditions that say what they mean none is named, in a rule of any
// effect.
func TestSlipsOfGoodRules(t *testing.T) {
	for _, condition := range goodConditions {
		for _, effect := range permission.Effects {
			rules := ruled(t, string(effect)+" 20 any any "+condition+"\nallow 10 any any")
			for _, f := range reach.Slips(policy.Compile(rules, 1), judged, now) {
				t.Errorf("%s %s: %s", effect, condition, f.Message)
			}
		}
	}
}
