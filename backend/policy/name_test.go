package policy_test

import (
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// allowAll allows every call with a good name.
func allowAll() *policy.Set {
	return policy.Compile([]permission.Rule{{ID: "all", Effect: permission.Allow, AutoApprove: true, Enabled: true}}, 0)
}

var goodNames = []string{
	"read_file", "a", "...", ".a", "A.b/c:d-e", "git status", "x~!@#$%^&*(){}[]|\\\"'<>?,;`=+", "123", strings.Repeat("x", 256),
	"lire_été", "größe", "naïve_e\u0301", "Ελληνικά", "прочитать_файл", "дел1", "ملف_٣", "קרא-קובץ", "อ่านไฟล์", "पढ़ो_१", "읽기", "文件", "檔案ㄅ",
	"ファイルを読む", "データ", "日々", "read_ファイルを読む", "read_文件", "read_파일", "漢字한글_read", "read檔案ㄅ", "l·l", "አንብብ", "წაკითხვა",
}

func TestGoodNames(t *testing.T) {
	s := allowAll()
	for _, name := range goodNames {
		for _, c := range []policy.Call{{ToolName: name}, {ServerID: &name, ToolName: "x"}} {
			if d := s.Decide(c, rulestest.Now); d.Effect != permission.Allow || d.NameIssue != "" {
				t.Errorf("%q: %s: %s", name, d.Effect, d.NameIssue)
			}
		}
	}
}

var badNames = map[string]string{
	"":                       "is empty",
	".":                      "is a step in a path",
	"..":                     "is a step in a path",
	strings.Repeat("x", 257): "is longer than 256 bytes",
	strings.Repeat("é", 129): "is longer than 256 bytes",
	"a\xff":                  "is not valid UTF-8",
	"a\xed\xa0\x80":          "is not valid UTF-8",

	" a": "begins or ends with a blank (U+0020)", "a ": "begins or ends with a blank (U+0020)",
	" ": "begins or ends with a blank (U+0020)", "a\t": "begins or ends with a blank (U+0009)",
	"\u00a0a": "begins or ends with a blank (U+00A0)", "a\u3000": "begins or ends with a blank (U+3000)",
	"a\u2028": "begins or ends with a blank (U+2028)", "\u0085a": "begins or ends with a blank (U+0085)",

	"a\x00b": "holds a control character (U+0000)", "a\x7fb": "holds a control character (U+007F)",
	"delete_\nall": "holds a control character (U+000A)", "a\u0085b": "holds a control character (U+0085)",
	"a\u2028b": "holds a control character (U+2028)", "a\u2029b": "holds a control character (U+2029)",

	"a\u200bb": "holds an invisible character (U+200B)", "a\u202eb": "holds an invisible character (U+202E)",
	"a\u2066b": "holds an invisible character (U+2066)", "\ufeffa": "holds an invisible character (U+FEFF)",
	"a\u00adb": "holds an invisible character (U+00AD)", "ക്\u200dx": "holds an invisible character (U+200D)",
	"a\ufe0f": "holds an invisible character (U+FE0F)", "a\u115f": "holds an invisible character (U+115F)",
	"a\u3164": "holds an invisible character (U+3164)", "a\uffa0": "holds an invisible character (U+FFA0)",
	"a\u180b": "holds an invisible character (U+180B)", "a\u034fb": "holds an invisible character (U+034F)",
	"a\u17b4": "holds an invisible character (U+17B4)", "a\U000e0041": "holds an invisible character (U+E0041)",
	"a\U000e0100": "holds an invisible character (U+E0100)", "a\u2065": "holds an invisible character (U+2065)",

	"a\u00a0b": "holds a character that is not for names (U+00A0)", "a\u2800b": "holds a character that is not for names (U+2800)",
	"\uff52ead": "holds a character that is not for names (U+FF52)", "read\uff3fx": "holds a character that is not for names (U+FF3F)",
	"\u212aelvin": "holds a character that is not for names (U+212A)", "ta\u017fk": "holds a character that is not for names (U+017F)",
	"\ufb01le": "holds a character that is not for names (U+FB01)", "\u210cello": "holds a character that is not for names (U+210C)",
	"\U0001d42bead": "holds a character that is not for names (U+1D42B)", "a\u2044b": "holds a character that is not for names (U+2044)",
	"a\u2010b": "holds a character that is not for names (U+2010)", "😀": "holds a character that is not for names (U+1F600)",
	"a\ue000": "holds a character that is not for names (U+E000)", "a\u0378": "holds a character that is not for names (U+0378)",
	"a\uffff": "holds a character that is not for names (U+FFFF)", "a\ufffd": "holds a character that is not for names (U+FFFD)",
	"a\u01c3": "holds a character that is not for names (U+01C3)", "\u13a0": "holds a character that is not for names (U+13A0)",
	"\U00010428": "holds a character that is not for names (U+10428)", "a\u0131b\u2160": "holds a character that is not for names (U+2160)",

	"r\u0435ad_file": "mixes Latin and Cyrillic letters (U+0435)", "\u0435xec": "mixes Latin and Cyrillic letters (U+0435)",
	"dele\u03c4e": "mixes Latin and Greek letters (U+03C4)", "а\u03bf": "mixes Cyrillic and Greek letters (U+03BF)",
	"read\u0585": "mixes Latin and Armenian letters (U+0585)", "файл文件": "mixes Cyrillic and Han letters (U+6587)",
	"かな한글": "mixes Hiragana and Hangul letters (U+D55C)", "ㄅかx": "mixes Bopomofo and Hiragana letters (U+304B)",
	"read文件\u0430": "mixes Latin and Cyrillic letters (U+0430)", "a\u064b": "mixes Latin and Arabic letters (U+064B)",
	"é\u0660": "mixes Latin and Arabic letters (U+0660)", "x\u0e50": "mixes Latin and Thai letters (U+0E50)",
}

// characterOf is the param of the character that an issue is about.
func characterOf(issue string) string {
	_, at, found := strings.Cut(issue, "(U+")
	if !found {
		return ""
	}
	return `"character":"U+` + strings.TrimSuffix(at, ")") + `"`
}

func TestBadNames(t *testing.T) {
	s := allowAll()
	for name, want := range badNames {
		d := s.Decide(policy.Call{ServerID: &name, ToolName: name}, rulestest.Now)
		if d.Effect != permission.Ask || d.Rule != nil || d.Reason != "the tool name "+want || d.NameIssue != d.Reason ||
			!strings.HasPrefix(string(d.Code), "name_") || !strings.HasPrefix(string(d.Params), `{"name":"tool"`) ||
			!strings.Contains(string(d.Params), characterOf(want)) || !d.Alone || !slices.Equal(d.Asked, []string{"default"}) {
			t.Errorf("tool %q: %+v", name, d)
		}
		d = s.Decide(policy.Call{ServerID: &name, ToolName: "x"}, rulestest.Now)
		if d.Effect != permission.Ask || d.Rule != nil || d.Reason != "the server name "+want {
			t.Errorf("server %q: %+v", name, d)
		}
	}
}

// TestDenyRulesDenyBadNames: the first deny rule decides, past rules that would ask or
// allow, and no other rule does.
func TestDenyRulesDenyBadNames(t *testing.T) {
	s := rulestest.Set(t, `[
		{"id":"allow","priority":9,"effect":"allow"}, {"id":"ask","priority":8,"effect":"ask"},
		{"id":"off","priority":7,"effect":"deny","enabled":false}, {"id":"other","priority":6,"effect":"deny","toolPattern":"write_*"},
		{"id":"first","priority":5,"effect":"deny","toolPattern":"delete_*","note":"not here"}, {"id":"second","priority":4,"effect":"deny"}]`)
	for name, rule := range map[string]permission.RuleID{"delete_\u200ball": "first", "delete_\nall": "second", "": "second",
		"a\xff": "second"} {
		d, steps := s.Trace(policy.Call{ToolName: name}, rulestest.Now)
		if d.Effect != permission.Deny || d.Rule == nil || d.Rule.ID != rule || d.NameIssue == "" {
			t.Errorf("%q: %+v", name, d)
		}
		if rule == "first" && d.Reason != "not here" {
			t.Errorf("%q: reason %q", name, d.Reason)
		}
		if steps[0].Applies || steps[0].Why != "only a deny rule applies to a bad name" || steps[1].Applies {
			t.Errorf("%q: steps %+v", name, steps[:2])
		}
	}
}

func TestNoServerIsNoBadName(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"any","priority":1,"effect":"allow"},{"id":"of-null","priority":2,"effect":"deny","serverId":"null"}]`)
	if d := s.Decide(policy.Call{ToolName: "x"}, rulestest.Now); d.Effect != permission.Allow || d.Rule.ID != "any" {
		t.Errorf("decision %+v", d)
	}
}
