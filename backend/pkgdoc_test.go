package backend_test

import (
	"fmt"
	"maps"
	"path"
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
