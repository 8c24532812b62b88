package backend_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What a room may be at most, so that its inside is as readable as the outside.
const (
	mostOfInterface = 12   // methods of an interface, those of what it embeds counted
	mostOfType      = 60   // methods of a type
	mostOfCircle    = 50   // percent of a room's lines in files that need each other all at once
	smallRoom       = 1500 // lines of a room whose circles do not matter
	mostOfRoom      = 4500 // lines of a room: of its Go files without tests, with comments and blank lines, as this system builds them
)

// TestSizes holds the bounds.
func TestSizes(t *testing.T) {
	for _, p := range rooms(t, ".") {
		for name, methods := range oversized(p) {
			t.Errorf("%s has %d methods", name, methods)
		}
		if percent := circle(p); percent >= mostOfCircle {
			t.Errorf("%s: %d %% of the lines are in files that need each other", roomOfPackage(p), percent)
		}
		if n := linesOf(p); n > mostOfRoom {
			t.Errorf("%s has %d lines", roomOfPackage(p), n)
		}
	}
}

// rooms loads the packages below a folder with their types.
func rooms(t *testing.T, folder string) (all []*packages.Package) {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: folder}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors)
		}
		if !slices.Contains(testRooms, roomOfPackage(p)) {
			all = append(all, p)
		}
	}
	return all
}

func roomOfPackage(p *packages.Package) string {
	room, _ := roomOfImport(p.PkgPath)
	return room
}

// oversized are the interfaces and types of a package over their bound, by name.
func oversized(p *packages.Package) map[string]int {
	found := map[string]int{}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			named, ok := p.TypesInfo.Defs[spec.Name].Type().(*types.Named)
			if !ok {
				return true
			}
			name := path.Join(roomOfPackage(p), spec.Name.Name)
			if i, ok := named.Underlying().(*types.Interface); ok && i.NumMethods() > mostOfInterface {
				found[name] = i.NumMethods()
			} else if !ok && named.NumMethods() > mostOfType {
				found[name] = named.NumMethods()
			}
			return true
		})
	}
	return found
}

// linesOf counts the lines of a package's files, each to the end of its last declaration.
func linesOf(p *packages.Package) (n int) {
	for _, file := range p.Syntax {
		n += p.Fset.Position(file.End()).Line
	}
	return n
}

// circle is how much of a package's lines, in percent, is in files of which each needs all
// the others, directly or by way of others: by the names, methods and fields that it uses.
func circle(p *packages.Package) (percent int) {
	lines, needs, total := map[string]int{}, map[string]map[string]bool{}, linesOf(p)
	for _, file := range p.Syntax {
		name := fileOf(p, file)
		lines[name], needs[name] = p.Fset.Position(file.End()).Line, map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := p.TypesInfo.Uses[id]; o != nil && o.Pkg() == p.Types && shared(o) {
					needs[name][filepath.Base(p.Fset.Position(o.Pos()).Filename)] = true
				}
			}
			return true
		})
	}
	if total < smallRoom {
		return 0
	}
	for by := range lines {
		for from := range lines {
			if needs[from][by] {
				maps.Copy(needs[from], needs[by])
			}
		}
	}
	most := 0
	for a := range lines {
		n := 0
		for b := range lines {
			if a == b || needs[a][b] && needs[b][a] {
				n += lines[b]
			}
		}
		most = max(most, n)
	}
	return 100 * most / total
}

func fileOf(p *packages.Package, n ast.Node) string {
	return filepath.Base(p.Fset.Position(n.Pos()).Filename)
}

// shared reports whether other files of a package can use an object: fields, methods, and
// what is declared outside of functions.
func shared(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	case *types.Func:
		return true
	}
	return o.Parent() == o.Pkg().Scope()
}

// TestSizesSee plants what is too large, and wants it seen.
func TestSizesSee(t *testing.T) {
	var methods, embedded, blank strings.Builder
	for i := range mostOfType + 1 {
		fmt.Fprintf(&methods, "func (wide) M%d() {}\n", i)
	}
	for i := range mostOfInterface {
		fmt.Fprintf(&embedded, "E%d()\n", i)
	}
	blank.WriteString(strings.Repeat("\n", mostOfRoom/2) + "var _ = 0\n")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module sekisho\n",
		"backend/big/a.go": "package big\ntype wide struct{ n int }\n" + methods.String() + "func a() { b() }\n" + blank.String(),
		"backend/big/b.go": "package big\nfunc b() { _ = wide{}.n; c() }\n" + blank.String(),
		"backend/big/c.go": "package big\nfunc c() {}\ntype small interface{\n" + embedded.String() + "}\ntype sum interface { small; One() }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := rooms(t, dir)[0]
	want := map[string]int{"big/wide": mostOfType + 1, "big/sum": mostOfInterface + 1}
	if got := oversized(p); !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if got := linesOf(p); got <= mostOfRoom {
		t.Errorf("the room has %d lines", got)
	}
	if got := circle(p); got < 90 || got > 99 {
		t.Errorf("the circle of a.go and b.go is %d %%", got)
	}
}
