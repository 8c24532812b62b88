package backend_test

import (
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPlainRooms holds the Makefile's list PLAIN: the rooms in whose code, tests and imports
// nothing runs at the same time. The race detector, which makes a test several times slower,
// can find nothing there, so they are tested without it.
func TestPlainRooms(t *testing.T) {
	h, err := load("..")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^PLAIN +:= (.*)$`).FindSubmatch(makefile)
	if list == nil {
		t.Fatal("the Makefile has no line PLAIN := …")
	}
	if got, want := strings.Fields(string(list[1])), h.plain(); !slices.Equal(got, want) {
		t.Errorf("the Makefile says\nPLAIN    := %s\nbut the rooms with tests in which nothing runs at the same time are\nPLAIN    := %s",
			strings.Join(got, " "), strings.Join(want, " "))
	}
}

// TestRaceSample: each test that the Makefile names for the race detector is a test of the mains.
func TestRaceSample(t *testing.T) {
	h, err := load("..")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^RACE_SAMPLE := (.+)$`).FindSubmatch(makefile)
	if names == nil {
		t.Fatal("the Makefile has no line RACE_SAMPLE := …")
	}
	there := map[string]bool{}
	for _, s := range h.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && strings.HasPrefix(s.room, "cmd/") {
				there[f.Name.Name] = true
			}
		}
	}
	for name := range strings.SplitSeq(string(names[1]), "|") {
		if !there[name] {
			t.Errorf("no main has a test %s", name)
		}
	}
}

// plain lists, in order, the rooms with tests that reach no source which runs anything at the same time.
func (h house) plain() []string {
	busy := map[string]bool{}        // rooms whose code does, by itself or by what it imports
	imports := map[string][]string{} // the rooms that a room's code imports
	tested := map[string]bool{}      // rooms with tests
	busyTests := map[string]bool{}   // rooms whose tests do by themselves
	testing := map[string][]string{} // the rooms that a room's tests import
	for _, s := range h.sources {
		into, does := imports, busy
		if s.test {
			tested[s.room] = true
			into, does = testing, busyTests
		}
		does[s.room] = does[s.room] || atTheSameTime(s.file)
		for _, i := range s.file.Imports {
			if room, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/backend/"); ok {
				into[s.room] = append(into[s.room], room)
			}
		}
	}
	isBusy := func(room string) bool { return busy[room] }
	for changed := true; changed; {
		changed = false
		for room, rooms := range imports {
			if !busy[room] && slices.ContainsFunc(rooms, isBusy) {
				busy[room], changed = true, true
			}
		}
	}
	var plain []string
	for _, room := range slices.Sorted(maps.Keys(tested)) {
		inside := !strings.HasPrefix(room, "/") && room != "."
		if inside && !busy[room] && !busyTests[room] && !slices.ContainsFunc(testing[room], isBusy) {
			plain = append(plain, room)
		}
	}
	return plain
}

// atTheSameTime says that a file starts a goroutine, or calls what does so for it.
func atTheSameTime(file *ast.File) (found bool) {
	calls := []string{"Parallel", "RunParallel", "AfterFunc", "NewServer", "NewTLSServer", "Serve", "Go"}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || slices.Contains(calls, n.Sel.Name)
		}
		return !found
	})
	return found
}
