package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nest is a repository in the workspace with one in it, and one in that, whose own settings run traps.
type nest struct{ *yard }

func newNest(t *testing.T) *nest {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	n := &nest{newYard(t)}
	n.git("init", "-q")
	for _, at := range []string{"sub", "sub/in"} {
		n.git("init", "-q", at)
		n.write(at+"/.gitattributes", "f filter=f\ng filter=g\nh filter=h diff=h\n")
		for _, file := range []string{"f", "g", "h"} {
			n.write(at+"/"+file, "one")
		}
		n.git("-C", at, "add", ".gitattributes", "f", "g", "h")
		n.git("-C", at, "commit", "-qm", "one")
	}
	n.write("sub/.gitmodules", "[submodule \"i\"]\n\tpath = in\n\turl = https://example.org/i\n\tignore = none\n")
	n.git("-C", "sub", "add", "in", ".gitmodules")
	n.git("-C", "sub", "commit", "-qm", "two")
	n.write(".gitmodules", "[submodule \"s\"]\n\tpath = sub\n\turl = https://example.org/s\n\tignore = none\n")
	n.git("add", "sub", ".gitmodules", "a.txt")
	n.git("commit", "-qm", "one")
	n.git("config", "diff.submodule", "diff")
	n.git("config", "status.submoduleSummary", "true")
	for _, at := range []string{"sub", "sub/in"} {
		n.git("-C", at, "config", "filter.f.clean", n.trap("clean"))
		n.git("-C", at, "config", "filter.g.process", n.trap("process"))
		n.git("-C", at, "config", "core.fsmonitor", n.trap("fsmonitor"))
		n.git("-C", at, "config", "diff.h.textconv", n.trap("textconv"))
		n.git("-C", at, "config", "diff.external", n.trap("external"))
		n.write(at+"/more", "[filter \"h\"]\n\tclean = "+n.trap("included")+"\n")
		n.git("-C", at, "config", "include.path", filepath.Join(n.ws, at, "more"))
	}
	return n
}

// trap is a program that notes its name, and passes on what it is given.
func (n *nest) trap(name string) string {
	n.t.Helper()
	file := filepath.Join(n.ws, name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho "+name+" >> "+n.ws+"/ran\ncat\n"), 0o755); err != nil {
		n.t.Fatal(err)
	}
	return file
}

// git runs git with the test's own rights.
func (n *nest) git(words ...string) {
	n.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, words...)...)
	cmd.Dir, cmd.Env = n.ws, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("git %v: %v: %s", words, err, out)
	}
}

// ran gives what the trap noted, and forgets it.
func (n *nest) ran() string {
	raw, _ := os.ReadFile(filepath.Join(n.ws, "ran"))
	os.Remove(filepath.Join(n.ws, "ran"))
	return string(raw)
}

// changed makes files of all three repositories others, of the same length: git has to read them to see it.
func (n *nest) changed(i int) {
	for _, name := range strings.Fields("a.txt sub/f sub/g sub/h sub/in/f sub/in/g sub/in/h") {
		n.write(name, fmt.Sprintf("%03d", i))
	}
}

// TestAddingRunsNothingOfASubmodule adds and commits where the settings of a submodule, and of one in it, run
// programs: git enters those to tell whether they have changed.
func TestAddingRunsNothingOfASubmodule(t *testing.T) {
	n := newNest(t)
	for i, line := range []string{"git add -A", "git add sub", "git commit -a -m x", "git diff", "git log -p",
		"git stash push", "git stash pop"} {
		if line != "git stash pop" {
			n.changed(i)
		}
		r := n.run(strings.Fields(line)...)
		if said := n.ran(); said != "" {
			t.Errorf("%s ran %s", line, said)
		}
		if r.Error != "" || !r.Success {
			t.Errorf("%s: %+v %s", line, r, deref(r.Stderr))
		}
	}
	n.changed(99)
	n.git("add", "-A")
	n.git("-C", "sub", "diff", "f")
	n.git("-C", "sub", "diff", "--no-ext-diff", "h")
	said := n.ran()
	for _, trap := range strings.Fields("clean process fsmonitor textconv external included") {
		if !strings.Contains(said, trap) {
			t.Errorf("%s does not run without the tools either, and shows nothing: %q", trap, said)
		}
	}
}

// TestASubmoduleThatIsElsewhere: git is not run where the index names a repository that is a link which leaves, and
// one whose files are not there is none. Where there is no repository at all, git says so.
func TestASubmoduleThatIsElsewhere(t *testing.T) {
	bare := newYard(t)
	if r := bare.run("git", "status"); r.Error != "" || r.ExitCode == nil || *r.ExitCode != 128 {
		t.Errorf("where there is no repository: %+v", r)
	}
	n := newNest(t)
	os.Rename(filepath.Join(n.ws, "sub"), filepath.Join(n.out, "sub"))
	if r := n.run("git", "status"); r.Error != "" || !r.Success {
		t.Errorf("without the submodule: %+v", r)
	}
	os.Symlink(filepath.Join(n.out, "sub"), filepath.Join(n.ws, "sub"))
	if r := n.run("git", "add", "-A"); r.Success || !strings.Contains(r.Error, "sub") {
		t.Errorf("with a link in its place: %+v", r)
	}
}
