package policy_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// holdsOf reports whether a condition of an allow rule is true of a call.
func holdsOf(condition, cwd, input string) bool {
	r := permission.Rule{ID: "r", Effect: permission.Allow, AutoApprove: true, Enabled: true, Condition: &condition}
	c := policy.Call{ToolName: "bash", Input: json.RawMessage(input)}
	if cwd != "" {
		c.Cwd = &cwd
	}
	return policy.Compile([]permission.Rule{r}, 0).Decide(c, rulestest.Now).Effect == permission.Allow
}

func TestHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://Go.dev/doc": "go.dev", "http://localhost:8080": "localhost", "http://[::1]:80/x": "[::1]", "s3://bucket/key": "",
		"WSS://x.example/a": "x.example", "ws://x.example": "x.example", "HTTP://x.example": "x.example", "file://go.dev/etc/passwd": "",
		"gopher://x.example:70/_": "", "dict://x.example": "", "ftp://x.example": "", "httpss://x.example": "", "view-source://x.example": "",
		"https://x.example?a=b": "x.example", "https://x.example#https://y.example": "x.example",
		"https://go.dev@x.example/": "", "https://u:p@x.example/": "", "go.dev/doc": "", "": "", "https:go.dev": "", "https:///go.dev": "",
		`https://x.example\@go.dev/`: "", "https://x.example%2f": "", "https://x .example/": "", "https://é.example": "",
		"https://a{b,c}.example": "",
		"https://$X.example":     "", "h ttp://go.dev": "", "https://go.dev:80x/": "", "https://[go.dev]/": "",
	} {
		if got := policy.HostOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
		if !holdsOf("host(input.url) == "+strconv.Quote(want), "", `{"url":`+strconv.Quote(address)+`}`) {
			t.Errorf("%q: a condition sees another host", address)
		}
	}
	if !holdsOf("host(input.url) == ''", "", `{"url":"`+strings.Repeat("x", 1<<20)+`"}`) ||
		holdsOf("host(input.n) == ''", "", `{"n":1}`) {
		t.Error("of a long text, or of a number")
	}
}

func TestEffectsOfPartsAndStatements(t *testing.T) {
	for line, want := range map[string]string{
		"git status": `["reads"]`, "git add x": `["changes"]`, "frobnicate": `[]`, "kubectl get x": `["fetches"]`, "$X": `[""]`,
	} {
		if !holdsOf("shell(input.text).parts[0].effects == "+want, "", `{"text":`+strconv.Quote(line)+`}`) {
			t.Errorf("%s: the effects are not %s", line, want)
		}
	}
	for text, want := range map[string]string{
		"select 1": `["reads", "fetches"]`, "update a set b = 1 where c = 2": `["changes"]`, "drop table a": `["destroys"]`, "": `[]`,
		"select 1; copy a to program 'x'": `["reads", "changes", "fetches", "code"]`,
	} {
		if !holdsOf("sql(input.text) == "+want, "", `{"text":`+strconv.Quote(text)+`}`) {
			t.Errorf("%s: the effects are not %s: %v", text, want, policy.SQLEffects(text))
		}
	}
	if holdsOf("sql(input.text) != []", "", `{"text":"select `+strings.Repeat("x", 1<<20)+`"}`) {
		t.Error("a long text costs nothing")
	}
}

// TestUnderFollowsThePart: a relative path of a line is one of the folder that the part runs
// in, as the line, its program or the input beside it say.
func TestUnderFollowsThePart(t *testing.T) {
	here := `shell(input.command).names == ["git status"] && under(".", "/w/app")`
	for input, want := range map[string]bool{
		`{"command":"git status"}`:                      true,
		`{"command":"git -C sub status"}`:               true,
		`{"command":"git status","workdir":"sub"}`:      true,
		`{"command":"cd sub && git status"}`:            true,
		`{"command":"git -C /other status"}`:            false,
		`{"command":"cd /other && git status"}`:         false,
		`{"command":"git status","workdir":"/other"}`:   false,
		`{"command":"git status","cwd":"../other"}`:     false,
		`{"command":"git -C .. status","cwd":"sub"}`:    true,
		`{"command":"git -C ../.. status","cwd":"sub"}`: false,
		`{"command":"git -C $X status"}`:                false,
	} {
		if holdsOf(here, "/w/app", input) != want {
			t.Errorf("%s: want %v", input, want)
		}
	}
	if !holdsOf(here, "", `{"command":"git status","workdir":"/w/app/sub"}`) || holdsOf(here, "", `{"command":"git status"}`) {
		t.Error("without a folder of the call")
	}
}
