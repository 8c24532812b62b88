package backend_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackageDoc wants of every package one comment that says what it is for.
func TestPackageDoc(t *testing.T) {
	for _, complaint := range checkPackageDoc(thisHouse(t)) {
		t.Error(complaint)
	}
}

func checkPackageDoc(h house) (complaints []string) {
	comments := map[string]int{} // by folder
	for _, s := range h.sources {
		if s.test {
			continue
		}
		folder := path.Dir(s.name)
		if s.file.Doc == nil {
			comments[folder] += 0
			continue
		}
		comments[folder]++
		if name := s.file.Name.Name; name != "main" && !strings.HasPrefix(s.file.Doc.Text(), "Package "+name+" ") {
			complaints = append(complaints, fmt.Sprintf("%s: the package comment does not begin with \"Package %s\"", s.name, name))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(comments)) {
		if n := comments[folder]; n != 1 {
			complaints = append(complaints, fmt.Sprintf("%s has %d package comments: write one, which says what the room is for", folder, n))
		}
	}
	return complaints
}

// TestPlan holds doc.go against the folders: a room has one or is called planned, each room
// of the floors is in it, and the files of a call's life are there.
func TestPlan(t *testing.T) {
	raw, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	plan, life, _ := strings.Cut(string(raw), "# The life of one tools/call")
	named := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^//\t[0-9 ]  (\S+) +(.*)$`).FindAllStringSubmatch(plan, -1) {
		room, planned := line[1], strings.HasPrefix(line[2], "planned: ")
		named[room] = true
		if _, err := os.Stat(room); !strings.Contains(room, "*") && (err == nil) == planned && room != "backend" && room != "frontend" {
			t.Errorf("%s: planned is %v, and there is a folder: %v", room, planned, err == nil)
		}
	}
	for room := range floors {
		if room[0] != '.' && room[0] != '/' && !strings.HasPrefix(room, "cmd/") && !named[room] {
			t.Errorf("%s has a floor, and is not in doc.go", room)
		}
	}
	for _, file := range regexp.MustCompile(`[a-z]+/[a-z_]+\.go`).FindAllString(life, -1) {
		if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
			t.Errorf("the life of a call names %s: %v", file, err)
		}
	}
}
