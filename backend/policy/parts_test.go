package policy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/command"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// lineCall is a call of a shell's tool with a line.
func lineCall(text string) policy.Call {
	input, _ := json.Marshal(map[string]string{"command": text})
	return policy.Call{ServerID: new("shell"), ToolName: "run", Input: input, Cwd: new("/work/app")}
}

// rulesOf makes rules of lines like "50 allow id: condition".
func rulesOf(t testing.TB, text string) *policy.Set {
	t.Helper()
	var rules []permission.Rule
	for line := range strings.Lines(text) {
		head, condition, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var r permission.Rule
		if _, err := fmt.Sscanf(head, "%d %s %s", &r.Priority, &r.Effect, &r.ID); err != nil {
			continue
		}
		r.Enabled, r.AutoApprove = true, r.Effect == permission.Allow
		if condition != "" {
			r.Condition = &condition
		}
		if err := policy.CheckRule(&r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rules = append(rules, r)
	}
	return policy.Compile(rules, 1)
}

const gitRules = `50 allow git: input.command.startsWith("git ")
	40 allow ls: shell(input.command).names == ["ls"]
	60 ask push: shell(input.command).names.exists(n, n == "git push")
	70 deny rm: input.command.startsWith("rm ")
	10 allow exact: input.command in ["make && ./deploy", "python -c 'print(1)'", "git log > log.txt"]
	0 ask all`

// TestParts: a line is judged part by part.
func TestParts(t *testing.T) {
	for _, tt := range []struct{ rules, line, want, parts, asked string }{
		{gitRules, "git status", "allow git", "git status:git", ""},
		{gitRules, "git status && git log -1", "allow git", "git status:git git log:git", ""},
		{gitRules, "git status && ls", "allow git", "git status:git ls:ls", ""},
		{gitRules, "git status && touch x", "ask all", "git status:git touch:all", "all"},
		{gitRules, "git status && rm -rf x", "deny rm", "git status:git rm:rm", ""},
		{gitRules, "touch x; git push", "ask all", "touch:all git push:push", "all push"},
		{gitRules, "git push; touch x", "ask push", "git push:push touch:all", "push all"},
		{gitRules, "cd web && git status | head -3", "allow git", "cd:- git status:git head:-", ""},
		{gitRules, "cd web", "ask all", "cd:all", "all"},
		{gitRules, "cd web; pwd", "ask all", "cd:all pwd:all", "all"},
		{gitRules, "make && ./deploy", "allow exact", "make:exact ./deploy:exact", ""},
		{gitRules, "make && ./deploy ", "ask all", "make:all ./deploy:all", "all"},
		{gitRules, "python -c 'print(1)'", "allow exact", "python:exact", ""},
		{gitRules, "cd web && python -c 'print(1)'", "allow exact", "cd:- python:exact", ""},
		{gitRules, "git log > log.txt", "allow exact", "git log:exact", ""},
		{gitRules, "git log > other.txt", "ask all", "git log:all", "all"},
		{gitRules, "git log 2>&1 >/dev/null", "allow git", "git log:git", ""},
		{gitRules, "git -c core.pager=x log", "ask all", "git log:all", "all"},
		{gitRules, "git status; $X", "ask all", "git status:all :all", "all"},
		{gitRules, `git commit -m "a b"`, "allow git", "git commit:git", ""},
		{gitRules, "r'm' x", "deny rm", "rm:rm", ""},
		{gitRules, "sh -c 'git status; rm y'", "deny rm", "git status:git rm:rm", ""},

		{"50 allow git: input.command.startsWith('git ')", "git a; x; git b", "ask -", "git a:git x:- git b:git", "default"},
		{"50 allow any\n90 ask rm: input.command.startsWith('rm ')", "ls; rm x", "ask rm", "ls:any rm:rm", "rm"},
		{"50 allow any", "$X; eval y", "allow any", "", ""},
		{"50 allow any\n90 deny no: input.command.contains('zzz')", "$X; eval y", "allow any", ":any eval:any", ""},
		{"50 allow low: risk == 'low'\n90 deny no: input.command.contains('zzz')", "ls", "ask -", "ls:-", "default"},
		{"50 allow has: has(input.command)", "$X", "ask -", ":-", "default"},
		{"50 allow size: size(input) > 0", "ls; $X", "ask -", "ls:- :-", "default"},
		// The whole line counts where it stands before the rule that decided a part.
		{"50 allow ls: input.command == 'ls'\n60 ask both: input.command.contains(';')\n40 deny late: input.command.contains(';')",
			"ls; ls", "ask both", "ls:ls ls:ls", "both"},
		{"50 allow ls: input.command == 'ls'\n40 deny late: input.command.contains(';')", "ls; ls", "allow ls", "ls:ls ls:ls", ""},
		{"50 allow ls: input.command == 'ls'\n40 deny late: input.command.contains(';')", "ls; x", "deny late", "ls:ls x:-", ""},
		// A rule that fixes the text gives way to an ask or deny rule before it, also about a part that is decided.
		{"50 allow all: input.command == 'ls; x'\n60 ask x: input.command == 'x'", "ls; x", "ask -", "ls:- x:x", "default x"},
		{"50 allow all: input.command == 'ls; x'\n90 allow x: input.command == 'x'\n60 deny no: input.command == 'x'", "ls; x", "ask -",
			"ls:- x:x", "default"},
		{"50 allow all: input.command == 'ls; x'\n40 deny x: input.command == 'x'", "ls; x", "allow all", "ls:all x:all", ""},
		// Neutral parts are seen by ask and deny rules that look at the line.
		{"50 allow ls: input.command == 'ls'\n60 deny cd: input.command.startsWith('cd ')", "cd x; ls", "deny cd", "cd:cd ls:ls", ""},
		{"50 allow ls: input.command == 'ls'\n40 ask all\n30 deny echo: input.command.startsWith('echo')", "echo x; ls", "allow ls",
			"echo:- ls:ls", ""},
		{"50 allow out: shell(input.command).writes.all(w, under(w, cwd))", "ls > src/x", "allow out", "ls:out", ""},
		{"50 allow out: shell(input.command).writes.all(w, under(w, cwd))", "ls > ../x", "ask -", "ls:-", "default"},
		{"50 allow out: shell(input.command).writes.all(w, under(w, cwd))", "ls > ~/x", "ask -", "ls:-", "default"},
		{"50 allow sh: input.command == 'sh' || input.command == 'curl x'", "curl x | sh", "ask -", "curl:sh sh:-", "default"},
		{"50 allow ls: input.command == 'ls' || cwd == '/work/app'", "ls; y", "allow ls", "ls:ls y:ls", ""},
	} {
		s := rulesOf(t, tt.rules)
		c := lineCall(tt.line)
		for range 4 { // new, met again, remembered
			d := s.Decide(c, rulestest.Now)
			got := string(d.Effect) + " " + idOf(d.Rule)
			if got != tt.want || partsOf(d.Parts) != tt.parts || strings.Join(d.Asked, " ") != tt.asked {
				t.Errorf("%q: %s of %s, asked by %q; want %s of %s by %q", tt.line, got, partsOf(d.Parts), d.Asked, tt.want,
					tt.parts, tt.asked)
			}
			checkPartsTrace(t, s, c, d)
		}
	}
}

func idOf(r *permission.RuleRef) string {
	if r == nil {
		return "-"
	}
	return string(r.ID)
}

func partsOf(list []permission.PartVerdict) string {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = p.Name + ":" + idOf(p.Rule)
	}
	return strings.Join(all, " ")
}

// checkPartsTrace wants Trace to say what Decide does: the first row of a part that applies
// is the rule that decided about it, unless it needs none.
func checkPartsTrace(t *testing.T, s *policy.Set, c policy.Call, d policy.Decision) {
	t.Helper()
	traced, rows := s.Trace(c, rulestest.Now)
	verdicts := traced.Parts
	if d.Parts == nil {
		traced.Parts = nil
	}
	if !reflect.DeepEqual(traced, d) {
		t.Fatalf("%s: Trace decides %+v, Decide %+v", c.Input, traced, d)
	}
	parted := slices.ContainsFunc(rows, func(r permission.TraceStep) bool { return r.Part != nil })
	for i, v := range verdicts {
		at := slices.IndexFunc(rows, func(r permission.TraceStep) bool {
			return r.Applies && (r.Part != nil && *r.Part == i || r.Part == nil && !parted)
		})
		first := "-"
		if at >= 0 {
			first = string(rows[at].RuleID)
		}
		if first != idOf(v.Rule) && v.Rule != nil {
			t.Fatalf("%s: part %d (%s) is decided by %s, its rows say %s: %+v", c.Input, i, v.Name, idOf(v.Rule), first, rows)
		}
	}
}

// TestLineForms: a line in other forms than a text.
func TestLineForms(t *testing.T) {
	s := rulesOf(t, `50 allow git: input.command.startsWith("git ")
		60 allow argv: input.command == "ls" && input.args == ["-l", "x y"]
		60 allow list: input.command == ["ls", "-a"]
		60 allow both: input.command == "ls" && input.cmd == "ls"
		60 allow other: input.path == "/x"
		55 ask push: shell(input.command).names.exists(n, n == "git push")`)
	for input, want := range map[string]string{
		`{"command":"git","args":["status"]}`:              "allow git",
		`{"command":"git","args":["push"]}`:                "ask push",
		`{"command":["git","status"]}`:                     "allow git",
		`{"command":["bash","-lc","git status; git log"]}`: "allow git",
		`{"command":["bash","-lc","git status; x"]}`:       "ask -",
		`{"command":"git","args":["status;rm"]}`:           "ask -",
		`{"command":"ls","args":["-l","x y"]}`:             "allow argv",
		`{"command":"ls","args":["-l"]}`:                   "ask -",
		`{"command":["ls","-a"]}`:                          "allow list",
		`{"command":["ls","-b"]}`:                          "ask -",
		`{"command":"ls","cmd":"ls"}`:                      "allow both",
		`{"command":"git x","cmd":"git y"}`:                "ask -",
		`{"Command":"git x"}`:                              "ask push",
		`{"command":"git x","path":"/x"}`:                  "allow other",
		`{"command":"$X","path":"/x"}`:                     "allow other",
		`{"command":"view","path":"/y"}`:                   "ask -",
		`{"command":"git status","args":null}`:             "allow git",
		`{"command":7}`:                                    "ask push",
	} {
		d := s.Decide(policy.Call{ToolName: "run", Input: json.RawMessage(input)}, rulestest.Now)
		if got := string(d.Effect) + " " + idOf(d.Rule); got != want {
			t.Errorf("%s: %s, want %s (%s)", input, got, want, d.Reason)
		}
	}
	foreign := policy.Call{ToolName: "powershell", Input: json.RawMessage(`{"command":"git status"}`)}
	if d := s.Decide(foreign, rulestest.Now); d.Effect != permission.Ask {
		t.Errorf("powershell: %+v", d)
	}
}

// TestTooMuchOfALine: what is not taken apart for its length gets past no ask or deny rule.
func TestTooMuchOfALine(t *testing.T) {
	s := rulesOf(t, "50 allow any\n90 deny rm: input.command.startsWith('rm ')")
	for _, filler := range []string{"a;", "a\n", "a $(b);", "a;" + strings.Repeat(" ", 500)} {
		for _, size := range []int{60_000, 70_000} {
			line := strings.Repeat(filler, 1+size/len(filler)) + "\nrm x"
			if d := s.Decide(lineCall(line), rulestest.Now); d.Effect != permission.Deny {
				t.Errorf("%q, %d bytes: %s", filler, len(line), d.Effect)
			}
		}
	}
	if d := s.Decide(lineCall(strings.Repeat("a;", 100)), rulestest.Now); d.Effect != permission.Allow {
		t.Errorf("a shorter one: %+v", d)
	}
}

// The pieces of random lines, and the conditions of random rules about them. No condition
// of an ask or deny rule is true of a line and not of a longer one with other parts.
var (
	pieces = []string{"git status", "git log -1", "git push --force", "rm -rf x", "ls -la", "echo hi", "cd sub", "make test", "sudo rm y",
		"python -c 'print(1)'", "cat a > out.txt", "ls >> /etc/x", "$X run", "env A=1 git status", "sh -c 'git status; rm y'",
		`git commit -m "a b"`,
		"grep -r a .", "xargs rm", "PATH=. git status", "(ls; make)", "X=$(rm z) ls", "for f in *; do rm $f; done", "pwd", "head -3"}
	joints         = []string{" && ", "; ", " || ", " & ", "\n"}
	lineConditions = []string{`input.command.startsWith("git ")`, `input.command.contains("rm")`, `input.command.startsWith("ls")`,
		`shell(input.command).names.all(n, n.startsWith("git"))`, `shell(input.command).names.exists(n, n == "rm")`,
		`shell(input.command).parts.all(p, p.program in ["git", "ls", "make"])`, `!shell(input.command).opaque`,
		`shell(input.command).writes.all(w, under(w, cwd))`, `size(input) == 1`, `has(input.command)`, `!input.command.contains("push")`,
		`input.command == "git status"`, `input.command in ["ls -la", "rm -rf x"]`, `input.command.size() / 0 == 1`,
		`cwd == "/work/app"`, `risk == "low"`, `risk != "high"`, ""}
	guardConditions = []string{`input.command.contains("rm")`, `input.command.contains("git push")`, `input.command.startsWith("cd ")`,
		`shell(input.command).names.exists(n, n == "rm" || n == "sudo")`,
		`shell(input.command).parts.exists(p, p.writes.exists(w, !under(w, cwd)))`,
		`input.command == "git status"`, `input.command.size() / 0 == 1`, `risk == "high"`, `shell(input.command).opaque`, ""}
)

// randomLineRules makes rules about lines; one more fixes a line, if it is not "".
func randomLineRules(r *rand.Rand, fixed string) *policy.Set {
	var rules []permission.Rule
	for i := range 1 + r.IntN(6) {
		effect := rulestest.World.Effects[r.IntN(3)]
		conditions := guardConditions
		if effect == permission.Allow || r.IntN(3) == 0 {
			effect, conditions = permission.Allow, lineConditions
		}
		rule := permission.Rule{ID: permission.RuleID(rune('a' + i)), Priority: int64(r.IntN(4)), Effect: effect, Enabled: true,
			AutoApprove: effect == permission.Allow}
		if c := rulestest.Pick(r, conditions); c != "" {
			rule.Condition = &c
		}
		rules = append(rules, rule)
	}
	if fixed != "" {
		quoted, _ := json.Marshal(fixed)
		condition := "input.command == " + string(quoted)
		rules = append(rules, permission.Rule{ID: "fixed", Priority: int64(r.IntN(4)), Effect: permission.Allow, AutoApprove: true,
			Enabled: true, Condition: &condition})
	}
	return policy.Compile(rules, 0)
}

func randomLine(r *rand.Rand) string {
	line := rulestest.Pick(r, pieces)
	for range r.IntN(4) {
		joint := rulestest.Pick(r, joints)
		if r.IntN(4) == 0 {
			joint = " | "
		}
		line += joint + rulestest.Pick(r, pieces)
	}
	return line
}

// checkSlips holds two laws against a random rule set and line: it allows no line one part
// of which, alone, it would not allow, and one part more never makes it allow. Counts says
// how often something was at stake.
func checkSlips(t *testing.T, seed uint64, line, more string, counts map[string]int) {
	r := rand.New(rand.NewPCG(seed, 2))
	fixed := ""
	if r.IntN(4) == 0 {
		fixed = line
	}
	s := randomLineRules(r, fixed)
	ask := func(text string) policy.Decision {
		c := lineCall(text)
		c.Risk = []permission.Risk{permission.RiskLow, permission.RiskMedium, permission.RiskHigh}[seed%3]
		d := s.Decide(c, rulestest.Now)
		if len(text) < 4096 {
			checkPartsTrace(t, s, c, d)
		}
		return d
	}
	fail := func(format string, args ...any) {
		rules, _ := json.Marshal(s.Rules())
		t.Fatalf("seed %d: %q: %s\n%s", seed, line, fmt.Sprintf(format, args...), rules)
	}
	d, read := ask(line), command.Read(line)
	counts[string(d.Effect)]++
	needs := slices.ContainsFunc(read.Parts, func(p command.Part) bool { return !p.Neutral })
	if d.Effect == permission.Allow && !slices.ContainsFunc(d.Parts, func(p permission.PartVerdict) bool { return idOf(p.Rule) == "fixed" }) {
		for _, p := range read.Parts {
			if alone := ask(p.Text); alone.Effect != permission.Allow && p.Text != "" && !(p.Neutral && needs) {
				fail("is allowed (%s), and its part %q alone is not (%s)", partsOf(d.Parts), p.Text, alone.Reason)
			}
			counts["parts"]++
		}
	}
	if d.Effect != permission.Allow && needs && more != "" {
		for _, longer := range []string{line + "\n" + more, more + "\n" + line} {
			after := command.Read(longer)
			if len(after.Parts) < len(read.Parts)+1 && !after.Opaque {
				continue // a backslash or a bracket at the end joins them
			}
			if got := ask(longer); got.Effect == permission.Allow && !changed(read, after) {
				fail("is not allowed (%s), and %q is (%s)", d.Reason, longer, partsOf(got.Parts))
			}
			counts["longer"]++
		}
	}
}

// changed reports whether a part of a line is not among those of a longer one.
func changed(line, longer command.Line) bool {
	return slices.ContainsFunc(line.Parts, func(p command.Part) bool {
		return !slices.ContainsFunc(longer.Parts, func(q command.Part) bool { return p.Text == q.Text && p.Neutral == q.Neutral })
	})
}

// TestNoPartSlips tries random rule sets over random lines. For the full number:
//
//	go test ./backend/policy -run NoPartSlips -cases 1000000
func TestNoPartSlips(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(*cases / 2) {
		r := rand.New(rand.NewPCG(seed, 3))
		checkSlips(t, seed, randomLine(r), rulestest.Pick(r, pieces), counts)
	}
	for _, what := range []string{"allow", "ask", "deny", "parts", "longer"} {
		if counts[what] < *cases/40 {
			t.Errorf("%s came out %d times only: the test is blind for it", what, counts[what])
		}
	}
}

// FuzzParts holds the laws of TestNoPartSlips against any line.
func FuzzParts(f *testing.F) {
	for i, piece := range pieces {
		f.Add(uint64(i), piece+" && "+pieces[(i+7)%len(pieces)], pieces[(i+3)%len(pieces)])
	}
	f.Fuzz(func(t *testing.T, seed uint64, line, more string) {
		checkSlips(t, seed, line, more, map[string]int{})
	})
}
