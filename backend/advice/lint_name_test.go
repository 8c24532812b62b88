package advice_test

import (
	"encoding/json"
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/rulestest"
)

// TestLintOfRulesThatABadNameKeepsFromDeciding: what only deny rules decide, an ask or
// allow rule never does.
func TestLintOfRulesThatABadNameKeepsFromDeciding(t *testing.T) {
	const only = ": only a deny rule decides calls with such a name"
	for rule, want := range map[string]string{
		`{"id":"r","effect":"allow","toolName":"read_\u200bfile"}`:                            "the tool name holds an invisible character (U+200B)" + only,
		`{"id":"r","effect":"allow","toolName":" x"}`:                                         "the tool name begins or ends with a blank (U+0020)" + only,
		`{"id":"r","effect":"ask","toolName":"p\u0430y"}`:                                     "the tool name mixes Latin and Cyrillic letters (U+0430)" + only,
		`{"id":"r","effect":"allow","serverId":"f\ns","toolPattern":"read_*"}`:                "the server name holds a control character (U+000A)" + only,
		`{"id":"r","effect":"allow","serverId":"..","toolName":"x"}`:                          "the server name is a step in a path" + only,
		`{"id":"r","effect":"allow","toolPattern":" 12"}`:                                     "the tool name begins or ends with a blank (U+0020)" + only,
		`{"id":"r","effect":"deny","toolName":"read_\u200bfile"}`:                             "",
		`{"id":"r","effect":"deny","serverId":"f\ns"}`:                                        "",
		`{"id":"r","effect":"allow","toolName":"read_file"}`:                                  "",
		`{"id":"r","effect":"allow","toolName":" x","enabled":false}`:                         "",
		`{"id":"r","effect":"allow","toolName":"x","toolPattern":" y"}`:                       "",
		`{"id":"r","effect":"allow","toolName":" x","expiresAt":"2020-01-01T00:00:00Z"}`:      "",
		`{"id":"r","effect":"allow","toolPattern":"a\u202eb*"}`:                               "the tool name holds an invisible character (U+202E)" + only,
		`{"id":"r","effect":"allow","serverId":"fs","toolPattern":"*\u200b*","priority":100}`: "the tool name holds an invisible character (U+200B)" + only,
		`{"id":"r","effect":"ask","toolPattern":"a*b\n*"}`:                                    "the tool name holds a control character (U+000A)" + only,
		`{"id":"r","effect":"ask","toolPattern":"a\u200bb"}`:                                  "the tool name holds an invisible character (U+200B)" + only,
		`{"id":"r","effect":"allow","toolPattern":"*\u2603"}`:                                 "the tool name holds a character that is not for names (U+2603)" + only,
		`{"id":"r","effect":"allow","toolPattern":" read*"}`:                                  "the tool name begins or ends with a blank (U+0020)" + only,
		`{"id":"r","effect":"allow","toolPattern":"read* "}`:                                  "the tool name begins or ends with a blank (U+0020)" + only,
		`{"id":"r","effect":"allow","toolPattern":"p\u0430y_*"}`:                              "the tool name mixes Latin and Cyrillic letters (U+0430)" + only,
		`{"id":"r","effect":"allow","toolPattern":"\u0430*b*"}`:                               "the tool name mixes Latin and Cyrillic letters (U+0430)" + only,
		`{"id":"r","effect":"deny","toolPattern":"a\u202eb*"}`:                                "",
		`{"id":"r","effect":"allow","toolPattern":"* read *"}`:                                "",
		// MICRO SIGN is not for names, and matches a letter that is
		`{"id":"r","effect":"allow","toolPattern":"\u00b5*"}`:                   "",
		`{"id":"r","effect":"allow","toolPattern":"\u8aad*\u307fread"}`:         "", // Japanese, with Latin
		`{"id":"r","effect":"allow","toolPattern":"\u1e9b\u8aad*"}`:             "", // the same, of a letter as MICRO SIGN is one
		`{"id":"r","effect":"allow","toolPattern":"\u0430*1"}`:                  "",
		`{"id":"r","effect":"allow","toolPattern":"a\u202eb*","enabled":false}`: "",
		`{"id":"r","effect":"allow","toolName":"x","toolPattern":"a\u202eb*"}`:  "",
	} {
		got := ""
		for _, f := range advice.Lint(rulestest.Read(t, json.RawMessage(rule), json.RawMessage(`{"id":"top","effect":"deny","priority":9}`)),
			rulestest.Now) {
			if f.RuleID == "r" && f.Kind == permission.FindingUnreachable && f.By == nil {
				got = f.Message
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
