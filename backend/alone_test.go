package backend_test

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// startsGoroutine are calls, and packages of the standard library, that start a goroutine.
var startsGoroutine = []string{"Go", "Parallel", "RunParallel", "AfterFunc", "Pull", "Pull2", "net/http/httptest", "testing/synctest"}

// TestAlone holds what the Makefile says of the rooms that it tests without the race
// detector: neither they and their tests nor what they stand on start a goroutine, and a
// race needs two.
func TestAlone(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(makefile), "\nALONE := $(addprefix ./backend/,")
	list, _, _ = strings.Cut(list, ")")
	names := strings.Fields(list)
	if len(names) == 0 {
		t.Fatal("the Makefile names no room")
	}
	for _, complaint := range checkAlone(thisHouse(t), names...) {
		t.Error(complaint)
	}
}

func checkAlone(h house, names ...string) (complaints []string) {
	for _, name := range names {
		below := h.below(name)
		for _, s := range h.sources {
			if s.room != name {
				continue
			}
			for _, imported := range s.imports() {
				if room, ok := roomOfImport(imported); ok {
					maps.Copy(below, h.below(room))
				}
			}
		}
		for _, s := range h.sources {
			if how := s.goroutine(); how != "" && (s.room == name || below[s.room] && !s.test) {
				complaints = append(complaints, fmt.Sprintf("%s starts a goroutine by %s: test %q with -race", s.name, how, name))
			}
		}
	}
	return complaints
}

// goroutine is how a file starts one, or "".
func (s source) goroutine() (how string) {
	for _, imported := range s.imports() {
		if slices.Contains(startsGoroutine, imported) {
			how = imported
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			how = "go"
		case *ast.SelectorExpr:
			if slices.Contains(startsGoroutine, n.Sel.Name) {
				how = n.Sel.Name
			}
		}
		return true
	})
	return how
}

// TestGoroutinesAreSeen: in a room, in its tests, and in what either stands on.
func TestGoroutinesAreSeen(t *testing.T) {
	const quiet = "package diff\n"
	for want, files := range map[string]map[string]string{
		"": {"backend/diff/a.go": quiet, "backend/bus/a.go": "package bus\nfunc a() { go a() }\n",
			"backend/pattern/a.go": "package pattern\n", "backend/pattern/a_test.go": "package pattern\nfunc a() { go a() }\n",
			"backend/diff/a_test.go": "package diff\nimport _ \"sekisho/backend/pattern\"\n"},
		"by go":         {"backend/diff/a.go": "package diff\nfunc a() { go a() }\n"},
		"a_test.go":     {"backend/diff/a.go": quiet, "backend/diff/a_test.go": "package diff\nfunc a() { t.Parallel() }\n"},
		"httptest":      {"backend/diff/a_test.go": "package diff\nimport _ \"net/http/httptest\"\n"},
		"pattern/a.go":  {"backend/diff/a.go": "package diff\nimport _ \"sekisho/backend/pattern\"\n", "backend/pattern/a.go": "package pattern\nfunc a() { g.Go(a) }\n"},
		"rawjson/a.go ": {"backend/diff/a_test.go": "package diff\nimport _ \"sekisho/backend/rawjson\"\n", "backend/rawjson/a.go": "package rawjson\nfunc a() { go a() }\n"},
	} {
		if got := strings.Join(checkAlone(plant(t, files), "diff"), "\n"); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("want %q: %s", want, got)
		}
	}
}
