package lazyregexp

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each expression of the program is read in its source and compiled: one that is wrong would
// panic in the middle of a call. So New is for variables of packages alone, with what is a
// constant by itself.
func TestAllAreRight(t *testing.T) {
	found := 0
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			_, function := declared.(*ast.FuncDecl)
			ast.Inspect(declared, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || types.ExprString(call.Fun) != "lazyregexp.New" {
					return true
				}
				found++
				text, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(call.Args[0]))
				if function || err != nil || text.Value == nil {
					t.Errorf("%s: %s: an expression of a function, or no constant: %v", path, types.ExprString(call), err)
				} else if _, err := regexp.Compile(constant.StringVal(text.Value)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
				return true
			})
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d expressions: %v", found, err)
	}
	t.Log(found, "expressions")
}

func TestMethods(t *testing.T) {
	r := New(`(\w)(\d)`)
	if !r.MatchString("-a1") || r.FindString("-a1b2") != "a1" || len(r.FindAllString("a1b2c3", 2)) != 2 ||
		r.FindStringSubmatch("a1")[2] != "1" || len(r.FindAllStringSubmatch("a1b2", -1)[1]) != 3 ||
		r.ReplaceAllString("a1", "$2$1") != "1a" || r.ReplaceAllStringFunc("a1", func(string) string { return "x" }) != "x" {
		t.Error("not what package regexp does")
	}
}
