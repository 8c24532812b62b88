package backend_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRaceSample: each test that the Makefile names for the race detector stands in a room that is run for it,
// and each of these rooms has at least one.
func TestRaceSample(t *testing.T) {
	h, err := load("..")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` *:= (.+)$`).FindSubmatch(makefile)
		if found == nil {
			t.Fatalf("the Makefile has no line %s := …", name)
		}
		return string(found[1])
	}
	rooms, names := strings.Fields(list("RACE_IN")), strings.Split(list("RACE_SAMPLE"), "|")
	tests := map[string][]string{} // by room
	for _, s := range h.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && slices.Contains(names, f.Name.Name) {
				tests[s.room] = append(tests[s.room], f.Name.Name)
			}
		}
	}
	for _, room := range rooms {
		if len(tests[room]) == 0 {
			t.Errorf("the sample has no test of %s", room)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(rooms, func(room string) bool { return slices.Contains(tests[room], name) }) {
			t.Errorf("no room of the sample has a test %s", name)
		}
	}
}
