package backend_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	mostOfLine = 140 // columns, a tab counted as one
	longText   = 50  // columns of a text that may make a line longer: it is read as a whole
)

// TestLines holds the length of lines of Go. A line may be longer where a text stands on it
// that would have to be cut in two.
func TestLines(t *testing.T) {
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		source, err := os.ReadFile(path.Join("..", name))
		if err != nil {
			return err
		}
		for _, line := range longLines(source) {
			t.Errorf("%s:%d is longer than %d columns", name, line, mostOfLine)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLongLinesAreSeen(t *testing.T) {
	long := strings.Repeat("x+", 100) + "x"
	text := strings.Repeat("y", 150)
	source := "package p\n\nvar a = " + long + "\n\n// " + text + "\nvar b = \"" + text + "\"\n\nvar c = `\n" + text + "\n`\n"
	if got := longLines([]byte(source)); len(got) != 2 || got[0] != 3 || got[1] != 5 {
		t.Errorf("lines %v are too long", got)
	}
}

// longLines are the numbers of the lines of a Go file that are too long.
func longLines(source []byte) (numbers []int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	texts := map[int]bool{} // lines on which a long text stands
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.STRING || utf8.RuneCountInString(literal) < longText {
			continue
		}
		first := file.Line(at)
		for i := range strings.Count(literal, "\n") + 1 {
			texts[first+i] = true
		}
	}
	for i, line := range strings.Split(string(source), "\n") {
		if utf8.RuneCountInString(line) > mostOfLine && !texts[i+1] {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}
