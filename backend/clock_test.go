package backend_test

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// clock are the names of package time that read the clock or wait for it.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep", "Local", "LoadLocation"}

// TestJudgesHaveNoClock: a judge is told the time. One that looks for itself can answer
// the rules screen otherwise than the gate.
func TestJudgesHaveNoClock(t *testing.T) {
	for _, complaint := range checkClock(thisHouse(t)) {
		t.Error(complaint)
	}
}

func checkClock(h house) (complaints []string) {
	bound := map[string]bool{}
	for _, s := range h.sources {
		if judge(s.room) {
			for room := range h.below(s.room) {
				bound[room] = true
			}
		}
	}
	for _, s := range h.sources {
		if !bound[s.room] || s.test {
			continue
		}
		name := timeName(s.file)
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(clock, sel.Sel.Name) {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && name != "" && x.Name == name {
				complaints = append(complaints, fmt.Sprintf("%s uses time.%s: judges have no clock: the time comes in with the question", s.name,
					sel.Sel.Name))
			}
			return true
		})
		if name == "." {
			complaints = append(complaints, fmt.Sprintf("%s imports time as a dot: judges have no clock, and this would hide one", s.name))
		}
	}
	return complaints
}

// timeName is the name under which a file imports package time, or "".
func timeName(f *ast.File) string {
	for _, spec := range f.Imports {
		if spec.Path.Value != `"time"` {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "time"
	}
	return ""
}

// hasPureForm is a package that Landlock's library stands on: built without cgo, as sekisho is,
// it has none. It stays, though no line of ours calls it: the library knows the versions of
// Landlock and their rights, which system calls of our own would have to follow, and what it
// uses that package for (binding all threads) is left out here, where a stage binds its own.
const hasPureForm = "kernel.org/pub/linux/libs/security/libcap/psx"

// TestSekishoReachesNoCgo asks the go command for all that the program is made of,
// other modules' packages too. Those of the standard library have a pure form each.
func TestSekishoReachesNoCgo(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{len .CgoFiles}}{{end}}", "./cmd/sekisho")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Split(strings.TrimSpace(string(out)), "\n")
	if !slices.Contains(packages, module+"/backend/cmd/sekisho 0") {
		t.Errorf("go list does not name the program itself: %s", out)
	}
	for _, line := range packages {
		name, files, _ := strings.Cut(line, " ")
		if files != "0" && name != hasPureForm {
			t.Errorf("cmd/sekisho reaches %s, which needs cgo: a hook starts sekisho for every tool call, so it stays small and static", name)
		}
		for _, heavy := range []string{"database", "sqlite", "server"} {
			if name == module+"/backend/"+heavy {
				t.Errorf("cmd/sekisho reaches %s: it talks to a desk and holds none", name)
			}
		}
	}
}

// TestOneClockForRecords: the store's clock, which never goes back, is where the time of
// records and deadlines comes from. A room that read the wall clock for one would let a
// clock that is set back lengthen it.
func TestOneClockForRecords(t *testing.T) {
	for _, s := range thisHouse(t).sources {
		if s.test || s.name == "backend/journal/clock.go" || !slices.Contains([]string{"desk", "broker", "journal", "sqlite"}, s.room) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if of, ok := call.Fun.(*ast.SelectorExpr); !ok || of.Sel.Name != "TimeOf" {
				return true
			}
			if arg, ok := call.Args[0].(*ast.CallExpr); ok {
				if now, ok := arg.Fun.(*ast.SelectorExpr); ok && now.Sel.Name == "Now" {
					t.Errorf("%s takes the time of a record from the wall clock: ask the store", s.name)
				}
			}
			return true
		})
	}
}
