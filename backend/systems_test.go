package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestEverySystem type-checks all that is ours, tests included, as Windows and macOS see
// it. Of what we depend on it looks at declarations alone, which takes a tenth of the time
// of compiling all of it for each system.
func TestEverySystem(t *testing.T) {
	for system, rooms := range map[string][]string{
		"darwin":  {"./backend/...", "./conformance", "./frontend"},
		"windows": {".", "./backend/...", "./conformance", "./frontend"},
	} {
		for _, problem := range typeErrors(t, system, rooms...) {
			t.Errorf("%s: %s", system, problem)
		}
	}
}

// TestASystemsFaultIsSeen: what only one system has is missed on another.
func TestASystemsFaultIsSeen(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module planted\n",
		"a.go":         "package planted\n\nimport \"syscall\"\n\nfunc A() { syscall.Umask(0) }\n",
		"a_test.go":    "package planted\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { syscall.Setpgid(0, 0) }\n",
		"b_windows.go": "package planted\n\nfunc b() { A() }\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := typeErrorsIn(t, folder, "darwin", "./..."); len(got) > 0 {
		t.Errorf("macOS: %s", got)
	}
	said := strings.Join(typeErrorsIn(t, folder, "windows", "./..."), "\n")
	for _, name := range []string{"syscall.Umask", "syscall.Setpgid"} {
		if !strings.Contains(said, name) {
			t.Errorf("%s is not missed: %s", name, said)
		}
	}
}

func typeErrors(t *testing.T, system string, rooms ...string) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return typeErrorsIn(t, root, system, rooms...)
}

// typeErrorsIn are the errors in packages of a module as a system sees them, without cgo.
func typeErrorsIn(t *testing.T, root, system string, rooms ...string) (problems []string) {
	t.Helper()
	within := root + string(filepath.Separator)
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax
	loaded, err := packages.Load(&packages.Config{
		Mode:       mode,
		Dir:        root,
		Env:        append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=desktop,production"},
		Tests:      true,
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, within) {
				dropBodies(file)
			}
			return file, err
		},
	}, rooms...)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, problem := range p.Errors {
			if strings.HasPrefix(problem.Pos, within) {
				problems = append(problems, problem.Error())
			}
		}
	})
	return problems
}

// dropBodies leaves of a file what others see of it.
func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
