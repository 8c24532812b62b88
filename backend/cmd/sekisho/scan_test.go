package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sekisho/backend/learn"
)

const recordedHomes = "../../history/testdata/homes/"

// scanned runs sekisho scan and gives what it printed.
func scanned(t *testing.T, env []string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, append([]string{"scan"}, args...)...)
	c.Env = append(append(os.Environ(), roleEnv+"=sekisho"), env...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestScan: a history is told of in words and as JSON, with the same numbers.
func TestScan(t *testing.T) {
	said := scanned(t, nil, "--home", recordedHomes+"claude")
	for _, part := range []string{
		"28 calls in 1 session (Claude Code 28)", "28 would have asked, 3 of them of high risk. Declined at the time: 1.",
		"1 × git push --force origin main\n      git push rewrites or deletes what others have pulled",
		"3 rules would have answered 21 of them; 7 would still have asked", "12 calls, as git status",
		"Claude Code, allow: Bash(git:*)", "careful: this line passes by it: git push --force",
		`shell(input.command).parts.all(p, p.program == "git") && risk != "high"`,
	} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
	var r learn.Result
	if err := json.Unmarshal([]byte(scanned(t, nil, "--json", "--home", recordedHomes+"claude")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Calls != 28 || r.High != 3 || r.Asked-r.Left != 21 || len(r.Rules) != 3 || len(r.Lists) != 11 {
		t.Errorf("%d calls, %d high, %d left, %d rules, %d entries", r.Calls, r.High, r.Left, len(r.Rules), len(r.Lists))
	}
}

// TestScanSays: what could not be read is counted, a home without histories is no error,
// and one that is no folder is.
func TestScanSays(t *testing.T) {
	if said := scanned(t, nil, "--home", recordedHomes+"older"); !strings.Contains(said, "6 lines or entries could not be read, the first: ") {
		t.Errorf("%s", said)
	}
	if said := scanned(t, nil, "--home", t.TempDir()); !strings.HasPrefix(said, "No calls of Claude Code, Codex, Gemini CLI or opencode") {
		t.Errorf("%s", said)
	}
	if _, err := historyAt(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a home that is not there is read")
	}
}

// TestScanAsksNobody: the desk that the environment names is not asked, and no file of the
// home is another afterwards.
func TestScanAsksNobody(t *testing.T) {
	var asked atomic.Int32
	desk := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer desk.Close()
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS(recordedHomes+"opencode")); err != nil {
		t.Fatal(err)
	}
	before := list(t, home)
	said := scanned(t, []string{"SEKISHO_URL=" + desk.URL, "HOME=" + home, "USERPROFILE=" + home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME="})
	if !strings.Contains(said, "26 calls in 1 session (opencode 26)") || asked.Load() != 0 {
		t.Errorf("the desk was asked %d times\n%s", asked.Load(), said)
	}
	if after := list(t, home); !slices.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
}

// TestScanOpensNoSocket has the system tell of each socket, where a program for that is
// there.
func TestScanOpensNoSocket(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace here: TestNoNetwork of package learn holds the packages")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), strace, "-f", "-e", "trace=socket,openat", "-o", trace,
		self, "scan", "--home", recordedHomes+"codex")
	c.Env = append(os.Environ(), roleEnv+"=sekisho")
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("strace does not run here: %v %s", err, out)
	}
	raw, err := os.ReadFile(trace)
	if err != nil || strings.Contains(string(raw), "socket(") || !strings.Contains(string(raw), "rollout-") {
		t.Errorf("%v: %.2000s", err, raw)
	}
}

// list gives the files of a folder with their sizes and times.
func list(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		all = append(all, name+" "+fmt.Sprint(info.ModTime(), info.Size()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
