package guard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
)

// run judges a command and its arguments.
func run(words ...string) (guard.Verdict, *guard.Refusal) {
	return guard.Judge("/ws", guard.Call{Tool: guard.ExecuteCommand, Command: words[0], Args: words[1:], Timeout: 30})
}

func TestAbuseOfListedPrograms(t *testing.T) {
	raw, err := os.ReadFile("testdata/abuse.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(raw)) {
		rest, refused := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "! ")
		if line[0] == '#' {
			continue
		}
		seen++
		v, bad := run(strings.Split(rest, "|")...)
		if bad == nil && (refused || v.Level == permission.RiskLow) {
			t.Errorf("%s passes as %s", rest, v.Level)
		}
	}
	if seen < 100 {
		t.Errorf("only %d lines were read", seen)
	}
}

func TestLevels(t *testing.T) {
	for line, want := range map[string]string{
		"grep -rn TODO .": "low", "grep -e x .env": "high", "grep --include=*.pem x .": "high", "find . -name .env": "high",
		"ls": "low", "locate x": "low", "whoami": "low", "pwd": "low", "date": "low", "echo rm -rf /": "low", "cat a.txt": "low",
		"cat .env": "high", "cat .env.example": "low", "cat .git/config": "high", "cat -- .npmrc": "high", "wc -l a": "low",
		"git status": "medium", "git branch x": "medium", "git branch -d x": "high", "git branch -D x": "high", "git branch -f x": "high",
		"git checkout -f": "high", "git checkout a.txt": "high", "git switch x": "medium", "git switch -f x": "high",
		"git switch --discard-changes x": "high", "git restore a.txt": "high", "git stash": "medium", "git stash drop": "high",
		"git stash clear": "high", "git commit -m x": "medium", "git commit --amend -m x": "high", "git commit -m x --amend": "high",
		"git add .env": "high", "git show HEAD:.env": "high", "git merge x": "medium", "git fetch": "medium",
		"npm install": "medium", "npm install a@1.2.3 @b/c": "medium", "npm run build": "high", "npm test": "high", "npm ls": "medium",
		"python x.py a b": "medium", "node x.js --flag": "medium", "node --check x.js": "medium", "gcc -Iinclude -O2 -o x x.c": "high",
		"make": "high", "make -j4 all": "high", "tar czf x.tgz a": "high", "unzip -o x.zip": "high", "python x.py .env": "high",
		"git commit -m --amend": "", "git branch -- -D": "", "npm start": "", "git": "", "git --version": "", "python": "",
		"python -u": "", "cat": "", "git pull origin +x": "", "git fetch origin a:b": "", "tar": "high",
	} {
		v, bad := run(strings.Fields(line)...)
		if got := string(v.Level); got != want {
			t.Errorf("%s is %q (%v), want %q", line, got, bad, want)
		}
		if bad == nil && v.Level != permission.RiskLow && len(v.Reasons) == 0 {
			t.Errorf("%s is %s for no reason", line, v.Level)
		}
	}
}

func TestWhatACommandNeeds(t *testing.T) {
	for line, want := range map[string][2]bool{
		"git clone https://e.example/r": {true, false}, "git status": {}, "git pull": {true, false}, "git fetch": {true, false},
		"npm ci": {true, false}, "npm run x": {true, true}, "python x.py": {false, true}, "node x.js": {false, true},
		"make": {false, true}, "gcc x.c": {false, true}, "ls": {}, "tar tf x": {},
	} {
		v, bad := run(strings.Fields(line)...)
		if got := [2]bool{v.Network, v.Once}; bad != nil || got != want {
			t.Errorf("%s has network, once %v (%v), want %v", line, got, bad, want)
		}
	}
}

func TestWrites(t *testing.T) {
	for path, want := range map[string]string{
		"a.txt": "medium", "a.md": "medium", "a.json": "medium", "a.yml": "medium", "a.css": "medium", "a.html": "medium", "a.go": "medium",
		"A.PY": "medium", "a": "high", "a.sh": "high", "a.conf": "high", "a.sys": "high", ".bashrc": "high", "a.rs": "high",
		"package.json": "high", "sub/Package.JSON": "high", "Makefile": "high", ".git/hooks/x.py": "high", ".GIT/config.json": "high",
		".github/workflows/a.yml": "high", ".claude/a.md": "high", "CLAUDE.md": "high", ".mcp.json": "high", ".env": "high", "key.pem": "high",
		".git./x.txt": "high", "secrets/a.txt": "high", "a.exe": "", "A.EXE": "", "a.exe ": "", "a.exe.": "", "a.exe . .": "", "a.so.1": "",
		"a.so.1.2": "", "a.dll": "", "a.bin": "", "a.\u200bexe": "", "a.exe:x": "", "a.ехе": "", "a.exe\u00a0": "", ".exe": "",
		".": "", "../a.txt": "", "/etc/a.txt": "", "": "", "a\x00.txt": "", "/ws/a.txt": "medium", "/ws2/a.txt": "", "/ws": "",
	} {
		raw, _ := json.Marshal(map[string]any{"path": path, "content": "x"})
		got, why := outcome(guard.WriteFile, raw)
		if want == "" && got != "refused" || want != "" && got != "allowed-"+want {
			t.Errorf("writing %q is %s (%s), want %q", path, got, why, want)
		}
	}
}

func TestRefusalsAndTheirWords(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{guard.ReadFile, `{"path":"../x"}`, "Path outside workspace: "},
		{guard.ReadFile, `{}`, "Invalid input: "},
		{guard.ReadFile, `{"path":"a","path":"b"}`, "Invalid input: "},
		{guard.ReadFile, `{"path":null}`, "Invalid input: "},
		{guard.ReadFile, `{"path":"a","risk_level":"low"}`, "Invalid input: "},
		{guard.ReadFile, `{"path":"a","Path":"/etc/shadow"}`, "Invalid input: "},
		{guard.ReadFile, `[]`, "Invalid input: "},
		{guard.WriteFile, `{"path":"a.exe","content":""}`, "File type not allowed: "},
		{guard.WriteFile, `{"path":"a.txt","content":"","mode":"replace"}`, "Invalid input: "},
		{guard.WriteFile, `{"path":"a.txt","content":"` + strings.Repeat("x", guard.MaxFile+1) + `"}`, "File too large: "},
		{guard.ExecuteCommand, `{"command":"rm","args":["-rf","/"]}`, "Command not allowed: "},
		{guard.ExecuteCommand, `{"command":"ls","timeout":301}`, "Timeout too long: "},
		{guard.ExecuteCommand, `{"command":"ls","timeout":1e999}`, "Timeout too long: "},
		{guard.ExecuteCommand, `{"command":"ls","timeout":0}`, "Invalid input: "},
		{guard.ExecuteCommand, `{"command":"ls","args":[null]}`, "Invalid input: "},
		{guard.ExecuteCommand, `{"command":"ls","args":"-la"}`, "Invalid input: "},
		{guard.ListDirectory, `{"path":".","pattern":"\u0000"}`, "Invalid input: "},
		{"tool_other", `{}`, "Invalid input: "},
	} {
		if got, why := outcome(c.tool, []byte(c.input)); got != "refused" || !strings.HasPrefix(why, c.want) {
			t.Errorf("%s %.80s is %s %.120q, want %q", c.tool, c.input, got, why, c.want)
		}
	}
}

// fodder are words that fuzzed lines are made of, beside those of the lines themselves.
var fodder = strings.Fields("-a -b -c -d -D -e -f -m -n -o -r -u -x -C -F -M -- - . a.txt sub/b.txt x y --amend --force --delete drop clear " +
	"status branch commit --stat HEAD main 1 +5 -5 .env k.pem -exec -delete -name --output=x -I -Ix --color=always /etc/shadow ../x @x :x " +
	"--message -mx --version --help -v list push https://e.example/r -S -la -print --file -W error -O -type f ( ) !")

// lines that pass, of every row.
var passing = strings.Split("grep x a|grep -e x a|ls a|find . -name a|locate a|cat a|head -n 5 a|tail a|wc a|echo a|date +x|pwd|whoami|git status|"+
	"git diff|git log|git show|git branch a|git branch -D a|git add a|git commit -m a|git commit --amend|git pull|git clone https://e.example/r|"+
	"git fetch|git checkout a|git switch a|git switch -f a|git restore a|git merge a|git stash|git stash drop|git stash list|npm install|npm ci|"+
	"npm run a|npm test|npm ls|python a.py|node a.js|gcc a.c|make|tar -cf a b|zip a b|unzip a|cat .env|git add k.pem", "|")

// TestAFurtherWordNeverLowersALevel puts words into lines that pass, behind the verb: an answer
// to the longer line may not be easier to have than one to the shorter line.
func TestAFurtherWordNeverLowersALevel(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 1))
	accepted := 0
	for range 40_000 {
		words := strings.Fields(passing[random.IntN(len(passing))])
		first := 1
		if words[0] == "git" || words[0] == "npm" {
			first = 2
		}
		for range random.IntN(4) {
			before, bad := run(words...)
			at := first + random.IntN(len(words)-first+1)
			longer := append(append(append([]string{}, words[:at]...), fodder[random.IntN(len(fodder))]), words[at:]...)
			after, worse := run(longer...)
			if worse != nil {
				continue
			}
			if accepted++; bad == nil && after.Level.Rank() < before.Level.Rank() {
				t.Fatalf("%q is %s, and %q is %s", words, before.Level, longer, after.Level)
			}
			words = longer
		}
	}
	if accepted < 10_000 {
		t.Errorf("only %d lines passed", accepted)
	}
}

// TestAnUnknownOptionNeverPasses makes up options that no row has.
func TestAnUnknownOptionNeverPasses(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 2))
	for n := range 10_000 {
		words := strings.Fields(passing[random.IntN(len(passing))])
		if words[0] == "echo" || words[0] == "python" || words[0] == "node" || strings.HasPrefix(strings.Join(words, " "), "npm run") {
			continue
		}
		option := []string{"--sekisho-%d", "--no-%d", "-~%d", "-%dq~", "--x%d=y"}[random.IntN(5)]
		words = append(words, fmt.Sprintf(option, n))
		if _, bad := run(words...); bad == nil {
			t.Errorf("%q passes", words)
		}
	}
}

func FuzzCommand(f *testing.F) {
	f.Add("git", "status\x01-s")
	f.Add("tar", "xf\x01a")
	f.Fuzz(func(t *testing.T, program, args string) {
		words := strings.Split(args, "\x01")
		v, bad := run(append([]string{program}, words...)...)
		if bad == nil && (v.Level == "" || v.Program != program) {
			t.Errorf("%q %q passes as %q", program, words, v.Level)
		}
		for _, w := range v.Paths {
			if strings.HasPrefix(w, "/") || strings.HasPrefix(w, "..") && (len(w) == 2 || w[2] == '/') {
				t.Errorf("%q %q names %q", program, words, w)
			}
		}
	})
}

// FuzzAFurtherWord puts a word into a line that passes, as TestAFurtherWordNeverLowersALevel does, and one that
// is an option that no row has.
func FuzzAFurtherWord(f *testing.F) {
	for i, line := range passing {
		f.Add(line, fodder[i%len(fodder)], uint(i))
		f.Add(strings.ReplaceAll(line, " ", "\x01"), "--", uint(i))
	}
	f.Fuzz(func(t *testing.T, line, word string, at uint) {
		words := strings.Split(strings.ReplaceAll(line, " ", "\x01"), "\x01")
		first := 1
		if words[0] == "git" || words[0] == "npm" {
			first = 2
		}
		before, bad := run(words...)
		if bad != nil || len(words) < first {
			return
		}
		where := first + int(at%uint(len(words)-first+1))
		longer := slices.Insert(slices.Clone(words), where, word)
		if after, worse := run(longer...); worse == nil && after.Level.Rank() < before.Level.Rank() {
			t.Errorf("%q is %s, and %q is %s", words, before.Level, longer, after.Level)
		}
		scripts := slices.Contains(strings.Fields("echo python node"), words[0]) || before.Verb == "run" || before.Verb == "test"
		if _, worse := run(slices.Insert(slices.Clone(words), first, "--sekisho"+word)...); worse == nil && !scripts {
			t.Errorf("%q passes with the option %q", words, "--sekisho"+word)
		}
	})
}
