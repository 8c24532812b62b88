package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "sekisho"

// source is one Go file of the module.
type source struct {
	room string // its folder below backend; "." is backend itself, "/" the module's root, "/frontend" that folder
	name string // path from the module's root
	test bool
	file *ast.File
}

// house is every Go file and every folder of the module.
type house struct {
	sources []source
	folders []string // paths from the module's root
}

// load reads all files whatever their build constraints say, since a floor must hold
// on every platform.
func load(root string) (house, error) {
	var h house
	fset := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".git", "dist", "bin", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() && name != "." && isModule(root, name):
			return fs.SkipDir // another house
		case d.IsDir():
			h.folders = append(h.folders, name)
			return nil
		case path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(os.DirFS(root), name)
		if err != nil {
			return err
		}
		return h.add(fset, name, text)
	})
	return h, err
}

// isModule reports whether a folder is a module of its own.
func isModule(root, folder string) bool {
	_, err := fs.Stat(os.DirFS(root), path.Join(folder, "go.mod"))
	return err == nil
}

func (h *house) add(fset *token.FileSet, name string, text []byte) error {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	h.sources = append(h.sources, source{room: roomOf(path.Dir(name)), name: name, test: strings.HasSuffix(name, "_test.go"), file: file})
	return nil
}

func roomOf(folder string) string {
	if folder == "." {
		return "/"
	}
	if room, ok := strings.CutPrefix(folder, "backend"); ok {
		return path.Join(".", strings.TrimPrefix(room, "/"))
	}
	return "/" + folder
}

// roomOfImport is the room of an import path; ok is false for other modules' packages.
func roomOfImport(imported string) (room string, ok bool) {
	rest, ok := strings.CutPrefix(imported+"/", module+"/")
	if !ok {
		return "", false
	}
	return roomOf(path.Clean(rest)), true
}

// imports gives the import paths of a file.
func (s source) imports() []string {
	var all []string
	for _, spec := range s.file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, name)
		}
	}
	return all
}

// below gives a room and all rooms that its code, tests aside, reaches.
func (h house) below(room string) map[string]bool {
	reached, queue := map[string]bool{}, []string{room}
	for len(queue) > 0 {
		room, queue = queue[0], queue[1:]
		if reached[room] {
			continue
		}
		reached[room] = true
		for _, s := range h.sources {
			if s.room != room || s.test {
				continue
			}
			for _, imported := range s.imports() {
				if next, ok := roomOfImport(imported); ok {
					queue = append(queue, next)
				}
			}
		}
	}
	return reached
}

// thisHouse loads the module that the test runs in.
func thisHouse(t *testing.T) house {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	h, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// plant makes a house of the given files, by path from the module's root.
func plant(t *testing.T, files map[string]string) house {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
