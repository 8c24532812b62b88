package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sekisho/backend/guard"
	"sekisho/backend/tooltest"
)

// ordinary are the tests that are run as an ordinary user too, and more where all are asked for.
var (
	ordinary = strings.Fields("TestSharedPaths TestCommands TestAnApprovedScriptStaysInside TestNoChildLivesOn TestSocketFamilies")
	further  = strings.Fields("TestWhatPassesStaysInside TestGitRunsNothingOfTheRepository TestGitRunsNothingOfASubmodule " +
		"TestAddingRunsNothingOfASubmodule TestRealProgramsWorkConfined TestNoChildLivesOnWithoutNamespaces")
)

// TestAsAnOrdinaryUser runs tests of files and commands once more as a user who owns nothing of others.
// SEKISHO_CASES=all says: all.
func TestAsAnOrdinaryUser(t *testing.T) {
	const nobody = 65534
	if os.Getuid() != 0 {
		t.Skip("they run as an ordinary user already")
	}
	base := t.TempDir()
	program, room, tmp := filepath.Join(base, "program"), filepath.Join(base, "tool"), filepath.Join(base, "tmp")
	files := map[string]string{os.Args[0]: program, "../guard/testdata": filepath.Join(base, "guard/testdata")}
	for _, dir := range []string{room, tmp, files["../guard/testdata"]} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"commands.json", "paths.json", "abuse.txt"} {
		files["../guard/testdata/"+name] = filepath.Join(files["../guard/testdata"], name)
	}
	delete(files, "../guard/testdata")
	for from, to := range files {
		raw, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, raw, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{base, filepath.Dir(base)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(tmp, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	names := ordinary
	if os.Getenv("SEKISHO_CASES") == "all" {
		names = slices.Concat(names, further)
	}
	// The case of 100 MiB takes longer than all else, and is the same for each user.
	cmd := exec.Command(program, "-test.v", "-test.run", "^("+strings.Join(names, "|")+")$", "-test.skip", "^TestSharedPaths$/^PTH-231")
	cmd.Dir, cmd.Env = room, append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) && !bytes.Contains(out, []byte("--- SKIP: "+name+" ")) {
			t.Errorf("%s did not run", name)
		}
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- SKIP: ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// hostile are files that try to do something outside, by which programs of the list are told what to do.
const (
	hostilePython = "import os\nout = open('where.txt').read()\n" +
		"for f in (lambda: open(out + '/new', 'w'), lambda: print(open(out + '/secret').read())):\n    try: f()\n    except OSError: pass\n"
	hostileNode = "const fs = require('fs'), out = fs.readFileSync('where.txt', 'utf8')\n" +
		"for (const f of [() => fs.writeFileSync(out + '/new', ''), () => console.log(fs.readFileSync(out + '/secret', 'utf8'))])\n" +
		"  try { f() } catch {}\n"
	hostileMake = "all:\n\t-cat `cat where.txt`/secret\n\t-echo x > `cat where.txt`/new\n"
	hostileC    = "#include \"%s/secret\"\nint main() { return 0; }\n"
)

// TestWhatPassesStaysInside runs each line that passes, of the shared cases and of the abuse of listed programs, as if a
// person had allowed it, where it finds scripts that try to reach outside: nothing there is read or is another for it.
// What is started with a network is not about this machine. SEKISHO_CASES=all says: all, else a third.
func TestWhatPassesStaysInside(t *testing.T) {
	y := newYard(t)
	y.full()
	begin := func() {
		y.Fill()
		for name, text := range map[string]string{"where.txt": y.out, "script.py": hostilePython, "x.py": hostilePython, "build.js": hostileNode,
			"x.js": hostileNode, "Makefile": hostileMake, "main.c": fmt.Sprintf(hostileC, y.out), "README.md": "read", "log.txt": "x"} {
			y.write(name, text)
		}
		y.link(y.out, "link-out")
		y.link("/etc", "link-to-etc")
		y.link(y.out+"/secret", "in.tar")
		y.link(y.out+"/secret", "in.zip")
	}
	begin()
	before, ran, programs := y.State(false), 0, map[string]bool{}
	run := func(input map[string]any) {
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		c, bad := guard.Parse(y.ws, guard.ExecuteCommand, raw)
		if bad == nil {
			var v guard.Verdict
			v, bad = guard.Judge(y.ws, c)
			if v.Network {
				return
			}
		}
		r := y.call(guard.ExecuteCommand, input)
		if bad != nil && (r.ExitCode != nil || r.Success) {
			t.Errorf("%.150v is refused, and ran", input)
		}
		if r.ExitCode != nil {
			ran++
			programs[c.Command] = true
		}
		if strings.Contains(deref(r.Stdout)+deref(r.Stderr), "SECRET") {
			t.Errorf("%.150v gives what is outside: %.300s%.300s", input, deref(r.Stdout), deref(r.Stderr))
		}
		if after := y.State(false); after != before {
			t.Fatalf("%.150v changed\n%s\nto\n%s", input, before, after)
		}
	}
	every := 3
	if os.Getenv("SEKISHO_CASES") == "all" {
		every = 1
	}
	for i, c := range tooltest.Read[tooltest.Command](t, "../guard/testdata/commands.json") {
		if i%every == 0 {
			run(c.Input(y.ws))
		}
	}
	begin()
	raw, err := os.ReadFile("../guard/testdata/abuse.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSuffix(strings.TrimPrefix(line, "! "), "\n"); line != "" && line[0] != '#' {
			words := strings.Split(line, "|")
			run(map[string]any{"command": words[0], "args": words[1:], "timeout": 5})
		}
	}
	for _, line := range []string{"python script.py", "node build.js", "make", "gcc main.c", "tar -xf in.tar", "unzip in.zip",
		"tar -cf o.tar link-out", "zip -r o.zip link-out", "find .", "cat a.txt"} {
		words := strings.Fields(line)
		run(map[string]any{"command": words[0], "args": words[1:]})
	}
	if ran < 60/every {
		t.Errorf("only %d commands ran", ran)
	}
	t.Logf("%d commands ran: %v", ran, slices.Sorted(maps.Keys(programs)))
}
