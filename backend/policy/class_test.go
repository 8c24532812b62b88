package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// commandInput writes a command as a tool's input.
func commandInput(command string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"command": command})
	return raw
}

// kindOf is what a call in /w is of: the parts of its line with the folders that are not /w,
// "?" being one that cannot be told, or "tool"; or why it is answered once only.
func kindOf(input json.RawMessage) string {
	class, once := policy.ClassOf(&policy.Call{ServerID: new("shell"), ToolName: "execute_command", Input: input, Cwd: new("/w")}, nil)
	switch {
	case once != "":
		return string(once)
	case class == nil:
		return "none"
	case class.Parts == nil:
		return "tool"
	}
	var names []string
	for _, p := range class.Parts {
		switch {
		case p.Lost:
			p.Name += " in ?"
		case p.Folder != "/w":
			p.Name += " in " + p.Folder
		}
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func TestClassOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"git status": "git status", "  git log -n 3  ": "git log", "git push --force": "git push", "git": "git",
		"git status && git log -1": "git status, git log", "git log | head -3": "git log", "git log; git log -2": "git log",
		"ls -la > x": "ls", "cd a && git status": "git status in /w/a", "cd /x && git status; cd .. && ls": "git status in /x, ls in /",
		"git -C /x log": "git log in /x", "cd ~ && git status": "none", "cd $X && ls": "none", "ls; cd $X && ls": "ls, ls in ?",
		"(cd a; ls); ls": "ls in /w/a, ls", "ls $(rm x)": "ls, rm", "echo hi": "echo", "cd a && pwd": "cd, pwd in /w/a", "echo hi > f": "echo",
		"NODE_ENV=test npm test": "npm test", "npm run build": "npm run build", "docker compose up -d": "docker compose up",
		"python -m pytest": "python -m pytest", "bash build.sh": "bash build.sh", "sudo rm x": "sudo, rm", "env A=1 rm x": "rm",
		"timeout 5 rm x": "rm", "xargs rm": "rm", "find . -exec rm {} +": "find, rm", "/usr/bin/rm x": "rm", "\"rm\" x": "rm",
		"if a; then b; fi": "a, b",

		"": "opaque", "# ls": "opaque", "$X y": "opaque", "r* x": "opaque", "ls 'a": "opaque", "eval ls": "opaque",
		"A=1": "opaque", "ls\x00": "opaque",
		"python -c x": "code", "ls | sh": "code", "node -e x": "code", "git -c core.pager=x log": "code", "PATH=/x ls": "code",
		"tar xf x --to-command=id": "code", "./git status": "unusual", "../rm": "unusual", "bin/rm x; python -c x": "code",
		"./rm; $X": "opaque",
	} {
		if got := kindOf(commandInput(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestClassOfAnInput(t *testing.T) {
	for raw, want := range map[string]string{
		"": "tool", "{}": "tool", `{"path":"x"}`: "tool", "[1]": "tool", `"ls"`: "tool",
		`{"a":{"command":"a; b"}}`: "tool", `{"args":["; rm x"]}`: "tool",
		`{"command":"ls"}`: "ls", `{"cmd":"ls"}`: "ls", `{"comm\u0061nd":"l\u0073 a"}`: "ls", `{"command":["ls","-l"]}`: "ls",
		`{"command":["bash","-lc","git log"]}`: "git log", `{"command":"ls","args":["-la","a b"]}`: "ls", `{"command":"view","path":"x"}`: "tool",
		`{"command":null}`: "opaque", `{"command":1}`: "opaque", `{"Command":"ls"}`: "opaque", `{"command":"ls","cmd":"ls"}`: "opaque",
		`{"command":"ls","command":"ls"}`: "opaque", `{"command":"ls"`: "opaque", `{"command":"ls","args":["$(rm x)"]}`: "opaque",
		`{"command":"ls","Command ":"x"}`: "opaque", `{"command":"ls","ｃｍｄ":"x"}`: "opaque", `{"comm\u0430nd":"ls"}`: "opaque",
		`{"command\u200b":"ls"}`: "opaque", `{"COMMAND":"ls"}`: "opaque", `{"commander":"ls"}`: "tool", `{"データ":"ls"}`: "tool",
		`{"command":"ls","shell":"bash"}`: "ls", `{"command":"ls","shell":"/tmp/x"}`: "opaque", `{"command":"ls","sudo":false}`: "ls",
		`{"command":"ls","use_sudo":true}`: "opaque", `{"command":"ls","wants":"x"}`: "opaque", `{"command":"ls","wants":3}`: "opaque",
		`{"command":"ls","wants":null}`:                         "ls",
		`{"command":"ls","timeout_ms":"5","isBackground":true}`: "ls", `{"command":"ls","working_dir":"/x"}`: "ls in /x",
		`{"command":"ls","cwd":"sub"}`: "ls in /w/sub", `{"command":"ls","workdir":"/x"}`: "ls in /x",
		`{"command":"cd a && ls","cwd":"/x"}`: "ls in /x/a",
		`{"command":"ls","cwd":null}`:         "ls", `{"command":"ls","cwd":1}`: "none", `{"command":"ls","cwd":"~"}`: "none",
		`{"command":"ls","cwd":"/x","workdir":"/y"}`: "none", `{"command":"cd /z && ls","cwd":1}`: "ls in /z",
	} {
		if got := kindOf(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	class, once := policy.ClassOf(&policy.Call{ToolName: "x", Cwd: new("/a")}, nil)
	if once != "" || class.ServerID != nil || class.ToolName != "x" || class.Method != permission.CallTool ||
		class.Folder != "/a" || class.Parts != nil {
		t.Errorf("a tool of the agent's own: %+v, %s", class, once)
	}
	read, _ := policy.ClassOf(&policy.Call{ServerID: new("s"), Method: permission.ReadResource, ToolName: "file:///a",
		Input: commandInput("rm x")}, nil)
	if read.Method != permission.ReadResource || read.Parts != nil {
		t.Errorf("a resource: %+v", read)
	}
}

// TestClassOfHostileCommands: what makes the parser slow is not given to it.
func TestClassOfHostileCommands(t *testing.T) {
	for _, unit := range []string{"$(", "((", "( ", "{ ", "if ", "! ", "`", `"$(`, "${a:-", "$((", "<(", "@(", "a() ", "$[", "a ", "time ",
		"a[$((", "x;", "'", `"`, "$a"} {
		command := "ls " + strings.Repeat(unit, (maxCommandBytes-20)/len(unit))
		for _, c := range []string{command, command[3:], "ls; " + command} {
			start := cputime.Now()
			got := kindOf(commandInput(c))
			if took := cputime.Since(start); took > 10*time.Second {
				t.Errorf("%q: %v", unit, took)
			}
			if len(got) > 1<<20 {
				t.Errorf("%q: a kind of %d bytes", unit, len(got))
			}
		}
	}
	if got := kindOf(commandInput("ls " + strings.Repeat("a", maxCommandBytes))); got != "opaque" {
		t.Errorf("huge command: %q", got)
	}
}

const maxCommandBytes = 64 << 10

// FuzzClassOf: a kind names what the line is read as, and never a part of no name.
func FuzzClassOf(f *testing.F) {
	for _, seed := range []string{"git status", "ls 'a;b' \"c|d\" $X", "find . -exec rm", "a\\\nb", "ls <(a)", "ls #", "cd a && b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		class, once := policy.ClassOf(&policy.Call{ToolName: "run", Input: commandInput(line)}, nil)
		if class == nil {
			return
		}
		if once == "" && len(class.Parts) == 0 {
			t.Fatalf("%q has no parts", line)
		}
		for _, p := range class.Parts {
			if p.Name == "" {
				t.Fatalf("%q has a part of no name: %+v", line, class.Parts)
			}
		}
	})
}
