package learn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/history"
	"sekisho/backend/learn"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/risk"
)

const now = permission.Time(1_800_000_000_000)

func homes(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("../history/testdata/homes/*")
	if err != nil || len(all) < 5 {
		t.Fatal(all, err)
	}
	return all
}

func from(t testing.TB, home string, rules ...permission.Rule) *learn.Result {
	t.Helper()
	r, err := learn.From(t.Context(), history.In(home, nil), learn.Options{Rules: rules, Now: now, Home: "/home/ada"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rule makes an allow rule, or one of another effect.
func rule(t testing.TB, id string, effect permission.Effect, tool, condition string) permission.Rule {
	t.Helper()
	f := permission.NewRuleForm()
	f.Effect, f.ToolName, f.Priority = &effect, &tool, 10
	if condition != "" {
		f.Condition = &condition
	}
	r, err := f.Apply(permission.Rule{ID: permission.RuleID(id)})
	if err != nil || policy.CheckRule(&r) != nil {
		t.Fatal(err, policy.CheckRule(&r))
	}
	return r
}

// asked is a call as a desk judges it.
func asked(c *history.Call) policy.Call {
	p := policy.Call{ServerID: c.Server, ToolName: c.Tool, Input: c.Input}
	if c.Cwd != "" {
		p.Cwd = &c.Cwd
	}
	server := ""
	if c.Server != nil {
		server = *c.Server
	}
	p.Risk, _ = risk.Judge(risk.Call{Tool: c.Tool, Server: server, Input: c.Input, Cwd: c.Cwd})
	return p
}

// TestRecount: the numbers of a result are those of a plain count, call by call.
func TestRecount(t *testing.T) {
	rules := []permission.Rule{
		rule(t, "a", permission.Allow, "Bash", `shell(input.command).parts.all(p, p.program == "git")`),
		rule(t, "b", permission.Deny, "run_shell_command", `shell(input.command).parts.exists(p, p.program == "rm")`),
		rule(t, "c", permission.Allow, "read", ""),
	}
	set := policy.Compile(rules, 0)
	for _, home := range homes(t) {
		var calls, allowed, denied, ask, high, declined int
		sessions := map[string]bool{}
		_, err := history.Read(t.Context(), history.In(home, nil), history.Visitor{Call: func(c history.Call) {
			calls++
			sessions[string(c.Client)+c.Session] = true
			if c.Outcome == history.Declined {
				declined++
			}
			p := asked(&c)
			switch set.Decide(p, now).Effect {
			case permission.Allow:
				allowed++
			case permission.Deny:
				denied++
			default:
				if ask++; p.Risk == permission.RiskHigh {
					high++
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := from(t, home, rules...)
		got := []int{r.Calls, r.Allowed, r.Denied, r.Asked, r.High, r.Declined, r.Sessions}
		if want := []int{calls, allowed, denied, ask, high, declined, len(sessions)}; !slices.Equal(got, want) || calls == 0 {
			t.Errorf("%s: %v, recounted %v", home, got, want)
		}
		listed, different := 0, 0
		for _, c := range r.Asking {
			listed, different = listed+c.Count, different+1
		}
		if listed != ask || different != r.Different {
			t.Errorf("%s: %d calls are listed as %d different ones, of %d as %d", home, listed, different, ask, r.Different)
		}
	}
}

// TestProposals: the rules that are proposed answer as many calls as they say, no call of
// high risk, and leave what they say.
func TestProposals(t *testing.T) {
	proposed := 0
	for _, home := range homes(t) {
		r := from(t, home)
		var rules []permission.Rule
		var alone []*policy.Set
		for i, p := range r.Rules {
			one, err := p.Rule.Apply(permission.Rule{ID: permission.RuleID(strings.Repeat("x", i+1))})
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, one)
			only, n := policy.Compile([]permission.Rule{one}, 0), 0
			alone = append(alone, only)
			each(t, home, func(c policy.Call) {
				if only.Decide(c, now).Effect == permission.Allow {
					n++
				}
			})
			if n != p.Calls {
				t.Errorf("%s: %s answers %d calls, it says %d", home, describe(p.Rule), n, p.Calls)
			}
		}
		left, set := 0, policy.Compile(rules, 0)
		each(t, home, func(c policy.Call) {
			if !slices.ContainsFunc(alone, func(s *policy.Set) bool { return s.Decide(c, now).Effect == permission.Allow }) {
				left++
			}
			if c.Risk == permission.RiskHigh && set.Decide(c, now).Effect != permission.Ask {
				t.Errorf("%s: a call of high risk would pass: %s", home, c.Input)
			}
		})
		if proposed += len(rules); left != r.Left {
			t.Errorf("%s: %d calls are left, it says %d", home, left, r.Left)
		}
	}
	if proposed < 8 {
		t.Errorf("%d rules are proposed", proposed)
	}
}

func each(t testing.TB, home string, visit func(policy.Call)) {
	t.Helper()
	told := history.Visitor{Call: func(c history.Call) { visit(asked(&c)) }}
	if _, err := history.Read(t.Context(), history.In(home, nil), told); err != nil {
		t.Fatal(err)
	}
}

func describe(f permission.RuleForm) string {
	raw, _ := json.Marshal(f)
	return string(raw)
}

// TestLists: an entry that allows has a rule that lets no dangerous call pass, and one that
// denies a rule that its other spelling does not slip by.
func TestLists(t *testing.T) {
	said := map[string]learn.ListEntry{}
	for _, home := range homes(t) {
		for _, e := range from(t, home).Lists {
			said[string(e.Client)+" "+e.Text] = e
		}
	}
	for _, c := range []struct{ entry, condition, unsafe string }{
		{"claude Bash(git:*)", `serverId == null && shell(input.command).parts.all(p, p.program == "git") && risk != "high"`, "passes_high"},
		{"claude Bash(npm run:*)", `serverId == null && shell(input.command).parts.all(p, p.name.startsWith("npm run ")) && risk != "high"`, ""},
		{"claude Bash(python3:*)", "", "passes_high untranslated"},
		{"claude Bash(rm:*)", `serverId == null && shell(input.command).parts.exists(p, p.program == "rm")`, "slips"},
		{"claude Bash", `serverId == null && risk != "high"`, "any_line"},
		{"claude mcp__tracker", `risk != "high"`, "any_tool"},
		{"claude Read(~/notes/**)", `serverId == null && under(input.file_path, "/home/ada/notes") && risk != "high"`, ""},
		{"claude WebFetch(domain:example.com)", `serverId == null && input.url.startsWith("https://example.com/") && risk != "high"`, ""},
		{"claude Read(./.env)", "", "untranslated"},
		{"claude defaultMode: acceptEdits", "", "never_asks"},
		{"codex approval_policy = never", "", "never_asks"},
		{`codex prefix_rule(["cargo", "build"])`, `serverId == null && shell(input.cmd).parts.all(p, p.name == "cargo build") && risk != "high"`, ""},
		{"gemini coreTools: run_shell_command(ls)", "", "only_offered"},
		{"gemini mcpServers.tracker.trust", `risk != "high"`, "any_tool"},
		{"gemini run_shell_command(make)", `serverId == null && shell(input.command).parts.all(p, p.program == "make") && risk != "high"`, "passes_high"},
		{"opencode bash: make", `serverId == null && input.command == "make" && risk != "high"`, ""},
		{"opencode bash: git push*", `serverId == null && shell(input.command).parts.exists(p, p.name == "git push")`, "slips"},
		{"opencode tracker_list_issues", `risk != "high"`, "any_input"},
	} {
		e, there := said[c.entry]
		condition, codes := "", []string{}
		if e.Rule != nil {
			condition = *e.Rule.Condition
		}
		for _, u := range e.Unsafe {
			if codes = append(codes, string(u.Code)); u.Text == "" || u.Text[len(u.Text)-1] == ' ' {
				t.Errorf("%s: %s has no words", c.entry, u.Code)
			}
		}
		if got := strings.Join(slices.Compact(codes), " "); !there || condition != c.condition || got != c.unsafe {
			t.Errorf("%s:\n got %q, %s\nwant %q, %s", c.entry, condition, got, c.condition, c.unsafe)
		}
	}
	for name, e := range said {
		for _, u := range e.Unsafe {
			held(t, name, &e, u)
		}
	}
}

// held holds the rule of an entry against the line that is said to pass by the entry.
func held(t *testing.T, name string, e *learn.ListEntry, u learn.Unsafe) {
	t.Helper()
	var p struct{ Line string }
	if json.Unmarshal([]byte(u.Params), &p) != nil || p.Line == "" || e.Rule == nil {
		return
	}
	one, err := e.Rule.Apply(permission.Rule{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	set := policy.Compile([]permission.Rule{one}, 0)
	key := "command"
	if e.Client == history.Codex {
		key = "cmd"
	}
	input, _ := json.Marshal(map[string]string{key: p.Line})
	c := asked(&history.Call{Tool: *e.Rule.ToolName, Input: input})
	switch d := set.Decide(c, now); u.Code {
	case learn.PassesHigh:
		if c.Risk != permission.RiskHigh || d.Effect == permission.Allow {
			t.Errorf("%s: %q is of %s risk, and the rule says %s", name, p.Line, c.Risk, d.Effect)
		}
	case learn.Slips:
		if d.Effect != e.Effect || d.Rule == nil {
			t.Errorf("%s: %q slips by the rule too", name, p.Line)
		}
	}
}

// TestBounds: more different calls than are held are counted all the same.
func TestBounds(t *testing.T) {
	home := t.TempDir()
	var b strings.Builder
	const calls = 60_000
	for i := range calls {
		fmt.Fprintf(&b, `{"sessionId":"s","message":{"content":[{"type":"tool_use","id":"toolu_%010d","name":"Bash",`, i)
		fmt.Fprintf(&b, `"input":{"command":"ls %d"}}]}}`+"\n", i)
	}
	file := filepath.Join(home, ".claude", "projects", "p", "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := from(t, home)
	if r.Calls != calls || r.Asked != calls || !r.Full || len(r.Asking) != 200 {
		t.Errorf("%d calls, %d asked, full: %t, %d listed", r.Calls, r.Asked, r.Full, len(r.Asking))
	}
}

// TestNoNetwork: no package that can open a connection or start a program is linked in by
// what reads and judges histories.
func TestNoNetwork(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "sekisho/backend/history", "sekisho/backend/learn").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	for _, banned := range []string{"net", "net/http", "os/exec", "crypto/tls", "runtime/cgo"} {
		if slices.Contains(all, banned) {
			t.Errorf("%s is among the packages", banned)
		}
	}
	if !slices.Contains(all, "os") {
		t.Error("the packages were not listed")
	}
}
