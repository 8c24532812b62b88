//go:build linux

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/guard"
	"sekisho/backend/permission"
	"sekisho/backend/process"
	"sekisho/backend/rewrite"
	"sekisho/backend/tool"
	"sekisho/backend/tooltest"
)

func TestMain(m *testing.M) {
	tooltest.Begin()
	process.Begin()
	tool.Begin() // where this is started as a stage, it does not return
	os.Exit(m.Run())
}

// yard is the yard of the shared cases, with the tools of its workspace.
type yard struct {
	*tooltest.Yard
	t       *testing.T
	ws, out string
	tools   *tool.Workspace

	confined bool // by more than nothing, where a test has asked
}

func newYard(t *testing.T) *yard {
	t.Helper()
	of := tooltest.NewYard(t, t.TempDir())
	y := &yard{Yard: of, t: t, ws: of.Workspace, out: of.Outside}
	w, err := tool.Open(y.ws)
	if err != nil {
		t.Fatal(err)
	}
	y.tools = w
	t.Cleanup(func() { w.Close() })
	return y
}

// call runs a tool with an input.
func (y *yard) call(name string, input map[string]any) tool.Result {
	y.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		y.t.Fatal(err)
	}
	return y.tools.Run(context.Background(), name, raw, "")
}

func (y *yard) run(words ...string) tool.Result {
	y.t.Helper()
	return y.call(guard.ExecuteCommand, map[string]any{"command": words[0], "args": words[1:]})
}

func (y *yard) write(name, text string) {
	y.t.Helper()
	if err := os.WriteFile(filepath.Join(y.ws, name), []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

func TestSharedPaths(t *testing.T) {
	for _, c := range tooltest.Read[tooltest.Path](t, "../guard/testdata/paths.json") {
		t.Run(c.ID+" "+c.Cls, func(t *testing.T) {
			y := newYard(t)
			for _, words := range c.Setup {
				if !y.Set(words) {
					t.Skip("cannot be set up here: ", words)
				}
			}
			input := c.Input(y.Yard)
			path := input["path"]
			r := y.call(c.Tool(), input)
			got := map[bool]string{true: "ok", false: "refused"}[r.Success]
			if !slices.Contains(c.Accept, got) {
				t.Errorf("%s %q is %s (%s), want %v", c.Op, path, got, r.Error, c.Accept)
			}
			if strings.Contains(deref(r.Content), "SECRET") && c.Cls != "hardlink" {
				t.Errorf("%s %q gives what is outside", c.Op, path)
			}
			listed := fmt.Sprint(r.Files)
			if c.MustList != "" && !strings.Contains(listed, c.MustList) || c.MustNotList != "" && strings.Contains(listed, c.MustNotList) {
				t.Errorf("the list is %s", listed)
			}
			if c.MaxEntries > 0 && len(r.Files) > c.MaxEntries {
				t.Errorf("%d entries", len(r.Files))
			}
			if secret, _ := os.ReadFile(filepath.Join(y.out, "secret")); string(secret) != "SECRET" {
				t.Errorf("the file outside is %q", secret)
			}
			if entries, _ := os.ReadDir(y.out); len(entries) != 1 {
				t.Errorf("outside there are %v", entries)
			}
		})
	}
}

func TestAFIFODoesNotBlock(t *testing.T) {
	y := newYard(t)
	if !y.Set([]any{"fifo", "pipe.txt"}) {
		t.Skip("no FIFO can be made")
	}
	for name, input := range map[string]map[string]any{guard.ReadFile: {"path": "pipe.txt"},
		guard.WriteFile: {"path": "pipe.txt", "content": "x"}, guard.ExecuteCommand: {"command": "cat", "args": []string{"pipe.txt"}}} {
		if r := y.call(name, input); r.Success || !strings.HasPrefix(r.Error, "File type not allowed") {
			t.Errorf("%s says %+v", name, r)
		}
	}
}

// TestASecretHasNoOtherName: a link to a file of secrets is refused, since its name is what was judged.
func TestASecretHasNoOtherName(t *testing.T) {
	y := newYard(t)
	y.write(".env", "TOKEN=SECRET")
	y.write("plain.txt", "inside")
	for link, to := range map[string]string{"readme.txt": ".env", "again.txt": "readme.txt", "fine.txt": "plain.txt", "dir": "sub"} {
		if err := os.Symlink(to, filepath.Join(y.ws, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"readme.txt", "again.txt"} {
		for name, input := range map[string]map[string]any{guard.ReadFile: {"path": link}, guard.ListDirectory: {"path": link},
			guard.ExecuteCommand: {"command": "cat", "args": []string{link}}} {
			r := y.call(name, input)
			if r.Success || !strings.HasPrefix(r.Error, "Path outside workspace: ") || !strings.Contains(r.Error, "secrets") {
				t.Errorf("%s of %s says %+v", name, link, r)
			}
		}
	}
	for _, path := range []string{".env", "fine.txt", "dir/b.txt"} {
		if r := y.call(guard.ReadFile, map[string]any{"path": path}); !r.Success {
			t.Errorf("%s says %+v", path, r)
		}
	}
}

func TestAWriteKeepsModeAndBreaksHardLinks(t *testing.T) {
	y := newYard(t)
	y.write("run.py", "old")
	os.Chmod(filepath.Join(y.ws, "run.py"), 0o750)
	os.Link(filepath.Join(y.ws, "run.py"), filepath.Join(y.out, "other"))
	for _, mode := range []string{"write", "append"} {
		if r := y.call(guard.WriteFile, map[string]any{"path": "run.py", "content": "new", "mode": mode}); !r.Success {
			t.Fatal(r.Error)
		}
	}
	got, _ := os.ReadFile(filepath.Join(y.ws, "run.py"))
	info, _ := os.Stat(filepath.Join(y.ws, "run.py"))
	other, _ := os.ReadFile(filepath.Join(y.out, "other"))
	if string(got) != "newnew" || info.Mode().Perm() != 0o750 || string(other) != "old" {
		t.Errorf("the file is %q with mode %o, its other name %q", got, info.Mode().Perm(), other)
	}
	if entries, _ := os.ReadDir(y.ws); len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
	if r := y.call(guard.WriteFile, map[string]any{"path": "no/such/a.txt", "content": "x"}); r.Success {
		t.Error("a folder was made")
	}
}

func TestCommands(t *testing.T) {
	y := newYard(t)
	t.Setenv("SECRET_TOKEN", "x")
	r := y.run("ls")
	if !r.Success || *r.Stdout != "a.txt\nsub\n" || *r.ExitCode != 0 {
		t.Errorf("ls says %+v: %s", r, deref(r.Stderr))
	}
	if r := y.run("grep", "nothing", "a.txt"); r.Success || *r.ExitCode != 1 || r.Error != "" {
		t.Errorf("grep says %+v", r)
	}
	if r := y.run("rm", "a.txt"); !strings.HasPrefix(r.Error, "Command not allowed: ") {
		t.Errorf("rm says %+v", r)
	}
	os.Symlink("/etc", filepath.Join(y.ws, "link-to-etc"))
	if r := y.run("cat", "link-to-etc/passwd"); !strings.HasPrefix(r.Error, "Path outside workspace: ") {
		t.Errorf("cat of a link says %+v", r)
	}
	y.write("big.txt", strings.Repeat("x", guard.MaxOutput+1))
	if r := y.run("cat", "big.txt"); !r.Truncated || len(*r.Stdout) != guard.MaxOutput {
		t.Errorf("cat gives %d bytes, truncated %v", len(deref(r.Stdout)), r.Truncated)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// python gives the workspace a script, or skips the test where there is none.
func (y *yard) python(script string) []string {
	y.t.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		y.t.Skip("there is no python3")
	}
	y.write("x.py", script)
	return []string{"python", "x.py"}
}

// full skips a test where commands cannot be confined in full.
func (y *yard) full() {
	y.t.Helper()
	if c := y.tools.Confinement(); c.Level != tool.LevelFull {
		y.t.Skipf("commands are confined at level %s: no %v", c.Level, c.Missing)
	}
}

// escape tries all that a script must not be able to do, and prints what it could.
const escape = `
import os, socket
out, port, sock = open("where.txt").read().split("|")
def could(name, f):
    try:
        f(); print("COULD", name)
    except OSError as e:
        print("no", name, e.errno)
could("read", lambda: open(out + "/secret").read())
could("write", lambda: open(out + "/new", "w"))
could("shadow", lambda: open("/etc/shadow").read())
could("proc", lambda: open("/proc/1/environ").read())
could("tcp", lambda: socket.create_connection(("127.0.0.1", int(port)), 2))
could("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(port))))
could("unix", lambda: socket.socket(socket.AF_UNIX).connect(sock))
could("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
could("raw", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW))
could("device", lambda: os.mknod("dev", 0o20666, os.makedev(1, 8)))
could("link", lambda: os.link(out + "/secret", "linked"))
open("inside.txt", "w").write("x")
print("env", sorted(k for k in os.environ if "SECRET" in k))
`

func TestAnApprovedScriptStaysInside(t *testing.T) {
	y := newYard(t)
	y.full()
	t.Setenv("SECRET_TOKEN", "x")
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	sock := filepath.Join(y.out, "..", "s")
	unix, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	command := y.python(escape)
	y.write("where.txt", fmt.Sprintf("%s|%d|%s", y.out, tcp.Addr().(*net.TCPAddr).Port, sock))
	r := y.run(command...)
	if !r.Success || strings.Contains(*r.Stdout, "COULD") || strings.Count(*r.Stdout, "no ") != 11 || !strings.Contains(*r.Stdout, "env []") {
		t.Errorf("it says %+v:\n%s\n%s", r, deref(r.Stdout), deref(r.Stderr))
	}
	if _, err := os.Stat(filepath.Join(y.ws, "inside.txt")); err != nil {
		t.Error(err)
	}
}

// TestNoChildLivesOn ends a command that has left a child in a session of its own.
func TestNoChildLivesOn(t *testing.T) {
	y := newYard(t)
	if os.Getenv(noSpaces) == "" {
		y.full()
	} else if c := y.tools.Confinement(); !slices.Contains(c.Missing, "pid namespace") {
		t.Fatalf("%+v", c)
	}
	command := y.python(`
import os, sys, time
open("first.txt", "w").write("x")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2)
        while True:
            open("alive.txt", "a").write("x"); time.sleep(0.01)
while not os.path.exists("alive.txt"): time.sleep(0.01)
if len(sys.argv) > 1: time.sleep(1000)
`)
	alive := filepath.Join(y.ws, "alive.txt")
	still := func() int64 {
		info, err := os.Stat(alive)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if r := y.run(command...); !r.Success {
		t.Fatalf("%+v %s", r, deref(r.Stderr))
	}
	before := still()
	time.Sleep(100 * time.Millisecond)
	if after := still(); after != before {
		t.Error("a child lives on after the end of its command")
	}
	os.Remove(alive)
	r := y.call(guard.ExecuteCommand, map[string]any{"command": command[0], "args": append(command[1:], "long"), "timeout": 2})
	if r.Success || !strings.HasPrefix(r.Error, "Timeout: ") {
		t.Errorf("it says %+v", r)
	}
	before = still()
	time.Sleep(100 * time.Millisecond)
	if after := still(); after != before {
		t.Error("a child lives on after the timeout")
	}
}

// TestGitRunsNothingOfTheRepository has hooks, a filter, an alias and a monitor in its settings.
func TestGitRunsNothingOfTheRepository(t *testing.T) {
	y := newYard(t)
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("there is no git")
	}
	hook := filepath.Join(y.ws, "trap")
	os.WriteFile(hook, []byte("#!/bin/sh\necho x >> "+y.ws+"/ran\ncat\n"), 0o755)
	os.MkdirAll(filepath.Join(y.ws, ".git/objects"), 0o755)
	os.MkdirAll(filepath.Join(y.ws, ".git/refs/heads"), 0o755)
	os.MkdirAll(filepath.Join(y.ws, ".git/hooks"), 0o755)
	os.WriteFile(filepath.Join(y.ws, ".git/hooks/pre-commit"), []byte("#!/bin/sh\n"+hook+" </dev/null\n"), 0o755)
	y.write(".git/HEAD", "ref: refs/heads/main\n")
	y.write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "+hook+"\n\tpager = "+hook+"\n[filter \"x\"]\n\tclean = "+hook+
		"\n\tsmudge = "+hook+"\n[include]\n\tpath = more\n[diff]\n\texternal = "+hook+"\n[diff \"x\"]\n\tcommand = "+hook+"\n\ttextconv = "+hook+"\n")
	y.write(".git/more", "[filter \"y\"] clean = "+hook+"\n[diff \"y\"]\n\ttextconv = "+hook+"\n")
	y.write(".gitattributes", "a.txt filter=x diff=x\nsub/* filter=y diff=y\n")
	for _, line := range []string{"git status", "git add a.txt sub", "git commit -m x", "git log -p", "git show HEAD", "git stash list"} {
		if r := y.run(strings.Fields(line)...); !r.Success {
			t.Errorf("%s: %+v %s", line, r, deref(r.Stderr))
		}
	}
	y.write("a.txt", "changed")
	if r := y.run("git", "diff"); r.Success { // it cannot show it without the program of the repository
		t.Errorf("git diff shows %s", deref(r.Stdout))
	}
	if _, err := os.Stat(filepath.Join(y.ws, "ran")); err == nil {
		t.Error("something of the repository ran")
	}
}

func TestListing(t *testing.T) {
	y := newYard(t)
	y.Set([]any{"many", "f", 1200.0})
	y.write(".hid", "x")
	r := y.call(guard.ListDirectory, map[string]any{"path": ".", "pattern": "f*"})
	if !r.Success || len(r.Files) != guard.MaxEntries || *r.TotalCount != 1200 {
		t.Errorf("%d files of %v: %s", len(r.Files), r.TotalCount, r.Error)
	}
	for _, c := range []struct {
		pattern   string
		recursive bool
		want      string
	}{{"*.txt", false, "a.txt"}, {"*.txt", true, "a.txt sub/b.txt"},
		{"{a,b}.txt", true, "a.txt sub/b.txt"}, {"sub/*", false, "sub/b.txt sub/deep"},
		{".h*", false, ".hid"}, {"*hid", false, ""}} {
		r := y.call(guard.ListDirectory, map[string]any{"path": ".", "pattern": c.pattern, "recursive": c.recursive})
		var names []string
		for _, f := range r.Files {
			names = append(names, f.Path)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s is %q, want %q (%s)", c.pattern, got, c.want, r.Error)
		}
	}
}

func TestOpenRefusesWhatIsNoFolder(t *testing.T) {
	y := newYard(t)
	os.Symlink(y.ws, filepath.Join(y.out, "link"))
	for _, folder := range []string{"/", "relative", filepath.Join(y.ws, "a.txt"), filepath.Join(y.ws, "none"), filepath.Join(y.out, "link")} {
		if w, err := tool.Open(folder); err == nil {
			w.Close()
			t.Errorf("%s is taken", folder)
		}
	}
	if runtime.GOOS != "linux" && y.tools.Confinement().Level != tool.LevelNone {
		t.Error("another level than none")
	}
}

// TestRealProgramsWorkConfined runs those that are installed.
func TestRealProgramsWorkConfined(t *testing.T) {
	y := newYard(t)
	y.write("main.c", "#include <stdio.h>\nint main() { puts(\"made\"); return 0; }\n")
	y.write("Makefile", "all:\n\tgcc -o prog main.c && ./prog\n")
	y.write("b.js", "console.log(process.env.HOME !== undefined)\n")
	y.write("package.json", `{"name":"x","version":"1.0.0","scripts":{"build":"node b.js"}}`)
	for _, c := range [][2]string{{"gcc -Wall -o first main.c", ""}, {"make", "made\n"}, {"tar -czf o.tgz a.txt sub", ""},
		{"tar tzf o.tgz", "sub/b.txt\n"},
		{"zip o.zip a.txt", "a.txt"}, {"unzip -l o.zip", "a.txt"}, {"node b.js", "true\n"}, {"npm run build", "true\n"}, {"npm ls", "x@1.0.0"},
		{"date -u +%Y", "20"},
		{"find . -name *.c", "./main.c\n"}, {"grep -rn inside sub", "sub/b.txt:1:inside"}, {"whoami", "\n"}, {"pwd", y.ws + "\n"}} {
		t.Run(c[0], func(t *testing.T) {
			words := strings.Fields(c[0])
			if _, err := os.Stat("/usr/bin/gcc"); err != nil && words[0] == "make" {
				t.Skip("gcc is not installed")
			}
			r := y.run(words...)
			if strings.HasPrefix(r.Error, "Command not found: ") {
				t.Skip(words[0] + " is not installed")
			}
			if !r.Success || !strings.Contains(deref(r.Stdout), c[1]) {
				t.Errorf("%+v\n%s\n%s", r, deref(r.Stdout), deref(r.Stderr))
			}
		})
	}
}

// TestAnEqualWriteIsNoChange runs two equal writes that were shown the same file, as where a person
// answered both together.
func TestAnEqualWriteIsNoChange(t *testing.T) {
	y := newYard(t)
	shown := permission.FileVersion(permission.VersionText, filepath.Join(y.ws, "a.txt"), "inside")
	write := func(name, content, mode, shown string) tool.Result {
		raw, _ := json.Marshal(map[string]any{"path": name, "content": content, "mode": mode})
		return y.tools.Run(context.Background(), guard.WriteFile, raw, shown)
	}
	for range 2 {
		if r := write("a.txt", "new", "write", shown); !r.Success {
			t.Errorf("an equal write: %+v", r)
		}
	}
	if r := write("a.txt", "other", "write", shown); r.Success || !strings.HasPrefix(r.Error, "changed: ") {
		t.Errorf("another write: %+v", r)
	}
	shown = permission.FileVersion(permission.VersionText, filepath.Join(y.ws, "a.txt"), "new")
	if r := write("a.txt", "+", "append", shown); !r.Success {
		t.Errorf("append: %+v", r)
	}
	if r := write("a.txt", "+", "append", shown); r.Success || !strings.HasPrefix(r.Error, "changed: ") {
		t.Errorf("append once more: %+v", r)
	}
}

// TestAFileThatGrewIsChanged: also beyond what is compared by content.
func TestAFileThatGrewIsChanged(t *testing.T) {
	y := newYard(t)
	file := filepath.Join(y.ws, "a.txt")
	run := func(shown string) tool.Result {
		return y.tools.Run(context.Background(), guard.WriteFile, []byte(`{"path":"a.txt","content":"new"}`), shown)
	}
	y.write("a.txt", strings.Repeat("x", 3<<20))
	if r := run(permission.FileVersion(permission.VersionText, file, "inside")); r.Success || !strings.HasPrefix(r.Error, "changed: ") {
		t.Errorf("a file that grew: %+v", r)
	}
	info, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	large := permission.FileVersion(permission.VersionStamp, file, rewrite.Stamp(info))
	y.write("a.txt", strings.Repeat("y", 3<<20))
	if r := run(large); r.Success || !strings.HasPrefix(r.Error, "changed: ") {
		t.Errorf("a large file that was written to: %+v", r)
	}
	if info, err = os.Lstat(file); err != nil {
		t.Fatal(err)
	}
	if r := run(permission.FileVersion(permission.VersionStamp, file, rewrite.Stamp(info))); !r.Success {
		t.Errorf("a large file that is as it was: %+v", r)
	}
}

// TestAListStaysOnItsMount needs the right to mount.
func TestAListStaysOnItsMount(t *testing.T) {
	y := newYard(t)
	if !y.Set([]any{"bind", "{O}", "mnt"}) {
		t.Skip("nothing can be mounted here")
	}
	r := y.call(guard.ListDirectory, map[string]any{"path": ".", "recursive": true})
	names := []string{}
	for _, f := range r.Files {
		names = append(names, f.Path)
	}
	if !slices.Contains(names, "mnt") || slices.Contains(names, "mnt/secret") {
		t.Errorf("listed: %v", names)
	}
}

// TestSocketFamilies starts a script under the filter alone, with a network and without one.
func TestSocketFamilies(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python")
	}
	const script = `
import socket, errno
for name, args in [("tcp", (2, 1, 0)), ("tcp6", (10, 1, 6)), ("udp", (2, 2, 17)), ("mptcp", (2, 1, 262)),
    ("sctp", (2, 1, 132)), ("smc", (2, 1, 256)),
    ("smc family", (43, 1, 0)), ("ping", (2, 2, 1)), ("udplite", (2, 2, 136)),
    ("raw", (2, 3, 255)), ("unix", (1, 1, 0)), ("netlink", (16, 3, 0)),
    ("vsock", (40, 1, 0)), ("packet", (17, 3, 0)), ("alg", (38, 5, 0)), ("dccp", (2, 6, 33))]:
    try:
        socket.socket(*args).close(); print(name)
    except OSError as e:
        if e.errno not in (errno.EACCES,): print(name, "passed the filter:", e)
for kind in (1, 2, 5):
    try:
        socket.socketpair(1, kind); print("pair", kind)
    except OSError: pass
`
	for network, want := range map[string]string{"true": "tcp tcp6 udp pair 1", "false": "pair 1"} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args = []string{"sekisho-confined", `{"Program":"` + python + `","Network":` + network + `}`, "python3", "-c", script}
		out, err := cmd.CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("with a network %s: %q, want %q: %v", network, got, want, err)
		}
	}
}

// TestGitRunsNothingOfASubmodule: its settings are its own, and git shows nothing of its files. What git
// shows by parts is piped through no program of the settings.
func TestGitRunsNothingOfASubmodule(t *testing.T) {
	y := newYard(t)
	git := func(words ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, words...)...)
		cmd.Dir, cmd.Env = y.ws, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", words, err, out)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	trap := filepath.Join(y.ws, "trap")
	os.WriteFile(trap, []byte("#!/bin/sh\necho x >> "+y.ws+"/ran\ncat\n"), 0o755)
	git("init", "-q")
	git("init", "-q", "sub")
	y.write("sub/.gitattributes", "f filter=x\n")
	y.write("sub/f", "one")
	git("-C", "sub", "add", ".")
	git("-C", "sub", "commit", "-qm", "one")
	y.write(".gitmodules", "[submodule \"s\"]\n\tpath = sub\n\turl = https://example.org/s\n\tignore = none\n")
	git("add", "sub", ".gitmodules", "a.txt")
	git("commit", "-qm", "one")
	git("-C", "sub", "config", "filter.x.clean", trap)
	git("config", "interactive.diffFilter", trap)
	git("config", "color.ui", "always")
	y.write("sub/f", "two")
	y.write("a.txt", "two")
	lines := []string{"git status", "git diff", "git add -p", "git stash push", "git status --short"}
	for _, line := range lines {
		y.run(strings.Fields(line)...)
		if _, err := os.Stat(filepath.Join(y.ws, "ran")); err == nil {
			t.Fatalf("%s ran a program of the settings", line)
		}
	}
	os.Remove(filepath.Join(y.ws, ".gitmodules")) // then git reads it in the index
	y.run("git", "status")
	if _, err := os.Stat(filepath.Join(y.ws, "ran")); err == nil {
		t.Error("git status without the file .gitmodules ran a program of the settings")
	}
}
