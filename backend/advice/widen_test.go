package advice_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/advice"
	"sekisho/backend/cputime"
	"sekisho/backend/pattern"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// widened writes proposals as "priority reach if condition", one a line. A rule of any
// server is said to be of *.
func widened(forms []permission.RuleForm) string {
	var b strings.Builder
	for _, f := range forms {
		server, tool := "*", "*"
		if f.ServerID != nil {
			server = *f.ServerID
		}
		if f.ToolName != nil {
			tool = "=" + *f.ToolName
		} else if f.ToolPattern != nil {
			tool = *f.ToolPattern
		}
		fmt.Fprintf(&b, "%d %s %s", f.Priority, server, tool)
		if f.Condition != nil {
			b.WriteString(" if " + *f.Condition)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestWidenFromTheToolToTheServer(t *testing.T) {
	const all = "10 fs =read_text_file\n10 fs read_text_*\n10 fs read_*\n10 fs *\n"
	for _, tt := range []struct{ name, rules, server, tool, risk, want string }{
		{"no rule", `[]`, "fs", "read_text_file", "medium", all},
		{"low risk", `[]`, "fs", "read_text_file", "low", all},
		{"high risk", `[]`, "fs", "read_text_file", "high", "10 fs =read_text_file\n"},
		{"a risk that is not known", `[]`, "fs", "read_text_file", "huge", "10 fs =read_text_file\n"},
		{"one word", `[]`, "fs", "read", "medium", "10 fs =read\n10 fs *\n"},
		{"words of other kinds", `[]`, "fs", "ns__db.read:x", "medium",
			"10 fs =ns__db.read:x\n10 fs ns__db.read:*\n10 fs ns__db.*\n10 fs ns__*\n10 fs *\n"},
		{"no word at the beginning", `[]`, "fs", "__x", "medium", "10 fs =__x\n10 fs *\n"},
		{"a star in the name", `[]`, "fs", "a_b*_c", "medium", "10 fs =a_b*_c\n10 fs a_*\n10 fs *\n"},
		{"many words", `[]`, "fs", "a_b_c_d_e_f", "medium",
			"10 fs =a_b_c_d_e_f\n10 fs a_b_c_d_e_*\n10 fs a_b_c_d_*\n10 fs a_b_c_*\n10 fs a_b_*\n10 fs *\n"},
		{"no server", `[]`, "", "read_file", "medium", "10 * =read_file if serverId == null\n"},
		{"a bad name", `[]`, "fs", "read\u200b_file", "medium", ""},
		{"a bad server", `[]`, "f\u200bs", "read_file", "medium", ""},

		{"above the rule that asks", `[{"id":"a","priority":7}]`, "fs", "x", "medium", "8 fs =x\n8 fs *\n"},
		{"above the first that asks", `[{"id":"a"},{"id":"b","toolName":"x","priority":50}]`, "fs", "x", "medium", "51 fs =x\n51 fs *\n"},
		{"a rule that asks below nothing", `[{"id":"a","priority":-5}]`, "fs", "x", "medium", "-4 fs =x\n-4 fs *\n"},
		{"no room above it", `[{"id":"a","priority":2147483647}]`, "fs", "x", "medium", ""},
		{"allowed already", `[{"id":"a","effect":"allow","priority":3}]`, "fs", "x", "medium", "10 fs =x\n10 fs *\n"},
		{"denied", `[{"id":"a","effect":"deny"}]`, "fs", "x", "medium", ""},
		{"denied, were it not for one that asks", `[{"id":"a","effect":"deny"},{"id":"b","priority":3}]`, "fs", "x", "medium", ""},
		{"denied if the condition holds, and it fails", `[{"id":"a","effect":"deny","condition":"input.nothing == 1"},{"id":"b","priority":3}]`,
			"fs", "x", "medium", ""},
		{"a deny rule that is off and one that is over",
			`[{"id":"a","effect":"deny","enabled":false},{"id":"b","effect":"deny","expiresAt":"1970-01-01T00:00:00.001Z"}]`, "fs", "x", "medium",
			"10 fs =x\n10 fs *\n"},

		{"behind a deny rule for others", `[{"id":"a","effect":"deny","toolPattern":"delete_*","priority":4}]`, "fs", "read_x", "medium",
			"10 fs =read_x\n10 fs read_*\n4 fs *\n"},
		{"no place behind it", `[{"id":"a","effect":"deny","toolPattern":"delete_*","priority":4},{"id":"b","priority":4}]`, "fs", "read_x",
			"medium", "5 fs =read_x\n5 fs read_*\n"},
		{"a deny rule for other inputs of the tool",
			`[{"id":"a","effect":"deny","toolName":"x","condition":"has(input.evil)","priority":4},{"id":"b","priority":4}]`, "fs", "x", "medium",
			""},
		{"and one that comes first",
			`[{"id":"a","effect":"deny","toolName":"x","condition":"has(input.evil)","priority":5},{"id":"b","priority":4}]`, "fs", "x", "medium",
			"5 fs =x\n5 fs *\n"},
		{"a deny rule of another server", `[{"id":"a","effect":"deny","serverId":"other","priority":4},{"id":"b","priority":4}]`, "fs", "x",
			"medium", "5 fs =x\n5 fs *\n"},
		{"what asks about others", `[{"id":"a","toolPattern":"delete_*","priority":4},{"id":"b","toolName":"read_x","priority":50}]`, "fs",
			"read_x", "medium", "51 fs =read_x\n51 fs read_*\n"},
		{"what asks about others, and comes first", `[{"id":"a","toolPattern":"delete_*","priority":100},{"id":"b"}]`, "fs", "read_x", "medium",
			"1 fs =read_x\n1 fs read_*\n1 fs *\n"},
		{"what asks about this one too", `[{"id":"a","toolPattern":"*x","priority":4},{"id":"b","toolName":"read_x","priority":50}]`, "fs",
			"read_x", "medium", "51 fs =read_x\n51 fs read_*\n51 fs *\n"},
		{"ids that are taken", `[{"id":"widened","toolName":"y","effect":"allow"},{"id":"widened.","toolName":"z","effect":"allow"}]`, "fs", "x",
			"medium", "10 fs =x\n10 fs *\n"},
	} {
		call := policy.Call{ServerID: new(tt.server), ToolName: tt.tool}
		if tt.server == "" {
			call.ServerID = nil
		}
		if got := widened(advice.Widen(rulestest.Set(t, tt.rules), call, permission.Risk(tt.risk), rulestest.Now)); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
	held := rulestest.Set(t, `[]`).Doubting(permission.Said("hold"))
	if got := advice.Widen(held, policy.Call{ToolName: "x"}, "low", rulestest.Now); got == nil ||
		len(got) != 0 {
		t.Errorf("under doubt: %v", got)
	}
}

func TestWidenPinsWhatTheInputIsAbout(t *testing.T) {
	for _, tt := range []struct{ name, cwd, input, want string }{
		{"nothing", "", `{}`, ""},
		{"a path", "", `{"path":"/work/a/b.txt","content":"x"}`,
			`input.path == "/work/a/b.txt"|input.path.startsWith("/work/a/") && !input.path.contains("..")`},
		{"a folder", "", `{"file_path":"/work/a/"}`,
			`input.file_path == "/work/a/"|input.file_path.startsWith("/work/a/") && !input.file_path.contains("..")`},
		{"a path at the root", "", `{"path":"/etc"}`, `input.path == "/etc"`},
		{"a path in a home", "", `{"path":"~/x"}`, `input.path == "~/x"`},
		{"a folder in a home", "", `{"path":"~/.ssh/id"}`,
			`input.path == "~/.ssh/id"|input.path.startsWith("~/.ssh/") && !input.path.contains("..")`},
		{"dots in a path", "", `{"path":"/work/../etc/x"}`, `input.path == "/work/../etc/x"`},
		{"dots in a name", "", `{"path":"/work/a..b"}`, `input.path == "/work/a..b"`},
		{"a path of Windows", "", `{"path":"C:\\work\\a.txt"}`,
			`input.path == "C:\\work\\a.txt"|input.path.startsWith("C:\\work\\") && !input.path.contains("..")`},
		{"a disk", "", `{"path":"C:\\a.txt"}`, `input.path == "C:\\a.txt"`},
		{"a path from a folder", "/work", `{"path":"src/a.go"}`,
			`input.path == "src/a.go" && cwd == "/work"|input.path.startsWith("src/") && !input.path.contains("..") && cwd == "/work"`},
		{"a path from a folder that is not known", "", `{"path":"src/a.go"}`,
			`input.path == "src/a.go"|input.path.startsWith("src/") && !input.path.contains("..")`},
		{"an absolute path, wherever the agent is", "/work", `{"path":"/a/b"}`,
			`input.path == "/a/b"|input.path.startsWith("/a/") && !input.path.contains("..")`},
		{"two paths", "", `{"source":"/a/x","destination":"/b/y"}`, `input.source == "/a/x" && input.destination == "/b/y"|` +
			`input.source.startsWith("/a/") && !input.source.contains("..") && input.destination.startsWith("/b/") && !input.destination.contains("..")`},
		{"two paths, one without a folder", "", `{"source":"/a/x","destination":"/y"}`, `input.source == "/a/x" && input.destination == "/y"`},
		{"a site", "", `{"url":"https://api.example.com:8443/v1/x?q=1"}`,
			`input.url == "https://api.example.com:8443/v1/x?q=1"|input.url.startsWith("https://api.example.com:8443/")`},
		{"a site without a path", "", `{"url":"https://example.com"}`, `input.url == "https://example.com"`},
		{"a site that is another", "", `{"url":"https://example.com@evil.example/x"}`, `input.url == "https://example.com@evil.example/x"`},
		{"a site behind a backslash", "", `{"url":"https://example.com\\@evil.example/x"}`,
			`input.url == "https://example.com\\@evil.example/x"`},
		{"an address of a file", "", `{"uri":"file:///work/a/b"}`, `input.uri == "file:///work/a/b"`},
		{"an address of a file in short", "", `{"uri":"file:/work/a/b"}`, `input.uri == "file:/work/a/b"`},
		{"a path that is no text", "", `{"path":["/a/x"]}`, ""},
		{"a path that is nothing", "", `{"path":null,"file":"/a/x"}`, ""},
		{"two spellings of one member", "", `{"path":"/a/x","Path":"/b/y"}`, ""},
		{"another spelling alone", "", `{"PATH":"/a/x"}`, ""},
		{"signs that are not seen", "", `{"path":"/a/\u202e\u0000\"'\u00a0é日"}`, `input.path == "/a/\u202e\x00\"'\u00a0é日"`},
		{"letters of others", "", `{"path":"/a b/é日+~@,_-.x"}`,
			`input.path == "/a b/é日+~@,_-.x"|input.path.startsWith("/a b/") && !input.path.contains("..")`},
		{"a target beside", "", `{"source":"/work/a","dest":"/work/sub/b"}`, `input.source == "/work/a" && input.dest == "/work/sub/b"|` +
			`input.source.startsWith("/work/") && !input.source.contains("..") && input.dest.startsWith("/work/sub/") && !input.dest.contains("..")`},
		{"a name beside", "/work", `{"path":"/work/a","new_name":"b","newText":"x","file_content":"y"}`,
			`input.path == "/work/a" && input.new_name == "b" && cwd == "/work"|` +
				`input.path.startsWith("/work/") && !input.path.contains("..") && input.new_name == "b" && cwd == "/work"`},
		{"a target that is no text", "", `{"path":"/work/a","targetFiles":["b"]}`, ""},
		{"a target alone", "", `{"to":"mika","body":"hi"}`, `input.to == "mika" && input.body == "hi" && input.all(k, k in ["to", "body"])`},
		{"code in a source", "", `{"source":"open('/etc/x')","path":"/work/a"}`,
			`input.source == "open('/etc/x')" && input.path == "/work/a" && input.all(k, k in ["source", "path"]) && cwd == null`},
		{"code in words", "", `{"src":"import a/b"}`, `input.src == "import a/b" && input.all(k, k in ["src"]) && cwd == null`},
		{"code with a colon", "", `{"source":"def f: open /etc/x"}`,
			`input.source == "def f: open /etc/x" && input.all(k, k in ["source"]) && cwd == null`},
		{"a site in a source", "", `{"source":"https://a.example/x?q=1"}`,
			`input.source == "https://a.example/x?q=1"|input.source.startsWith("https://a.example/")`},
		{"too long", "", `{"path":"/a/` + strings.Repeat("x", 1000) + `"}`, `input.path.startsWith("/a/") && !input.path.contains("..")`},

		{"a command", "/work", `{"command":"go test ./...","description":"tests"}`,
			`input.command == "go test ./..." && input.all(k, k in ["command", "description"]) && cwd == "/work"`},
		{"a command somewhere", "", `{"command":"ls"}`, `input.command == "ls" && input.all(k, k in ["command"]) && cwd == null`},
		{"a command with a way out of its cage", "", `{"command":"ls","unsafe":false,"timeout":-5}`,
			`input.command == "ls" && input.unsafe == false && input.timeout == -5 && input.all(k, k in ["command", "unsafe", "timeout"]) && cwd == null`},
		{"arguments", "", `{"command":"git","args":["a b","\""]}`,
			`input.command == "git" && input.args == ["a b", "\""] && input.all(k, k in ["command", "args"]) && cwd == null`},
		{"a command on a path", "", `{"command":"view","path":"/a/x"}`,
			`input.command == "view" && input.path == "/a/x" && input.all(k, k in ["command", "path"]) && cwd == null`},
		{"an environment", "", `{"command":"ls","env":{"A":"b"}}`, ""},
		{"arguments that are no texts", "", `{"command":"ls","args":["a",1]}`, ""},
		{"an argument that is nothing", "", `{"command":"ls","args":["a",null]}`, ""},
		{"many arguments", "", `{"command":"ls","args":["` + strings.Repeat(`","`, 20) + `"]}`, ""},
		{"other things", "", `{"owner":"me","issue":9007199254740993,"draft":null}`,
			`input.owner == "me" && input.issue == 9007199254740993 && input.draft == null && input.all(k, k in ["owner", "issue", "draft"])`},
		{"names of members", "", `{"in":"a","x-y":"b","":"c","_a1":"d","1a":"e"}`,
			`input["in"] == "a" && input["x-y"] == "b" && input[""] == "c" && input._a1 == "d" && input["1a"] == "e" && input.all(k, k in ["in", "x-y", "", "_a1", "1a"])`},
		{"a fraction", "", `{"x":1.5}`, ""},
		{"a number that is no integer of ours", "", `{"x":9223372036854775808}`, ""},
		{"the least number", "", `{"x":-9223372036854775808}`, `input.x == -9223372036854775808 && input.all(k, k in ["x"])`},
		{"an object", "", `{"x":{}}`, ""},
		{"many members", "", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, ""},
		{"no object", "", `["/a/x"]`, ""},
		{"no JSON", "", `{"path":`, ""},
	} {
		call := policy.Call{ServerID: new("fs"), ToolName: "x", Input: json.RawMessage(tt.input)}
		if tt.cwd != "" {
			call.Cwd = new(tt.cwd)
		}
		var got []string
		for _, f := range advice.Widen(rulestest.Set(t, `[]`), call, "high", rulestest.Now) {
			if f.Condition != nil {
				got = append(got, *f.Condition)
			}
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "|"), tt.want)
		}
	}
}

// TestPinsStayBelowHomes: no folder is proposed that is a home, or holds homes, or is a
// disk. below is one that is proposed.
func TestPinsStayBelowHomes(t *testing.T) {
	const below = true
	for path, want := range map[string]bool{
		"/home/me/notes.md": false, "/home/me//notes.md": false, "//home/./me/x": false, "/HOME/me/x": false, "/home/x": false,
		"/root/.bashrc": false, "/Users/me/x": false, "/Users/x": false,
		"/var/home/me/x": false, "/private/var/root/x": false, `C:\Users\me\x`: false, `c:\users\x`: false, `C:/Users/me/x`: false,
		`C:\Documents and Settings\me\x`: false, `\\srv\c$\x`: false,
		`\\srv\share\x`: false, "/mnt/c/x": false, "/mnt/c/Users/me/x": false, "/media/stick/x": false, "~/x": false, "~me/x": false,
		"./x": false, "/x": false, "/work/a%2e%2e/x": false, "/work/(a)/x": false,
		"/home/me/work/x": below, "/root/work/x": below, `C:\Users\me\work\x`: below, "~/work/x": below, "~me/work/x": below,
		`\\srv\share\work\x`: below, "/mnt/c/work/x": below,
		"/work/x": below, "src/users/x": below, "home/x": below,
	} {
		input, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		forms := advice.Widen(rulestest.Set(t, `[]`), policy.Call{ServerID: new("fs"), ToolName: "x", Input: input}, "high", rulestest.Now)
		if got := len(forms) == 3; got != want { // the path, its folder, the tool
			t.Errorf("%s:\n%swant a folder: %v", path, widened(forms), want)
		}
	}
}

// TestPinsKeepOthersOut gives calls that are nearly the same.
func TestPinsKeepOthersOut(t *testing.T) {
	for _, tt := range []struct {
		input string
		at    int // which proposal
		yes   []string
		no    []string
	}{
		{`{"path":"/work/a"}`, 0, []string{`{"path":"/work/a","more":1}`},
			[]string{`{}`, `{"path":"/work/A"}`, `{"path":"/work/a/"}`, `{"path":["/work/a"]}`, `{"path":null}`, `{"Path":"/work/a"}`, `[]`, `"x"`}},
		{`{"path":"/work/a"}`, 1, []string{`{"path":"/work/b/c"}`},
			[]string{`{"path":"/work"}`, `{"path":"/workshop/a"}`, `{"path":"/work/../etc"}`, `{"path":"/work/.."}`, `{"path":"/etc/work/a"}`,
				`{"path":5}`, `{}`}},
		{`{"url":"https://a.example/x"}`, 1, []string{`{"url":"https://a.example/"}`},
			[]string{`{"url":"https://a.example.evil/"}`, `{"url":"https://a.example@evil/"}`, `{"url":"http://a.example/"}`,
				`{"url":"https://a.example:1/"}`}},
		{`{"command":"ls","description":"d"}`, 0, []string{`{"command":"ls"}`, `{"description":"other","command":"ls"}`},
			[]string{`{"command":"ls -l"}`, `{"command":"ls","sandbox":false}`, `{"command":"ls","Command":"rm"}`}},
		{`{"source":"/work/a","dest":"/work/b"}`, 1, []string{`{"source":"/work/c","dest":"/work/d"}`},
			[]string{`{"source":"/work/a","dest":"/etc/cron.d/b"}`, `{"source":"/work/a"}`, `{"source":"/work/a","dest":"/work/../etc"}`}},
		{`{"a":1,"b":"x"}`, 0, []string{`{"b":"x","a":1}`}, []string{`{"a":1}`, `{"a":1,"b":"x","c":null}`, `{"a":2,"b":"x"}`}},
	} {
		call := policy.Call{ServerID: new("fs"), ToolName: "x", Input: json.RawMessage(tt.input)}
		f := advice.Widen(rulestest.Set(t, `[]`), call, "high", rulestest.Now)[tt.at]
		rule, err := f.Apply(permission.Rule{ID: "r"})
		if err != nil {
			t.Fatal(err)
		}
		s := policy.Compile([]permission.Rule{rule}, 0)
		for want, inputs := range map[permission.Effect][]string{permission.Allow: append(tt.yes, tt.input), permission.Ask: tt.no} {
			for _, input := range inputs {
				call.Input = json.RawMessage(input)
				if d := s.Decide(call, rulestest.Now); d.Effect != want {
					t.Errorf("%s for %s: %s, want %s", *rule.Condition, input, d.Effect, want)
				}
			}
		}
	}
}

// TestWidenedRulesMatchAndGuardsStand makes random rules and calls. Every proposal is a
// rule to save, matches the call and lets it pass; each is within the wider ones by its
// names; and with it in force nothing is allowed that was denied, nor, by a rule for more
// than the tool, what a rule asks about that has nothing to do with the call.
func TestWidenedRulesMatchAndGuardsStand(t *testing.T) {
	proposed, kept := 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 21))
		var rules []permission.Rule
		for i := range r.IntN(8) {
			rule := rulestest.RandomRule(r, string(rune('a'+i)))
			if r.IntN(4) == 0 {
				rule.Condition = new(rulestest.Pick(r, []string{"input.n == 1", "has(input.path)", "serverId == null", "1 / 0 > 0"}))
			}
			rules = append(rules, rule)
		}
		call := randomShown(r)
		set := policy.Compile(rules, 0)
		before := set.Decide(call, 3)
		var narrower []permission.RuleForm
		for _, f := range advice.Widen(set, call, rulestest.Pick(r, []permission.Risk{"low", "medium", "high"}), 3) {
			rule, err := f.Apply(permission.Rule{ID: "new"})
			if err != nil || policy.CheckRule(&rule) != nil || rule.Effect != permission.Allow {
				t.Fatalf("seed %d: no rule to save: %+v %v", seed, f, err)
			}
			with := policy.Compile(append(slices.Clone(rules), rule), 0)
			if d := with.Decide(call, 3); before.Effect == permission.Deny || d.Effect != permission.Allow ||
				policy.Compile([]permission.Rule{rule}, 0).Decide(call, 3).Effect != permission.Allow {
				t.Fatalf("seed %d: %+v for %+v, denied before: %v; now %+v", seed, f, call, before, d)
			}
			if f.ServerID == nil && (f.ToolName == nil || f.Condition == nil) || f.ServerID != nil &&
				(call.ServerID == nil || *f.ServerID != *call.ServerID) {
				t.Fatalf("seed %d: too wide: %+v", seed, f)
			}
			for _, n := range narrower {
				if !contains(f, n) {
					t.Fatalf("seed %d: %+v does not contain %+v", seed, f, n)
				}
			}
			narrower = append(narrower, f)
			proposed++
			for range 30 {
				other := randomShown(r)
				other.ServerID = call.ServerID
				was, is := set.Decide(other, 3), with.Decide(other, 3)
				if was.Effect == permission.Deny && is.Effect != permission.Deny {
					t.Fatalf("seed %d: %+v was denied and is not with %+v", seed, other, f)
				}
				if was.Rule == nil || was.Effect != permission.Ask || f.ToolName != nil {
					continue
				}
				by := slices.IndexFunc(rules, func(r permission.Rule) bool { return r.ID == was.Rule.ID })
				if alone := policy.Compile(rules[by:by+1], 0).Decide(call, 3); alone.Rule == nil && is.Effect != permission.Ask {
					t.Fatalf("seed %d: rule %s asks about %+v, not with %+v", seed, was.Rule.ID, other, f)
				}
				kept++
			}
		}
	}
	if proposed < 700 || kept < 300 {
		t.Errorf("%d proposals and %d guarded calls only, the test is blind", proposed, kept)
	}
}

func randomShown(r *rand.Rand) policy.Call {
	call := policy.Call{ToolName: rulestest.Some(r, []string{"read", "_", "x", "write", "-", "Read", "é", "*", "\u200b"}, 6),
		ServerID: new(rulestest.Pick(r, []string{"fs", "shell"}))}
	if r.IntN(4) == 0 {
		call.ServerID = nil
	}
	call.Input = json.RawMessage(rulestest.Pick(r,
		[]string{"", `{}`, `{"n":1}`, `{"n":2,"b":"x"}`, `{"path":"/a/b"}`, `{"path":"/a/b","n":1}`, `{"command":"ls"}`, `{"n":[{}]}`}))
	return call
}

// contains reports whether a rule is about every server and tool that another is about.
func contains(wide, narrow permission.RuleForm) bool {
	if wide.ServerID != nil && (narrow.ServerID == nil || *wide.ServerID != *narrow.ServerID) {
		return false
	}
	switch {
	case wide.ToolName != nil:
		return narrow.ToolName != nil && *wide.ToolName == *narrow.ToolName
	case wide.ToolPattern == nil:
		return true
	case narrow.ToolName != nil:
		return pattern.Compile(*wide.ToolPattern).Match(*narrow.ToolName)
	}
	return narrow.ToolPattern != nil && pattern.Covers(pattern.Compile(*wide.ToolPattern), pattern.Compile(*narrow.ToolPattern))
}

// TestWidenIsQuick gives a large input and many rules.
func TestWidenIsQuick(t *testing.T) {
	rules := policy.Compile(rulestest.ShapeRules(5, 10_000), 0)
	members := make([]string, 200_000)
	for i := range members {
		members[i] = fmt.Sprintf(`"member-%d":"%s"`, i, "x")
	}
	for name, input := range map[string]string{
		"small": `{"path":"/a/b"}`, "members": "{" + strings.Join(members, ",") + "}", "a long text": `{"path":"` + strings.Repeat("/", 30<<20) +
			`"}`,
	} {
		call := policy.Call{ServerID: new("server-a"), ToolName: strings.Repeat("a_", 127), Input: json.RawMessage(input)}
		start := cputime.Now()
		forms := advice.Widen(rules, call, "medium", rulestest.Now)
		took := cputime.Since(start)
		t.Logf("%s: %d proposals in %v", name, len(forms), took)
		if took > 3*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
