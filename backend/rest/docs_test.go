package rest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedPaths: the requests that the documents name are in the OpenAPI document.
func TestDocumentedPaths(t *testing.T) {
	doc, _ := readSpec(t)
	var rows, paths []string
	hole := regexp.MustCompile(`\{\w+\}|\$\w+`)
	for path, methods := range doc.Paths {
		path = hole.ReplaceAllString(path, "*")
		paths = append(paths, path)
		for method := range methods {
			rows = append(rows, strings.ToUpper(method)+" "+path)
		}
	}
	named := regexp.MustCompile(`(?:(GET|POST|PUT|PATCH|DELETE) |\$url)(/(?:v1|healthz)[\w/{}$-]*)`)
	found := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				found++
				path := hole.ReplaceAllString(m[2], "*")
				if m[1] == "" && !slices.Contains(paths, path) || m[1] != "" && !slices.Contains(rows, m[1]+" "+path) {
					t.Errorf("%s: %s is not in the document", filepath.Base(name), m[0])
				}
			}
		}
	}
	if found == 0 {
		t.Error("the documents name no request: the test does not see them")
	}
}
