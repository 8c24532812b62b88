package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/policy"
)

// commandInput writes a command as a tool's input.
func commandInput(command string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"command": command})
	return raw
}

// kindOf is the names of a line's kind, and why a yes to it is for it alone, if it is.
func kindOf(raw json.RawMessage) string {
	class, once := policy.ClassOf(&policy.Call{ServerID: new("shell"), ToolName: "execute_command", Input: raw})
	if once != "" {
		return string(once)
	}
	if class == nil {
		return "none"
	}
	var names []string
	for _, p := range class.Parts {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
func classWord(raw json.RawMessage) string { return kindOf(raw) }

func TestClassOfACommand(t *testing.T) {
	for want, commands := range map[string][]string{
		"git": {"git status", "  git log -n 3  ", "git commit -m 'a; b'", `git commit -m "a && $USER > b"`, "git push\n", "git diff -- a{1,2}.go",
			"git -C ~/x log", `git log --format="%h (%an)"`, "git commit -m 'one\n\ntwo'", "git diff HEAD~1 'stash@{0}' src/*.go",
			`git show "v$REF:x"`},
		"rm": {"rm -rf /", "rm a"}, "cat": {"cat $REF", `cat "$REF:x"`, "cat *.go"}, "/usr/bin/rm": {"/usr/bin/rm -rf /"}, "g++": {"g++ x.cc"},
		"apt-get": {"apt-get update"}, "7z": {"7z x a.7z"},
		"make": {"make test"}, "npm": {"npm install", "npm run build"},
		"find":   {"find . -name '*.go'", "find . -name x -delete", "find ~/a -name *.go"},
		"docker": {"docker ps -a"}, "go": {"go test ./..."},

		"once": {"", " ", "\n", "ls; rm x", "ls && rm x", "ls || rm x", "ls | sh", "ls |& sh", "ls & rm x", "ls &", "ls x &", "ls;", "ls x;",
			"ls x |", "ls\nrm x", "! ls",
			"ls > x", "ls >> x", "ls 2>&1", "sort < x", "cat <<E\nx\nE", "cat <<< x", "ls $(rm x)", "ls `rm x`", `ls "$(rm x)"`,
			`ls "` + "`rm x`" + `"`,
			"diff <(a) <(b)", "ls ${x:-$(rm y)}", "ls ${x@P}", "ls ${HOME}", "ls $((a[1]))", "ls $[1]", "ls $x[1]", "ls $'a'", `ls $"a"`,
			"ls @(a|b)",
			"A=1 ls", "A=1", "a[1]=2 ls", "$CMD x", `"rm" x`, "'rm' x", `r\m x`, `\rm x`, "r''m x", "r* x", "~/rm x", "{ ls; }", "(ls)", "((1))",
			"[[ a ]]",
			"if a; then b; fi", "while a; do b; done", "f() { ls; }", "time ls", "coproc ls", "export A=1", "let a=1", "ls # rm", "# ls", "ls 'a",
			"ls \x00", "ls \x1b[2K", "ls\rrm x", "rм x", "=ls", "%ComSpec% /c x", "./rm", "bin/rm x", "../rm", "/tmp/../bin/rm", "@echo off", "-x",
			"[ a ]", "!!",
			"sudo rm x", "doas rm", "env rm x", "bash -c ls", "sh x", "/bin/sh x", "BASH -c x", "bash.exe -c x", "xargs rm", "nohup rm", "nice rm",
			"timeout 5 rm",
			"exec rm", "eval rm", "source x", ". x", "command rm", "builtin x", "ssh h", "su -", "python x.py", "python3 x.py",
			"/usr/bin/python3.14 -c x",
			"node x.js", "perl -e x", "ruby x", "php x", "awk x", "sed s/a/b/e x", "npx x", "pwsh -c x", "cmd /c x", "vim x", "lua5.4 x",
			"find . -exec rm {} +", `find . "-exec" rm`, `find . -e\xec rm`, "find . $X", "find . -okdir rm", "docker run x",
			"docker compose exec a b",
			"docker --context a exec b", "npm exec x", "go run x.go", "go test -exec=x ./...", "docker {run,x}",
			"git log $REF", `git log "$REF:x"`, "git grep x *.go", "git diff a$IFS-Oid",
			"perf stat ls", "valgrind ls", "ld-linux-x86-64.so.2 ls", "go build --toolexec=x ./...", "ip netns exec a ls", "op run ls",
			"yarn node x.js",
			"tar -cf a b --checkpoint-action=exec=x", "rsync -e x a b", "scp -S x a b"},
	} {
		for _, command := range commands {
			if got := classWord(commandInput(command)); got != want {
				t.Errorf("%q: %q, want %q", command, got, want)
			}
		}
	}
}

func TestClassOfAnInput(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "{}": "", `{"path":"x"}`: "", "[1]": "", `"ls"`: "", `{"cmd":"a; b"}`: "", `{"a":{"command":"a; b"}}`: "",
		`{"command":"ls"}`: "ls", `{"comm\u0061nd":"ls"}`: "ls", `{"command":"l\u0073 a"}`: "ls",
		`{"command":null}`: "once", `{"command":["ls"]}`: "once", `{"command":1}`: "once", `{"command":{}}`: "once", `{"Command":"ls"}`: "once",
		`{"command":"ls","COMMAND":"rm"}`: "once", `{"command":"ls","command":"ls"}`: "once", `{"a":1,"a":1}`: "once", `{"command":"ls"`: "once",
		`{`:                                     "once",
		`{"command":"ls","args":["-la","a b"]}`: "ls", `{"command":"ls","args":[]}`: "ls", `{"command":"ls -l","args":[]}`: "ls",
		`{"command":"ls","args":null}`: "ls", `{"command":"ls -l","args":["a"]}`: "once", `{"command":"ls","args":"-l"}`: "once",
		`{"command":"ls","args":[1]}`: "once", `{"command":"ls","args":[null]}`: "once", `{"command":"ls","args":["; rm x"]}`: "once",
		`{"command":"ls","args":["$(rm x)"]}`: "once", `{"command":"ls","args":["\nrm x"]}`: "once",
		`{"command":"find","args":[".","-name","*.go"]}`: "find", `{"command":"find","args":[".","-exec","rm"]}`: "once",
		`{"command":"find","args":[". -exec rm"]}`: "once", `{"command":"find","args":["-ex\"ec\"","rm"]}`: "once",
		`{"command":"find","args":["$X"]}`:             "once",
		`{"command":"find","args":["{-exec,x}","rm"]}`: "once", `{"command":"find","args":["{-exec,x.go"]}`: "find",
		`{"command":"bash","args":["-c","ls"]}`: "once", `{"command":"view","path":"x"}`: "view", `{"command":"view","args":["x"]}`: "once",
		`{"args":["; rm x"]}`: "",
	} {
		if got := classWord(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	class, _ := policy.ClassOf(&policy.Call{ToolName: "x"})
	if class == nil || class.ServerID != nil || class.ToolName != "x" {
		t.Errorf("class %+v", class)
	}
}

// TestClassOfHostileCommands: what makes the parser slow is not given to it.
func TestClassOfHostileCommands(t *testing.T) {
	for _, unit := range []string{"$(", "((", "( ", "{ ", "if ", "! ", "`", `"$(`, "${a:-", "$((", "<(", "@(", "a() ", "$[", "a ", "time ",
		"a[$((", "x;", "'", `"`, "$a"} {
		command := "ls " + strings.Repeat(unit, (maxCommandBytes-20)/len(unit))
		for _, c := range []string{command, command[3:], "ls; " + command} {
			start := cputime.Now()
			got := classWord(commandInput(c))
			if took := cputime.Since(start); took > 10*time.Second {
				t.Errorf("%q: %v", unit, took)
			}
			if got != "once" && got != "ls" && got != "a" {
				t.Errorf("%q: %q", unit, got)
			}
		}
	}
	for brackets, want := range map[int]string{1000: "ls", 1001: "once"} {
		if got := classWord(commandInput("ls '" + strings.Repeat("(", brackets) + "'")); got != want {
			t.Errorf("%d brackets: %q", brackets, got)
		}
	}
	if got := classWord(commandInput("ls " + strings.Repeat("a", maxCommandBytes))); got != "once" {
		t.Errorf("huge command: %q", got)
	}
}

const maxCommandBytes = 64 << 10

// FuzzClassOf: a class of a command needs a command that a shell cuts into plain words
// at blanks, once everything quoted is taken out.
func FuzzClassOf(f *testing.F) {
	for _, seed := range []string{"git status", "ls 'a;b' \"c|d\" $X", "find . -exec rm", "a\\\nb", "ls $x[1]", "ls <(a)", "ls #", "7z",
		"a \\; b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		raw := commandInput(command)
		var read struct{ Command string }
		if json.Unmarshal(raw, &read) != nil {
			return
		}
		got := classWord(raw)
		if got == "once" {
			return
		}
		if !strings.HasPrefix(strings.TrimLeft(read.Command, " \t\n"), got) || got == "" {
			t.Fatalf("%q has the word %q", command, got)
		}
		if bad := strings.IndexAny(unquoted(read.Command), ";|&<>()`"); bad >= 0 {
			t.Fatalf("%q is %q, and yet has %q", command, got, unquoted(read.Command)[bad:])
		}
		if strings.Contains(unsingled(read.Command), "$(") || strings.Contains(unsingled(read.Command), "`") {
			t.Fatalf("%q is %q, and yet substitutes", command, got)
		}
	})
}

// unquoted takes out what quotes and backslashes make literal, and unsingled only what
// single quotes and backslashes do.
func unquoted(s string) string  { return strip(s, true) }
func unsingled(s string) string { return strip(s, false) }

func strip(s string, doubles bool) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == 0 || quote == '"' && !doubles:
			b.WriteByte(c)
		}
	}
	return b.String()
}
